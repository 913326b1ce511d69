"""The state of a growth as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.growth.cross_validation import Fold
from fruler.algorithms.growth.growth import Step
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.ridge import Fit
from fruler.learning.algorithm import Arrays


def pack_growth(state: GrowthState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_growth` makes the state of."""
    folds = list(state.folds.values())
    paths = [state.path, *(fold.path for fold in folds)]
    document = {
        "paths": [len(path) for path in paths],
        "folds": [
            {
                "number": number,
                "n_sizes": len(fold.errors),
                "weight": fold.weight,
                "n_evaluations": fold.n_evaluations,
                "options": asdict(fold.options),
            }
            for number, fold in state.folds.items()
        ],
    }
    arrays = _pack_steps([step for path in paths for step in path])
    if folds:
        arrays["errors"] = np.concatenate([fold.errors for fold in folds])
    return document, arrays


def unpack_growth(document: Mapping[str, Any], arrays: Arrays) -> GrowthState:
    """Return the state that a document and arrays say."""
    steps = iter(_unpack_steps(arrays))
    paths = [tuple(next(steps) for _ in range(length)) for length in document["paths"]]
    folds, start = {}, 0
    for written, path in zip(document["folds"], paths[1:], strict=True):
        errors = arrays["errors"][start : start + written["n_sizes"]]
        start += written["n_sizes"]
        count = int(written["n_evaluations"])
        options = GrowthOptions(**written["options"])
        folds[int(written["number"])] = Fold(errors, written["weight"], count, options, path)
    return GrowthState(paths[0], folds)


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
