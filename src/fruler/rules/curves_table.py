"""Curves as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler.rules.rule_base import RuleBase


def curves_table(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per bend of each curve: its input, the value at which it bends, and what it adds there.

    A jump has two rows of one value: what is added just below it, and from it on. Between bends a curve is straight,
    or, where one line fades into the next, a parabola. Of an input that comes from dates the value is the date as text.

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
