"""
The labels of an input
======================

"Low" and "high" are fuzzy sets that are learned from the data. Around the split point both hold in part, and a
prediction moves smoothly from one rule to the next. The bars are the training rows.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import PartitionDisplay

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
model = model.with_names(units=weather.units, labels={"max_temperature_before": {"low": "cold", "high": "warm"}})

PartitionDisplay.from_estimator(model, "max_temperature_before")

# %%
# The degrees of three values: at the split point both labels hold by half.

partition = model.rule_base_.variables[0].partition
split = partition.split_points[0]
print(partition.labels)
print(partition.degrees([split - 5.0, split, split + 5.0]).round(2))
