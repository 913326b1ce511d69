"""Ridge regression for linear consequents, with the terms that pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.consequents.elastic_net import INTERCEPT_RIDGE
from fruler.kernels import growth


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


class Size(NamedTuple):
    """What the criterion knows of a rule base: its rules, its split points, and the rows that it is fitted on."""

    n_rules: int
    n_splits: int
    n_rows: int


class Fit(NamedTuple):
    """Fitted consequents: coefficients (rules, inputs + 1), error (ridge included), terms, and the criterion."""

    coefficients: Floats
    error: float
    n_terms: int
    criterion: float


def fit_terms(normal: Normal, size: Size, ridge: float, prices: Prices) -> Fit:
    """Fit all terms with a ridge on the slopes, then leave out slopes while the criterion falls."""
    unit = float(np.log(max(size.n_rows, 2)))
    coefficients, error, n_terms = growth.choose_terms(
        normal.gram,
        normal.moment,
        normal.square,
        len(normal.moment) // size.n_rules,
        ridge,
        INTERCEPT_RIDGE,
        float(size.n_rows),
        unit * prices.term,
    )
    charged = prices.term * n_terms + prices.rule * size.n_rules + prices.split * size.n_splits
    criterion = size.n_rows * np.log(error) + unit * charged
    return Fit(coefficients.reshape(size.n_rules, -1), error, n_terms, float(criterion))
