"""How good a model is on given rows, beside what anyone could do without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.measurement import measure_truth
from fruler.rules.rule_base import RuleBase
from fruler.rules.truth import Truth

_MAX_DOTS = 500
_N_FOLDS = 5
# A line through fewer rows than this for each input says nothing about rows that were left out.
_MIN_ROWS_AN_INPUT = 2


@dataclass(frozen=True)
class Errors:
    """Root mean squared errors of one way to predict; None where it is not known."""

    name: str
    training: float | None = None
    left_out: float | None = None
    given: float | None = None


@dataclass(frozen=True)
class Example:
    """A row to try, and what was observed of it."""

    name: str
    row: list[float]
    observed: float


@dataclass(frozen=True, eq=False)
class Measured:
    """What a report says of given rows.

    Attributes
    ----------
    observed, predicted : ndarray of shape (n_rows,)
        Of all rows.
    shown : ndarray of int
        The rows of which dots are drawn, 500 at most.
    linear, linear_left_out : float
        The root mean squared error of a line through these rows: on themselves, and on each fifth of them when it is
        left out (NaN with too few rows).
    are_training : bool
        Whether these are the rows that the model was learned from.
    truth : Truth
        How true the rules are one by one on these rows.
    examples : list of Example
        Rows to try.
    """

    observed: Floats
    predicted: Floats
    shown: npt.NDArray[np.intp]
    linear: float
    linear_left_out: float
    are_training: bool
    truth: Truth
    examples: list[Example]

    @property
    def residuals(self) -> Floats:
        """By how much the observed values lie above the predicted ones."""
        return self.observed - self.predicted

    @property
    def rmse(self) -> float:
        """The root mean squared error."""
        return root_mean_square(self.residuals)

    @property
    def explained(self) -> float | None:
        """The share of the target's variance that is explained (R²); None where it does not vary."""
        spread = root_mean_square(self.observed - self.observed.mean())
        return 1.0 - (self.rmse / spread) ** 2 if spread > 0.0 else None


def checked_rows(rule_base: RuleBase, X: Any, y: Any) -> tuple[Floats, Floats] | None:
    """Return the rows that a report is of, or None where none are given.

    Raises
    ------
    ValueError
        If they are not rows of the rule base's inputs with a number of the target each.
    """
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError(
            f"{'y' if y is None else 'X'} is missing: a report on data needs the inputs X and the target y, "
            "and one without data neither."
        )
    values = rule_base.inputs_of(X)
    if not len(values):
        raise ValueError("X has no rows; give some, or leave X and y out.")
    try:
        target = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numbers, one for each of the {len(values)} rows of X: {error}.") from None
    if target.shape not in ((len(values),), (len(values), 1)) or not np.isfinite(target).all():
        raise ValueError(
            f"y must have one finite number for each of the {len(values)} rows of X; it has shape {target.shape}"
            f"{'' if np.isfinite(target).all() else ' and values that are not finite'}."
        )
    return values, target.reshape(-1)


def measure(rule_base: RuleBase, values: Floats, target: Floats) -> Measured:
    """Compare predictions with what was observed."""
    predicted = rule_base.predict(values)
    n = len(target)
    training = rule_base.training
    are_training = training is not None and (
        training.n_rows == n
        and np.array_equal(training.low, values.min(axis=0))
        and np.array_equal(training.high, values.max(axis=0))
        and training.target_low == target.min()
        and training.target_high == target.max()
    )
    enough = n >= max(_N_FOLDS, _MIN_ROWS_AN_INPUT * (values.shape[1] + 1))
    return Measured(
        observed=target,
        predicted=predicted,
        shown=np.random.default_rng(0).permutation(n)[:_MAX_DOTS],
        linear=root_mean_square(target - _line(values, target, values)),
        linear_left_out=_left_out_error(values, target) if enough else float("nan"),
        are_training=are_training,
        truth=measure_truth(rule_base, values, target, held_out=not are_training),
        examples=_examples(values, target, predicted),
    )


def error_table(rule_base: RuleBase, measured: Measured | None) -> list[Errors]:
    """Return the errors of the model, of a line where rows are given, and of the mean."""
    training = rule_base.training
    own = Errors("This model")
    mean = Errors("Always the mean")
    if training is not None:
        cv_rmse = training.cv_rmse if np.isfinite(training.cv_rmse) else None
        own = Errors(own.name, training.rmse, cv_rmse)
        mean = Errors(mean.name, training.target_spread)
    if measured is None:
        return [own, mean] if training is not None else []
    left_out = measured.linear_left_out if np.isfinite(measured.linear_left_out) else None
    if measured.are_training:
        return [own, Errors("Linear regression", measured.linear, left_out), mean]
    # A line that was fitted to these very rows would be given what the model was not.
    line = Errors("Linear regression, learned on other parts of these rows", given=left_out)
    centre = measured.observed.mean() if training is None else training.target_mean
    return [
        Errors(own.name, own.training, own.left_out, measured.rmse),
        *([line] if left_out is not None else []),
        Errors(mean.name, mean.training, None, root_mean_square(measured.observed - centre)),
    ]


def root_mean_square(values: Floats) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def _line(values: Floats, target: Floats, wanted: Floats) -> Floats:
    """Return what the least squares line through rows says of other rows."""
    centre, size = values.mean(axis=0), values.std(axis=0)
    size = np.where(size > 0.0, size, 1.0)
    design = (values - centre) / size
    slopes = np.linalg.lstsq(design, target - target.mean(), rcond=None)[0]
    return np.asarray(((wanted - centre) / size) @ slopes + target.mean())


def _left_out_error(values: Floats, target: Floats) -> float:
    fold = np.random.default_rng(0).permutation(len(target)) % _N_FOLDS
    residuals = np.empty(len(target))
    for k in range(_N_FOLDS):
        rest, part = fold != k, fold == k
        residuals[part] = target[part] - _line(values[rest], target[rest], values[part])
    return root_mean_square(residuals)


def _examples(values: Floats, target: Floats, predicted: Floats) -> list[Example]:
    order = np.argsort(target, kind="stable")
    chosen = [
        ("Lowest observed", order[0]),
        ("Middle observed", order[(len(order) - 1) // 2]),
        ("Highest observed", order[-1]),
        ("Largest miss", np.argmax(np.abs(target - predicted))),
    ]
    return [Example(name, values[row].tolist(), float(target[row])) for name, row in chosen]
