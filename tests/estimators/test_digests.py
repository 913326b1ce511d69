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
    "growth, numbers": "2b60ac017110d91b",
    "growth, mixed": "9d2b90dfbe265ed4",
    "growth, link": "cd3593e86357a28a",
    "growth, bounds": "8da55304c5c1b804",
    "growth, constraints": "4a2c9c22319e2ae7",
    "growth, split points": "1a2f7ebce1ed1ab5",
    "fruler, numbers": "7955faf94476fd3d",
    "fruler, mixed": "dc160413792b2dfd",
    "fruler, link": "0423fddb9ba6e33f",
    "fruler, bounds": "91d719057c4223ff",
    "fs-mogfs, numbers": "6443d93a4fd41916",
    "fs-mogfs, mixed": "1501a3a70e843c8a",
    "fs-mogfs, link": "fef3b7709017b0c6",
    "fs-mogfs, bounds": "77349b13acb0cc29",
    "l-metsk, numbers": "2236697114c42bd2",
    "l-metsk, mixed": "291cd2fdc6c324a1",
    "l-metsk, link": "be27999005b27eb8",
    "l-metsk, bounds": "d14f30f9936147ec",
    "a-metsk, numbers": "f7de7f8c5932103d",
    "a-metsk, mixed": "dfc181593ba961e1",
    "a-metsk, link": "66003b7d47db6216",
    "a-metsk, bounds": "627f6c37a1db9716",
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
