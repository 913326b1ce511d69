"""Rules as text, in a chosen form and order."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from fruler._table.sources import LevelSource
from fruler._wording import counted_rules, either, name_with_unit, number_within, percent, suggest, with_plus
from fruler._wording import printable as plain
from fruler.explain._effects import (
    accepted_levels,
    category_features,
    few_of,
    level_offsets,
    signed_effects,
    typical_outputs,
)
from fruler.explain._scales import Amount, scale_of
from fruler.explain._sentences import GLUE, SHARE_OF_SPREAD, closing_sentences, sentence_of, unused_sentence
from fruler.rules._curves import Curve
from fruler.rules._features import feature_with
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition, triangle_words
from fruler.rules._rule_base import RuleBase

# The form of a rule: its output at the typical row and the changes from there, or a formula.
Form = Literal["sentences", "equation"]
# The rounding error of printed split points, as a share of the input's range.
_SHARE_OF_RANGE = 0.002
_NOTHING = 1e-6
_NARROWEST, _WIDEST = 40, 120
# More accepted labels than this are written as a range: "low to high".
_MAX_LABELS_NAMED = 2
# For more categories than this the rejected ones are named, if they are fewer.
_MAX_LEVELS_NAMED = 4
# "file": the order of the rule base.
ORDERS = ("file", "weight", "output")


def rules_text(
    rule_base: RuleBase,
    *,
    width: int | None = None,
    form: Form = "sentences",
    rules: Sequence[int] | None = None,
    title: str | None = None,
) -> str:
    """Write the rules as "if ... then ..." sentences.

    A sentence has the output at the rule's typical row, the centre of the training rows where the rule applies, and the
    effect of each input from there, the largest effect first. An effect is the change of the output over the input's
    range where the rule applies. Numbers are rounded so that the error of a term is at most a hundredth of the target's
    spread; inputs with smaller effects are only named or counted. Rules without a summary of training data are written
    as formulas. The rules are followed by the values of the curves at their bends, the split points or the meaning of
    the labels, the columns that the rules do not use, and the error of the rules, together and one by one.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    width : int, default=None
        The maximum length of lines; None for the width of the terminal, between 40 and 120.
    form : {"sentences", "equation"}, default="sentences"
        "equation" writes every output as a formula with all terms and the intercept, the output where all inputs are
        zero.
    rules : sequence of int, optional
        The rules to write, counted from 0, in this order; each keeps its number. By default all rules are written.
    title : str, optional
        The first line; by default the number of rules and the target.

    Returns
    -------
    str
        The text.

    See Also
    --------
    fruler.explain.plots.RuleBaseDisplay : Plot the rules.
    fruler.export.markdown.export : Write the rules as a table.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0, 20.0], (-10.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 2]]], [[25.0, -1.0], [5.0, 0.0]], target_name="heating")
    >>> print(rules_text(rules))
    2 rules for heating
    <BLANKLINE>
    Rule 1
      if temperature is low (below about 10 °C)
      then heating = 25 - 1·temperature
    <BLANKLINE>
    Rule 2
      if temperature is medium or high (above about 10 °C)
      then heating = 5
    <BLANKLINE>
    Where labels meet
      temperature: low < 10 < medium < 20 < high (°C)
    >>> rows = [[-4.0], [2.0], [25.0]]
    >>> print(rules_text(rules.with_training(rows, rules.predict(rows))).split("Where")[0].rstrip())
    2 rules for heating
    <BLANKLINE>
    Rule 1 (67% of the rows)
      if temperature is low (below about 10 °C)
      then heating is about 26.0; -1 per °C of temperature (from -1.0)
    <BLANKLINE>
    Rule 2 (33% of the rows)
      if temperature is medium or high (above about 10 °C)
      then heating is about 5.0
    """
    require_form(form)
    rule_base = _with_printable_names(rule_base)
    width = terminal_width() if width is None else width
    parts = [rules_title(rule_base) if title is None else title]
    if rule_base.is_formula:
        parts.append(wrapped(conclusion(rule_base, 0, form), width, "", "    "))
    else:
        written = range(rule_base.n_rules) if rules is None else rules
        parts += [_rule(rule_base, rule, width, form) for rule in written]
    if rule_base.curves:
        parts.append("\n".join(["Curves", *_curves(rule_base, width)]))
    if meeting := _meanings(rule_base, width):
        parts.append("\n".join([meaning_title(rule_base), *meeting]))
    if unused := unused_sentence(rule_base):
        parts.append(wrapped(unused, width, "", "    "))
    if closing := closing_sentences(rule_base):
        parts.append(wrapped(closing, width, "", ""))
    return "\n\n".join(parts)


def _with_printable_names(rule_base: RuleBase) -> RuleBase:
    """Return rules in whose names the characters that a terminal would obey, such as line ends, are escapes."""
    said, variables = rule_base.consequents, []
    for one in rule_base.variables:
        source = replace(one.source, column=plain(one.column))
        if isinstance(source, LevelSource):
            source = replace(source, levels=tuple(map(plain, source.levels)))
        labels = one.partition.renamed([*map(plain, one.partition.labels)])
        variables.append(Variable(plain(one.name), labels, plain(one.unit), source))
    if said.partition is not None:
        said = said.relabelled([*map(plain, said.partition.labels)])
    target, unit = plain(rule_base.target_name), plain(rule_base.target_unit)
    named = replace(rule_base, variables=tuple(variables), consequents=said, target_name=target, target_unit=unit)
    return rule_base if named == rule_base else named


def rules_title(rule_base: RuleBase) -> str:
    """Return the first line of the text: the number of rules and curves, and the target with its unit."""
    count = counted_rules(rule_base.n_rules, rule_base.n_curves)
    return f"{count} for {name_with_unit(rule_base.target_name, rule_base.target_unit)}"


def require_form(form: str) -> None:
    """Raise an error if the form is unknown."""
    if form not in get_args(Form):
        raise ValueError(f"form must be one of {', '.join(get_args(Form))}; got {form!r}.")


def rule_name(rule_base: RuleBase, rule: int) -> str:
    """Return the name of a rule with its support: "Rule 2 (18% of the rows)"."""
    shares = rule_base.support
    return f"Rule {rule + 1}" + ("" if shares is None else f" ({percent(float(shares[rule]))} of the rows)")


def _rule(rule_base: RuleBase, rule: int, width: int, form: Form) -> str:
    lines = [
        rule_name(rule_base, rule),
        wrapped(f"if {condition(rule_base, rule, form)}", width, "  ", "     "),
        wrapped(f"then {conclusion(rule_base, rule, form)}", width, "  ", "       "),
    ]
    return "\n".join(lines)


class Said(NamedTuple):
    """A condition of a rule in words: "SUBJECT is WORDS (WITHIN)"; several inputs can belong to one subject.

    `within` is the range of values where the condition holds; it is empty if the words already express the range.
    """

    subject: str
    words: str
    inputs: tuple[int, ...]
    within: str = ""


def conditions(rule_base: RuleBase, rule: int, typeset: Callable[[str], str] = str) -> list[Said]:
    """Return the conditions of a rule in words; `typeset` is applied to each written number of a range.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import GapSource
    >>> gap = Variable("size is missing", FuzzyPartition([0.5], (0.0, 1.0))).of(GapSource("size"))
    >>> conditions(RuleBase([gap], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]]), 1)
    [Said(subject='size', words='missing', inputs=(0,), within='')]
    """
    found: dict[str, Said] = {}
    for j, first, last in rule_base.antecedents.conditions(rule):
        variable = rule_base.antecedents.condition_inputs[j]
        if variable.tells_gaps:
            words = "missing" if is_yes(variable.partition, first, last) else "there"
            found[variable.name] = Said(variable.column, words, (j,))
        elif variable.levels is not None and (
            accepted := accepted_levels(rule_base, rule, feature_with(rule_base.features, j))
        ):
            before = found[variable.subject].inputs if variable.subject in found else ()
            words = categories_text(accepted, variable.levels.levels)
            found[variable.subject] = Said(variable.subject, words, (*before, j))
        else:
            # A fuzzy set can lie between the values of all categories.
            words = accepted_words(variable, first, last)
            within = _within(rule_base, variable, (first, last), typeset)
            found[variable.name] = Said(variable.name, words, (j,), within)
    return list(found.values())


def _within(rule_base: RuleBase, variable: Variable, labels: tuple[int, int], typeset: Callable[[str], str]) -> str:
    """Write the range of some labels, e.g. "below about 7 °C"; "" if the names of the labels express it."""
    partition = variable.partition
    told = variable.tells_ranges or not (rule_base.antecedents.shares_labels and partition.ordered)
    if told or is_switch(rule_base, variable):
        return ""
    low, high = partition.range
    below, above = partition.half_way(*labels)
    start, full_from, full_to, end = partition.trapezoid(*labels)
    crisp = (start == full_from or below is None) and (full_to == end or above is None)
    tolerance = _SHARE_OF_RANGE * (high - low)
    numbers = [None if edge is None else typeset(variable.number_text(edge, tolerance)) for edge in (below, above)]
    return _between(numbers[0], numbers[1], crisp, variable.unit)


def _between(below: str | None, above: str | None, crisp: bool, unit: str) -> str:
    """Write a range of values; a value on a crisp split point belongs to the range above it."""
    about = "" if crisp else "about "
    if below is not None and above is not None:
        said = f"{about}{below} to {above}"
    elif below is not None:
        said = f"{'from' if crisp else 'above'} {about}{below}"
    else:
        said = "" if above is None else f"below {about}{above}"
    return (f"{said} {unit}" if said and unit else said).replace(" ", GLUE)


def is_yes(partition: Partition, first: int, last: int) -> bool:
    """Return whether some labels of a binary input fit 1 better than 0.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> is_yes(FuzzyPartition([0.5], (0.0, 1.0)), 1, 1)
    True
    """
    no, yes = partition.degrees([0.0, 1.0])[:, first : last + 1].sum(axis=1)
    return bool(yes > no)


def condition(rule_base: RuleBase, rule: int, form: Form = "sentences") -> str:
    """Write the antecedent of a rule, e.g. "temperature is low (below about 7 °C) and wind is medium or high"."""
    said = [
        f"{subject} is {words}{f' ({within})' if within and form == 'sentences' else ''}"
        for subject, words, _, within in conditions(rule_base, rule)
    ]
    return " and ".join(said) or "nothing else applies"


def categories_text(accepted: list[str], levels: Sequence[str]) -> str:
    """Write a set of categories, or the rejected categories if that is shorter.

    Examples
    --------
    >>> categories_text(["a", "b"], "abc"), categories_text(list("abcde"), "abcdef")
    ('a or b', 'not f')
    """
    others = [level for level in levels if level not in accepted]
    if len(accepted) > _MAX_LEVELS_NAMED and len(others) < len(accepted):
        return f"not {either(others)}" if len(others) <= _MAX_LEVELS_NAMED else f"not one of {', '.join(others)}"
    return either(accepted)


def accepted_words(variable: Variable, first: int, last: int) -> str:
    """Write a range of labels of an input: as categories or values if the input has them, else by their names."""
    if variable.levels is not None and not variable.is_indicator:
        accepted = variable.levels_within(first, last)
        if accepted:
            return categories_text(accepted, variable.levels.levels)
    return variable.words(first, last) or accepted_labels(variable.partition, first, last)


def accepted_labels(partition: Partition, first: int, last: int) -> str:
    """Write a range of labels.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> five = FuzzyPartition([1.0, 2.0, 3.0, 4.0], (0.0, 5.0))
    >>> accepted_labels(five, 0, 1), accepted_labels(five, 0, 3), accepted_labels(five, 1, 3)
    ('very low or low', 'very low to high', 'low to high')
    """
    labels = partition.labels[first : last + 1]
    if len(labels) > _MAX_LABELS_NAMED and partition.ordered:
        return f"{labels[0]} to {labels[-1]}"
    return " or ".join(labels)


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


def _curves(rule_base: RuleBase, width: int) -> list[str]:
    """Write the values of each curve at its bends, e.g. "age adds -12 at 1, -2 at 7, +9 at 365 (days)"."""
    tolerance, scale = SHARE_OF_SPREAD * rule_base.background.spread, scale_of(rule_base)
    lines = []
    for curve in rule_base.curves:
        variable = rule_base.variables[curve.input]
        bends = curve.bends()
        places = bend_places(curve, variable)
        points = [
            f"{_told(scale.change(value, tolerance))} {'just below' if jump else 'at'} {place}".replace(" ", GLUE)
            for value, place, jump in zip(bends.adds.tolist(), places, bends.below_jump, strict=True)
        ]
        sentence = f"{variable.name} {scale.changes_by} {name_with_unit(', '.join(points), variable.value_unit)}"
        lines.append(wrapped(sentence, width, "  ", "      "))
    return lines


def _told(amount: Amount) -> str:
    return amount.marked(_signed(amount.number, amount.tolerance))


def _signed(value: float, tolerance: float) -> str:
    # A zero with a rounding error is written as 0.
    return with_plus(number_within(value if abs(value) > _NOTHING * tolerance else 0.0, tolerance))


def _number_writer(variable: Variable) -> Callable[[float], str]:
    low, high = variable.partition.range
    return lambda value: variable.number_text(value, _SHARE_OF_RANGE * (high - low))


def label_meanings(variable: Variable, written: Callable[[float], str] | None = None) -> dict[str, str]:
    """Return the meaning of each triangular label in words; `written` formats a value.

    Examples
    --------
    >>> from fruler.rules import TrianglePartition
    >>> label_meanings(Variable("x", TrianglePartition.uniform((0.0, 10.0), 2)))
    {'low': 'up to 0 (below 10)', 'high': 'from 10 (above 0)'}
    """
    partition, writer = variable.partition, written or _number_writer(variable)
    rows = zip(partition.labels, partition.triangles.tolist(), strict=True)
    return {label: triangle_words(triangle, writer) for label, triangle in rows}


def listed(meanings: Mapping[str, str]) -> str:
    """Write the meanings of labels on one line, e.g. "off = 0; on = 1"."""
    return "; ".join(f"{label} = {meaning}" for label, meaning in meanings.items())


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


def _meanings(rule_base: RuleBase, width: int) -> list[str]:
    lines = []
    for variable in meaningful(rule_base):
        if is_switch(rule_base, variable):
            meaning = "{} = 0; {} = 1".format(*variable.partition.labels)
        else:
            meaning = where_labels_meet(variable)
        lines.append(wrapped(f"{variable.name}: {name_with_unit(meaning, variable.unit)}", width, "  ", "      "))
    return lines


def terminal_width() -> int:
    """Return the width of the terminal, between 40 and 120."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)


def wrapped(text: str, width: int, first: str, others: str) -> str:
    """Break a text into lines; glued words stay together, and `first` and `others` are the indents of lines."""
    filled = textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(GLUE, " ")


def ordered_rules(rule_base: RuleBase, order: str) -> list[int]:
    """Return the numbers of the rules, counted from 0, in an order.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    order : {"file", "weight", "output"}
        The order of the rule base; the largest support first; or the lowest output at the typical row first.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[5.0, 1.0], [1.0, 0.0]], support=[0.6, 0.4])
    >>> ordered_rules(rules, "weight"), ordered_rules(rules, "output")
    ([0, 1], [1, 0])
    """
    if order not in ORDERS:
        raise ValueError(f"there is no order {order!r}; {suggest(order, ORDERS)}")
    if order == "file":
        return list(range(rule_base.n_rules))
    if order == "output":
        keys = typical_outputs(rule_base)
    elif rule_base.support is None:
        raise ValueError("the rules have no support (shares of the training rows); choose another order")
    else:
        keys = -rule_base.support
    return [int(rule) for rule in np.argsort(keys, kind="stable")]


def rules_with(rule_base: RuleBase, names: Sequence[str]) -> list[int]:
    """Return the rules, counted from 0, that use all given inputs, in a condition or in the output.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    names : sequence of str
        Names of inputs, or of their columns.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([0.5], (0.0, 1.0))) for name in "xz")
    >>> rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[5.0, 0.0, 0.0], [1.0, 0.0, 2.0]])
    >>> rules_with(rules, ["x"]), rules_with(rules, ["z"])
    ([0, 1], [1])
    """
    # A curve is added to the output of every rule.
    uses = rule_base.looks_at | (rule_base.slopes != 0.0)
    uses[:, [curve.input for curve in rule_base.curves]] = True
    called: dict[str, list[int]] = {}
    for feature in rule_base.features:
        for j in feature.inputs:
            for name in dict.fromkeys((rule_base.names[j], feature.name, feature.column)):
                called.setdefault(name, []).append(j)
    wanted = np.ones(rule_base.n_rules, dtype=np.bool_)
    for name in names:
        if name not in called:
            raise ValueError(f"there is no input {name!r}; {suggest(name, called)}")
        wanted &= uses[:, called[name]].any(axis=1)
    return [int(rule) for rule in np.flatnonzero(wanted)]
