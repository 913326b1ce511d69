"""``fruler rules``, ``fruler report`` and ``fruler export``: a model in other forms."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fruler._wording import counted, suggest
from fruler.cli.failures import say
from fruler.cli.input import STDIN, read_any_model, read_shown_model
from fruler.cli.origin import command_origin
from fruler.cli.output import STDOUT, as_json, check_destination, require_jinja, show, write_output
from fruler.cli.predict import rows_for
from fruler.cli.stability import RefitOptions
from fruler.data.options import ReadOptions
from fruler.estimators.front import front_of
from fruler.explain.report import write_report
from fruler.explain.rule_order import ORDERS, arranged, ordered_rules, rules_with
from fruler.export import TARGETS, export_model
from fruler.model_file.file import Model
from fruler.rules.json.rule_base import rule_base_to_json
from fruler.rules.rule_base import RuleBase
from fruler.table.preparation import target_numbers

# Exports that can do without filling in missing values.
_WITH_GAPS = ("sql", "onnx")
# Exports that read a table which has a name.
_OVER_A_TABLE = ("sql",)
_WITH_INTERVALS = ("python", "c", "sql", "onnx")


def write_rules(
    model_file: Path, styles: list[str], output: str, *, sort: str = ORDERS[0], only: Sequence[str] = ()
) -> None:
    """Do what ``fruler rules`` does."""
    if len(styles) > 1:
        raise ValueError(f"--{styles[0]} and --{styles[1]} exclude each other; choose one")
    if sort not in ORDERS:
        raise ValueError(f"--sort: there is no order {sort!r}; {suggest(sort, ORDERS)}")
    if styles and (sort != ORDERS[0] or only):
        raise ValueError(f"--{'only' if only else 'sort'} is for rules as text; leave out --{styles[0]}")
    if output != STDOUT:
        check_destination(Path(output), [model_file])
    style = styles[0] if styles else "text"
    model = read_any_model(model_file) if style == "json" else read_shown_model(model_file)
    content = _rules_as(model, style) if styles else _listed(model.rule_base, sort, only)
    content = content.rstrip("\n")
    if style == "text" and output == STDOUT:
        show(content)
    else:
        write_output(output, content + "\n")


def _rules_as(model: Model, style: str) -> str:
    rule_base = model.rule_base
    if style == "json":
        return as_json(rule_base_to_json(rule_base))
    return rule_base.to_markdown() if style == "markdown" else rule_base.to_latex()


def _listed(rule_base: RuleBase, sort: str, only: Sequence[str]) -> str:
    """Write rules in an order, those that use some inputs alone."""
    try:
        shown = rules_with(rule_base, only)
    except ValueError as error:
        raise ValueError(f"--only: {error}") from None
    if not shown:
        raise ValueError(f"--only: no rule uses {' and '.join(map(repr, only))}; fruler rules shows what each uses")
    try:
        order = [rule for rule in ordered_rules(rule_base, sort) if rule in shown]
    except ValueError as error:
        raise ValueError(f"--sort {sort}: {error}") from None
    text = arranged(str(rule_base), order)
    if len(shown) == rule_base.n_rules:
        return text
    title, rest = text.split("\n", 1)
    return f"{title}; shown: {counted(len(shown), 'rule')} with {' and '.join(only)}\n{rest}"


def write_page(
    model_file: Path,
    data: str | None,
    options: ReadOptions,
    output: Path,
    title: str | None,
    refits: RefitOptions | None = None,
) -> None:
    """Do what ``fruler report`` does."""
    refits = refits or RefitOptions()
    refits.check(data)
    check_destination(output, [model_file, *([] if data in (None, STDIN) else [str(data)])])
    require_jinja()
    model = read_shown_model(model_file)
    refits.check_model(model, model_file)
    X = y = stability = None
    if data is not None:
        rows = rows_for(model, data, options)
        target = model.rule_base.target_name
        if target not in rows.table.frame.columns:
            raise ValueError(
                f"{rows.table.name} has no column {target!r}, which a report on data compares predictions with; "
                "add it, or leave DATA out"
            )
        rows.table.refuse_doubts([target])
        answers = target_numbers(rows.table.frame, target)
        known = rows.complete & np.isfinite(answers)
        if not np.isfinite(answers).any():
            raise ValueError(f"{rows.table.name}: no row has a value of {target!r}; fill it in, or leave DATA out")
        if not known.any():
            raise ValueError(f"{rows.table.name}: no row can be predicted; fill in {'; '.join(rows.what_is_missing())}")
        if not known.all():
            lacks = target if rows.complete.all() else "an input or of " + target
            n_left_out = int((~known).sum())
            verbs = ("lacks", "is") if n_left_out == 1 else ("lack", "are")
            say(f"{n_left_out} of {len(known)} rows {verbs[0]} a value of {lacks} and {verbs[1]} not in the report")
        X, y = model.rule_base.filled(rows.inputs[known]), answers[known]
        stability = refits.stability(model, rows.table, answers)
    front = None if model.learning is None else front_of(model.learning)
    origin = command_origin(data, model_file)
    if model.learning is not None:
        settings = {name: value for name, value in model.learning.settings.items() if name != "algorithm"}
        origin = origin.learned_by(str(model.learning.settings.get("algorithm", "")), settings)
    write_report(output, model.rule_base, X=X, y=y, front=front, title=title, origin=origin, stability=stability)
    if stability is not None:
        show(f"{stability}\n")
    show(f"Report written to {output}")


def write_export(
    model_file: Path,
    to: str,
    output: str,
    *,
    gaps: bool = True,
    table: str | None = None,
    keep: Sequence[str] = (),
    prediction: str | None = None,
    interval: float | None = None,
) -> None:
    """Do what ``fruler export`` does."""
    if output != STDOUT:
        check_destination(Path(output), [model_file])
    if to not in TARGETS:
        raise ValueError(f"--to: there is no {to!r}; {suggest(to, TARGETS)}")
    if not gaps and to not in _WITH_GAPS:
        raise ValueError(f"--no-gaps: {to} has no such choice; it is for {' and '.join(_WITH_GAPS)}")
    options: dict[str, Any] = {} if gaps else {"gaps": False}
    options |= {} if table is None else {"table": table}
    options |= {"keep": tuple(keep)} if keep else {}
    options |= {} if prediction is None else {"prediction": prediction}
    options |= {} if interval is None else {"interval": interval}
    for name in ("table", "keep", "prediction", "interval"):
        targets = _WITH_INTERVALS if name == "interval" else _OVER_A_TABLE
        if name in options and to not in targets:
            raise ValueError(f"--{name}: {to} has no such choice; it is for {', '.join(targets)}")
    model = read_any_model(model_file)
    content = export_model(model.rule_base, to, **options)
    if isinstance(content, bytes) and output == STDOUT and sys.stdout.isatty():
        raise ValueError(f"{to} is no text for a terminal; name a file with -o")
    write_output(output, content)
