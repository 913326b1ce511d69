"""The rows over which effects are averaged: some of those given, or rows like those that rules were learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fruler._typing import Floats
from fruler.explain.effects import input_ranges
from fruler.explain.features import Feature
from fruler.rules.rule_base import RuleBase
from fruler.table.rows import spread_evenly

# Means over more rows would look the same.
MAX_ROWS = 200


def background_rows(rule_base: RuleBase, features: Sequence[Feature], values: Floats | None = None) -> Floats:
    """Return rows to average over, 200 at most.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    features : sequence of Feature
        Its features.
    values : ndarray of shape (n_samples, n_inputs), optional
        Rows to take them from, evenly. Without them, rows are made up: each is of a rule, as often as the rule's
        support says, and its inputs spread around the rule's centre as they did in the training data. Where these are
        not known, the inputs spread evenly over their ranges.

    Examples
    --------
    >>> from fruler.explain.features import features_of
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[5.0, 1.0], [1.0, 0.0]])
    >>> background_rows(rules, features_of(rules)).shape, background_rows(rules, features_of(rules), [[0.5]]).shape
    ((200, 1), (1, 1))
    """
    if values is not None:
        given = np.asarray(values, dtype=np.float64)
        return np.array(given[spread_evenly(len(given), MAX_ROWS)])
    rng = np.random.default_rng(0)
    low, high = input_ranges(rule_base).T
    training = rule_base.training
    if training is None or training.centres is None or training.spreads is None:
        rows = rng.uniform(low, high, (MAX_ROWS, len(low)))
    else:
        support = np.ones(rule_base.n_rules) if rule_base.support is None else rule_base.support
        share = support / support.sum() if support.sum() > 0.0 else np.full(len(support), 1.0 / len(support))
        # Where in the rules' shares, from the first to the last, the middle of each row lies.
        rule = np.searchsorted(np.cumsum(share), (np.arange(MAX_ROWS) + 0.5) / MAX_ROWS).clip(max=len(share) - 1)
        drawn = training.centres[rule] + training.spreads[rule] * rng.standard_normal((MAX_ROWS, len(low)))
        rows = np.clip(drawn, low, high)
    for feature in features:
        if feature.options:
            chosen = feature.options_of(rows)
            rows[:, feature.columns] = np.array([option.values for option in feature.options])[chosen]
    return np.asarray(rows)
