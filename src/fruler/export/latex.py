"""A LaTeX table of the rules for papers; it needs the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fruler._wording import counted_rules, name_with_unit, printable
from fruler.explain._conditions import label_meanings
from fruler.explain._scales import scale_of
from fruler.explain._sentences import Form, meaningful, require_form
from fruler.export._paper_table import (
    MINUS,
    Column,
    curve_bends,
    notes_below,
    require_digits,
    rule_columns,
    sentences,
)
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

_NUMBER = re.compile(rf"(< )?[-{MINUS}]?[\d.,]+(e[-{MINUS}+]?\d+)?")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "°": r"\textdegree{}",
    "µ": r"\textmu{}",
    "–": "--",
    MINUS: "$-$",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def export(
    rule_base: RuleBase,
    *,
    digits: int = 3,
    caption: str | None = None,
    label: str | None = None,
    float: bool = True,
    form: Form = "equation",
) -> str:
    r"""Write the rules as a LaTeX table: the labels of each input, then the linear output.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    digits : int, default=3
        The number of significant digits of coefficients.
    caption : str, optional
        The caption, as plain text; by default the number of rules and the target.
    label : str, optional
        The label for ``\ref``; "tab:rules" by default.
    float : bool, default=True
        Whether to put the tabular into a table environment with caption and label.
    form : {"equation", "sentences"}, default="equation"
        A table of intercepts and coefficients, or a list of the sentences of `rules_text`, without a caption.

    Returns
    -------
    str
        The table, for a document with ``\usepackage{booktabs}``. Inputs that are not in the antecedent have a dash.
        The amounts that a rule adds for categories have a separate column, "usa −1.3, japan +2.1". Curves have a
        separate table below, with the amounts added at their bends. If consequents are labels, the table has labels
        instead of numbers. For labels that are triangles, another table lists their values.

    Raises
    ------
    ValueError
        If the label has characters that LaTeX does not allow.

    See Also
    --------
    fruler.RuleBase.to_latex : The same as a method.
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export(rules, float=False))
    \begin{tabular}{rlrr}
      \toprule
       & If & \multicolumn{2}{c}{Then heating is} \\
      \cmidrule(lr){2-2}\cmidrule(l){3-4}
      Rule & temperature (\textdegree{}C) & intercept & $\times$ temperature \\
      \midrule
      1 & low & $25$ & $-1$ \\
      2 & high & $5.25$ & $0$ \\
      \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    require_form(form)
    require_digits(digits)
    lines = _tabular(rule_base, rule_columns(rule_base, digits)) if form == "equation" else _sentences(rule_base)
    if rule_base.curves:
        lines += ["", r"\par\medskip", *_curves(rule_base, digits)]
    if meanings := [one for one in meaningful(rule_base) if one.partition.of_triangles]:
        lines += ["", r"\par\medskip", *_meanings(meanings)]
    if said := notes_below(rule_base, form):
        lines += ["", r"\par\medskip", _escaped(said)]
    if not float or form == "sentences":
        return "\n".join(lines) + "\n"
    target = name_with_unit(rule_base.target_name, rule_base.target_unit)
    count = counted_rules(rule_base.n_rules, rule_base.n_curves)
    name = "tab:rules" if label is None else label
    if not re.fullmatch(r"[A-Za-z0-9:._-]+", name):
        raise ValueError(f"A LaTeX label may have letters, digits and the characters : . _ -; got {label!r}.")
    head = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escaped(_caption(count, target, rule_base.n_curves) if caption is None else caption)}}}",
        rf"  \label{{{name}}}",
    ]
    return "\n".join([*head, *(f"  {line}".rstrip() for line in lines), r"\end{table}"]) + "\n"


def _caption(count: str, target: str, n_curves: int) -> str:
    said = f"The {count} for {target}."
    if not n_curves:
        return said
    return f"{said} {'The curve adds' if n_curves == 1 else 'The curves add'} to the output of every rule."


def _sentences(rule_base: RuleBase) -> list[str]:
    """Write a list with one item per rule."""
    items = [rf"  \item[{_escaped(name)}] {_escaped(said)}." for name, said in sentences(rule_base)]
    return [r"\begin{description}", *items, r"\end{description}"]


def _tabular(rule_base: RuleBase, columns: list[Column]) -> list[str]:
    n_first = sum(column.kind in ("rule", "support") for column in columns)
    n_conditions = sum(column.kind == "condition" for column in columns)
    n_outputs = len(columns) - n_first - n_conditions
    begins, ends = n_first + 1, n_first + n_conditions
    groups, lines_below = [""] * n_first, ""
    if n_conditions:
        groups.append(_spanning("If", n_conditions))
        lines_below = rf"\cmidrule(lr){{{begins}-{ends}}}"
    groups.append(_spanning(f"Then {_escaped(_subject(rule_base))} is", n_outputs))
    lines_below += rf"\cmidrule(l){{{ends + 1}-{ends + n_outputs}}}"
    titles = [_escaped(column.title).replace("×", r"$\times$", column.kind == "term") for column in columns]
    head = [rf"{' & '.join(groups)} \\", lines_below, rf"{' & '.join(titles)} \\"]
    rows = list(zip(*([_cell(column, text) for text in column.cells] for column in columns), strict=True))
    return _table("".join("r" if column.is_number else "l" for column in columns), head, [rows])


def _cell(column: Column, text: str) -> str:
    if column.kind == "support":
        return rf"{text}\,\%"
    return _number(text) if column.kind in ("intercept", "term") else _escaped(text) or "--"


def _table(sides: str, head: Sequence[str], groups: Iterable[Iterable[Sequence[str]]]) -> list[str]:
    """Write a head and groups of rows, each group below a line."""
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"  \toprule", *(f"  {line}" for line in head)]
    for rows in groups:
        lines += [r"  \midrule", *(rf"  {' & '.join(cells)} \\" for cells in rows)]
    return [*lines, r"  \bottomrule", r"\end{tabular}"]


def _subject(rule_base: RuleBase) -> str:
    """Return the name of the rules' output: the target, or its logarithm."""
    name = rule_base.target_name
    return name if rule_base.target is not None else scale_of(rule_base).subject(name)


def _curves(rule_base: RuleBase, digits: int) -> list[str]:
    groups = [
        [(_escaped("" if place else name), _number(at), _number(adds)) for place, (at, adds) in enumerate(bends)]
        for name, bends in curve_bends(rule_base, digits)
    ]
    return _table("lrr", [rf"Curve of & at & adds to {_escaped(_subject(rule_base))} \\"], groups)


def _meanings(variables: list[Variable]) -> list[str]:
    """Write a table of the values that labels stand for."""
    groups = [
        [
            tuple(map(_escaped, ("" if place else name_with_unit(variable.name, variable.unit), *meaning)))
            for place, meaning in enumerate(label_meanings(variable).items())
        ]
        for variable in variables
    ]
    return _table("lll", [r"Variable & label & stands for \\"], groups)


def _spanning(text: str, columns: int) -> str:
    return text if columns == 1 else rf"\multicolumn{{{columns}}}{{c}}{{{text}}}"


def _number(text: str) -> str:
    """Return a written number in mathematics; other text, such as a date, is escaped."""
    if not _NUMBER.fullmatch(text):
        return _escaped(text)
    # Braces keep LaTeX from adding the space of punctuation after the comma.
    mantissa, _, exponent = text.replace(MINUS, "-").replace(",", "{,}").partition("e")
    return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"


def _escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return "".join(_SPECIAL.get(character, character) for character in printable(text))
