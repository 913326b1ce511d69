"""What a finished search found as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import pandas as pd

from fruler.learning.algorithm import Arrays
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules.json.checked import Checked
from fruler.rules.json.rule_base import rule_base_from_json, rule_base_to_json
from fruler.rules.json.truth import truth_from_json, truth_to_json


def pack_learned(learned: Learned) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_learned` makes it of."""
    document = {
        "front": [_point_to_json(point) for point in learned.front],
        "chosen": learned.chosen,
        "n_evaluations": learned.n_evaluations,
        "seconds": learned.seconds,
        "history": [str(name) for name in learned.history],
    }
    arrays = {f"history {name}": learned.history[name].to_numpy() for name in learned.history}
    return document, arrays | {"sample_indices": learned.sample_indices}


def unpack_learned(document: Mapping[str, Any], arrays: Arrays) -> Learned:
    """Return the findings that a document and arrays say."""
    front = tuple(_point_from_json(point) for point in document["front"])
    history = pd.DataFrame({name: arrays[f"history {name}"] for name in document["history"]})
    indices = arrays["sample_indices"]
    return Learned(front, document["chosen"], document["n_evaluations"], history, indices, document["seconds"])


def _point_to_json(point: FrontPoint) -> dict[str, Any]:
    truth = None if point.truth is None else truth_to_json(point.truth)
    return vars(point) | {"rule_base": rule_base_to_json(point.rule_base), "truth": truth}


def _point_from_json(point: dict[str, Any]) -> FrontPoint:
    rule_base = rule_base_from_json(Checked(point["rule_base"], "the rule base"))
    truth = point.get("truth")
    truth = None if truth is None else truth_from_json(Checked(truth, "the truth"))
    return FrontPoint(**{**point, "rule_base": rule_base, "truth": truth})
