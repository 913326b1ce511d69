"""Curves as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler.rules.rule_base import RuleBase


def curves_table(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per bend of each curve: its input, the value at which it bends, and what it adds there.

    A jump has two rows of one value: what is added just below it, and from it on. Between bends a curve is straight,
    or, where one line fades into the next, a parabola.

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
    bends = [curve.bends() for curve in rule_base.curves]
    inputs = [rule_base.names[curve.input] for curve, (x, _) in zip(rule_base.curves, bends, strict=True) for _ in x]
    value, adds = (np.concatenate([np.empty(0), *(bend[part] for bend in bends)]) for part in (0, 1))
    return pd.DataFrame({"input": pd.Series(inputs, dtype=object), "value": value, "adds": adds})
