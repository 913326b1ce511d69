"""What a search found: models by size, the one that was chosen, and how the search went."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fruler._typing import Indices
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A model of the trade-off between accuracy and size.

    Attributes
    ----------
    rule_base : RuleBase
        The model.
    criterion : float
        What the search minimised, for it.
    error : float
        Half the mean squared error on the training rows, in the target's own units.
    cv_error : float
        The same on held-out rows, where the search estimates it; NaN elsewhere.
    regularization : float
        With which its consequents were fitted.
    n_uncovered : int
        Training rows that fit no rule.
    truth : Truth or None
        How true its rules are one by one on held-out rows, where the search estimates it.
    """

    rule_base: RuleBase
    criterion: float
    error: float
    cv_error: float
    regularization: float
    n_uncovered: int
    truth: Truth | None = None


@dataclass(frozen=True, eq=False)
class Learned:
    """What a search found.

    Attributes
    ----------
    front : tuple of FrontPoint
        Models by increasing number of rules: the best that was met of each.
    chosen : int
        Which of them is the model.
    n_evaluations : int
        The candidates that were looked at.
    history : DataFrame
        How the search went, one row per step: columns n_rules, evaluations, best_error (half the mean squared error)
        and best_fitness; a step of an evolution also has its generation. Empty where there are no steps.
    sample_indices : ndarray
        The rows that rules were made from.
    seconds : dict of str to float
        How long each stage took.
    exact : bool
        Whether it came to its own end: no limit of time, and nobody, has cut it short.
    """

    front: tuple[FrontPoint, ...]
    chosen: int
    n_evaluations: int
    history: pd.DataFrame
    sample_indices: Indices
    seconds: dict[str, float]
    exact: bool = True
