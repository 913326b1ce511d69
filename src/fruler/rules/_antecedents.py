"""The antecedents of rules: ranges of labels, or triangles, and the weights that rules have in a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, Indices, frozen, row_blocks
from fruler._kernels import inference
from fruler._kernels import triangles as kernel
from fruler._kernels.triangles import centroids
from fruler._wording import number_within
from fruler.rules._inputs import Variable
from fruler.rules._partitions import (
    Labels,
    PlacingPartition,
    TrianglePartition,
    checked_triangles,
    triangle_words,
)

TNorm = Literal["product", "minimum"]
T_NORMS: tuple[TNorm, ...] = ("product", "minimum")  # in the order of the kernel's codes
Flags = npt.NDArray[np.bool_]
Activations = tuple[Floats, Flags]

# The search for a combination of labels without a rule gives up after this many, and assumes that there is one.
_MAX_PLACES = 50_000


class Condition(NamedTuple):
    """One part of an antecedent: an input, and the first and the last of its labels that are accepted."""

    input: int
    first: int
    last: int


class Antecedents(FrozenValue, ABC):
    """The antecedents of all rules: where each rule applies, and how strongly.

    This is the interface of all antecedents. The subclasses define how antecedents are made of labels.

    Attributes
    ----------
    variables : tuple of Variable
        The inputs.
    kind : str
        The kind of antecedents, as it is written in model files.

    See Also
    --------
    LabelRanges : Ranges of labels, which all rules share.
    LabelTriangles : One triangular label per input, which all rules share.
    OwnTriangles : Each rule has its own triangles.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, LabelRanges, Variable
    >>> x = Variable("x", FuzzyPartition([1.0], (0.0, 2.0), fuzziness=0.5))
    >>> antecedents = LabelRanges([[[0, 0]], [[1, 1]]], [x])
    >>> antecedents.accepted(1, 0), antecedents.conditions(1), antecedents.covers_everything()
    ((1, 1), [Condition(input=0, first=1, last=1)], True)
    >>> degrees, fired = antecedents.degrees(np.array([[0.9]]), "product")
    >>> degrees.round(3).tolist(), fired.tolist()
    ([[0.6, 0.4]], [True])
    >>> weights, _ = antecedents.activations(np.array([[0.9]]), "product")
    >>> weights.round(3).tolist()
    [[0.6, 0.4]]
    >>> antecedents.predict_linear(np.array([[0.9]]), np.array([[10.0, 0.0], [20.0, 0.0]]), "product").round(3).tolist()
    [14.0]
    >>> antecedents.predict_labels(np.array([[0.0]]), np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]]), "product").tolist()
    [1.0]
    >>> antecedents.over([Variable("y", x.partition)]).variables[0].name
    'y'

    Only inputs that come from a column of categories have levels:

    >>> from fruler.rules import NominalPartition
    >>> colour = Variable("colour", NominalPartition([[0], [1]], labels=["brown", "red"]))
    >>> LabelRanges([[[1, 1]]], [colour]).levels(0, 0)
    []
    """

    kind: ClassVar[str]
    variables: tuple[Variable, ...]

    @property
    @abstractmethod
    def n_rules(self) -> int:
        """The number of rules."""

    @property
    @abstractmethod
    def looks_at(self) -> npt.NDArray[np.bool_]:
        """Which rule has a condition on which input, shape (n_rules, n_inputs)."""

    @property
    def condition_inputs(self) -> tuple[Variable, ...]:
        """The inputs, each with the labels that the numbers in conditions refer to."""
        return self.variables

    @property
    def shares_labels(self) -> bool:
        """Whether rules share the labels of the inputs; if not, each rule has its own fuzzy sets."""
        return True

    @property
    def widths(self) -> Floats:
        """The divisor of distances on each input in the search for the nearest rule; ranges count labels instead."""
        return np.ones(len(self.variables))

    @abstractmethod
    def over(self, variables: Sequence[Variable]) -> Antecedents:
        """Return the same antecedents over inputs that may have other names, units or labels.

        Parameters
        ----------
        variables : sequence of Variable
            The inputs, in the same number as before.

        Returns
        -------
        Antecedents
            The antecedents over these inputs.
        """

    @abstractmethod
    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the first and the last label that a rule accepts of an input.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.
        feature : int
            The number of the input, from 0.

        Returns
        -------
        (int, int)
            The numbers of the two labels; the first and the last of all labels if the rule has no condition on the
            input.
        """

    @abstractmethod
    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return the degree to which each rule fires in each row, and whether any rule fires at all.

        Where no rule fires, the nearest rule gets degree one.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        degrees : ndarray of shape (n_samples, n_rules)
            The degrees, from 0 to 1.
        fired : ndarray of bool, shape (n_samples,)
            False where no rule fires.
        """

    @abstractmethod
    def activations(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return each rule's weight in each row, and whether any rule fires at all.

        The weights of a row sum to one. Where no rule fires, the nearest rule gets weight one.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        weights : ndarray of shape (n_samples, n_rules)
            The weights.
        fired : ndarray of bool, shape (n_samples,)
            False where no rule fires.
        """

    @abstractmethod
    def predict_linear(self, values: Floats, coefficients: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules with linear consequents for each row, in one compiled pass.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        coefficients : ndarray of shape (n_rules, n_inputs + 1)
            The intercept of each rule, then its slopes.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """

    @abstractmethod
    def predict_labels(self, values: Floats, triangles: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules whose consequents are triangles, cut off at the degrees of the rules.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        triangles : ndarray of shape (n_rules, 3)
            The triangle of each rule.
        t_norm : {"product", "minimum"}
            How the degrees of a rule's conditions are combined.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """

    @abstractmethod
    def covers_everything(self) -> bool:
        """Return whether at least one rule fires in every possible row.

        Returns
        -------
        bool
            False also if this is not known.
        """

    @cached_property
    def granularities(self) -> npt.NDArray[np.intc]:
        """The number of labels of each input."""
        return frozen([variable.partition.n_labels for variable in self.variables], np.intc)

    @cached_property
    def inputs(self) -> Indices:
        """The inputs in any antecedent."""
        return np.flatnonzero(self.looks_at.any(axis=0))

    def conditions(self, rule: int) -> list[Condition]:
        """Return the conditions of a rule, in the order of the inputs.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.

        Returns
        -------
        list of Condition
            Each has an input, and the first and the last of its labels that the rule accepts.
        """
        return [Condition(int(j), *self.accepted(rule, int(j))) for j in np.flatnonzero(self.looks_at[rule])]

    def levels(self, rule: int, feature: int) -> list[str]:
        """Return the categories of an input that a rule accepts, in the order of their numbers.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.
        feature : int
            The number of the input, from 0.

        Returns
        -------
        list of str
            The categories; empty if the input has none.
        """
        variable = self.condition_inputs[feature]
        if variable.levels is not None and variable.partition.ordered and not self.looks_at[rule, feature]:
            return variable.levels.names_between(None, None)
        return variable.levels_within(*self.accepted(rule, feature))


@dataclass(frozen=True, init=False, eq=False)
class LabelRanges(Antecedents):
    """Antecedents that accept a range of each input's labels; all rules share the labels.

    Parameters
    ----------
    ranges : array-like of int, shape (n_rules, n_inputs, 2)
        The first and the last label that a rule accepts of each input, both included. A rule that accepts all labels of
        an input has no condition on it. The labels of a nominal input have no order: a range is just a set of them.
    variables : sequence of Variable
        The inputs.

    See Also
    --------
    Antecedents : The interface of all antecedents.
    LabelTriangles : Labels that are triangles.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Variable
    >>> x = Variable("x", FuzzyPartition([1.0, 2.0], (0.0, 3.0)))
    >>> rules = LabelRanges([[[0, 0]], [[1, 2]], [[0, 2]]], [x])
    >>> rules.looks_at.tolist(), rules.conditions(1)
    ([[True], [True], [False]], [Condition(input=0, first=1, last=2)])
    """

    kind: ClassVar[str] = "ranges"
    ranges: npt.NDArray[np.intc]
    variables: tuple[Variable, ...]

    def __init__(self, ranges: Any, variables: Sequence[Variable]) -> None:
        accepted = whole_numbers(ranges, "the first and the last label accepted")
        self._set(ranges=accepted, variables=tuple(variables))
        self._check()

    def _check(self) -> None:
        if self.ranges.ndim != 3 or self.ranges.shape[1:] != (len(self.variables), 2):
            raise ValueError(
                f"Antecedents over {len(self.variables)} inputs must have the shape (rules, {len(self.variables)}, 2); "
                f"got {self.ranges.shape}."
            )
        _ = self._partitions
        first, last = self.ranges[:, :, 0], self.ranges[:, :, 1]
        wrong = (first < 0) | (first > last) | (last >= self.granularities)
        if wrong.any():
            rule, j = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"Rule {rule} accepts the labels {first[rule, j]} to {last[rule, j]} of {self.variables[j].name!r}, "
                f"which has the labels 0 to {self.granularities[j] - 1}."
            )

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.ranges)

    def over(self, variables: Sequence[Variable]) -> LabelRanges:
        """Return the same ranges over inputs that may have other names, units or labels."""
        return LabelRanges(self.ranges, variables)

    @cached_property
    def looks_at(self) -> npt.NDArray[np.bool_]:
        """Which rule has a condition on which input, shape (n_rules, n_inputs)."""
        all_labels = (self.ranges[:, :, 0] == 0) & (self.ranges[:, :, 1] == self.granularities - 1)
        return frozen(~all_labels, np.bool_)

    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the first and the last label that a rule accepts of an input."""
        first, last = self.ranges[rule, feature].tolist()
        return first, last

    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return the degree to which each rule fires in each row, and whether any rule fires at all.

        Where no rule fires, the nearest rule gets degree one.
        """
        lower, upper = self._placed(values)
        return inference.fire(lower, upper, *self._kernel_rules, T_NORMS.index(t_norm))

    def activations(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return each rule's weight in each row, and whether any rule fires at all.

        The weights of a row sum to one. Where no rule fires, the nearest rule gets weight one.
        """
        lower, upper = self._placed(values)
        return inference.activate(lower, upper, *self._kernel_rules, T_NORMS.index(t_norm))

    def predict_linear(self, values: Floats, coefficients: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules with linear consequents for each row, in one compiled pass."""
        lower, upper = self._placed(values)
        labels, ordered = self._kernel_rules
        return inference.predict(values, lower, upper, labels, ordered, T_NORMS.index(t_norm), coefficients)

    def predict_labels(self, values: Floats, triangles: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules whose consequents are triangles (n_rules, 3), cut off at the rules' degrees."""
        predictions = np.empty(len(values))
        for part in row_blocks(len(values)):
            degrees, _ = self.degrees(values[part], t_norm)
            said = centroids(triangles, degrees)
            predictions[part] = (degrees * said).sum(axis=1) / degrees.sum(axis=1)
        return predictions

    def covers_everything(self) -> bool:
        """Return whether at least one rule fires in every possible row; False if this is not known."""
        ordered = np.array([variable.partition.ordered for variable in self.variables])[self.inputs]
        columns = (self.ranges[:, self.inputs], self.looks_at[:, self.inputs], self.granularities[self.inputs])
        return covers_every_place(*columns, ordered)

    @cached_property
    def _kernel_rules(self) -> tuple[npt.NDArray[np.intc], npt.NDArray[np.uint8]]:
        labels = np.where(self.looks_at[:, :, None], self.ranges, -1)[:, self.inputs]
        ordered = [self.variables[j].partition.ordered for j in self.inputs]
        return np.ascontiguousarray(labels, dtype=np.intc), np.asarray(ordered, dtype=np.uint8)

    @cached_property
    def _partitions(self) -> tuple[PlacingPartition, ...]:
        """The partitions of the inputs; ranges of labels need degrees that sum to one."""
        found = []
        for variable in self.variables:
            if not isinstance(variable.partition, PlacingPartition):
                raise ValueError(
                    f"Ranges of labels need partitions whose degrees sum to one, but {variable.name!r} has "
                    "triangles; use LabelTriangles for the antecedents."
                )
            found.append(variable.partition)
        return tuple(found)

    def _placed(self, values: Floats) -> tuple[Labels, Floats]:
        lower = np.empty((len(values), len(self.inputs)), dtype=np.intc)
        upper = np.empty(lower.shape)
        for k, j in enumerate(self.inputs):
            lower[:, k], upper[:, k] = self._partitions[j].place(values[:, j])
        return lower, upper

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.ranges, dtype=dtype)


def whole_numbers(values: Any, which: str, what: str = "antecedents") -> npt.NDArray[np.intc]:
    """Return label numbers as a read-only array; raise an error if they are not valid."""
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" and not (numbers.dtype.kind == "f" and (numbers == np.floor(numbers)).all()):
        raise ValueError(f"{what} must be whole numbers: {which}.")
    if (np.abs(numbers) > np.iinfo(np.intc).max).any():
        raise ValueError(f"{what} must be label numbers, and some of these are too large.")
    return frozen(numbers, np.intc)


# The rounding of the printed points of a rule's own set, as a share of the input's range.
_SHARE_OF_RANGE = 0.002
# Each try prints sets that look the same with one more digit; floats have no more digits than this.
_MAX_TRIES = 16


class TriangleAntecedents(Antecedents):
    """Antecedents in which each rule has one triangle for each input in its antecedent.

    A value beyond an input's domain counts as the end of the domain. Where no rule fires, the nearest rule predicts.
    The distance to a rule is the sum, over the inputs in its antecedent, of the distance to the triangle's middle point
    as a share of the domain's width; on the side of an infinite point it counts as zero. The first of several nearest
    rules predicts.

    Attributes
    ----------
    points : ndarray of shape (n_rules, n_inputs, 3)
        The triangles; NaN where a rule has no condition on an input.
    """

    points: Floats

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.points)

    @cached_property
    def looks_at(self) -> npt.NDArray[np.bool_]:
        """Which rule has a condition on which input, shape (n_rules, n_inputs)."""
        return frozen(~np.isnan(self.points[:, :, 1]), np.bool_)

    @cached_property
    def widths(self) -> Floats:
        """The divisor of distances on each input: the domain's width, or 1 if the width is zero."""
        limits = np.array([variable.partition.range for variable in self.variables])
        widths = limits[:, 1] - limits[:, 0]
        return frozen(np.where(widths > 0.0, widths, 1.0))

    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return the degree to which each rule fires in each row, and whether any rule fires at all.

        Where no rule fires, the nearest rule gets degree one.
        """
        return kernel.fire(self._clamped(values), *self._kernel_rules, T_NORMS.index(t_norm))

    def activations(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return each rule's weight in each row, and whether any rule fires at all.

        The weights of a row sum to one. Where no rule fires, the nearest rule gets weight one.
        """
        degrees, fired = self.degrees(values, t_norm)
        return degrees / degrees.sum(axis=1, keepdims=True), fired

    def predict_linear(self, values: Floats, coefficients: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules with linear consequents for each row, in one compiled pass."""
        rules = (*self._kernel_rules, T_NORMS.index(t_norm))
        return kernel.predict_linear(self._clamped(values), *rules, np.ascontiguousarray(values), coefficients)

    def predict_labels(self, values: Floats, triangles: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules whose consequents are triangles (n_rules, 3), cut off at the rules' degrees."""
        return kernel.predict_labels(self._clamped(values), *self._kernel_rules, T_NORMS.index(t_norm), triangles)

    def covers_everything(self) -> bool:
        """Return whether a rule has no condition; triangles may leave gaps."""
        return bool((~self.looks_at).all(axis=1).any())

    @cached_property
    def _kernel_rules(self) -> tuple[Floats, Floats]:
        return np.ascontiguousarray(self.points[:, self.inputs]), np.ascontiguousarray(self.widths[self.inputs])

    @cached_property
    def _limits(self) -> Floats:
        return np.array([self.variables[j].partition.range for j in self.inputs]).reshape(-1, 2)

    def _clamped(self, values: Floats) -> Floats:
        return np.ascontiguousarray(np.clip(values[:, self.inputs], self._limits[:, 0], self._limits[:, 1]))


@dataclass(frozen=True, init=False, eq=False)
class LabelTriangles(TriangleAntecedents):
    """Antecedents with one label per input; the labels are triangles, and all rules share them.

    Parameters
    ----------
    labels : array-like of int, shape (n_rules, n_inputs)
        The label that a rule accepts of each input, counted from 0; -1 if the rule has no condition on the input.
    variables : sequence of Variable
        The inputs; each input in a condition needs a TrianglePartition.

    See Also
    --------
    Antecedents : The interface of all antecedents.
    OwnTriangles : Each rule has its own triangles.

    Examples
    --------
    >>> from fruler.rules import TrianglePartition, Variable
    >>> x = Variable("x", TrianglePartition.uniform((0.0, 2.0), 3))
    >>> rules = LabelTriangles([[0], [2]], [x])
    >>> rules.conditions(1)
    [Condition(input=0, first=2, last=2)]
    >>> degrees, fired = rules.degrees(np.array([[0.25], [1.0], [9.0]]), "minimum")
    >>> degrees.tolist(), fired.tolist()
    ([[0.75, 0.0], [1.0, 0.0], [0.0, 1.0]], [True, False, True])
    """

    kind: ClassVar[str] = "triangles"
    labels: npt.NDArray[np.intc]
    variables: tuple[Variable, ...]

    def __init__(self, labels: Any, variables: Sequence[Variable]) -> None:
        self._set(labels=whole_numbers(labels, "the label accepted, or -1"), variables=tuple(variables))
        self._check()
        self._set(points=self._gathered())

    def _check(self) -> None:
        p = len(self.variables)
        if self.labels.ndim != 2 or self.labels.shape[1] != p:
            raise ValueError(f"Labels of {p} inputs must have the shape (rules, {p}); got {self.labels.shape}.")
        wrong = (self.labels < -1) | (self.labels >= self.granularities)
        if wrong.any():
            rule, j = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"Rule {rule} accepts the label {self.labels[rule, j]} of {self.variables[j].name!r}, which has the "
                f"labels 0 to {self.granularities[j] - 1}; -1 stands for all."
            )
        for own in np.flatnonzero((self.labels >= 0).any(axis=0)):
            if not self.variables[own].partition.of_triangles:
                raise ValueError(
                    f"LabelTriangles needs inputs with a TrianglePartition; {self.variables[own].name!r} has a "
                    f"{type(self.variables[own].partition).__name__}."
                )

    def _gathered(self) -> Floats:
        points = np.full((*self.labels.shape, 3), np.nan)
        for j, variable in enumerate(self.variables):
            rules = np.flatnonzero(self.labels[:, j] >= 0)
            if len(rules):
                points[rules, j] = variable.partition.triangles[self.labels[rules, j]]
        return frozen(points)

    def over(self, variables: Sequence[Variable]) -> LabelTriangles:
        """Return the same labels over inputs that may have other names or units."""
        return LabelTriangles(self.labels, variables)

    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the label that a rule accepts of an input, twice; the first and the last if it accepts all."""
        label = int(self.labels[rule, feature])
        return (label, label) if label >= 0 else (0, int(self.granularities[feature]) - 1)


@dataclass(frozen=True, init=False, eq=False)
class OwnTriangles(TriangleAntecedents):
    """Antecedents in which every rule has its own triangle for each input in its antecedent.

    Parameters
    ----------
    points : array-like of float, shape (n_rules, n_inputs, 3)
        The triangles, as in a TrianglePartition: three points that do not decrease; the first may be minus infinity and
        the third infinity. Three NaN if the rule has no condition on the input.
    variables : sequence of Variable
        The inputs. Only the domain of a partition matters: ``FuzzyPartition([], domain)`` is enough.

    See Also
    --------
    Antecedents : The interface of all antecedents.
    LabelTriangles : Triangles that all rules share.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Variable
    >>> x = Variable("x", FuzzyPartition([], (0.0, 100.0)))
    >>> rules = OwnTriangles([[[-np.inf, 20.0, 40.0]], [[30.0, 50.0, 80.0]]], [x])
    >>> rules.condition_inputs[0].partition.labels
    ('up to 20 (below 40)', 'about 50 (30 to 80)')
    """

    kind: ClassVar[str] = "own triangles"
    points: Floats
    variables: tuple[Variable, ...]

    def __init__(self, points: Any, variables: Sequence[Variable]) -> None:
        self._set(points=frozen(checked_triangles(points)), variables=tuple(variables))
        p = len(self.variables)
        if self.points.ndim != 3 or self.points.shape[1] != p:
            raise ValueError(f"Triangles of {p} inputs must have the shape (rules, {p}, 3); got {self.points.shape}.")
        nominal = [self.variables[j].name for j in self.inputs if not self.variables[j].partition.ordered]
        if nominal:
            raise ValueError(f"A triangle needs an input with an order; {nominal[0]!r} has categories.")

    @property
    def shares_labels(self) -> bool:
        """False: each rule has its own triangles."""
        return False

    @cached_property
    def condition_inputs(self) -> tuple[Variable, ...]:
        """The inputs; the labels of each are the triangles that rules have for it, named by their points."""
        return tuple(_with_sets(variable, self._distinct(j)[0]) for j, variable in enumerate(self.variables))

    def _distinct(self, feature: int) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return the distinct triangles of an input, by their middle points, and the number of each rule's triangle."""
        rules = np.flatnonzero(self.looks_at[:, feature])
        # Sorted by the middle point first, like partitions.
        order = [1, 0, 2]
        found, places = np.unique(self.points[rules, feature][:, order], axis=0, return_inverse=True)
        numbers = np.full(self.n_rules, -1, dtype=np.intp)
        numbers[rules] = places.reshape(-1)
        return found[:, order], numbers

    @cached_property
    def _numbers(self) -> npt.NDArray[np.intp]:
        """The number of each rule's triangle among those of the input; -1 for no triangle."""
        return np.column_stack([self._distinct(j)[1] for j in range(len(self.variables))])

    def over(self, variables: Sequence[Variable]) -> OwnTriangles:
        """Return the same triangles over inputs that may have other names or units."""
        return OwnTriangles(self.points, variables)

    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the number of a rule's triangle in `condition_inputs`, twice; the first and last if it has none."""
        number = int(self._numbers[rule, feature])
        return (number, number) if number >= 0 else (0, self.condition_inputs[feature].partition.n_labels - 1)


def _with_sets(variable: Variable, triangles: Floats) -> Variable:
    """Return an input whose labels are triangles, named by their points with just enough digits to differ."""
    if not len(triangles):
        return variable
    low, high = variable.partition.range
    tolerance = _SHARE_OF_RANGE * (high - low)
    names, unclear = [""] * len(triangles), list(range(len(triangles)))
    for _ in range(_MAX_TRIES):
        for k in unclear:
            names[k] = triangle_words(triangles[k].tolist(), partial(_written, variable, tolerance))
        counts = Counter(names)
        unclear = [k for k, name in enumerate(names) if counts[name] > 1]
        tolerance /= 10.0
    for k in unclear:
        names[k] += f", set {k + 1}"
    return replace(variable, partition=TrianglePartition(triangles, variable.partition.range, names))


def _written(variable: Variable, tolerance: float, value: float) -> str:
    # A point between the numbers of two categories is not a category.
    name = None if variable.choices else variable.written(value)
    return name or number_within(value, tolerance, grouped=not variable.counts_years)


def covers_every_place(
    ranges: npt.NDArray[np.intc], looks_at: Flags, granularities: npt.NDArray[np.intc], ordered: Flags
) -> bool:
    """Return whether at least one rule fires in every possible row; False if the search for a gap takes too long.

    This is so if every combination of labels is accepted by a rule, since every row has, for each input, a label with a
    degree of at least one half. Categories in no group of a nominal input count as one more label, which only rules
    without a condition on this input accept.

    Parameters
    ----------
    ranges : ndarray of shape (n_rules, n_inputs, 2)
        The first and the last label that each rule accepts.
    looks_at : ndarray of shape (n_rules, n_inputs)
        Which rule has a condition on which input.
    granularities : ndarray of shape (n_inputs,)
        The number of labels of each input.
    ordered : ndarray of shape (n_inputs,)
        Whether the labels of each input have an order.

    Examples
    --------
    The rules accept the first two of three labels:

    >>> looks_at, ordered = np.ones((2, 1), dtype=bool), np.array([True])
    >>> covers_every_place(np.array([[[0, 0]], [[1, 1]]]), looks_at, np.array([3]), ordered)
    False
    """
    first, last = ranges[:, :, 0].copy(), ranges[:, :, 1].copy()
    sizes = granularities.copy()
    for nominal in np.flatnonzero(~ordered):
        last[~looks_at[:, nominal], nominal] += 1
        sizes[nominal] += 1
    places = 0
    open_places: list[tuple[npt.NDArray[np.intp], Flags]] = [
        (np.arange(len(ranges)), np.zeros(len(sizes), dtype=np.bool_))
    ]
    while open_places:
        rules, decided = open_places.pop()
        places += 1
        if len(rules) == 0 or places > _MAX_PLACES:
            return False
        undecided = looks_at[rules] & ~decided
        fewest = int(undecided.sum(axis=1).argmin())
        if not undecided[fewest].any():
            continue
        k = int(undecided[fewest].argmax())
        now_decided = decided.copy()
        now_decided[k] = True
        open_places += [
            (rules[(first[rules, k] <= label) & (label <= last[rules, k])], now_decided) for label in range(sizes[k])
        ]
    return True
