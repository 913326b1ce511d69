"""The consequents of rules: what each rule says where it applies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.rules.antecedents import Antecedents, TNorm
from fruler.rules.arrays import frozen
from fruler.rules.triangle_partition import Triangle, TrianglePartition


class Consequents(ABC):
    """What each rule says where it applies: what every reader of a rule base may ask.

    Attributes
    ----------
    partition : TrianglePartition or None
        The labels of the output, where rules say such; None where they say numbers.
    """

    partition: TrianglePartition | None = None

    @property
    @abstractmethod
    def n_rules(self) -> int:
        """The number of rules."""

    @property
    def n_coefficients(self) -> int:
        """The number of slopes that are not zero."""
        return 0

    @property
    def depend_on_degrees(self) -> bool:
        """Whether what a rule says depends on the degree to which it fires."""
        return False

    @property
    def inputs(self) -> Indices:
        """The inputs that have a slope in any rule."""
        return np.empty(0, dtype=np.intp)

    @abstractmethod
    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Refuse to stand for other rules, or over other inputs."""

    @property
    @abstractmethod
    def intercepts(self) -> Floats:
        """What each rule says but for its slopes, where it fires fully, shape (n_rules,)."""

    def slopes_over(self, n_inputs: int) -> Floats:
        """Return the slopes of each rule, shape (n_rules, n_inputs)."""
        return np.zeros((self.n_rules, n_inputs))

    def terms(self, rule: int) -> dict[int, float]:
        """Return the slopes of a rule that are not zero, by input."""
        return {}

    def label(self, rule: int) -> str | None:
        """Return the label of the output that a rule says; None where it says a number."""
        return None

    def triangle(self, rule: int) -> Triangle | None:
        """Return the triangle of the label of the output that a rule says; None where it says a number."""
        return None

    @abstractmethod
    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return what each rule says of each row but for its slopes, shape (n_samples, n_rules) or (1, n_rules)."""

    @abstractmethod
    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row."""

    def rule_outputs(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return what each rule says of each row, shape (n_samples, n_rules)."""
        said = values @ self.slopes_over(values.shape[1]).T
        return np.asarray(said + self.constants(antecedents, values, t_norm))

    def relabelled(self, names: Mapping[str, str] | Sequence[str]) -> Consequents:
        """Return the same consequents with other names for the labels of the output."""
        raise ValueError("These rules say numbers, so that their output has no labels.")


@dataclass(frozen=True, init=False, eq=False)
class LinearConsequents(Consequents):
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
    def inputs(self) -> Indices:
        """The inputs that have a slope in any rule."""
        return np.flatnonzero((self.slopes != 0.0).any(axis=0))

    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Refuse to stand for other rules, or over other inputs."""
        if self.coefficients.shape != (n_rules, n_inputs + 1):
            raise ValueError(
                f"{n_rules} rules over {n_inputs} inputs need consequents of shape {(n_rules, n_inputs + 1)}; "
                f"got {self.coefficients.shape}."
            )

    def slopes_over(self, n_inputs: int) -> Floats:
        """Return the slopes of each rule, shape (n_rules, n_inputs)."""
        return self.slopes

    def terms(self, rule: int) -> dict[int, float]:
        """Return the slopes of a rule that are not zero, by input."""
        return {j: slope for j, slope in enumerate(self.slopes[rule].tolist()) if slope != 0.0}

    def outputs(self, values: Floats) -> Floats:
        """Return what each rule says of each row, shape (n_samples, n_rules)."""
        return np.asarray(values @ self.slopes.T + self.intercepts)

    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the intercepts, shape (1, n_rules)."""
        return self.intercepts[None]

    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row."""
        return antecedents.predict_linear(values, self.coefficients, t_norm)

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
