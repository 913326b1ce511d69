"""``fruler rules``, ``fruler report`` and ``fruler export``: a model in other forms."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from fruler._wording import suggest
from fruler.cli.failures import say
from fruler.cli.input import STDIN, read_any_model
from fruler.cli.output import STDOUT, as_json, check_destination, require_jinja, show, write_output
from fruler.cli.predict import rows_for
from fruler.data.options import ReadOptions
from fruler.estimators.saved_model import front_of
from fruler.explain.report import write_report
from fruler.export import TARGETS, export_model
from fruler.model_file.file import Model
from fruler.rules.json.rule_base import rule_base_to_json
from fruler.table.preparation import target_numbers

# Exports that can do without filling in missing values.
_WITH_GAPS = ("sql", "onnx")


def write_rules(model_file: Path, styles: list[str], output: str) -> None:
    """Do what ``fruler rules`` does."""
    if len(styles) > 1:
        raise ValueError(f"--{styles[0]} and --{styles[1]} exclude each other; choose one")
    if output != STDOUT:
        check_destination(Path(output), [model_file])
    model = read_any_model(model_file)
    style = styles[0] if styles else "text"
    content = _rules_as(model, style).rstrip("\n")
    if style == "text" and output == STDOUT:
        show(content)
    else:
        write_output(output, content + "\n")


def _rules_as(model: Model, style: str) -> str:
    rule_base = model.rule_base
    if style == "json":
        return as_json(rule_base_to_json(rule_base))
    if style == "markdown":
        return rule_base.to_markdown()
    return rule_base.to_latex() if style == "latex" else str(rule_base)


def write_page(model_file: Path, data: str | None, options: ReadOptions, output: Path, title: str | None) -> None:
    """Do what ``fruler report`` does."""
    check_destination(output, [model_file, *([] if data in (None, STDIN) else [str(data)])])
    require_jinja()
    model = read_any_model(model_file)
    X = y = None
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
    front = None if model.learning is None else front_of(model.learning)
    rules = model.rule_base
    write_report(output, rules, X=X, y=y, front=front, title=title, alternatives=rules.alternatives)
    show(f"Report written to {output}")


def write_export(model_file: Path, to: str, output: str, *, gaps: bool = True) -> None:
    """Do what ``fruler export`` does."""
    if output != STDOUT:
        check_destination(Path(output), [model_file])
    if to not in TARGETS:
        raise ValueError(f"--to: there is no {to!r}; {suggest(to, TARGETS)}")
    if not gaps and to not in _WITH_GAPS:
        raise ValueError(f"--no-gaps: {to} has no such choice; it is for {' and '.join(_WITH_GAPS)}")
    model = read_any_model(model_file)
    content = export_model(model.rule_base, to, **({} if gaps else {"gaps": False}))
    if isinstance(content, bytes) and output == STDOUT and sys.stdout.isatty():
        raise ValueError(f"{to} is no text for a terminal; name a file with -o")
    write_output(output, content)
