"""What the inputs, labels and units of a rule base are called, and which columns of a table they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, cast

from fruler.rules.consequents import Consequents
from fruler.rules.partitions import Partition
from fruler.rules.variables import Variable
from fruler.table.sources import Source


class NamingMixin:
    """The names of a rule base, and how others are given to it."""

    variables: tuple[Variable, ...]
    consequents: Consequents
    target_name: str
    target_unit: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(variable.name for variable in self.variables)

    def with_labels(self, labels: Mapping[str, Mapping[str, str] | Sequence[str]]) -> Self:
        """Return the rule base with other label names for some inputs.

        The labels of the output, where it has some, are given by the name of the target.

        Parameters
        ----------
        labels : mapping of str to mapping or sequence of str
            For some inputs, the new names of some labels by the old ones, or the names of all labels in order, e.g.
            ``{"age": {"low": "young"}}``.

        Returns
        -------
        RuleBase
            The rules with these names.
        """
        said = self.consequents
        if said.partition is not None and self.target_name in labels and self.target_name not in self.names:
            said = said.relabelled(labels[self.target_name])
            labels = {name: own for name, own in labels.items() if name != self.target_name}
        self._require_names(labels)
        variables = (
            replace(variable, partition=variable.partition.renamed(labels[variable.name]))
            if variable.name in labels
            else variable
            for variable in self.variables
        )
        return self._changed(variables=tuple(variables), consequents=said)

    def with_units(self, units: Mapping[str, str]) -> Self:
        """Return the rule base with units for some inputs, or for the target.

        Parameters
        ----------
        units : mapping of str to str
            The units by the name of the input or of the target.

        Returns
        -------
        RuleBase
            The rules with these units.
        """
        self._require_names([name for name in units if name != self.target_name])
        variables = (replace(variable, unit=units.get(variable.name, variable.unit)) for variable in self.variables)
        return self._changed(variables=tuple(variables), target_unit=units.get(self.target_name, self.target_unit))

    def named_like(self, other: NamingMixin) -> Self:
        """Return the rule base with the units and label names of another one over the same inputs.

        A label takes the name that the other rule base gives to the label of the same default name: "low" becomes
        "cold", however many labels either has. Labels of dates and categories are named by what they stand for, and
        stay.

        Parameters
        ----------
        other : RuleBase
            The rule base to take the names from.

        Returns
        -------
        RuleBase
            The rules with these names.
        """
        others = {variable.name: variable for variable in other.variables}
        variables = []
        for variable in self.variables:
            like = others.get(variable.name)
            if like is not None:
                if not variable.tells_ranges:
                    labels = _labels_like(variable.partition, like.partition)
                    variable = replace(variable, partition=variable.partition.renamed(labels))
                variable = replace(variable, unit=like.unit)
            variables.append(variable)
        said, like_said = self.consequents, other.consequents.partition
        if said.partition is not None and like_said is not None:
            said = said.relabelled(_labels_like(said.partition, like_said))
        return self._changed(variables=tuple(variables), consequents=said, target_unit=other.target_unit)

    def _require_names(self, names: Mapping[str, Any] | Sequence[str]) -> None:
        for name in names:
            if name not in self.names:
                raise ValueError(f"There is no input {name!r}; the inputs are {', '.join(self.names)}.")

    def with_sources(self, sources: Sequence[Source]) -> Self:
        """Return the rule base whose inputs come from columns of a table.

        Parameters
        ----------
        sources : sequence of Source
            One source for each input.

        Returns
        -------
        RuleBase
            The rules with these sources.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> from fruler.table.sources import NumberSource
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.with_sources([NumberSource("x")]).columns
        ('x',)
        """
        pairs = zip(self.variables, sources, strict=True)
        return self._changed(variables=tuple(variable.of(source) for variable, source in pairs))

    def _changed(self, **changes: Any) -> Self:
        # A mixin is no dataclass; what it is mixed into is.
        return cast("Self", replace(cast("Any", self), **changes))


def _labels_like(partition: Partition, like: Partition) -> list[str]:
    """Return the label names of a partition, those that are default names as another partition calls them."""
    names = dict(zip(like.default_labels, like.labels, strict=True))
    return [names.get(label, label) for label in partition.labels]
