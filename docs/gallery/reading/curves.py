"""
Curves instead of many rules
============================

An input with the same effect everywhere needs no rules of its own: it gets a curve that is added to the output of
every rule. Here two effects add up, so one rule with curves is enough.
"""

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import CurveDisplay

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.uniform(0, 10, 600), "dose": rng.uniform(0, 4, 600), "weight": rng.normal(70, 10, 600)})
effect = 0.2 * (X["age"] - 6) ** 2 + 3 * np.tanh(2 * (X["dose"] - 2)) + 0.1 * X["weight"] + rng.normal(0, 0.3, 600)
model = FuzzyRuleRegressor(random_state=0).fit(X, effect.rename("effect"))

CurveDisplay.from_estimator(model)

# %%
# How many rules and curves there are, and what they say:

print(model.rule_base_)
