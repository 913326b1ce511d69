"""Where split points may be, and how all of them are moved together by Levenberg-Marquardt steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.problem import GrowthProblem
from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._algorithms.growth.sums import Degrees, curve_lines, outputs_of
from fruler._algorithms.growth.terms import Normal, TermFit, ridge_of
from fruler._arrays import Floats
from fruler._kernels import growth_sums, growth_tuning
from fruler._table.rows import Rows
from fruler.rules._partitions import half_widths

# The minimum width of a label, as a share of the range of most rows: all but a hundredth at either end, which may be
# far out.
MIN_WIDTH, _TAIL = 0.02, 0.01
# A narrower label is allowed if it has this share of the rows, or if the input is discrete there: at most MAX_DISTINCT
# values, each of them at least MIN_REPEATS times on average.
MANY_ROWS, MAX_DISTINCT, MIN_REPEATS = 0.1, 10, 5
# The minimum reach of a split point, as a share of the domain, and the reach of a crisp one.
_MIN_REACH, _CRISP_REACH = 1e-3, 1e-9
# Two split points nearer than this, as a share of the domain, are one.
_MIN_GAP = 1e-7
# The largest step of a split point, as a share of the gap, and the largest change of the logarithm of its reach.
_MAX_STEP, _MAX_STRETCH = 0.5, 0.7
_FIRST_DAMPING, _LEAST_DAMPING, _LARGEST_DAMPING = 0.1, 1e-4, 1e4
# The factors by which damping changes after a step that lowered the error, and rises after one that did not.
_CHANGE, _TIGHTEN = 5.0, 10.0
# Damping falls if the gain is above the first share of the gain that the local model promised, and rises if it is below
# the second.
_GOOD, _POOR = 0.75, 0.25
# A step that lowers the error by less than this share, and by less than it promised, is the last.
_MIN_GAIN = 1e-4


class Room:
    """Where the split points of the inputs may be.

    Parameters
    ----------
    problem : GrowthProblem
        The rows, the inputs' domains, and the split points that are known.
    """

    def __init__(self, problem: GrowthProblem) -> None:
        rows, domains, fuzziness = problem.rows, problem.domains, problem.options.fuzziness
        self.domains, self.known, self.fuzziness, self.min_label = domains, problem.known, fuzziness, problem.min_label
        self.fixed = problem.fixed
        self.nominal = np.zeros(len(problem.known), dtype=np.bool_) if problem.nominal is None else problem.nominal
        self.sorted = np.sort(rows.columns, axis=1)
        self.widths = domains[:, 1] - domains[:, 0]
        self.least_widths = least_widths(self.sorted)
        self.distinct = np.zeros(self.sorted.shape, dtype=np.intc)
        np.cumsum(np.diff(self.sorted, axis=1) > 0.0, axis=1, out=self.distinct[:, 1:])
        # The minimum rows of a label, rounded up, but not because of a rounding error.
        self.min_label_rows = max(1, math.ceil(self.min_label * len(rows) - 1e-9))
        # The thresholds that make a narrow label acceptable.
        self.enough = np.array([math.ceil(MANY_ROWS * len(rows)), MAX_DISTINCT, MIN_REPEATS], dtype=np.intc)
        # The reach of a crisp split point of each input, and the minimum reach of others.
        self.crisp_reach = _CRISP_REACH * self.widths
        self.least_reach = self.crisp_reach if fuzziness == 0.0 else _MIN_REACH * self.widths

    def largest_reaches(self, points: Ramps) -> Floats:
        """Return the largest reaches of split points: half way to a neighbour, all the way to an end of the domain.

        If split points are known, all of them are neighbours.
        """
        room = growth_tuning.largest_reaches(points.inputs, points.places, self.domains)
        for k in np.flatnonzero(self.fixed[points.inputs]):
            known, (low, high) = self.known[points.inputs[k]], self.domains[points.inputs[k]]
            room[k] = half_widths(known, (low, high), 1.0)[np.abs(known - points.places[k]).argmin()]
        fuzziness = np.where(self.nominal[points.inputs], 0.0, self.fuzziness)
        return np.maximum(fuzziness * room, self.crisp_reach[points.inputs])

    def limited(self, points: Ramps) -> Ramps:
        """Shorten reaches that are too long, and lengthen those too short to differ from a jump."""
        reaches = np.maximum(points.reaches, self.least_reach[points.inputs])
        return replace(points, reaches=np.minimum(reaches, self.largest_reaches(points)))

    def moved(self, points: Ramps, steps: Floats) -> Ramps:
        """Move split points and stretch their reaches, within their room.

        Parameters
        ----------
        points : Ramps
            The split points.
        steps : ndarray of shape (2 n_points,)
            For each split point the step of its place, and the change of the logarithm of its reach.
        """
        places = growth_tuning.moved_places(
            points.inputs,
            points.places,
            np.ascontiguousarray(steps[0::2]),
            (self.sorted, self.distinct, self.least_widths),
            self.domains,
            self.fixed.view(np.uint8),
            _MAX_STEP,
            self.min_label_rows,
            _MIN_GAP,
            self.enough,
        )
        reaches = points.reaches * np.exp(np.clip(steps[1::2], -_MAX_STRETCH, _MAX_STRETCH))
        return self.limited(Ramps(points.inputs, places, reaches))

    def ranks(self, input: int, places: Floats) -> Floats:
        """Return the share of the rows below some places of an input."""
        values = self.sorted[input]
        return np.searchsorted(values, places) / len(values)

    def free(self, input: int, places: Floats, points: Floats) -> npt.NDArray[np.bool_]:
        """Return which places leave no sliver between themselves, an input's split points, and its ends."""
        ranks, taken = self.ranks(input, places), np.concatenate([[0.0], self.ranks(input, points), [1.0]])
        free = (np.abs(ranks[:, None] - taken) >= self.min_label).all(axis=1)
        edges = np.concatenate([self.domains[input, :1], points, self.domains[input, 1:]])
        at = np.searchsorted(points, places)
        return np.asarray(free & ~self.slivers(input, edges[at], places) & ~self.slivers(input, places, edges[at + 1]))

    def slivers(self, input: int, lows: Floats, highs: Floats) -> npt.NDArray[np.bool_]:
        """Return which labels of an input, each from a low to a high end, are too narrow."""
        return growth_tuning.slivers(
            self.sorted[input], self.distinct[input], lows, highs, self.least_widths[input], self.enough
        )


def least_widths(values: Floats) -> Floats:
    """Return the minimum width of a label of each input.

    Parameters
    ----------
    values : ndarray of shape (n_inputs, n_rows)
        The values of each input, in increasing order.

    Examples
    --------
    A single value far out does not make the range of the others wider:

    >>> import numpy as np
    >>> least_widths(np.array([np.arange(1_000.0), [*np.arange(999.0), 1e9]])).round(1).tolist()
    [19.6, 19.6]
    """
    tail = int(_TAIL * values.shape[1])
    return np.asarray(MIN_WIDTH * (values[:, -1 - tail] - values[:, tail]))


class Placed(NamedTuple):
    """A structure on rows, with its normal equations and the fit of its terms."""

    structure: Structure
    degrees: Degrees
    normal: Normal
    fit: TermFit
    n_in_smallest_rule: float


class LocalModel(NamedTuple):
    """The local model of the error: its slope and curvature in the parameters of all split points."""

    slope: Floats
    curvature: Floats
    scale: Floats


class SplitPointSearch:
    """Moves all split points of a structure while that lowers its error.

    Parameters
    ----------
    placed : Placed
        The structure to begin with.
    rows : Rows
        The rows of this structure.
    locality, regularization : float
        The share of the local error, and the ridge, of the error.
    moved : callable
        Returns the structure after a step of all parameters, with the same terms fitted; None if it is not allowed.

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
        self._model: LocalModel | None = None
        self._ended = False

    def run(self, n_steps: int) -> Placed:
        """Try `n_steps` steps, or fewer if the error no longer falls; another call continues from there."""
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
        # If a short step gains all it promised, longer steps may gain more.
        self._ended = gain < _MIN_GAIN * before and gain <= _GOOD * promised
        if gain > _GOOD * promised:
            self._damping = max(self._damping / _CHANGE, _LEAST_DAMPING)
        elif gain < _POOR * promised:
            self._damping *= _CHANGE


def _step(model: LocalModel, damping: float) -> tuple[Floats, float]:
    """Return the step, and the reduction of the error that it promises."""
    flat = 1e-12 + 1e-8 * float(model.scale.max())
    try:
        step = np.linalg.solve(model.curvature + np.diag(damping * model.scale + flat), model.slope)
    except np.linalg.LinAlgError:
        return np.zeros(len(model.slope)), 0.0
    return np.asarray(step, dtype=np.float64), float(2.0 * model.slope @ step - step @ model.curvature @ step)


def _local_model(placed: Placed, rows: Rows, locality: float, regularization: float) -> LocalModel:
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
        # The consequents follow every step: changes that they can make up for add no curvature.
        curvature = curvature / normal.weight - across @ np.linalg.solve(gram, across.T)
    except np.linalg.LinAlgError:
        curvature = np.diag(scale)
    return LocalModel(-0.5 * gradient / normal.weight, curvature, scale)
