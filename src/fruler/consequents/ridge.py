"""Ridge regression on normal equations, with the terms that pay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.consequents.elastic_net import INTERCEPT_RIDGE
from fruler.consequents.limits import TermLimits
from fruler.kernels import growth_terms

# No error is taken for less than this share of the output's variance: an exact fit is not worth any number of terms.
MIN_ERROR = 1e-12
# Terms that limits hold at zero are left out, and the others chosen again; so often.
_MAX_ROUNDS = 3


class Normal(NamedTuple):
    """Normal equations as means over the rows: the Gram matrix of the terms, their moments, and the square of y.

    The first term is the intercept; the weight is that of all rows together.
    """

    gram: Floats
    moment: Floats
    square: float
    weight: float


class TermFit(NamedTuple):
    """Fitted terms.

    Attributes
    ----------
    coefficients : ndarray
        Of all terms, zero where one is left out.
    error : float
        The mean squared error, ridge included.
    terms : ndarray of int
        The terms that are kept; the intercept always is.
    inverse : ndarray
        Of their Gram matrix with the ridge; empty where no terms were chosen.
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
    """Return the ridge on each term: that many rows that say nothing, among all; on the intercept none."""
    ridge = np.full(len(normal.moment), regularization / normal.weight)
    ridge[0] = INTERCEPT_RIDGE
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

    Where the result breaks a limit, the same terms are fitted within the limits, and those that are zero then are left
    out.

    Parameters
    ----------
    normal : Normal
        The normal equations.
    regularization : float
        The ridge, in rows.
    price : float
        What a term costs: terms are left out while n_rows·log(error) + price·terms falls. With 0 all stay.
    n_rows : int
        The rows that the equations come from.
    start : ndarray of bool, optional
        The terms to begin with; all of them where it is not given.
    limits : TermLimits, optional
        What is demanded of the coefficients.
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
    """Fit the terms of a fit again, within limits; return those that are zero by that, too."""
    terms = fit.terms
    coefficients, error, idle, inverse = growth_terms.fit_within(
        normal.gram, normal.moment, normal.square, terms, ridge, limits.inequalities
    )
    if not chosen:
        # Terms that are not chosen stay, whatever they are.
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
    """Fit terms as `fit_terms` does, beginning with some of them; those that were left out may come back once.

    Beginning with terms that are known to matter is much faster than with all, and ends in nearly the same.

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
    """Return which of the terms that are left out would, each by itself, lower the error by more than its price."""
    slopes = normal.moment - normal.gram @ fit.coefficients
    gains = slopes * slopes / (np.diag(normal.gram) + MIN_ERROR)
    worth = np.asarray(~fit.kept & (gains * n_rows > price * fit.error))
    return worth if limits is None or not worth.any() else worth & limits.may_enter(fit.coefficients, slopes)
