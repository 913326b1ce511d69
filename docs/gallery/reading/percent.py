"""
Prices in percent
=================

Prices are above zero and skewed: a few flats cost many times as much as most. With ``link="log"`` the rules say the
logarithm of the price, so that what an input does is told in percent, and no prediction or interval goes below zero.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor

rng = np.random.default_rng(0)
n_flats = 800
flats = pd.DataFrame(
    {
        "size": rng.gamma(6.0, 14.0, n_flats).round(),
        "distance": rng.gamma(2.0, 3.0, n_flats).round(1),
        "kind": rng.choice(["flat", "house", "loft"], n_flats, p=[0.6, 0.3, 0.1]),
    }
)
extra = flats["kind"].map({"flat": 0.0, "house": 0.2, "loft": 0.4})
logs = 11.0 + 0.011 * flats["size"] - 0.08 * np.minimum(flats["distance"], 8.0) + extra
price = pd.Series(np.exp(logs + rng.normal(0.0, 0.25, n_flats)) / 1000.0, name="price")
units = {"size": "m²", "distance": "km", "price": "k€"}

plain = FuzzyRuleRegressor(random_state=0).fit(flats, price)
model = FuzzyRuleRegressor(link="log", random_state=0).fit(flats, price).with_names(units=units)
print(model.rule_base_)

# %%
# The intervals of both models, from small flats to large ones, far out and near the centre. On the left an interval has
# about the same width for all; on the right it is a share of the price, as the errors are.

figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
sizes = np.linspace(flats["size"].min(), flats["size"].max(), 100)
for panel, (title, one) in zip(panels, {"identity": plain, "log": model}.items(), strict=True):
    panel.plot(flats["size"], price, ".", color="0.7", markersize=3)
    for distance, colour in ((1.0, "tab:blue"), (12.0, "tab:orange")):
        line = pd.DataFrame({"size": sizes, "distance": distance, "kind": "flat"})
        lower, upper, _ = one.predict_interval(line)
        panel.fill_between(sizes, lower, upper, color=colour, alpha=0.2)
        panel.plot(sizes, one.predict(line), color=colour, label=f"{distance:g} km")
    panel.axhline(0.0, color="0.5", linewidth=0.8)
    panel.set(title=f'link="{title}"', xlabel="size (m²)")
panels[0].set(ylabel="price (k€)", ylim=(-100, price.max()))
panels[0].legend()

# %%
# The parts of a prediction multiply.

print(model.explain(flats[:1]))
