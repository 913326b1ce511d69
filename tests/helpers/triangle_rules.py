"""Hand-made rules over triangles."""

import numpy as np

from fruler.rules import (
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    OwnTriangles,
    RuleBase,
    TrianglePartition,
    Variable,
)

DOMAINS = {"weight": (1600.0, 5200.0), "power": (40.0, 240.0), "year": (70.0, 82.0)}
UNITS = {"weight": "lb", "power": "hp", "year": ""}
INF = np.inf


def triangle_inputs():
    """Tuned labels: neighbours overlap by more or less than one, and power has a gap between 118 and 124."""
    points = {
        "weight": [(-INF, 1900.0, 3000.0), (2100.0, 2800.0, 3900.0), (3100.0, 4400.0, INF)],
        "power": [(-INF, 60.0, 118.0), (124.0, 170.0, INF)],
        "year": [(-INF, 70.0, 76.0), (70.0, 76.0, 82.0), (76.0, 82.0, INF)],
    }
    return [Variable(name, TrianglePartition(points[name], DOMAINS[name]), UNITS[name]) for name in DOMAINS]


def mpg_labels():
    """Tuned labels of an output: none is symmetric."""
    return TrianglePartition([(5.0, 11.0, 18.0), (10.0, 18.5, 24.0), (17.0, 27.0, 45.0)], (9.0, 46.0))


def mamdani(t_norm="minimum"):
    """Return rules whose inputs and output have tuned labels."""
    labels = [[0, 0, -1], [0, 0, 2], [1, -1, 1], [1, 1, -1], [2, 1, 0]]
    inputs = triangle_inputs()
    said = LabelConsequents([1, 2, 1, 1, 0], mpg_labels())
    return RuleBase(inputs, LabelTriangles(labels, inputs), said, t_norm, "mpg", "mi/gal")


def own_inputs():
    """Inputs without labels."""
    return [Variable(name, FuzzyPartition([], domain), UNITS[name]) for name, domain in DOMAINS.items()]


NOTHING = (np.nan, np.nan, np.nan)
OWN_POINTS = [
    [(-INF, 1900.0, 2950.0), NOTHING, (72.0, 80.0, INF)],
    [(2100.0, 2800.0, 3400.0), (60.0, 95.0, 140.0), NOTHING],
    [(2500.0, 3600.0, INF), (80.0, 150.0, INF), NOTHING],
    [(2500.0, 3600.0, INF), NOTHING, (-INF, 71.0, 77.0)],
]
OWN_COEFFICIENTS = [
    [40.0, -0.006, 0.0, 0.08],
    [20.5, -0.0021, -0.031, 0.12],
    [31.0, -0.0035, -0.02, 0.0],
    [14.0, 0.0, 0.0, 0.0],
]


def own_sets(t_norm="minimum"):
    """Return rules with triangles of their own and linear consequents."""
    inputs = own_inputs()
    return RuleBase(inputs, OwnTriangles(OWN_POINTS, inputs), OWN_COEFFICIENTS, t_norm, "mpg", "mi/gal")


def own_sets_with_labels(t_norm="product"):
    """Return rules with triangles of their own that say labels of the output."""
    inputs = own_inputs()
    said = LabelConsequents([2, 1, 0, 1], mpg_labels())
    return RuleBase(inputs, OwnTriangles(OWN_POINTS, inputs), said, t_norm, "mpg", "mi/gal")


def labels_with_lines(t_norm="product"):
    """Return rules with shared triangles and linear consequents."""
    inputs = triangle_inputs()
    labels = [[0, -1, 2], [1, 0, -1], [2, 1, -1], [-1, 1, 0]]
    return RuleBase(inputs, LabelTriangles(labels, inputs), OWN_COEFFICIENTS, t_norm, "mpg", "mi/gal")


def strong_labels(t_norm="minimum"):
    """Return rules over strong partitions that say labels of the output; some combinations have no rule."""
    splits = {"weight": [2500.0, 3600.0], "power": [120.0], "year": []}
    inputs = [Variable(name, FuzzyPartition(splits[name], DOMAINS[name], 0.8), UNITS[name]) for name in DOMAINS]
    ranges = [[[0, 1], [0, 0], [0, 0]], [[1, 2], [1, 1], [0, 0]]]
    return RuleBase(inputs, ranges, LabelConsequents([2, 0], mpg_labels()), t_norm, "mpg", "mi/gal")


def one_rule(t_norm="minimum"):
    """Return a single rule, whose output still depends on how well a row fits it."""
    inputs = triangle_inputs()
    return RuleBase(inputs, LabelTriangles([[1, 1, -1]], inputs), LabelConsequents([2], mpg_labels()), t_norm, "mpg")


KINDS = {
    "mamdani": mamdani,
    "own sets": own_sets,
    "own sets with labels": own_sets_with_labels,
    "labels with lines": labels_with_lines,
    "strong labels": strong_labels,
    "a single label": one_rule,
}


def rows_around(n=400, seed=0):
    """Return rows inside and outside of the domains, at the points of triangles and in gaps."""
    rng = np.random.default_rng(seed)
    low, high = (np.array(side) for side in zip(*DOMAINS.values(), strict=True))
    rows = rng.uniform(low - 0.2 * (high - low), high + 0.2 * (high - low), (n, 3))
    at = [[2800.0, 121.0, 76.0], [1900.0, 60.0, 70.0], [9e9, 120.0, -1e9], [5200.0, 118.0, 82.0], [3000.0, 124.0, 76.0]]
    return np.vstack([rows, at])


def trained(rule_base, n=300):
    """Return the rule base with a summary of training rows."""
    rows = rows_around(n)[:n]
    rng = np.random.default_rng(1)
    return rule_base.with_training(rows, rule_base.predict(rows) + rng.normal(0.0, 1.0, n))
