"""The summary of the training data that a learned rule base carries."""

from __future__ import annotations

import numpy as np

from fruler.explain.contributions import parts_from
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import N_BINS, TrainingSummary
from fruler.scaling import Floats

# Means over more rows than this would be the same to all digits that anyone reads.
_MOST_ROWS_EXPLAINED = 1_000


def summarise(
    rule_base: RuleBase,
    values: Floats,
    target: Floats,
    weight: Floats | None = None,
    *,
    cv_error: float = float("nan"),
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
        Half the mean squared error on rows that were left out, where it is known.
    """
    weight = np.ones(len(target)) if weight is None else weight
    low, high = values.min(axis=0), values.max(axis=0)
    typical = np.quantile(values, 0.5, axis=0, method="inverted_cdf")
    predictions = rule_base.predict(values)
    base = float(np.average(predictions, weights=weight))
    some = np.linspace(0, len(values) - 1, min(len(values), _MOST_ROWS_EXPLAINED)).astype(np.intp)
    sample, sample_weight = np.ascontiguousarray(values[some]), weight[some]
    parts = parts_from(rule_base, sample, typical)
    offsets = np.average(parts, axis=0, weights=sample_weight)
    # The base is the mean over all rows: what the sample's mean is off by goes to the inputs by their size.
    gap = base - float(rule_base.predict(typical[None])[0]) - float(offsets.sum())
    sizes = np.abs(parts).mean(axis=0)
    offsets += gap * (sizes / sizes.sum() if sizes.sum() > 0.0 else np.full(len(sizes), 1.0 / len(sizes)))
    said = sample @ rule_base.consequents[:, 1:].T + rule_base.consequents[:, 0]
    weights = rule_base.activations(sample)[0]
    mean = float(np.average(target, weights=weight))
    return TrainingSummary(
        n_rows=len(target),
        low=low,
        high=high,
        typical=typical,
        histograms=np.array([_histogram(column, weight) for column in values.T]),
        target_low=float(target.min()),
        target_high=float(target.max()),
        target_mean=mean,
        target_spread=float(np.sqrt(np.average(np.square(target - mean), weights=weight))),
        base=base,
        offsets=offsets,
        input_importance=np.average(np.abs(parts - offsets), axis=0, weights=sample_weight),
        rule_importance=np.average(weights * np.abs(said - base), axis=0, weights=sample_weight),
        rmse=float(np.sqrt(np.average(np.square(predictions - target), weights=weight))),
        cv_rmse=float(np.sqrt(2.0 * cv_error)),
    )


def _histogram(column: Floats, weight: Floats) -> Floats:
    low, high = float(column.min()), float(column.max())
    # Halves and shares: the difference of the ends may overflow, and be nothing beside them.
    share = np.zeros(len(column)) if low == high else (column / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    place = np.minimum((share * N_BINS).astype(np.intp), N_BINS - 1)
    return np.bincount(place, weights=weight, minlength=N_BINS).astype(np.float64)
