"""The summary of the training data that a learned rule base carries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fruler._typing import Floats, Indices
from fruler.rules.contributions import parts_from
from fruler.rules.places import RulePlaces, rule_places
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import N_BINS, TrainingSummary
from fruler.rules.truth import Truth, measured_truth
from fruler.table.rows import spread_evenly

# Means over more rows than this would be the same to all digits that anyone reads.
MAX_ROWS_EXPLAINED = 1_000
# What every rule says of more rows than this at once would take much memory.
_ROWS_AT_ONCE = 10_000


def summarise(
    rule_base: RuleBase,
    values: Floats,
    target: Floats,
    weight: Floats | None = None,
    *,
    cv_error: float = float("nan"),
    truth: Truth | None = None,
) -> TrainingSummary:
    """Measure what a rule base should remember of its training data.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The training rows.
    target : ndarray of shape (n_samples,)
        Their outputs.
    weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    cv_error : float, optional
        Half the mean squared error on held-out rows, where it is known.
    truth : Truth, optional
        How true the rules are one by one on held-out rows, where it is known; else it is measured on these rows.
    """
    weight = np.ones(len(target)) if weight is None else weight
    low, high = values.min(axis=0), values.max(axis=0)
    raw, output = rule_base.raw_predictions(values), rule_base.output
    predictions = output.of(raw)
    mean = float(np.average(target, weights=weight))
    measured = Measured(
        n_rows=len(target),
        low=low,
        high=high,
        typical=np.quantile(values, 0.5, axis=0, method="inverted_cdf"),
        histograms=np.array([histogram(values[:, j], weight, low[j], high[j]) for j in range(values.shape[1])]),
        target_low=float(target.min()),
        target_high=float(target.max()),
        target_mean=mean,
        target_spread=float(np.sqrt(np.average(np.square(target - mean), weights=weight))),
        base=float(np.average(raw, weights=weight)),
        rmse=float(np.sqrt(np.average(np.square(predictions - target), weights=weight))),
        raw_spread=None if output.transform.keeps_units else _spread(output.raw_of(target), weight),
    )
    if truth is None:
        truth = measure_truth(rule_base, values, target, weight, held_out=False)
    some = spread_evenly(len(values), MAX_ROWS_EXPLAINED)
    sample = np.ascontiguousarray(values[some])
    places = rule_places(rule_base, values, weight, low, high)
    return summary_from(rule_base, measured, places, sample, weight[some], cv_error=cv_error, truth=truth)


def _spread(target: Floats, weight: Floats) -> float:
    mean = np.average(target, weights=weight)
    return float(np.sqrt(np.average(np.square(target - mean), weights=weight)))


def measure_truth(
    rule_base: RuleBase, values: Floats, target: Floats, weight: Floats | None = None, *, held_out: bool
) -> Truth:
    """Measure how true rules are one by one on rows.

    Parameters
    ----------
    rule_base : RuleBase
        The rules; what each says alone includes the curves.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    target : ndarray of shape (n_samples,)
        Their outputs.
    weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    held_out : bool
        Whether the rules were learned without these rows.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> truth = measure_truth(rules, np.array([[0.0], [0.5], [1.0]]), np.array([0.0, 1.0, 2.0]), held_out=True)
    >>> truth.together, truth.rule_alone.round(3).tolist()
    (0.0, [0.707, 0.0])
    """
    starts = range(0, len(target), _ROWS_AT_ONCE)
    parts = [slice(start, start + _ROWS_AT_ONCE) for start in starts]
    found = [rule_errors(rule_base, values[part], target[part]) for part in parts]
    together, alone, strongest = (np.concatenate(column) for column in zip(*found, strict=True))
    # The squares of very large errors would overflow, and those of very small ones vanish.
    unit = float(np.abs([together, alone]).max()) or 1.0
    weight = np.ones(len(target)) if weight is None else weight
    squares = np.square(together / unit), np.square(alone / unit)
    return measured_truth(*squares, weight, strongest, rule_base.n_rules, held_out=held_out).scaled(unit)


class RuleErrors(NamedTuple):
    """Errors of rows: of all rules together and of the strongest alone; and which rule is the strongest."""

    together: Floats
    alone: Floats
    strongest: Indices


def rule_errors(rule_base: RuleBase, values: Floats, target: Floats) -> RuleErrors:
    """Return the errors of rows, together and alone; of what stands for the target, where there is a link."""
    strongest, output = rule_base.activations(values)[0].argmax(axis=1), rule_base.output
    alone = output.bounded(rule_base.raw_rule_outputs(values))[np.arange(len(target)), strongest]
    wanted, together = output.raw_of(target), output.bounded(rule_base.raw_predictions(values))
    return RuleErrors(wanted - together, wanted - alone, strongest)


class Measured(NamedTuple):
    """What a summary takes from all rows; `TrainingSummary` says what each is."""

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
    rmse: float
    raw_spread: float | None = None


def summary_from(
    rule_base: RuleBase,
    measured: Measured,
    places: RulePlaces,
    sample: Floats,
    sample_weight: Floats,
    *,
    cv_error: float = float("nan"),
    truth: Truth | None = None,
) -> TrainingSummary:
    """Make a summary of what was measured on all rows, and of some rows that are explained.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    measured : Measured
        Of all rows.
    places : RulePlaces
        Where the rows of each rule lie.
    sample, sample_weight : ndarray of shape (n_samples, n_inputs) and (n_samples,)
        Rows that stand for all.
    cv_error : float, optional
        Half the mean squared error on held-out rows, where it is known.
    truth : Truth, optional
        How true the rules are one by one, where it is known.
    """
    base, typical = measured.base, measured.typical
    parts = parts_from(rule_base, sample, typical)
    offsets = np.average(parts, axis=0, weights=sample_weight)
    # The base is the mean over all rows: what the sample's mean is off by goes to the inputs by their size.
    gap = base - float(rule_base.raw_predictions(typical[None])[0]) - float(offsets.sum())
    sizes = np.abs(parts).mean(axis=0)
    offsets += gap * (sizes / sizes.sum() if sizes.sum() > 0.0 else np.full(len(sizes), 1.0 / len(sizes)))
    said = rule_base.raw_rule_outputs(sample)
    weights = rule_base.activations(sample)[0]
    return TrainingSummary(
        **measured._asdict(),
        offsets=offsets,
        input_importance=np.average(np.abs(parts - offsets), axis=0, weights=sample_weight),
        rule_importance=np.average(weights * np.abs(said - base), axis=0, weights=sample_weight),
        cv_rmse=float(np.sqrt(2.0 * cv_error)),
        truth=truth,
        **places._asdict(),
    )


def histogram(column: Floats, weight: Floats, low: float, high: float) -> Floats:
    """Sum up the weights of values in equal parts of the range from low to high."""
    # Halves and shares: the difference of the ends may overflow, and be nothing beside them.
    share = np.zeros(len(column)) if low == high else (column / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    place = np.minimum((share * N_BINS).astype(np.intp), N_BINS - 1)
    return np.bincount(place, weights=weight, minlength=N_BINS).astype(np.float64)
