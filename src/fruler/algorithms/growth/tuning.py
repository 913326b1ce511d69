"""Tuning: all split points moved and stretched together with the consequents, by steps of Levenberg and Marquardt."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Structure
from fruler.algorithms.growth.sums import Degrees, curve_lines, outputs_of
from fruler.consequents.ridge import Normal, TermFit, ridge_of
from fruler.kernels import growth_sums, growth_tuning
from fruler.table.rows import Rows

_FIRST_DAMPING, _LEAST_DAMPING, _LARGEST_DAMPING = 0.1, 1e-4, 1e4
# By how much damping changes after a step that lowered the error, and rises after one that did not.
_CHANGE, _TIGHTEN = 5.0, 10.0
# The shares of what the local model promised above which it is believed further, and below which less far.
_GOOD, _POOR = 0.75, 0.25
# A step that lowers the error by less than this share, and by less than it promised, is the last.
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


class Tuning:
    """Moves all split points of a structure while that lowers its error.

    Parameters
    ----------
    placed : Placed
        Where to begin.
    rows : Rows
        The rows that it is placed on.
    locality, regularization : float
        Of the error.
    moved : callable
        Returns the structure after a step of all parameters, with the same terms fitted; None where it may not be.

    Attributes
    ----------
    placed : Placed
        The best so far.
    """

    def __init__(
        self,
        placed: Placed,
        rows: Rows,
        locality: float,
        regularization: float,
        moved: Callable[[Placed, Floats], Placed | None],
    ) -> None:
        self.placed, self.rows, self.moved = placed, rows, moved
        self.locality, self.regularization = locality, regularization
        self._damping = _FIRST_DAMPING
        self._model: Model | None = None
        self._ended = False

    def run(self, n_steps: int) -> Placed:
        """Try so many steps, or fewer where the error no longer falls; go on from there when called again."""
        for _ in range(n_steps):
            if self._ended:
                break
            self._try_step()
        return self.placed

    def _try_step(self) -> None:
        before = self.placed.fit.error
        if self._model is None:
            self._model = _local_model(self.placed, self.rows, self.locality, self.regularization)
        step, promised = _step(self._model, self._damping)
        after = self.moved(self.placed, step)
        gain = 0.0 if after is None else before - after.fit.error
        if after is None or gain <= 0.0:
            self._damping *= _TIGHTEN
            self._ended = self._damping > _LARGEST_DAMPING
            return
        self.placed, self._model = after, None
        # A short step that is worth all it promised says nothing of longer ones.
        self._ended = gain < _MIN_GAIN * before and gain <= _GOOD * promised
        if gain > _GOOD * promised:
            self._damping = max(self._damping / _CHANGE, _LEAST_DAMPING)
        elif gain < _POOR * promised:
            self._damping *= _CHANGE


def _step(model: Model, damping: float) -> tuple[Floats, float]:
    """Return the step, and by how much it promises to lower the error."""
    flat = 1e-12 + 1e-8 * float(model.scale.max())
    try:
        step = np.linalg.solve(model.curvature + np.diag(damping * model.scale + flat), model.slope)
    except np.linalg.LinAlgError:
        return np.zeros(len(model.slope)), 0.0
    return np.asarray(step, dtype=np.float64), float(2.0 * model.slope @ step - step @ model.curvature @ step)


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
    block_terms = growth_sums.block_sums(rule_terms, structure.blocks, *structure.origins)
    kept = fit.terms
    across = np.hstack([block_terms, curve_terms])[:, kept] / normal.weight
    gram = normal.gram[np.ix_(kept, kept)]
    gram[np.diag_indices(len(kept))] += ridge_of(normal, regularization)[kept]
    scale = np.diag(curvature) / normal.weight
    try:
        # The consequents follow every step: what they can make up for is no curvature.
        curvature = curvature / normal.weight - across @ np.linalg.solve(gram, across.T)
    except np.linalg.LinAlgError:
        curvature = np.diag(scale)
    return Model(-0.5 * gradient / normal.weight, curvature, scale)
