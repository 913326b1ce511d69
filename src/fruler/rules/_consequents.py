"""The consequents of rules: lines, or labels of the output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, Indices, frozen
from fruler._kernels.triangles import centroids
from fruler.rules._antecedents import Antecedents, TNorm, whole_numbers
from fruler.rules._partitions import Triangle, TrianglePartition

# Slopes of an input that differ by less than this share of the largest are the same but for rounding.
_SAME_SLOPE = 1e-9


class Consequents(FrozenValue, ABC):
    """The consequents of all rules: the output of each rule where it applies.

    This is the interface of all consequents.

    Attributes
    ----------
    partition : TrianglePartition or None
        The labels of the output; None if the output is a number.

    See Also
    --------
    LinearConsequents : An intercept and slopes.
    LabelConsequents : Labels of the output.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, LabelRanges, LinearConsequents, Variable
    >>> consequents = LinearConsequents([[20.0, -1.0], [5.0, 0.0]])
    >>> consequents.terms(0), consequents.label(0), consequents.triangle(0), consequents.slopes_over(1).tolist()
    ({0: -1.0}, None, None, [[-1.0], [0.0]])
    >>> x = Variable("x", FuzzyPartition([15.0], (0.0, 30.0)))
    >>> antecedents = LabelRanges([[[0, 0]], [[1, 1]]], [x])
    >>> consequents.require_shape(n_rules=2, n_inputs=1)
    >>> consequents.constants(antecedents, np.array([[0.0]]), "product").tolist()
    [[20.0, 5.0]]
    >>> consequents.rule_outputs(antecedents, np.array([[10.0]]), "product").tolist()
    [[10.0, 5.0]]
    >>> consequents.predict(antecedents, np.array([[15.0]]), "product").tolist()
    [5.0]
    >>> consequents.relabelled(["cold"])
    Traceback (most recent call last):
    ValueError: The output of these rules is a number, which has no labels.
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
    def n_different_slopes(self) -> int:
        """The number of slopes that are not zero; one that several rules share counts once."""
        return 0

    @property
    def depend_on_degrees(self) -> bool:
        """Whether the output of a rule depends on the degree to which it fires."""
        return False

    @property
    def inputs(self) -> Indices:
        """The inputs that have a slope in any rule."""
        return np.empty(0, dtype=np.intp)

    @abstractmethod
    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Raise an error unless there is one consequent per rule, over the right number of inputs.

        Parameters
        ----------
        n_rules : int
            The number of rules.
        n_inputs : int
            The number of inputs.
        """

    @property
    @abstractmethod
    def intercepts(self) -> Floats:
        """The output of each rule without its slopes, where it fires fully, shape (n_rules,)."""

    def slopes_over(self, n_inputs: int) -> Floats:
        """Return the slopes of each rule: the change of its output per unit of each input.

        Parameters
        ----------
        n_inputs : int
            The number of inputs.

        Returns
        -------
        ndarray of shape (n_rules, n_inputs)
            The slopes; all zero if the output is a label.
        """
        return np.zeros((self.n_rules, n_inputs))

    def terms(self, rule: int) -> dict[int, float]:
        """Return the slopes of a rule that are not zero, by input.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.

        Returns
        -------
        dict of int to float
            The slopes by the number of the input.
        """
        return {}

    def label(self, rule: int) -> str | None:
        """Return the output label of a rule.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.

        Returns
        -------
        str or None
            The name of the label; None if the output is a number.
        """
        return None

    def triangle(self, rule: int) -> Triangle | None:
        """Return the triangle of the output label of a rule.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.

        Returns
        -------
        (float, float, float) or None
            The three points of the triangle; None if the output is a number.
        """
        return None

    @abstractmethod
    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of each rule for each row, without its slopes.

        Parameters
        ----------
        antecedents : Antecedents
            Where the rules apply.
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        ndarray of shape (n_samples, n_rules) or (1, n_rules)
            The outputs; a single row if they are the same for all rows.
        """

    @abstractmethod
    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row.

        Parameters
        ----------
        antecedents : Antecedents
            Where the rules apply.
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """

    def rule_outputs(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of each rule by itself for each row.

        Parameters
        ----------
        antecedents : Antecedents
            Where the rules apply.
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            The outputs.
        """
        said = values @ self.slopes_over(values.shape[1]).T
        return np.asarray(said + self.constants(antecedents, values, t_norm))

    def relabelled(self, names: Mapping[str, str] | Sequence[str]) -> Consequents:
        """Return the same consequents with other names for the output labels.

        Parameters
        ----------
        names : sequence of str, or mapping of str to str
            The names of all labels in order, or a mapping from old to new names for some of them.

        Returns
        -------
        Consequents
            The consequents with these names.

        Raises
        ------
        ValueError
            If the output of the rules is a number.
        """
        raise ValueError("The output of these rules is a number, which has no labels.")


@dataclass(frozen=True, init=False, eq=False)
class LinearConsequents(Consequents):
    """Linear consequents: an intercept and one slope per input for each rule, in the data's own units.

    Parameters
    ----------
    coefficients : array-like of float, shape (n_rules, n_inputs + 1)
        The intercept of each rule, then its slopes.

    See Also
    --------
    Consequents : The interface of all consequents.
    LabelConsequents : Labels of the output instead.

    Examples
    --------
    >>> said = LinearConsequents([[20.0, -1.0], [5.0, 0.0]])
    >>> said.n_coefficients, said.terms(0), said.terms(1)
    (1, {0: -1.0}, {})
    """

    coefficients: Floats

    def __init__(self, coefficients: Any) -> None:
        # Adding zero turns a negative zero into a positive one, so that equal rule bases have equal hashes.
        array = frozen(np.asarray(coefficients, dtype=np.float64) + 0.0)
        if array.ndim != 2 or array.shape[1] < 2:
            raise ValueError(f"Consequents must have the shape (rules, inputs + 1); got {array.shape}.")
        if not np.isfinite(array).all():
            raise ValueError("Consequents must be finite numbers.")
        self._set(coefficients=array)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.coefficients)

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
    def n_different_slopes(self) -> int:
        """The number of slopes that are not zero; one that several rules share counts once."""
        largest = np.abs(self.slopes).max(axis=0, initial=0.0)
        shares = np.divide(self.slopes, largest, out=np.zeros_like(self.slopes), where=largest > 0.0)
        return sum(len(np.unique(np.rint(own[own != 0.0] / _SAME_SLOPE))) for own in shares.T)

    @property
    def inputs(self) -> Indices:
        """The inputs that have a slope in any rule."""
        return np.flatnonzero((self.slopes != 0.0).any(axis=0))

    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Raise an error unless there is one consequent per rule, over the right number of inputs.

        Raises
        ------
        ValueError
            If the shape is different.
        """
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

    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the intercepts, shape (1, n_rules)."""
        return self.intercepts[None]

    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row."""
        return antecedents.predict_linear(values, self.coefficients, t_norm)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.coefficients, dtype=dtype)


@dataclass(frozen=True, init=False, eq=False)
class LabelConsequents(Consequents):
    """Labels of the output, one per rule.

    The output of a rule is the centre of gravity of its label's triangle, cut off at the degree to which the rule
    fires. A rule that fires fully, or predicts as the nearest rule where none fires, uses the whole triangle.

    Parameters
    ----------
    labels : array-like of int, shape (n_rules,)
        The label of each rule, counted from 0.
    partition : TrianglePartition
        The labels of the output; all points finite.

    See Also
    --------
    Consequents : The interface of all consequents.
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
            raise ValueError("The triangles of an output need finite points, as an infinite triangle has no centre.")
        numbers = whole_numbers(labels, "the output label of each rule", "consequents")
        if numbers.ndim != 1:
            raise ValueError(f"Labels of the output must have the shape (rules,); got {numbers.shape}.")
        wrong = np.flatnonzero((numbers < 0) | (numbers >= partition.n_labels))
        if len(wrong):
            raise ValueError(
                f"Rule {wrong[0]} has the label {numbers[wrong[0]]} as its output, but the output has the labels 0 to "
                f"{partition.n_labels - 1}."
            )
        self._set(labels=numbers, partition=partition)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.labels)

    @property
    def depend_on_degrees(self) -> bool:
        """True: the output of a rule depends on the degree to which it fires."""
        return True

    def require_shape(self, n_rules: int, n_inputs: int) -> None:
        """Raise an error unless there is one label per rule.

        Raises
        ------
        ValueError
            If the number of labels is different.
        """
        if self.n_rules != n_rules:
            raise ValueError(f"{n_rules} rules need one output label each; got {self.n_rules} labels.")

    @cached_property
    def triangles(self) -> Floats:
        """The triangle of each rule, shape (n_rules, 3)."""
        return frozen(self.partition.triangles[self.labels])

    @cached_property
    def intercepts(self) -> Floats:
        """The output of each rule where it fires fully, shape (n_rules,)."""
        return frozen(centroids(self.triangles, np.ones((1, self.n_rules)))[0])

    def label(self, rule: int) -> str:
        """Return the output label of a rule."""
        return self.partition.labels[int(self.labels[rule])]

    def triangle(self, rule: int) -> Triangle:
        """Return the triangle of the output label of a rule."""
        return self.partition.points[int(self.labels[rule])]

    def constants(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of each rule for each row, shape (n_samples, n_rules)."""
        return centroids(self.triangles, antecedents.degrees(values, t_norm)[0])

    def predict(self, antecedents: Antecedents, values: Floats, t_norm: TNorm) -> Floats:
        """Return the output of all rules together for each row."""
        return antecedents.predict_labels(values, self.triangles, t_norm)

    def relabelled(self, names: Mapping[str, str] | Sequence[str]) -> LabelConsequents:
        """Return the same consequents with other names for the output labels."""
        return LabelConsequents(self.labels, self.partition.renamed(names))
