"""Models of each algorithm, on numbers and on a table with everything: a change of a model must be meant.

A digest covers the whole file of a model. Numbers are rounded, because their last digits depend on the processor. Where
a change is meant, write the new digests here and say why in the commit.
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
    "growth, numbers": "d51dab8d62b08669",
    "growth, mixed": "ddce68fb5a0268ed",
    "growth, link": "c0daa585bc0461e4",
    "growth, bounds": "bf52e2d81f6d9a7b",
    "growth, constraints": "518cea1b703a3b0b",
    "growth, split points": "23501b5c0283b40b",
    "fruler, numbers": "47ed5b24e85d4cf4",
    "fruler, mixed": "a7250b7e2f474535",
    "fruler, link": "3c195fbdba660a68",
    "fruler, bounds": "100ceb66da1031e5",
    "fs-mogfs, numbers": "c2124f4021e7995e",
    "fs-mogfs, mixed": "9b280f43666686e8",
    "fs-mogfs, link": "6914294b94107161",
    "fs-mogfs, bounds": "8f36b9172f162d30",
    "l-metsk, numbers": "0e29e52e9d878fd6",
    "l-metsk, mixed": "d793071d091876ff",
    "l-metsk, link": "aeb2bdfa49009bc0",
    "l-metsk, bounds": "514a59a686b8bacc",
    "a-metsk, numbers": "5984e174160b6f64",
    "a-metsk, mixed": "a4290ea43b12d1dd",
    "a-metsk, link": "78f2b26211d4b366",
    "a-metsk, bounds": "2cb91b09e2630739",
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
    # How often a search for a minimum steps, the last digits decide.
    learning = {name: part for name, part in document["learning"].items() if name != "n_evaluations"}
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
