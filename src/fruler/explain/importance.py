"""How much each input and each rule matter over the training data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler.rules._background import TrainingSummary
from fruler.rules._rule_base import RuleBase


def input_importance(rule_base: RuleBase) -> pd.DataFrame:
    """Return how much each input matters, as a table with one row per input, the most important first.

    A column of categories is one input, also where the rules have an input for each category.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with a summary of training data.

    Returns
    -------
    DataFrame
        With the columns `input`; `moves`, the mean distance by which the input moves predictions of the training rows
        away from the mean prediction, in the target's unit; and `share`, its share in the sum of all moves.

    See Also
    --------
    rule_importance : The same for rules.
    fruler.explain.plots.ImportanceDisplay : A picture of it.

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
    """Return how much each rule matters, as a table with one row per rule, the most important first.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with a summary of training data.

    Returns
    -------
    DataFrame
        With the columns `rule`, counted from 1; `moves`, the mean distance of its output from the mean prediction over
        the training rows, weighted by how much it fires, in the target's unit; and `share`, its share in the sum of all
        moves.

    See Also
    --------
    input_importance : The same for inputs.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    >>> rules = rules.with_training([[0.0], [1.0]], [1.0, 5.0])
    >>> rule_importance(rules)["share"].tolist()
    [0.5, 0.5]
    """
    return importance_table("rule", list(range(1, rule_base.n_rules + 1)), _summary(rule_base).rule_importance)


def feature_moves(rule_base: RuleBase) -> Floats:
    """Return by how much each feature moves predictions of the training rows: the sum over its inputs."""
    moves = _summary(rule_base).input_importance
    return np.array([moves[feature.index].sum() for feature in rule_base.features])


def column_shares(rule_base: RuleBase) -> Floats:
    """Return the share of each column of the user's table in all moves, in the order of the columns."""
    shares = dict.fromkeys(rule_base.columns, 0.0)
    for feature, share in zip(rule_base.features, _shares(feature_moves(rule_base)).tolist(), strict=True):
        shares[feature.column] += share
    return np.array(list(shares.values()))


def _summary(rule_base: RuleBase) -> TrainingSummary:
    if rule_base.training is None:
        raise ValueError("These rules know no training data; add them with rule_base.with_training(X, y).")
    return rule_base.training


def importance_table(what: str, names: list[str] | list[int], moves: Floats) -> pd.DataFrame:
    """Return a table of names, moves and shares in all moves, the largest first."""
    table = pd.DataFrame({what: names, "moves": moves, "share": _shares(moves)})
    return table.sort_values("moves", ascending=False, kind="stable", ignore_index=True)


def _shares(moves: Floats) -> Floats:
    total = float(moves.sum())
    return moves / total if total > 0.0 else np.full(len(moves), 1.0 / len(moves))
