"""
Observed against predicted
==========================

Hold rows out, predict them, and look at what is left. Points along the diagonal, and residuals without a pattern,
are what you want to see.
"""

from sklearn.model_selection import train_test_split

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import PredictionDisplay

weather = load_example("weather")
X_train, X_test, y_train, y_test = train_test_split(weather.data, weather.target, random_state=0)
model = FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(X_train, y_train).with_names(units=weather.units)

PredictionDisplay.from_estimator(model, X_test, y_test)

# %%
# What is left, against the prediction:

PredictionDisplay.from_estimator(model, X_test, y_test, kind="residual_vs_predicted")
