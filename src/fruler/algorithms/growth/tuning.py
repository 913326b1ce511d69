"""Tuning: all split points moved and stretched together with the consequents, by steps of Levenberg and Marquardt."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Structure
from fruler.algorithms.growth.sums import (
    Degrees,
    counted_from_origins,
    curve_lines,
    outputs_of,
)
from fruler.consequents.ridge import Normal, TermFit, ridge_of
from fruler.kernels import growth_tuning
from fruler.table.rows import Rows

_FIRST_DAMPING, _LEAST_DAMPING, _LARGEST_DAMPING = 1e-2, 1e-4, 1e4
# By how much damping falls after a step that lowered the error, and rises after one that did not.
_RELAX, _TIGHTEN = 5.0, 10.0
# A step that lowers the error by less than this share is the last.
_MIN_GAIN = 1e-4


class Placed(NamedTuple):
    """A structure on rows, with its normal equations and the fit of its terms."""

    structure: Structure
    degrees: Degrees
    normal: Normal
    fit: TermFit
    n_in_smallest_rule: float


class Model(NamedTuple):
    """The local model of the error: its slope and curvature by the parameters of all split points."""

    slope: Floats
    curvature: Floats
    scale: Floats


def tuned(
    placed: Placed,
    rows: Rows,
    locality: float,
    regularization: float,
    n_steps: int,
    moved: Callable[[Placed, Floats], Placed | None],
) -> Placed:
    """Move all split points of a structure while that lowers its error.

    Parameters
    ----------
    placed : Placed
        Where to begin.
    rows : Rows
        The rows that it is placed on.
    locality, regularization : float
        Of the error.
    n_steps : int
        The most steps that are tried.
    moved : callable
        Returns the structure after a step of all parameters, with the same terms fitted; None where it may not be.
    """
    damping = _FIRST_DAMPING
    model: Model | None = None
    for _ in range(n_steps):
        if model is None:
            model = _local_model(placed, rows, locality, regularization)
        step = _step(model, damping)
        after = None if step is None else moved(placed, step)
        if after is None or after.fit.error >= placed.fit.error:
            damping *= _TIGHTEN
            if damping > _LARGEST_DAMPING:
                break
            continue
        gain = 1.0 - after.fit.error / placed.fit.error
        placed, model, damping = after, None, max(damping / _RELAX, _LEAST_DAMPING)
        if gain < _MIN_GAIN:
            break
    return placed


def _step(model: Model, damping: float) -> Floats | None:
    flat = 1e-12 + 1e-8 * float(model.scale.max())
    try:
        step = np.linalg.solve(model.curvature + np.diag(damping * model.scale + flat), model.slope)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(step)


def _local_model(placed: Placed, rows: Rows, locality: float, regularization: float) -> Model:
    structure, degrees, normal, fit, _ = placed
    outputs = outputs_of(structure, fit.coefficients, rows, degrees)
    gradient, curvature, rule_terms, curve_terms = growth_tuning.tuning_sums(
        (rows.columns, rows.rows, rows.y - outputs.together, rows.weight),
        (degrees.weights, outputs.rules),
        (degrees.ramps, *structure.splits.arrays),
        (degrees.bends, *structure.bends.arrays, curve_lines(structure, fit.coefficients), degrees.columns),
        structure.conditions,
        structure.uses,
        locality,
    )
    n_parameters = len(gradient)
    blocks = np.tensordot(rule_terms, structure.blocks, axes=(1, 0)).transpose(0, 2, 1)
    blocks = counted_from_origins(structure, blocks).reshape(n_parameters, -1)
    kept = np.flatnonzero(fit.kept)
    across = np.hstack([blocks, curve_terms])[:, kept] / normal.weight
    gram = normal.gram[np.ix_(kept, kept)]
    gram[np.diag_indices(len(kept))] += ridge_of(normal, regularization)[kept]
    scale = np.diag(curvature) / normal.weight
    try:
        # The consequents follow every step: what they can make up for is no curvature.
        curvature = curvature / normal.weight - across @ np.linalg.solve(gram, across.T)
    except np.linalg.LinAlgError:
        curvature = np.diag(scale)
    return Model(-0.5 * gradient / normal.weight, curvature, scale)
