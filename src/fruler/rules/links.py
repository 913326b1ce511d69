"""Links: what the rules say, and the target that it stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, get_args

import numpy as np

from fruler._typing import Floats
from fruler._wording import readable_number
from fruler.rules.partitions import LARGEST_LIMIT

LinkName = Literal["identity", "log"]
LINK_NAMES: tuple[LinkName, ...] = get_args(LinkName)


class Link(ABC):
    """A rising function between what rules say and the target.

    What each link means in sentences is in `fruler.explain.scales`, and what it means in code in
    `fruler.export.links`; nothing else asks which link it is.

    Attributes
    ----------
    name : str
        What it is called in parameters and files.
    keeps_units : bool
        Whether rules say the target itself.
    reach : float
        What is farther from zero than this counts as this.
    """

    name: ClassVar[LinkName]
    keeps_units: ClassVar[bool]
    reach: ClassVar[float]

    @abstractmethod
    def target(self, raw: Floats) -> Floats:
        """Return the target that what the rules say stands for."""

    @abstractmethod
    def raw(self, target: Floats) -> Floats:
        """Return what the rules should say for targets; below everything for what no rule can say."""

    @abstractmethod
    def require(self, target: Floats) -> None:
        """Refuse targets that rules can't say.

        Raises
        ------
        ValueError
            If there are any.
        """


class Identity(Link):
    """Rules say the target itself."""

    name = "identity"
    keeps_units = True
    reach = LARGEST_LIMIT

    def target(self, raw: Floats) -> Floats:
        """Return it as it is."""
        return raw

    def raw(self, target: Floats) -> Floats:
        """Return it as it is."""
        return target

    def require(self, target: Floats) -> None:
        """Take any target."""


class Log(Link):
    """Rules say the natural logarithm of the target, which is above zero.

    Examples
    --------
    >>> import numpy as np
    >>> Log().target(np.array([0.0, np.log(250.0), 1e6])).round(6).tolist()[:2]
    [1.0, 250.0]
    """

    name = "log"
    keeps_units = False
    # The exponential of this is a little below the largest value that a table may have.
    reach = 345.0

    def target(self, raw: Floats) -> Floats:
        """Return the exponential; it is finite, and above zero."""
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


_LINKS: dict[LinkName, Link] = {link.name: link for link in (Identity(), Log())}


def link_of(name: str) -> Link:
    """Return the link of a name.

    Raises
    ------
    ValueError
        If there is none.
    """
    for known, link in _LINKS.items():
        if known == name:
            return link
    raise ValueError(f"link must be one of {', '.join(LINK_NAMES)}; got {name!r}.")
