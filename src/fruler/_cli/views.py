"""``fruler rules``, ``fruler report`` and ``fruler export``: a model in other forms."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from fruler._cli.failures import said_of, say, without_warnings
from fruler._cli.input import load_any_model, load_shown_model
from fruler._cli.options import ExportOptions, ReportOptions, RulesOptions
from fruler._cli.origin import command_origin
from fruler._cli.output import STDOUT, as_json, check_destination, require_jinja, show, write_output
from fruler._cli.predict import rows_for
from fruler._cli.preparation import target_numbers
from fruler._cli.stability import check_refits, check_refitted, refitted
from fruler._wording import counted, suggest
from fruler.explain.text import ORDERS, ordered_rules, rules_text, rules_title, rules_with
from fruler.export import TARGETS, export_model, options_of, targets_with
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._rule_base import RuleBase


def write_rules(options: RulesOptions) -> None:
    """Run ``fruler rules``."""
    styles = [name for name in ("markdown", "latex", "json") if getattr(options, name)]
    if len(styles) > 1:
        raise ValueError(f"--{styles[0]} and --{styles[1]} exclude each other; choose one")
    if options.sort not in ORDERS:
        raise ValueError(f"--sort: there is no order {options.sort!r}; {suggest(options.sort, ORDERS)}")
    if styles and (options.sort != ORDERS[0] or options.only):
        raise ValueError(f"--{'only' if options.only else 'sort'} is for rules as text; leave out --{styles[0]}")
    check_destination(options.output, options.model)
    rules = (load_any_model(options.model) if options.json else load_shown_model(options.model)).rule_base_
    if options.json:
        content = as_json(rule_base_to_json(rules))
    elif styles:
        content = rules.to_markdown() if options.markdown else rules.to_latex()
    else:
        content = _listed(rules, options.sort, options.only)
    content = content.rstrip("\n")
    if options.output == STDOUT and not styles:
        show(content)
    else:
        write_output(options.output, content + "\n")


def _listed(rule_base: RuleBase, sort: str, only: Sequence[str]) -> str:
    """Return the text of the rules that use all of some inputs, in an order."""
    with said_of("--only"):
        shown = rules_with(rule_base, only)
    if not shown:
        raise ValueError(f"--only: no rule uses {' and '.join(map(repr, only))}; leave out --only to see all rules")
    with said_of(f"--sort {sort}"):
        order = [rule for rule in ordered_rules(rule_base, sort) if rule in shown]
    title = rules_title(rule_base)
    if len(shown) < rule_base.n_rules:
        title += f"; shown: {counted(len(shown), 'rule')} with {' and '.join(only)}"
    return rules_text(rule_base, rules=order, title=title)


def write_page(options: ReportOptions) -> None:
    """Run ``fruler report``."""
    check_refits(options)
    check_destination(options.output, options.model, options.data)
    require_jinja()
    model = load_shown_model(options.model)
    check_refitted(options, model)
    X = y = stability = None
    if options.data is not None:
        rows = rows_for(model, options.data, options.reading)
        target = model.rule_base_.target_name
        if target not in rows.table.frame.columns:
            raise ValueError(
                f"{rows.table.name} has no column {target!r}, which the report compares predictions with; "
                "add it, or leave out DATA"
            )
        rows.table.refuse_doubts([target])
        answers = target_numbers(rows.table.frame, target)
        known = rows.complete & np.isfinite(answers)
        if not np.isfinite(answers).any():
            raise ValueError(f"{rows.table.name}: no row has a value of {target!r}; fill it in, or leave out DATA")
        if not known.any():
            raise ValueError(f"{rows.table.name}: no row can be predicted; fill in {'; '.join(rows.what_is_missing())}")
        if not known.all():
            lacks = target if rows.complete.all() else "an input or of " + target
            n_left_out = int((~known).sum())
            verbs = ("lacks", "is") if n_left_out == 1 else ("lack", "are")
            say(f"{n_left_out} of {len(known)} rows {verbs[0]} a value of {lacks} and {verbs[1]} not in the report")
        X, y = rows.frame[known], answers[known]
        stability = refitted(options, model, rows.table, answers)
    with without_warnings():
        origin = command_origin(options.data, options.model)
        model.report(X, y, options.output, title=options.title, origin=origin, stability=stability)
    if stability is not None:
        show(f"{stability}\n")
    show(f"Report written to {options.output}")


def write_export(options: ExportOptions) -> None:
    """Run ``fruler export``."""
    check_destination(options.output, options.model)
    if options.to not in TARGETS:
        raise ValueError(f"--to: there is no {options.to!r}; {suggest(options.to, TARGETS)}")
    asked_for = {name: getattr(options, name) for name in ("table", "keep", "prediction", "interval")}
    choices = {name: value for name, value in asked_for.items() if value not in (None, [])}
    if not options.gaps:
        choices["gaps"] = False
    for name in choices:
        if name not in options_of(options.to):
            asked = "no-gaps" if name == "gaps" else name
            raise ValueError(f"--{asked}: {options.to} has no such option; it is for {', '.join(targets_with(name))}")
    content = export_model(load_any_model(options.model).rule_base_, options.to, **choices)
    if isinstance(content, bytes) and options.output == STDOUT and sys.stdout.isatty():
        raise ValueError(f"{options.to} is binary and cannot be shown on a terminal; name a file with -o")
    write_output(options.output, content)
