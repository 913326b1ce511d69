"""Consequents of rules that share the rows among them: ridge regression with the terms that pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.elastic_net import INTERCEPT_RIDGE
from fruler.kernels import growth
from fruler.table.rows import Rows


@dataclass(frozen=True)
class Prices:
    """What the criterion charges for, in units of log(rows): BIC where all are one.

    The criterion is rows·log(error) + log(rows)·(term·terms + rule·rules + split·splits), terms being coefficients that
    are not zero, intercepts included.
    """

    term: float = 1.0
    rule: float = 1.0
    split: float = 1.0


class Normal(NamedTuple):
    """The weights of rules in rows, and the normal equations of their linear terms, as means over the rows."""

    weights: Floats
    gram: Floats
    moment: Floats
    square: float


class Fit(NamedTuple):
    """Fitted consequents: coefficients (rules, inputs + 1), error (ridge included), terms, and the criterion."""

    coefficients: Floats
    error: float
    n_terms: int
    criterion: float


def rule_weights(structure: Structure, rows: Rows, domains: Floats) -> Floats:
    """Return the weight of each rule in each row, shape (rows, rules)."""
    return growth.rule_weights(rows.columns, *structure.ramps(domains), structure.ranges)


def normal_equations(structure: Structure, rows: Rows, domains: Floats) -> Normal:
    """Form the normal equations of a structure's rules."""
    weights = rule_weights(structure, rows, domains)
    return Normal(weights, *growth.normal_equations(rows.rows, weights, rows.y, rows.weight))


def fit_terms(normal: Normal, structure: Structure, n_rows: int, ridge: float, prices: Prices) -> Fit:
    """Fit all terms with a ridge on the slopes, then leave out slopes while the criterion falls."""
    n_rules = structure.n_rules
    unit = float(np.log(max(n_rows, 2)))
    coefficients, error, n_terms = growth.choose_terms(
        normal.gram,
        normal.moment,
        normal.square,
        len(normal.moment) // n_rules,
        ridge,
        INTERCEPT_RIDGE,
        float(n_rows),
        unit * prices.term,
    )
    charged = prices.term * n_terms + prices.rule * n_rules + prices.split * structure.n_splits
    criterion = n_rows * np.log(error) + unit * charged
    return Fit(coefficients.reshape(n_rules, -1), error, n_terms, float(criterion))


def outputs(coefficients: Floats, weights: Floats, rows: Rows) -> Floats:
    """Return the predictions, in standardised units."""
    return np.asarray(((rows.rows @ coefficients.T) * weights).sum(axis=1))
