"""What the prediction is, on average over rows, as one feature takes each of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler.explain.features import Feature
from fruler.rules.rule_base import RuleBase

# Values from end to end; those at which labels and curves bend come on top, unless there are too many of them.
_GRID, _MAX_BENDS = 33, 64


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """The mean prediction for each value of a feature (its partial dependence).

    Attributes
    ----------
    feature : Feature
        The feature.
    values : ndarray of shape (n_points,)
        Its values; of options their numbers, counted from 0.
    predictions : ndarray of shape (n_points,)
        The mean prediction at each.
    """

    feature: Feature
    values: Floats
    predictions: Floats

    @property
    def extent(self) -> float:
        """How far apart the lowest and the highest mean prediction are."""
        return float(np.ptp(self.predictions))


def effect_curve(rule_base: RuleBase, feature: Feature, rows: Floats, low: float, high: float) -> EffectCurve:
    """Return the effect of a feature.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    feature : Feature
        The feature.
    rows : ndarray of shape (n_samples, n_inputs)
        Rows to average over: in each of them the feature takes all values in turn.
    low, high : float
        Between which values, where the feature is a number.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.explain.features import features_of
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> a, b = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in "ab")
    >>> line = RuleBase([a, b], [[[0, 0], [0, 0]]], [[1.0, 2.0, -3.0]])
    >>> curve = effect_curve(line, features_of(line)[0], np.array([[0.0, 1.0], [0.0, 2.0]]), 0.0, 9.0)
    >>> curve.predictions[[0, -1]].tolist(), curve.extent
    ([-3.5, 14.5], 18.0)
    """
    values, settings = effect_settings(rule_base, feature, low, high)
    return EffectCurve(feature, values, mean_predictions(rule_base, feature.inputs, settings, rows))


def effect_settings(rule_base: RuleBase, feature: Feature, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the values that a feature takes for its effect, and the numbers of its inputs at each of them.

    Parameters
    ----------
    rule_base, feature, low, high
        As for `effect_curve`.

    Returns
    -------
    values : ndarray of shape (n_points,)
        The values; of options their numbers, counted from 0.
    settings : ndarray of shape (n_points, n_feature_inputs)
        What the inputs are set to.
    """
    if feature.options:
        return np.arange(float(len(feature.options))), np.array([option.values for option in feature.options])
    values = _grid(rule_base, feature.inputs[0], low, high)
    return values, values[:, None]


def mean_predictions(rule_base: RuleBase, inputs: Sequence[int], settings: Floats, rows: Floats) -> Floats:
    """Return the mean prediction over rows in which some inputs are set to each of the settings in turn."""
    moved = np.repeat(rows[None], len(settings), axis=0)
    moved[:, :, np.array(inputs, dtype=np.intp)] = settings[:, None, :]
    predictions = rule_base.predict(moved.reshape(-1, rows.shape[1])).reshape(len(settings), len(rows))
    return np.asarray(predictions.mean(axis=1))


def _grid(rule_base: RuleBase, j: int, low: float, high: float) -> Floats:
    """Return values from end to end, with those at which labels and a curve bend."""
    partition, curve = rule_base.antecedents.condition_inputs[j].partition, rule_base.curve_of(j)
    splits, halves = np.asarray(partition.split_points), partition.half_widths
    points = partition.triangles.ravel()
    parts = [splits - halves, splits, splits + halves, points[np.isfinite(points)]]
    if curve is not None:
        ends = np.concatenate([curve.bends()[0], curve.partition.split_points])
        # Just below a jump as well, so that it is drawn as one.
        parts += [ends, np.nextafter(ends, -np.inf)]
    bends = np.unique(np.concatenate(parts))
    # Just below a crisp split as well.
    bends = np.unique(np.concatenate([bends, np.nextafter(splits[halves == 0.0], -np.inf)]))
    bends = bends[(low < bends) & (bends < high)]
    if len(bends) > _MAX_BENDS:
        bends = bends[:0]
    return np.unique(np.concatenate([np.linspace(low, high, _GRID), bends]))
