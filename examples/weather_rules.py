"""Learn rules from the bundled weather data, read them, and compare their error with a straight line's."""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from fruler import FRULERRegressor
from fruler.data import load_example


def main() -> None:
    weather = load_example("weather")
    X_train, X_test, y_train, y_test = train_test_split(weather.data, weather.target, test_size=0.2, random_state=0)
    unit = weather.units[weather.target_name]
    print(
        f"Predicting {weather.target_name} ({unit}) from {X_train.shape[1]} inputs, learned from {len(X_train)} days\n"
    )

    start = time.perf_counter()
    model = FRULERRegressor(random_state=0).fit(X_train, y_train)
    seconds = time.perf_counter() - start
    print(model.rule_base_.with_units({**weather.units}))

    print("\nWhat the labels mean")
    for variable in model.rule_base_.variables:
        partition = variable.partition
        if partition.n_labels > 1:
            words = [
                f"{label} < {split:.4g} <"
                for label, split in zip(partition.labels, partition.split_points, strict=False)
            ]
            print(f"  {variable.name}: {' '.join(words)} {partition.labels[-1]} {weather.units[variable.name]}")

    def error(predictions: np.ndarray) -> float:
        return float(np.sqrt(np.square(predictions - y_test).mean()))

    line = LinearRegression().fit(X_train, y_train)
    print(f"\nRoot mean squared error on the {len(X_test)} days left out")
    print(f"  these {model.n_rules_} rules      {error(model.predict(X_test)):.2f} {unit}")
    print(f"  linear regression  {error(line.predict(X_test)):.2f} {unit}")
    print(f"  always the mean    {error(np.full(len(y_test), y_train.mean())):.2f} {unit}")
    print(f"\n{model.n_evaluations_} candidates, {seconds:.1f} s")


if __name__ == "__main__":
    main()
