"""Antecedents in words: the labels, values or categories that a rule accepts, and where labels fade into each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fruler._wording import either, with_unit
from fruler.explain._effects import accepted_levels
from fruler.rules._features import feature_with
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition, triangle_words
from fruler.rules._rule_base import RuleBase

# Keeps words on one line: `textwrap` does not break lines at a non-breaking space.
GLUE = "\u00a0"
# The rounding error of printed split points, as a share of the input's range, and of the zone around the split point.
_SHARE_OF_RANGE, _SHARE_OF_ZONE = 0.002, 0.05
# More accepted labels than this are written as a range: "low to high".
_MAX_LABELS_NAMED = 2
# For more categories than this the rejected ones are named, if they are fewer.
_MAX_LEVELS_NAMED = 4


@dataclass(frozen=True)
class Said:
    """A condition of a rule in words: "SUBJECT is WORDS (WITHIN)"; several inputs can belong to one subject.

    Attributes
    ----------
    subject : str
        The input, or the column of categories.
    words : str
        The labels, values or categories.
    inputs : tuple of int
        The numbers of the inputs.
    within : str
        The range of values where the labels hold; empty if the words already express it.
    is_value : bool
        Whether the words are values.
    """

    subject: str
    words: str
    inputs: tuple[int, ...]
    within: str = ""
    is_value: bool = False

    @property
    def short(self) -> str:
        """The condition without its subject, for a table: the values if they are known, else the words."""
        return self.within or self.words

    def __str__(self) -> str:
        if self.is_value:
            return f"{self.subject} {'' if ' ' in self.words else '= '}{self.words}"
        return f"{self.subject} is {self.words}{f' ({self.within})' if self.within else ''}"


def conditions(rule_base: RuleBase, rule: int) -> list[Said]:
    """Return the conditions of a rule in words.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import GapSource
    >>> gap = Variable("size is missing", FuzzyPartition([0.5], (0.0, 1.0))).of(GapSource("size"))
    >>> str(conditions(RuleBase([gap], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]]), 1)[0])
    'size is missing'
    """
    found: dict[str, Said] = {}
    for j, first, last in rule_base.antecedents.conditions(rule):
        variable = rule_base.antecedents.condition_inputs[j]
        feature = feature_with(rule_base.features, j)
        if variable.tells_gaps:
            words = "missing" if is_yes(variable.partition, first, last) else "present"
            found[variable.name] = Said(variable.column, words, (j,))
        elif feature.has_levels and (accepted := accepted_levels(rule_base, rule, feature)):
            before = found[feature.name].inputs if feature.name in found else ()
            words = categories_text(accepted, [option.text for option in feature.options])
            found[feature.name] = Said(feature.name, words, (*before, j))
        else:
            # A fuzzy set can lie between the values of all categories.
            found[variable.name] = _of_number(rule_base, j, variable, (first, last))
    return list(found.values())


def condition(rule_base: RuleBase, rule: int) -> str:
    """Write the antecedent of a rule, e.g. "temperature is low (under 7 °C) and workingday = 0"."""
    return " and ".join(map(str, conditions(rule_base, rule))) or "nothing else applies"


def _of_number(rule_base: RuleBase, j: int, variable: Variable, labels: tuple[int, int]) -> Said:
    partition = variable.partition
    if rule_base.antecedents.shares_labels and partition.ordered and not partition.of_triangles:
        if accepted := _values_within(rule_base, j, partition.half_way(*labels)):
            return Said(variable.name, accepted, (j,), is_value=True)
        words = accepted_words(variable, *labels)
        within = "" if variable.tells_ranges else _range_text(variable, *partition.half_way(*labels))
        return Said(variable.name, words, (j,), within)
    return Said(variable.name, accepted_words(variable, *labels), (j,))


def _values_within(rule_base: RuleBase, j: int, ends: tuple[float | None, float | None]) -> str:
    """Return the values of an input between two split points, if it has few values or counts something; else ""."""
    variable, background = rule_base.variables[j], rule_base.background
    # A label with a name of the user's own is told by it.
    if not variable.is_number or variable.partition.labels != variable.partition.default_labels:
        return ""
    values = background.values(j)
    if not len(values):
        low, high = background.ranges[j]
        if background.is_binary(j):
            values = np.array([0.0, 1.0])
        elif background.counts(j):
            values = np.arange(low, high + 1.0)
    # A value on a split point belongs to the label above.
    least, most = (np.inf * sign if end is None else end for end, sign in zip(ends, (-1.0, 1.0), strict=True))
    written = [_plain(variable, value) for value in values[(least <= values) & (values < most)].tolist()]
    if len(written) < 3 or not background.counts(j):
        return either(written)
    return f"{written[0]} to {written[-1]}"


def _plain(variable: Variable, value: float) -> str:
    return variable.number_text(value, 1e-9 * abs(value))


def _range_text(variable: Variable, below: float | None, above: float | None) -> str:
    """Write a range of values, such as "10 to 20 °C"; a value on a crisp split point belongs to the range above it."""
    ends = [None if end is None else split_text(variable, end) for end in (below, above)]
    if below is not None and above is not None:
        said = f"{ends[0]} to {ends[1]}"
    else:
        said = f"over {ends[0]}" if above is None else f"under {ends[1]}"
    return "" if below is None and above is None else with_unit(said, variable.unit).replace(" ", GLUE)


def split_text(variable: Variable, split: float) -> str:
    """Write a split point with no more digits than its range and the zone around it need."""
    low, high = variable.partition.range
    return variable.number_text(split, _SHARE_OF_RANGE * (high - low))


def fades(rule_base: RuleBase) -> dict[str, list[str]]:
    r"""Return by input, for each split point at which rules fade into each other, where that begins and ends.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Variable
    >>> x = Variable("age", FuzzyPartition([30.0], (0.0, 80.0), 0.1), "years")
    >>> fades(RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]]))
    {'age': ['27 to 33\xa0years']}
    """
    found: dict[str, list[str]] = {}
    if not rule_base.antecedents.shares_labels:
        return found
    for j in rule_base.antecedent_inputs:
        variable, partition = rule_base.variables[j], rule_base.variables[j].partition
        for split, half in zip(partition.split_points, partition.half_widths, strict=False):
            if half > 0.0 and _meets_values(rule_base, int(j), split - half, split + half):
                ends = [variable.number_text(end, _SHARE_OF_ZONE * half) for end in (split - half, split + half)]
                # The unit follows the last of several zones.
                found.setdefault(variable.name, []).append(" to ".join(ends))
        if variable.name in found and variable.value_unit:
            found[variable.name][-1] = with_unit(found[variable.name][-1], variable.unit)
    return found


def _meets_values(rule_base: RuleBase, j: int, low: float, high: float) -> bool:
    """Return whether some value of an input can lie in the zone around a split point."""
    values = rule_base.background.values(j)
    if len(values):
        return bool(((values > low) & (values < high)).any())
    if rule_base.background.is_binary(j) or rule_base.variables[j].levels is not None:
        return False
    return not rule_base.background.counts(j) or math.floor(low) + 1.0 < high


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


def categories_text(accepted: list[str], levels: Sequence[str]) -> str:
    """Write a set of categories, or the rejected categories if that is shorter.

    Examples
    --------
    >>> categories_text(["a", "b"], "abc"), categories_text(list("abcde"), "abcdef")
    ('a or b', 'not f')
    >>> categories_text(list("abcde"), "abcdefg")
    'neither f nor g'
    """
    others = [level for level in levels if level not in accepted]
    if len(accepted) > _MAX_LEVELS_NAMED and len(others) < len(accepted):
        return f"neither {', '.join(others[:-1])} nor {others[-1]}" if len(others) > 1 else f"not {others[0]}"
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


def label_meanings(variable: Variable, written: Callable[[float], str] | None = None) -> dict[str, str]:
    """Return the meaning of each triangular label in words; `written` formats a value.

    Examples
    --------
    >>> from fruler.rules import TrianglePartition
    >>> label_meanings(Variable("x", TrianglePartition.uniform((0.0, 10.0), 2)))
    {'low': 'up to 0 (below 10)', 'high': 'from 10 (above 0)'}
    """
    partition, writer = variable.partition, written or (lambda value: split_text(variable, value))
    rows = zip(partition.labels, partition.triangles.tolist(), strict=True)
    return {label: triangle_words(triangle, writer) for label, triangle in rows}


def listed(meanings: Mapping[str, str]) -> str:
    """Write the meanings of labels on one line, e.g. "off = 0; on = 1"."""
    return "; ".join(f"{label} = {meaning}" for label, meaning in meanings.items())


def unclear(rule_base: RuleBase) -> list[Variable]:
    """Return the inputs, and the target, whose labels need an explanation: triangles, and groups of codes."""
    inputs = [rule_base.variables[j] for j in rule_base.antecedent_inputs if rule_base.antecedents.shares_labels]
    found = [
        one for one in inputs if not one.tells_ranges and (one.partition.of_triangles or not one.partition.ordered)
    ]
    return found if rule_base.target is None else [*found, rule_base.target]


def meaning(variable: Variable) -> str:
    """Write what the labels of an input stand for: triangles, or groups of codes."""
    if variable.partition.of_triangles:
        return listed(label_meanings(variable))
    groups = [", ".join(f"{code:g}" for code in group) for group in variable.partition.groups]
    return listed(dict(zip(variable.partition.labels, groups, strict=True)))
