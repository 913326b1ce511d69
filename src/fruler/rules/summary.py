"""What a rule base remembers of the rows that it was learned from; not one of these rows is in it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.rules.truth import Truth
from fruler.table.validation import LARGEST_VALUE

N_BINS = 24


@dataclass(frozen=True, eq=False)
class TrainingSummary:
    """A few figures of the training data, enough to explain a prediction and to draw the inputs.

    Parameters
    ----------
    n_rows : int
        How many rows there were.
    low, high, typical : array-like of shape (n_inputs,)
        The least, the greatest and the median value of each input.
    histograms : array-like of shape (n_inputs, 24)
        How many rows lie in each of 24 equal parts of the range from low to high; weights, where rows had them.
    target_low, target_high, target_mean, target_spread : float
        The same of the target; the spread is its standard deviation.
    base : float
        The mean prediction; with a link or bounds, the mean of what the rules say.
    offsets : array-like of shape (n_inputs,)
        What each input adds on average to the prediction of the row of all typical values.
    input_importance : array-like of shape (n_inputs,)
        How much each input moves a prediction away from the base, on average and in the target's unit. With a link
        this, the offsets and the next are of what the rules say, such as the logarithm of the target.
    rule_importance : array-like of shape (n_rules,)
        The same of each rule, by its weight.
    rmse, cv_rmse : float
        The root mean squared error on these rows; and on held-out rows, NaN where that is not known.
    truth : Truth, optional
        How true the rules are one by one.
    centres, spreads : array-like of shape (n_rules, n_inputs), optional
        Mean and standard deviation of each input over the rows where each rule applies: every row counts by the rule's
        weight in its prediction. Both or none.
    curve_means : array-like of shape (n_curves, n_rules), optional
        What each curve adds on average over the same rows.
    raw_spread : float, optional
        With a link, the standard deviation of what stands for the target, such as its logarithm.
    """

    n_rows: int
    low: Floats
    high: Floats
    typical: Floats
    histograms: Floats
    target_low: float
    target_high: float
    target_mean: float
    target_spread: float
    base: float
    offsets: Floats
    input_importance: Floats
    rule_importance: Floats
    rmse: float
    cv_rmse: float = float("nan")
    truth: Truth | None = None
    centres: Floats | None = None
    spreads: Floats | None = None
    curve_means: Floats | None = None
    raw_spread: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or field.name == "truth":
                continue
            if "Floats" in str(field.type):
                array = np.array(value, dtype=np.float64, order="C")
                array.flags.writeable = False
                object.__setattr__(self, field.name, array)
            else:
                object.__setattr__(self, field.name, int(value) if field.name == "n_rows" else float(value))
        self._check()

    @property
    def spread(self) -> float:
        """The standard deviation of what the rules should say: of the target, or of what stands for it."""
        return self.target_spread if self.raw_spread is None else self.raw_spread

    def _check(self) -> None:
        p = len(self.low) if self.low.ndim == 1 else -1
        shapes: dict[str, tuple[int, ...]] = {
            "low": (p,),
            "high": (p,),
            "typical": (p,),
            "offsets": (p,),
            "input_importance": (p,),
        }
        shapes |= {"histograms": (p, N_BINS), "rule_importance": (self.rule_importance.size,)}
        for name, shape in shapes.items():
            values = getattr(self, name)
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError(f"{name} of a training summary must be finite numbers of shape {shape}.")
        plain = [self.target_low, self.target_high, self.target_mean, self.target_spread, self.base, self.rmse]
        plain += [0.0 if self.raw_spread is None else self.raw_spread]
        if not np.isfinite(plain).all() or np.isinf(self.cv_rmse):
            raise ValueError("The figures of a training summary must be finite.")
        if (np.abs([self.low, self.high]) > LARGEST_VALUE).any():
            raise ValueError(f"low and high of a training summary must not be beyond {LARGEST_VALUE:g}.")
        sizes = [self.histograms, self.input_importance, self.rule_importance]
        if (
            any((size < 0.0).any() for size in sizes)
            or min(self.target_spread, self.rmse, plain[-1]) < 0.0
            or self.cv_rmse < 0.0
        ):
            raise ValueError("Histograms, importances, the spread and errors of a training summary can't be negative.")
        if ((self.typical < self.low) | (self.typical > self.high)).any():
            raise ValueError("What is typical in a training summary must lie between low and high.")
        if self.n_rows < 1 or (self.low > self.high).any() or self.target_low > self.target_high:
            raise ValueError("A training summary needs rows, and a low that is not above the high.")

        n_rules = self.rule_importance.size
        if self.truth is not None and len(self.truth.rule_alone) != n_rules:
            raise ValueError(f"The truth of a training summary must be of {n_rules} rules.")
        self._check_places((n_rules, p))
        means = self.curve_means
        if means is not None and (means.ndim != 2 or means.shape[1] != n_rules or not np.isfinite(means).all()):
            raise ValueError(f"curve_means of a training summary must be {n_rules} finite numbers for each curve.")

    def _check_places(self, shape: tuple[int, int]) -> None:
        """Check where the rows of the rules lie."""
        if (self.centres is None) != (self.spreads is None):
            raise ValueError("A training summary has both centres and spreads, or none.")
        if self.centres is None or self.spreads is None:
            return
        for name, values in (("centres", self.centres), ("spreads", self.spreads)):
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError(f"{name} of a training summary must be finite numbers of shape {shape}.")
        if ((self.centres < self.low) | (self.centres > self.high)).any() or (self.spreads < 0.0).any():
            raise ValueError(
                "The centres of a training summary must lie between low and high, and its spreads can't be negative."
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TrainingSummary):
            return NotImplemented
        pairs = [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.name != "truth"]
        return self.truth == other.truth and all(
            mine is yours if mine is None or yours is None else np.array_equal(mine, yours, equal_nan=True)
            for mine, yours in pairs
        )

    def __hash__(self) -> int:
        return hash((self.n_rows, self.base, self.low.tobytes(), self.high.tobytes(), self.truth))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return TrainingSummary, tuple(getattr(self, field.name) for field in fields(self))
