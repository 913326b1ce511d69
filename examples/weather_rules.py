"""Rules for the bundled weather data in Python: choose their number, explain a prediction, save and load them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from fruler import FuzzyRuleRegressor, load_model
from fruler.data import load_example


def main() -> None:
    weather = load_example("weather")
    X, X_new, y, y_new = train_test_split(weather.data, weather.target, test_size=0.2, random_state=0)
    unit = weather.units[weather.target_name]
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)

    print(f"How many rules are enough? Root mean squared errors in {unit}")
    print("  rules  cross-validated  on days held out")
    for size in model.pareto_.itertuples():
        error = np.sqrt(np.square(model.with_rules(size.rules).predict(X_new) - y_new).mean())
        print(f"  {size.rules:>5}  {size.cv_rmse:>15.2f}  {error:>16.2f}")
    print(f"The search chose {model.n_rules_}; a smaller model of two rules can be read at a glance:\n")

    labels = {"max_temperature_before": {"low": "cold", "high": "warm"}}
    smaller = model.with_rules(2).with_names(units=weather.units, labels=labels)
    print(smaller.rule_base_)

    print(f"\nThe prediction for the first new day explained (observed: {y_new.iloc[0]} {unit})")
    print(smaller.explain(X_new[:1]))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weather.json")
        smaller.save(path)
        same = np.array_equal(load_model(path).predict(X_new), smaller.predict(X_new))
        print(f"\nSaved in {path.stat().st_size:,} bytes of JSON and loaded again; same predictions: {same}")


if __name__ == "__main__":
    main()
