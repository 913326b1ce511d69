"""The weights of rules in rows, their normal equations, and what they predict."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.ridge import Normal
from fruler.kernels import growth
from fruler.table.rows import Rows


def rule_weights(structure: Structure, rows: Rows, domains: Floats) -> Floats:
    """Return the weight of each rule in each row, shape (rows, rules)."""
    return growth.rule_weights(rows.columns, *structure.ramps(domains), structure.ranges)


def normal_equations(structure: Structure, rows: Rows, domains: Floats) -> Normal:
    """Form the normal equations of a structure's rules."""
    weights = rule_weights(structure, rows, domains)
    return Normal(weights, *growth.normal_equations(rows.rows, weights, rows.y, rows.weight))


def outputs(coefficients: Floats, weights: Floats, rows: Rows) -> Floats:
    """Return the predictions, in standardised units."""
    return np.asarray(((rows.rows @ coefficients.T) * weights).sum(axis=1))
