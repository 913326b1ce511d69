"""Rules and curves as data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fruler._arrays import Floats
from fruler.rules._rule_base import RuleBase


def rules_table(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per rule, numbered from 1: the labels it accepts, its support, its errors and its coefficients.

    Each category has its own coefficient column, with NaN where the rule does not accept the category. The errors are
    over the rows in which the rule is the strongest: `rmse` is that of the prediction, and `rmse alone` that of the
    rule by itself. Curves are added to the output of every rule; `curves_table` lists them. Rules with output labels
    have the columns "then NAME" for the label and `output` for its number, instead of coefficients.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules_table(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]]))
       if x  support  rmse  rmse alone  intercept  coef x
    1   low      NaN   NaN         NaN        1.0     2.0
    2  high      NaN   NaN         NaN        3.0     0.0
    """
    table: dict[str, Any] = {
        f"if {rule_base.names[j]}": [_accepted(rule_base, rule, int(j)) for rule in range(rule_base.n_rules)]
        for j in rule_base.antecedent_inputs
    }
    unknown = np.full(rule_base.n_rules, np.nan)
    truth = rule_base.background.truth
    table["support"] = unknown if rule_base.support is None else rule_base.support
    table["rmse"] = unknown if truth is None else truth.rule_together
    table["rmse alone"] = unknown if truth is None else truth.rule_alone
    # Counted from 1, like everything that is printed.
    return pd.DataFrame(table | _said(rule_base), index=range(1, rule_base.n_rules + 1))


def _said(rule_base: RuleBase) -> dict[str, Any]:
    """Return the columns of the consequents, by name."""
    consequents = rule_base.consequents
    if rule_base.target is not None:
        labels = [consequents.label(rule) for rule in range(rule_base.n_rules)]
        return {f"then {rule_base.target_name}": labels, "output": rule_base.output.of(consequents.intercepts)}
    table: dict[str, Any] = {"intercept": consequents.intercepts}
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is None or variable.is_indicator:
            table[f"coef {variable.term}"] = rule_base.slopes[:, j]
        else:
            table |= _offsets(rule_base, j)
    return table


def _accepted(rule_base: RuleBase, rule: int, feature: int) -> str:
    """Return the labels that a rule accepts of an input, in words."""
    if not rule_base.looks_at[rule, feature]:
        return "any"
    variable = rule_base.antecedents.condition_inputs[feature]
    first, last = rule_base.antecedents.accepted(rule, feature)
    return variable.words(first, last) or " or ".join(variable.partition.labels[first : last + 1])


def _offsets(rule_base: RuleBase, feature: int) -> dict[str, Floats]:
    """Return the coefficients of each category of an input, by the name of the column."""
    variable, slopes = rule_base.variables[feature], rule_base.slopes[:, feature]
    accepted = [rule_base.antecedents.levels(rule, feature) for rule in range(rule_base.n_rules)]
    return {
        f"coef {variable.name}={level}": np.where([level in own for own in accepted], slopes * number + 0.0, np.nan)
        for level, number in variable.choices
    }


def curves_table(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per bend of each curve: its input, the value at which it bends, and the height of the curve there.

    A jump has two rows with the same value: the height just below the jump, and at it. Between bends a curve is
    straight, or a parabola where one line fades into the next. For an input that comes from dates the value is the date
    as text.

    Examples
    --------
    >>> from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
    >>> age = Variable("age", FuzzyPartition([], (0.0, 30.0)))
    >>> curve = Curve(0, FuzzyPartition([10.0], (0.0, 30.0), fuzziness=0.5), [[-4.0, 0.5], [5.0, 0.0]])
    >>> curves_table(RuleBase([age], [[[0, 0]]], [[20.0, 0.0]], curves=[curve]))
      input  value  adds
    0   age    0.0  -4.0
    1   age    5.0  -1.5
    2   age   10.0   3.0
    3   age   15.0   5.0
    4   age   30.0   5.0
    """
    rows = []
    for curve in rule_base.curves:
        variable, bends = rule_base.variables[curve.input], curve.bends()
        rows += [(variable.name, variable.written(x) or x, add) for x, add in zip(bends.x, bends.adds, strict=True)]
    inputs, values, adds = zip(*rows, strict=True) if rows else ((), (), ())
    dated = any(isinstance(value, str) for value in values)
    return pd.DataFrame(
        {
            "input": pd.Series(inputs, dtype=object),
            "value": pd.Series(values, dtype=object if dated else np.float64),
            "adds": np.array(adds, dtype=np.float64),
        }
    )
