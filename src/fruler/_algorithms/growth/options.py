"""The options of the growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fruler.rules._losses import LossName


@dataclass(frozen=True)
class GrowthOptions:
    """The parameters of `FuzzyRuleRegressor` that determine the model; documented there.

    Constraints name inputs; `fruler._table.constraints` derives them from constraints on columns.
    """

    loss: LossName = "squared_error"
    quantile: float | None = None
    power: float | None = None
    max_rules: int = 20
    max_curves: int = 20
    max_terms: int | None = None
    locality: float | None = None
    fuzziness: float = 1.0
    regularization: float | None = None
    max_evaluations: int | None = None
    early_stopping: int = 3
    monotonic_constraints: Mapping[str, int] | None = None
    interaction_constraints: Sequence[Sequence[str]] | None = None
