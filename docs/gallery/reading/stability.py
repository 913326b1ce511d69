"""
Would other rows give other rules?
==================================

``stability`` learns a model again from parts of its rows. A split that all refits have is a property of the data; a
wide band says that the table does not settle what an input does. Here y jumps at x = 4, and two inputs measure nearly
the same, so that every refit shares their effect out in another way.
"""

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import StabilityDisplay

rng = np.random.default_rng(0)
x, heat = rng.uniform(0, 10, 200), rng.normal(20, 5, 200)
X = pd.DataFrame({"x": x, "indoors": heat + rng.normal(0, 0.5, 200), "outdoors": heat + rng.normal(0, 0.5, 200)})
y = np.where(x < 4, 0.0, 8.0) + 0.4 * heat + rng.normal(0, 1, 200)

model = FuzzyRuleRegressor(random_state=0).fit(X, y)
stability = model.stability(X, y, n=8)
print(stability)

# %%
# The bands of the two temperatures are wide at the ends: what one of them does alone is not known well.
StabilityDisplay.from_stability(stability)
