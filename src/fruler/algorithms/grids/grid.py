"""The grids that a search may choose from: uniform partitions, and how cells become rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.genetic.granularities import Granularities
from fruler.rules.antecedents import T_NORMS, TNorm

Consequent = Literal["nearest_row", "mean", "output_label"]
# In the order of the kernel's codes.
CONSEQUENTS: tuple[Consequent, ...] = ("nearest_row", "mean", "output_label")
Crop = Literal["reject", "truncate"]
CROPS: tuple[Crop, ...] = ("reject", "truncate")


@dataclass(frozen=True, eq=False)
class Grid:
    """The uniform grids of a search, in standardised units.

    A variable with g labels has its centres at equal distances from the least to the greatest value of the training
    rows, all moved together by at most `displacement` of such a distance. Where labels of the output are consequents,
    the output is the last variable.

    Attributes
    ----------
    domains : ndarray of shape (n_variables, 2)
        Least and greatest value of each variable.
    least, largest : ndarray of shape (n_variables,)
        The fewest and the most labels of each variable.
    max_rules : int
        The most rules of a candidate.
    displacement : float
        By which share of the distance of two labels they may be moved.
    t_norm : {"minimum", "product"}
        How the parts of an antecedent are joined.
    consequent : {"nearest_row", "mean", "output_label"}
        What a rule says: the output of the row that fits its cell best, the mean of the rows of its cell, weighted by
        how well they fit, or the label of the output that the best-fitting row has.
    crop : {"reject", "truncate"}
        What happens to a candidate with too many rules: it is none, or later rules are left out.
    """

    domains: Floats
    least: Granularities
    largest: Granularities
    max_rules: int
    displacement: float
    t_norm: TNorm
    consequent: Consequent
    crop: Crop

    @classmethod
    def from_domains(
        cls,
        inputs: Floats,
        output: Floats,
        *,
        max_labels: int,
        max_rules: int,
        displacement: float,
        t_norm: TNorm,
        consequent: Consequent,
        crop: Crop,
    ) -> Self:
        """Build the space of grids from the domains of the inputs and of the output.

        An input that has one value only has one label, and is in no antecedent.
        """
        domains = np.ascontiguousarray(inputs, dtype=np.float64)
        largest = np.where(np.ptp(domains, axis=1) > 0.0, max_labels, 1)
        least = np.ones_like(largest)
        if consequent == "output_label":
            # An output that is always the same is the middle of a domain, so that its labels are somewhere.
            low, high = (float(end) for end in output)
            ends = (low, high) if low < high else (low - 0.5, high + 0.5)
            domains = np.vstack([domains, ends])
            least, largest = np.append(least, 2), np.append(largest, max_labels)
        return cls(
            domains,
            least.astype(np.intc),
            largest.astype(np.intc),
            max_rules,
            displacement,
            t_norm,
            consequent,
            crop,
        )

    @property
    def n_variables(self) -> int:
        """The number of variables that have genes."""
        return len(self.largest)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return self.n_variables - (self.consequent == "output_label")

    @property
    def arrays(self) -> tuple[Floats, int, int, bool, int]:
        """What the kernels read."""
        t_norm, consequent = T_NORMS.index(self.t_norm), CONSEQUENTS.index(self.consequent)
        return self.domains, t_norm, consequent, self.crop == "truncate", max(2, int(self.largest.max()))
