"""
How many rules are enough?
==========================

The search keeps the best model of every size. Choose a smaller one where the error hardly grows:
it is ready to use, without another fit.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import make_friedman
from fruler.explain.plots import FrontDisplay

friedman = make_friedman(400, random_state=0)
X, y = friedman.data, friedman.target
model = FuzzyRuleRegressor(random_state=0).fit(X, y)

FrontDisplay.from_estimator(model)

# %%
# The table behind the picture, and a smaller model from it:

print(model.pareto_[["rules", "curves", "coefficients", "cv_rmse"]].round(2).to_string(index=False))
smaller = model.with_rules(2)
print(f"{model.n_rules_} rules: R² = {model.score(X, y):.3f}; {smaller.n_rules_} rules: R² = {smaller.score(X, y):.3f}")
