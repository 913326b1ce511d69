"""The result of a search: models by size, the chosen model, and the history of the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from fruler._arrays import Indices
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A model on the trade-off between accuracy and size.

    Attributes
    ----------
    rule_base : RuleBase
        The model.
    criterion : float
        The value of the criterion that the search minimised.
    error : float
        Half the mean squared error on the training rows, in the target's own units.
    cv_error : float
        The same on held-out rows, if the search estimates it; else NaN.
    regularization : float
        The regularization with which the consequents were fitted.
    n_uncovered : int
        The number of training rows in which no rule fires.
    truth : Truth or None
        How true the rules are one by one on held-out rows, if the search estimates it.
    locality : float or None
        The share of the local error with which the consequents were fitted, if the search has one.
    """

    rule_base: RuleBase
    criterion: float
    error: float
    cv_error: float
    regularization: float
    n_uncovered: int
    truth: Truth | None = None
    locality: float | None = None


class Baselines(NamedTuple):
    """Root mean squared errors of simple models on the held-out rows of a cross-validation, in the target's unit.

    Attributes
    ----------
    linear_regression, mean : float
        The errors of a linear regression, and of always predicting the mean.
    """

    linear_regression: float
    mean: float


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of a search.

    Attributes
    ----------
    front : tuple of FrontPoint
        Models by increasing number of rules: the best one found of each size.
    chosen : int
        The index of the chosen model.
    n_evaluations : int
        The number of candidates that were evaluated.
    history : DataFrame
        The history of the search, one row per step: columns n_rules, evaluations, best_error (half the mean squared
        error) and best_fitness; a step of an evolution also has its generation. Empty if there are no steps.
    sample_indices : ndarray
        The rows that rules were made from.
    seconds : dict of str to float
        The seconds that each stage took.
    exact : bool
        Whether the search reached its own end: no time limit and no user cut it short.
    baselines : Baselines or None
        The errors of simple models on the same held-out rows as those of the front, if the search cross-validates.
    """

    front: tuple[FrontPoint, ...]
    chosen: int
    n_evaluations: int
    history: pd.DataFrame
    sample_indices: Indices
    seconds: dict[str, float]
    exact: bool = True
    baselines: Baselines | None = None
