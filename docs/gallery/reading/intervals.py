"""
How large may the error be?
===========================

``predict_interval`` returns an interval for every row. It is wider where the rules that apply have a larger mean
absolute error. Here the noise grows with x; with ``max_curves=0`` there are several rules, each with an interval of its
own width.
"""

import matplotlib.pyplot as plt
import numpy as np

from fruler import FuzzyRuleRegressor

rng = np.random.default_rng(0)


def rows(n):
    """Draw rows whose noise grows with x."""
    x = np.sort(rng.uniform(0, 10, n))
    return x[:, np.newaxis], 2 * np.sin(x / 2) + 0.5 * x + rng.normal(0, 0.1 + 0.12 * x)


X, y = rows(500)
model = FuzzyRuleRegressor(max_curves=0, random_state=0, warn_outside=False).fit(X, y)
X_new, y_new = rows(300)
lower, upper, _ = model.predict_interval(X_new, coverage=0.9)
inside = (lower <= y_new) & (y_new <= upper)

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
axes.fill_between(X_new[:, 0], lower, upper, alpha=0.25, label="interval, 90 %")
axes.plot(X_new[:, 0], model.predict(X_new), label="prediction")
axes.plot(X_new[inside, 0], y_new[inside], ".", color="0.5", markersize=4)
axes.plot(X_new[~inside, 0], y_new[~inside], "x", color="tab:red", markersize=5, label="outside its interval")
axes.set(xlabel="x", ylabel="y", title=f"{inside.mean():.0%} of 300 new rows lie in their interval")
axes.legend()
