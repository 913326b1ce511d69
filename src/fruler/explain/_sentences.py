"""Rules in words: the output at the typical row, the changes from there, and sentences on the whole model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fruler._arrays import Floats
from fruler._wording import (
    counted,
    in_groups,
    number_to_place,
    number_within,
    percent,
    readable_number,
    unit_after,
    with_plus,
    with_unit,
)
from fruler.explain._conditions import GLUE, label_meanings, listed
from fruler.explain._effects import (
    category_features,
    curve_parts,
    few_of,
    level_changes,
    level_offsets,
    signed_effects,
    typical_outputs,
    typical_rows,
)
from fruler.explain._scales import bounds_sentence, error_scale_of, scale_of
from fruler.rules._curves import Curve
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

Form = Literal["sentences", "equation"]
# The rounding error of a written output, as a share of the target's spread.
SHARE_OF_SPREAD = 0.01
# A number after "about" may have twice the rounding error.
_ABOUT = 2.0
# The rounding error of a written typical value: this share of the input's width where rules apply, and no more than
# changes the output by the share above.
_SHARE_OF_WIDTH = 0.05
# The effect per unit of an input is not informative if the input ranges over less than this.
_LEAST_WIDTH = 0.5
# More inputs than this that hardly matter are counted, not named.
_MAX_NAMED = 2
# The rounding error of printed split points, as a share of the input's range.
_SHARE_OF_RANGE = 0.002
_NOTHING = 1e-6
# The rounding error of printed errors, as a share of the target's spread.
_SHARE_OF_ERROR = 0.002
# Rules are named if their error is this many times the model's; of more than three only the worst.
_NOTEWORTHY = 1.25
_MAX_RULES_NAMED = 3
# More unused columns than this are counted, not named.
_MAX_UNUSED_NAMED = 8


@dataclass(frozen=True)
class Sentence:
    """The consequent of a rule in words.

    Attributes
    ----------
    about : str
        The output at the rule's typical row, e.g. "about -2.3 °C".
    label : str
        The label of the output, if the consequent is a label.
    changes : tuple of str
        The effects of inputs from the typical row on, the largest over the rule's rows first.
    curves : tuple of str
        The curves, which change every rule's output.
    categories : tuple of str
        The effects of categories, e.g. "origin: usa -1.3, japan +2.1".
    rest : str
        The inputs that hardly matter where the rule applies.
    """

    about: str
    label: str = ""
    changes: tuple[str, ...] = ()
    curves: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    rest: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The phrases after the output."""
        curves = " and ".join(part for part in (", ".join(self.curves[:-1]), *self.curves[-1:]) if part)
        changes = ", and ".join(part for part in (", ".join(self.changes), curves) if part)
        return tuple(part for part in (changes, *self.categories, self.rest) if part)

    def __str__(self) -> str:
        said = f"{self.label} ({self.about})" if self.label else self.about
        return "; ".join([said, *self.parts])


def sentence_of(rule_base: RuleBase, rule: int, typeset: Callable[[str], str] = str) -> Sentence | None:
    """Return the consequent of a rule in words; None for a linear consequent without a training summary.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    rule : int
        The number of the rule, from 0.
    typeset : callable, default=str
        A function applied to each written number, e.g. to give it a real minus sign.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rows = [[10.0, 1010.0], [14.0, 1020.0], [18.0, 1006.0]]
    >>> anything = FuzzyPartition([], (0.0, 2000.0))
    >>> inputs = [Variable("before", anything, "°C"), Variable("pressure", anything)]
    >>> line = RuleBase(inputs, [[[0, 0], [0, 0]]], [[413.0, 0.7, -0.4]], target_unit="°C")
    >>> print(str(sentence_of(line.with_training(rows, line.predict(rows)), 0)).replace(GLUE, " "))
    about 18.0 °C; -0.40 °C per unit of pressure (from 1,012.0), +0.70 °C per °C of before (from 14.0)
    """
    label = rule_base.consequents.label(rule)
    if label is None and rule_base.background.places is None:
        return None
    tolerance = SHARE_OF_SPREAD * rule_base.background.spread
    about = _about(rule_base, float(typical_outputs(rule_base)[rule]), tolerance, typeset)
    if label is not None:
        return Sentence(about, label)
    return _Teller(rule_base, rule, typical_rows(rule_base)[rule], tolerance, typeset).sentence(about)


def _about(rule_base: RuleBase, target: float, tolerance: float, typeset: Callable[[str], str]) -> str:
    number = typeset(number_to_place(target, scale_of(rule_base).tolerance(target, _ABOUT * tolerance)))
    return with_unit(f"about {number}", rule_base.target_unit).replace(" ", GLUE)


@dataclass(frozen=True)
class _Teller:
    """Writes the consequent of one rule, starting at its typical row."""

    rule_base: RuleBase
    rule: int
    row: Floats
    tolerance: float
    typeset: Callable[[str], str]

    def sentence(self, about: str) -> Sentence:
        rules, all_widths = self.rule_base, self.rule_base.background.widths
        widths = all_widths[self.rule]
        slopes = rules.consequents.terms(self.rule)
        effects = np.abs(signed_effects(rules)[self.rule])
        # An input that is constant over the rows of the rule has no effect there.
        by_size = np.argsort(-effects, kind="stable").tolist()
        told = [j for j in by_size if j in slopes and rules.variables[j].levels is None and widths[j] > 0.0]
        matter = [j for j in told if effects[j] >= self.tolerance]
        # The step and the rounding of an input are the same in all rules.
        changes = [self._change(j, slopes[j], float(all_widths[:, j].max())) for j in matter]
        curves = self._along()
        small = [rules.variables[j].column if rules.variables[j].tells_gaps else rules.names[j] for j in told]
        small = small[len(matter) :]
        categories = []
        for feature in category_features(rules):
            added = level_changes(rules, self.rule, feature, self.row)
            if added and max(added.values()) - min(added.values()) >= self.tolerance:
                parts = [f"{level}{GLUE}{self._signed(change)}" for level, change in added.items()]
                categories.append(f"{feature.name}: {few_of(parts)}")
            elif added:
                small.append(feature.name)
        rest = _rest(small, bool(matter or categories))
        return Sentence(about, "", tuple(changes), tuple(curves), tuple(categories), rest)

    def _change(self, j: int, slope: float, width: float) -> str:
        """Write the effect of an input, e.g. "+0.69 °C per °C of temperature (from 3.1)"."""
        variable = self.rule_base.variables[j]
        if variable.tells_gaps or self.rule_base.background.is_binary(j):
            away = 1.0 - 2.0 * self.row[j]
            return f"{self._amount(slope * away, self.tolerance)} if {_state(variable, 1.0 - self.row[j])}"
        steepest = float(np.abs(self.rule_base.slopes[:, j]).max())
        step = step_of(steepest, width, self.tolerance)
        amount = self._amount(slope * step, self.tolerance * step / width)
        place = self._place(j, min(_SHARE_OF_WIDTH * width, self.tolerance / steepest))
        # The whole effect of such an input is the slope plus the curve.
        besides = ", besides its curve" if self.rule_base.curve_of(j) is not None else ""
        per = per_step(variable, step)
        # The hour of a date is counted in hours: "per hour", not "per hour of hour".
        of = "" if per == variable.name else f" of {variable.name}"
        return f"{amount} per{GLUE}{per}{of} (from{GLUE}{place}{besides})"

    def _along(self) -> list[str]:
        """Write the effects of curves at the typical row; their bends are listed below the rules."""
        names = [self.rule_base.names[curve.input] for curve in self.rule_base.curves]
        means = curve_parts(self.rule_base, typical_rows(self.rule_base))[:, self.rule].tolist()
        told = [f"{name} ({self._signed(mean)})" for name, mean in zip(names, means, strict=True)]
        if told:
            several = "curve" if len(told) == 1 else "curves"
            told[0] = f"along the {several} of {names[0]} ({self._signed(means[0])}{GLUE}already in it)"
        return told

    def _place(self, j: int, tolerance: float) -> str:
        variable, number = self.rule_base.variables[j], float(self.row[j])
        written = variable.written(number)
        if written is not None:
            return written.replace(" ", GLUE)
        return self.typeset(number_to_place(number, tolerance, grouped=not variable.counts_years))

    def _amount(self, change: float, tolerance: float) -> str:
        scale = scale_of(self.rule_base)
        told = scale.change(change, tolerance)
        sign = "-" if told.number < 0.0 else "+"
        text = self.typeset(f"{sign}{_two_digits(number_within(abs(told.number), told.tolerance))}")
        return with_unit(told.marked(text), scale.unit(self.rule_base.target_unit)).replace(" ", GLUE)

    def _signed(self, change: float) -> str:
        told = scale_of(self.rule_base).change(change, _ABOUT * self.tolerance)
        text = number_to_place(told.number, told.tolerance)
        return told.marked(self.typeset(with_plus(text)))


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
    if step == 1.0:
        return counts.removesuffix("s") or unit_after("1", variable.unit) or "unit"
    return with_unit(readable_number(step, 1), counts or variable.unit).replace(" ", GLUE)


def _state(variable: Variable, number: float) -> str:
    """Write the state of a binary input, e.g. "garden is 1"."""
    if variable.tells_gaps:
        return f"{variable.column} is {'missing' if number else 'there'}"
    labels = variable.partition.labels
    named = len(labels) == 2 and labels != variable.partition.default_labels
    return f"{variable.name} is {labels[int(number)] if named else f'{number:.0f}'}"


def _rest(small: list[str], more: bool) -> str:
    """Name or count the inputs that hardly matter."""
    if not small:
        return ""
    if len(small) <= _MAX_NAMED:
        return f"{' and '.join(small)} hardly matter{'s' if len(small) == 1 else ''}"
    return f"{counted(len(small), 'other input' if more else 'input')} hardly matter"


def _two_digits(number: str) -> str:
    """Give a decimal number at least two significant digits: 0.40, not 0.4."""
    short = "." in number and "e" not in number and len(number.replace(".", "").strip("0")) == 1
    return f"{number}0" if short else number


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
    named, n_more = unused[:_MAX_UNUSED_NAMED], len(unused[_MAX_UNUSED_NAMED:])
    more = f" and {counted(n_more, 'more column')}" if n_more else ""
    return f"Not used: {', '.join(named)}{more}" if unused else ""


def closing_sentences(rule_base: RuleBase) -> str:
    """Write what predictions are, their bounds, and the typical error, if there are any."""
    return " ".join(filter(None, (bounds_sentence(rule_base), truth_sentence(rule_base))))


def truth_sentence(rule_base: RuleBase) -> str:
    """Write the typical error of all rules together and of the strongest rule alone; "" if it is not known.

    Rules with a clearly larger error, over the rows where they are the strongest, are named.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> steps = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]], target_unit="m")
    >>> truth_sentence(steps.with_training([[0.0], [0.1], [1.0]], [0.6, 0.5, 1.4]))
    'Typical error on training rows: 0.520 m; by the strongest rule alone: 0.569 m.'
    """
    background, scale, loss = rule_base.background, error_scale_of(rule_base), rule_base.output.loss
    truth = background.truth
    if truth is None:
        return ""
    tolerance = _SHARE_OF_ERROR * (loss.told(truth.together) if loss.of_log_mean else background.spread)
    # Rules that are nowhere the strongest have NaN, which compares as not larger.
    larger = np.flatnonzero(truth.rule_together > _NOTEWORTHY * truth.together + tolerance)
    told = [
        scale.change(float(loss.told(error)), tolerance)
        for error in (truth.together, truth.alone, *truth.rule_together[larger])
    ]
    numbers = _alike([number_within(one.number, one.tolerance) for one in told])
    marked = (one.marked(number) for one, number in zip(told, numbers, strict=True))
    unit = "" if loss.of_log_mean else scale.unit(rule_base.target_unit)
    together, alone, *own = (f"{number} {unit}".rstrip() for number in marked)
    where = background.held_out if truth.held_out else "training rows"
    said = f"{loss.title[:1].upper()}{loss.title[1:]} on {where}: {together}"
    if rule_base.n_rules > 1:
        said += f"; by the strongest rule alone: {alone}"
        if not truth.holds(background.spread):
            said += ", so read the rules together, not one by one"
    return f"{said}.{_larger(larger.tolist(), own, truth.rule_together)}"


def _larger(rules: list[int], errors: list[str], rule_errors: Floats) -> str:
    """Name the rules with larger errors; of more than three only the worst."""
    named = [f"rule {rule + 1} ({error})" for rule, error in zip(rules, errors, strict=True)]
    if not named:
        return ""
    if len(named) > _MAX_RULES_NAMED:
        worst = named[int(np.argmax(rule_errors[rules]))]
        return f" It is larger for {len(named)} rules, most for {worst}."
    *first, last = named
    return f" It is larger for {', '.join(first)} and {last}." if first else f" It is larger for {last}."


def _alike(numbers: list[str]) -> list[str]:
    """Write numbers that are read side by side with the same number of decimal places."""
    if any("e" in number for number in numbers):
        return numbers
    places = max(len(number.partition(".")[2]) for number in numbers)
    return [in_groups(f"{float(number.replace(',', '')):.{places}f}") for number in numbers]


def require_form(form: str) -> None:
    """Raise an error if the form is unknown."""
    if form not in get_args(Form):
        raise ValueError(f"form must be one of {', '.join(get_args(Form))}; got {form!r}.")


def rule_name(rule_base: RuleBase, rule: int) -> str:
    """Return the name of a rule with its support: "Rule 2 (18% of the rows)"."""
    shares = rule_base.support
    return f"Rule {rule + 1}" + ("" if shares is None else f" ({percent(float(shares[rule]))} of the rows)")


def conclusion(rule_base: RuleBase, rule: int, form: Form = "sentences") -> str:
    """Write the consequent of a rule: "heating is about 26; -1 per °C of temperature (from -1)", "heating is low"."""
    sentence = sentence_of(rule_base, rule) if form == "sentences" else None
    if sentence is not None:
        return f"{rule_base.target_name} is {sentence}"
    label = rule_base.consequents.label(rule)
    if label is not None:
        return f"{rule_base.target_name} is {label}"
    return f"{scale_of(rule_base).subject(rule_base.target_name)} = {formula(rule_base, rule)}"


def formula(rule_base: RuleBase, rule: int) -> str:
    """Write the linear output of a rule: terms by size of their effects, then curves, then categories."""
    slopes = rule_base.consequents.terms(rule)
    tolerance = SHARE_OF_SPREAD * rule_base.background.spread
    effects = np.abs(signed_effects(rule_base)[rule])
    largest_values = np.abs(rule_base.background.ranges).max(axis=1)
    terms = number_within(float(rule_base.consequents.intercepts[rule]), tolerance)
    for j in np.argsort(-effects, kind="stable"):
        if j in slopes and rule_base.variables[j].levels is None:
            sign = "-" if slopes[j] < 0.0 else "+"
            largest = float(largest_values[j])
            size = number_within(abs(slopes[j]), tolerance / largest if largest > 0.0 else 0.0)
            variable = rule_base.variables[j]
            times = f"{GLUE}if{GLUE}" if variable.tells_gaps else "·"
            terms += f" {sign}{GLUE}{size}{times}{variable.term}"
    terms += "".join(f" +{GLUE}curve of {rule_base.names[curve.input]}" for curve in rule_base.curves)
    for feature in category_features(rule_base):
        offsets = level_offsets(rule_base, rule, feature)
        if offsets:
            terms += f"; {feature.name}: {_offsets(offsets, tolerance)}"
    return terms


def _offsets(offsets: dict[str, float], tolerance: float) -> str:
    """Write the offsets of categories; a long list is cut to its two ends."""
    return few_of([f"{level}{GLUE}{_signed(value, tolerance)}" for level, value in offsets.items()])


def bend_places(curve: Curve, variable: Variable) -> list[str]:
    """Write the places where a curve bends, rounded to a share of the input's range."""
    low, high = curve.partition.domain
    return [variable.number_text(x, _SHARE_OF_RANGE * (high - low)) for x in curve.bends().x.tolist()]


def _signed(value: float, tolerance: float) -> str:
    # A zero with a rounding error is written as 0.
    return with_plus(number_within(value if abs(value) > _NOTHING * tolerance else 0.0, tolerance))


def _number_writer(variable: Variable) -> Callable[[float], str]:
    low, high = variable.partition.range
    return lambda value: variable.number_text(value, _SHARE_OF_RANGE * (high - low))


def meaning_title(rule_base: RuleBase) -> str:
    """Return the heading of the meanings of labels: those of strong partitions meet, triangles stand for values."""
    free = any(variable.partition.of_triangles for variable in meaningful(rule_base))
    return "What labels stand for" if free else "Where labels meet"


def meaningful(rule_base: RuleBase) -> list[Variable]:
    """Return the inputs, and the target, whose labels have names that need an explanation."""
    inputs = [rule_base.variables[j] for j in rule_base.antecedent_inputs if rule_base.antecedents.shares_labels]
    found = [variable for variable in inputs if not variable.tells_ranges]
    return found if rule_base.target is None else [*found, rule_base.target]


def where_labels_meet(variable: Variable, written: Callable[[float], str] | None = None) -> str:
    """Write the split points between the labels of an input, e.g. "low < 10 < high", or else their meanings.

    `written` formats a value.
    """
    partition = variable.partition
    if not partition.ordered:
        groups = [", ".join(f"{code:g}" for code in group) for group in partition.groups]
        return listed(dict(zip(partition.labels, groups, strict=True)))
    if partition.of_triangles:
        return listed(label_meanings(variable, written))
    writer = written or _number_writer(variable)
    words = [partition.labels[0]]
    for split, label in zip(partition.split_points, partition.labels[1:], strict=True):
        words += [f"<{GLUE}{writer(split)}", f"<{GLUE}{label.replace(' ', GLUE)}"]
    return " ".join(words)


def is_switch(rule_base: RuleBase, variable: Variable) -> bool:
    """Return whether an input was 0 or 1 in every training row, and has a label for each."""
    if len(variable.partition.split_points) != 1 or variable.name not in rule_base.names:
        return False
    return rule_base.background.is_binary(rule_base.names.index(variable.name))
