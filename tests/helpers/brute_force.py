"""Predictions of rules in plain NumPy, rule by rule and input by input: what compiled kernels are compared with."""

import numpy as np

from fruler.rules._antecedents import TriangleAntecedents
from fruler.rules._curves import sum_of_curves
from fruler.rules._partitions import triangle_degrees


def activations(rules, X):
    """Return each rule's weight in each prediction, and whether any rule fires."""
    return weights_of(rules.antecedents, rules.inference.clipped(rules.inputs.complete(X)), rules.t_norm)


def weights_of(antecedents, values, t_norm):
    """Return the same for antecedents alone."""
    of = _of_triangles if isinstance(antecedents, TriangleAntecedents) else _of_labels
    degrees, distances = of(antecedents, values, np.multiply if t_norm == "product" else np.minimum)
    fired = degrees.sum(axis=1) > 0.0
    missed = np.flatnonzero(~fired)
    degrees[missed, distances[missed].argmin(axis=1)] = 1.0
    return degrees / degrees.sum(axis=1, keepdims=True), fired


def predictions(rules, X):
    """Return the predictions."""
    values = rules.inference.clipped(rules.inputs.complete(X))
    outputs = rules.consequents.rule_outputs(rules.antecedents, values, rules.t_norm)
    raw = (activations(rules, X)[0] * outputs).sum(axis=1) + sum_of_curves(rules.curves, values)
    return rules.output.of(raw)


def _of_labels(antecedents, values, join):
    degrees = np.ones((len(values), antecedents.n_rules))
    distances = np.zeros(degrees.shape)
    for j in antecedents.inputs:
        partition = antecedents.variables[j].partition
        table, place = partition.degrees(values[:, j]), sum(partition.place(values[:, j]))
        for rule in np.flatnonzero(antecedents.looks_at[:, j]):
            first, last = antecedents.ranges[rule, j]
            degrees[:, rule] = join(degrees[:, rule], table[:, first : last + 1].sum(axis=1))
            away = np.maximum(np.maximum(first - place, place - last), 0.0)
            distances[:, rule] += away if partition.ordered else away > 0.0
    return degrees, distances


def _of_triangles(antecedents, values, join):
    degrees = np.ones((len(values), antecedents.n_rules))
    distances = np.zeros(degrees.shape)
    for rule, j in np.argwhere(~np.isnan(antecedents.points[:, :, 1])):
        x = np.clip(values[:, j], *antecedents.variables[j].partition.range)
        a, b, c = antecedents.points[rule, j]
        degrees[:, rule] = join(degrees[:, rule], triangle_degrees(x, antecedents.points[rule, j]))
        inside = ((x < b) & (a == -np.inf)) | ((x > b) & (c == np.inf))
        distances[:, rule] += np.where(inside, 0.0, np.abs(x - b) / antecedents.widths[j])
    return degrees, distances
