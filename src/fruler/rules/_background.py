"""The data behind a rule base: the summary of its training data, and estimates where there is no summary."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fruler._arrays import LARGEST_VALUE, Floats, FrozenValue, frozen
from fruler._wording import counted, readable_number
from fruler.rules._features import Feature, category_features
from fruler.rules.truth import Truth

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase

N_BINS = 24
# An input with at most this many values has few: they are named one by one.
MAX_VALUES = 12
# Whole numbers over a longer range are taken for measurements.
_MAX_COUNT = 60
# The maximum number of inputs named in a message about values outside the training data.
_INPUTS_SHOWN = 5
_ROWS_IN_BLOCK = 64
# One standard deviation to either side of the centre. Unlike a distance of quantiles, it is not zero for an input that
# is rarely different, it is about 1 for an input that is 0 as often as 1, and it does not jump from row to row with the
# last bit of a rule's weight.
_SPREADS = 2.0


@dataclass(frozen=True, eq=False)
class TrainingSummary(FrozenValue):
    """A short summary of the training data, enough to explain a prediction and to draw the inputs.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    low, high, typical : array-like of shape (n_inputs,)
        The smallest, the largest and the median value of each input.
    histograms : array-like of shape (n_inputs, 24)
        The number of rows in each of 24 equal bins from low to high; the sum of their weights, if rows had weights.
    target_low, target_high, target_mean, target_spread : float
        The smallest and the largest value of the target, its mean and its standard deviation.
    base : float
        The mean prediction before link and bounds.
    offsets : array-like of shape (n_inputs,)
        The mean change that each input adds to the prediction for the row of typical values.
    input_importance : array-like of shape (n_inputs,)
        How much each input moves a prediction away from the base, on average and in the target's unit. With a link,
        the offsets and both importances are on the scale before the link, such as the logarithm of the target.
    rule_importance : array-like of shape (n_rules,)
        The same for each rule, weighted by its weight in the row.
    rmse, cv_rmse : float
        The root mean squared error on these rows and on held-out rows; NaN if it is not known.
    truth : Truth, optional
        How true the rules are one by one.
    centres, spreads : array-like of shape (n_rules, n_inputs), optional
        Mean and standard deviation of each input over the rows where each rule applies: every row counts by the rule's
        weight in its prediction. Both or neither.
    curve_means : array-like of shape (n_curves, n_rules), optional
        The mean of each curve over the same rows.
    seen : array-like of shape (n_rules, n_inputs), optional
        Which of the 24 bins of an input each rule has seen, as a number whose bit b stands for bin b: those with a row
        in which the rule has at least a tenth of the weight, and for inputs other than categories those between them.
    raw_spread : float, optional
        With a link, the standard deviation of the transformed target, such as its logarithm.
    held_out : str, optional
        How sentences name the rows of `cv_rmse`, if they were not drawn at random: "later rows" or "held-out groups".
    marks : array-like, optional
        Marks of some training rows, by which they are recognised.
    level_rows : tuple of array-like of shape (n_rules, n_levels), optional
        For each feature with categories, the number of rows of each category where each rule applies: every row counts
        by the rule's weight in its prediction.
    misses : (float, float), optional
        Half of the predictions on these rows miss the target by at most the first number, and nine of ten by at most
        the second. With a link, they are errors of the transformed target.
    values : tuple of array-like, optional
        For each input its values, if there are at most 12; else an empty array.
    whole : array-like of shape (n_inputs,), optional
        1 for each input whose values are whole numbers, else 0.
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
    seen: Floats | None = None
    raw_spread: float | None = None
    held_out: str = ""
    marks: Floats | None = None
    level_rows: tuple[Floats, ...] | None = None
    misses: tuple[float, float] | None = None
    values: tuple[Floats, ...] | None = None
    whole: Floats | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or field.name in ("truth", "held_out"):
                continue
            if field.name == "misses":
                self._set(misses=(float(value[0]), float(value[1])))
            elif str(field.type).startswith("tuple"):
                self._set(**{field.name: tuple(frozen(part, np.float64) for part in value)})
            elif "Floats" in str(field.type):
                self._set(**{field.name: frozen(value, np.float64)})
            else:
                self._set(**{field.name: int(value) if field.name == "n_rows" else float(value)})
        self._check()

    @property
    def spread(self) -> float:
        """The standard deviation of the target before the link: the target itself, or its logarithm."""
        return self.target_spread if self.raw_spread is None else self.raw_spread

    def _check(self) -> None:
        p = len(self.low) if self.low.ndim == 1 else -1
        n_rules = self.rule_importance.size
        of_inputs = ("low", "high", "typical", "offsets", "input_importance")
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(of_inputs, (p,))
        shapes |= {"histograms": (p, N_BINS), "rule_importance": (n_rules,)}
        if (self.centres is None) != (self.spreads is None):
            raise ValueError("A training summary must have both centres and spreads, or neither.")
        if self.centres is not None:
            shapes |= {"centres": (n_rules, p), "spreads": (n_rules, p)}
        for name, shape in shapes.items():
            values = getattr(self, name)
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError(f"{name} of a training summary must be finite numbers of shape {shape}.")
        plain = [self.target_low, self.target_high, self.target_mean, self.target_spread, self.base]
        plain += [0.0 if self.raw_spread is None else self.raw_spread]
        if not np.isfinite(plain).all() or np.isinf([self.rmse, self.cv_rmse]).any():
            raise ValueError("The numbers of a training summary must be finite.")
        if (np.abs([self.low, self.high]) > LARGEST_VALUE).any():
            raise ValueError(f"low and high of a training summary must not exceed {LARGEST_VALUE:g} in size.")
        sizes = [self.histograms, self.input_importance, self.rule_importance]
        if (
            any((size < 0.0).any() for size in sizes)
            or min(self.target_spread, plain[-1]) < 0.0
            or (np.array([self.rmse, self.cv_rmse]) < 0.0).any()
        ):
            raise ValueError("Histograms, importances, the spread and errors of a training summary can't be negative.")
        if ((self.typical < self.low) | (self.typical > self.high)).any():
            raise ValueError("typical of a training summary must lie between low and high.")
        if self.n_rows < 1 or (self.low > self.high).any() or self.target_low > self.target_high:
            raise ValueError("A training summary needs at least one row, and low must not be above high.")
        if self.truth is not None and len(self.truth.rule_alone) != n_rules:
            raise ValueError(f"The truth of a training summary must have {n_rules} rules.")
        outside = self.centres is not None and ((self.centres < self.low) | (self.centres > self.high)).any()
        if outside or (self.spreads is not None and (self.spreads < 0.0).any()):
            raise ValueError(
                "The centres of a training summary must lie between low and high, and its spreads can't be negative."
            )
        self._check_details(p, n_rules)
        means = self.curve_means
        if means is not None and (means.ndim != 2 or means.shape[1] != n_rules or not np.isfinite(means).all()):
            raise ValueError(f"curve_means of a training summary must be {n_rules} finite numbers for each curve.")

    def _check_details(self, p: int, n_rules: int) -> None:
        """Refuse optional parts of a wrong shape."""
        if self.seen is not None and (self.seen.shape != (n_rules, p) or not _are_bins(self.seen)):
            raise ValueError(
                f"seen of a training summary must be whole numbers below 2**{N_BINS} for rules and inputs."
            )
        sums = self.level_rows or ()
        if any(
            rows.ndim != 2 or len(rows) != n_rules or not (np.isfinite(rows) & (rows >= 0.0)).all() for rows in sums
        ):
            raise ValueError("level_rows of a training summary must be non-negative numbers, one list for each rule.")
        if self.misses is not None and not (0.0 <= self.misses[0] <= self.misses[1] < np.inf):
            raise ValueError("misses of a training summary must be two non-negative numbers that increase.")
        if self.whole is not None and self.whole.shape != (p,):
            raise ValueError(f"whole of a training summary must have {p} numbers.")
        lists = self.values
        if lists is not None and (len(lists) != p or any(one.ndim != 1 or not np.isfinite(one).all() for one in lists)):
            raise ValueError(f"values of a training summary must be {p} lists of finite numbers.")


@dataclass(frozen=True, eq=False)
class Background:
    """Properties of the data behind a rule base, with or without a training summary.

    Without a summary they are estimated from the rules: the range of an input is the range of its partition, its
    typical value lies in the middle, and errors are NaN. `known` is True if there is a summary.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 10.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[1.0], [2.0], [6.0]], [3.0, 5.0, 13.0])
    >>> [(one.background.known, one.background.typical.tolist(), one.background.base) for one in (rules, trained)]
    [(False, [5.0], 11.0), (True, [2.0], 7.0)]
    """

    rule_base: RuleBase

    @property
    def summary(self) -> TrainingSummary | None:
        """The training summary, if there is one."""
        return self.rule_base.training

    @property
    def known(self) -> bool:
        """Whether the rule base has a training summary."""
        return self.summary is not None

    def required(self, purpose: str = "") -> TrainingSummary:
        """Return the training summary.

        Parameters
        ----------
        purpose : str, optional
            The purpose, for the message, such as "to compare a row with".

        Raises
        ------
        ValueError
            If there is no summary.
        """
        if self.summary is None:
            wanted = f" {purpose}" if purpose else ""
            raise ValueError(f"These rules have no training data{wanted}; add them with rule_base.with_training(X, y).")
        return self.summary

    @property
    def n_rows(self) -> int:
        """The number of training rows; 0 if it is not known."""
        return 0 if self.summary is None else self.summary.n_rows

    # The inputs

    @cached_property
    def ranges(self) -> Floats:
        """The range of each input, shape (n_inputs, 2): in the training data, or of its partition."""
        if self.summary is not None:
            return np.column_stack([self.summary.low, self.summary.high])
        return np.array([variable.partition.range for variable in self.rule_base.variables], dtype=np.float64)

    @cached_property
    def limits(self) -> Floats:
        """The values beyond which an input is outside the training data, shape (2, n_inputs).

        They are infinite if they are not known, and for cyclic inputs such as the day of the year and the hour.
        """
        limits = np.repeat([[-np.inf], [np.inf]], len(self.rule_base.variables), axis=1)
        if self.known:
            for j, (variable, (low, high)) in enumerate(zip(self.rule_base.variables, self.ranges, strict=True)):
                if not variable.source.goes_around(low, high):
                    limits[:, j] = low, high
        return frozen(limits, np.float64)

    @cached_property
    def typical(self) -> Floats:
        """A typical value of each input: its median, or the middle of its partition; for categories the lowest code."""
        if self.summary is not None:
            return self.summary.typical
        low, high = self.ranges.T
        ordered = [variable.partition.ordered for variable in self.rule_base.variables]
        return np.asarray(np.where(ordered, low / 2.0 + high / 2.0, low))

    @property
    def histograms(self) -> Floats | None:
        """The histogram of each input over its range, shape (n_inputs, 24), if it is known."""
        return None if self.summary is None else self.summary.histograms

    def histogram(self, feature: int) -> tuple[Floats, Floats] | None:
        """Return the edges of an input's histogram and the number of rows in each bin, if they are known."""
        if self.summary is None:
            return None
        low, high = self.ranges[feature].tolist()
        if low == high:
            low, high = low - 0.5, high + 0.5
        return np.linspace(low, high, N_BINS + 1), self.summary.histograms[feature]

    def is_binary(self, feature: int) -> bool:
        """Return whether an input was 0 or 1 in every training row, and had both values; False if this is not known."""
        if self.summary is None:
            return False
        between = self.summary.histograms[feature, 1:-1]
        return self.ranges[feature].tolist() == [0.0, 1.0] and not between.any()

    def values(self, feature: int) -> Floats:
        """Return the values of an input in the training data, if they are known and at most 12."""
        known = None if self.summary is None else self.summary.values
        return np.empty(0) if known is None else known[feature]

    def level_rows(self, feature: Feature) -> Floats | None:
        """Return the number of rows of each category in each rule, for a feature with categories, if it is known."""
        known = None if self.summary is None else self.summary.level_rows
        return None if known is None else known[category_features(self.rule_base.features).index(feature)]

    def counts(self, feature: int) -> bool:
        """Return whether an input counts something: whole numbers over a short range; False if this is not known."""
        if self.summary is None or self.summary.whole is None or not self.summary.whole[feature]:
            return False
        return float(np.ptp(self.ranges[feature])) <= min(_MAX_COUNT, self.summary.n_rows / 5.0)

    @property
    def input_importance(self) -> Floats:
        """How much each input moves a prediction on average, shape (n_inputs,); 0 if it is not known."""
        return np.zeros(len(self.rule_base.variables)) if self.summary is None else self.summary.input_importance

    # The output

    @cached_property
    def base(self) -> float:
        """The value that contributions start from: the mean prediction, or the prediction for the typical row.

        Both are before link and bounds.
        """
        if self.summary is not None:
            return self.summary.base
        return float(self.rule_base.inference.raw_predictions(self.typical[None])[0])

    @property
    def offsets(self) -> Floats:
        """The mean contribution of each input, relative to the typical row, shape (n_inputs,); 0 if it is not known."""
        return np.zeros(len(self.rule_base.variables)) if self.summary is None else self.summary.offsets

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the target before the link; estimated from the rules if it is not known."""
        if self.summary is not None and self.summary.spread > 0.0:
            return self.summary.spread
        rules = self.rule_base
        if rules.consequents.partition is not None:
            low, high = rules.consequents.partition.range
            return float(high - low) / 4.0
        low, high = self.ranges.T
        middle = rules.consequents.intercepts + rules.slopes @ (low / 2.0 + high / 2.0)
        reach = np.abs(rules.slopes) @ (high / 2.0 - low / 2.0)
        spans = [np.ptp(curve.outline(*self.ranges[curve.input].tolist())[1]) for curve in rules.curves]
        # A spread is about a quarter of a range.
        return float((middle + reach).max() - (middle - reach).min() + sum(spans)) / 4.0

    @cached_property
    def target_spread(self) -> float:
        """The standard deviation of the target; estimated from the rules if it is not known."""
        if self.summary is not None and self.summary.target_spread > 0.0:
            return self.summary.target_spread
        output = self.rule_base.output
        if output.transform.keeps_units:
            return self.spread
        middle = self.rule_base.inference.raw_predictions(self.ranges.mean(axis=1)[None])[0]
        return float(np.diff(output.of(middle + self.spread * np.array([-0.5, 0.5])))[0])

    @cached_property
    def target_mean(self) -> float:
        """The mean of the target; without training data the prediction for the typical row."""
        if self.summary is not None:
            return self.summary.target_mean
        return float(self.rule_base.output.of(np.array([self.base]))[0])

    @property
    def target_range(self) -> tuple[float, float] | None:
        """The smallest and the largest value of the target, if they are known."""
        return None if self.summary is None else (self.summary.target_low, self.summary.target_high)

    # Errors

    @property
    def rmse(self) -> float:
        """The root mean squared error on the training rows; NaN if it is not known."""
        return float("nan") if self.summary is None else self.summary.rmse

    @property
    def cv_rmse(self) -> float:
        """The root mean squared error on held-out rows; NaN if it is not known."""
        return float("nan") if self.summary is None else self.summary.cv_rmse

    @property
    def error(self) -> float:
        """The typical error of a prediction: on held-out rows, else on the training rows; NaN if neither is known."""
        return self.rmse if np.isnan(self.cv_rmse) else self.cv_rmse

    @property
    def held_out(self) -> str:
        """How sentences name held-out rows."""
        return (self.summary.held_out if self.summary else "") or "held-out rows"

    @property
    def misses(self) -> tuple[float, float] | None:
        """The errors that half of the predictions and nine of ten stay below, before the link, if they are known."""
        intervals = self.rule_base.intervals
        if intervals is not None and intervals.misses is not None:
            return intervals.misses
        return None if self.summary is None else self.summary.misses

    @property
    def truth(self) -> Truth | None:
        """How true the rules are one by one, if it is known."""
        return None if self.summary is None else self.summary.truth

    # The rules

    @cached_property
    def shares(self) -> Floats:
        """The share of each rule in the predictions, shape (n_rules,): all the same if it is not known."""
        support = self.rule_base.support
        if support is None or not support.sum() > 0.0:
            return np.full(self.rule_base.n_rules, 1.0 / self.rule_base.n_rules)
        return np.asarray(support / support.sum())

    @property
    def rule_importance(self) -> Floats:
        """How much each rule moves a prediction on average, shape (n_rules,); 0 if it is not known."""
        return np.zeros(self.rule_base.n_rules) if self.summary is None else self.summary.rule_importance

    @property
    def places(self) -> tuple[Floats, Floats] | None:
        """Mean and standard deviation of each input where each rule applies, each (n_rules, n_inputs), if known."""
        if self.summary is None or self.summary.centres is None or self.summary.spreads is None:
            return None
        return self.summary.centres, self.summary.spreads

    @cached_property
    def widths(self) -> Floats:
        """The width of each input's range where each rule applies, shape (n_rules, n_inputs).

        The width is two standard deviations, in which every training row counts by the rule's weight in its prediction;
        it is the whole range of the input if they are not known.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
        >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 1.0], [2.0, 1.0]])
        >>> trained = rules.with_training([[1.0], [3.0], [9.0]], [1.0, 3.0, 9.0])
        >>> rules.background.widths.tolist(), trained.background.widths.tolist()
        ([[10.0], [10.0]], [[2.0], [0.0]])
        """
        if self.places is not None:
            return _SPREADS * self.places[1]
        return np.tile(self.ranges[:, 1] - self.ranges[:, 0], (self.rule_base.n_rules, 1))

    @property
    def curve_means(self) -> Floats | None:
        """The mean of each curve over the rows of each rule, shape (n_curves, n_rules), if it is known."""
        return None if self.summary is None else self.summary.curve_means


def outside_training(rule_base: RuleBase, values: Floats) -> npt.NDArray[np.bool_]:
    """Return which values lie outside the range of the training data; none if the range is not known.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of rows; a missing value (NaN) does not lie outside.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> outside_training(trained, np.array([[1.0], [3.0], [np.nan]])).ravel().tolist()
    [True, False, False]
    """
    low, high = rule_base.background.limits
    return np.asarray((values < low) | (values > high))


def _are_bins(numbers: Floats) -> bool:
    return bool(((numbers >= 0.0) & (numbers < 2.0**N_BINS) & (np.floor(numbers) == numbers)).all())


def bins_of(values: Floats, low: Floats, high: Floats) -> npt.NDArray[np.int64]:
    """Return the bin of each value, of 24 equal bins from `low` to `high`; outside, the first or the last."""
    # Halves, since the difference of the ends may overflow.
    half = np.where(high > low, high / 2.0 - low / 2.0, 1.0)
    share = np.clip((values / 2.0 - low / 2.0) / half, 0.0, 1.0)
    return np.minimum((share * N_BINS).astype(np.int64), N_BINS - 1)


def unseen_by_rules(rule_base: RuleBase, values: Floats, activations: Floats) -> npt.NDArray[np.bool_]:
    """Return which values the rules that make most of a prediction have not seen; none if this is not known.

    A rule has not seen a number that is beyond the numbers of its own training rows, and not in the same bin (a
    twenty-fourth of the range of the input), or a category whose bin has none of its rows. Only rules whose output
    depends on the input count.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of rows, with gaps filled.
    activations : ndarray of shape (n_rows, n_rules)
        The weights of the rules in the rows.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0), 0.0)) for name in "xz")
    >>> rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0]])
    >>> trained = rules.with_training([[0.0, 0.0], [4.0, 3.0], [9.0, 9.0]], [0.0, 3.0, 11.0])
    >>> rows = np.array([[3.0, 2.0], [3.0, 8.0], [9.0, 2.0]])
    >>> unseen_by_rules(trained, rows, trained.activations(rows)[0]).tolist()
    [[False, False], [False, True], [False, True]]
    """
    summary = rule_base.training
    if summary is None or summary.seen is None:
        return np.zeros(values.shape, dtype=np.bool_)
    depends = rule_base.slopes != 0.0
    depends[:, [curve.input for curve in rule_base.curves]] = True
    bins, seen = bins_of(values, summary.low, summary.high), summary.seen.astype(np.int64)
    share = np.zeros(values.shape)
    # A rule without rows of its own has seen as much as all rules together.
    for k in np.flatnonzero(seen.any(axis=1)):
        share += activations[:, k, None] * (depends[k] & ((seen[k] >> bins) & 1 == 0))
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is not None:
            # What a gap is filled with is not a category.
            share[~np.isin(values[:, j], variable.levels.values), j] = 0.0
    return np.asarray(share > 0.5)


def said_of_unseen(rule_base: RuleBase, unseen: npt.NDArray[np.bool_]) -> str:
    """Return a sentence on the rows with values that their rules have not seen; empty if there are none."""
    rows = int(unseen.any(axis=1).sum())
    if not rows:
        return ""
    names = [repr(rule_base.names[j]) for j in np.argsort(-unseen.sum(axis=0), kind="stable") if unseen[:, j].any()]
    more = f" and {counted(len(names) - _INPUTS_SHOWN, 'more input')}" if len(names) > _INPUTS_SHOWN else ""
    verb = "has" if rows == 1 else "have"
    return (
        f"{rows:,} of {counted(len(unseen), 'row')} {verb} values that the rules for them have not seen: "
        f"{', '.join(names[:_INPUTS_SHOWN])}{more}"
    )


def beyond_training(rule_base: RuleBase, values: Floats) -> Floats:
    """Return the distance of rows from the training data: the sum over inputs that rules use, shape (n_rows,).

    An input counts by its distance from the range of the training data, as a share of that range. An input with a
    single value in the training data has no range and does not count.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> beyond_training(trained, np.array([[1.0], [3.0], [8.0]])).tolist()
    [0.5, 0.0, 2.0]
    """
    beyond = np.zeros(len(values))
    for j, (low, high) in training_ranges(rule_base).items():
        column = values[:, j]
        beyond += np.maximum(np.maximum(low - column, column - high), 0.0) / (high - low)
    return beyond


def training_ranges(rule_base: RuleBase) -> dict[int, tuple[float, float]]:
    """Return the smallest and the largest training value of each input that rules use, if the two differ.

    Categories have no range.
    """
    low, high = rule_base.background.limits
    ordered = np.array([variable.partition.ordered for variable in rule_base.variables])
    known = rule_base.uses & ordered & np.isfinite(low) & (low < high)
    return {int(j): (float(low[j]), float(high[j])) for j in np.flatnonzero(known)}


class OutsideTrainingWarning(UserWarning):
    """Some rows lie outside the training data, where the rules may not hold.

    See Also
    --------
    fruler.FuzzyRuleRegressor : `warn_outside=False` turns the warning off.

    Examples
    --------
    >>> import warnings
    >>> from fruler.rules import OutsideTrainingWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", OutsideTrainingWarning)
    """


def warn_of_outside(rule_base: RuleBase, values: Floats, stacklevel: int = 3) -> None:
    """Warn once about all rows that lie outside the training data, if there are any."""
    if _surely_inside(rule_base, values):
        return
    if said := said_of_outside(rule_base, values):
        outside = (outside_training(rule_base, values) & rule_base.uses).any(axis=0)
        clipped = np.isfinite(rule_base.inputs.clips[0, outside]).all()
        what = "Their values are clipped" if clipped else "The rules are extrapolated there"
        warnings.warn(
            f"{said}. {what}; warn_outside=False turns this warning off.", OutsideTrainingWarning, stacklevel=stacklevel
        )


def _surely_inside(rule_base: RuleBase, values: Floats) -> bool:
    """Return whether no value lies outside, by a fast check that fails for rows with gaps."""
    uses = rule_base.uses
    low, high = rule_base.background.limits[:, uses]
    values = values if uses.all() else values[:, uses]
    # NumPy is slow along short rows, so several rows are joined to one.
    n_blocks = len(values) // _ROWS_IN_BLOCK
    rest = values[n_blocks * _ROWS_IN_BLOCK :]
    if n_blocks:
        blocks = values[: n_blocks * _ROWS_IN_BLOCK].reshape(n_blocks, -1)
        ends = [end(blocks, axis=0).reshape(_ROWS_IN_BLOCK, -1) for end in (np.min, np.max)]
        if (ends[0] < low).any() or (ends[1] > high).any() or np.isnan(ends[0]).any():
            return False
    return bool(((rest >= low) & (rest <= high)).all())


def said_of_outside(rule_base: RuleBase, values: Floats) -> str:
    """Return a sentence on the rows outside the training data and the inputs concerned; empty if there are none.

    Only inputs that rules use count.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> said_of_outside(trained, np.array([[1.0], [3.0]]))
    "1 of 2 rows lies outside the training data: 'x' in 1 row (learned from 2 to 4)"
    """
    outside = outside_training(rule_base, values) & rule_base.uses
    n_outside = int(outside.any(axis=1).sum())
    if not n_outside:
        return ""
    told = []
    for j in np.flatnonzero(outside.any(axis=0)):
        variable = rule_base.variables[j]
        low, high = (
            variable.written(float(end)) or readable_number(float(end), 6) for end in rule_base.background.limits[:, j]
        )
        rows = counted(int(outside[:, j].sum()), "row")
        learned = f"{low} to {high} {variable.value_unit}".rstrip()
        told.append(f"{variable.name!r} in {rows} (learned from {learned})")
    verb = "lies" if n_outside == 1 else "lie"
    more = f"; and {counted(len(told) - _INPUTS_SHOWN, 'more input')}" if len(told) > _INPUTS_SHOWN else ""
    listed = "; ".join(told[:_INPUTS_SHOWN]) + more
    return f"{n_outside:,} of {counted(len(values), 'row')} {verb} outside the training data: {listed}"
