"""What a report compares a row with: ranges, a typical row, and the prediction to start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.explain.effects import input_ranges, output_spread, target_spread
from fruler.explain.explanation import COVERAGE
from fruler.explain.features import Feature
from fruler.rules.outside import training_ranges
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import TrainingSummary

# A coarser step of a slider would hide what the model does, a finer one would be noise in the number box.
_STEPS_IN_RANGE = 100.0


@dataclass(frozen=True, eq=False)
class Reference:
    """Ranges and typical values of the inputs, and what the parts of a prediction are measured against.

    Attributes
    ----------
    known : bool
        Whether all of this is of training data; otherwise it is of the middles of the inputs' domains.
    low, high, typical : ndarray of shape (n_inputs,)
        The range and a typical value of each input.
    histograms : ndarray of shape (n_inputs, n_bins), or None
        How the values are spread over the range.
    base : float
        The prediction that parts are added to.
    offsets : ndarray of shape (n_inputs,)
        What is taken from each part on the way from the typical row.
    spread : float
        The spread of what the rules should say: of the target, or of what stands for it.
    target_spread : float
        The spread of the target.
    error : float or None
        The typical error of a prediction, on held-out rows where that is known.
    raw_error : float or None
        The same of what the rules say.
    target_range : (float, float) or None
        The least and the greatest value of the target.
    radii : list of float, or None
        How far prediction intervals reach where each rule alone answers.
    ranges : dict of int to (float, float)
        The inputs whose distance from the training data widens an interval, and their ranges.
    clips : dict of int to (float, float)
        The inputs whose values rules take for the nearest within a range, and these ranges.
    units : tuple of float or None
        The step of each input that has one of its own, such as a day.
    """

    known: bool
    low: Floats
    high: Floats
    typical: Floats
    histograms: Floats | None
    base: float
    offsets: Floats
    spread: float
    target_spread: float
    error: float | None
    raw_error: float | None
    target_range: tuple[float, float] | None
    radii: list[float] | None
    ranges: dict[int, tuple[float, float]]
    clips: dict[int, tuple[float, float]]
    units: tuple[float | None, ...]

    @property
    def steps(self) -> Floats:
        """The steps in which sliders move: a day or an input's other own step, a power of ten, or 1 from 0 to 1."""
        extent = self.high - self.low
        steps = np.ones(len(extent))
        moving = extent > 0.0
        steps[moving] = 10.0 ** np.floor(np.log10(extent[moving] / _STEPS_IN_RANGE))
        if self.histograms is not None:
            between = self.histograms[:, 1:-1].any(axis=1)
            steps[(self.low == 0.0) & (self.high == 1.0) & ~between] = 1.0
        return np.array([step if own is None else own for step, own in zip(steps, self.units, strict=True)])

    def option_counts(self, feature: Feature, given: Floats | None = None) -> Floats | None:
        """Return how often each option of a feature is, in given rows or in the training rows; None: it isn't known."""
        if given is not None:
            return np.bincount(feature.options_of(given), minlength=len(feature.options)).astype(np.float64)
        if self.histograms is None:
            return None
        counts = self.histograms[feature.columns]
        if len(feature.inputs) > 1:
            own = np.array([option.values for option in feature.options]) @ counts[:, -1]
            # One of the categories may have no input: all are 0 there.
            without = [not any(option.values) for option in feature.options]
            own[without] = max(float(counts[0].sum() - own.sum()), 0.0)
            return np.asarray(own)
        low, high = float(self.low[feature.inputs[0]]), float(self.high[feature.inputs[0]])
        if not high > low:
            return None
        numbers = np.array([option.values[0] for option in feature.options])
        n_bins = counts.shape[1]
        bins = np.clip(((numbers - low) / (high - low) * n_bins).astype(int), 0, n_bins - 1)
        # Options that share a bar of the histogram can't be told apart.
        return counts[0, bins] if len(set(bins.tolist())) == len(bins) else None

    def to_json(self) -> dict[str, Any]:
        """Return what the page needs of it."""
        return {
            "known": self.known,
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "typical": self.typical.tolist(),
            "steps": self.steps.tolist(),
            "base": self.base,
            "offsets": self.offsets.tolist(),
            "spread": self.spread,
            "error": self.raw_error,
            "targetRange": self.target_range,
            "radii": self.radii,
            "ranges": [[j, *ends] for j, ends in self.ranges.items()],
            "clips": [[j, *ends] for j, ends in self.clips.items()],
        }


def reference_of(rule_base: RuleBase) -> Reference:
    """Return the reference of a rule base: its training summary, or what its domains say where it has none."""
    training = rule_base.training
    units = tuple(one.source.step if one.source is not None else None for one in rule_base.variables)
    if training is not None:
        error = training.rmse if np.isnan(training.cv_rmse) else training.cv_rmse
        return Reference(
            known=True,
            low=training.low,
            high=training.high,
            typical=training.typical,
            histograms=training.histograms,
            base=training.base,
            offsets=training.offsets,
            spread=output_spread(rule_base),
            target_spread=target_spread(rule_base),
            error=error,
            raw_error=error if rule_base.output.transform.keeps_units else _raw_error(training),
            target_range=(training.target_low, training.target_high),
            radii=_radii(rule_base),
            ranges=training_ranges(rule_base),
            clips={
                int(j): tuple(rule_base.clips[:, j].tolist()) for j in np.flatnonzero(np.isfinite(rule_base.clips[0]))
            },
            units=units,
        )
    low, high = input_ranges(rule_base).T
    typical = np.array(
        [
            low[j] / 2.0 + high[j] / 2.0 if variable.partition.ordered else low[j]
            for j, variable in enumerate(rule_base.variables)
        ]
    )
    base = float(rule_base.raw_predictions(typical[None])[0])
    return Reference(
        known=False,
        low=low,
        high=high,
        typical=typical,
        histograms=None,
        base=base,
        offsets=np.zeros(len(low)),
        spread=output_spread(rule_base),
        target_spread=target_spread(rule_base),
        error=None,
        raw_error=None,
        target_range=None,
        radii=None,
        ranges={},
        clips={},
        units=units,
    )


def _raw_error(training: TrainingSummary) -> float | None:
    return None if training.truth is None else training.truth.together


def _radii(rule_base: RuleBase) -> list[float] | None:
    """Return how far intervals reach where each rule alone answers, where enough is known for them."""
    intervals = rule_base.intervals
    if intervals is None or intervals.coverages[-1] < COVERAGE:
        return None
    return [float(radius) for radius in intervals.radii(COVERAGE)]
