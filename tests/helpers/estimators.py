"""Estimators of every algorithm that learn quickly, for tests of what they share."""

from fruler.estimators.registry import algorithm_names, find_estimator

ALGORITHMS = algorithm_names()

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


def make_quick_estimator(algorithm, max_evaluations):
    """Return an estimator that makes at most so many evaluations, if it counts them, with a fixed seed."""
    limit = {"max_evaluations": max_evaluations}
    counts = "max_evaluations" in find_estimator(algorithm).parameter_names()
    return make_estimator(algorithm, random_state=0, **limit if counts else {})


def takes_split_points(algorithm):
    """Return whether an algorithm can be told of known split points."""
    return "split_points" in find_estimator(algorithm).parameter_names()


def n_stages(algorithm):
    """Return in how many stages an algorithm searches, each with as many evaluations as are allowed."""
    return 2 if algorithm in ("fs-mogfs", "a-metsk") else 1
