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
    "growth, numbers": "eb968ac4be404407",
    "growth, mixed": "3ddfae368cfc55f6",
    "growth, link": "be63859fc06ee0dc",
    "growth, bounds": "4db53efcd7d5e83d",
    "growth, constraints": "c226f9515a8642f4",
    "growth, split points": "28d11c75cb81ac56",
    "fruler, numbers": "5d5bc1411d1a9036",
    "fruler, mixed": "63a65e80e8c961d5",
    "fruler, link": "9d72b24c9a4c08dd",
    "fruler, bounds": "fcc0583da33691ee",
    "fs-mogfs, numbers": "81af0a0b90d3203c",
    "fs-mogfs, mixed": "99a98bbe24e8ec7d",
    "fs-mogfs, link": "cafdf5645aa7f06e",
    "fs-mogfs, bounds": "34f21b7ae08b2002",
    "l-metsk, numbers": "798cba881a0ff08d",
    "l-metsk, mixed": "83953eac9fbbfe1d",
    "l-metsk, link": "42ddd3e041754500",
    "l-metsk, bounds": "10bd30834e7e3d18",
    "a-metsk, numbers": "2f3ff2260805da96",
    "a-metsk, mixed": "14bfbd0089cb8992",
    "a-metsk, link": "9042c37a1e3b973c",
    "a-metsk, bounds": "15467937542573ab",
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
