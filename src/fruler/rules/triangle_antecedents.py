"""Antecedents made of triangles: labels that all rules share, or sets of each rule's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import number_within
from fruler.kernels import triangles as kernel
from fruler.rules.antecedents import T_NORMS, Activations, Antecedents, TNorm, whole_numbers
from fruler.rules.arrays import frozen
from fruler.rules.triangle_partition import TrianglePartition, checked_triangles, triangle_degrees, triangle_words
from fruler.rules.variables import Variable

# How far the printed points of a rule's own set may be off, as a share of the input's range.
_SHARE_OF_RANGE = 0.002
# With every try sets that print alike get a digit more; floats have no more than these.
_MAX_TRIES = 16


class TriangleAntecedents(Antecedents):
    """Antecedents in which each rule has one triangle for each input that it looks at.

    A value beyond an input's domain counts as the end of the domain. Where no rule fires, the rule answers whose
    triangles' middle points are nearest: the distances of all inputs that it looks at, each as a share of the domain's
    width, are summed up; of several nearest rules the first answers. Beyond an infinite point the distance is zero.

    Attributes
    ----------
    points : ndarray of shape (n_rules, n_inputs, 3)
        The triangles; NaN where a rule does not look at an input.
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
        """What distances on each input are divided by: the domain's width, or 1 where it has none."""
        limits = np.array([variable.partition.range for variable in self.variables])
        widths = limits[:, 1] - limits[:, 0]
        return frozen(np.where(widths > 0.0, widths, 1.0))

    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return to what degree each rule fires in each row, and whether any rule fires at all.

        Where no rule fits, the nearest one takes its place with degree one.
        """
        return kernel.fire(self._clamped(values), *self._kernel_rules, T_NORMS.index(t_norm))

    def activations(self, values: Floats, t_norm: TNorm, *, compiled: bool = True) -> Activations:
        """Return each rule's weight in each row, and whether any rule fired at all.

        A row's weights sum to one. Where no rule fits, the nearest one takes its place with weight one.
        """
        degrees, fired = self.degrees(values, t_norm) if compiled else self._degrees_by_numpy(values, t_norm)
        return degrees / degrees.sum(axis=1, keepdims=True), fired

    def predict_linear(self, values: Floats, coefficients: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules with linear consequents for each row, in one compiled pass."""
        rules = (*self._kernel_rules, T_NORMS.index(t_norm))
        return kernel.predict_linear(self._clamped(values), *rules, np.ascontiguousarray(values), coefficients)

    def predict_labels(self, values: Floats, triangles: Floats, t_norm: TNorm) -> Floats:
        """Return the output of rules whose consequents are triangles (n_rules, 3), cut off at the rules' degrees."""
        return kernel.predict_labels(self._clamped(values), *self._kernel_rules, T_NORMS.index(t_norm), triangles)

    def covers_everything(self) -> bool:
        """Return whether some rule has no condition; triangles may leave gaps."""
        return bool((~self.looks_at).all(axis=1).any())

    @cached_property
    def _kernel_rules(self) -> tuple[Floats, Floats]:
        return np.ascontiguousarray(self.points[:, self.inputs]), np.ascontiguousarray(self.widths[self.inputs])

    @cached_property
    def _limits(self) -> Floats:
        return np.array([self.variables[j].partition.range for j in self.inputs]).reshape(-1, 2)

    def _clamped(self, values: Floats) -> Floats:
        return np.ascontiguousarray(np.clip(values[:, self.inputs], self._limits[:, 0], self._limits[:, 1]))

    def _degrees_by_numpy(self, values: Floats, t_norm: TNorm) -> Activations:
        clamped, (points, widths) = self._clamped(values), self._kernel_rules
        degrees = np.ones((len(values), self.n_rules))
        distances = np.zeros(degrees.shape)
        join = np.multiply if t_norm == "product" else np.minimum
        for rule, k in np.argwhere(~np.isnan(points[:, :, 1])):
            x, (a, b, c) = clamped[:, k], points[rule, k]
            degrees[:, rule] = join(degrees[:, rule], triangle_degrees(x, points[rule, k]))
            inside = ((x < b) & (a == -np.inf)) | ((x > b) & (c == np.inf))
            distances[:, rule] += np.where(inside, 0.0, np.abs(x - b) / widths[k])
        fired = degrees.sum(axis=1) > 0.0
        missed = np.flatnonzero(~fired)
        degrees[missed, distances[missed].argmin(axis=1)] = 1.0
        return degrees, fired


@dataclass(frozen=True, init=False, eq=False)
class LabelTriangles(TriangleAntecedents):
    """Antecedents with one label of each input, which all rules share and which are triangles.

    Parameters
    ----------
    labels : array-like of int, shape (n_rules, n_inputs)
        The label that a rule accepts of each input, counted from 0; -1 if it has no condition on it.
    variables : sequence of Variable
        The inputs; those in any condition have a TrianglePartition.

    See Also
    --------
    Antecedents : What antecedents can do.
    OwnTriangles : Triangles of each rule's own.

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
        object.__setattr__(self, "labels", whole_numbers(labels, "the label accepted, or -1"))
        object.__setattr__(self, "variables", tuple(variables))
        self._check()
        object.__setattr__(self, "points", self._gathered())

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
                    f"LabelTriangles needs inputs with a TrianglePartition; that of {self.variables[own].name!r} is a "
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
        """Return the same labels of inputs that may have other names or units."""
        return LabelTriangles(self.labels, variables)

    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the label that a rule accepts of an input, twice; the first and the last where it accepts all."""
        label = int(self.labels[rule, feature])
        return (label, label) if label >= 0 else (0, int(self.granularities[feature]) - 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelTriangles):
            return NotImplemented
        return self.variables == other.variables and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash((self.variables, self.labels.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return LabelTriangles, (self.labels, self.variables)


@dataclass(frozen=True, init=False, eq=False)
class OwnTriangles(TriangleAntecedents):
    """Antecedents in which every rule has a triangle of its own for each input in its antecedent.

    Parameters
    ----------
    points : array-like of float, shape (n_rules, n_inputs, 3)
        The triangles, as in a TrianglePartition: three points, none less than the one before it; the first may be minus
        infinity and the third infinity. Three times NaN if the rule has no condition on the input.
    variables : sequence of Variable
        The inputs. Of their partitions only the domain matters: ``FuzzyPartition([], domain)`` is enough.

    See Also
    --------
    Antecedents : What antecedents can do.
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
        object.__setattr__(self, "points", frozen(checked_triangles(points)))
        object.__setattr__(self, "variables", tuple(variables))
        p = len(self.variables)
        if self.points.ndim != 3 or self.points.shape[1] != p:
            raise ValueError(f"Triangles of {p} inputs must have the shape (rules, {p}, 3); got {self.points.shape}.")
        nominal = [self.variables[j].name for j in self.inputs if not self.variables[j].partition.ordered]
        if nominal:
            raise ValueError(f"A triangle needs an input with an order; {nominal[0]!r} has categories.")

    @property
    def shares_labels(self) -> bool:
        """Whether rules share the labels of the inputs: they do not."""
        return False

    @cached_property
    def condition_inputs(self) -> tuple[Variable, ...]:
        """The inputs, each with the triangles that any rule has of it as labels, named by their points."""
        return tuple(_with_sets(variable, self._distinct(j)[0]) for j, variable in enumerate(self.variables))

    def _distinct(self, feature: int) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return the triangles of an input, each once, by their middle points; and the number that each rule has."""
        rules = np.flatnonzero(self.looks_at[:, feature])
        # Sorted by the middle point first, as partitions are.
        order = [1, 0, 2]
        found, places = np.unique(self.points[rules, feature][:, order], axis=0, return_inverse=True)
        numbers = np.full(self.n_rules, -1, dtype=np.intp)
        numbers[rules] = places.reshape(-1)
        return found[:, order], numbers

    @cached_property
    def _numbers(self) -> npt.NDArray[np.intp]:
        """The number of each rule's triangle among those of the input; -1 where it has none."""
        return np.column_stack([self._distinct(j)[1] for j in range(len(self.variables))])

    def over(self, variables: Sequence[Variable]) -> OwnTriangles:
        """Return the same triangles over inputs that may have other names or units."""
        return OwnTriangles(self.points, variables)

    def accepted(self, rule: int, feature: int) -> tuple[int, int]:
        """Return the number of a rule's triangle in `condition_inputs`, twice; those of all where it has none."""
        number = int(self._numbers[rule, feature])
        return (number, number) if number >= 0 else (0, self.condition_inputs[feature].partition.n_labels - 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnTriangles):
            return NotImplemented
        return self.variables == other.variables and np.array_equal(self.points, other.points, equal_nan=True)

    def __hash__(self) -> int:
        return hash((self.variables, self.points[self.looks_at].tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return OwnTriangles, (self.points, self.variables)


def _with_sets(variable: Variable, triangles: Floats) -> Variable:
    """Return an input whose labels are triangles, named by their points with as few digits as tell them apart."""
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
    # The number of a category is not the category: between two of them lies none.
    name = None if variable.choices else variable.written(value)
    return name or number_within(value, tolerance, grouped=not variable.counts_years)
