"""The antecedents of rules: where each rule applies, and how strongly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.kernels import inference
from fruler.kernels.triangles import centroids
from fruler.rules.arrays import frozen
from fruler.rules.coverage import covers_every_place
from fruler.rules.partitions import Labels, PlacingPartition
from fruler.rules.variables import Variable

TNorm = Literal["product", "minimum"]
T_NORMS: tuple[TNorm, ...] = ("product", "minimum")  # in the order of the kernel's codes

# The degrees of more rows than this at once would take much memory.
_ROWS_AT_ONCE = 10_000

Activations = tuple[Floats, npt.NDArray[np.bool_]]


class Condition(NamedTuple):
    """One part of an antecedent: an input, and the first and the last of its labels that are accepted."""

    input: int
    first: int
    last: int


class Antecedents(ABC):
    """The antecedents of all rules: where each rule applies, and how strongly.

    This is what every reader of a rule base may ask. Its subclasses say how antecedents are made of labels.

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
    OwnTriangles : A triangle of each rule's own.

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

    Categories are given by name:

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
        """The inputs, each with the labels that conditions name by number."""
        return self.variables

    @property
    def shares_labels(self) -> bool:
        """Whether rules share the labels of the inputs; else each rule has sets of its own."""
        return True

    @property
    def widths(self) -> Floats:
        """What distances on each input are divided by to find the nearest rule; ranges count labels instead."""
        return np.ones(len(self.variables))

    @abstractmethod
    def over(self, variables: Sequence[Variable]) -> Antecedents:
        """Return the same antecedents over inputs that may have other names, units or labels.

        Parameters
        ----------
        variables : sequence of Variable
            The inputs, as many as before.

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
            The numbers of the two labels; the first and the last of all where the rule has no condition on the input.
        """

    @abstractmethod
    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return the degree to which each rule fires in each row, and whether any rule fires at all.

        Where no rule fits, the nearest one takes its place with degree one.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of the conditions of a rule are joined.

        Returns
        -------
        degrees : ndarray of shape (n_samples, n_rules)
            The degrees, from 0 to 1.
        fired : ndarray of bool, shape (n_samples,)
            False where no rule fits.
        """

    @abstractmethod
    def activations(self, values: Floats, t_norm: TNorm, *, compiled: bool = True) -> Activations:
        """Return each rule's weight in each row, and whether any rule fires at all.

        The weights of a row sum to one. Where no rule fits, the nearest one takes its place with weight one.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The rows.
        t_norm : {"product", "minimum"}
            How the degrees of the conditions of a rule are joined.
        compiled : bool, default=True
            Whether to use the compiled kernel; plain NumPy gives the same up to rounding.

        Returns
        -------
        weights : ndarray of shape (n_samples, n_rules)
            The weights.
        fired : ndarray of bool, shape (n_samples,)
            False where no rule fits.
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
            How the degrees of the conditions of a rule are joined.

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
            How the degrees of the conditions of a rule are joined.

        Returns
        -------
        ndarray of shape (n_samples,)
            The outputs.
        """

    @abstractmethod
    def covers_everything(self) -> bool:
        """Return whether some rule fires in every possible row.

        Returns
        -------
        bool
            False also where it is not known.
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
            Each with an input, and the first and the last of its labels that the rule accepts.
        """
        return [Condition(int(j), *self.accepted(rule, int(j))) for j in np.flatnonzero(self.looks_at[rule])]

    def levels(self, rule: int, feature: int) -> list[str]:
        """Return the categories of an input that a rule holds for, in the order of their numbers.

        Parameters
        ----------
        rule : int
            The number of the rule, from 0.
        feature : int
            The number of the input, from 0.

        Returns
        -------
        list of str
            The categories; empty where the input has none.
        """
        variable = self.condition_inputs[feature]
        if variable.levels is not None and variable.partition.ordered and not self.looks_at[rule, feature]:
            return variable.levels.names_between(None, None)
        return variable.levels_within(*self.accepted(rule, feature))


@dataclass(frozen=True, init=False, eq=False)
class LabelRanges(Antecedents):
    """Antecedents that accept a range of each input's labels, which all rules share.

    Parameters
    ----------
    ranges : array-like of int, shape (n_rules, n_inputs, 2)
        The first and the last label that a rule accepts of each input, both included. A rule that accepts all labels of
        an input has no condition on it. A range of a nominal input's labels is a set of them like any other.
    variables : sequence of Variable
        The inputs.

    See Also
    --------
    Antecedents : What antecedents can do.
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
        object.__setattr__(self, "ranges", whole_numbers(ranges, "the first and the last label accepted"))
        object.__setattr__(self, "variables", tuple(variables))
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

    def conditions(self, rule: int) -> list[Condition]:
        """Return the parts of an antecedent, in the order of the inputs."""
        ranges = self.ranges[rule].tolist()
        return [Condition(int(j), *ranges[j]) for j in np.flatnonzero(self.looks_at[rule])]

    def degrees(self, values: Floats, t_norm: TNorm) -> Activations:
        """Return to what degree each rule fires in each row, and whether any rule fires at all.

        Where no rule fits, the nearest one takes its place with degree one.
        """
        lower, upper = self._placed(values)
        return inference.fire(lower, upper, *self._kernel_rules, T_NORMS.index(t_norm))

    def activations(self, values: Floats, t_norm: TNorm, *, compiled: bool = True) -> Activations:
        """Return each rule's weight in each row, and whether any rule fired at all.

        A row's weights sum to one. Where no rule fits, the nearest one takes its place with weight one.
        """
        if not compiled:
            return self._activations_by_numpy(values, t_norm)
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
        for start in range(0, len(values), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            degrees, _ = self.degrees(values[part], t_norm)
            said = centroids(triangles, degrees)
            predictions[part] = (degrees * said).sum(axis=1) / degrees.sum(axis=1)
        return predictions

    def covers_everything(self) -> bool:
        """Return whether some rule certainly fires for every row; False where that is not known."""
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
                    f"Ranges of labels need partitions whose degrees sum to one, and that of {variable.name!r} is of "
                    "triangles: use LabelTriangles for the antecedents."
                )
            found.append(variable.partition)
        return tuple(found)

    def _placed(self, values: Floats) -> tuple[Labels, Floats]:
        lower = np.empty((len(values), len(self.inputs)), dtype=np.intc)
        upper = np.empty(lower.shape)
        for k, j in enumerate(self.inputs):
            lower[:, k], upper[:, k] = self._partitions[j].place(values[:, j])
        return lower, upper

    def _activations_by_numpy(self, values: Floats, t_norm: TNorm) -> Activations:
        n, m = len(values), self.n_rules
        degrees = np.ones((n, m))
        steps = np.zeros((n, m))
        join = np.multiply if t_norm == "product" else np.minimum
        for j in self.inputs:
            partition = self._partitions[j]
            lower, upper = partition.place(values[:, j])
            table = partition.degrees(values[:, j])
            place = lower + upper
            for rule in np.flatnonzero(self.looks_at[:, j]):
                first, last = self.ranges[rule, j]
                degrees[:, rule] = join(degrees[:, rule], table[:, first : last + 1].sum(axis=1))
                away = np.maximum(np.maximum(first - place, place - last), 0.0)
                steps[:, rule] += away if partition.ordered else away > 0.0
        total = degrees.sum(axis=1, keepdims=True)
        fired = total[:, 0] > 0.0
        nearest = np.zeros((n, m))
        nearest[np.arange(n), steps.argmin(axis=1)] = 1.0
        return np.divide(degrees, total, out=nearest, where=fired[:, None]), fired

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.ranges, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelRanges):
            return NotImplemented
        return self.variables == other.variables and np.array_equal(self.ranges, other.ranges)

    def __hash__(self) -> int:
        return hash((self.variables, self.ranges.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return LabelRanges, (self.ranges, self.variables)


def whole_numbers(values: Any, which: str, what: str = "antecedents") -> npt.NDArray[np.intc]:
    """Return numbers of labels as an array that nobody can change, or say what is wrong with them."""
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" and not (numbers.dtype.kind == "f" and (numbers == np.floor(numbers)).all()):
        raise ValueError(f"{what} must be whole numbers: {which}.")
    if (np.abs(numbers) > np.iinfo(np.intc).max).any():
        raise ValueError(f"{what} must be numbers of labels, which are small.")
    return frozen(numbers, np.intc)
