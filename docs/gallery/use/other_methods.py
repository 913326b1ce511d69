"""
Compared with other regressors
==============================

Error on held-out rows against what there is to read, on the bundled Friedman data. Any scikit-learn tool works with
the estimators: here ``cross_val_score``.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from fruler import FuzzyRuleRegressor
from fruler.data import make_friedman

friedman = make_friedman(500, random_state=0)
X, y = friedman.data, friedman.target
methods = {
    "linear regression": LinearRegression(),
    "tree, at most 16 leaves": DecisionTreeRegressor(max_depth=4, random_state=0),
    "random forest, 100 trees": RandomForestRegressor(random_state=0),
    "fruler": FuzzyRuleRegressor(random_state=0, warn_outside=False),
}
errors = {
    name: -cross_val_score(method, X, y, cv=3, scoring="neg_root_mean_squared_error").mean()
    for name, method in methods.items()
}

figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
bars = axes.barh(list(errors), list(errors.values()), color=["0.7", "0.7", "0.7", "tab:blue"])
axes.bar_label(bars, fmt="%.2f", padding=3)
axes.set_xlabel("root mean squared error on held-out rows (noise: 1)")
axes.margins(x=0.12)

# %%
# What there is to read of the last one:

model = FuzzyRuleRegressor(random_state=0).fit(X, y)
print(f"{model.n_rules_} rules, {model.rule_base_.n_curves} curve, {model.rule_base_.n_coefficients} slopes")
