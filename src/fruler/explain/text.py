"""Rules as text: a list of rules or a table of them, in a chosen order."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import numpy as np

from fruler._wording import suggest
from fruler.explain._conditions import GLUE
from fruler.explain._effects import typical_outputs
from fruler.explain._told import Told, ToldRule, told
from fruler.rules._rule_base import RuleBase

_NARROWEST, _WIDEST = 40, 120
# A table of rules has at most so many columns; rules beyond are only listed.
MAX_COLUMNS = 20
_NOTHING = "–"
# "file": the order of the rule base.
ORDERS = ("file", "weight", "output")


def rules_text(
    rule_base: RuleBase,
    *,
    width: int | None = None,
    table: bool | None = None,
    rules: Sequence[int] | None = None,
    title: str | None = None,
) -> str:
    r"""Write the rules for a reader.

    First come the inputs that matter most and the error, then what holds for all rows, then the rules with what is
    different in each of them. A prediction is the start of a rule plus the amounts of all effects. Amounts per unit
    count from the values that are listed below the rules; points are joined by straight lines; where two rules fade
    into each other, the prediction moves from one to the other in equal steps. Numbers have as many digits as are
    needed to compute predictions within a tenth of the typical error. With a logarithmic link amounts are in percent.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    width : int, default=None
        The maximum length of lines; None for the width of the terminal, between 40 and 120.
    table : bool, default=None
        Whether the rules are columns of a table, side by side. By default they are if that has fewer lines, and there
        are at most 20 rules.
    rules : sequence of int, optional
        The rules to write, counted from 0, in this order; each keeps its number. By default all rules are written.
    title : str, optional
        The first line; by default the target and the number of rules.

    Returns
    -------
    str
        The text.

    See Also
    --------
    fruler.explain.plots.RuleBaseDisplay : Plot the rules.
    fruler.export.markdown.export : Write the rules in Markdown.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0), 0.1), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.0, 0.0]], target_name="heating")
    >>> print(rules_text(rules, table=False, width=100))
    heating: 2 rules
    <BLANKLINE>
    Rule 1: if temperature is low (under 10 °C)
      start 25
      temperature: -1 per °C
    <BLANKLINE>
    Rule 2: if temperature is high (over 10 °C)
      start 5
    <BLANKLINE>
    To predict, add the amounts of the rule and of all rows to start; where rules fade, mix their
        predictions
    <BLANKLINE>
    Amounts count from temperature 0 °C
    <BLANKLINE>
    Rules fade into each other: temperature from 8 to 12 °C
    >>> print(rules_text(rules, table=True).split("\n\n")[1])
    rule                           1           2
    temperature          under 10 °C  over 10 °C
    start                         25           5
    temperature, per °C           -1           –
    """
    page, width = told(rule_base), terminal_width() if width is None else width
    shown = [page.rules[rule] for rule in (range(rule_base.n_rules) if rules is None else rules)]
    forms = [_listed(page, shown, width)]
    if 1 < len(shown) <= MAX_COLUMNS:
        forms.append(_side_by_side(page, shown, width))
    shorter = min(forms, key=lambda form: "\n\n".join(form).count("\n"))
    body = shorter if table is None else forms[-1] if table else forms[0]
    parts = [page.title if title is None else title, wrapped(" ".join(page.story), width), *body]
    return "\n\n".join(filter(None, [*parts, *(wrapped(note, width, "", "    ") for note in page.notes)]))


def _always(page: Told, width: int) -> str:
    """Write what holds for all rows."""
    return "\n".join(["For all rows", *(_line(line, width) for line in page.always)]) if page.always else ""


def _listed(page: Told, rules: Sequence[ToldRule], width: int) -> list[str]:
    """Write one paragraph per rule."""
    if page.is_formula:
        return [_always(page, width)]
    lists = [_line(f"{head}: {text}", width) for head, text in page.strengths.items()]
    return [
        _always(page, width),
        *(_rule(page, rule, [one.number for one in rules[:k]], width) for k, rule in enumerate(rules)),
        "\n".join(["Lists", *lists]) if lists else "",
    ]


def rule_name(rule: ToldRule) -> str:
    """Return the name of a rule with its share: "Rule 2 (18% of the rows)"."""
    return f"Rule {rule.number}" + (f" ({rule.share} of the rows)" if rule.share else "")


def _rule(page: Told, rule: ToldRule, before: Sequence[int], width: int) -> str:
    """Write a rule; effects that an earlier rule has are only named."""
    name = rule_name(rule)
    lines = [wrapped(f"{name}: if {rule.condition}" if rule.condition else name, width, "", "    ")]
    lines.append(_line(page.facts(rule), width))
    same: dict[int, list[str]] = {}
    for effect in filter(lambda one: one.cells[rule.number - 1], page.own):
        cell = effect.cells[rule.number - 1]
        earlier = next((number for number in before if effect.cells[number - 1] == cell), None)
        if earlier is None:
            lines.append(_line(effect.said(rule.number - 1), width))
        else:
            same.setdefault(earlier, []).append(effect.name)
    lines += [_line(f"as in rule {number}: {', '.join(names)}", width) for number, names in sorted(same.items())]
    return "\n".join(lines)


def _side_by_side(page: Told, rules: Sequence[ToldRule], width: int) -> list[str]:
    """Write a table with rules as columns, in blocks that fit the width."""
    numbers = [rule.number - 1 for rule in rules]
    rows = [("rule", tuple(str(rule.number) for rule in page.rules)), *page.rows]
    rows = [(head.replace(GLUE, " "), cells) for head, cells in rows]
    left = max(len(head) for head, _ in rows)
    wide = {rule: max(len(cells[rule]) or 1 for _, cells in rows) for rule in numbers}
    blocks: list[list[int]] = [[]]
    for rule in numbers:
        if blocks[-1] and left + sum(wide[one] + 2 for one in [*blocks[-1], rule]) > width:
            blocks.append([])
        blocks[-1].append(rule)
    tables = [
        "\n".join(
            head.ljust(left) + "".join(f"  {(cells[rule] or _NOTHING).rjust(wide[rule])}" for rule in block)
            for head, cells in rows
            if any(cells[rule] for rule in block)
        )
        for block in blocks
    ]
    lists = "\n".join(wrapped(f"{head}: {text}", width, "", "    ") for head, text in page.lists.items())
    return [_always(page, width), *(table.replace(GLUE, " ") for table in tables), lists]


def terminal_width() -> int:
    """Return the width of the terminal, between 40 and 120."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)


def _line(text: str, width: int) -> str:
    return wrapped(text, width, "  ", "      ")


def wrapped(text: str, width: int, first: str = "", others: str = "") -> str:
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
