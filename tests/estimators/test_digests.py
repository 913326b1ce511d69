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
    "growth, numbers": "4f931dd4bc66493f",
    "growth, mixed": "cb5d394bf07c877b",
    "growth, link": "ddbd7d2da6e0cad5",
    "growth, bounds": "c3805256abec48ab",
    "growth, constraints": "efc9d074f25d8a38",
    "growth, split points": "9bee17097e681899",
    "fruler, numbers": "bbe9da5c42497be1",
    "fruler, mixed": "96179569860a34bd",
    "fruler, link": "8ac3b0ea8c095368",
    "fruler, bounds": "869c7863e776ed8d",
    "fs-mogfs, numbers": "eb8c1b313406f565",
    "fs-mogfs, mixed": "a5ae1beb3d485a74",
    "fs-mogfs, link": "c1bb48a73eb64596",
    "fs-mogfs, bounds": "0fa576ddd58b5042",
    "l-metsk, numbers": "2ffb4e1cf7ff85f2",
    "l-metsk, mixed": "0f50f34eac39f158",
    "l-metsk, link": "1abed6985a226f10",
    "l-metsk, bounds": "32996eb3610b4edd",
    "a-metsk, numbers": "2cdee5a11490d0f7",
    "a-metsk, mixed": "960c5e5d3ffd9c73",
    "a-metsk, link": "d0779b803046d04b",
    "a-metsk, bounds": "8c7ee76a0832bbae",
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
