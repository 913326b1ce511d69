"""The growth on data that took no part in its choice: scikit-learn's diabetes and generated problems.

    python benchmarks/trials/other_sets.py

Prints mean squared errors as a share of the test rows' variance (1 - R²) over five seeded folds, compared with linear
regression, a random forest and boosted trees.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.datasets import load_diabetes, make_friedman2, make_friedman3, make_regression
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from fruler import FuzzyRuleRegressor


def problems() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1_500, 12))
    additive = np.sin(3 * X[:, 0]) + np.square(X[:, 1]) + np.abs(X[:, 2]) + 0.2 * rng.normal(size=1_500)
    pieces = np.where(X[:, 0] > 0.2, 1 + 2 * X[:, 1], -X[:, 2]) + 0.2 * rng.normal(size=1_500)
    return {
        "diabetes": load_diabetes(return_X_y=True),
        "friedman 2": make_friedman2(1_000, noise=125.0, random_state=0),
        "friedman 3": make_friedman3(1_000, noise=0.1, random_state=0),
        "linear, 30 inputs": make_regression(500, 30, n_informative=8, noise=40.0, random_state=0),
        "additive": (X, additive),
        "two pieces": (X, pieces),
        "noise": (X[:500], rng.normal(size=500)),
    }


def main() -> None:
    methods: dict[str, RegressorMixin] = {
        "growth": FuzzyRuleRegressor(random_state=0),
        "linear": LinearRegression(),
        "forest": RandomForestRegressor(random_state=0),
        "boosting": HistGradientBoostingRegressor(random_state=0),
    }
    print(f"{'problem':18}" + "".join(f"{name:>10}" for name in methods) + "     rules  coefficients  seconds")
    for name, (X, y) in problems().items():
        shares: dict[str, list[float]] = {method: [] for method in methods}
        sizes = []
        for train, test in KFold(5, shuffle=True, random_state=0).split(X):
            for method, model in methods.items():
                start = time.perf_counter()
                model.fit(X[train], y[train])
                seconds = time.perf_counter() - start
                shares[method].append(np.square(model.predict(X[test]) - y[test]).mean() / y[test].var())
                if method == "growth":
                    slopes = model.rules_.filter(regex="^coef ")
                    sizes.append((model.n_rules_, np.count_nonzero(slopes), seconds))
        rules, coefficients, seconds = np.mean(sizes, axis=0)
        errors = "".join(f"{np.mean(shares[method]):10.3f}" for method in methods)
        print(f"{name:18}{errors}{rules:10.1f}{coefficients:14.1f}{seconds:9.1f}")


if __name__ == "__main__":
    main()
