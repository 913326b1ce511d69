"""The state of a growth as a document and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.growth.cross_validation import Fold
from fruler.algorithms.growth.growth import Fit, Step
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Ramps, Structure
from fruler.learning.algorithm import Arrays


def pack_growth(state: GrowthState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_growth` makes the state of."""
    folds = list(state.folds.values())
    paths = [state.path, *(fold.path for fold in folds)]
    document = {
        "paths": [len(path) for path in paths],
        "max_rules": state.max_rules,
        "folds": [
            {
                "number": number,
                "n_sizes": len(fold.errors),
                "n_rows": fold.residuals.shape[-1],
                "weight": fold.weight,
                "n_evaluations": fold.n_evaluations,
                "options": asdict(fold.options),
                "max_size": fold.max_size,
            }
            for number, fold in state.folds.items()
        ],
    }
    arrays = _pack_steps([step for path in paths for step in path])
    if folds:
        arrays["errors"] = np.concatenate([fold.errors for fold in folds])
        arrays["residuals"] = np.concatenate([fold.residuals.ravel() for fold in folds])
    return document, arrays


def unpack_growth(document: Mapping[str, Any], arrays: Arrays) -> GrowthState:
    """Return the state that a document and arrays say."""
    steps = iter(_unpack_steps(arrays))
    paths = [tuple(next(steps) for _ in range(length)) for length in document["paths"]]
    folds, start, first = {}, 0, 0
    for written, path in zip(document["folds"], paths[1:], strict=True):
        errors = arrays["errors"][start : start + written["n_sizes"]]
        start += written["n_sizes"]
        shape = (*errors.shape, int(written["n_rows"]))
        residuals = arrays["residuals"][first : first + math.prod(shape)].reshape(shape)
        first += residuals.size
        count = int(written["n_evaluations"])
        options = GrowthOptions(**written["options"])
        max_size = int(written["max_size"])
        folds[int(written["number"])] = Fold(errors, written["weight"], count, options, max_size, path, residuals)
    return GrowthState(paths[0], document["max_rules"], folds)


def _pack_steps(steps: Sequence[Step]) -> dict[str, npt.NDArray[Any]]:
    if not steps:
        return {}
    structures = [step.structure for step in steps]
    arrays = {
        "counts": np.array([[one.n_rules, len(one.splits), len(one.bends)] for one in structures]),
        "bounds": np.concatenate([one.bounds for one in structures]),
        "blocks": np.concatenate([one.blocks.ravel() for one in structures]),
        "openers": np.concatenate([one.openers for one in structures]),
        "coefficients": np.concatenate([step.fit.coefficients for step in steps]),
        "figures": np.array([[step.fit.error, step.fit.criterion, step.n_evaluations, step.seconds] for step in steps]),
    }
    for name, ramps in (("splits", [one.splits for one in structures]), ("bends", [one.bends for one in structures])):
        arrays[f"{name}_inputs"] = np.concatenate([one.inputs for one in ramps])
        arrays[f"{name}_places"] = np.concatenate([one.places for one in ramps])
        arrays[f"{name}_reaches"] = np.concatenate([one.reaches for one in ramps])
    return arrays


def _unpack_steps(arrays: Arrays) -> Iterator[Step]:
    if "counts" not in arrays:
        return
    rules, splits, bends = arrays["counts"].T
    n_inputs = arrays["bounds"].shape[1]
    pieces = zip(
        _parts(arrays["bounds"].astype(np.intc, copy=False), rules),
        _parts(arrays["blocks"], rules * rules),
        _parts(arrays["openers"].astype(np.intc, copy=False), rules),
        _ramps(arrays, "splits", splits),
        _ramps(arrays, "bends", bends),
        _parts(arrays["coefficients"], rules * (n_inputs + 1) + 2 * bends),
        arrays["figures"].tolist(),
        strict=True,
    )
    for bounds, blocks, openers, split, bend, coefficients, (error, criterion, n_evaluations, seconds) in pieces:
        structure = Structure(split, bounds, blocks.reshape(len(bounds), -1), openers, bend)
        yield Step(structure, Fit(coefficients, error, criterion), int(n_evaluations), seconds)


def _ramps(arrays: Arrays, name: str, counts: npt.NDArray[Any]) -> list[Ramps]:
    inputs = _parts(arrays[f"{name}_inputs"].astype(np.intc, copy=False), counts)
    places, reaches = (_parts(arrays[f"{name}_{part}"], counts) for part in ("places", "reaches"))
    return [Ramps(*parts) for parts in zip(inputs, places, reaches, strict=True)]


def _parts(values: npt.NDArray[Any], counts: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """Cut an array into parts of given lengths."""
    return [np.ascontiguousarray(part) for part in np.split(values, np.cumsum(counts)[:-1])]
