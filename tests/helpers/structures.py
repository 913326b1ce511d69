"""Random structures and tables for the tests of the growth."""

import numpy as np

from fruler.algorithms.growth.structure import Structure
from fruler.table.rows import Rows
from fruler.table.scaling import measure_scale


def standardised(X, y, weight=None):
    """Return rows and domains, as the growth reads them."""
    X = measure_scale(X).apply(X)
    rows = Rows.from_arrays(X, measure_scale(y).apply(y), weight)
    return rows, np.column_stack([X.min(axis=0), X.max(axis=0)])


def grow_at_random(rng, domains, n_steps, fuzziness=None):
    """Split random rules at random places; return the structure after every step."""
    n_inputs = len(domains)
    structures = [Structure.undivided([np.empty(0)] * n_inputs, 1.0)]
    for _ in range(n_steps):
        last = structures[-1]
        rule, j = int(rng.integers(last.n_rules)), int(rng.integers(n_inputs))
        edges = np.concatenate([domains[j, :1], last.splits[j], domains[j, 1:]])
        first, final = last.ranges[rule, j]
        low, high = edges[first], edges[final + 1]
        position = low + (high - low) * rng.uniform(0.05, 0.95)
        split, at = last.with_split(j, position, rng.uniform() if fuzziness is None else fuzziness)
        structures.append(split.divided(rule, j, at))
    return structures


def n_accepting(structure):
    """Return how many rules accept each cell of the grid of labels."""
    counts = np.zeros([len(points) + 1 for points in structure.splits], dtype=int)
    for labels in structure.ranges:
        counts[tuple(slice(first, last + 1) for first, last in labels)] += 1
    return counts
