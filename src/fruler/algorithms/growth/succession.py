"""Whether the sizes of a growth that was kept can be those of a growth: each is made from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Ramps, Structure
from fruler.learning.checkpoint.values import damaged


def check_succession(structures: Sequence[Structure], domains: Floats) -> None:
    """Refuse sizes that no growth goes through, as those of a damaged checkpoint are.

    Parameters
    ----------
    structures : sequence of Structure
        The sizes, undivided first.
    domains : ndarray of shape (n_inputs, 2)
        Least and greatest value of each input that is grown on.

    Raises
    ------
    ValueError
        If there is one.
    """
    if structures and not _same_rules(structures[0], Structure.undivided(len(domains))):
        raise damaged("its rules are on other inputs")
    if not all(_follows(*pair) for pair in pairwise(structures)):
        raise damaged("its rules do not follow from each other")
    for structure in structures:
        if not all(_are_within(ramps, domains) for ramps in (structure.splits, structure.bends)):
            raise damaged("it has split points that are impossible for this table")


def _follows(before: Structure, after: Structure) -> bool:
    """Return whether one division of the one structure, wherever its split points were moved then, gives the other."""
    n_splits = len(before.splits)
    if len(after.bends) > len(before.bends):
        last = after.bends.inputs[-1]
        return _same_rules(before.with_bend(last, 0.0, 0.0), after)
    if after.n_rules < 2:
        return False
    split = int(after.openers[-1])
    if split == n_splits:
        before, _ = before.with_split(after.splits.inputs[-1], 0.0, 0.0)
    if not 0 <= split < len(before.splits):
        return False
    return any(_same_rules(before.divided(rule, split), after) for rule in range(before.n_rules))


def _same_rules(one: Structure, other: Structure) -> bool:
    """Return whether two structures are the same but for the places of their split points."""
    pairs = (
        (one.openers, other.openers),
        (one.splits.inputs, other.splits.inputs),
        (one.bends.inputs, other.bends.inputs),
        (one.blocks, other.blocks),
        (one.bounds, other.bounds),
    )
    return all(np.array_equal(*pair) for pair in pairs)


def _are_within(ramps: Ramps, domains: Floats) -> bool:
    """Return whether split points are inside the domains of their inputs, each at a place of its own."""
    low, high = domains[ramps.inputs].T
    places = {*zip(ramps.inputs.tolist(), ramps.places.tolist(), strict=True)}
    return len(places) == len(ramps) and bool(((low < ramps.places) & (ramps.places < high)).all())
