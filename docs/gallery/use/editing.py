"""
Edit a model
============

A grower knows that rain beyond 300 mm runs off. The model learned a curve that keeps rising; it is set flat there, and
everything else is fitted again around it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.rules.edits import FixAmount, SetFlat

rng = np.random.default_rng(0)
farms = pd.DataFrame({"rain": rng.gamma(6.0, 45.0, 150), "soil": rng.choice(["clay", "loam", "sand"], 150)})
harvest = 0.02 * np.minimum(farms["rain"], 300.0) + 2.0 * (farms["soil"] == "loam") + rng.normal(0.0, 1.5, 150)

model = FuzzyRuleRegressor(random_state=0).fit(farms, harvest)
edits = [SetFlat("rain", above=300), FixAmount("soil", "sand", 0.0, against="clay")]
edited = model.edited(edits, farms, harvest, by="the grower")
print(edited.changes_[0])

# %%
# The error on held-out rows hardly changes. It is compared with a fit to the same rows without the edits.

for name, one in (("as learned", model.refit(farms, harvest)), ("edited", edited)):
    print(f"{name}: {one.rule_base_.background.error:.2f}")

# %%
# The effect of rain on sand, before and after:

rain = pd.DataFrame({"rain": np.linspace(80.0, 550.0, 200), "soil": "sand"})
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(rain["rain"], model.predict(rain), color="0.6", label="as learned")
ax.plot(rain["rain"], edited.predict(rain), color="C0", label="edited")
ax.set(xlabel="rain [mm]", ylabel="predicted harvest")
ax.legend()
plt.show()
