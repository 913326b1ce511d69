"""The inputs of a rule base: names, units and partitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fruler._wording import either
from fruler.rules.partitions import Partition
from fruler.table.sources import LevelSource, NumberSource, Source


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

    Examples
    --------
    Two categories of three share a label, which is named by them:

    >>> from fruler.rules import FuzzyPartition
    >>> origin = LevelSource("origin", ["usa", "europe", "japan"], [-1.0, 0.5, 1.0])
    >>> Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin).partition.labels
    ('usa', 'europe or japan')
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
        """Whether it says where a column has no value."""
        return self.source is not None and self.source.tells_gaps

    @property
    def levels(self) -> LevelSource | None:
        """Its categories, if it stands for some."""
        return self.source if isinstance(self.source, LevelSource) else None

    def levels_within(self, first: int, last: int) -> list[str]:
        """Return the categories that some neighbouring labels stand for, in the order of their numbers."""
        if self.levels is None:
            return []
        if not self.partition.ordered:
            codes = {code for group in self.partition.groups[first : last + 1] for code in group}
            return [
                level for level, value in zip(self.levels.levels, self.levels.values, strict=True) if value in codes
            ]
        edges = [-math.inf, *self.partition.split_points, math.inf]
        return self.levels.names_between(edges[first], edges[last + 1])

    def of(self, source: Source) -> Variable:
        """Return the input with a source; its labels are named by the categories that they stand for."""
        if source == NumberSource(self.name):
            return replace(self, source=None)
        if not isinstance(source, LevelSource) or not self.partition.ordered:
            return replace(self, source=source)
        if source.indicated is not None and source.column != self.name:
            names = ["no", "yes"]
        else:
            own = replace(self, source=source)
            names = [either(own.levels_within(label, label)) for label in range(self.partition.n_labels)]
        if self.partition.n_labels != len(names) or len(set(names)) < len(names) or not all(names):
            return replace(self, source=source)
        partition = self.partition.renamed(names) if len(names) > 1 else self.partition
        return replace(self, partition=partition, source=source)
