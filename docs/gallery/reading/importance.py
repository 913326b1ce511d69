"""
What matters, and what acts together
====================================

How far each input moves predictions on average, in the unit of the target; and two inputs whose effects depend on each
other, as a picture of both.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import ImportanceDisplay, PairEffectDisplay

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target).with_names(units=weather.units)

ImportanceDisplay.from_estimator(model)

# %%
# What wind does depends on how warm the day before was:

PairEffectDisplay.from_estimator(model, ["max_temperature_before", "wind_speed"], weather.data)
