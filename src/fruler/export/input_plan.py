"""How the columns of a user's table become the inputs of exported rules, and how gaps are filled in."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby

from fruler._typing import Floats
from fruler._wording import quote_names
from fruler.export.plan import Plan
from fruler.rules.rule_base import RuleBase
from fruler.table.date_formats import AS_WRITTEN, DateFormat
from fruler.table.date_sources import DateSource
from fruler.table.gaps import N_SWEEPS
from fruler.table.sources import LevelSource, NumberSource, Source
from fruler.table.texts import TRUTH_VALUES


@dataclass(frozen=True)
class Column:
    """A column of the user's table.

    Attributes
    ----------
    name : str
        Its name.
    levels : tuple of str or None
        Its categories; None: it holds numbers or dates.
    dates : DateFormat or None
        How dates are written that it holds.
    """

    name: str
    levels: tuple[str, ...] | None
    dates: DateFormat | None = None

    @property
    def holds_truth(self) -> bool:
        """Whether it holds truth values, which are known in any case of their letters."""
        return self.levels == TRUTH_VALUES


@dataclass(frozen=True)
class FillStep:
    """What is taken for inputs that are missing together: linear in all inputs as they are by then.

    Attributes
    ----------
    inputs : tuple of int
        The inputs, all of one column.
    intercepts : tuple of float
        The constant of each.
    slopes : tuple of dict of int to float
        The slopes of each by input; those that are zero are left out.
    """

    inputs: tuple[int, ...]
    intercepts: tuple[float, ...]
    slopes: tuple[dict[int, float], ...]


@dataclass(frozen=True)
class Filling:
    """How gaps are filled in: missing inputs begin at their means, and the steps go over them in rounds.

    Attributes
    ----------
    inputs : tuple of int
        The inputs that are filled in from one another, in their order.
    means : dict of int to float
        The means of those that can be missing.
    centres, slopes : tuple of float, tuple of tuples of float
        The mean of each of the `inputs`, and the slopes of its regression on all of them, around these means.
    n_rounds : int
        The number of rounds.
    steps : tuple of FillStep
        What a round does, in this order; inputs that are missing together are one step.
    """

    inputs: tuple[int, ...]
    means: dict[int, float]
    centres: tuple[float, ...]
    slopes: tuple[tuple[float, ...], ...]
    n_rounds: int
    steps: tuple[FillStep, ...]

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The inputs that can be missing, those that are missing together in one group."""
        stepped = {j for step in self.steps for j in step.inputs}
        return [step.inputs for step in self.steps] + [(j,) for j in self.means if j not in stepped]


@dataclass(frozen=True)
class InputPlan:
    """From the columns of a table to the inputs of rules.

    Attributes
    ----------
    columns : tuple of Column
        The user's columns, each once.
    sources : tuple of Source
        Where each input comes from.
    needed : tuple of int
        The inputs that the prediction depends on, also by filling in others.
    filling : Filling or None
        What is done about gaps; None: a row with a gap has no prediction.
    """

    columns: tuple[Column, ...]
    sources: tuple[Source, ...]
    needed: tuple[int, ...]
    filling: Filling | None

    @property
    def plain(self) -> bool:
        """Whether the inputs are the columns themselves, and nothing is done about gaps."""
        return (
            self.filling is None
            and all(isinstance(source, NumberSource) for source in self.sources)
            and [source.column for source in self.sources] == [column.name for column in self.columns]
        )

    @property
    def numeric(self) -> bool:
        """Whether all columns hold numbers, or dates as numbers."""
        return all(column.levels is None for column in self.columns)

    @property
    def date_note(self) -> str:
        """What a caller must know who gives dates as numbers; empty where there are none."""
        dated = [column for column in self.columns if column.dates is not None]
        if not dated:
            return ""
        names = quote_names([column.name for column in dated])
        zones = {column.dates.zone for column in dated if column.dates is not None} - {"", AS_WRITTEN}
        clock = f" of {' and '.join(sorted(zones))}" if zones else ""
        return f"Dates ({names}) are seconds from the start of 1970 to what the clock{clock} shows."

    def date_of(self, feature: int) -> DateSource | None:
        """Return the source of an input, if it comes from a column of dates."""
        source = self.sources[feature]
        return source if isinstance(source, DateSource) else None

    def place_of(self, feature: int) -> int:
        """Return the number of the column that an input comes from."""
        return [column.name for column in self.columns].index(self.sources[feature].column)

    def column_of(self, feature: int) -> Column:
        """Return the column that an input comes from."""
        return self.columns[self.place_of(feature)]


def make_input_plan(rule_base: RuleBase, plan: Plan, gaps: bool | Collection[str] = True) -> InputPlan:
    """Find out how columns become inputs.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    plan : Plan
        What is computed from its inputs.
    gaps : bool or collection of str, default=True
        Whether to fill in gaps, where the rule base knows how; or the columns whose gaps are filled in.

    Examples
    --------
    >>> from fruler.export.plan import make_plan
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> rules = RuleBase([x], [[[0, 0]]], [[5.0, 2.0]])
    >>> make_input_plan(rules, make_plan(rules)).columns
    (Column(name='origin', levels=('a', 'b'), dates=None),)
    """
    sources = tuple(
        NumberSource(variable.name) if variable.source is None else variable.source for variable in rule_base.variables
    )
    columns = tuple(_column(name, sources) for name in rule_base.columns)
    if not isinstance(gaps, bool):
        _require_columns(gaps, rule_base)
    filling = None if gaps is False else _filling(rule_base, sources, None if gaps is True else gaps)
    return InputPlan(columns, sources, plan.used if filling is None else filling.inputs, filling)


def _require_columns(gaps: Collection[str], rule_base: RuleBase) -> None:
    if isinstance(gaps, str):
        raise ValueError(f"gaps must be True, False or a list of columns; got {gaps!r}.")
    unknown = [name for name in gaps if name not in rule_base.columns]
    if unknown:
        raise ValueError(f"There is no column {unknown[0]!r}; the columns are {quote_names(rule_base.columns)}.")
    if rule_base.gaps is None:
        raise ValueError("The rules do not know what to take for a missing value; leave out the option gaps.")


def _column(name: str, sources: Collection[Source]) -> Column:
    own = [source for source in sources if source.column == name]
    dates = [source.dates for source in own if isinstance(source, DateSource)]
    levels = [source.levels for source in own if isinstance(source, LevelSource) and not isinstance(source, DateSource)]
    kinds = {"numbers": any(isinstance(source, NumberSource) for source in own), "categories": levels, "dates": dates}
    held = [kind for kind, found in kinds.items() if found]
    if len(held) > 1:
        raise ValueError(f"The column {name!r} holds {held[0]} for one input and {held[1]} for another; rename one.")
    known = tuple(dict.fromkeys(level for each in levels for level in each)) if levels else None
    return Column(name, known, dates[0] if dates else None)


def _filling(rule_base: RuleBase, sources: tuple[Source, ...], columns: Collection[str] | None) -> Filling | None:
    gaps = rule_base.gaps
    if gaps is None or not gaps.inputs:
        return None
    inputs = gaps.inputs
    can_miss = [
        place
        for place, j in enumerate(inputs)
        if not sources[j].tells_gaps and (columns is None or sources[j].column in columns)
    ]
    if not can_miss:
        return None
    blocks = [list(block) for _, block in groupby(can_miss, key=lambda place: _together(sources[inputs[place]], place))]
    # Where a block has no slopes, it stays at its means.
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
    """Return what neighbours have in common that are missing in the same rows."""
    match source:
        case LevelSource():
            return source.column, source.levels
        case DateSource():
            return source.column
    return place


def _step(block: list[int], inputs: tuple[int, ...], means: Floats, slopes: Floats) -> FillStep:
    """Return what inputs come to one after the other, as linear in what all were before the first."""
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
