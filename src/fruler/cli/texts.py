"""Sentences that several commands print."""

from __future__ import annotations

import math
import shutil
from collections.abc import Collection

from fruler.explain.numbers import readable_number
from fruler.explain.text import rules_text
from fruler.rules.partition import FuzzyPartition
from fruler.rules.rule_base import RuleBase, Variable

_WIDEST, _NARROWEST, _ELSEWHERE = 120, 40, 100
_MOST_DECIMALS, _MOST_DIGITS = 7, 9


def text_width() -> int:
    """Return the columns of a text: the terminal's, as long as lines can be read at ease."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_ELSEWHERE, 24)).columns))


def rules_and_labels(rule_base: RuleBase, categories: Collection[str] = ()) -> str:
    """Write the rules, and where their labels meet; inputs that stand for categories need no such line."""
    parts = [rules_text(rule_base, width=text_width())]
    borders = [_borders(variable) for variable in _split_inputs(rule_base) if variable.name not in categories]
    lines = [f"  {border}" for border in borders if border]
    if lines:
        parts.append("\n".join(["What the labels mean", *lines]))
    return "\n\n".join(parts)


def _split_inputs(rule_base: RuleBase) -> list[Variable]:
    return [rule_base.variables[j] for j in rule_base.antecedent_inputs]


def _borders(variable: Variable) -> str:
    partition = variable.partition
    if not isinstance(partition, FuzzyPartition):
        return ""
    words = [
        f"{label} < {readable_number(split, 4)} <"
        for label, split in zip(partition.labels, partition.split_points, strict=False)
    ]
    return f"{variable.name}: {' '.join(words)} {partition.labels[-1]} {variable.unit}".rstrip()


def error_table(errors: dict[str, float], unit: str) -> list[str]:
    r"""Write errors below each other, in a line each, with enough decimals for the smallest.

    Examples
    --------
    >>> print("\n".join(error_table({"4 rules": 0.9808, "always the mean": 10.0816}, "°C")))
      4 rules           0.981 °C
      always the mean  10.082 °C
    """
    positive = [error for error in errors.values() if error > 0.0]
    exponent = math.floor(math.log10(min(positive))) if positive else 0
    if 2 - exponent <= _MOST_DECIMALS and exponent < _MOST_DIGITS:
        numbers = [f"{error:.{max(0, 2 - exponent)}f}" for error in errors.values()]
    else:
        numbers = [f"{error:.3g}" for error in errors.values()]
    width, digits = max(map(len, errors)), max(map(len, numbers))
    return [
        f"  {name:<{width}}  {number:>{digits}} {unit}".rstrip() for name, number in zip(errors, numbers, strict=True)
    ]
