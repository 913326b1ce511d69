"""Models of each algorithm, on numbers and on a table with everything: a change of a model must be meant.

A digest covers the file of a model without its parameters. Numbers are rounded, because their last digits depend on
the processor. Where a change is meant, write the new digests here and say why in the commit.
"""

import hashlib
import json

import numpy as np
import pytest
from helpers.estimators import ALGORITHMS, make_estimator
from helpers.mixed_table import mixed_table
from sklearn.datasets import make_friedman1

DIGITS = 6
# What is told with a table. Constraints are the growth's alone.
WISHES = {
    "numbers": {},
    "mixed": {},
    "link": {"link": "log"},
    "bounds": {"bounds": (-5.0, 30.0), "extrapolation": "clip", "calibration": 0.2},
    "constraints": {"monotonic_constraints": {"size": 1}, "interaction_constraints": [["size", "fuel"], ["sold"]]},
    "split points": {"split_points": {"size": [4.0, 7.5]}},
}
DIGESTS = {
    "growth, numbers": "2e778679b9fdab7c",
    "growth, mixed": "9d26e6529bcc3dc4",
    "growth, link": "7c84b6fa1fe864cd",
    "growth, bounds": "27d15b751ea7da67",
    "growth, constraints": "61206efc7c6be7ec",
    "growth, split points": "13370bfa90c47026",
    "fruler, numbers": "34566208429f9052",
    "fruler, mixed": "66bf3fe5f1146ea8",
    "fruler, link": "1bf4d19bce8d6bf7",
    "fruler, bounds": "f8667b9289a11a72",
    "fs-mogfs, numbers": "c40d815ba5a176c2",
    "fs-mogfs, mixed": "6bd46b8503e861b4",
    "fs-mogfs, link": "0c17d0a7d98a2601",
    "fs-mogfs, bounds": "6b390084ade64a1b",
    "l-metsk, numbers": "16ac7403536696e2",
    "l-metsk, mixed": "030b87456278fee3",
    "l-metsk, link": "9e49da39a56183f6",
    "l-metsk, bounds": "86136dd9671485b8",
    "a-metsk, numbers": "ee5658e9303d446d",
    "a-metsk, mixed": "fe8b276f43c05cbe",
    "a-metsk, link": "af89ffc10192b3d4",
    "a-metsk, bounds": "76578a3ab0340fd4",
}


def rounded(value):
    """Return a part of a model file with rounded numbers; in a list, relative to its largest number."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        numbers = [part for part in value if isinstance(part, float)]
        scale = max((abs(number) for number in numbers), default=0.0)
        return [
            f"{part / scale + 0.0:.{DIGITS}f}" if scale > 1e-12 and isinstance(part, float) else rounded(part)
            for part in value
        ]
    # Means of what was centred are zero but for rounding.
    return f"{value if abs(value) > 1e-12 else 0.0:.{DIGITS}g}" if isinstance(value, float) else value


def digest(model, path):
    model.save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    # How often a search for a minimum steps, the last digits decide; parameters are not what was learned.
    learning = {name: part for name, part in document["learning"].items() if name not in ("n_evaluations", "settings")}
    return hashlib.sha256(json.dumps([rounded(document["rule_bases"]), rounded(learning)]).encode()).hexdigest()[:16]


CASES = [
    (algorithm, wish)
    for algorithm in ALGORITHMS
    for wish in WISHES
    if algorithm == "growth" or wish not in ("constraints", "split points")
]


@pytest.mark.parametrize(("algorithm", "wish"), CASES)
def test_a_model_is_what_it_was(algorithm, wish, tmp_path):
    # Without noise a hair's breadth decides which split comes first, and processors differ by that.
    X, y = make_friedman1(200, 5, noise=1.0, random_state=2) if wish == "numbers" else mixed_table()
    evaluations = {} if algorithm == "growth" else {"max_evaluations": 300}
    if wish == "link":
        y = np.exp(y / 10.0)
    model = make_estimator(algorithm, random_state=0, **evaluations, **WISHES[wish]).fit(X, y)
    assert digest(model, tmp_path / "model.json") == DIGESTS[f"{algorithm}, {wish}"]
