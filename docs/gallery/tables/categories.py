"""
Categories and missing values
=============================

Text columns and empty cells go into ``fit`` as they are. A rule may hold for a set of categories, and has an
amount that each of them adds.
"""

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import EffectDisplay

rng = np.random.default_rng(0)
n = 400
cars = pd.DataFrame({"weight": rng.uniform(700, 2000, n).round(), "origin": rng.choice(["usa", "europe", "japan"], n)})
start = cars["origin"].map({"usa": 30.0, "europe": 33.0, "japan": 45.0})
slope = np.where(cars["origin"] == "japan", -0.015, -0.008)
mpg = (start + slope * cars["weight"] + rng.normal(0, 0.7, n)).rename("mpg")
cars.loc[::20, "weight"] = None
cars.loc[7::30, "origin"] = None
model = FuzzyRuleRegressor(random_state=0).fit(cars, mpg)

EffectDisplay.from_estimator(model, "origin", cars)

# %%
# The rules, and a prediction for a car whose weight is not known:

print(model.rule_base_)
print()
print(model.explain(pd.DataFrame({"weight": [None], "origin": ["japan"]})))
