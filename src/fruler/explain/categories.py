"""Categories in rules: which of them a rule holds for, and what it adds for each."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase

# Of more categories than these at either end of their order only the ends are named.
_MAX_ENDS_NAMED = 4


def accepted_levels(rule_base: RuleBase, rule: int, subject: str) -> list[str]:
    """Return the categories of a subject that a rule holds for, in the order of what they add.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> origin = LevelSource("origin", ["japan", "usa", "europe"], [1.0, -1.0, 0.5])
    >>> x = Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin)
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 3.0]])
    >>> accepted_levels(rules, 0, "origin"), accepted_levels(rules, 1, "origin")
    (['usa'], ['europe', 'japan'])
    """
    found: list[str] | None = None
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is None or variable.subject != subject:
            continue
        own = rule_base.antecedents.levels(rule, j)
        found = own if found is None else [level for level in found if level in own]
    return found or []


def level_offsets(rule_base: RuleBase, rule: int, subject: str) -> dict[str, float]:
    """Return what a rule adds for each category of a column that it holds for; empty where it makes no difference.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> level_offsets(RuleBase([x], [[[0, 0]]], [[5.0, 2.0]]), 0, "origin")
    {'a': -2.0, 'b': 2.0}
    """
    terms = rule_base.consequents.terms(rule)
    offsets: dict[str, float] = {}
    for j, variable in enumerate(rule_base.variables):
        levels = variable.levels
        if levels is None or variable.subject != subject or j not in terms:
            continue
        for level, value in zip(levels.levels, levels.values, strict=True):
            if levels.indicated is None or levels.indicated == level or len(levels.levels) == 2:
                offsets[level] = offsets.get(level, 0.0) + terms[j] * value
    return {level: offsets[level] for level in accepted_levels(rule_base, rule, subject) if level in offsets}


def category_subjects(rule_base: RuleBase) -> list[str]:
    """Return what there are categories of, such as a column or the weekday of a date, each once."""
    return list(dict.fromkeys(one.subject for one in rule_base.variables if one.levels is not None))


def at_single_levels(rule_base: RuleBase, rule: int, row: Floats) -> Floats:
    """Return a row with the category that a rule holds for, of every subject of which it holds for one only.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> at_single_levels(RuleBase([x], [[[0, 0]], [[0, 1]]], [[5.0, 2.0]] * 2), 0, np.array([0.5])).tolist()
    [-1.0]
    """
    found = np.array(row)
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is not None:
            accepted = accepted_levels(rule_base, rule, variable.subject)
            if len(accepted) == 1:
                found[j] = dict(zip(variable.levels.levels, variable.levels.values, strict=True))[accepted[0]]
    return found


def level_changes(rule_base: RuleBase, rule: int, subject: str, row: Floats) -> dict[str, float]:
    """Return by how much each category that a rule holds for changes its output from that of a row.

    The typical row of a rule has the mean of a column of categories, so changes count from the mean of what the
    categories add there. Empty where they make no difference.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> level_changes(RuleBase([x], [[[0, 0]]], [[5.0, 2.0]]), 0, "origin", np.array([0.5]))
    {'a': -3.0, 'b': 1.0}
    """
    terms = rule_base.consequents.terms(rule)
    added = dict.fromkeys(accepted_levels(rule_base, rule, subject), 0.0)
    own = [j for j, one in enumerate(rule_base.variables) if one.levels is not None and one.subject == subject]
    if not any(j in terms for j in own) or len(added) < 2:
        return {}
    for j in own:
        levels = rule_base.variables[j].levels
        if levels is not None and j in terms:
            for level, value in zip(levels.levels, levels.values, strict=True):
                if level in added:
                    added[level] += terms[j] * (value - float(row[j]))
    return added


def few_of(parts: list[str]) -> str:
    """List what categories add, in the order of what they add; of many the ends.

    Examples
    --------
    >>> few_of([f"{letter} +{k}" for k, letter in enumerate("abcdefghij", 1)])
    'a +1, b +2, c +3, d +4, 2 others between, g +7, h +8, i +9, j +10'
    """
    if len(parts) > 2 * _MAX_ENDS_NAMED:
        n_between = len(parts) - 2 * _MAX_ENDS_NAMED
        between = f"{n_between} other{'' if n_between == 1 else 's'} between"
        parts = [*parts[:_MAX_ENDS_NAMED], between, *parts[-_MAX_ENDS_NAMED:]]
    return ", ".join(parts)
