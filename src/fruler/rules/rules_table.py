"""Rules as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fruler.rules.rule_base import RuleBase


def rules_table(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per rule: the labels it accepts of each input, its support, its errors and its coefficients.

    The errors are over the rows in which the rule is the strongest: `rmse` is that of the prediction, and `rmse alone`
    that of the rule by itself. What curves add comes on top of the output of every rule; `curves_table` has it.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules_table(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]]))
       if x  support  rmse  rmse alone  intercept  coef x
    0   low      NaN   NaN         NaN        1.0     2.0
    1  high      NaN   NaN         NaN        3.0     0.0
    """
    names, consequents = rule_base.names, rule_base.consequents
    looked_at = [bool(column.any()) for column in rule_base.looks_at.T]
    table: dict[str, Any] = {
        f"if {name}": [" or ".join(rule.antecedent.get(name, ())) or "any" for rule in rule_base.rules]
        for name, used in zip(names, looked_at, strict=True)
        if used
    }
    unknown = np.full(rule_base.n_rules, np.nan)
    truth = None if rule_base.training is None else rule_base.training.truth
    table["support"] = unknown if rule_base.support is None else rule_base.support
    table["rmse"] = unknown if truth is None else truth.rule_together
    table["rmse alone"] = unknown if truth is None else truth.rule_alone
    table["intercept"] = consequents.intercepts
    table |= {f"coef {name}": consequents.slopes[:, j] for j, name in enumerate(names)}
    return pd.DataFrame(table, index=range(rule_base.n_rules))
