"""
Rules as a picture
==================

Learn rules from a table and draw them: on the left where each rule applies, on the right how much each input
changes the output there.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import RuleBaseDisplay

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
model = model.with_names(units=weather.units)

RuleBaseDisplay.from_estimator(model)

# %%
# The same rules as sentences. Each says what the output is at its typical row, and how each input changes it from
# there.

print(model.rule_base_)
