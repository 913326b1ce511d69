"""Rule bases written for other systems: code, queries, exchange formats and tables for papers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase

# The module of a target has the target's name, and is imported on demand.
TARGETS: tuple[str, ...] = ("onnx", "fml", "pmml", "python", "c", "js", "sql", "xlsx", "latex", "markdown")

__all__ = ["TARGETS", "export_model"]


def export_model(rule_base: RuleBase, to: str, **options: Any) -> str | bytes:
    """Write a rule base in another language or format.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    to : {"onnx", "fml", "pmml", "python", "c", "js", "sql", "xlsx", "latex", "markdown"}
        The target.
    **options
        The options of the target, e.g. ``table`` for SQL.

    Returns
    -------
    str or bytes
        The text of the exported model; for ONNX and Excel the bytes of the file.

    Raises
    ------
    ValueError
        If there is no such target, or it has no such option.

    See Also
    --------
    fruler.FuzzyRuleRegressor.save : Write a file for `load_model`.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export_model(rules, "markdown"))
    **heating: 2 rules**
    <BLANKLINE>
    | rule                  |        1 |       2 |
    |:----------------------|---------:|--------:|
    | temperature           | under 10 | over 10 |
    | start                 |       25 |    5.25 |
    | temperature, per unit |       -1 |       – |
    <BLANKLINE>
    To predict, add the amounts of the rule and of all rows to start; where rules fade, mix their predictions
    <BLANKLINE>
    Amounts count from temperature 0
    <BLANKLINE>
    Rules fade into each other: temperature from -10 to 30
    <BLANKLINE>
    """
    if to not in TARGETS:
        raise ValueError(f"There is no export to {to!r}; the targets are {', '.join(TARGETS)}.")
    known = options_of(to)
    for name in options:
        if name not in known:
            raise ValueError(f"The export to {to} has no option {name!r}; it has {', '.join(known) or 'none'}.")
    if not hasattr(rule_base, "antecedents"):
        raise ValueError(f"export_model needs a RuleBase, such as model.rule_base_; got {rule_base!r}.")
    return _exporter(to)(rule_base, **options)


def options_of(to: str) -> list[str]:
    """Return the names of a target's options.

    Examples
    --------
    >>> options_of("sql")
    ['table', 'keep', 'prediction', 'gaps', 'interval', 'dialect', 'dbt']
    """
    parameters = inspect.signature(_exporter(to)).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind == parameter.KEYWORD_ONLY]


def targets_with(option: str) -> list[str]:
    """Return the targets that have an option.

    Examples
    --------
    >>> targets_with("interval")
    ['onnx', 'pmml', 'python', 'c', 'js', 'sql', 'xlsx']
    """
    return [target for target in TARGETS if option in options_of(target)]


def _exporter(to: str) -> Callable[..., str | bytes]:
    exporter: Callable[..., str | bytes] = import_module(f"fruler.export.{to}").export
    return exporter
