"""Estimators of every algorithm that learn quickly, for tests of what they share."""

from fruler.estimators.registry import find_estimator

# Coordinate descent on all rows is the quickest evolution; its budget grows with the inputs.
QUICK = {
    "fruler": {
        "fit_rows": "all",
        "t_norm": "product",
        "criterion": "bic",
        "solver": "coordinate_descent",
        "l1_ratio": 0.5,
        "max_evaluations": None,
    }
}


def make_estimator(algorithm, **parameters):
    """Return an estimator of an algorithm, with parameters that suit a test."""
    return find_estimator(algorithm)(**QUICK.get(algorithm, {}) | parameters)
