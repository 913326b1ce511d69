"""How much each input and each rule matter over the training data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import TrainingSummary


def input_importance(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per input, the most important first.

    Returns
    -------
    DataFrame
        With the columns `input`; `moves`, by how much it moves a prediction away from the mean prediction, in the mean
        over the training rows and in the target's unit; and `share` of all moves.
    """
    names = list(rule_base.names)
    return _table("input", names, _summary(rule_base).input_importance)


def rule_importance(rule_base: RuleBase) -> pd.DataFrame:
    """Return one row per rule, the most important first.

    Returns
    -------
    DataFrame
        With the columns `rule`, counted from 1; `moves`, how far its output lies from the mean prediction, weighted by
        how much it fires, in the mean over the training rows and in the target's unit; and `share` of all moves.
    """
    return _table("rule", list(range(1, rule_base.n_rules + 1)), _summary(rule_base).rule_importance)


def input_shares(rule_base: RuleBase) -> Floats:
    """Return the share of each input in all moves, in the order of the columns."""
    return _shares(_summary(rule_base).input_importance)


def _summary(rule_base: RuleBase) -> TrainingSummary:
    if rule_base.training is None:
        raise ValueError("These rules know no training data; add them with rule_base.with_training(X, y).")
    return rule_base.training


def _table(what: str, names: list[str] | list[int], moves: Floats) -> pd.DataFrame:
    table = pd.DataFrame({what: names, "moves": moves, "share": _shares(moves)})
    return table.sort_values("moves", ascending=False, kind="stable", ignore_index=True)


def _shares(moves: Floats) -> Floats:
    total = float(moves.sum())
    return moves / total if total > 0.0 else np.full(len(moves), 1.0 / len(moves))
