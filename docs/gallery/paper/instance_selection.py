"""
The paper's first stage: instance selection
===========================================

``ClassConditionalSelector`` keeps the rows from which the others are best predicted. It is an estimator of its own,
with ``fit_resample`` as in imbalanced-learn.
"""

import matplotlib.pyplot as plt
import numpy as np

from fruler import ClassConditionalSelector

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, (500, 1))
y = np.sin(X[:, 0]) + np.where(X[:, 0] > 6, 2.0, 0.0) + rng.normal(0, 0.1, 500)
selector = ClassConditionalSelector()
X_selected, y_selected = selector.fit_resample(X, y)

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
axes.plot(X[:, 0], y, ".", color="0.75", label=f"all {len(X)} rows")
axes.plot(X_selected[:, 0], y_selected, "o", markersize=4, label=f"the {len(X_selected)} selected")
axes.legend()
axes.set(xlabel="x", ylabel="y")
