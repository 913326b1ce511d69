"""
Why this prediction?
====================

``explain`` splits a prediction into what each input adds to the mean prediction. The parts sum to the prediction
exactly; a waterfall shows them one below the other.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import WaterfallDisplay

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target).with_names(units=weather.units)

WaterfallDisplay.from_estimator(model, weather.data, row=200)

# %%
# The same as text:

print(model.explain(weather.data[200:201]))
