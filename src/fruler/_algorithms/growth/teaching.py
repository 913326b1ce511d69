"""Which terms of a model its rows can teach: a slope needs rows that differ in its input."""

from __future__ import annotations

import numpy as np

from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.sums import Degrees
from fruler._algorithms.growth.terms import Bools
from fruler._table.rows import Rows

# An input whose most frequent value has less than this share of the rows is taught by any rule.
_MIN_SHARE = 0.02
# The number of the most frequent values that are looked at; the others count as one.
_MAX_VALUES = 64


class Teaching:
    """Finds the terms that have rows to learn from.

    In a rule whose rows nearly all have the same value of an input, the few others would decide its slope, and what the
    rule says about other values would be invented. Such a term is left out: the rule shares it with others.

    Parameters
    ----------
    rows : Rows
        The rows, standardised.
    min_rows : float
        The number of rows, each counted with its weight in the rules of a term, that must differ from the most frequent
        value of their rule.
    """

    def __init__(self, rows: Rows, min_rows: float) -> None:
        self.min_rows, self.weight = min_rows, rows.weight
        self.codes = {}
        for j, column in enumerate(rows.columns):
            values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
            if counts.max() < _MIN_SHARE * len(column):
                continue
            ranks = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
            self.codes[j] = np.minimum(ranks[codes.reshape(-1)], _MAX_VALUES), min(len(values), _MAX_VALUES + 1)

    def terms(self, structure: Structure, degrees: Degrees) -> Bools:
        """Return which terms of a structure have enough rows."""
        # A rule of a single value learns nothing from it, even if other rules of the term have other values.
        differing = np.full((structure.n_rules, structure.n_inputs), np.inf)
        for rule, weights in enumerate(degrees.weights):
            own = weights * self.weight
            total = own.sum()
            for j, (codes, n_values) in self.codes.items():
                differing[rule, j] = total - np.bincount(codes, weights=own, minlength=n_values)[:_MAX_VALUES].max()
        taught = np.ones(structure.n_terms, dtype=np.bool_)
        of_blocks = taught[: structure.n_rules * (structure.n_inputs + 1)].reshape(structure.n_rules, -1)
        for block, rules in enumerate(structure.blocks.T > 0.0):
            of_blocks[block, 1:] = differing[rules].sum(axis=0) >= self.min_rows
        return taught
