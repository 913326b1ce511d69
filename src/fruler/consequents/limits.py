"""Limits on the terms of a fit: terms that may not be there, and sums of coefficients that may not be negative."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from fruler._typing import Floats

Bools = npt.NDArray[np.bool_]

# What is nearer to a limit than this, for terms of a spread near one, is at it.
_AT_LIMIT = 1e-9
# The least ridge by which a matrix is mended that rounding left indefinite, and the largest that is tried.
_LEAST_JITTER, _MAX_JITTER = 1e-10, 1e6


class TermLimits(NamedTuple):
    """What is demanded of coefficients.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n_terms,), or None
        The terms that there may be; None: all.
    inequalities : ndarray of shape (n_inequalities, n_terms)
        Sums of coefficients, each of which must be zero or more.
    """

    allowed: Bools | None
    inequalities: Floats

    def broken_by(self, coefficients: Floats) -> bool:
        """Say whether coefficients break any of the inequalities."""
        return len(self.inequalities) > 0 and bool((self.inequalities @ coefficients < 0.0).any())

    def among(self, start: Bools | None) -> Bools | None:
        """Return which of some terms there may be; None stands for all."""
        if self.allowed is None:
            return start
        return self.allowed.copy() if start is None else start & self.allowed

    def may_enter(self, coefficients: Floats, slopes: Floats) -> Bools:
        """Return which terms could, each by itself, move in the direction of a slope without breaking a limit."""
        may = np.ones(len(coefficients), dtype=np.bool_) if self.allowed is None else self.allowed
        tight = self.inequalities[self.inequalities @ coefficients < _AT_LIMIT]
        return np.asarray(may & (tight * np.sign(slopes) >= 0.0).all(axis=0))


class LimitedFit(NamedTuple):
    """Coefficients within limits.

    Attributes
    ----------
    coefficients : ndarray
        Of the terms that are fitted.
    excess : float
        By how much the error is above that without limits.
    inverse : ndarray
        Of the Gram matrix, for what the limits leave free: where a sum is held at zero it says nothing.
    idle : ndarray of bool
        The terms that limits hold at zero by themselves.
    """

    coefficients: Floats
    excess: float
    inverse: Floats
    idle: Bools


def limited_fit(gram: Floats, moment: Floats, inequalities: Floats) -> LimitedFit:
    """Minimise b·gram·b - 2 b·moment over all b for which inequalities·b is nowhere negative.

    In the coordinates in which the Gram matrix is the identity, that is the point of a cone that is nearest to the
    solution without limits; what is taken away from that is a combination of the cone's sides, whose weights are a
    least-squares problem in numbers that are not negative.

    Parameters
    ----------
    gram : ndarray of shape (n_terms, n_terms)
        With the ridge on its diagonal.
    moment : ndarray of shape (n_terms,)
        The moments of the terms.
    inequalities : ndarray of shape (n_inequalities, n_terms)
        The sums that must not be negative.

    Examples
    --------
    Two slopes, of which one would be negative:

    >>> import numpy as np
    >>> limited_fit(np.eye(2), np.array([1.0, -2.0]), np.eye(2)).coefficients.tolist()
    [1.0, 0.0]
    """
    sides = np.unique(inequalities[inequalities.any(axis=1)], axis=0)
    factor = _factor(gram)
    free = solve_triangular(factor, moment, lower=True)
    normals = solve_triangular(factor, sides.T, lower=True)
    lengths = np.sqrt(np.square(normals).sum(axis=0))
    normals, sides = normals / lengths, sides / lengths[:, None]
    pushes = _pushes(normals, free)
    nearest = free + normals @ pushes
    coefficients = solve_triangular(factor, nearest, lower=True, trans="T")
    active = pushes > 0.0
    lone = active & (np.count_nonzero(sides, axis=1) == 1)
    idle = sides[lone].any(axis=0)
    coefficients[idle] = 0.0
    basis, _ = np.linalg.qr(normals[:, active])
    inner = np.eye(len(gram)) - basis @ basis.T
    half = solve_triangular(factor, inner, lower=True, trans="T")
    return LimitedFit(coefficients, float(np.square(nearest - free).sum()), half @ half.T, idle)


def _pushes(normals: Floats, free: Floats) -> Floats:
    """Return by how much each side of the cone pushes the free solution; all zero where it is inside."""
    try:
        return np.asarray(nnls(normals, -free)[0])
    except RuntimeError:
        # It did not end, as it may with nearly parallel sides: then all that is pushed is what is outside, again and
        # again, which comes near to it.
        pushes, slack = np.zeros(normals.shape[1]), normals.T @ normals
        for _ in range(200):
            for k in range(len(pushes)):
                pushes[k] = max(0.0, pushes[k] - float(normals[:, k] @ free + slack[k] @ pushes))
        return pushes


def _factor(gram: Floats) -> Floats:
    jitter = 0.0
    while True:
        try:
            return np.asarray(cholesky(gram + jitter * np.eye(len(gram)), lower=True))
        except np.linalg.LinAlgError:
            jitter = _LEAST_JITTER if jitter == 0.0 else 10.0 * jitter
            if jitter > _MAX_JITTER:
                raise ValueError("the normal equations are not finite, or far from positive definite") from None
