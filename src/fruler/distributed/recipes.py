"""How to make blocks whenever they are needed, where the workers do not hold them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask

from fruler.distributed.raw_rows import RawBlock, load_part


class Recipe(ABC):
    """How to make a block."""

    @abstractmethod
    def read(self) -> Any:
        """Make it, in the calling thread."""


@dataclass(frozen=True)
class PartitionRecipe(Recipe):
    """The part of a graph that reads some partitions.

    Attributes
    ----------
    graph : dict
        What has to be computed.
    parts : tuple of tuple of keys
        Inputs, output and perhaps weights of each partition.
    first : int
        The number of the first partition.
    columns : tuple of str
        The columns of the inputs.
    """

    graph: dict[Any, Any]
    parts: tuple[tuple[Any, ...], ...]
    first: int
    columns: tuple[str, ...]

    def read(self) -> RawBlock:
        """Compute the partitions one after the other."""
        pieces = (
            load_part(dask.get(self.graph, list(part)), self.columns, self.first + i)
            for i, part in enumerate(self.parts)
        )
        return RawBlock(tuple(pieces))


@dataclass(frozen=True)
class NextRecipe(Recipe):
    """What is made of a block that is read first.

    Attributes
    ----------
    before : Recipe
        How to read it.
    function : callable
        What is made of it.
    arguments : tuple
        The other arguments of the function.
    """

    before: Recipe
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def read(self) -> Any:
        """Read the block and make of it what it becomes."""
        return self.function(self.before.read(), *self.arguments)
