"""The last step of every prediction: from what the rules say to the target, within its bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler._wording import readable_number
from fruler.rules.links import Link, LinkName, link_of
from fruler.rules.partitions import LARGEST_LIMIT

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Output:
    """The last step of a prediction, from the sum of the rules to the target: ``clip(g(raw), low, high)``.

    It never decreases, so the ends of intervals go through it like predictions.

    Parameters
    ----------
    link : {"identity", "log"}, default="identity"
        With "log" the outputs of the rules are the natural logarithm of the target: g is the exponential, and what a
        rule adds multiplies the prediction. Their sum is kept within -345 and 345, so that no prediction is infinite.
    bounds : (float or None, float or None), default=(None, None)
        The smallest and the largest prediction; None for no bound.

    See Also
    --------
    RuleBase : Has it as `output`.

    Examples
    --------
    >>> import numpy as np
    >>> count = Output(bounds=(0, None))
    >>> count.of(np.array([-2.0, 3.5])).tolist()
    [0.0, 3.5]
    >>> price = Output("log", (None, 500.0))
    >>> price.of(np.log([20.0, 800.0])).round(9).tolist(), price.raw_of(np.array([1.0])).tolist()
    ([20.0, 500.0], [0.0])

    >>> count.bounded(np.array([-2.0, 3.5])).tolist(), Output.given("identity", None).is_plain
    ([0.0, 3.5], True)
    """

    link: LinkName = "identity"
    bounds: Bounds = (None, None)

    def __post_init__(self) -> None:
        link_of(self.link)
        object.__setattr__(self, "bounds", _checked(self.bounds))
        if self.transform.raw(np.array(self.high)) == -np.inf:
            raise ValueError(f"With link={self.link!r} the upper of the bounds must be above 0; got {self.bounds!r}.")

    @classmethod
    def given(cls, link: LinkName, bounds: Any) -> Output:
        """Return the output of an estimator's parameters.

        Parameters
        ----------
        link : {"identity", "log"}
            The link.
        bounds : (float or None, float or None) or None
            The bounds; None for none.

        Returns
        -------
        Output
            The output.
        """
        return cls(link, (None, None) if bounds is None else bounds)

    @property
    def transform(self) -> Link:
        """The link itself."""
        return link_of(self.link)

    @property
    def is_plain(self) -> bool:
        """Whether predictions are what the rules say."""
        return self == PLAIN

    @property
    def is_bounded(self) -> bool:
        """Whether there is a least or a greatest prediction."""
        return self.bounds != PLAIN.bounds

    @property
    def low(self) -> float:
        """The least prediction; minus infinity where there is none."""
        return -math.inf if self.bounds[0] is None else self.bounds[0]

    @property
    def high(self) -> float:
        """The greatest prediction; infinity where there is none."""
        return math.inf if self.bounds[1] is None else self.bounds[1]

    @property
    def raw_bounds(self) -> tuple[float, float]:
        """What the rules say at the bounds, and infinity where there are none."""
        low, high = self.transform.raw(np.array([self.low, self.high])).tolist()
        return low, high

    def of(self, raw: Floats) -> Floats:
        """Return the predictions for sums of rules.

        Parameters
        ----------
        raw : ndarray of shape (n_samples,)
            The sums of the rules, before link and bounds.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        target = self.transform.target(raw)
        return np.clip(target, self.low, self.high) if self.is_bounded else target

    def bounded(self, raw: Floats) -> Floats:
        """Return sums of rules, kept within the bounds.

        Parameters
        ----------
        raw : ndarray of shape (n_samples,)
            The sums of the rules, before link and bounds.

        Returns
        -------
        ndarray of shape (n_samples,)
            The sums within the bounds, still before the link.
        """
        return np.clip(raw, *self.raw_bounds) if self.is_bounded else raw

    def raw_of(self, target: Floats) -> Floats:
        """Return the sums of rules that give targets.

        Parameters
        ----------
        target : ndarray of shape (n_samples,)
            The targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            The sums, before link and bounds.

        Raises
        ------
        ValueError
            If the link cannot give a target, or it lies outside the bounds.
        """
        if self.is_plain:
            return target
        self.transform.require(target)
        outside = np.flatnonzero((target < self.low) | (target > self.high))
        if len(outside):
            number = readable_number(target[outside[0]], 6)
            raise ValueError(
                f"bounds={self.bounds!r} must hold for all targets, but row {outside[0]} has {number}; correct the "
                "target, or widen the bounds."
            )
        return self.transform.raw(target)


def _checked(bounds: Any) -> Bounds:
    ends = tuple(bounds) if isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) else ()
    if len(ends) != 2:
        raise ValueError(f"bounds must be the least and the greatest target, as in (0, None); got {bounds!r}.")
    try:
        low, high = (None if end is None else float(end) for end in ends)
    except (TypeError, ValueError):
        raise ValueError(f"bounds must be numbers or None, as in (0, None); got {bounds!r}.") from None
    known = [end for end in (low, high) if end is not None]
    if not all(abs(end) <= LARGEST_LIMIT for end in known):
        raise ValueError(f"bounds must not be beyond {LARGEST_LIMIT:g}, and None where there is none; got {bounds!r}.")
    if len(known) == 2 and not known[0] < known[1]:
        raise ValueError(f"The lower of the bounds must be below the upper one; got {bounds!r}.")
    return low, high


# Predictions are what the rules say.
PLAIN = Output()
