"""How true rules are one by one as a JSON object, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fruler.rules.json.checked import Checked
from fruler.rules.truth import Truth

_ERRORS = ("together", "alone")


def truth_to_json(truth: Truth) -> dict[str, Any]:
    """Return an object that says all of a truth; of a rule that is nowhere the strongest it says null.

    Examples
    --------
    >>> truth_to_json(Truth(0.9, 1.0, [0.9, float("nan")], [1.0, float("nan")], held_out=True))
    {'together': 0.9, 'alone': 1.0, 'held_out': True, 'rules': [{'together': 0.9, 'alone': 1.0}, None]}
    """
    pairs = zip(truth.rule_together.tolist(), truth.rule_alone.tolist(), strict=True)
    return {
        "together": truth.together,
        "alone": truth.alone,
        "held_out": truth.held_out,
        "rules": [None if math.isnan(pair[0]) else dict(zip(_ERRORS, pair, strict=True)) for pair in pairs],
    }


def truth_from_json(written: Checked) -> Truth:
    """Return the truth that an object says.

    Raises
    ------
    ValueError
        If it is not one.
    """
    members = written.keys((*_ERRORS, "held_out", "rules"))
    rules = [None if rule.value is None else rule.keys(_ERRORS) for rule in members["rules"].items()]
    together, alone = (
        np.array([math.nan if rule is None else rule[name].number() for rule in rules]) for name in _ERRORS
    )
    held_out = members["held_out"].one_of(True, False)
    try:
        return Truth(members["together"].number(), members["alone"].number(), together, alone, held_out)
    except ValueError as error:
        raise ValueError(f"{written.place} is no truth: {error}") from None
