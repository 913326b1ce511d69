"""
Why this prediction?
====================

``explain`` splits a prediction into what each input adds to the mean prediction. The parts sum to the prediction
exactly.
"""

import matplotlib.pyplot as plt

from fruler import FuzzyRuleRegressor
from fruler.data import load_example

weather = load_example("weather")
model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target).with_names(units=weather.units)
why = model.explain(weather.data[200:201])
print(why)

# %%
# The parts as bars, the largest first:

parts = sorted(zip(why.names, why.contributions[0], why.values[0], strict=True), key=lambda part: abs(part[1]))
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
colours = ["tab:blue" if part > 0 else "tab:orange" for _, part, _ in parts]
axes.barh([f"{name} = {value:g}" for name, _, value in parts], [part for _, part, _ in parts], color=colours)
axes.axvline(0, color="0.4", linewidth=0.8)
axes.set_xlabel(f"adds to the mean prediction of {why.base:.1f} °C")
axes.set_title(f"prediction {why.predictions[0]:.1f} °C")
