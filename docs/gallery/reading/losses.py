"""
Claims and quantiles
====================

``loss="poisson"`` predicts the mean of counts. Rates with exposure are fitted as in scikit-learn: the target is claims
per year, and the weight of a row is its exposure.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor

rng = np.random.default_rng(0)
n = 4000
drivers = pd.DataFrame({"age": rng.integers(18, 80, n), "power": rng.integers(40, 200, n)})
exposure = rng.uniform(0.1, 1.0, n)
expected = np.exp(-1.5 + 0.9 * (drivers["age"] < 30) + 0.004 * (drivers["power"] - 100))
claims = rng.poisson(exposure * expected)
model = FuzzyRuleRegressor(loss="poisson", random_state=0)
model.fit(drivers, pd.Series(claims / exposure, name="claims per year"), sample_weight=exposure)
print(model.rule_base_)

# %%
# The sum of expected claims is that of the claims:

print(round((exposure * model.predict(drivers)).sum()), "expected,", claims.sum(), "happened")

# %%
# ``loss="quantile"`` predicts the value that a share of such rows does not exceed. Two models make a band that is wide
# where the target spreads.

x = pd.DataFrame({"x": np.sort(rng.uniform(0.0, 10.0, 1000))})
y = np.sin(x["x"]) * 3 + (0.3 + 0.2 * x["x"]) * rng.normal(size=1000)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(x["x"], y, ".", color="0.7", markersize=3)
for quantile in (0.05, 0.5, 0.95):
    line = FuzzyRuleRegressor(loss="quantile", quantile=quantile, random_state=0).fit(x, y)
    axes.plot(x["x"], line.predict(x), label=f"{quantile:g} quantile")
axes.set(xlabel="x", ylabel="y")
axes.legend()
