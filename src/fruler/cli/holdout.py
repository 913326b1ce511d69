"""The error on rows that took no part in the learning, with that of simpler methods beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from fruler._typing import Floats
from fruler._wording import counted
from fruler.estimators.base import BaseRuleRegressor

# Numbers that would have more decimals, or more digits before them, are written with an exponent.
_MAX_DECIMALS, _MAX_DIGITS = 7, 9


@dataclass(frozen=True)
class HeldOut:
    """Root mean squared errors on rows that were held out.

    Attributes
    ----------
    n_learned, n_tested : int
        How many rows were learned from, and how many were held out.
    n_rules : int
        The size of the model.
    rules, linear, mean : float
        The errors of the rules, of linear regression, and of always answering the mean.
    """

    n_learned: int
    n_tested: int
    n_rules: int
    rules: float
    linear: float
    mean: float

    def by_name(self) -> dict[str, float]:
        """Return the errors with the names that the user reads."""
        rules = counted(self.n_rules, "rule")
        return {rules: self.rules, "linear regression": self.linear, "always the mean": self.mean}


def held_out_errors(
    model: BaseRuleRegressor, learned: tuple[pd.DataFrame, pd.Series], held_out: tuple[pd.DataFrame, pd.Series]
) -> HeldOut:
    """Measure a model that was fitted on some rows on others, and fit the simpler methods on the same rows."""
    X, y = learned
    rules = model.rule_base_
    new_rows, answers = held_out[0], held_out[1].to_numpy()

    def error(predictions: Floats) -> float:
        return float(np.sqrt(np.square(predictions - answers).mean()))

    return HeldOut(
        n_learned=len(X),
        n_tested=len(new_rows),
        n_rules=model.n_rules_,
        rules=error(model.predict(new_rows)),
        linear=error(LinearRegression().fit(rules.inputs_of(X), y).predict(rules.inputs_of(new_rows))),
        mean=error(np.full(len(new_rows), y.mean())),
    )


def error_table(errors: dict[str, float], unit: str) -> list[str]:
    r"""Write errors below each other, in a line each, with enough decimals for the smallest.

    Examples
    --------
    >>> print("\n".join(error_table({"4 rules": 0.9808, "always the mean": 10.0816}, "°C")))
      4 rules           0.981 °C
      always the mean  10.082 °C
    """
    positive = [error for error in errors.values() if error > 0.0]
    exponent = math.floor(math.log10(min(positive))) if positive else 0
    if 2 - exponent <= _MAX_DECIMALS and exponent < _MAX_DIGITS:
        numbers = [f"{error:.{max(0, 2 - exponent)}f}" for error in errors.values()]
    else:
        numbers = [f"{error:.3g}" for error in errors.values()]
    width, digits = max(map(len, errors)), max(map(len, numbers))
    return [
        f"  {name:<{width}}  {number:>{digits}} {unit}".rstrip() for name, number in zip(errors, numbers, strict=True)
    ]
