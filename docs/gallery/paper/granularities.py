"""
The paper's second stage: discretization
========================================

``MultiGranularityDiscretizer`` splits an input where its relation to the target bends, once more for every
granularity. The evolution then chooses a granularity for each input, and moves the split points a little: lateral
displacement.
"""

from fruler import MultiGranularityDiscretizer
from fruler.data import load_example
from fruler.explain.plots import DisplacementDisplay, GranularitiesDisplay

weather = load_example("weather")
discretizer = MultiGranularityDiscretizer(splits="gain").fit(weather.data, weather.target)

GranularitiesDisplay.from_estimator(discretizer, "day_of_year", granularities=range(1, 6), unit="d")

# %%
# Three labels before and after a displacement:

DisplacementDisplay.from_partition(discretizer.partition("day_of_year", 3), [-0.3, 0.4], name="day_of_year", unit="d")
