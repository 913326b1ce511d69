"""
Rules written by hand
=====================

A rule base need not be learned. Write one from what an expert knows, and predict, draw, explain and export it like
any other.
"""

import matplotlib.pyplot as plt
import numpy as np

from fruler import FuzzyPartition, RuleBase
from fruler.rules import Variable

rules = RuleBase(
    [
        Variable("temperature", FuzzyPartition([10.0, 20.0], domain=(-10.0, 30.0)), unit="°C"),
        Variable("wind", FuzzyPartition([25.0], domain=(0.0, 60.0)), unit="km/h"),
    ],
    antecedents=[[[0, 0], [0, 0]], [[0, 0], [1, 1]], [[1, 2], [0, 1]]],
    consequents=[[25.0, -1.0, 0.1], [27.0, -1.0, 0.3], [14.0, -0.45, 0.0]],
    target_name="heating",
    target_unit="kW",
)
print(rules)

# %%
# The predictions over both inputs:

temperature, wind = np.meshgrid(np.linspace(-10, 30, 81), np.linspace(0, 60, 61))
heating = rules.predict(np.column_stack([temperature.ravel(), wind.ravel()])).reshape(temperature.shape)
figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
filled = axes.contourf(temperature, wind, heating, levels=12, cmap="cividis")
figure.colorbar(filled, label="heating (kW)")
axes.set(xlabel="temperature (°C)", ylabel="wind (km/h)")
