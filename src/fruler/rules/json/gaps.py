"""What is taken for missing values, as a JSON object, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fruler.rules.json.checked import Checked
from fruler.rules.rule_base import RuleBase
from fruler.table.gaps import Gaps


def gaps_to_json(rule_base: RuleBase) -> dict[str, Any]:
    """Return an object with the mean of each input, and its slopes on the others.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> gaps_to_json(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]], gaps=Gaps([0], [0.25], [[0.0]])))
    {'x': {'mean': 0.25, 'slopes': {}}}
    """
    gaps = rule_base.gaps
    if gaps is None:
        return {}
    names = [rule_base.names[j] for j in gaps.inputs]
    return {
        name: {"mean": mean, "slopes": {names[k]: slope for k, slope in enumerate(slopes) if slope != 0.0}}
        for name, mean, slopes in zip(names, gaps.means.tolist(), gaps.slopes.tolist(), strict=True)
    }


def with_gaps(rule_base: RuleBase, written: Checked) -> RuleBase:
    """Return a rule base with what an object says.

    Raises
    ------
    ValueError
        If it does not fit.
    """
    items = written.members()
    numbers = {name: j for j, name in enumerate(rule_base.names)}
    for name, item in items.items():
        if name not in numbers:
            raise ValueError(f"{item.place} is no input")
    places = {name: k for k, name in enumerate(items)}
    means, slopes = np.zeros(len(places)), np.zeros((len(places), len(places)))
    for name, item in items.items():
        members = item.keys(("mean", "slopes"))
        means[places[name]] = members["mean"].number()
        for other, slope in members["slopes"].named_numbers().items():
            if other not in places or other == name:
                raise ValueError(f"{members['slopes'].place} is no input that fills gaps: {other!r}")
            slopes[places[name], places[other]] = slope
    return replace(rule_base, gaps=Gaps([numbers[name] for name in items], means, slopes))
