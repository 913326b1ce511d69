"""Consequents that are labels of the output, as Mamdani's rules have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.kernels.triangles import centroids
from fruler.rules.antecedents import Antecedents, TNorm, whole_numbers
from fruler.rules.arrays import frozen
from fruler.rules.consequents import Consequents
from fruler.rules.triangle_partition import Triangle, TrianglePartition


@dataclass(frozen=True, init=False, eq=False)
class LabelConsequents(Consequents):
    """Labels of the output, one for each rule.

    The output of a rule is the centre of gravity of its label's triangle, cut off at the degree to which the rule
    fires. Where the rule fires fully, or takes the place of rules that do not fit, it is that of the whole triangle.

    Parameters
    ----------
    labels : array-like of int, shape (n_rules,)
        The label of each rule, counted from 0.
    partition : TrianglePartition
        The labels of the output; all points finite.

    See Also
    --------
    Consequents : What consequents can do.
    LinearConsequents : Numbers instead.

    Examples
    --------
    >>> from fruler.rules import TrianglePartition
    >>> mpg = TrianglePartition([(0.0, 10.0, 20.0), (10.0, 30.0, 38.0)], (10.0, 30.0))
    >>> said = LabelConsequents([1, 0], mpg)
    >>> said.label(0), said.intercepts.tolist()
    ('high', [26.0, 10.0])
    """

    labels: npt.NDArray[np.intc]
    partition: TrianglePartition

    def __init__(self, labels: Any, partition: TrianglePartition) -> None:
        if not isinstance(partition, TrianglePartition):
            raise ValueError("The labels of an output need a TrianglePartition.")
        if not np.isfinite(partition.triangles).all():
            raise ValueError("The triangles of an output need finite points, as infinite ones have no centre.")
        numbers = whole_numbers(labels, "the label of the output that each rule says", "consequents")
        if numbers.ndim != 1:
            raise ValueError(f"Labels of the output must have the shape (rules,); got {numbers.shape}.")
        wrong = np.flatnonzero((numbers < 0) | (numbers >= partition.n_labels))
        if len(wrong):
            raise ValueError(
                f"Rule {wrong[0]} says the label {numbers[wrong[0]]} of the output, which has the labels 0 to "
                f"{partition.n_labels - 1}."
            )
        object.__setattr__(self, "labels", numbers)
        object.__setattr__(self, "partition", partition)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.labels)

    @property
    def depend_on_degrees(self) -> bool:
        """Whether the output of a rule depends on the degree to which it fires: it does."""
        return True

    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Raise an error unless there is one label for each rule.

        Raises
        ------
        ValueError
            If there is not.
        """
        if self.n_rules != n_rules:
            raise ValueError(f"Each of {n_rules} rules must say one label of the output; got {self.n_rules} labels.")

    @cached_property
    def triangles(self) -> Floats:
        """The triangle of each rule, shape (n_rules, 3)."""
        return frozen(self.partition.triangles[self.labels])

    @cached_property
    def intercepts(self) -> Floats:
        """The output of each rule where it fires fully, shape (n_rules,)."""
        return frozen(centroids(self.triangles, np.ones((1, self.n_rules)))[0])

    def label(self, rule: int) -> str:
        """Return the label that is the output of a rule."""
        return self.partition.labels[int(self.labels[rule])]

    def triangle(self, rule: int) -> Triangle:
        """Return the triangle of the label that is the output of a rule."""
        return self.partition.points[int(self.labels[rule])]

    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of each rule for each row, shape (n_samples, n_rules)."""
        return centroids(self.triangles, antecedents.degrees(values, t_norm)[0])

    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row."""
        return antecedents.predict_labels(values, self.triangles, t_norm)

    def relabelled(self, names: Mapping[str, str] | Sequence[str]) -> LabelConsequents:
        """Return the same consequents with other names for the labels of the output."""
        return LabelConsequents(self.labels, self.partition.renamed(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelConsequents):
            return NotImplemented
        return self.partition == other.partition and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash((self.partition, self.labels.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return LabelConsequents, (self.labels, self.partition)
