"""
Rows in groups
==============

Visits of one patient are alike. If random visits are held out, the model has seen others of the same patients, and its
typical error is not that of new patients. ``groups`` holds out whole patients, also for prediction intervals.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor


def visits(n_patients, seed):
    rng = np.random.default_rng(seed)
    patient = pd.Series(np.repeat(np.arange(n_patients), 20), name="patient")
    X = pd.DataFrame({"dose": rng.uniform(size=len(patient)), "age": rng.uniform(20, 80, n_patients)[patient]})
    level = rng.normal(size=n_patients)[patient]
    y = 4 * np.maximum(X["dose"] - 0.5, 0) + level + 0.3 * rng.normal(size=len(patient))
    return X, y.rename("pressure"), patient


X, y, patient = visits(40, seed=0)
X_new, y_new, _ = visits(200, seed=1)
models = {
    "random rows\nheld out": FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(X, y),
    "patients\nheld out": FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(X, y, groups=patient),
}
told = [model.rule_base_.background.cv_rmse for model in models.values()]
found = [np.sqrt(np.mean((y_new - model.predict(X_new)) ** 2)) for model in models.values()]

places = np.arange(2)
_, axes = plt.subplots(figsize=(5, 3))
axes.bar(places - 0.2, told, 0.4, label="typical error of the model")
axes.bar(places + 0.2, found, 0.4, label="error on new patients")
axes.set_xticks(places, list(models))
axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

# %%
# The share of visits of new patients that lie in their 90 % interval:

for name, model in models.items():
    lower, upper, _ = model.predict_interval(X_new)
    print(f"{name.replace(chr(10), ' ')}: {np.mean((lower <= y_new) & (y_new <= upper)):.0%}, {model.n_rules_} rules")
