"""Small problems for the tests of the evolution."""

import numpy as np

from fruler import Reading
from fruler._algorithms.fruler.chromosome import SearchSpace, Task
from fruler._algorithms.fruler.discretization import nested_splits
from fruler._table.rows import Rows, measure_scale


def make_task(n_rows=300, t_norm="product", seed=0, fixed=None):
    """A small problem with bends: inputs of granularity 1 to 8, one constant, one binary."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.uniform(size=(n_rows, 3)), np.full(n_rows, 7.0), rng.integers(0, 2, n_rows)])
    y = np.sin(9 * X[:, 0]) + np.abs(X[:, 1] - 0.4) * X[:, 4] + 0.05 * rng.normal(size=n_rows)
    return task_of(X, y, t_norm=t_norm, fixed=fixed)


def task_of(X, y, t_norm="minimum", fixed=None):
    """The problem of learning from every third row of a table."""
    scale, target_scale = measure_scale(X), measure_scale(y)
    domains = np.column_stack([X.min(axis=0), X.max(axis=0)])
    # By gain there are more granularities to search through.
    nested = nested_splits(X, y, splits="gain", reading=Reading(min_samples=15))
    space = SearchSpace.from_splits(nested, domains, scale, fuzziness=1.0, t_norm=t_norm, fixed=fixed)
    rows = Rows.from_arrays(scale.apply(X), target_scale.apply(y))
    examples = rows.take(np.arange(0, len(y), 3))
    return Task(space, examples, examples, rows, max_rules=100)
