"""What a multi-objective search is about: chromosomes, and a problem that makes, crosses and evaluates them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from fruler._typing import Floats, Indices


class Keyed(Protocol):
    """A chromosome: anything that never changes and has a key."""

    @property
    def key(self) -> bytes:
        """Equal chromosomes have equal keys, and others have others."""


class Limit(NamedTuple):
    """When a chromosome need not be evaluated to the end.

    Attributes
    ----------
    error : float
        A chromosome whose error on the sample is larger is of no interest.
    min_rules : int
        This holds only for chromosomes with at least so many rules.
    """

    error: float = np.inf
    min_rules: int = 0


NO_LIMIT = Limit()

C = TypeVar("C", bound=Keyed)
S = TypeVar("S")


class Problem(Protocol[C, S]):
    """What `Spea2` needs to know; `C` is the type of chromosomes, `S` that of samples of the rows.

    All that is drawn comes from the generator that is given. `evaluate` is called from several threads at once, the
    others are not.
    """

    @property
    def initial_threshold(self) -> float:
        """The first threshold of incest prevention: the length of a chromosome in bits / 4. Also a cycle's clock."""

    def initial(self, size: int, rng: np.random.Generator) -> list[C]:
        """Make the first population."""

    def simplest(self) -> C:
        """Return a chromosome that can always be evaluated: the model where there is no time, or nothing else."""

    def cross(self, first: C, second: C, threshold: float, rng: np.random.Generator) -> tuple[C, C] | None:
        """Cross two parents; None if they are too much alike: half their Hamming distance is at most the threshold."""

    def mutate(self, chromosome: C, rng: np.random.Generator) -> C:
        """Change one chromosome."""

    def restart(self, best: C, size: int, rng: np.random.Generator) -> list[C]:
        """Make a new population around the most accurate individual, which need not be in it."""

    def take_sample(self, rows: Indices) -> S:
        """Prepare some rows to measure errors on."""

    def evaluate(self, chromosomes: Sequence[C], sample: S | None, limit: Limit) -> Floats:
        """Return the error and the number of rules of every chromosome, an array of shape (n, 2).

        The error is measured on all rows, or on those of a sample. It is infinite for a chromosome that is no
        candidate, and for one that is beyond the limit. It must not depend on what else is evaluated with it.
        """
