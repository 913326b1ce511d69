"""Which terms a model keeps, and their coefficients: ridge regression on normal equations, within limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._kernels import growth_limits, growth_terms

Bools = npt.NDArray[np.bool_]

# A sum of coefficients nearer to its limit than this counts as at the limit; terms have a spread near one.
_AT_LIMIT = 1e-9
# Errors count as at least this share of the output's variance: an exact fit is not worth any number of terms.
MIN_ERROR = 1e-12
# The intercept should not be shrunk; this ridge only keeps the equations regular.
_INTERCEPT_RIDGE = 1e-9
# Terms that limits hold at zero are left out, and the others chosen again, at most this often.
_MAX_ROUNDS = 3


class TermLimits(NamedTuple):
    """Limits on coefficients.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n_terms,), or None
        The allowed terms; None: all.
    inequalities : ndarray of shape (n_inequalities, n_terms)
        Weighted sums of coefficients that must be zero or more.
    """

    allowed: Bools | None
    inequalities: Floats

    def broken_by(self, coefficients: Floats) -> bool:
        """Return whether coefficients break any of the inequalities."""
        return growth_limits.any_negative(self.inequalities, coefficients)

    def among(self, start: Bools | None) -> Bools | None:
        """Return which of some terms are allowed; None stands for all."""
        if self.allowed is None:
            return start
        return self.allowed.copy() if start is None else start & self.allowed

    def may_enter(self, coefficients: Floats, slopes: Floats) -> Bools:
        """Return which terms could, each by itself, move in the direction of its slope without breaking a limit."""
        may = np.ones(len(coefficients), dtype=np.bool_) if self.allowed is None else self.allowed
        tight = self.inequalities[self.inequalities @ coefficients < _AT_LIMIT]
        return np.asarray(may & (tight * np.sign(slopes) >= 0.0).all(axis=0))


class Normal(NamedTuple):
    """Normal equations as means over the rows: the Gram matrix of the terms, their moments, and the square of y.

    The first term is the intercept; `weight` is the total weight of the rows.
    """

    gram: Floats
    moment: Floats
    square: float
    weight: float

    def among(self, terms: Bools) -> Normal:
        """Return the equations of some of the terms."""
        return self._replace(gram=self.gram[np.ix_(terms, terms)], moment=self.moment[terms])


class TermFit(NamedTuple):
    """Fitted terms.

    Attributes
    ----------
    coefficients : ndarray
        The coefficients of all terms, zero for terms left out.
    error : float
        The mean squared error, ridge included.
    terms : ndarray of int
        The terms that are kept; the intercept always is.
    inverse : ndarray
        The inverse of their Gram matrix with the ridge; empty if no terms were chosen.
    """

    coefficients: Floats
    error: float
    terms: npt.NDArray[np.intp]
    inverse: Floats

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which terms are kept."""
        kept = np.zeros(len(self.coefficients), dtype=np.bool_)
        kept[self.terms] = True
        return kept


def ridge_of(normal: Normal, regularization: float) -> Floats:
    """Return the ridge on each term, `regularization` rows as a share of all rows; next to none on the intercept."""
    ridge = np.full(len(normal.moment), regularization / normal.weight)
    ridge[0] = _INTERCEPT_RIDGE
    return ridge


def fit_terms(
    normal: Normal,
    regularization: float,
    price: float = 0.0,
    n_rows: int = 1,
    start: npt.NDArray[np.bool_] | None = None,
    limits: TermLimits | None = None,
) -> TermFit:
    """Fit terms with a ridge; then leave out terms while that pays.

    If the result breaks a limit, the same terms are fitted within the limits, and the terms that become zero are left
    out.

    Parameters
    ----------
    normal : Normal
        The normal equations.
    regularization : float
        The ridge, in rows.
    price : float
        The price of a term: terms are left out while n_rows·log(error) + price·terms falls. With 0 all stay.
    n_rows : int
        The number of rows behind the equations.
    start : ndarray of bool, optional
        The terms to begin with; by default all.
    limits : TermLimits, optional
        Limits on the coefficients.
    """
    if limits is not None:
        start = limits.among(start)
    if start is not None:
        start[0] = True
    terms = np.arange(len(normal.moment)) if start is None else np.flatnonzero(start)
    ridge = ridge_of(normal, regularization)
    for _ in range(_MAX_ROUNDS):
        fit = TermFit(
            *growth_terms.fit_terms(normal.gram, normal.moment, normal.square, terms, ridge, float(n_rows), price)
        )
        if limits is None or not limits.broken_by(fit.coefficients):
            return fit
        fit, idle = _within(limits, fit, normal, ridge, chosen=price > 0.0)
        if price == 0.0 or not len(idle):
            break
        terms = np.setdiff1d(terms, idle)
    return fit


def _within(
    limits: TermLimits, fit: TermFit, normal: Normal, ridge: Floats, *, chosen: bool
) -> tuple[TermFit, npt.NDArray[np.intp]]:
    """Fit the terms of a fit again within limits; also return the terms that become zero."""
    terms = fit.terms
    coefficients, error, idle, inverse = growth_terms.fit_within(
        normal.gram, normal.moment, normal.square, terms, ridge, limits.inequalities
    )
    if not chosen:
        # If terms are not being chosen, all stay, even those at zero.
        return TermFit(coefficients, error, terms, fit.inverse), terms[idle]
    kept = np.flatnonzero(~idle)
    return TermFit(coefficients, error, terms[kept], inverse[kept[:, None], kept]), terms[idle]


def choose_terms(
    normal: Normal,
    regularization: float,
    price: float,
    n_rows: int,
    start: npt.NDArray[np.bool_] | None = None,
    limits: TermLimits | None = None,
) -> TermFit:
    """Fit terms as `fit_terms` does, beginning with some of them; terms left out may come back once.

    Beginning with terms that are known to matter is much faster than beginning with all, with nearly the same result.

    Parameters
    ----------
    normal, regularization, price, n_rows, start, limits
        As for `fit_terms`.
    """
    fit = fit_terms(normal, regularization, price, n_rows, start, limits)
    if start is None or not (back := _worth_entering(normal, fit, price, n_rows, limits)).any():
        return fit
    again = fit_terms(normal, regularization, price, n_rows, back | fit.kept, limits)
    return min(fit, again, key=lambda one: n_rows * float(np.log(one.error)) + price * len(one.terms))


def _worth_entering(
    normal: Normal, fit: TermFit, price: float, n_rows: int, limits: TermLimits | None
) -> npt.NDArray[np.bool_]:
    """Return which of the terms left out would, each by itself, lower the error by more than its price."""
    slopes = normal.moment - normal.gram @ fit.coefficients
    gains = slopes * slopes / (np.diag(normal.gram) + MIN_ERROR)
    worth = np.asarray(~fit.kept & (gains * n_rows > price * fit.error))
    return worth if limits is None or not worth.any() else worth & limits.may_enter(fit.coefficients, slopes)
