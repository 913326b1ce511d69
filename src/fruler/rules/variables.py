"""The inputs of a rule base: names, units and partitions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from fruler._wording import name_with_unit, number_within
from fruler.rules.partitions import Partition
from fruler.table.date_ticks import Ticks, first_that_fits
from fruler.table.sources import NO_OR_YES, Choice, LevelSource, NumberSource, Source, nearest_choice

_YEAR = re.compile(r"(?<![a-z])(year|yr)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True)
class Variable:
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
        The column of a table that it comes from, and how; None: the column of its name, as a number.

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
    unit: str = ""
    source: Source | None = None

    @property
    def column(self) -> str:
        """The column of a table that it comes from."""
        return self.name if self.source is None else self.source.column

    @property
    def tells_gaps(self) -> bool:
        """Whether it is 1 where a column has no value, and 0 elsewhere."""
        return self.source is not None and self.source.tells_gaps

    @property
    def levels(self) -> LevelSource | None:
        """Its categories, if it has some."""
        return self.source if isinstance(self.source, LevelSource) else None

    @property
    def is_number(self) -> bool:
        """Whether it is the number of its column itself, and not made of a category, a date or a gap."""
        return self.source is None or isinstance(self.source, NumberSource)

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
        return self.name if self.source is None else name_with_unit(self.name, self.source.counts)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values that it can have, each with its number, where there are only some: categories, or no and yes."""
        if self.is_indicator:
            return NO_OR_YES
        return () if self.source is None else self.source.choices

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
        return None if self.source is None else self.source.written(number)

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
        if self.source is None or self.choices or self.written(0.0) is None:
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
        if self.source is None or not self.partition.ordered or self.is_indicator:
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
        if source == NumberSource(self.name):
            return replace(self, source=None)
        own = replace(self, source=source, unit=self.unit or source.counts)
        if not self.partition.ordered or self.partition.n_labels == 1:
            return own
        words = [own.words(label, label) for label in range(self.partition.n_labels)]
        names = ["no", "yes"] if own.is_indicator else [word for word in words if word]
        if self.partition.n_labels != len(names) or len(set(names)) < len(names):
            return own
        return replace(own, partition=self.partition.renamed(names))
