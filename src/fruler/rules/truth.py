"""How true rules are one by one: the error of the strongest rule alone, compared with that of all rules together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fruler._arrays import Floats, FrozenValue, Indices, frozen

# A model counts as true if the error of the strongest rule alone is at most this many times that of all rules together,
_TOLERANCE = 1.15
# or below this share of the target's standard deviation: for nearly exact data a ratio is meaningless.
_FLOOR = 0.02


@dataclass(frozen=True, eq=False)
class Truth(FrozenValue):
    """Errors of all rules together and of the strongest rule alone: they show whether the rules hold one by one.

    The strongest rule of a row is the one with the largest weight in its prediction. All errors are root mean squared
    errors, in the target's unit or, with a link, of the transformed target. If `alone` is hardly larger than
    `together`, each rule can be read by itself where it applies.

    Parameters
    ----------
    together : float
        The error of the prediction, which blends all rules.
    alone : float
        The error if each row were predicted by its strongest rule only.
    rule_together : array-like of shape (n_rules,)
        The error of the prediction over the rows in which each rule is the strongest; NaN if there are none.
    rule_alone : array-like of shape (n_rules,)
        The error of the rule alone over the same rows.
    held_out : bool
        Whether the errors are on held-out rows; if not, they are on the training rows.

    See Also
    --------
    fruler.FuzzyRuleRegressor : Has a truth as `truth_`.

    Examples
    --------
    >>> truth = Truth(0.9, 1.0, [0.8, 1.0], [0.8, 1.25], held_out=True)
    >>> truth.ratio, truth.holds(target_spread=5.0), truth.scaled(10.0).together
    (0.9, True, 9.0)
    """

    together: float
    alone: float
    rule_together: Floats
    rule_alone: Floats
    held_out: bool

    def __post_init__(self) -> None:
        of_rules = {name: frozen(getattr(self, name), np.float64) for name in ("rule_together", "rule_alone")}
        self._set(**of_rules, together=float(self.together), alone=float(self.alone), held_out=bool(self.held_out))
        errors = np.concatenate([[self.together, self.alone], self.rule_together, self.rule_alone])
        if not np.isfinite([self.together, self.alone]).all() or np.isinf(errors).any() or (errors < 0.0).any():
            raise ValueError("The errors of a truth must be finite, and can't be negative.")
        if self.rule_together.shape != self.rule_alone.shape or self.rule_alone.ndim != 1:
            raise ValueError("A truth needs two errors for every rule: together and alone.")
        if (np.isnan(self.rule_together) != np.isnan(self.rule_alone)).any():
            raise ValueError("A rule that is nowhere the strongest has neither error; any other rule has both.")

    @property
    def ratio(self) -> float:
        """Together over alone: 1 if the strongest rule alone is as accurate as all rules, near 0 if it is far worse."""
        return 1.0 if self.alone in (self.together, 0.0) else self.together / self.alone

    def holds(self, target_spread: float) -> bool:
        """Return whether the rules count as holding one by one.

        They do if the error of the strongest rule alone is at most 1.15 times that of all rules together, or at most
        2 % of the target's standard deviation.

        Parameters
        ----------
        target_spread : float
            The standard deviation of the target, transformed if there is a link.

        Returns
        -------
        bool
            Whether they hold.
        """
        return self.alone <= max(_TOLERANCE * self.together, _FLOOR * target_spread)

    def scaled(self, unit: float) -> Truth:
        """Return the same errors in another unit.

        Parameters
        ----------
        unit : float
            The factor for the errors.

        Returns
        -------
        Truth
            The errors in the other unit.
        """
        errors = ("together", "alone", "rule_together", "rule_alone")
        return replace(self, **{name: getattr(self, name) * unit for name in errors})


class TruthSums(NamedTuple):
    """Sums over rows for a truth, by the strongest rule of each row; they can be added over blocks of rows.

    Attributes
    ----------
    weight : ndarray of shape (n_rules,)
        The weights of the rows.
    together, alone : ndarray of shape (n_rules,)
        The weighted squared errors of all rules together and of the strongest rule alone.
    """

    weight: Floats
    together: Floats
    alone: Floats

    @classmethod
    def over_rows(
        cls, squares_together: Floats, squares_alone: Floats, weight: Floats, strongest: Indices, n_rules: int
    ) -> TruthSums:
        """Sum over rows.

        Parameters
        ----------
        squares_together, squares_alone : ndarray of shape (n_rows,)
            Squared errors of the prediction, and of the strongest rule alone.
        weight : ndarray of shape (n_rows,)
            The weight of each row.
        strongest : ndarray of int, shape (n_rows,)
            The strongest rule of each row.
        n_rules : int
            The number of rules.
        """
        summed = (weight, weight * squares_together, weight * squares_alone)
        return cls(*(np.bincount(strongest, weights=one, minlength=n_rules).astype(np.float64) for one in summed))

    def plus(self, other: TruthSums) -> TruthSums:
        """Return the sums over both sets of rows."""
        return TruthSums(self.weight + other.weight, self.together + other.together, self.alone + other.alone)

    def truth(self, *, held_out: bool, typical: Callable[[Any], Any] = np.sqrt) -> Truth:
        """Return the truth of the rows; `held_out` if the rules were fitted without them.

        Parameters
        ----------
        held_out : bool
            Whether the rules were fitted without the rows.
        typical : callable
            Returns the typical error of a mean loss.
        """
        total = self.weight.sum()
        with np.errstate(invalid="ignore"):
            return Truth(
                float(typical(self.together.sum() / total)),
                float(typical(self.alone.sum() / total)),
                typical(self.together / self.weight),
                typical(self.alone / self.weight),
                held_out,
            )
