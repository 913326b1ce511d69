"""Limits on the terms of a fit: terms that may not be there, and sums of coefficients that may not be negative."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.kernels import growth_limits

Bools = npt.NDArray[np.bool_]

# What is nearer to a limit than this, for terms of a spread near one, is at it.
_AT_LIMIT = 1e-9


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
        return growth_limits.any_negative(self.inequalities, coefficients)

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
