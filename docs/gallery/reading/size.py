"""
How many rules are enough?
==========================

A search comes by models of several sizes. ``with_rules`` returns any of them at once, so that you can look around.
When you know how many rules you want, search for a model of that size with ``max_rules``.
"""

from fruler import FuzzyRuleRegressor
from fruler.data import make_friedman
from fruler.explain.plots import FrontDisplay

friedman = make_friedman(400, random_state=0)
X, y = friedman.data, friedman.target
model = FuzzyRuleRegressor(random_state=0).fit(X, y)

FrontDisplay.from_estimator(model)

# %%
# The table behind the picture. ``cv_rmse`` is the error on held-out rows; a larger model need not have a smaller one.

print(model.pareto_[["rules", "curves", "coefficients", "cv_rmse"]].round(2).to_string(index=False))

# %%
# What do fewer rules cost? ``with_rules(2)`` is the model with two rules that this search found on its way to six.
# A search that aims at two rules finds a better one, with more curves:

smaller = model.with_rules(2)
searched = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(X, y)
for name, one in [("chosen", model), ("with_rules(2)", smaller), ("max_rules=2", searched)]:
    row = one.pareto_.set_index("rules").loc[one.n_rules_]
    print(f"{name}: rules {one.n_rules_}, curves {row['curves']:.0f}, cv_rmse {row['cv_rmse']:.2f}")
