"""The state of a growth as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.growth.cross_validation import N_FOLDS, Fold
from fruler.algorithms.growth.growth import MAX_SIZE, Fit, Step
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Ramps, Structure
from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import (
    checked_count,
    checked_floats,
    checked_integers,
    checked_number,
    checked_parts,
    whole_number,
)
from fruler.table.known_splits import MAX_LABELS


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
    """Return the state that a document and arrays say.

    Raises
    ------
    KeyError, TypeError, ValueError
        If they are damaged.
    """
    steps, written = list(_unpack_steps(arrays)), document["folds"]
    lengths = [whole_number(length, "a length") for length in document["paths"]]
    if sum(lengths) != len(steps) or len(lengths) != len(written) + 1:
        raise ValueError("the paths have other steps")
    ends = np.cumsum(lengths)
    paths = [tuple(steps[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
    errors = checked_parts(arrays, "errors", [fold["n_sizes"] for fold in written]) if written else []
    sizes = [own.size * checked_count(fold, "n_rows") for fold, own in zip(written, errors, strict=True)]
    residuals = checked_parts(arrays, "residuals", sizes) if written else []
    folds = {
        whole_number(fold["number"], "a fold"): _fold(fold, own, left, path)
        for fold, own, left, path in zip(written, errors, residuals, paths[1:], strict=True)
    }
    if any(number >= N_FOLDS for number in folds):
        raise ValueError("there are no such folds")
    max_rules = None if document["max_rules"] is None else checked_count(document, "max_rules", 1)
    return GrowthState(paths[0], max_rules, folds)


def _fold(
    written: Mapping[str, Any], errors: npt.NDArray[Any], residuals: npt.NDArray[Any], path: tuple[Step, ...]
) -> Fold:
    options = written["options"]
    for name in ("max_rules", "max_curves", "early_stopping"):
        checked_count(options, name)
    for name in ("locality", "fuzziness", "regularization", "max_evaluations"):
        if options[name] is not None:
            checked_number(options, name)
    weight, max_size = checked_number(written, "weight", finite=True), checked_count(written, "max_size")
    errors = checked_floats(errors, (None, None), "errors", finite=True)
    if weight <= 0.0 or max_size > MAX_SIZE or not 0 < len(errors) <= max_size + 1 or (errors < 0.0).any():
        raise ValueError("there is no such fold")
    if residuals.dtype != np.float32 or not np.isfinite(residuals).all():
        raise ValueError("residuals are no numbers")
    left = residuals.reshape(*errors.shape, checked_count(written, "n_rows"))
    count = checked_count(written, "n_evaluations")
    return Fold(errors, weight, count, GrowthOptions(**options), max_size, path, left)


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
    counts = checked_integers(arrays["counts"], (None, 3), "counts", 0, MAX_LABELS + 1).astype(np.intp)
    rules, splits, bends = counts.T
    n_inputs = arrays["bounds"].shape[1]
    figures = checked_floats(arrays["figures"], (len(counts), 4), "figures", finite=True)
    pieces = zip(
        counts.tolist(),
        checked_parts(arrays, "bounds", rules.tolist()),
        checked_parts(arrays, "blocks", (rules * rules).tolist()),
        checked_parts(arrays, "openers", rules.tolist()),
        _ramps(arrays, "splits", splits, n_inputs),
        _ramps(arrays, "bends", bends, n_inputs),
        checked_parts(arrays, "coefficients", (rules * (n_inputs + 1) + 2 * bends).tolist()),
        figures.tolist(),
        strict=True,
    )
    for (n_rules, n_splits, _), bounds, blocks, openers, split, bend, coefficients, own in pieces:
        structure = Structure(
            split,
            checked_integers(bounds, (n_rules, n_inputs, 2), "bounds", -1, n_splits),
            checked_floats(blocks, (n_rules * n_rules,), "blocks").reshape(n_rules, n_rules),
            checked_integers(openers, (n_rules,), "openers", -1, n_splits),
            bend,
        )
        fit = Fit(checked_floats(coefficients, (None,), "coefficients", finite=True), *own[:2])
        yield Step(structure, fit, whole_number(own[2], "evaluations"), own[3])


def _ramps(arrays: Arrays, name: str, counts: npt.NDArray[np.intp], n_inputs: int) -> list[Ramps]:
    parts = (checked_parts(arrays, f"{name}_{part}", counts.tolist()) for part in ("inputs", "places", "reaches"))
    ramps = []
    for count, inputs, places, reaches in zip(counts.tolist(), *parts, strict=True):
        own = checked_integers(inputs, (count,), f"{name}_inputs", 0, n_inputs)
        widths = checked_floats(reaches, (count,), f"{name}_reaches", finite=True)
        if (widths <= 0.0).any():
            raise ValueError(f"{name} reach nowhere")
        ramps.append(Ramps(own, checked_floats(places, (count,), f"{name}_places", finite=True), widths))
    return ramps
