"""
Five algorithms on one function
===============================

What the rules of the five estimators look like as functions of one input: linear rules that grow or evolve,
constants, free fuzzy sets, and labels of the output.
"""

import matplotlib.pyplot as plt
import numpy as np

from fruler import AMETSKRegressor, FRULERRegressor, FSMOGFSRegressor, FuzzyRuleRegressor, LMETSKRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 250))
y = np.where(x < 4, 2 * x, 8 - 0.5 * (x - 4)) + np.sin(2 * x) * (x > 6) + rng.normal(0, 0.4, 250)
X = x[:, np.newaxis]
estimators = [
    FuzzyRuleRegressor(random_state=0),
    FRULERRegressor(max_evaluations=400, random_state=0),
    LMETSKRegressor(max_evaluations=400, random_state=0),
    AMETSKRegressor(max_evaluations=400, random_state=0),
    FSMOGFSRegressor(max_evaluations=400, random_state=0),
]

figure, panels = plt.subplots(2, 3, figsize=(9, 5), sharex=True, sharey=True, layout="constrained")
for panel, estimator in zip(panels.flat, estimators, strict=False):
    model = estimator.fit(X, y)
    panel.plot(x, y, ".", color="0.75", markersize=3)
    panel.plot(x, model.predict(X), color="tab:blue")
    panel.set_title(f"{type(model).__name__}\n{model.n_rules_} rules, R² = {model.score(X, y):.2f}", fontsize=9)
panels.flat[-1].axis("off")
