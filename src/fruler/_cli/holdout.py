"""Held-out rows, and the error on them compared with simpler models."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.metrics import root_mean_squared_error

from fruler._arrays import Floats
from fruler._cli.options import FitOptions
from fruler._cli.preparation import PreparedTable, bounded_numbers
from fruler._table.columns import UnusableColumn, column_kind
from fruler._table.dates import DateFormat
from fruler._table.texts import column_texts
from fruler._wording import counted, quoted, suggest
from fruler.estimators.base import BaseRuleRegressor
from fruler.learning._folds import group_numbers

# The indices of the training rows and of the held-out rows.
Split: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
# The number of each row's group; None: every row is one.
Groups: TypeAlias = npt.NDArray[np.intp] | None
# Inputs and target.
Rows: TypeAlias = tuple[pd.DataFrame, pd.Series]
# Numbers with more decimals, or more digits before them, are written with an exponent.
_MAX_DECIMALS, _MAX_DIGITS = 7, 9

# With fewer rows, a test on a fifth of them is meaningless.
MIN_ROWS_FOR_TEST = 10
# Rules are hardly better than the mean above this share of its error, and clearly worse than linear regression above
# this one: smaller differences are chance.
_HARDLY, _CLEARLY = 0.98, 1.02
_SHARE_HELD_OUT = 5
_MIN_ROWS_LEARNED = 2


@dataclass(frozen=True, eq=False)
class Folding:
    """How rows belong together; neither: each stands for itself.

    Attributes
    ----------
    groups : Series or None
        The group of each row.
    times : ndarray or None
        The time of each row; the rows are in order.
    """

    groups: pd.Series | None = None
    times: Floats | None = None

    @property
    def numbers(self) -> Groups:
        """The number of each row's group, or of its time."""
        given = self.times if self.groups is None else self.groups
        return None if given is None else group_numbers(given, len(given))

    def take(self, rows: npt.NDArray[np.int64]) -> Folding:
        """Return the same for some of the rows."""
        groups = None if self.groups is None else self.groups.iloc[rows]
        return Folding(groups, None if self.times is None else self.times[rows])


def folded(table: pd.DataFrame, prepared: PreparedTable, options: FitOptions) -> tuple[PreparedTable, Folding]:
    """Return how the rows of a table belong together, and the prepared table, in order of time if there is one.

    Raises
    ------
    ValueError
        If a row has no group or time, or they are all the same.
    """
    name = options.group if options.time is None else options.time
    if name is None:
        return prepared, Folding()
    if name not in table.columns:
        raise ValueError(f"there is no column {quoted(name)}; {suggest(name, table.columns)}")
    values = table[name].iloc[prepared.kept]
    groups = column_texts(values).reset_index(drop=True).rename(name)
    times = None if options.time is None else _times(values, name)
    option, empty = ("--group", groups.isna()) if times is None else ("--time", np.isnan(times))
    if empty.any():
        row = prepared.kept[int(np.argmax(empty))] + 1
        raise ValueError(f"{option}: {quoted(name)} has no value in row {row}; fill it in, or remove the row")
    if len(pd.unique(groups)) < 2:
        raise ValueError(f"{option}: {quoted(name)} is the same in every row, and folds need at least two values")
    if times is None:
        return prepared, Folding(groups)
    order = np.argsort(times, kind="stable")
    inputs, target, kept = (
        prepared.inputs.iloc[order].reset_index(drop=True),
        prepared.target.iloc[order].reset_index(drop=True),
        prepared.kept[order],
    )
    return replace(prepared, inputs=inputs, target=target, kept=kept), Folding(times=times[order])


def _times(values: pd.Series, name: str) -> Floats:
    """Return a column of numbers or dates as numbers."""
    try:
        kind = column_kind(values)
        if kind == "number":
            return bounded_numbers(values)
        if kind == "date":
            return DateFormat.of(values).seconds(values)
    except UnusableColumn:
        pass
    raise ValueError(f"--time: {quoted(name)} has neither numbers nor dates; choose another column")


def random_rows(n_rows: int, seed: int, groups: Groups = None) -> Split:
    """Hold out about a fifth of the rows at random, whole groups if there are any.

    Returns the indices of the training rows and of the held-out rows.
    """
    if groups is None:
        order = np.random.default_rng(seed).permutation(n_rows)
        return order[n_rows // _SHARE_HELD_OUT :], order[: n_rows // _SHARE_HELD_OUT]
    sizes = np.bincount(groups)
    order = np.random.default_rng(seed).permutation(len(sizes))
    n_groups = max(1, int(np.searchsorted(np.cumsum(sizes[order]), n_rows // _SHARE_HELD_OUT, side="right")))
    return _apart(np.isin(groups, order[:n_groups]))


def _apart(held_out: npt.NDArray[np.bool_]) -> Split:
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


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


def last_rows(n_rows: int, asked: str, groups: Groups = None) -> Split:
    """Hold out the last rows of the table, and all rows of their groups if there are any.

    Returns the indices of the training rows and of the held-out rows.

    Raises
    ------
    ValueError
        If too few rows are left to learn from.
    """
    n_test = n_last_rows(asked, n_rows)
    rows = np.arange(n_rows, dtype=np.int64)
    last = rows >= n_rows - n_test if groups is None else np.isin(groups, groups[-n_test:])
    n_test = max(n_test, int(last.sum()))
    if n_rows - n_test < _MIN_ROWS_LEARNED:
        raise ValueError(
            f"--test-last {asked.strip()} holds out {n_test} of {counted(n_rows, 'row')}, and rules need at least "
            f"{_MIN_ROWS_LEARNED} to learn from; hold out fewer"
        )
    return _apart(last)


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
        return f"Test on {tested}: {self.measure} of models learned from the {others}, which are not kept"

    def by_name(self) -> dict[str, float]:
        """Return the errors by the names shown to the user."""
        rules = f"{self.n_rules} other rule{'s' * (self.n_rules != 1)}"
        return by_name(rules, self.rules, self.linear, self.mean)

    @property
    def key(self) -> str:
        """The name of the errors in a JSON document."""
        return "loss" if self.linear is None else "rmse"

    def for_json(self) -> dict[str, float]:
        """Return the errors for a JSON document."""
        linear = {} if self.linear is None else {"linear_regression": self.linear}
        return {"rules": self.rules, **linear, "mean": self.mean}


def by_name(rules: str, error: float, linear: float | None, mean: float) -> dict[str, float]:
    """Return the errors of rules and of simpler models by the names shown to the user."""
    simpler = {"always the same": mean} if linear is None else {"linear regression": linear, "always the mean": mean}
    return {rules: error, **simpler}


def verdict(error: float, linear: float | None, mean: float) -> str:
    """Return whether the rules are clearly worse than a simpler model, as a part of a sentence; empty if not.

    Examples
    --------
    >>> verdict(1.0, 2.0, 3.0), verdict(2.0, 1.0, 3.0), verdict(2.995, 2.0, 3.0)
    ('', 'worse than linear regression', 'hardly better than always predicting the mean')
    """
    same = "the same" if linear is None else "the mean"
    if error > mean:
        return f"worse than always predicting {same}"
    if error > _HARDLY * mean:
        return f"hardly better than always predicting {same}"
    return "worse than linear regression" if linear is not None and error > _CLEARLY * linear else ""


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
