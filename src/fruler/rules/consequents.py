"""The consequents of rules: what each rule says where it applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.arrays import frozen


@dataclass(frozen=True, init=False, eq=False)
class LinearConsequents:
    """Linear consequents: an intercept and a slope per input for each rule, in the data's own units.

    Parameters
    ----------
    coefficients : array-like of float, shape (n_rules, n_inputs + 1)
        The intercept of each rule, then its slopes.

    Examples
    --------
    >>> import numpy as np
    >>> said = LinearConsequents([[20.0, -1.0], [5.0, 0.0]])
    >>> said.n_coefficients, said.terms(0), said.terms(1)
    (1, {0: -1.0}, {})
    >>> said.outputs(np.array([[10.0]])).tolist()
    [[10.0, 5.0]]
    """

    coefficients: Floats

    def __init__(self, coefficients: Any) -> None:
        # Adding zero turns a negative zero into a positive one, so that equal rule bases have equal hashes.
        array = frozen(np.asarray(coefficients, dtype=np.float64) + 0.0)
        if array.ndim != 2 or array.shape[1] < 2:
            raise ValueError(f"Consequents must have the shape (rules, inputs + 1); got {array.shape}.")
        if not np.isfinite(array).all():
            raise ValueError("Consequents must be finite numbers.")
        object.__setattr__(self, "coefficients", array)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.coefficients)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def intercepts(self) -> Floats:
        """The intercept of each rule, shape (n_rules,)."""
        return self.coefficients[:, 0]

    @property
    def slopes(self) -> Floats:
        """The slopes of each rule, shape (n_rules, n_inputs)."""
        return self.coefficients[:, 1:]

    @property
    def n_coefficients(self) -> int:
        """The number of slopes that are not zero."""
        return int(np.count_nonzero(self.slopes))

    @property
    def uses(self) -> npt.NDArray[np.bool_]:
        """Which inputs have a slope in any rule, shape (n_inputs,)."""
        return np.asarray((self.slopes != 0.0).any(axis=0))

    def terms(self, rule: int) -> dict[int, float]:
        """Return the slopes of a rule that are not zero, by input."""
        return {j: slope for j, slope in enumerate(self.slopes[rule].tolist()) if slope != 0.0}

    def outputs(self, values: Floats) -> Floats:
        """Return what each rule says of each row, shape (n_samples, n_rules)."""
        return np.asarray(values @ self.slopes.T + self.intercepts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.coefficients, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearConsequents):
            return NotImplemented
        return np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash(self.coefficients.tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return LinearConsequents, (self.coefficients,)
