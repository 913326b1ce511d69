"""The parameters of the Elastic Net for linear consequents; the kernels `elastic_net` and `sgd` solve it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fruler._algorithms.fruler.reading import CALIBRATED, Reading

Solver = Literal["coordinate_descent", "sgd"]
SOLVERS: tuple[Solver, ...] = ("coordinate_descent", "sgd")  # in the order of the kernel's codes

# A ridge on the intercepts that matters only if a rule's rows leave its intercept undetermined.
INTERCEPT_RIDGE = 1e-9


@dataclass(frozen=True)
class ElasticNetSettings:
    """How consequents are fitted: ½·mean squared error + λ(½(1 - l1_ratio)‖b‖² + l1_ratio·‖b‖₁) over the coefficients.

    Parameters
    ----------
    regularization : float
        The λ above.
    l1_ratio : float
        Share of the ℓ1 penalty; the paper's α is 1 - l1_ratio.
    shrink_intercepts : bool
        Whether intercepts carry the penalty, as slopes do.
    solver : {"coordinate_descent", "sgd"}
        Coordinate descent on the Gram matrix, or the paper's stochastic gradient descent.
    rate : float
        The first step of the descent, η0.
    seed : int
        Seed of the descent's order of rows.
    tolerance : float
        How far coordinate descent may miss the optimality conditions, as a share of the largest moment.
    progress : float
        Coordinate descent also ends when a round lowers the objective by no more than this share; negative: never.
    max_rounds : int
        Maximum number of rounds of coordinate descent, or epochs of gradient descent.
    reading : Reading
        Its `step`, `min_gain` and `l1_interval` of the gradient descent.
    """

    regularization: float
    l1_ratio: float
    shrink_intercepts: bool = True
    solver: Solver = "coordinate_descent"
    rate: float = 0.1
    seed: int = 0
    tolerance: float = 1e-6
    progress: float = 1e-4
    max_rounds: int = 200
    reading: Reading = CALIBRATED

    @property
    def l1(self) -> float:
        """The weight of the absolute values."""
        return self.regularization * self.l1_ratio

    @property
    def l2(self) -> float:
        """The weight of half the squares."""
        return self.regularization * (1.0 - self.l1_ratio)

    @property
    def numbers(self) -> tuple[float, float, bool, float, float, float, int, int, float, int, bool, float, int]:
        """The numbers that the kernels read."""
        return (
            self.l1,
            self.l2,
            self.shrink_intercepts,
            INTERCEPT_RIDGE,
            self.tolerance,
            self.progress,
            self.max_rounds,
            SOLVERS.index(self.solver),
            self.rate,
            self.seed,
            self.reading.step == "printed",
            self.reading.min_gain,
            self.reading.l1_interval,
        )
