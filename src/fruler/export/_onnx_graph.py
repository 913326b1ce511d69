"""A graph of ONNX operators, before it is written by onnx or put into the graph of skl2onnx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# The operators of machine learning, apart from those of arithmetic.
ML_DOMAIN = "ai.onnx.ml"


class Node(NamedTuple):
    """An operator of the graph, with the names of what goes in and comes out."""

    operator: str
    inputs: list[str]
    output: str
    attributes: dict[str, Any]
    domain: str


class Graph:
    """Nodes in their order, and constants by name.

    Parameters
    ----------
    dtype : dtype
        The type of its numbers.
    taken : iterable of str
        The names of what goes into the graph and comes out of it, which nothing in between may have.
    """

    def __init__(self, dtype: np.dtype[Any], taken: Iterable[str]) -> None:
        self.dtype, self._taken = dtype, set(taken)
        self.nodes: list[Node] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}

    def constant(self, value: npt.ArrayLike) -> Table:
        """Add a constant: numbers of the graph's own type, or whole numbers or truth values where an array has them."""
        array = np.asarray(value)
        kept = isinstance(value, np.ndarray) and array.dtype.kind in "ib"
        name = self._new_name("constant")
        self.constants[name] = array if kept else array.astype(self.dtype)
        return Table(self, name)

    def add(
        self, operator: str, *inputs: Table | npt.ArrayLike, output: str = "", domain: str = "", **attributes: Any
    ) -> Table:
        """Add an operator; return its output. Inputs that are no tables become constants."""
        names = [(own if isinstance(own, Table) else self.constant(own)).name for own in inputs]
        found = Table(self, output or self._new_name(operator))
        self.nodes.append(Node(operator, names, found.name, attributes, domain))
        return found

    def where(self, condition: Table, then: Table | npt.ArrayLike, otherwise: Table | npt.ArrayLike) -> Table:
        """Add a choice between two tables or numbers."""
        return self.add("Where", condition, then, otherwise)

    def _new_name(self, kind: str) -> str:
        name = f"{kind}_{len(self.nodes) + len(self.constants)}"
        while name in self._taken:
            name += "_"
        return name


@dataclass(frozen=True, eq=False)
class Table:
    """A table in a graph; arithmetic with it adds operators.

    Examples
    --------
    >>> graph = Graph(np.dtype(float), ["X", "Sub_1"])
    >>> found = 1.0 - Table(graph, "X") * 2.0
    >>> [(node.operator, node.output) for node in graph.nodes], len(graph.constants)
    ([('Mul', 'Mul_1'), ('Sub', 'Sub_3')], 2)
    """

    graph: Graph
    name: str

    # An array at the left is one number of the arithmetic, not as many as it has elements.
    __array_ufunc__ = None

    def __add__(self, other: Table | npt.ArrayLike) -> Table:
        return self.graph.add("Add", self, other)

    def __sub__(self, other: Table | npt.ArrayLike) -> Table:
        return self.graph.add("Sub", self, other)

    def __rsub__(self, other: npt.ArrayLike) -> Table:
        return self.graph.add("Sub", other, self)

    def __mul__(self, other: Table | npt.ArrayLike) -> Table:
        return self.graph.add("Mul", self, other)

    def __truediv__(self, other: Table | npt.ArrayLike) -> Table:
        return self.graph.add("Div", self, other)

    @property
    def is_nan(self) -> Table:
        """Where there is no number."""
        return self.graph.add("IsNaN", self)

    @property
    def row_sums(self) -> Table:
        """The sum of each row, as a table of one column."""
        return self.graph.add("ReduceSum", self, np.array([1]), keepdims=1)

    def columns(self, places: Sequence[int]) -> Table:
        """Return some columns."""
        return self.graph.add("Gather", self, np.array(places, dtype=np.int64), axis=1)

    def bounded(self, low: npt.ArrayLike | None, high: npt.ArrayLike | None) -> Table:
        """Return the values brought inside of two ends, either of which may be missing."""
        found = self if low is None else self.graph.add("Max", self, low)
        return found if high is None else self.graph.add("Min", found, high)
