"""The inputs of rules: each with its name, unit, partition and source, and together as the readers of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from fruler._table.dates import Ticks, first_that_fits
from fruler._table.gaps import Gaps
from fruler._table.reading import input_table, is_plain
from fruler._table.sources import NO_OR_YES, Choice, LevelSource, NumberSource, Source, nearest_choice
from fruler._table.validation import require_finite
from fruler._typing import Floats, FrozenValue, frozen
from fruler._wording import name_with_unit, number_within
from fruler.rules._partitions import Partition

_YEAR = re.compile(r"(?<![a-z])(year|yr)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, init=False)
class Variable(FrozenValue):
    """An input of rules.

    Parameters
    ----------
    name : str
        Its name.
    partition : Partition
        Its labels.
    unit : str, optional
        Its unit.
    source : Source, optional
        The column of a table that it comes from, and how; by default the column of its name, as a number.

    See Also
    --------
    RuleBase : Rules over such inputs.
    FuzzyPartition : The labels of numbers.
    NominalPartition : The labels of categories.

    Examples
    --------
    Two categories of three share a label, which is named by them:

    >>> from fruler.rules import FuzzyPartition
    >>> origin = LevelSource("origin", ["usa", "europe", "japan"], [-1.0, 0.5, 1.0])
    >>> Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin).partition.labels
    ('usa', 'europe or japan')

    What the labels stand for, and how values are written:

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

    def __init__(self, name: str, partition: Partition, unit: str = "", source: Source | None = None) -> None:
        own = NumberSource(name) if source is None else source
        self._set(name=name, partition=partition, unit=unit, source=own)

    @property
    def column(self) -> str:
        """The column of a table that it comes from."""
        return self.source.column

    @property
    def tells_gaps(self) -> bool:
        """Whether it is 1 where a column has no value, and 0 elsewhere."""
        return self.source.tells_gaps

    @property
    def levels(self) -> LevelSource | None:
        """Its categories, if it has some."""
        return self.source if isinstance(self.source, LevelSource) else None

    @property
    def is_number(self) -> bool:
        """Whether it is the number of its column itself, and not made of a category, a date or a gap."""
        return isinstance(self.source, NumberSource)

    @property
    def is_plain(self) -> bool:
        """Whether it is the number in the column of its own name."""
        return is_plain(self)

    @property
    def subject(self) -> str:
        """What it is about: "origin" for "origin=japan", which is 1 for a single category."""
        return self.name.removesuffix(f"={self._indicated}") if self._indicated is not None else self.name

    @property
    def is_indicator(self) -> bool:
        """Whether it is one of several inputs of a subject, each 1 for a category of its own."""
        return self.subject != self.name

    @property
    def _indicated(self) -> str | None:
        return None if self.levels is None else self.levels.indicated

    @property
    def term(self) -> str:
        """What a slope is multiplied with, in words: the name, and what is counted where it is not in the name."""
        return name_with_unit(self.name, self.source.counts)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values that it can have, each with its number, where there are only some: categories, or no and yes."""
        return NO_OR_YES if self.is_indicator else self.source.choices

    @property
    def value_unit(self) -> str:
        """The unit of its values as they are written: none where they are dates or categories."""
        return self.unit if self.written(0.0) is None else ""

    @property
    def title(self) -> str:
        """Its name, with the unit that its values are written in."""
        return name_with_unit(self.name, self.value_unit)

    @property
    def tells_ranges(self) -> bool:
        """Whether the names of its labels say where they meet, as those of dates and categories do."""
        return self.levels is not None or self.tells_gaps or bool(self.words(0, 0))

    @property
    def counts_years(self) -> bool:
        """Whether its values are years, going by its name: nobody writes these with a comma."""
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
            The value; None where it is the number itself.
        """
        if self.is_indicator:
            return nearest_choice(self.choices, number)
        return self.source.written(number)

    def number_text(self, number: float, tolerance: float) -> str:
        """Return a value as text, with no more digits than needed: a date or a category by its name, else the number.

        Parameters
        ----------
        number : float
            The value.
        tolerance : float
            How far the written number may be off.

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
        """Return the ticks of an axis of its values, as many as there is room for.

        Parameters
        ----------
        low, high : float
            The ends of the axis.
        room : callable
            Returns the share of the axis that a text takes, with the gap to the next.

        Returns
        -------
        list of (float, str)
            Places and texts; empty where the values are plain numbers, for which any axis will do.
        """
        if self.choices or self.written(0.0) is None:
            return []
        middle = low / 2.0 + high / 2.0
        # A range too short for round values has one mark.
        alone = (middle, self.written(middle) or "")
        return first_that_fits(self.source.ticks(low, high), low, high, room) or [alone]

    def words(self, first: int, last: int) -> str | None:
        """Return what neighbouring labels stand for together, where their names do not say it.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        str or None
            The words.
        """
        if not self.partition.ordered or self.is_indicator:
            return None
        return self.source.between(*self.partition.half_way(first, last))

    def levels_within(self, first: int, last: int) -> list[str]:
        """Return the categories that some neighbouring labels stand for, in the order of their numbers.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        list of str
            The categories; empty where it has none.
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
        """Return the input with a source; its labels are named by what they stand for.

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
        Which of them the rules use.
    gaps : Gaps or None
        How missing values are estimated.
    extrapolation : {"linear", "clip"}
        Whether values are clipped to the limits.
    limits : ndarray of shape (2, n_inputs)
        The range of each input in the training data.
    typical : ndarray of shape (n_inputs,)
        The value of an input that no rule uses where it is missing.
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
        """Check a table, and return the inputs of its rows, NaN where there is a gap."""
        used = {one.column for one, uses in zip(self.variables, self.uses, strict=True) if uses}
        return input_table(X, self.variables, set(self.columns) - used)

    def filled(self, values: Floats) -> Floats:
        """Return inputs with their gaps filled in.

        Raises
        ------
        ValueError
            If a value that the rules need is missing, and it is not known how to fill it in.

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
        """Check a table, and return the inputs of its rows with their gaps filled in."""
        return self.filled(self.numbers(X))

    @cached_property
    def clips(self) -> Floats:
        """The ends that inputs are clipped to, shape (2, n_inputs); infinite where they are not clipped."""
        clipped = [self.extrapolation == "clip" and variable.partition.ordered for variable in self.variables]
        return frozen(np.where(clipped, self.limits, [[-np.inf], [np.inf]]), np.float64)

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

    def with_sources(self, sources: Sequence[Source]) -> tuple[Variable, ...]:
        """Return the variables with a source for each of them."""
        return tuple(variable.of(source) for variable, source in zip(self.variables, sources, strict=True))

    def named_like(self, other: Inputs) -> tuple[Variable, ...]:
        """Return the variables with the units and label names of others of the same names."""
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
    """Return the label names of a partition, those that are default names as another partition calls them."""
    names = dict(zip(like.default_labels, like.labels, strict=True))
    return [names.get(label, label) for label in partition.labels]
