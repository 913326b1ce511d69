"""What a reader would not believe of a model's labels: slivers, and splits of an input and of its near copy."""

import itertools

import numpy as np

from fruler._algorithms.growth.tuning import MANY_ROWS, MAX_DISTINCT, MIN_REPEATS, MIN_WIDTH

# A label has this share of the rows, or so many of them.
MIN_SHARE, ENOUGH_ROWS = 0.02, 500
COPY = 0.99


def partitions_of(rules):
    """Return the partitions of the rules' labels and of the curves' pieces, with the number of their input."""
    of_rules = [(j, variable.partition) for j, variable in enumerate(rules.variables)]
    return [(j, part) for j, part in [*of_rules, *((c.input, c.partition) for c in rules.curves)] if part.n_labels > 1]


def slivers(rules, X):
    """Return the labels that have hardly any rows, or cover hardly any of the range without a reason for it."""
    found = []
    for j, partition in partitions_of(rules):
        values, tail = np.sort(X[:, j]), int(0.01 * len(X))
        least = MIN_WIDTH * (values[-1 - tail] - values[tail]) * (1.0 - 1e-6)
        low, high = partition.domain
        for start, stop in itertools.pairwise([low, *partition.split_points, high]):
            inside = values[(values >= start) & ((values < stop) | (stop == high))]
            n_distinct = len(np.unique(inside))
            discrete = n_distinct <= MAX_DISTINCT and len(inside) >= MIN_REPEATS * n_distinct
            crowded = len(inside) >= MANY_ROWS * len(X)
            rare = len(inside) < min(MIN_SHARE * len(X), ENOUGH_ROWS)
            if rare or (stop - start < least and not (discrete or crowded)):
                found.append((rules.variables[j].name, start, stop, len(inside), n_distinct))
    return found


def copied_splits(rules, X):
    """Return the pairs of inputs that are both split, or have a curve, and nearly say the same."""
    used = sorted({j for j, _ in partitions_of(rules)})
    return [
        (rules.variables[i].name, rules.variables[j].name)
        for i, j in itertools.combinations(used, 2)
        if abs(np.corrcoef(X[:, i], X[:, j])[0, 1]) > COPY
    ]
