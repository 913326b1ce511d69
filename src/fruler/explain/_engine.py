"""A model in JavaScript: the code that computes it, and the data of one rule base for this code.

An exported module and the page of a report run the same file, `engine.js`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler.rules._background import training_ranges
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._rule_base import RuleBase
from fruler.rules.intervals import require_intervals


def engine_code() -> str:
    """Return the code, which defines ``makeModel(data)``."""
    return resources.files("fruler.explain").joinpath("engine.js").read_text("utf-8")


def engine_data(rule_base: RuleBase, coverage: float | None = None) -> dict[str, Any]:
    """Return what ``makeModel`` takes, without the estimates of missing values: a page has none.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    coverage : float, optional
        The coverage of prediction intervals; without it there are none.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> engine_data(rules)["reference"]["typical"], engine_data(rules)["features"]
    ([0.5], [{'name': 'x', 'inputs': [0]}])
    """
    background = rule_base.background
    clips = rule_base.inputs.clips
    # Beyond these limits a value is outside; where they are not known, those of the labels.
    low, high = background.limits if background.known else background.ranges.T
    radii = None if coverage is None else require_intervals(rule_base).radii(coverage).tolist()
    # The reference has all of the training data, intervals and clipping that is needed.
    bare = replace(rule_base, training=None, intervals=None, gaps=None, extrapolation="linear")
    return {
        "model": rule_base_to_json(bare),
        "reference": {
            "typical": background.typical.tolist(),
            "base": background.base,
            "offsets": background.offsets.tolist(),
            "low": _finite(low),
            "high": _finite(high),
            "clips": [[j, *clips[:, j].tolist()] for j in np.flatnonzero(np.isfinite(clips[0])).tolist()],
            "radii": radii,
            "ranges": [] if radii is None else [[j, *ends] for j, ends in training_ranges(rule_base).items()],
        },
        "features": [{"name": feature.name, "inputs": list(feature.inputs)} for feature in rule_base.features],
    }


def engine_json(data: Any, **layout: Any) -> str:
    """Return data as JSON that is safe in scripts and in script elements of pages."""
    written = json.dumps(data, ensure_ascii=False, allow_nan=False, **layout)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _finite(numbers: Floats) -> list[float | None]:
    return [number if np.isfinite(number) else None for number in numbers.tolist()]
