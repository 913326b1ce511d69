"""Fuzzy systems with constant outputs, made from examples in the plainest way."""

import numpy as np
from hypothesis import strategies as st

from fruler import FuzzyPartition, RuleBase
from fruler.rules import Variable


def uniform_partition(column, granularity):
    low, high = float(column.min()), float(column.max())
    step = (high - low) / (granularity - 1)
    return FuzzyPartition([low + (label + 0.5) * step for label in range(granularity - 1)], (low, high))


def wang_mendel(partitions, X):
    """Return the antecedents of a rule for every combination of labels that fits an example best."""
    cells = np.column_stack([partition.degrees(X[:, j]).argmax(axis=1) for j, partition in enumerate(partitions)])
    return np.repeat(np.unique(cells, axis=0)[:, :, None], 2, axis=2)


def rule_base_of(X, y, rows, granularity):
    """The same system as a rule base: cells by `wang_mendel`, constants from the examples that fit them best."""
    partitions = [uniform_partition(column, granularity) for column in X.T]
    antecedents = wang_mendel(partitions, X[rows])
    degrees = np.array([partition.degrees(column) for partition, column in zip(partitions, X.T, strict=True)])
    own = degrees.argmax(axis=2).T
    best = degrees.max(axis=2).prod(axis=0)
    constants = []
    for cell in antecedents[:, :, 0]:
        members = [row for row in sorted(rows) if (own[row] == cell).all()]
        constants.append(y[max(members, key=lambda row: best[row])])
    consequents = np.column_stack([constants, np.zeros((len(constants), X.shape[1]))])
    variables = [Variable(f"x{j}", partition) for j, partition in enumerate(partitions)]
    return RuleBase(variables, antecedents, consequents, t_norm="minimum")


@st.composite
def grid_tables(draw, max_rows=40):
    """Tables of whole numbers from 0 to 8 in every input: places are exact, and ties are common."""
    n, p = draw(st.integers(2, max_rows)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, 9, (n, p)).astype(float)
    X[0], X[1] = 0.0, 8.0
    return X, rng.normal(size=n).round(draw(st.sampled_from([0, 3])))
