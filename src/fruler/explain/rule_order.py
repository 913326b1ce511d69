"""Rules in another order, or some of them: by weight, by output, and by the inputs that they use."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from fruler._typing import Floats
from fruler._wording import suggest
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import N_BINS
from fruler.rules.variables import Variable

# "file": as they are.
ORDERS = ("file", "weight", "output")
_TITLE = re.compile(r"^Rule (\d+)\b", re.MULTILINE)


def ordered_rules(rule_base: RuleBase, order: str) -> list[int]:
    """Return the numbers of the rules, counted from 0, in an order.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    order : {"file", "weight", "output"}
        As they are; the largest weight first; or the lowest output first, which is what a rule says of a row that is
        typical of those that it applies to.

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
        raise ValueError("these rules have no weights, for they know no training rows; choose another order")
    else:
        keys = -rule_base.support
    return [int(rule) for rule in np.argsort(keys, kind="stable")]


def typical_outputs(rule_base: RuleBase) -> Floats:
    """Return what each rule says of a row that is typical of those that it applies to, shape (n_rules,).

    Of an input that a rule looks at that is the mean of the training values that it accepts, of any other the median.
    """
    rows = np.array([_typical_row(rule_base, rule) for rule in range(rule_base.n_rules)])
    return np.asarray(np.diagonal(rule_base.rule_outputs(rows)))


def _typical_row(rule_base: RuleBase, rule: int) -> Floats:
    training = rule_base.training
    ends = np.array([variable.partition.range for variable in rule_base.variables])
    counts = np.ones((len(ends), N_BINS))
    row = ends.mean(axis=1)
    if training is not None:
        ends, counts, row = np.column_stack([training.low, training.high]), training.histograms, training.typical.copy()
    for j, first, last in rule_base.antecedents.conditions(rule):
        partition = rule_base.antecedents.condition_inputs[j].partition
        if not partition.ordered:
            row[j] = partition.groups[first][0]
            continue
        low, high = ends[j]
        places = low + (high - low) * (np.arange(N_BINS) + 0.5) / N_BINS
        weight = counts[j] * partition.degrees(places)[:, first : last + 1].sum(axis=1)
        if weight.sum() > 0.0:
            row[j] = np.average(places, weights=weight)
    return np.asarray(row)


def rules_with(rule_base: RuleBase, names: Sequence[str]) -> list[int]:
    """Return the numbers of the rules, counted from 0, that use all of some inputs: in a condition or in the output.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    names : sequence of str
        Names of inputs, or of the columns that they come from.

    Raises
    ------
    ValueError
        If there is no such input.

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
    wanted = np.ones(rule_base.n_rules, dtype=np.bool_)
    for name in names:
        own = [name in _names_of(variable) for variable in rule_base.variables]
        if not any(own):
            known = dict.fromkeys(known for variable in rule_base.variables for known in _names_of(variable))
            raise ValueError(f"there is no input {name!r}; {suggest(name, known)}")
        wanted &= uses[:, own].any(axis=1)
    return [int(rule) for rule in np.flatnonzero(wanted)]


def _names_of(variable: Variable) -> tuple[str, ...]:
    return variable.name, variable.subject, variable.column


def arranged(text: str, rules: Sequence[int]) -> str:
    r"""Return the text of rules with some of them in an order; each keeps its number.

    Parameters
    ----------
    text : str
        As `rules_text` writes it: each rule begins with a line of its own, "Rule 1", and ends before the next, or
        before an empty line.
    rules : sequence of int
        Their numbers, counted from 0.

    Examples
    --------
    >>> print(arranged("2 rules for y\n\nRule 1\n  if a\n\nRule 2\n  if b\n\nCurves\n  x", [1]))
    2 rules for y
    <BLANKLINE>
    Rule 2
      if b
    <BLANKLINE>
    Curves
      x
    """
    found = list(_TITLE.finditer(text))
    if not found:
        return text
    starts = [one.start() for one in found]
    between = text[starts[0] : starts[1]] if len(starts) > 1 else "\n\n"
    gap = between[len(between.rstrip("\n")) :]
    last_end = text.find("\n\n", starts[-1])
    ends = [*starts[1:], len(text) if last_end < 0 else last_end]
    blocks = {
        int(one[1]) - 1: text[start:end].rstrip("\n") for one, start, end in zip(found, starts, ends, strict=True)
    }
    return text[: starts[0]] + gap.join(blocks[rule] for rule in rules) + text[ends[-1] :]
