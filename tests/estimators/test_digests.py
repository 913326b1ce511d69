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
    "growth, numbers": "889f8df07c084386",
    "growth, mixed": "78999d5a49ca1e7c",
    "growth, link": "fb318d6957b2b502",
    "growth, bounds": "58da6f7535c74ff8",
    "growth, constraints": "89e3554170e41ee8",
    "growth, split points": "5be73fe5a2434c9c",
    "fruler, numbers": "9ad3dfc2572061d5",
    "fruler, mixed": "5ca8b013e2db46d1",
    "fruler, link": "099aec41ce33bfd7",
    "fruler, bounds": "4d2450c9e5bfb412",
    "fs-mogfs, numbers": "034580dc90cb8fc7",
    "fs-mogfs, mixed": "8bab8a74d96fbb60",
    "fs-mogfs, link": "f3af74036b6c02e1",
    "fs-mogfs, bounds": "7f99a869f903b70b",
    "l-metsk, numbers": "32ab6e10c9aafa27",
    "l-metsk, mixed": "b866a50f65e86b79",
    "l-metsk, link": "a60ab3b6ca65b3f5",
    "l-metsk, bounds": "651c3abc94278c0e",
    "a-metsk, numbers": "26e2928199e90ad8",
    "a-metsk, mixed": "08c8a5a29b131a39",
    "a-metsk, link": "10f16adf3b290249",
    "a-metsk, bounds": "268291949197e78f",
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
