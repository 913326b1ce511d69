"""The reference of a report: ranges, a typical row and the base prediction, and the writing of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler._wording import with_unit
from fruler.explain._dependence import option_counts
from fruler.explain._scales import Scale, scale_of
from fruler.explain.explanation import COVERAGE
from fruler.explain.report._drawings import INPUT_SHARE, TARGET_SHARE, fixed, shown, value_text
from fruler.rules._background import Background
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# A coarser step of a slider would hide details of the model, a finer one would show noise in the number box.
_STEPS_IN_RANGE = 100.0
# The fields of an object for the template, by name.
View = dict[str, Any]
# A function that writes a number within a tolerance.
Writer = Callable[[float, float], str]


@dataclass(frozen=True, eq=False)
class Reference:
    """Rules with the data behind them, as the views of a report need both: values and changes written as text."""

    rule_base: RuleBase

    @property
    def background(self) -> Background:
        """Ranges and typical values of the inputs, and the base from which contributions are counted."""
        return self.rule_base.background

    @property
    def scale(self) -> Scale:
        """The scale of the rules' outputs."""
        return scale_of(self.rule_base)

    @property
    def has_intervals(self) -> bool:
        """Whether predictions have intervals."""
        intervals = self.rule_base.intervals
        return self.background.known and intervals is not None and intervals.coverages[-1] >= COVERAGE

    @property
    def raw_error(self) -> float | None:
        """The typical error of the raw prediction, on held-out rows if it is known there."""
        output, truth = self.rule_base.output, self.background.truth
        if output.transform.keeps_units and not output.loss.reweighted:
            return self.background.error if self.background.known else None
        # A deviance is not an error of the raw prediction.
        return None if truth is None or output.loss.of_log_mean else truth.together

    def range_of(self, j: int) -> tuple[float, float]:
        """Return the range of an input."""
        low, high = self.background.ranges[j].tolist()
        return low, high

    def value(self, j: int, number: float) -> str:
        """Write a value of an input."""
        low, high = self.range_of(j)
        return value_text(self.rule_base.variables[j], number, INPUT_SHARE * (high - low))

    def measured_value(self, j: int, number: float) -> str:
        """Write a value of an input with its unit."""
        return with_unit(self.value(j, number), self.rule_base.variables[j].value_unit)

    def target(self, number: float, writer: Writer = shown) -> str:
        """Write a value of the target, or a difference of two values, with its unit."""
        return with_unit(writer(number, TARGET_SHARE * self.background.target_spread), self.rule_base.target_unit)

    def change(self, change: float, writer: Writer = fixed, *, share: float = TARGET_SHARE, unit: bool = True) -> str:
        """Write a change of the raw prediction within a share of its spread, with or without its unit."""
        text = self.scale.change(change, share * self.background.spread).written(writer)
        return with_unit(text, self.scale.unit(self.rule_base.target_unit) if unit else "")

    def loss(self, typical: float) -> str:
        """Write a typical error of the raw prediction as the model's loss tells it."""
        loss = self.rule_base.output.loss
        if loss.of_log_mean:
            told = float(loss.told(typical))
            return fixed(told, TARGET_SHARE * told)
        return self.change(typical)

    @property
    def steps(self) -> Floats:
        """The steps of sliders: the input's own step, such as a day; 1 for binary inputs; else a power of ten."""
        low, high = self.background.ranges.T
        extent = high - low
        steps = np.ones(len(extent))
        moving = extent > 0.0
        steps[moving] = 10.0 ** np.floor(np.log10(extent[moving] / _STEPS_IN_RANGE))
        steps[[self.background.is_binary(j) for j in range(len(extent))]] = 1.0
        own = [variable.source.step for variable in self.rule_base.variables]
        return np.array([step if unit is None else unit for step, unit in zip(steps, own, strict=True)])

    def level_rows(self, feature: Feature) -> Floats | None:
        """Return the rows of each category in each rule, shape (n_rules, n_levels), if they are known."""
        summary = self.background.summary
        if summary is None or summary.level_rows is None or not feature.has_levels:
            return None
        features = [one for one in self.rule_base.features if one.has_levels]
        return np.asarray(summary.level_rows[features.index(feature)])

    def commonest(self, feature: Feature, given: Floats | None = None) -> int:
        """Return the number of a feature's most common option; the first one if it is not known."""
        rows = self.level_rows(feature)
        counts = option_counts(self.rule_base, feature, given) if rows is None else rows.sum(axis=0)
        return 0 if counts is None else int(np.argmax(counts))

    def to_json(self) -> dict[str, Any]:
        """Return what the page needs besides the model."""
        background = self.background
        low, high = background.ranges.T
        return {
            "known": background.known,
            "low": low.tolist(),
            "high": high.tolist(),
            "steps": self.steps.tolist(),
            "spread": background.spread,
            "error": self.raw_error,
            "targetRange": background.target_range,
        }
