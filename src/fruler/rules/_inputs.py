"""The inputs of rules: the name, unit, partition and source of each, and all together to read tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, frozen
from fruler._table.dates import Ticks, first_that_fits
from fruler._table.gaps import Gaps
from fruler._table.reading import input_table, is_plain, require_finite
from fruler._table.sources import NO_OR_YES, Choice, LevelSource, NumberSource, Source, nearest_choice
from fruler._wording import name_with_unit, number_within
from fruler.rules._partitions import Partition

_YEAR = re.compile(r"(?<![a-z])(?<!of[ _])(year|yr)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, init=False)
class Variable(FrozenValue):
    """An input of rules.

    Parameters
    ----------
    name : str
        The name.
    partition : Partition
        The labels.
    unit : str, optional
        The unit.
    source : Source, optional
        The column of a table that the input comes from, and how; by default the number in the column of the same name.
    limits : (float, float), optional
        The ends that values are clipped to; None: values are used as they are. The growth sets limits where training
        values looked like faults, since new rows will have faults in the same columns.

    See Also
    --------
    RuleBase : Rules over inputs.
    FuzzyPartition : The labels of numbers.
    NominalPartition : The labels of categories.

    Examples
    --------
    Two of three categories share a label, which is named after them:

    >>> from fruler.rules import FuzzyPartition
    >>> origin = LevelSource("origin", ["usa", "europe", "japan"], [-1.0, 0.5, 1.0])
    >>> Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin).partition.labels
    ('usa', 'europe or japan')

    Labels and values in words:

    >>> country = Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin)
    >>> country.words(1, 1), country.levels_within(1, 1), country.written(-1.0)
    ('europe or japan', ['europe', 'japan'], 'usa')
    >>> country.ticks(-1.0, 1.0, room=lambda text: 0.1)
    []
    """

    name: str
    partition: Partition
    unit: str
    source: Source
    limits: tuple[float, float] | None

    def __init__(
        self,
        name: str,
        partition: Partition,
        unit: str = "",
        source: Source | None = None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        own = NumberSource(name) if source is None else source
        ends = None if limits is None else (float(limits[0]), float(limits[1]))
        if ends is not None and not (partition.ordered and -np.inf < ends[0] <= ends[1] < np.inf):
            raise ValueError(f"The limits of {name!r} must be two finite numbers in increasing order; got {limits}.")
        self._set(name=name, partition=partition, unit=unit, source=own, limits=ends)

    @property
    def column(self) -> str:
        """The column of a table that the input comes from."""
        return self.source.column

    @property
    def tells_gaps(self) -> bool:
        """Whether the input is 1 where a column has no value, and 0 elsewhere."""
        return self.source.tells_gaps

    @property
    def levels(self) -> LevelSource | None:
        """The source with the categories, if the input has categories."""
        return self.source if isinstance(self.source, LevelSource) else None

    @property
    def is_number(self) -> bool:
        """Whether the input is the number in its column, and not derived from a category, a date or a gap."""
        return isinstance(self.source, NumberSource)

    @property
    def is_plain(self) -> bool:
        """Whether the input is the number in the column of the same name."""
        return is_plain(self)

    @property
    def subject(self) -> str:
        """The name of the feature: "origin" for the one-hot input "origin=japan", else the name of the input."""
        return self.name.removesuffix(f"={self._indicated}") if self._indicated is not None else self.name

    @property
    def is_indicator(self) -> bool:
        """Whether the input is one of the one-hot inputs of a column of categories."""
        return self.subject != self.name

    @property
    def _indicated(self) -> str | None:
        return None if self.levels is None else self.levels.indicated

    @property
    def term(self) -> str:
        """The factor of a slope in words: the name and, for a date, what it counts, e.g. days since the start."""
        return name_with_unit(self.name, self.source.counts)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values with their numbers, if there are only a few: categories, or no and yes; else empty."""
        return NO_OR_YES if self.is_indicator else self.source.choices

    @property
    def value_unit(self) -> str:
        """The unit of written values; empty for dates and categories."""
        return self.unit if self.written(0.0) is None else ""

    @property
    def title(self) -> str:
        """The name with the unit of written values."""
        return name_with_unit(self.name, self.value_unit)

    @property
    def tells_ranges(self) -> bool:
        """Whether the label names contain the values they stand for, as for dates and categories."""
        return self.levels is not None or self.tells_gaps or bool(self.words(0, 0))

    @property
    def counts_years(self) -> bool:
        """Whether the values are years, judging by the name: years are written without a comma."""
        return _YEAR.search(self.name) is not None

    def written(self, number: float) -> str | None:
        """Return the value that a number stands for, such as a date or a category.

        Parameters
        ----------
        number : float
            The number.

        Returns
        -------
        str or None
            The value; None if it is the number itself.
        """
        if self.is_indicator:
            return nearest_choice(self.choices, number)
        return self.source.written(number)

    def number_text(self, number: float, tolerance: float) -> str:
        """Return a value as text: the name of a date or category, else the number with no more digits than needed.

        Parameters
        ----------
        number : float
            The value.
        tolerance : float
            The maximum rounding error of the written number.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition
        >>> [Variable(name, FuzzyPartition([], (0, 9))).number_text(1976.0, 0.5) for name in ("year", "weight")]
        ['1976', '1,976']
        """
        return self.written(number) or number_within(number, tolerance, grouped=not self.counts_years)

    def ticks(self, low: float, high: float, room: Callable[[str], float]) -> Ticks:
        """Return ticks for an axis of the input, as many as there is room for.

        Parameters
        ----------
        low, high : float
            The ends of the axis.
        room : callable
            Returns the share of the axis that a text takes, with the gap to the next.

        Returns
        -------
        list of (float, str)
            Positions and texts; empty if the values are plain numbers, for which the default ticks will do.
        """
        if self.choices or self.written(0.0) is None:
            return []
        middle = low / 2.0 + high / 2.0
        # A range too short for round values has one mark.
        alone = (middle, self.written(middle) or "")
        return first_that_fits(self.source.ticks(low, high), low, high, room) or [alone]

    def words(self, first: int, last: int) -> str | None:
        """Return the values that neighbouring labels stand for, in words, for dates and categories.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        str or None
            The words; None if the label names are enough.
        """
        if not self.partition.ordered or self.is_indicator:
            return None
        return self.source.between(*self.partition.half_way(first, last))

    def levels_within(self, first: int, last: int) -> list[str]:
        """Return the categories of some neighbouring labels, in the order of their numbers.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        list of str
            The categories; empty if the input has none.
        """
        if self.levels is None:
            return []
        if not self.partition.ordered:
            codes = {code for group in self.partition.groups[first : last + 1] for code in group}
            return [
                level for level, value in zip(self.levels.levels, self.levels.values, strict=True) if value in codes
            ]
        return self.levels.names_between(*self.partition.half_way(first, last))

    def of(self, source: Source) -> Variable:
        """Return the input with a source; labels of dates and categories are named by their values.

        Parameters
        ----------
        source : Source
            The column of a table that the input comes from, and how.

        Returns
        -------
        Variable
            The input with this source.
        """
        own = replace(self, source=source, unit=self.unit or source.counts)
        if not self.partition.ordered or self.partition.n_labels == 1:
            return own
        words = [own.words(label, label) for label in range(self.partition.n_labels)]
        names = ["no", "yes"] if own.is_indicator else [word for word in words if word]
        if self.partition.n_labels != len(names) or len(set(names)) < len(names):
            return own
        return replace(own, partition=self.partition.renamed(names))


Extrapolation = Literal["linear", "clip"]
EXTRAPOLATIONS: tuple[Extrapolation, ...] = get_args(Extrapolation)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a rule base.

    Parameters
    ----------
    variables : tuple of Variable
        The inputs.
    uses : ndarray of bool, shape (n_inputs,)
        Which inputs the rules use.
    gaps : Gaps or None
        How missing values are estimated.
    extrapolation : {"linear", "clip"}
        Whether values are clipped to the limits.
    limits : ndarray of shape (2, n_inputs)
        The range of each input in the training data.
    typical : ndarray of shape (n_inputs,)
        The replacement for missing values of inputs that no rule uses.
    """

    variables: tuple[Variable, ...]
    uses: npt.NDArray[np.bool_]
    gaps: Gaps | None
    extrapolation: Extrapolation
    limits: Floats
    typical: Floats

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table that the inputs come from, each once."""
        return tuple(dict.fromkeys(variable.column for variable in self.variables))

    def numbers(self, X: Any) -> Floats:
        """Check a table, and return the inputs of its rows, with NaN for gaps."""
        used = {one.column for one, uses in zip(self.variables, self.uses, strict=True) if uses}
        return input_table(X, self.variables, set(self.columns) - used)

    def used_numbers(self, X: Any) -> Floats:
        """Check a table, and return the inputs that rules use, with NaN for gaps and for all other inputs."""
        used = np.flatnonzero(self.uses)
        found = input_table(X, [self.variables[j] for j in used])
        values = np.full((len(found), len(self.variables)), np.nan)
        values[:, used] = found
        return values

    def filled(self, values: Floats) -> Floats:
        """Return inputs with their gaps filled.

        Raises
        ------
        ValueError
            If a value that the rules need is missing and cannot be estimated.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 0.0]])
        >>> rules.inputs.filled(np.array([[np.nan]])).tolist()
        [[0.5]]
        """
        if not np.isnan(values).any():
            return values
        filled = values if self.gaps is None else self.gaps.filled(values)
        used = np.flatnonzero(self.uses)
        require_finite(filled[:, used], [self.names[j] for j in used])
        return np.where(np.isnan(filled), self.typical, filled)

    def complete(self, X: Any) -> Floats:
        """Check a table, and return the inputs of its rows with their gaps filled."""
        return self.filled(self.numbers(X))

    @cached_property
    def clips(self) -> Floats:
        """The ends that inputs are clipped to, shape (2, n_inputs); infinite for inputs that are not clipped."""
        clipped = [self.extrapolation == "clip" and variable.partition.ordered for variable in self.variables]
        own = np.array([variable.limits or (-np.inf, np.inf) for variable in self.variables]).T
        return frozen(np.where(clipped, self.limits, own), np.float64)

    def require_names(self, names: Iterable[str]) -> None:
        """Refuse names that no input has."""
        for name in names:
            if name not in self.names:
                raise ValueError(f"There is no input {name!r}; the inputs are {', '.join(self.names)}.")

    def with_labels(self, labels: Mapping[str, Mapping[str, str] | Sequence[str]]) -> tuple[Variable, ...]:
        """Return the variables with other label names for some of them."""
        self.require_names(labels)
        return tuple(
            replace(variable, partition=variable.partition.renamed(labels[variable.name]))
            if variable.name in labels
            else variable
            for variable in self.variables
        )

    def with_units(self, units: Mapping[str, str]) -> tuple[Variable, ...]:
        """Return the variables with units for some of them."""
        self.require_names(units)
        return tuple(replace(variable, unit=units.get(variable.name, variable.unit)) for variable in self.variables)

    def with_sources(
        self, sources: Sequence[Source], limits: Mapping[int, tuple[float, float]] | None = None
    ) -> tuple[Variable, ...]:
        """Return the variables with a source for each of them, and limits for some of them, by number."""
        ends = limits or {}
        pairs = enumerate(zip(self.variables, sources, strict=True))
        return tuple(replace(variable.of(source), limits=ends.get(j)) for j, (variable, source) in pairs)

    def named_like(self, other: Inputs) -> tuple[Variable, ...]:
        """Return the variables with the units and label names of other variables with the same names."""
        others = {variable.name: variable for variable in other.variables}
        return tuple(
            _named_like(variable, others[variable.name]) if variable.name in others else variable
            for variable in self.variables
        )


def _named_like(variable: Variable, like: Variable) -> Variable:
    if not variable.tells_ranges:
        labels = labels_like(variable.partition, like.partition)
        variable = replace(variable, partition=variable.partition.renamed(labels))
    return replace(variable, unit=like.unit)


def labels_like(partition: Partition, like: Partition) -> list[str]:
    """Return the label names of a partition, with default names replaced by those of another partition."""
    names = dict(zip(like.default_labels, like.labels, strict=True))
    return [names.get(label, label) for label in partition.labels]
