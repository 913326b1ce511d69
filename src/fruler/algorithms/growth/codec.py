"""The state of a growth as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.growth.cross_validation import Part
from fruler.algorithms.growth.fitting import Fit, Prices
from fruler.algorithms.growth.growth import GrowthSettings, Step
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Structure
from fruler.learning.checkpoint.file import Arrays


def pack_growth(state: GrowthState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_growth` makes the state of."""
    parts = list(state.parts.values())
    paths = [state.path, *(part.path for part in parts)]
    document = {
        "paths": [len(path) for path in paths],
        "parts": [
            {
                "number": number,
                "n_sizes": len(part.errors),
                "weight": part.weight,
                "n_evaluations": part.n_evaluations,
                "settings": asdict(part.settings),
            }
            for number, part in state.parts.items()
        ],
    }
    arrays = _pack_steps([step for path in paths for step in path])
    if parts:
        arrays["errors"] = np.concatenate([part.errors for part in parts])
    return document, arrays


def unpack_growth(document: Mapping[str, Any], arrays: Arrays) -> GrowthState:
    """Return the state that a document and arrays say."""
    steps = iter(_unpack_steps(arrays))
    paths = [tuple(next(steps) for _ in range(length)) for length in document["paths"]]
    parts, start = {}, 0
    for written, path in zip(document["parts"], paths[1:], strict=True):
        errors = arrays["errors"][start : start + written["n_sizes"]]
        start += written["n_sizes"]
        settings = dict(written["settings"])
        settings["prices"] = Prices(**settings["prices"])
        count = int(written["n_evaluations"])
        parts[int(written["number"])] = Part(errors, written["weight"], count, GrowthSettings(**settings), path)
    return GrowthState(paths[0], parts)


def _pack_steps(steps: Sequence[Step]) -> dict[str, npt.NDArray[Any]]:
    if not steps:
        return {}
    structures = [step.structure for step in steps]
    return {
        "n_rules": np.array([structure.n_rules for structure in structures]),
        "n_splits": np.array([[len(points) for points in structure.splits] for structure in structures]),
        "splits": np.concatenate([points for structure in structures for points in structure.splits]),
        "fuzziness": np.concatenate([shares for structure in structures for shares in structure.fuzziness]),
        "ranges": np.concatenate([structure.ranges for structure in structures]),
        "coefficients": np.concatenate([step.fit.coefficients for step in steps]),
        "figures": np.array(
            [[step.fit.error, step.fit.n_terms, step.fit.criterion, step.n_evaluations, step.seconds] for step in steps]
        ),
    }


def _unpack_steps(arrays: Arrays) -> list[Step]:
    if "n_rules" not in arrays:
        return []
    rules = np.cumsum(arrays["n_rules"])[:-1]
    inputs = np.cumsum(arrays["n_splits"].ravel())[:-1]
    splits, shares = np.split(arrays["splits"], inputs), np.split(arrays["fuzziness"], inputs)
    n_inputs = arrays["n_splits"].shape[1]
    steps = []
    for k, (ranges, coefficients, figures) in enumerate(
        zip(
            np.split(arrays["ranges"].astype(np.intc, copy=False), rules),
            np.split(arrays["coefficients"], rules),
            arrays["figures"].tolist(),
            strict=True,
        )
    ):
        own = slice(k * n_inputs, (k + 1) * n_inputs)
        structure = Structure(tuple(splits[own]), tuple(shares[own]), ranges)
        error, n_terms, criterion, n_evaluations, seconds = figures
        fit = Fit(coefficients, error, int(n_terms), criterion)
        steps.append(Step(structure, fit, int(n_evaluations), seconds))
    return steps
