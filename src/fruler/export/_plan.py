"""The computation of an exported model, the same for every target: from the columns of a table to the prediction.

`InputPlan` describes how columns become the inputs of the rules, with categories, dates and gaps. `ModelPlan` contains
it, and the split points, conditions, rules, curves and intervals. `OutputPlan` is the last step: link and bounds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from fruler._arrays import Floats
from fruler._table.date_sources import DateSource
from fruler._table.dates import AS_WRITTEN, DateFormat
from fruler._table.gaps import N_SWEEPS
from fruler._table.sources import LevelSource, NumberSource, Source
from fruler._table.texts import hold_truth
from fruler._wording import quote_names
from fruler.rules._antecedents import Condition
from fruler.rules._background import training_ranges
from fruler.rules._output import LinkName, Output
from fruler.rules._partitions import Partition, Triangle
from fruler.rules._rule_base import RuleBase
from fruler.rules.intervals import require_intervals

# The inverse link in each language; ``{}`` is the output of the rules. ONNX has the name of an operator, or none.
LINKS: dict[LinkName, dict[str, str]] = {
    "identity": {"python": "{}", "c": "{}", "sql": "{}", "onnx": ""},
    "log": {"python": "math.exp({})", "c": "exp({})", "sql": "EXP({})", "onnx": "Exp"},
}


@dataclass(frozen=True)
class End:
    """An output of the rules from which on the prediction is constant."""

    raw: float
    target: float


@dataclass(frozen=True)
class OutputPlan:
    """The last step of a prediction: the inverse link, constant beyond two ends.

    Attributes
    ----------
    code : dict of str to str
        The inverse link, by language.
    ends : (End or None, End or None)
        The lower and the upper end, at and beyond which the prediction is constant; None if there is no end.
    """

    code: dict[str, str]
    ends: tuple[End | None, ...]


def make_output_plan(output: Output, reach: float = math.inf) -> OutputPlan | None:
    """Return the last step of predictions, or None if predictions are the output of the rules.

    Parameters
    ----------
    output : Output
        The output of the rule base.
    reach : float, optional
        The largest absolute output of the rules that the numbers of the target allow, if smaller than that of the link.

    Examples
    --------
    >>> plan = make_output_plan(Output("log", (None, 100.0)))
    >>> plan.code["python"].format("raw"), plan.ends[0].raw, round(plan.ends[1].raw, 4), plan.ends[1].target
    ('math.exp(raw)', -345.0, 4.6052, 100.0)
    """
    if output.is_plain:
        return None
    ends: list[End | None] = []
    farthest = math.inf if output.transform.keeps_units else min(output.transform.reach, reach)
    for bound, raw, limit in zip(output.bounds, output.raw_bounds, (-farthest, farthest), strict=True):
        if bound is not None and abs(raw) <= farthest:
            ends.append(End(raw, bound))
        else:
            ends.append(None if math.isinf(limit) else End(limit, float(output.of(np.array(limit)))))
    return OutputPlan(LINKS[output.link], tuple(ends))


@dataclass(frozen=True)
class SplitPoint:
    """A split point between two neighbouring labels of an input.

    The share above is 1 from `high` on, ``(x - low) / width`` between `start` and `high`, and 0 up to `start`.
    These are exactly the numbers of the compiled kernel: whether a rule fires may depend on the last bit.

    Attributes
    ----------
    input, number : int
        The input, and the index of the split point among those of the input.
    low, high : float
        The ends of the transition; equal if it is crisp.
    start : float
        `low`, or slightly more if rounding makes the transition overlap with the one before.
    width : float
        The divisor of the distance from `low`; 1 if the transition is crisp.
    """

    input: int
    number: int
    low: float
    high: float
    start: float
    width: float

    @property
    def crisp(self) -> bool:
        """Whether the transition is a step."""
        return self.start >= math.nextafter(self.high, -math.inf)


@dataclass(frozen=True)
class ConditionPlan:
    """The condition that an input has one of the labels from `first` to `last`.

    Its degree is the share above the split point before the first label, minus the share above the split point after
    the last label. For a nominal input it is 1 for the `codes` and 0 otherwise. For a triangle it is 1 at its second
    point and falls to 0 at the two others, after the value was clipped to the limits of the input.

    Attributes
    ----------
    input, first, last : int
        The input and the labels.
    below, above : int or None
        Indices of these split points in the plan; None if the range begins or ends with an outer label.
    codes : tuple of float or None
        The codes, for a nominal input.
    triangle : (float, float, float) or None
        The three points, if the label or set is a triangle; the degree stays 1 towards a point that is infinite.
    width : float
        The divisor of the distance from a triangle's second point when looking for the nearest rule.
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
        """Whether the distance of a row that does not match is a number of labels."""
        return self.codes is None and self.triangle is None


@dataclass(frozen=True)
class LabelPlan:
    """The output of a rule whose consequent is a label.

    It is ``middle + skew * lean``, where the lean depends on the degree h to which the rule fires: with u = 1 - h it is
    ``(1 + u + u * u) / (3 * (1 + u))``. If no rule fires, the output of the nearest rule is `whole`.

    Attributes
    ----------
    middle, skew : float
        The second point of the label's triangle, and the width of its right side minus that of its left side.
    whole : float
        The output of the rule if it fires fully.
    """

    middle: float
    skew: float
    whole: float


@dataclass(frozen=True)
class CurvePlan:
    """A curve, which is added to the output of every rule.

    Its value is ``intercept + slope * x`` plus, for each split point, the share above it times another such line.

    Attributes
    ----------
    input : int
        The input.
    split_points : tuple of int
        Indices of its split points in the plan's `curve_split_points`, from low to high.
    lines : tuple of (float, float)
        Intercepts and slopes: the first line, then one per split point.
    """

    input: int
    split_points: tuple[int, ...]
    lines: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class IntervalPlan:
    """The radius of prediction intervals.

    It is the mean of the rules' radii, weighted by their degrees, or the radius of the nearest rule if none fires. It
    is multiplied by one plus the sum, over inputs, of the distance from the training range as a share of the range.

    Attributes
    ----------
    coverage : float
        The share of rows to cover.
    radii : tuple of float
        The radius of each rule.
    ranges : dict of int to (float, float)
        The smallest and largest value in the training data, by input.
    """

    coverage: float
    radii: tuple[float, ...]
    ranges: dict[int, tuple[float, float]]


@dataclass(frozen=True)
class ColumnPlan:
    """A column of the user's table.

    Attributes
    ----------
    name : str
        The name.
    levels : tuple of str or None
        The categories; None for a column of numbers or dates.
    dates : DateFormat or None
        The format of the dates, for a column of dates.
    """

    name: str
    levels: tuple[str, ...] | None
    dates: DateFormat | None = None

    @property
    def holds_numbers(self) -> bool:
        """Whether the column has numbers, which may be NaN."""
        return self.levels is None and self.dates is None

    @property
    def holds_truth(self) -> bool:
        """Whether the column has truth values, which may be written in upper or lower case, or as 0 and 1."""
        return hold_truth(self.levels)


@dataclass(frozen=True)
class FillStep:
    """Estimates of inputs that are missing together: linear in the current values of all inputs.

    Attributes
    ----------
    inputs : tuple of int
        The inputs, all of one column.
    intercepts : tuple of float
        The intercept of each estimate.
    slopes : tuple of dict of int to float
        The non-zero slopes of each estimate, by input.
    """

    inputs: tuple[int, ...]
    intercepts: tuple[float, ...]
    slopes: tuple[dict[int, float], ...]


@dataclass(frozen=True)
class Filling:
    """How gaps are filled in: missing inputs start at their means, and rounds of steps improve these estimates.

    Attributes
    ----------
    inputs : tuple of int
        The inputs that are filled in from one another, in their order.
    means : dict of int to float
        The means of the inputs that can be missing.
    centres, slopes : tuple of float, tuple of tuples of float
        The mean of each of the `inputs`, and the slopes of its regression on all of them, around these means.
    n_rounds : int
        The number of rounds.
    steps : tuple of FillStep
        The steps of a round, in order; inputs that are missing together are one step.
    """

    inputs: tuple[int, ...]
    means: dict[int, float]
    centres: tuple[float, ...]
    slopes: tuple[tuple[float, ...], ...]
    n_rounds: int
    steps: tuple[FillStep, ...]

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The inputs that can be missing; inputs that are missing together form one group."""
        stepped = {j for step in self.steps for j in step.inputs}
        return [step.inputs for step in self.steps] + [(j,) for j in self.means if j not in stepped]


@dataclass(frozen=True)
class InputPlan:
    """From the columns of a table to the inputs of rules.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        The user's columns, each once.
    sources : tuple of Source
        The source of each input.
    needed : tuple of int
        The inputs that the prediction depends on, including those that only help to fill in others.
    filling : Filling or None
        How gaps are filled in; None: a row with a gap has no prediction.
    """

    columns: tuple[ColumnPlan, ...]
    sources: tuple[Source, ...]
    needed: tuple[int, ...]
    filling: Filling | None

    @property
    def plain(self) -> bool:
        """Whether the inputs are the columns themselves, and gaps are not filled in."""
        return (
            self.filling is None
            and all(isinstance(source, NumberSource) for source in self.sources)
            and [source.column for source in self.sources] == [column.name for column in self.columns]
        )

    @property
    def numeric(self) -> bool:
        """Whether all columns have numbers, or dates as numbers."""
        return all(column.levels is None for column in self.columns)

    @property
    def date_note(self) -> str:
        """A note on how to pass dates as numbers; empty without dates."""
        dated = [column for column in self.columns if column.dates is not None]
        if not dated:
            return ""
        names = quote_names([column.name for column in dated])
        zones = {column.dates.zone for column in dated if column.dates is not None} - {"", AS_WRITTEN}
        clock = f" of {' and '.join(sorted(zones))}" if zones else ""
        return f"Dates ({names}) are seconds since the start of 1970, in the local time{clock}."

    def place_of(self, feature: int) -> int:
        """Return the index of the source column of an input."""
        return [column.name for column in self.columns].index(self.sources[feature].column)

    def column_of(self, feature: int) -> ColumnPlan:
        """Return the source column of an input."""
        return self.columns[self.place_of(feature)]


@dataclass(frozen=True)
class ModelPlan:
    """The whole computation, step by step.

    Attributes
    ----------
    inputs : InputPlan
        How the columns of a table become the inputs of the rules.
    used : tuple of int
        The inputs on which the output depends.
    clips : dict of int to (float, float)
        The smallest and largest value of inputs that are clipped, before all other steps except the distance from the
        training data for intervals.
    split_points : tuple of SplitPoint
        The split points, ordered by input and number.
    conditions : tuple of ConditionPlan
        The distinct conditions, ordered by input.
    limits : dict of int to (float, float)
        The smallest and largest value of inputs with triangles; the conditions clip values to these limits.
    rules : tuple of tuples of int
        The indices of the conditions of each rule.
    covered : bool
        Whether at least one rule fires for every possible row; if not, the nearest rule may be needed.
    said : tuple of LabelPlan
        The output of each rule if consequents are labels; empty for linear consequents.
    curve_split_points : tuple of SplitPoint
        The split points of the curves, ordered by input and number.
    curves : tuple of CurvePlan
        The curves added to the output of the rules.
    interval : IntervalPlan or None
        The radius of prediction intervals, if requested.
    output : OutputPlan or None
        The last step, for predictions and the ends of intervals; None if predictions are the output of the rules.
    """

    inputs: InputPlan
    used: tuple[int, ...]
    clips: dict[int, tuple[float, float]]
    split_points: tuple[SplitPoint, ...]
    conditions: tuple[ConditionPlan, ...]
    limits: dict[int, tuple[float, float]]
    rules: tuple[tuple[int, ...], ...]
    covered: bool
    said: tuple[LabelPlan, ...]
    curve_split_points: tuple[SplitPoint, ...]
    curves: tuple[CurvePlan, ...]
    interval: IntervalPlan | None
    output: OutputPlan | None

    def split_points_of(self, feature: int) -> list[int]:
        """Return the indices of an input's split points, from low to high."""
        return [number for number, split_point in enumerate(self.split_points) if split_point.input == feature]


def make_model_plan(
    rule_base: RuleBase, coverage: float | None = None, gaps: bool | Collection[str] | None = True
) -> ModelPlan:
    """Plan the computation of an exported model.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    coverage : float, optional
        The coverage of prediction intervals, if requested.
    gaps : bool, collection of str or None, default=True
        Whether to fill in gaps, if the rule base has estimates for them; or the columns whose gaps to fill in. None
        are the columns that had gaps in the training table, if that is known; if not, all.

    Raises
    ------
    ValueError
        If `gaps` names columns that do not exist or cannot be filled in, or a column has values of two kinds.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0, 20.0], (0.0, 30.0)))
    >>> plan = make_model_plan(RuleBase([temperature], [[[0, 0]], [[1, 2]]], [[25.0, -1.0], [5.25, 0.0]]))
    >>> plan.split_points
    (SplitPoint(input=0, number=0, low=5.0, high=15.0, start=5.0, width=10.0),)
    >>> plan.rules, plan.covered
    (((0,), (1,)), True)
    >>> plan.inputs.columns
    (ColumnPlan(name='temperature', levels=None, dates=None),)
    """
    interval = None
    if coverage is not None:
        radii = require_intervals(rule_base).radii(coverage)
        interval = IntervalPlan(coverage, tuple(radii.tolist()), training_ranges(rule_base))
    used = tuple(int(j) for j in np.flatnonzero(rule_base.uses))
    antecedents: list[list[Condition]] = [[]]
    # A single rule predicts every row, whether it fires or is merely the nearest rule.
    alone = rule_base.n_rules == 1 and not rule_base.consequents.depend_on_degrees
    if alone:
        own = {*rule_base.consequents.terms(0), *(curve.input for curve in rule_base.curves)}
        used = tuple(sorted(own if interval is None else own | set(interval.ranges)))
    else:
        antecedents = [list(rule_base.antecedents.conditions(rule)) for rule in range(rule_base.n_rules)]
    covered = alone or rule_base.antecedents.covers_everything()
    keys = sorted({key for own in antecedents for key in own})
    order = {key: number for number, key in enumerate(keys)}
    split_points = _split_points(rule_base, keys, every=not covered)
    curve_split_points, curves = _curves(rule_base)
    return ModelPlan(
        inputs=_input_plan(rule_base, used, gaps),
        used=used,
        clips=_clips(rule_base, used),
        split_points=split_points,
        conditions=_conditions(rule_base, keys, split_points),
        limits=_limits(rule_base, keys),
        rules=tuple(tuple(order[key] for key in own) for own in antecedents),
        covered=covered,
        said=_said(rule_base),
        curve_split_points=curve_split_points,
        curves=curves,
        interval=interval,
        output=make_output_plan(rule_base.output),
    )


def _conditions(
    rule_base: RuleBase, keys: Sequence[Condition], split_points: Sequence[SplitPoint]
) -> tuple[ConditionPlan, ...]:
    """Return the plan of each condition."""
    numbers = {(split_point.input, split_point.number): number for number, split_point in enumerate(split_points)}
    conditions = []
    for j, first, last in keys:
        partition = rule_base.antecedents.condition_inputs[j].partition
        if partition.of_triangles:
            a, b, c = partition.triangles[first].tolist()
            width = float(rule_base.antecedents.widths[j])
            conditions.append(ConditionPlan(j, first, last, triangle=(a, b, c), width=width))
        elif partition.ordered:
            conditions.append(ConditionPlan(j, first, last, numbers.get((j, first - 1)), numbers.get((j, last))))
        else:
            codes = tuple(code for group in partition.groups[first : last + 1] for code in group)
            conditions.append(ConditionPlan(j, first, last, codes=codes))
    return tuple(conditions)


def _clips(rule_base: RuleBase, used: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return the limits of inputs that are clipped."""
    low, high = rule_base.inputs.clips
    return {j: (float(low[j]), float(high[j])) for j in used if math.isfinite(low[j])}


def _limits(rule_base: RuleBase, keys: Sequence[Condition]) -> dict[int, tuple[float, float]]:
    """Return the ranges of inputs whose conditions are triangles."""
    partitions = {j: rule_base.antecedents.condition_inputs[j].partition for j, _, _ in keys}
    return {j: partition.range for j, partition in partitions.items() if partition.of_triangles}


def _said(rule_base: RuleBase) -> tuple[LabelPlan, ...]:
    """Return the outputs of rules whose consequents are labels."""
    wholes = enumerate(rule_base.consequents.intercepts.tolist())
    said = [(rule_base.consequents.triangle(rule), whole) for rule, whole in wholes]
    return tuple(LabelPlan(own[1], (own[2] - own[1]) - (own[1] - own[0]), whole) for own, whole in said if own)


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
        # The transition ends where rounding makes the quotient more than one.
        while (before := math.nextafter(high, -math.inf)) > start and (before - low) / width > 1.0:
            high = before
        split_points.append(SplitPoint(feature, split, low, high, start, width))
    return split_points


def _split_points(rule_base: RuleBase, keys: Sequence[Condition], *, every: bool) -> tuple[SplitPoint, ...]:
    """Return the split points of the conditions, or with `every` all of their inputs, for the nearest rule."""
    needed = {(j, split) for j, first, last in keys for split in (first - 1, last)}
    found = []
    for j in sorted({key[0] for key in keys}):
        split_points = split_points_of(rule_base.variables[j].partition, j)
        found += [split_point for split_point in split_points if every or (j, split_point.number) in needed]
    return tuple(found)


def _input_plan(rule_base: RuleBase, used: tuple[int, ...], gaps: bool | Collection[str] | None) -> InputPlan:
    """Plan how columns become inputs."""
    sources = tuple(variable.source for variable in rule_base.variables)
    columns = tuple(_column(name, sources) for name in rule_base.columns)
    if gaps is None:
        gaps = _columns_with_gaps(rule_base)
    elif not isinstance(gaps, bool):
        _require_columns(gaps, rule_base)
    filled = gaps if not isinstance(gaps, bool) else rule_base.columns if gaps else ()
    filling = _filling(rule_base, sources, filled)
    return InputPlan(columns, sources, used if filling is None else filling.inputs, filling)


def _columns_with_gaps(rule_base: RuleBase) -> bool | Collection[str]:
    """Return the columns that had gaps in the training table; true if that is not known."""
    gaps = rule_base.gaps
    if gaps is None or gaps.shares is None:
        return True
    return {rule_base.variables[j].source.column for j, share in zip(gaps.inputs, gaps.shares, strict=True) if share}


def _require_columns(gaps: Collection[str], rule_base: RuleBase) -> None:
    if isinstance(gaps, str) or not isinstance(gaps, Collection):
        raise ValueError(f"gaps must be True, False or a list of columns; got {gaps!r}.")
    unknown = [name for name in gaps if name not in rule_base.columns]
    if unknown:
        raise ValueError(f"There is no column {unknown[0]!r}; the columns are {quote_names(rule_base.columns)}.")
    if rule_base.gaps is None:
        raise ValueError("This model has no estimates for missing values; leave out the option gaps.")


def _column(name: str, sources: Collection[Source]) -> ColumnPlan:
    own = [source for source in sources if source.column == name]
    dates = [source.dates for source in own if isinstance(source, DateSource)]
    levels = [source.levels for source in own if isinstance(source, LevelSource) and not source.of_dates]
    kinds = {"numbers": any(isinstance(source, NumberSource) for source in own), "categories": levels, "dates": dates}
    held = [kind for kind, found in kinds.items() if found]
    if len(held) > 1:
        raise ValueError(f"The column {name!r} has {held[0]} for one input and {held[1]} for another; rename one.")
    known = tuple(dict.fromkeys(level for each in levels for level in each)) if levels else None
    return ColumnPlan(name, known, dates[0] if dates else None)


def _filling(rule_base: RuleBase, sources: tuple[Source, ...], columns: Collection[str]) -> Filling | None:
    gaps = rule_base.gaps
    if gaps is None:
        return None
    inputs = gaps.inputs
    own = [sources[j] for j in inputs]
    can_miss = [place for place, one in enumerate(own) if not one.tells_gaps and one.column in columns]
    if not can_miss:
        return None
    blocks = [list(block) for _, block in groupby(can_miss, key=lambda place: _together(own[place], place))]
    # Blocks without slopes stay at their means.
    steps = tuple(_step(block, inputs, gaps.means, gaps.slopes) for block in blocks if gaps.slopes[block].any())
    alone = len(steps) == 1 and len(steps[0].inputs) == 1
    return Filling(
        inputs,
        means={inputs[place]: float(gaps.means[place]) for place in can_miss},
        centres=tuple(gaps.means.tolist()),
        slopes=tuple(map(tuple, gaps.slopes.tolist())),
        n_rounds=0 if not steps else 1 if alone else N_SWEEPS,
        steps=steps,
    )


def _together(source: Source, place: int) -> object:
    """Return a key that is equal for neighbouring inputs that are missing in the same rows."""
    match source:
        case LevelSource():
            return source.column, source.levels
        case DateSource():
            return source.column
    return place


def _step(block: list[int], inputs: tuple[int, ...], means: Floats, slopes: Floats) -> FillStep:
    """Return the estimates of inputs that are updated one by one, as linear functions of the values before the step."""
    found: dict[int, Floats] = {}
    for place in block:
        own, earlier = slopes[place].copy(), list(found)
        own[earlier] = 0.0
        found[place] = own + sum(slopes[place, other] * found[other] for other in earlier)
    return FillStep(
        tuple(inputs[place] for place in block),
        tuple(float(means[place] - row @ means) for place, row in found.items()),
        tuple({j: slope for j, slope in zip(inputs, row.tolist(), strict=True) if slope} for row in found.values()),
    )


def unknown_source(source: Source) -> TypeError:
    """Return the error for a source that cannot be exported."""
    return TypeError(f"A {type(source).__name__} cannot be exported.")
