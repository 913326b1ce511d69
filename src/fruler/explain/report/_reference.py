"""What a report compares a row with: ranges, a typical row, the prediction to start from, and how it writes numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.explain._effects import input_ranges, output_spread, target_spread
from fruler.explain._scales import Scale, scale_of
from fruler.explain.explanation import COVERAGE
from fruler.explain.report._drawings import INPUT_SHARE, TARGET_SHARE, fixed, shown, value_text, with_unit
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase
from fruler.rules.intervals import training_ranges

# A coarser step of a slider would hide what the model does, a finer one would be noise in the number box.
_STEPS_IN_RANGE = 100.0
# What the template shows of something: each field by its name there.
View = dict[str, Any]
# Writes a number within a tolerance.
Writer = Callable[[float, float], str]


@dataclass(frozen=True, eq=False)
class Reference:
    """Rules with the ranges and typical values of their inputs, and what parts of a prediction are measured against.

    All of this is of training data, or of the middles of the inputs' domains where these are not known.

    Attributes
    ----------
    rule_base : RuleBase
        The rules.
    low, high, typical : ndarray of shape (n_inputs,)
        The range and a typical value of each input.
    base : float
        The prediction that parts are added to.
    offsets : ndarray of shape (n_inputs,)
        What is taken from each part on the way from the typical row.
    histograms : ndarray of shape (n_inputs, n_bins), or None
        How the values are spread over the range.
    """

    rule_base: RuleBase
    low: Floats
    high: Floats
    typical: Floats
    base: float
    offsets: Floats
    histograms: Floats | None = None

    @property
    def known(self) -> bool:
        """Whether the training data are known."""
        return self.rule_base.training is not None

    @property
    def scale(self) -> Scale:
        """How what the rules say is told."""
        return scale_of(self.rule_base)

    @cached_property
    def spread(self) -> float:
        """The spread of what the rules should say: of the target, or of what stands for it."""
        return output_spread(self.rule_base)

    @cached_property
    def target_spread(self) -> float:
        """The spread of the target."""
        return target_spread(self.rule_base)

    @property
    def radii(self) -> list[float] | None:
        """How far prediction intervals reach where each rule alone answers, where enough is known for them."""
        intervals = self.rule_base.intervals
        if not self.known or intervals is None or intervals.coverages[-1] < COVERAGE:
            return None
        return [float(radius) for radius in intervals.radii(COVERAGE)]

    @property
    def raw_error(self) -> float | None:
        """The typical error of what the rules say, on held-out rows where that is known."""
        training = self.rule_base.training
        if training is None:
            return None
        if self.rule_base.output.transform.keeps_units:
            return training.rmse if np.isnan(training.cv_rmse) else training.cv_rmse
        return None if training.truth is None else training.truth.together

    def range_of(self, j: int) -> tuple[float, float]:
        """Return the range of an input."""
        return float(self.low[j]), float(self.high[j])

    def value(self, j: int, number: float) -> str:
        """Write a value of an input."""
        low, high = self.range_of(j)
        return value_text(self.rule_base.variables[j], number, INPUT_SHARE * (high - low))

    def measured_value(self, j: int, number: float) -> str:
        """Write a value of an input with its unit."""
        return with_unit(self.value(j, number), self.rule_base.variables[j].value_unit)

    def target(self, number: float, writer: Writer = shown) -> str:
        """Write a value of the target, or a distance between two, with its unit."""
        return with_unit(writer(number, TARGET_SHARE * self.target_spread), self.rule_base.target_unit)

    def change(self, change: float, writer: Writer = fixed, *, share: float = TARGET_SHARE, unit: bool = True) -> str:
        """Write a change of what the rules say within a share of its spread, with its unit or without."""
        text = self.scale.change(change, share * self.spread).written(writer)
        return with_unit(text, self.scale.unit(self.rule_base.target_unit) if unit else "")

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
        own = [variable.source.step for variable in self.rule_base.variables]
        return np.array([step if unit is None else unit for step, unit in zip(steps, own, strict=True)])

    def option_counts(self, feature: Feature, given: Floats | None = None) -> Floats | None:
        """Return how often each option of a feature is, in given rows or in the training rows; None: it isn't known."""
        if given is not None:
            return np.bincount(feature.options_of(given), minlength=len(feature.options)).astype(np.float64)
        if self.histograms is None:
            return None
        counts = self.histograms[feature.index]
        if len(feature.inputs) > 1:
            own = np.array([option.values for option in feature.options]) @ counts[:, -1]
            # One of the categories may have no input: all are 0 there.
            without = [not any(option.values) for option in feature.options]
            own[without] = max(float(counts[0].sum() - own.sum()), 0.0)
            return np.asarray(own)
        low, high = self.range_of(feature.inputs[0])
        if not high > low:
            return None
        numbers = np.array([option.values[0] for option in feature.options])
        n_bins = counts.shape[1]
        bins = np.clip(((numbers - low) / (high - low) * n_bins).astype(int), 0, n_bins - 1)
        # Options that share a bar of the histogram can't be told apart.
        return counts[0, bins] if len(set(bins.tolist())) == len(bins) else None

    def commonest(self, feature: Feature, given: Floats | None = None) -> int:
        """Return the number of a feature's commonest option; the first where that is not known."""
        counts = self.option_counts(feature, given)
        return 0 if counts is None else int(np.argmax(counts))

    def to_json(self) -> dict[str, Any]:
        """Return what the page needs of it."""
        training, clips = self.rule_base.training, self.rule_base.inputs.clips
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
            "targetRange": None if training is None else (training.target_low, training.target_high),
            "radii": self.radii,
            "ranges": [[j, *ends] for j, ends in training_ranges(self.rule_base).items()],
            "clips": [[j, *clips[:, j].tolist()] for j in np.flatnonzero(np.isfinite(clips[0])).tolist()],
        }


def reference_of(rule_base: RuleBase) -> Reference:
    """Return the reference of a rule base: its training summary, or what its domains say where it has none."""
    known = rule_base.training
    if known is not None:
        return Reference(rule_base, known.low, known.high, known.typical, known.base, known.offsets, known.histograms)
    low, high = input_ranges(rule_base).T
    ordered = [variable.partition.ordered for variable in rule_base.variables]
    typical = np.where(ordered, low / 2.0 + high / 2.0, low)
    return Reference(
        rule_base, low, high, typical, float(rule_base.raw_predictions(typical[None])[0]), np.zeros(len(low))
    )
