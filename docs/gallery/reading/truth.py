"""
Rules that hold one by one
==========================

Rules that are fitted only together can be wrong one by one: their errors cancel. ``locality`` decides how much each
rule must be right by itself. With 0 only the sum counts, and the lines of single rules leave the data. The default
takes as much as costs hardly any accuracy, which is not always enough. With 0.5 each line stays near the data where its
rule applies; here that takes more rules than the default has.
"""

import matplotlib.pyplot as plt
import numpy as np

from fruler import FuzzyRuleRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 300))
y = 3 * np.sin(x / 1.6) + 0.3 * x + rng.normal(0, 0.3, 300)
X = x[:, np.newaxis]

figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
for panel, locality in zip(panels, [0.0, None, 0.5], strict=True):
    model = FuzzyRuleRegressor(max_curves=0, locality=locality, random_state=0).fit(X, y)
    weights, _ = model.rule_base_.activations(X)
    outputs = model.rule_base_.rule_outputs(X)
    panel.plot(x, y, ".", color="0.75", markersize=4)
    for rule in range(model.n_rules_):
        applies = weights[:, rule] > 0.05
        panel.plot(x[applies], outputs[applies, rule], linewidth=2)
    panel.plot(x, model.predict(X), "k--", linewidth=1)
    panel.set_title(f"locality={locality}: {model.n_rules_} rules, truth {model.truth_.ratio:.2f}")
    panel.set_ylim(-5, 8)
figure.supxlabel("x; coloured: single rules, dashed: the prediction")

# %%
# Truth is the error of all rules together over that of the strongest rule alone. Rules count as readable one by one
# from 1/1.15, about 0.87: only those on the right do. Of the others ``print(model.rule_base_)`` says that they should
# be read together. On most tables the default is enough; here, without curves, one smooth wave has to be made of
# straight lines.
