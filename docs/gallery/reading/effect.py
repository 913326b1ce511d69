"""
The effect of an input
======================

Move one input over its range and watch the prediction. The thick line is the mean over the rows (partial
dependence); each faint line is one row. Lines that are not parallel show an interaction: what the input does
depends on the others.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import EffectDisplay

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
model = model.with_names(units=weather.units)

EffectDisplay.from_estimator(model, "pressure", weather.data, individual=True)
