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
    "bounds": {"bounds": (-5.0, 30.0), "extrapolation": "clip", "calibration": 0.25},
    "constraints": {"monotonic_constraints": {"size": 1}, "interaction_constraints": [["size", "fuel"], ["sold"]]},
    "split points": {"split_points": {"size": [4.0, 7.5]}},
}
DIGESTS = {
    "growth, numbers": "88b33b53be7ff0de",
    "growth, mixed": "e29d57d3fec0a766",
    "growth, link": "dd0d8b102a7c2911",
    "growth, bounds": "2d76504a188dc3a1",
    "growth, constraints": "b640b40a54f75d6b",
    "growth, split points": "9d24e131cf99cb67",
    "fruler, numbers": "7b8312d3adbf624b",
    "fruler, mixed": "3205b883175b3faf",
    "fruler, link": "516d6c1859978e73",
    "fruler, bounds": "3aa7f17e3c59ef7a",
    "fs-mogfs, numbers": "37797332ed094ccc",
    "fs-mogfs, mixed": "c7d88b3f94c9f906",
    "fs-mogfs, link": "c36ce5bfeb153b6f",
    "fs-mogfs, bounds": "c149f866f27527b1",
    "l-metsk, numbers": "b1acc1c84520c8c0",
    "l-metsk, mixed": "eea71a5caebcb603",
    "l-metsk, link": "3ee272e90d3b9d91",
    "l-metsk, bounds": "1c28652782029987",
    "a-metsk, numbers": "1714f1d67eab4ef0",
    "a-metsk, mixed": "7cbaf311443c92c4",
    "a-metsk, link": "cd52b240185aabb8",
    "a-metsk, bounds": "d04e559cde790e64",
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
