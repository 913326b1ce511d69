"""Pairs of inputs that interact: what one of them does depends on the value of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fruler._typing import Floats
from fruler.explain.features import Feature
from fruler.rules.rule_base import RuleBase

# Among these shares of the rows, from the lowest value on, lie the values that an interaction is told at.
_QUANTILES = (0.1, 0.5, 0.9)
_MAX_OPTIONS = 6
# Strengths are compared to this share of the largest prediction, so that the order is the same on every machine; less
# is what rounding leaves.
_EXACTNESS = 1e-9


@dataclass(frozen=True)
class Interaction:
    """A pair of features, and how far what they do together differs from what they do one by one.

    Attributes
    ----------
    moved, held : Feature
        The pair. More rules look at the second, which decides about what the first does.
    strength : float
        In the target's unit: by how much the change of a prediction, when both features go from the values of one row
        to those of another, differs from the sum of the changes when only one of them does; the mean over pairs of
        rows, without sign.
    start, end : tuple of float
        Two values of the first, for its inputs.
    low, high : tuple of float
        Two values of the second.
    change_low, change_high : float
        By how much the prediction changes as the first goes from start to end, where the second has either value; the
        mean over the rows.
    """

    moved: Feature
    held: Feature
    strength: float
    start: tuple[float, ...]
    end: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    change_low: float
    change_high: float


def ranked_interactions(
    rule_base: RuleBase, features: Sequence[Feature], rows: Floats, *, least: float = 0.0, most: int | None = None
) -> list[Interaction]:
    """Return the pairs of features that interact, the strongest first.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    features : sequence of Feature
        Its features.
    rows : ndarray of shape (n_samples, n_inputs)
        Rows to average over. Each is paired with another of them, at random but always the same.
    least : float, default=0.0
        Weaker pairs are left out, and so are those that do not interact at all.
    most : int, optional
        How many pairs to return at most.

    Examples
    --------
    Where x is high, an m of z counts three times:

    >>> import numpy as np
    >>> from fruler.explain.features import features_of
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([0.5], (0.0, 1.0), 0.0)) for name in "xz")
    >>> rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]])
    >>> rows = np.array([[0.2, 0.1], [0.8, 0.3], [0.3, 0.9], [0.9, 0.5]])
    >>> (pair,) = ranked_interactions(rules, features_of(rules), rows)
    >>> pair.moved.name, pair.held.name, round(pair.strength, 2)
    ('z', 'x', 0.3)
    >>> round((pair.change_high - pair.change_low) / (pair.end[0] - pair.start[0]), 2)
    2.0
    """
    pairs = [(one, other) for one, other in combinations(features, 2) if _can_interact(rule_base, one, other)]
    if not pairs or len(rows) < 2:
        return []
    strengths = _strengths(rule_base, pairs, rows)
    unit = _EXACTNESS * float(np.abs(rule_base.raw_predictions(rows)).max()) or 1.0
    order = np.argsort(-np.round(strengths / unit), kind="stable")
    kept = [k for k in order.tolist() if strengths[k] > max(least, unit)]
    return [_told(rule_base, pairs[k], float(strengths[k]), rows) for k in kept[:most]]


def _can_interact(rule_base: RuleBase, one: Feature, other: Feature) -> bool:
    """Return whether rules can make two features interact: both are used, and either decides which rules apply."""
    used = all(rule_base.uses[feature.columns].any() for feature in (one, other))
    looked_at = rule_base.looks_at[:, [*one.inputs, *other.inputs]]
    return used and bool(looked_at.any())


def _strengths(rule_base: RuleBase, pairs: Sequence[tuple[Feature, Feature]], rows: Floats) -> Floats:
    # At random, for rows at some distance in a table are often alike: those of the same season.
    order = np.random.default_rng(0).permutation(len(rows))
    partners = np.empty_like(rows)
    partners[order] = rows[np.roll(order, 1)]
    start = rule_base.raw_predictions(rows)
    alone: dict[Feature, Floats] = {}

    def with_partners(*moved: Feature) -> Floats:
        mixed = rows.copy()
        for feature in moved:
            mixed[:, feature.columns] = partners[:, feature.columns]
        return rule_base.raw_predictions(mixed)

    strengths = []
    for pair in pairs:
        for feature in pair:
            if feature not in alone:
                alone[feature] = with_partners(feature)
        together = with_partners(*pair)
        strengths.append(float(np.abs(together - alone[pair[0]] - alone[pair[1]] + start).mean()))
    return np.array(strengths)


def _told(rule_base: RuleBase, pair: tuple[Feature, Feature], strength: float, rows: Floats) -> Interaction:
    """Find the values at which an interaction shows most."""
    lookers = [int(rule_base.looks_at[:, feature.columns].any(axis=1).sum()) for feature in pair]
    moved, held = pair[::-1] if lookers[0] > lookers[1] else pair
    moves, holds = _values(moved, rows), _values(held, rows)
    means = np.empty((len(holds), len(moves)))
    for a, hold in enumerate(holds):
        for b, move in enumerate(moves):
            mixed = rows.copy()
            mixed[:, held.columns] = hold
            mixed[:, moved.columns] = move
            means[a, b] = rule_base.raw_predictions(mixed).mean()
    best, size = (0, len(holds) - 1, 0, len(moves) - 1), -1.0
    for a, c in combinations(range(len(holds)), 2):
        for b, d in combinations(range(len(moves)), 2):
            contrast = abs(means[c, d] - means[c, b] - means[a, d] + means[a, b])
            if contrast > size * (1.0 + _EXACTNESS):
                best, size = (a, c, b, d), float(contrast)
    a, c, b, d = best
    return Interaction(
        moved,
        held,
        strength,
        start=moves[b],
        end=moves[d],
        low=holds[a],
        high=holds[c],
        change_low=float(means[a, d] - means[a, b]),
        change_high=float(means[c, d] - means[c, b]),
    )


def _values(feature: Feature, rows: Floats) -> list[tuple[float, ...]]:
    """Return some values of a feature, from low to high: the commonest options, or values that rows have."""
    if feature.options:
        counts = np.bincount(feature.options_of(rows), minlength=len(feature.options))
        common = np.argsort(-counts, kind="stable")[:_MAX_OPTIONS]
        return [feature.options[k].values for k in sorted(common.tolist())]
    column = rows[:, feature.inputs[0]]
    found = np.unique(np.quantile(column, _QUANTILES, method="inverted_cdf"))
    if len(found) == 1:
        found = np.unique([column.min(), column.max()])
    return [(float(value),) for value in found]
