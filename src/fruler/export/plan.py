"""What an exported model has to compute, the same for every target: split points, conditions, and rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fruler.export.links import OutputPlan, make_output_plan
from fruler.rules.outside import training_ranges
from fruler.rules.partitions import Partition
from fruler.rules.prediction_intervals import require_intervals
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_partition import Triangle


@dataclass(frozen=True)
class SplitPoint:
    """Where a label of an input hands over to the next one.

    The share above is 1 from `high` on, ``(x - low) / width`` between `start` and `high`, and 0 up to `start`.
    These are the very numbers of the compiled kernel: whether a rule fires at all may hang on the last bit.

    Attributes
    ----------
    input, number : int
        The input, and which of its split points it is.
    low, high : float
        The ends of the zone of change; equal where it is crisp.
    start : float
        `low`, or a little more where rounding makes the zone overlap with the one before.
    width : float
        What the way from `low` is divided by; 1 where it is crisp.
    """

    input: int
    number: int
    low: float
    high: float
    start: float
    width: float

    @property
    def crisp(self) -> bool:
        """Whether there is no zone of change."""
        return self.start >= math.nextafter(self.high, -math.inf)


@dataclass(frozen=True)
class Condition:
    """That an input has one of the labels from `first` to `last`.

    Its degree is the share above the split point before the first label, less the share above the one after the last;
    of a nominal input it is 1 for the `codes` and 0 for any other. That of a triangle is 1 at its second point and
    falls to 0 at the two others, after the value was brought inside the input's limits.

    Attributes
    ----------
    input, first, last : int
        The input and the labels.
    below, above : int or None
        Numbers of these split_points in the plan; none where the range begins or ends with an outer label.
    codes : tuple of float or None
        Of a nominal input.
    triangle : (float, float, float) or None
        Of a label or a set that is a triangle; the degree stays 1 at the side of a point that is infinite.
    width : float
        What the distance from a triangle's second point is divided by to find the nearest rule.
    """

    input: int
    first: int
    last: int
    below: int | None = None
    above: int | None = None
    codes: tuple[float, ...] | None = None
    triangle: Triangle | None = None
    width: float = 1.0

    @property
    def counts_labels(self) -> bool:
        """Whether a row that does not fit is so many labels away."""
        return self.codes is None and self.triangle is None


@dataclass(frozen=True)
class LabelPlan:
    """What a rule says with a label of the output.

    It is ``middle + skew * lean``, where the lean depends on the degree h to which the rule fires: with u = 1 - h it is
    ``(1 + u + u * u) / (3 * (1 + u))``. The nearest rule, where none fires, says `whole`.

    Attributes
    ----------
    middle, skew : float
        The second point of the label's triangle, and how much longer its right side is than its left.
    whole : float
        What the rule says where it fires fully.
    """

    middle: float
    skew: float
    whole: float


@dataclass(frozen=True)
class CurvePlan:
    """What a curve adds to the output of every rule.

    It is ``intercept + slope * x`` and, for each split point, the share above it times another such line.

    Attributes
    ----------
    input : int
        The input.
    split_points : tuple of int
        Numbers of its split_points in the plan's `curve_split_points`, from low to high.
    lines : tuple of (float, float)
        Intercepts and slopes: the first line, then one for each split point.
    """

    input: int
    split_points: tuple[int, ...]
    lines: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class IntervalPlan:
    """How far an interval reaches to both sides of a prediction.

    It is the mean of the rules' radii by their weights, or the radius of the nearest rule where none fires; times one
    more than the sum, over inputs, of the distance from their range as a share of its length.

    Attributes
    ----------
    coverage : float
        The share of rows that is to be covered.
    radii : tuple of float
        Of each rule.
    ranges : dict of int to (float, float)
        The least and the greatest value of the training data, by input.
    """

    coverage: float
    radii: tuple[float, ...]
    ranges: dict[int, tuple[float, float]]


@dataclass(frozen=True)
class Plan:
    """All that is to be computed.

    Attributes
    ----------
    split_points : tuple of SplitPoint
        By input and split.
    conditions : tuple of Condition
        Each one once, by input.
    rules : tuple of tuples of int
        For each rule the numbers of its conditions.
    covered : bool
        Whether it is certain that a rule fires wherever a row lies; if not, the nearest rule must be looked for.
    used : tuple of int
        The inputs on which the output depends.
    curve_split_points : tuple of SplitPoint
        Those of the curves, by input and split.
    curves : tuple of CurvePlan
        What is added to the rules' output.
    limits : dict of int to (float, float)
        Where values of inputs with triangles are brought inside: the least and the greatest, by input.
    said : tuple of LabelPlan
        What each rule says, where that is a label of the output; nothing where rules have linear outputs.
    clips : dict of int to (float, float)
        Values of these inputs are brought inside such limits before anything else is computed but an interval's ranges.
    interval : IntervalPlan or None
        How far intervals reach, where they are wanted.
    output : OutputPlan or None
        What is done to what rules and curves say together, and to the ends of intervals; None: nothing.
    """

    split_points: tuple[SplitPoint, ...]
    conditions: tuple[Condition, ...]
    rules: tuple[tuple[int, ...], ...]
    covered: bool
    used: tuple[int, ...]
    curve_split_points: tuple[SplitPoint, ...] = ()
    curves: tuple[CurvePlan, ...] = ()
    limits: dict[int, tuple[float, float]] = field(default_factory=dict)
    said: tuple[LabelPlan, ...] = ()
    clips: dict[int, tuple[float, float]] = field(default_factory=dict)
    interval: IntervalPlan | None = None
    output: OutputPlan | None = None

    def split_points_of(self, feature: int) -> list[int]:
        """Return the numbers of an input's split points, from low to high."""
        return [number for number, split_point in enumerate(self.split_points) if split_point.input == feature]


def make_plan(rule_base: RuleBase, coverage: float | None = None) -> Plan:
    """Find out what an exported model has to compute.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    coverage : float, optional
        That of prediction intervals, if they are wanted.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0, 20.0], (0.0, 30.0)))
    >>> plan = make_plan(RuleBase([temperature], [[[0, 0]], [[1, 2]]], [[25.0, -1.0], [5.25, 0.0]]))
    >>> plan.split_points
    (SplitPoint(input=0, number=0, low=5.0, high=15.0, start=5.0, width=10.0),)
    >>> plan.rules, plan.covered
    (((0,), (1,)), True)
    """
    antecedents = [rule_base.antecedents.conditions(rule) for rule in range(rule_base.n_rules)]
    curve_split_points, curves = _curves(rule_base)
    interval = None if coverage is None else _interval(rule_base, coverage)
    output = make_output_plan(rule_base.output)
    if rule_base.n_rules == 1 and not rule_base.consequents.depend_on_degrees:
        # Whether it fires or is merely the nearest: it alone answers.
        alone = {*rule_base.consequents.terms(0), *(curve.input for curve in curves)}
        used = tuple(sorted(alone if interval is None else alone | set(interval.ranges)))
        clips = _clips(rule_base, used)
        return Plan(
            (), (), ((),), True, used, curve_split_points, curves, clips=clips, interval=interval, output=output
        )
    covered = rule_base.antecedents.covers_everything()
    keys = sorted({part for parts in antecedents for part in parts})
    split_points = _split_points(rule_base, keys, every=not covered)
    numbers = {(split_point.input, split_point.number): number for number, split_point in enumerate(split_points)}
    conditions, limits = [], {}
    for j, first, last in keys:
        partition = rule_base.antecedents.condition_inputs[j].partition
        if partition.of_triangles:
            a, b, c = partition.triangles[first].tolist()
            limits[j] = partition.range
            width = float(rule_base.antecedents.widths[j])
            conditions.append(Condition(j, first, last, triangle=(a, b, c), width=width))
        elif partition.ordered:
            conditions.append(Condition(j, first, last, numbers.get((j, first - 1)), numbers.get((j, last))))
        else:
            codes = tuple(code for group in partition.groups[first : last + 1] for code in group)
            conditions.append(Condition(j, first, last, codes=codes))
    order = {key: number for number, key in enumerate(keys)}
    rules = tuple(tuple(order[part] for part in parts) for parts in antecedents)
    used = tuple(int(j) for j in np.flatnonzero(rule_base.uses))
    return Plan(
        split_points,
        tuple(conditions),
        rules,
        covered,
        used,
        curve_split_points,
        curves,
        limits,
        _said(rule_base),
        _clips(rule_base, used),
        interval,
        output,
    )


def _clips(rule_base: RuleBase, used: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return the limits of inputs that are clipped."""
    low, high = rule_base.clips
    return {j: (float(low[j]), float(high[j])) for j in used if math.isfinite(low[j])}


def _interval(rule_base: RuleBase, coverage: float) -> IntervalPlan:
    """Return how far intervals of a coverage reach."""
    radii = require_intervals(rule_base).radii(coverage)
    return IntervalPlan(coverage, tuple(radii.tolist()), training_ranges(rule_base))


def _said(rule_base: RuleBase) -> tuple[LabelPlan, ...]:
    """Return what each rule says with a label of the output."""
    plans = []
    for rule, whole in enumerate(rule_base.consequents.intercepts.tolist()):
        triangle = rule_base.consequents.triangle(rule)
        if triangle is not None:
            a, b, c = triangle
            plans.append(LabelPlan(b, (c - b) - (b - a), whole))
    return tuple(plans)


def _curves(rule_base: RuleBase) -> tuple[tuple[SplitPoint, ...], tuple[CurvePlan, ...]]:
    split_points: list[SplitPoint] = []
    curves = []
    for curve in rule_base.curves:
        own = split_points_of(curve.partition, curve.input)
        numbers = tuple(range(len(split_points), len(split_points) + len(own)))
        lines = tuple((intercept, slope) for intercept, slope in curve.steps.tolist())
        curves.append(CurvePlan(curve.input, numbers, lines))
        split_points += own
    return tuple(split_points), tuple(curves)


def split_points_of(partition: Partition, feature: int) -> list[SplitPoint]:
    """Return all split points of an input, from low to high; categories have none."""
    split_points: list[SplitPoint] = []
    ends = -math.inf
    for split, (centre, half) in enumerate(zip(partition.split_points, partition.half_widths.tolist(), strict=True)):
        low, high = centre - half, centre + half
        start = low if low >= ends else math.nextafter(ends, -math.inf)
        ends, width = high, 2.0 * half if low < high else 1.0
        # Where rounding makes the quotient more than one, the zone has ended.
        while (before := math.nextafter(high, -math.inf)) > start and (before - low) / width > 1.0:
            high = before
        split_points.append(SplitPoint(feature, split, low, high, start, width))
    return split_points


def _split_points(rule_base: RuleBase, keys: Sequence[tuple[int, int, int]], *, every: bool) -> tuple[SplitPoint, ...]:
    """Return the split points of conditions; or all of their inputs, which the nearest rule needs."""
    needed = {(j, split) for j, first, last in keys for split in (first - 1, last)}
    found = []
    for j in sorted({key[0] for key in keys}):
        split_points = split_points_of(rule_base.variables[j].partition, j)
        found += [split_point for split_point in split_points if every or (j, split_point.number) in needed]
    return tuple(found)
