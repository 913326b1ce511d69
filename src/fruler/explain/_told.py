"""What a reader is told of a model: the one source of its printed forms (text, Markdown, LaTeX, notebook, data frame).

`told(rule_base)` returns a `Told`. It holds finished texts and no layout, so that a printer only arranges them:

- `title` and `story`: two or three sentences on what matters most, and how large errors are.
- `effects`: each thing that changes the output once, with a cell per rule. An `Effect` is the *net* effect of an input
  (slope and curve are one thing), of a column of categories, or of a state such as a missing value. `shared` are the
  effects that are the same in every rule, `own` the others. A column of categories whose amounts differ between rules
  by a factor only is one list of amounts, and its cells are strengths.
- `rules`: per rule its conditions, its share of the rows, its typical output and error, and its start.
- `notes`: the values that amounts per unit count from; where rules fade into each other; what labels stand for; inputs
  with small effects only; columns without any; the bounds of predictions.

A prediction is the start of its rule plus the amounts of all effects (with a logarithmic link, times their factors);
where rules fade into each other, it is the mean of the rules by their weights. Numbers are rounded so that a reader who
computes like this stays within a tenth of the typical error where one rule applies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._table.sources import LevelSource
from fruler._wording import (
    counted,
    name_with_unit,
    number_to_place,
    number_within,
    percent,
    printable,
    readable_number,
    unit_after,
    with_plus,
    with_unit,
)
from fruler.explain._conditions import GLUE, Said, conditions, fades, meaning, unclear
from fruler.explain._effects import accepted_levels, typical_outputs
from fruler.explain._scales import Scale, bounds_sentence, scale_of
from fruler.explain._story import miss_text, roundest, story_of
from fruler.rules._curves import Curve
from fruler.rules._features import Feature
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

# The error of a prediction that is computed from the text, as a share of the typical error; of the target's spread, if
# predictions are almost exact; and of the spread, if errors are not known.
_SHARE_OF_ERROR, _SHARE_OF_SPREAD, _UNKNOWN = 0.1, 0.002, 0.002
# The deviation of net effects from their points, as a share of that error.
_CURVED = 0.75
# The rounding of all amounts together, as a share of that error: amounts are rounded to powers of ten, most to less.
_ROUNDED = 1.6
# Beyond so many standard deviations points may be less exact, by this factor for each further one.
_CORE, _RARE = 1.5, 3.0
_HALF = 0.5
# Effects below this share of the target's spread in every rule are small. Those that are left out may together change
# predictions by this share of the typical error.
_SMALL, _LEFT_OUT = 0.01, 0.05
# The rounding of a typical output, as a share of the target's spread.
_ABOUT = 0.02
# Amounts per unit count from a round value this near to the typical one, as a share of the width of the input's rows.
_NEAR = 0.25
# Rounding of amounts per unit matters up to this many widths from there.
_FAR = 3.0
# The rounding of places on an axis, as a share of the input's range.
_SHARE_OF_RANGE = 0.002
# Net effects are told over so many widths to either side of the centre of a rule's rows.
_REACH = 1.5
# Points in each bend from which a net effect is simplified.
_BETWEEN = 12
# The effect per unit of an input is not informative if the input ranges over less than this.
_LEAST_WIDTH = 0.5
# A category occurs in a rule if so many of its rows have it.
_OCCURS = 0.5
# More names than this are counted, not named; of more categories with the same amount none is.
_MAX_NAMED, _MAX_OTHERS = 8, 3
_SEPARATOR = " · "
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Effect:
    """One thing that changes the output, and by how much in each rule.

    Attributes
    ----------
    name : str
        The input, the column of categories, or a state such as "workingday = 0".
    cells : tuple of str
        The amounts in each rule: a change per unit, points to be joined by straight lines, amounts of categories or a
        strength; empty where the rule has no such effect.
    constants : ndarray of shape (n_rules,)
        The part of each rule's output where the amounts are zero.
    size : float
        The largest change over the rows of a rule, before the link.
    per : str
        The step of an amount per unit, e.g. "per 10 years".
    zero : str
        The value that amounts per unit count from.
    amounts : str
        The list of amounts whose strength the cells tell.
    """

    name: str
    cells: tuple[str, ...]
    constants: Floats
    size: float
    per: str = ""
    zero: str = ""
    amounts: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether the effect is the same in every rule."""
        return len(set(self.cells)) == 1

    @property
    def is_list(self) -> bool:
        """Whether cells are lists of points or of categories, too long for a table of rules."""
        return any(_SEPARATOR in cell for cell in self.cells)

    @property
    def by_rules(self) -> dict[str, str]:
        """The lists of amounts with the rules that they are for: {"age (rules 1 to 3)": "-2 at 20 · 0 at 40"}."""
        if self.amounts:
            return {f"{self.name} (×{GLUE}1)": self.amounts}
        cells = dict.fromkeys(filter(None, self.cells))
        owners = [[rule for rule, own in enumerate(self.cells, 1) if own == cell] for cell in cells]
        return {f"{self.name} ({rules_named(own)})": cell for cell, own in zip(cells, owners, strict=True)}

    @property
    def head(self) -> str:
        """The name with the step, as the head of a row."""
        return f"{self.name}, {self.per}" if self.per else self.name

    def said(self, rule: int) -> str:
        """Return the effect in a rule as a line: "age: +1.3 per year"."""
        return f"{self.name}: {self.cells[rule]} {self.per}".rstrip()


@dataclass(frozen=True)
class ToldRule:
    """A rule: where it applies, and what its output starts from.

    Attributes
    ----------
    number : int
        The number of the rule, from 1.
    conditions : tuple of Said
        The conditions.
    share : str
        The share of the training rows, e.g. "24%"; empty if it is not known.
    typical : str
        The typical output; empty if it is not known.
    miss : str
        The error that half of the predictions stay below where the rule applies; empty if it is not known.
    start : str
        The output where the amounts of all effects are zero.
    label : str
        The label of the output, if it has one.
    """

    number: int
    conditions: tuple[Said, ...]
    share: str
    typical: str
    miss: str
    start: str
    label: str = ""

    @property
    def condition(self) -> str:
        """The antecedent in words; empty if the rule applies everywhere."""
        return " and ".join(map(str, self.conditions))


@dataclass(frozen=True)
class Told:
    """What a reader is told of a model; the description of the module has the details."""

    title: str
    target: str
    story: tuple[str, ...]
    effects: tuple[Effect, ...]
    rules: tuple[ToldRule, ...]
    notes: tuple[str, ...]

    @property
    def shared(self) -> list[Effect]:
        """The effects that are the same in every rule."""
        return [effect for effect in self.effects if effect.is_shared]

    @property
    def own(self) -> list[Effect]:
        """The effects that differ between rules."""
        return [effect for effect in self.effects if not effect.is_shared]

    @property
    def is_formula(self) -> bool:
        """Whether there is a single rule, which applies everywhere."""
        return len(self.rules) == 1 and not self.rules[0].conditions

    @property
    def always(self) -> list[str]:
        """What holds for all rows: the shared effects; with a single rule, everything."""
        if not self.is_formula:
            return [effect.said(0) for effect in self.shared]
        return [self.facts(self.rules[0]), *(effect.said(0) for effect in self.effects)]

    def facts(self, rule: ToldRule) -> str:
        """Return the output and the error of a rule: "typical price 210; half miss by less than 12; start 190"."""
        said = {
            f"{self.target} is ": rule.label,
            f"typical {self.target} ": rule.typical,
            "half miss by less than ": rule.miss,
            "start ": rule.start,
        }
        return "; ".join(f"{words}{number}" for words, number in said.items() if number)

    @property
    def rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """The rules side by side: the rows of a table with a column per rule, each a head and its cells."""
        subjects = dict.fromkeys(one.subject for rule in self.rules for one in rule.conditions)
        found = [
            (
                subject,
                tuple(
                    " and ".join(one.short for one in rule.conditions if one.subject == subject) for rule in self.rules
                ),
            )
            for subject in subjects
        ]
        found += [(head, tuple(getattr(rule, name) for rule in self.rules)) for head, name in self.heads.items()]
        found += [(effect.head, effect.cells) for effect in self.own if not effect.is_list]
        return [(head, cells) for head, cells in found if any(cells)]

    @property
    def heads(self) -> dict[str, str]:
        """The heads of rows with a text per rule, and the attribute of the rule."""
        return {
            "share of rows": "share",
            f"typical {self.target}": "typical",
            "half miss by less than": "miss",
            "label": "label",
            "start": "start",
        }

    @property
    def strengths(self) -> dict[str, str]:
        """The lists of amounts whose strengths the cells tell, by their heads."""
        return {head: text for effect in self.own if effect.amounts for head, text in effect.by_rules.items()}

    @property
    def lists(self) -> dict[str, str]:
        """The lists below a table of rules, by their heads: points, and amounts of categories."""
        found: dict[str, str] = {}
        for effect in self.own:
            found |= effect.by_rules if effect.amounts or effect.is_list else {}
        return found


def told(rule_base: RuleBase) -> Told:
    r"""Return what a reader is told of a model.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([0.5], (0.0, 1.0))) for name in "xz")
    >>> page = told(RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[1.0, 0.0, 2.0], [3.0, -1.0, 2.0]]))
    >>> [effect.said(0) for effect in page.shared], [effect.said(1) for effect in page.own]
    (['z: +2 per\xa0unit'], ['x: -1 per\xa0unit'])
    >>> page.rows
    [('x', ('under\xa00.5', 'over\xa00.5')), ('start', ('1', '3')), ('x, per\xa0unit', ('', '-1'))]
    """
    # The squares of enormous numbers, which a file may hold, are infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        return _Teller(_with_printable_names(rule_base)).told()


def told_frame(rule_base: RuleBase) -> pd.DataFrame:
    """Return the rules side by side as a table of texts, with all effects and lists in the cells."""
    page = told(rule_base)
    rows = dict(page.rows) | {effect.head: effect.cells for effect in page.effects}
    found = {
        head.replace(GLUE, " "): [cell.replace(GLUE, " ") or "–" for cell in cells] for head, cells in rows.items()
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=[rule.number for rule in page.rules])


def _with_printable_names(rule_base: RuleBase) -> RuleBase:
    """Return rules in whose names the characters that a terminal would obey, such as line ends, are escapes."""
    said, variables = rule_base.consequents, []
    for one in rule_base.variables:
        source = replace(one.source, column=printable(one.column))
        if isinstance(source, LevelSource):
            source = replace(source, levels=tuple(map(printable, source.levels)))
        labels = one.partition.renamed([*map(printable, one.partition.labels)])
        variables.append(Variable(printable(one.name), labels, printable(one.unit), source))
    if said.partition is not None:
        said = said.relabelled([*map(printable, said.partition.labels)])
    target, unit = printable(rule_base.target_name), printable(rule_base.target_unit)
    named = replace(rule_base, variables=tuple(variables), consequents=said, target_name=target, target_unit=unit)
    return rule_base if named == rule_base else named


@dataclass(frozen=True, eq=False)
class _Term:
    """An effect before it is written: its inputs, its size in each rule, and who writes it."""

    name: str
    inputs: tuple[int, ...]
    sizes: Floats
    averages: Floats
    write: Callable[[], Effect]


@dataclass(frozen=True, eq=False)
class _Teller:
    rule_base: RuleBase

    def told(self) -> Told:
        rules = self.rule_base
        effects = [term.write() for term in self.kept]
        effects.sort(key=lambda effect: -effect.size)
        return Told(
            title=title_of(rules),
            target=rules.target_name,
            story=story_of(rules),
            effects=tuple(effects),
            rules=tuple(self._rule(rule, effects) for rule in range(rules.n_rules)),
            notes=tuple(filter(None, self._notes(effects))),
        )

    def _notes(self, effects: Sequence[Effect]) -> list[str]:
        """Return what a reader needs to compute predictions, and what the rules leave out."""
        rules = self.rule_base
        zeros = ", ".join(f"{effect.name}{GLUE}{effect.zero}" for effect in effects if effect.zero)
        meet = "; ".join(f"{name} from {' and from '.join(zones)}" for name, zones in fades(rules).items())
        lists = "; × 0.5 is half of the list of that name" if any(effect.amounts for effect in effects) else ""
        mixed = "; where rules fade, mix their predictions" if meet else ""
        add = "add" if rules.output.transform.keeps_units else "apply"
        return [
            f"To predict, {add} the amounts of the rule and of all rows to start{lists}{mixed}"
            if rules.n_rules > 1
            else "",
            f"Amounts count from {zeros}" if zeros else "",
            f"Rules fade into each other: {meet}" if meet else "",
            *(f"{variable.name}: {meaning(variable)}" for variable in unclear(rules)),
            self._beyond(effects),
            self._small(),
            unused_sentence(rules),
            bounds_sentence(rules),
        ]

    # Sizes and precision

    @cached_property
    def scale(self) -> Scale:
        return scale_of(self.rule_base)

    @cached_property
    def spread(self) -> float:
        return self.rule_base.background.spread

    @cached_property
    def precision(self) -> float:
        """The error that a computed prediction may have, before the link."""
        background = self.rule_base.background
        if background.misses is None:
            return _UNKNOWN * self.spread
        return max(_SHARE_OF_ERROR * background.misses[0], _SHARE_OF_SPREAD * self.spread)

    @cached_property
    def centres(self) -> Floats:
        """The mean of each input over the rows of each rule; the typical value if it is not known."""
        background = self.rule_base.background
        if background.places is not None:
            return background.places[0]
        return np.tile(background.typical, (self.rule_base.n_rules, 1))

    @cached_property
    def terms(self) -> list[_Term]:
        """All terms of the rules."""
        rules = self.rule_base
        curved = {curve.input for curve in rules.curves}
        used = set(rules.consequents.inputs.tolist()) | curved
        found = []
        for feature in rules.features:
            if not used.intersection(feature.inputs):
                continue
            j = feature.inputs[0]
            if feature.has_levels:
                found += self._categories(feature)
            elif j in curved:
                found.append(self._curved(j, rules.curve_of(j)))
            elif rules.variables[j].tells_gaps or rules.background.is_binary(j):
                found.append(self._switch(j))
            else:
                found.append(self._sloped(j))
        return found

    @cached_property
    def left_out(self) -> list[_Term]:
        """The terms that are small in every rule, as long as all of them together are."""
        if not self.rule_base.background.known:
            return []
        found: list[_Term] = []
        total, most = 0.0, _LEFT_OUT / _SHARE_OF_ERROR * self.precision
        # The squares of very large effects would overflow.
        unit = max(most, _SMALL * self.spread) or 1.0
        for term in sorted(self.terms, key=lambda one: float(one.sizes.max())):
            # A size is two standard deviations.
            if term.sizes.max() >= _SMALL * self.spread:
                break
            total += (float(term.sizes.max()) / unit / 2.0) ** 2
            if total > (most / unit) ** 2:
                break
            found.append(term)
        return found

    @cached_property
    def kept(self) -> list[_Term]:
        return [term for term in self.terms if term not in self.left_out]

    @cached_property
    def tolerance(self) -> float:
        """The rounding error of the amounts of one term."""
        return _ROUNDED * self.precision / math.sqrt(max(len(self.kept), 1.0) + 1.0)

    # Words

    def _amount(self, change: float, tolerance: float) -> str:
        """Write a change with the same number of places as others."""
        found = self.scale.change(change, tolerance)
        return found.marked(with_plus(_tidy(number_to_place(found.number, found.tolerance))))

    def _place(self, variable: Variable, number: float, tolerance: float) -> str:
        return with_unit(variable.number_text(number, tolerance), variable.value_unit).replace(" ", GLUE)

    def _rule(self, rule: int, effects: Sequence[Effect]) -> ToldRule:
        rules = self.rule_base
        start = float(rules.consequents.intercepts[rule])
        start += sum(float(effect.constants[rule]) for effect in effects)
        start += sum(float(term.averages[rule]) for term in self.left_out)
        target = self.scale.target(start)
        label = rules.consequents.label(rule) or ""
        known = rules.background.places is not None
        typical = float(typical_outputs(rules)[rule])
        return ToldRule(
            number=rule + 1,
            conditions=tuple(conditions(rules, rule)),
            share="" if rules.support is None else percent(float(rules.support[rule])),
            typical=self.scale.written(typical, _ABOUT * self.spread) if known or label else "",
            # The story has the error of a single rule.
            miss="" if rules.is_formula else miss_text(rules, rule),
            start="" if label else _tidy(number_to_place(target, self.scale.tolerance(target, self.tolerance))),
            label=label,
        )

    def _small(self) -> str:
        """Name the inputs that are left out, with the size of their effects."""
        if not self.left_out:
            return ""
        largest = self.scale.change(max(float(term.sizes.max()) for term in self.left_out), self.tolerance)
        most = largest.marked(readable_number(largest.number, 1))
        return f"Small in every rule (at most {most}): {_named([term.name for term in self.left_out], 'input')}"

    def _beyond(self, effects: Sequence[Effect]) -> str:
        if not any(" at " in cell for effect in effects for cell in effect.cells):
            return ""
        if self.rule_base.extrapolation == "clip":
            return "Points are joined by straight lines; values beyond the training range count as its ends."
        return "Points are joined by straight lines, which go on beyond the ends."

    # The terms

    def _sloped(self, j: int) -> _Term:
        rules, slopes = self.rule_base, self.rule_base.slopes[:, j]
        sizes = np.abs(slopes) * rules.background.widths[:, j]
        return _Term(rules.names[j], (j,), sizes, slopes * self.centres[:, j], lambda: self._slope(j, sizes))

    def _slope(self, j: int, sizes: Floats) -> Effect:
        """Write changes per unit, which count from a round value near the typical one."""
        rules, slopes, variable = self.rule_base, self.rule_base.slopes[:, j], self.rule_base.variables[j]
        width = float(rules.background.widths[:, j].max()) or 1.0
        known = rules.background.known
        zero = roundest(float(rules.background.typical[j]), _NEAR * width) if known else 0.0
        far = min(float(np.abs(rules.background.ranges[j] - zero).max()), _FAR * width) or 1.0
        step = step_of(float(np.abs(slopes).max()), width, _SMALL * self.spread)
        cells = []
        for slope in slopes.tolist():
            found = self.scale.change(slope * step, self.tolerance * step / far)
            cells.append(found.marked(with_plus(number_within(found.number, found.tolerance))) if slope else "")
        kept = self._not_small(cells, sizes)
        constants = slopes * np.where([bool(cell) for cell in kept], zero, self.centres[:, j])
        text = variable.written(zero) or with_unit(
            readable_number(zero, 15, grouped=not variable.counts_years), variable.unit
        )
        per = f"per{GLUE}{per_step(variable, step)}"
        return Effect(rules.names[j], kept, constants, float(sizes.max()), per, text.replace(" ", GLUE))

    def _not_small(self, cells: list[str], sizes: Floats) -> tuple[str, ...]:
        """Return cells without those of rules in which the effect is too small, unless it is the same in all rules."""
        if len(set(cells)) == 1 or not self.rule_base.background.known:
            return tuple(cells)
        return tuple(
            cell if size > self.tolerance / 2.0 else "" for cell, size in zip(cells, sizes.tolist(), strict=True)
        )

    def _switch(self, j: int) -> _Term:
        rules, slopes, variable = self.rule_base, self.rule_base.slopes[:, j], self.rule_base.variables[j]
        sizes = np.abs(slopes) * rules.background.widths[:, j]
        common = float(rules.background.typical[j] > 0.5)
        labels = variable.partition.labels
        if variable.tells_gaps:
            name = f"{variable.column} {'present' if common else 'missing'}"
        elif len(labels) == 2 and labels != variable.partition.default_labels:
            name = f"{variable.name} {labels[int(1.0 - common)]}"
        else:
            name = f"{variable.name} = {1.0 - common:.0f}"

        def write() -> Effect:
            changes = slopes * (1.0 - 2.0 * common)
            cells = [self._amount(change, self.tolerance) if change else "" for change in changes.tolist()]
            kept = self._not_small(cells, sizes)
            constants = slopes * np.where([bool(cell) for cell in kept], common, self.centres[:, j])
            return Effect(name.replace(" ", GLUE), kept, constants, float(sizes.max()))

        return _Term(name, (j,), sizes, slopes * self.centres[:, j], write)

    def _curved(self, j: int, curve: Curve | None) -> _Term:
        """Return the net effect of an input with a curve, which its slopes in the rules are part of."""
        rules, slopes = self.rule_base, self.rule_base.slopes[:, j]
        assert curve is not None
        lines = [self._outline(j, curve, np.arange(rules.n_rules) == rule) for rule in range(rules.n_rules)]
        widths = rules.background.widths[:, j]
        sizes = np.array([_span(*line, self.centres[rule, j], widths[rule]) for rule, line in enumerate(lines)])
        means = rules.background.curve_means
        at_centre = curve.values(self.centres[:, j]) if means is None else means[rules.curves.index(curve)]
        averages = slopes * self.centres[:, j] + at_centre

        def write() -> Effect:
            # Rules with the same slope share their points.
            owners = [int(np.flatnonzero(_alike(slopes, slope))[0]) for slope in slopes]
            common = [_alike(slopes, slopes[rule]) for rule in owners]
            lines = [self._outline(j, curve, own) for own in common]
            written = {
                rule: self._points(j, *self._simplified(j, common[rule], *lines[rule]), common[rule])
                for rule in set(owners)
            }
            found = [written[rule] for rule in owners]
            cells = self._not_small([text for text, _ in found], sizes)
            zeros = np.array([height for _, height in found])
            constants = np.where([bool(cell) for cell in cells], zeros, averages)
            return Effect(rules.names[j], cells, constants, float(sizes.max()))

        return _Term(rules.names[j], (j,), sizes, averages, write)

    def _outline(self, j: int, curve: Curve, owners: Flags) -> tuple[Floats, Floats]:
        """Return points of the net effect of an input in some rules with the same slope, where they can have rows."""
        rules, background = self.rule_base, self.rule_base.background
        least, most = background.ranges[j].tolist()
        low, high = most, least
        for rule in np.flatnonzero(owners).tolist():
            reach = _REACH * background.widths[rule, j]
            start, end = self.centres[rule, j] - reach, self.centres[rule, j] + reach
            if rules.looks_at[rule, j] and rules.antecedents.shares_labels:
                support = rules.variables[j].partition.trapezoid(*rules.antecedents.accepted(rule, j))
                start, end = max(start, min(support.start, most)), min(end, max(support.end, least))
            low, high = min(low, max(least, start)), max(high, min(most, end))
        rule = int(np.flatnonzero(owners)[0])
        few = background.values(j)
        if len(few) or background.counts(j):
            x = few if len(few) else np.arange(math.ceil(low), math.floor(high) + 1.0)
            inside = x[(low <= x) & (x <= high)]
            x = inside if len(inside) else x[:1]
            adds = curve.values(x)
        else:
            # Exponentials bend everywhere.
            n_between = _BETWEEN if self.rule_base.output.transform.keeps_units else 4 * _BETWEEN
            x, adds = curve.outline(low, high, _BETWEEN)
            if not rules.output.transform.keeps_units:
                grid = np.linspace(low, high, n_between)
                order = np.argsort(np.append(x, grid), kind="stable")
                x, adds = np.append(x, grid)[order], np.append(adds, curve.values(grid))[order]
        # Of points at one place the first and the last are kept, and only one without a jump.
        steps = np.diff(x) > 0.0
        ends = np.append(True, steps) | np.append(steps, True)
        x, adds = x[ends], (adds + rules.slopes[rule, j] * x)[ends]
        distinct = np.append(True, (np.diff(x) > 0.0) | (np.abs(np.diff(adds)) > 1e-9 * np.ptp(adds)))
        return x[distinct], adds[distinct]

    def _simplified(self, j: int, owners: Flags, x: Floats, adds: Floats) -> tuple[Floats, Floats]:
        """Return the fewest points whose straight lines are close to all points, most of all where the rows are."""
        background = self.rule_base.background
        widths, centres = background.widths[owners, j] / 2.0, self.centres[owners, j]
        away = np.abs(x[:, None] - centres) / np.where(widths > 0.0, widths, 1.0)
        away = away.min(axis=1)
        close = (
            max(_CURVED * self._exactness(owners), 0.0 if background.misses else _SMALL * self.spread)
            / math.sqrt(max(self.rule_base.n_curves, 1))
            * (1.0 + _RARE * np.clip(away - _CORE, 0.0, 2.0))
        )
        middle = float(np.median(adds))
        heights = self.scale.changes(adds - middle)
        if not self.rule_base.output.transform.keeps_units:
            found, at = _fewest(x, heights, close * heights)
            return found, np.log(np.maximum(at, 1e-300)) + middle
        found, at = _fewest(x, heights, close)
        return found, at + middle

    def _exactness(self, owners: Flags) -> float:
        """Return the error that predictions of some rules may have: a share of the least of their typical errors."""
        intervals = self.rule_base.intervals
        if intervals is None or intervals.coverages[-1] < _HALF:
            return self.precision
        return max(self.precision, _SHARE_OF_ERROR * float(intervals.radii(_HALF)[owners].min()))

    def _points(self, j: int, x: Floats, adds: Floats, owners: Flags) -> tuple[str, float]:
        """Write the points of a net effect, and return its height at the point that has the amount 0."""
        variable = self.rule_base.variables[j]
        centre = float(np.average(self.centres[owners, j], weights=self.rule_base.background.shares[owners] + 1e-9))
        zero = float(adds[int(np.abs(x - centre).argmin())])
        low, high = self.rule_base.background.ranges[j].tolist()
        jumps = [*(np.diff(x) == 0.0).tolist(), False]
        places = [variable.number_text(place, _SHARE_OF_RANGE * (high - low)) for place in x.tolist()]
        if variable.written(0.0) is None and len(x) > 1 and not any(jumps):
            # Amounts are those at the places as they are written, which may be a little beyond the ends.
            written = np.array([float(place.replace(",", "")) for place in places])
            piece = np.clip(np.searchsorted(x, written, side="right"), 1, len(x) - 1) - 1
            adds = adds[piece] + (np.diff(adds) / np.diff(x))[piece] * (written - x[piece])
            zero = float(adds[int(np.abs(x - centre).argmin())])
        said = [
            f"{self._amount(add - zero, self.tolerance)} {'just below' if jump else 'at'} {place}".replace(" ", GLUE)
            for place, add, jump in zip(places, adds.tolist(), jumps, strict=True)
        ]
        unit = f"{GLUE}{variable.value_unit}" if variable.value_unit else ""
        return _SEPARATOR.join(said) + unit, zero

    def _categories(self, feature: Feature) -> list[_Term]:
        """Return the amounts of a column of categories: one term, or one for each of its numberings."""
        rules, weights = self.rule_base, self._occurring(feature)
        numbers = np.array([option.values for option in feature.options])
        names = [f"{feature.name} (list {k})" if k > 1 else feature.name for k in range(1, len(feature.inputs) + 1)]
        joint = rules.slopes[:, feature.index] @ numbers.T
        if len(names) > 1 and not rules.variables[feature.inputs[0]].is_indicator:
            offsets = joint - joint[:, [int(weights.sum(axis=0).argmax())]]
            strengths, shape = _one_shape(offsets, weights, np.ones(len(joint), dtype=np.bool_))
            if np.abs(offsets - np.outer(strengths, shape))[weights > 0.0].max() > self.precision:
                parts = [rules.slopes[:, [j]] * column for j, column in zip(feature.inputs, numbers.T, strict=True)]
                return [self._amounts(name, feature, own, weights) for name, own in zip(names, parts, strict=True)]
        return [self._amounts(feature.name, feature, joint, weights)]

    def _amounts(self, name: str, feature: Feature, amounts: Floats, weights: Floats) -> _Term:
        means = (weights * amounts).sum(axis=1) / weights.sum(axis=1)
        sizes = 2.0 * np.sqrt((weights * np.square(amounts - means[:, None])).sum(axis=1) / weights.sum(axis=1))
        levels = [option.text for option in feature.options]
        return _Term(
            name, feature.inputs, sizes, means, lambda: self._lists(name, levels, amounts, weights, sizes, means)
        )

    def _occurring(self, feature: Feature) -> Floats:
        """Return the number of rows of each category in each rule; 0 and 1 if they are not known."""
        rules, known = self.rule_base, self.rule_base.background.level_rows(feature)
        if known is not None:
            weights = np.array(known)
        else:
            names = [option.text for option in feature.options]
            accepted = [accepted_levels(rules, rule, feature) for rule in range(rules.n_rules)]
            weights = np.array([[float(name in own) for name in names] for own in accepted])
        weights[weights < _OCCURS] = 0.0
        weights[~weights.any(axis=1)] = 1.0
        return weights

    def _lists(
        self, name: str, names: list[str], amounts: Floats, weights: Floats, sizes: Floats, means: Floats
    ) -> Effect:
        """Write the amounts of categories: one list and its strengths if that is exact enough, else a list per rule."""
        common = int(weights.sum(axis=0).argmax())
        offsets = amounts - amounts[:, [common]]
        acts = ((weights > 0.0).sum(axis=1) > 1) & (sizes > self.tolerance / 2.0)
        strengths, shape = _one_shape(offsets, weights, acts)
        exact = np.abs(offsets - np.outer(strengths, shape))[weights > 0.0].max(initial=0.0) <= self.tolerance
        largest = np.abs(np.where(weights > 0.0, shape, 0.0)).max(axis=1)
        largest[largest == 0.0] = 1.0
        cells = [
            f"×{GLUE}{number_within(one, self.tolerance / most)}"
            for one, most in zip(strengths.tolist(), largest.tolist(), strict=True)
        ]
        at_common = amounts[:, common]
        if exact and len({cell for cell, own in zip(cells, acts, strict=True) if own}) == 1 and _same(strengths):
            text = self._list(names, shape * float(strengths.max()), (weights > 0.0).any(axis=0), common)
            return Effect(name, (text,) * len(amounts), at_common, float(sizes.max()))
        kept = [cell if own else "" for cell, own in zip(cells, acts, strict=True)]
        constants = np.where(acts, at_common, means)
        if exact and acts.sum() > 1:
            text = self._list(names, shape, (weights[acts] > 0.0).any(axis=0), common)
            return Effect(name, tuple(kept), constants, float(sizes.max()), amounts=text)
        lists = [
            self._list(names, own, occur > 0.0, common) if does else ""
            for own, occur, does in zip(offsets, weights, acts, strict=True)
        ]
        return Effect(name, tuple(lists), constants, float(sizes.max()))

    def _list(self, names: list[str], amounts: Floats, occurs: Any, common: int) -> str:
        """Write the amounts of categories in increasing order; nearly equal ones share an amount."""
        order = [int(k) for k in np.argsort(amounts, kind="stable") if occurs[k]]
        groups: list[list[int]] = []
        for k in order:
            near = groups and amounts[k] - amounts[groups[-1][0]] <= self.tolerance
            if near and (abs(amounts[k]) <= self.tolerance / 2.0) == (
                abs(amounts[groups[-1][0]]) <= self.tolerance / 2.0
            ):
                groups[-1].append(k)
            else:
                groups.append([k])
        parts, nothing = [], []
        for own in groups:
            many = len(own) > _MAX_OTHERS and len(own) == max(map(len, groups))
            who = "others" if many else ", ".join(names[k] for k in own)
            amount = self._amount(float(np.mean(amounts[own])), self.tolerance)
            if common in own or amount.strip("%") == "0":
                nothing.append(who)
            else:
                parts.append(f"{who} {amount}".replace(" ", GLUE))
        against = f" (against {', '.join(nothing)})".replace(" ", GLUE).replace(GLUE, " ", 1) if nothing else ""
        return _SEPARATOR.join(parts) + against


def title_of(rule_base: RuleBase) -> str:
    """Return the first line: the target with its unit, and the number of rules."""
    return f"{name_with_unit(rule_base.target_name, rule_base.target_unit)}: {counted(rule_base.n_rules, 'rule')}"


def rules_named(rules: Sequence[int]) -> str:
    """Name some rules.

    Examples
    --------
    >>> rules_named([4]), rules_named([1, 2, 3, 7])
    ('rule 4', 'rules 1 to 3 and 7')
    """
    runs: list[list[int]] = []
    for rule in rules:
        if runs and runs[-1][-1] == rule - 1:
            runs[-1].append(rule)
        else:
            runs.append([rule])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else " and ".join(map(str, run)) for run in runs]
    *others, last = [one for part in parts for one in part.split(" and ")]
    return f"rules {', '.join(others)} and {last}" if others else f"rule{'s' if len(rules) > 1 else ''} {last}"


def _tidy(number: str) -> str:
    """Return a written number without decimal places that are all zero."""
    whole, _, decimals = number.partition(".")
    return number if decimals.strip("0") else whole


def _same(numbers: Floats) -> bool:
    """Return whether numbers are equal but for rounding."""
    return bool(_alike(numbers, numbers[0]).all())


def _alike(numbers: Floats, number: float) -> Flags:
    """Return which numbers equal one of them but for rounding."""
    return np.asarray(np.abs(numbers - number) <= 1e-9 * np.abs(numbers).max(initial=0.0))


def _named(names: Sequence[str], noun: str) -> str:
    """Name a few of many."""
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {counted(more, f'more {noun}')}" if more > 0 else "")


def _span(x: Floats, heights: Floats, centre: float, width: float) -> float:
    """Return the range of a function over the width around a centre."""
    inside = np.clip(
        np.append(x, [centre - width / 2.0, centre + width / 2.0]), centre - width / 2.0, centre + width / 2.0
    )
    return float(np.ptp(np.interp(np.clip(inside, x[0], x[-1]), x, heights)))


def _fewest(x: Floats, heights: Floats, close: Floats) -> tuple[Floats, Floats]:
    """Return few points whose straight lines are close to all points: each line goes as far as it stays close."""
    places, at = [0], [float(heights[0])]
    while places[-1] < len(x) - 1:
        first, height = places[-1], at[-1]
        if x[first + 1] == x[first]:
            # A jump is kept: two points at one place.
            places.append(first + 1)
            at.append(float(heights[first + 1]))
            continue
        steepest, flattest, last = np.inf, -np.inf, first
        for k in range(first + 1, len(x)):
            if x[k] == x[k - 1]:
                break
            run = x[k] - x[first]
            over, under = (heights[k] + close[k] - height) / run, (heights[k] - close[k] - height) / run
            if max(flattest, under) > min(steepest, over):
                break
            steepest, flattest, last = min(steepest, over), max(flattest, under), k
        exact = (heights[last] - height) / (x[last] - x[first])
        at.append(height + float(np.clip(exact, flattest, steepest)) * float(x[last] - x[first]))
        places.append(last)
    return x[places], np.array(at)


def _one_shape(offsets: Floats, weights: Floats, acts: Floats) -> tuple[Floats, Floats]:
    """Return the strengths of rules and the list of amounts whose products are nearest to the amounts of rules."""
    weighted = offsets * np.sqrt(weights) * acts[:, None]
    if not weighted.any():
        return np.zeros(len(offsets)), np.zeros(offsets.shape[1])
    # The list is that of the direction with most weight, at the strength of the rule where it is strongest.
    direction = np.linalg.svd(offsets * acts[:, None])[2][0]
    strengths = (weights * offsets) @ direction / np.maximum(weights @ np.square(direction), 1e-300)
    # The strength is 1 where the list matters most, over all rows.
    strongest = strengths[int(np.abs(strengths * acts * weights.sum(axis=1)).argmax())]
    return strengths / strongest, direction * strongest


def step_of(slope: float, width: float, tolerance: float) -> float:
    """Return the step of an input for which a change is written: 1, or a power of ten that fits the width.

    Examples
    --------
    >>> step_of(-0.4, 12.0, 0.08), step_of(-0.0042, 1700.0, 0.08), step_of(342.0, 0.04, 0.08)
    (1.0, 1000.0, 0.01)
    """
    if width >= _LEAST_WIDTH and abs(slope) >= tolerance:
        return 1.0
    fitting = float(f"1e{math.floor(math.log10(width) + 1e-9)}")
    return fitting if width < _LEAST_WIDTH else max(fitting, 1.0)


def per_step(variable: Variable, step: float) -> str:
    r"""Write a step of an input in its unit, e.g. "°C" or "1,000 lb".

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> weight, count, age = (Variable("x", FuzzyPartition([], (0, 9)), unit) for unit in ("lb", "", "years"))
    >>> per_step(weight, 1.0), per_step(weight, 1000.0), per_step(count, 1.0), per_step(count, 0.01)
    ('lb', '1,000\xa0lb', 'unit', '0.01')
    >>> per_step(age, 1.0), per_step(age, 10.0)
    ('year', '10\xa0years')
    """
    # The count of a date begins with its unit: "years since 2015".
    counts = variable.source.counts.partition(" ")[0]
    counts = counts or ("years" if variable.counts_years else "")
    if step == 1.0:
        return counts.removesuffix("s") or unit_after("1", variable.unit) or "unit"
    return with_unit(readable_number(step, 1), counts or variable.unit).replace(" ", GLUE)


def unused_sentence(rule_base: RuleBase) -> str:
    """Name the columns that the rules do not use; "" if they use all columns.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "xz")
    >>> unused_sentence(RuleBase([x, z], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]]))
    'Not used: z'
    """
    pairs = zip(rule_base.variables, rule_base.uses, strict=True)
    used = {variable.column for variable, uses in pairs if uses}
    unused = [column for column in rule_base.columns if column not in used]
    return f"Not used: {_named(unused, 'column')}" if unused else ""
