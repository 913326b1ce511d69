"""Held-out rows, and the error on them compared with simpler models."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.metrics import root_mean_squared_error

from fruler._arrays import Floats
from fruler._wording import counted
from fruler.estimators.base import BaseRuleRegressor

# The indices of the training rows and of the held-out rows.
Split: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
# Inputs and target.
Rows: TypeAlias = tuple[pd.DataFrame, pd.Series]
# Numbers with more decimals, or more digits before them, are written with an exponent.
_MAX_DECIMALS, _MAX_DIGITS = 7, 9

# With fewer rows, a test on a fifth of them is meaningless.
MIN_ROWS_FOR_TEST = 10
_SHARE_HELD_OUT = 5
_MIN_ROWS_LEARNED = 2


def random_rows(n_rows: int, seed: int) -> Split:
    """Hold out a fifth of the rows at random; return the indices of the training rows and of the held-out rows."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return order[n_rows // _SHARE_HELD_OUT :], order[: n_rows // _SHARE_HELD_OUT]


def n_last_rows(asked: str, n_rows: int) -> int:
    """Return the number of last rows to hold out, given as a share (at least one row) or as a number.

    Examples
    --------
    >>> n_last_rows("20%", 99), n_last_rows("12", 99)
    (19, 12)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*%\s*|\s*([0-9]{1,15})\s*", asked)
    if match is not None and match[1] is not None and 0.0 < float(match[1]) < 100.0:
        return max(1, int(float(match[1]) / 100.0 * n_rows + 1e-9))
    if match is not None and match[2] is not None and int(match[2]) > 0:
        return int(match[2])
    raise ValueError(f"--test-last must be a share such as 20%, or a number of rows above 0; got {asked!r}")


def last_rows(n_rows: int, asked: str) -> Split:
    """Hold out the last rows of the table; return the indices of the training rows and of the held-out rows.

    Raises
    ------
    ValueError
        If too few rows are left to learn from.
    """
    n_test = n_last_rows(asked, n_rows)
    if n_rows - n_test < _MIN_ROWS_LEARNED:
        raise ValueError(
            f"--test-last {asked.strip()} holds out {n_test} of {counted(n_rows, 'row')}, and rules need at least "
            f"{_MIN_ROWS_LEARNED} to learn from; hold out fewer"
        )
    rows = np.arange(n_rows, dtype=np.int64)
    return rows[:-n_test], rows[-n_test:]


@dataclass(frozen=True)
class HeldOut:
    """Errors on held-out rows: root mean squared ones, or those of another loss.

    Attributes
    ----------
    n_learned, n_tested : int
        The numbers of training rows and of held-out rows.
    n_rules : int
        The number of rules of the model.
    rules, mean : float
        The errors of the rules, and of always predicting the mean, or the value that is best for another loss.
    linear : float or None
        The error of linear regression, which has no other loss.
    measure : str
        What the errors are.
    has_unit : bool
        Whether they have the unit of the target.
    """

    n_learned: int
    n_tested: int
    n_rules: int
    rules: float
    linear: float | None
    mean: float
    measure: str = "root mean squared error"
    has_unit: bool = True

    def title(self, *, in_order: bool) -> str:
        """Return the title of the errors; `in_order` is whether the last rows were held out, not random ones."""
        if in_order:
            rows = "row" if self.n_tested == 1 else f"{self.n_tested:,} rows"
            tested, others = f"the last {rows}", f"{self.n_learned:,} before"
        else:
            tested, others = f"{counted(self.n_tested, 'held-out row')}", f"other {self.n_learned:,}"
        return f"Test on {tested}: {self.measure} of models learned from the {others}"

    def by_name(self) -> dict[str, float]:
        """Return the errors by the names shown to the user."""
        rules = counted(self.n_rules, "rule")
        if self.linear is None:
            return {rules: self.rules, "always the same": self.mean}
        return {rules: self.rules, "linear regression": self.linear, "always the mean": self.mean}

    @property
    def key(self) -> str:
        """The name of the errors in a JSON document."""
        return "loss" if self.linear is None else "rmse"

    def for_json(self) -> dict[str, float]:
        """Return the errors for a JSON document."""
        linear = {} if self.linear is None else {"linear_regression": self.linear}
        return {"rules": self.rules, **linear, "mean": self.mean}


def held_out_errors(model: BaseRuleRegressor, learned: Rows, held_out: Rows) -> HeldOut:
    """Measure the error of a fitted model on held-out rows, and that of simpler models fitted to the same rows."""
    X, y = learned
    new_rows, answers = held_out
    rules = model.rule_base_

    def error(predictions: Floats) -> float:
        return float(root_mean_squared_error(answers, predictions))

    sizes = len(X), len(new_rows), model.n_rules_
    output, loss = rules.output, rules.output.loss
    if loss.reweighted:
        # In the same order as predictions: the mean loss of the rules, and of the constant that is best for it.
        seen, wanted = (output.learned(np.asarray(one, dtype=np.float64)) for one in (y, answers))
        constant = np.full(len(wanted), loss.constant(seen, np.ones(len(seen))))
        said = (rules.inference.raw_predictions(rules.inputs_of(new_rows)), constant)
        own, mean = (float(loss.told(loss.typical(loss.value(wanted, raw).mean()))) for raw in said)
        return HeldOut(*sizes, own, None, mean, loss.title, output.transform.keeps_units)
    return HeldOut(
        *sizes,
        rules=error(rules.predict(new_rows)),
        linear=error(LinearRegression().fit(rules.inputs_of(X), y).predict(rules.inputs_of(new_rows))),
        mean=error(np.full(len(new_rows), y.mean())),
    )


def error_table(errors: dict[str, float], unit: str) -> list[str]:
    r"""Write errors as a table, one line per error, with enough decimals for the smallest.

    Examples
    --------
    >>> print("\n".join(error_table({"4 rules": 0.9808, "always the mean": 10.0816}, "°C")))
      4 rules           0.981 °C
      always the mean  10.082 °C
    >>> print("\n".join(error_table({"5 rules": 8997.0, "always the mean": 37257.0}, "€")))
      5 rules           8,997 €
      always the mean  37,257 €
    """
    positive = [error for error in errors.values() if error > 0.0]
    exponent = math.floor(math.log10(min(positive))) if positive else 0
    if 2 - exponent <= _MAX_DECIMALS and exponent < _MAX_DIGITS:
        numbers = [f"{error:,.{max(0, 2 - exponent)}f}" for error in errors.values()]
    else:
        numbers = [f"{error:.3g}" for error in errors.values()]
    width, digits = max(map(len, errors)), max(map(len, numbers))
    return [
        f"  {name:<{width}}  {number:>{digits}} {unit}".rstrip() for name, number in zip(errors, numbers, strict=True)
    ]
