"""The output of rules: the link and the bounds between the raw prediction and the target."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from fruler._arrays import Floats
from fruler._wording import readable_number
from fruler.rules._losses import SQUARED, Loss
from fruler.rules._partitions import LARGEST_LIMIT

LinkName = Literal["identity", "log"]
LINK_NAMES: tuple[LinkName, ...] = get_args(LinkName)


class Link(ABC):
    """An increasing function from raw predictions, which the rules make, to the target.

    `fruler.explain._scales` has the words for each link, and `fruler.export._plan` the code; nothing else depends on
    which link it is.

    Attributes
    ----------
    name : str
        The name in parameters and files.
    keeps_units : bool
        Whether raw predictions have the unit of the target.
    reach : float
        Raw predictions are clipped at this distance from zero.
    """

    name: ClassVar[LinkName]
    keeps_units: ClassVar[bool]
    reach: ClassVar[float]

    @abstractmethod
    def target(self, raw: Floats) -> Floats:
        """Return the targets of raw predictions."""

    @abstractmethod
    def raw(self, target: Floats) -> Floats:
        """Return the raw predictions that give targets; minus infinity for a target that is out of range."""

    @abstractmethod
    def require(self, target: Floats) -> None:
        """Refuse targets that no raw prediction gives.

        Raises
        ------
        ValueError
            If there are such targets.
        """


class IdentityLink(Link):
    """Rules predict the target itself."""

    name = "identity"
    keeps_units = True
    reach = LARGEST_LIMIT

    def target(self, raw: Floats) -> Floats:
        """Return the raw predictions unchanged."""
        return raw

    def raw(self, target: Floats) -> Floats:
        """Return the targets unchanged."""
        return target

    def require(self, target: Floats) -> None:
        """Accept any target."""


class LogLink(Link):
    """Rules predict the natural logarithm of the target, which must be above zero.

    Examples
    --------
    >>> import numpy as np
    >>> LogLink().target(np.array([0.0, np.log(250.0), 1e6])).round(6).tolist()[:2]
    [1.0, 250.0]
    """

    name = "log"
    keeps_units = False
    # The exponential of this is a little below the largest value that a table may have.
    reach = 345.0

    def target(self, raw: Floats) -> Floats:
        """Return the exponential, which is finite and above zero."""
        return np.asarray(np.exp(np.clip(raw, -self.reach, self.reach)))

    def raw(self, target: Floats) -> Floats:
        """Return the logarithm."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(target > 0.0, np.log(np.where(target > 0.0, target, 1.0)), -np.inf))

    def require(self, target: Floats) -> None:
        """Refuse targets that have no logarithm."""
        wrong = np.flatnonzero(~(target > 0.0))
        if len(wrong):
            raise ValueError(
                f"link='log' needs targets above 0, but row {wrong[0]} has {readable_number(target[wrong[0]], 6)}; use "
                "link='identity' with bounds=(0, None), or add a constant to all targets."
            )


_LINKS: dict[LinkName, Link] = {link.name: link for link in (IdentityLink(), LogLink())}


def link_of(name: str) -> Link:
    """Return the link with a name.

    Raises
    ------
    ValueError
        If there is no such link.
    """
    for known, link in _LINKS.items():
        if known == name:
            return link
    raise ValueError(f"link must be one of {', '.join(LINK_NAMES)}; got {name!r}.")


Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Output:
    """The last step of a prediction, from the raw prediction of the rules to the target: ``clip(g(raw), low, high)``.

    This function never decreases, so the ends of intervals go through it like predictions.

    Parameters
    ----------
    link : {"identity", "log"}, default="identity"
        With "log" the rules predict the natural logarithm of the target: g is the exponential, and every term of a rule
        multiplies the prediction. The raw prediction is clipped to -345 and 345, so that no prediction is infinite.
    bounds : (float or None, float or None), default=(None, None)
        The smallest and the largest prediction; None for no bound.
    loss : Loss, default=SquaredLoss()
        The loss that the rules minimise: it decides whether they predict a mean, a median or another quantile.

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
    loss: Loss = SQUARED

    def __post_init__(self) -> None:
        link_of(self.link)
        if self.loss.of_log_mean and self.link != "log":
            raise ValueError(f"loss={self.loss.name!r} needs link='log'; got {self.link!r}.")
        object.__setattr__(self, "bounds", _checked(self.bounds))
        if self.transform.raw(np.array(self.high)) == -np.inf:
            raise ValueError(f"With link={self.link!r} the upper bound must be above 0; got {self.bounds!r}.")

    @classmethod
    def given(cls, link: LinkName, bounds: Any, loss: Loss = SQUARED) -> Output:
        """Return the output of an estimator's parameters.

        Parameters
        ----------
        link : {"identity", "log"}
            The link; a loss whose rules predict logarithms of means has the link "log" in any case.
        bounds : (float or None, float or None) or None
            The bounds; None for no bounds.
        loss : Loss
            The loss.

        Returns
        -------
        Output
            The output.
        """
        return cls("log" if loss.of_log_mean else link, (None, None) if bounds is None else bounds, loss)

    @property
    def transform(self) -> Link:
        """The link itself."""
        return link_of(self.link)

    @property
    def is_plain(self) -> bool:
        """Whether predictions equal raw predictions: no link, and no bounds."""
        return self.link == PLAIN.link and not self.is_bounded

    @property
    def is_bounded(self) -> bool:
        """Whether there is a lower or an upper bound."""
        return self.bounds != PLAIN.bounds

    @property
    def low(self) -> float:
        """The lower bound; minus infinity if there is none."""
        return -math.inf if self.bounds[0] is None else self.bounds[0]

    @property
    def high(self) -> float:
        """The upper bound; infinity if there is none."""
        return math.inf if self.bounds[1] is None else self.bounds[1]

    @property
    def raw_bounds(self) -> tuple[float, float]:
        """The raw predictions at the bounds; infinite if there are none."""
        low, high = self.transform.raw(np.array([self.low, self.high])).tolist()
        return low, high

    def of(self, raw: Floats) -> Floats:
        """Return the predictions for raw predictions.

        Parameters
        ----------
        raw : ndarray of shape (n_samples,)
            The raw predictions, before link and bounds.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        target = self.transform.target(raw)
        return np.clip(target, self.low, self.high) if self.is_bounded else target

    def bounded(self, raw: Floats) -> Floats:
        """Return raw predictions, clipped to the bounds.

        Parameters
        ----------
        raw : ndarray of shape (n_samples,)
            The raw predictions, before link and bounds.

        Returns
        -------
        ndarray of shape (n_samples,)
            The raw predictions within the bounds, still before the link.
        """
        return np.clip(raw, *self.raw_bounds) if self.is_bounded else raw

    def raw_of(self, target: Floats) -> Floats:
        """Return the raw predictions that give targets.

        Parameters
        ----------
        target : ndarray of shape (n_samples,)
            The targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            The raw predictions, before link and bounds.

        Raises
        ------
        ValueError
            If a target does not fit the link, or lies outside the bounds.
        """
        if self.is_plain:
            return target
        self.transform.require(target)
        self._require_within(target)
        return self.transform.raw(target)

    def learned(self, target: Floats) -> Floats:
        """Return the target that the loss compares with raw predictions: its mean may be that of the target itself.

        Parameters
        ----------
        target : ndarray of shape (n_samples,)
            The targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            The targets, on the scale of raw predictions unless these are logarithms of means.

        Raises
        ------
        ValueError
            If a target does not fit the loss or the link, or lies outside the bounds.

        Examples
        --------
        >>> from fruler.rules import Output
        >>> Output("log").learned(np.array([1.0])).tolist()
        [0.0]
        """
        if not self.loss.of_log_mean:
            return self.raw_of(target)
        self.loss.require(target)
        self._require_within(target)
        return target

    def _require_within(self, target: Floats) -> None:
        outside = np.flatnonzero((target < self.low) | (target > self.high))
        if len(outside):
            number = readable_number(target[outside[0]], 6)
            raise ValueError(
                f"bounds={self.bounds!r} must hold for all targets, but row {outside[0]} has {number}; correct the "
                "target, or widen the bounds."
            )


def _checked(bounds: Any) -> Bounds:
    ends = tuple(bounds) if isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) else ()
    if len(ends) != 2:
        raise ValueError(f"bounds must be the smallest and the largest target, as in (0, None); got {bounds!r}.")
    try:
        low, high = (None if end is None else float(end) for end in ends)
    except (TypeError, ValueError):
        raise ValueError(f"bounds must be numbers or None, as in (0, None); got {bounds!r}.") from None
    known = [end for end in (low, high) if end is not None]
    if not all(abs(end) <= LARGEST_LIMIT for end in known):
        raise ValueError(
            f"bounds must be numbers up to {LARGEST_LIMIT:g} in size, or None for no bound; got {bounds!r}."
        )
    if len(known) == 2 and not known[0] < known[1]:
        raise ValueError(f"The lower bound must be below the upper bound; got {bounds!r}.")
    return low, high


# No link and no bounds.
PLAIN = Output()
