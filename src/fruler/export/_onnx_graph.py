"""A graph of ONNX operators, independent of onnx and skl2onnx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# The domain of the machine-learning operators; that of arithmetic is the default.
ML_DOMAIN = "ai.onnx.ml"


class Node(NamedTuple):
    """An operator of the graph, with the names of its inputs and its output."""

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
        The type of the numbers.
    taken : iterable of str
        The names of the inputs and outputs of the graph, which no other table may have.
    """

    def __init__(self, dtype: np.dtype[Any], taken: Iterable[str]) -> None:
        self.dtype, self._taken = dtype, set(taken)
        self.nodes: list[Node] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}

    def constant(self, value: npt.ArrayLike) -> GraphTable:
        """Add a constant; arrays of integers or booleans keep their type, other numbers get that of the graph."""
        array = np.asarray(value)
        kept = isinstance(value, np.ndarray) and array.dtype.kind in "ib"
        name = self._new_name("constant")
        self.constants[name] = array if kept else array.astype(self.dtype)
        return GraphTable(self, name)

    def add(
        self, operator: str, *inputs: GraphTable | npt.ArrayLike, output: str = "", domain: str = "", **attributes: Any
    ) -> GraphTable:
        """Add an operator and return its output; inputs that are not tables become constants."""
        names = [(own if isinstance(own, GraphTable) else self.constant(own)).name for own in inputs]
        found = GraphTable(self, output or self._new_name(operator))
        self.nodes.append(Node(operator, names, found.name, attributes, domain))
        return found

    def where(
        self, condition: GraphTable, then: GraphTable | npt.ArrayLike, otherwise: GraphTable | npt.ArrayLike
    ) -> GraphTable:
        """Add a choice between two tables or numbers."""
        return self.add("Where", condition, then, otherwise)

    def _new_name(self, kind: str) -> str:
        name = f"{kind}_{len(self.nodes) + len(self.constants)}"
        while name in self._taken:
            name += "_"
        return name


@dataclass(frozen=True, eq=False)
class GraphTable:
    """A table in a graph; arithmetic with it adds operators.

    Examples
    --------
    >>> graph = Graph(np.dtype(float), ["X", "Sub_1"])
    >>> found = 1.0 - GraphTable(graph, "X") * 2.0
    >>> [(node.operator, node.output) for node in graph.nodes], len(graph.constants)
    ([('Mul', 'Mul_1'), ('Sub', 'Sub_3')], 2)
    """

    graph: Graph
    name: str

    # Makes NumPy leave `array - table` to __rsub__ instead of looping over the elements of the array.
    __array_ufunc__ = None

    def __add__(self, other: GraphTable | npt.ArrayLike) -> GraphTable:
        return self.graph.add("Add", self, other)

    def __sub__(self, other: GraphTable | npt.ArrayLike) -> GraphTable:
        return self.graph.add("Sub", self, other)

    def __rsub__(self, other: npt.ArrayLike) -> GraphTable:
        return self.graph.add("Sub", other, self)

    def __mul__(self, other: GraphTable | npt.ArrayLike) -> GraphTable:
        return self.graph.add("Mul", self, other)

    def __truediv__(self, other: GraphTable | npt.ArrayLike) -> GraphTable:
        return self.graph.add("Div", self, other)

    @property
    def is_nan(self) -> GraphTable:
        """Whether each value is NaN."""
        return self.graph.add("IsNaN", self)

    @property
    def row_sums(self) -> GraphTable:
        """The sum of each row, as a table of one column."""
        return self.graph.add("ReduceSum", self, np.array([1]), keepdims=1)

    def columns(self, places: Sequence[int]) -> GraphTable:
        """Return some columns."""
        return self.graph.add("Gather", self, np.array(places, dtype=np.int64), axis=1)

    def bounded(self, low: npt.ArrayLike | None, high: npt.ArrayLike | None) -> GraphTable:
        """Return the values clipped to two ends, either of which may be None."""
        found = self if low is None else self.graph.add("Max", self, low)
        return found if high is None else self.graph.add("Min", found, high)
