"""``fruler rules`` and ``fruler export``: a model in other forms."""

from __future__ import annotations

import sys
from pathlib import Path

from fruler._cli.failures import said_of
from fruler._cli.input import load_any_model, load_shown_model
from fruler._cli.options import ExportOptions, RulesOptions
from fruler._cli.output import STDOUT, as_json, check_destination, show, write_output
from fruler._wording import counted, printable, suggest
from fruler.explain._told import title_of
from fruler.explain.text import ORDERS, ordered_rules, rules_text, rules_with
from fruler.export import TARGETS, export_model, options_of, targets_with
from fruler.export.sql import dbt_schema
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._rule_base import RuleBase


def write_rules(options: RulesOptions) -> None:
    """Run ``fruler rules``."""
    styles = [name for name in ("markdown", "latex", "json") if getattr(options, name)]
    if len(styles) > 1:
        raise ValueError(f"--{styles[0]} and --{styles[1]} exclude each other; choose one")
    if options.sort not in ORDERS:
        raise ValueError(f"--sort: there is no order {options.sort!r}; {suggest(options.sort, ORDERS)}")
    given = {"only": options.only, "sort": options.sort != ORDERS[0], "table": options.table is not None}
    for name in (name for name, is_given in given.items() if is_given and styles):
        raise ValueError(f"--{name} is for rules as text; leave out --{styles[0]}")
    check_destination(options.output, options.model)
    rules = (load_any_model(options.model) if options.json else load_shown_model(options.model)).rule_base_
    if options.json:
        content = as_json(rule_base_to_json(rules))
    elif styles:
        content = rules.to_markdown() if options.markdown else rules.to_latex()
    else:
        content = _listed(rules, options)
    content = content.rstrip("\n")
    if options.output == STDOUT and not styles:
        show(content)
    else:
        write_output(options.output, content + "\n")


def _listed(rule_base: RuleBase, options: RulesOptions) -> str:
    """Return the text of the rules that use all of some inputs, in an order."""
    sort, only = options.sort, options.only
    with said_of("--only"):
        shown = rules_with(rule_base, only)
    if not shown:
        raise ValueError(f"--only: no rule uses {' and '.join(map(repr, only))}; leave out --only to see all rules")
    with said_of(f"--sort {sort}"):
        order = [rule for rule in ordered_rules(rule_base, sort) if rule in shown]
    title = title_of(rule_base)
    if len(shown) < rule_base.n_rules:
        title += f"; shown: {counted(len(shown), 'rule')} with {' and '.join(only)}"
    return rules_text(rule_base, rules=order, title=title, table=options.table)


_EXPORT_OPTIONS = ("table", "keep", "prediction", "interval", "rows", "types", "gaps", "dialect", "dbt")


def write_export(options: ExportOptions) -> None:
    """Run ``fruler export``."""
    check_destination(options.output, options.model)
    described = Path(options.output).with_suffix(".yml")
    if options.dbt:
        if Path(options.output).suffix != ".sql":
            raise ValueError(
                "--dbt writes two files; name the file of the dbt model with -o, such as -o models/NAME.sql"
            )
        check_destination(described, options.model)
    if options.to not in TARGETS:
        raise ValueError(f"--to: there is no {options.to!r}; {suggest(options.to, TARGETS)}")
    asked_for = {name: getattr(options, name) for name in _EXPORT_OPTIONS}
    # Zero is a choice, although it equals False.
    choices = {
        name: value for name, value in asked_for.items() if value is not None and value is not False and value != []
    }
    if options.gaps is False:
        choices["gaps"] = False
    for name in choices:
        if name not in options_of(options.to):
            asked = "no-gaps" if name == "gaps" and not options.gaps else name
            raise ValueError(f"--{asked}: {options.to} has no such option; it is for {', '.join(targets_with(name))}")
    rules = load_any_model(options.model).rule_base_
    content = export_model(rules, options.to, **choices)
    # Whoever copied a query with escapes from a terminal would get other predictions.
    kept = isinstance(content, str) and printable(content, keep="\n\t") == content
    if not kept and options.output == STDOUT and sys.stdout.isatty():
        raise ValueError(f"{options.to} cannot be shown on a terminal as it is; name a file with -o")
    write_output(options.output, content)
    if options.dbt:
        shared = {name: choices[name] for name in ("keep", "prediction", "interval") if name in choices}
        write_output(str(described), dbt_schema(rules, described.stem, **shared))
