"""Importance of inputs and rules over the training data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler._arrays import Floats
from fruler.rules._rule_base import RuleBase


def input_importance(rule_base: RuleBase) -> pd.DataFrame:
    """Return the importance of the inputs as a table with one row per input, the most important first.

    A column of categories counts as one input, even if the rules have one input per category.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with a summary of training data.

    Returns
    -------
    DataFrame
        With the columns `input`; `moves`, the mean absolute contribution of the input to the predictions of the
        training rows, in the target's unit or its logarithm; and `share`, its share in the sum of all moves.

    See Also
    --------
    rule_importance : The importance of rules.
    fruler.explain.plots.ImportanceDisplay : Plot the importance of inputs.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    >>> rules = rules.with_training([[0.0], [1.0]], [1.0, 5.0])
    >>> input_importance(rules)["moves"].tolist()
    [2.0]
    """
    return importance_table("input", [feature.name for feature in rule_base.features], feature_moves(rule_base))


def rule_importance(rule_base: RuleBase) -> pd.DataFrame:
    """Return the importance of the rules as a table with one row per rule, the most important first.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with a summary of training data.

    Returns
    -------
    DataFrame
        With the columns `rule`, counted from 1; `moves`, the mean absolute difference between its output and the mean
        prediction over the training rows, weighted by the rule's activation, in the target's unit or its logarithm;
        and `share`, its share in the sum of all moves.

    See Also
    --------
    input_importance : The importance of inputs.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    >>> rules = rules.with_training([[0.0], [1.0]], [1.0, 5.0])
    >>> rule_importance(rules)["share"].tolist()
    [0.5, 0.5]
    """
    moves = rule_base.background.required().rule_importance
    return importance_table("rule", list(range(1, rule_base.n_rules + 1)), moves)


def feature_moves(rule_base: RuleBase) -> Floats:
    """Return the importance of each feature over the training rows: the sum over its inputs."""
    moves = rule_base.background.required().input_importance
    return np.array([moves[feature.index].sum() for feature in rule_base.features])


def column_shares(rule_base: RuleBase) -> Floats:
    """Return the share of each column of the user's table in the importance of all, in the order of the columns."""
    shares = dict.fromkeys(rule_base.columns, 0.0)
    for feature, share in zip(rule_base.features, _shares(feature_moves(rule_base)).tolist(), strict=True):
        shares[feature.column] += share
    return np.array(list(shares.values()))


def importance_table(what: str, names: list[str] | list[int], moves: Floats) -> pd.DataFrame:
    """Return a table of names, moves and their shares in the sum, the largest first."""
    table = pd.DataFrame({what: names, "moves": moves, "share": _shares(moves)})
    return table.sort_values("moves", ascending=False, kind="stable", ignore_index=True)


def _shares(moves: Floats) -> Floats:
    total = float(moves.sum())
    return moves / total if total > 0.0 else np.full(len(moves), 1.0 / len(moves))
