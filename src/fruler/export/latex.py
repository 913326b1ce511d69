"""A LaTeX table of the rules, for papers; it needs the package booktabs."""

from __future__ import annotations

import re

from fruler._wording import counted_rules, name_with_unit
from fruler.explain.scales import scale_of
from fruler.explain.sentences import GLUE
from fruler.explain.text import Form, conclusion, condition, label_meanings, meaningful, require_form, rule_name
from fruler.export.names import one_line
from fruler.export.paper_table import MINUS, PaperTable, notes_below, paper_table
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

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
    r"""Write the rules as a table in LaTeX: labels of each input, then the linear output.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    digits : int, default=3
        The number of significant digits of coefficients.
    caption : str, optional
        Plain text; by default it says what the rules are for.
    label : str, optional
        What ``\ref`` calls the table; "tab:rules" by default.
    float : bool, default=True
        Whether to put the tabular into a table environment with caption and label.
    form : {"equation", "sentences"}, default="equation"
        A table of intercepts and coefficients, or a list of the sentences that `rules_text` writes, without a caption.

    Returns
    -------
    str
        The table, for a document that says ``\usepackage{booktabs}``. An input that is not in the antecedent has a
        dash. What a rule adds for categories is a column of its own, "usa −1.3, japan +2.1". Curves have a table of
        their own below: what each adds at its bends. If the output is a label, it has labels instead of numbers.
        Labels that are triangles have a table of the values that they stand for.

    Raises
    ------
    ValueError
        If the label has signs that LaTeX does not take.

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
    table = paper_table(rule_base, digits)
    lines = _tabular(rule_base, table) if form == "equation" else _sentences(rule_base)
    if table.curves:
        lines += ["", r"\par\medskip", *_curves(rule_base, table)]
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
        raise ValueError(f"A LaTeX label is made of letters, digits and the signs : . _ -; got {label!r}.")
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
    items = []
    for rule in range(rule_base.n_rules):
        said = f"if {condition(rule_base, rule)}, then {conclusion(rule_base, rule)}".replace(GLUE, " ")
        items.append(rf"  \item[{_escaped(rule_name(rule_base, rule))}] {_escaped(said)}.")
    return [r"\begin{description}", *items, r"\end{description}"]


def _tabular(rule_base: RuleBase, table: PaperTable) -> list[str]:
    first = ["Rule", *(["support"] if table.supports else [])]
    conditions = [_escaped(name_with_unit(name, unit)) for name, unit in table.conditions]
    numbers = [] if table.said else ["intercept", *(rf"$\times$ {_escaped(name)}" for name, _ in table.terms)]
    said = ["label"] if table.said else []
    outputs = [*said, *numbers, *(f"{_escaped(name)} adds" for name in table.categories)]
    begins, ends = len(first) + 1, len(first) + len(conditions)
    groups, lines_below = [""] * len(first), ""
    if conditions:
        groups.append(_spanning("If", len(conditions)))
        lines_below = rf"\cmidrule(lr){{{begins}-{ends}}}"
    groups.append(_spanning(f"Then {_escaped(_subject(rule_base))} is", len(outputs)))
    lines_below += rf"\cmidrule(l){{{ends + 1}-{ends + len(outputs)}}}"
    sides = "r" * len(first) + "l" * (len(conditions) + len(said)) + "r" * len(numbers) + "l" * len(table.categories)
    rows = [
        rf"\begin{{tabular}}{{{sides}}}",
        r"  \toprule",
        rf"  {' & '.join(groups)} \\",
        f"  {lines_below}",
        rf"  {' & '.join([*first, *conditions, *outputs])} \\",
        r"  \midrule",
    ]
    for rule in range(rule_base.n_rules):
        cells = [str(rule + 1), *([rf"{table.supports[rule]}\,\%"] if table.supports else [])]
        cells += [_escaped(labels) or "--" for labels in table.labels[rule]]
        cells += [_escaped(label) for label in table.said[rule : rule + 1]]
        cells += [_number(number) for number in table.numbers[rule]]
        cells += [_escaped(text) or "--" for text in table.offsets[rule]]
        rows.append(rf"  {' & '.join(cells)} \\")
    return [*rows, r"  \bottomrule", r"\end{tabular}"]


def _subject(rule_base: RuleBase) -> str:
    """Return what the rules say: the target, also by labels of it, or its logarithm."""
    name = rule_base.target_name
    return name if rule_base.target is not None else scale_of(rule_base).subject(name)


def _curves(rule_base: RuleBase, table: PaperTable) -> list[str]:
    rows = [
        r"\begin{tabular}{lrr}",
        r"  \toprule",
        rf"  Curve of & at & adds to {_escaped(_subject(rule_base))} \\",
    ]
    for name, unit, bends in table.curves:
        rows.append(r"  \midrule")
        names = [_escaped(name_with_unit(name, unit)), *[""] * (len(bends) - 1)]
        rows += [
            rf"  {cell} & {_number(at)} & {_number(adds)} \\" for cell, (at, adds) in zip(names, bends, strict=True)
        ]
    return [*rows, r"  \bottomrule", r"\end{tabular}"]


def _meanings(variables: list[Variable]) -> list[str]:
    """Write a table of what values labels stand for."""
    rows = [r"\begin{tabular}{lll}", r"  \toprule", r"  Variable & label & stands for \\"]
    for variable in variables:
        rows.append(r"  \midrule")
        names = [_escaped(name_with_unit(variable.name, variable.unit)), *[""] * (variable.partition.n_labels - 1)]
        rows += [
            rf"  {name} & {_escaped(label)} & {_escaped(meaning)} \\"
            for name, (label, meaning) in zip(names, label_meanings(variable).items(), strict=True)
        ]
    return [*rows, r"  \bottomrule", r"\end{tabular}"]


def _spanning(text: str, columns: int) -> str:
    return text if columns == 1 else rf"\multicolumn{{{columns}}}{{c}}{{{text}}}"


def _number(text: str) -> str:
    # A comma between digits is no punctuation.
    mantissa, _, exponent = text.replace(MINUS, "-").replace(",", "{,}").partition("e")
    return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"


def _escaped(text: str) -> str:
    """Return text that LaTeX sets as it is."""
    return "".join(_SPECIAL.get(character, character) for character in one_line(text))
