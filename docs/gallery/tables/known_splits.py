"""
Split points that you know
==========================

If you know where an input changes its meaning, say so. The input is then split there or not at all, and you can
give the labels their names.
"""

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import PartitionDisplay

rng = np.random.default_rng(0)
body = pd.DataFrame({"bmi": rng.normal(26, 4, 500).clip(16, 42), "age": rng.integers(20, 80, 500)})
pressure = 100 + 0.4 * body["age"] + 1.8 * (body["bmi"] - 25).clip(0) + 1.5 * (body["bmi"] - 30).clip(0)
pressure = (pressure + rng.normal(0, 3, 500)).rename("pressure")
model = FuzzyRuleRegressor(split_points={"bmi": [25, 30]}, max_curves=0, random_state=0).fit(body, pressure)
print(model.rule_base_.variables[0].partition.labels)

# %%
# Labels with the words that a physician uses:

names = {2: ["normal", "overweight"], 3: ["normal", "overweight", "obese"]}
labels = names[model.rule_base_.variables[0].partition.n_labels]
PartitionDisplay.from_estimator(model.rule_base_.with_labels({"bmi": labels}), "bmi")
