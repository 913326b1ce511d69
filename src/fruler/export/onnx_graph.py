"""A graph of ONNX operators, before it is written by onnx or put into the graph of skl2onnx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

# The operators of machine learning, apart from those of arithmetic.
ML_DOMAIN = "ai.onnx.ml"


@dataclass(frozen=True)
class Node:
    """An operator of the graph, with the names of what goes in and comes out."""

    operator: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: dict[str, Any]
    domain: str = ""


@dataclass
class Graph:
    """Nodes in their order, and constants by name."""

    dtype: np.dtype[Any]
    nodes: list[Node] = field(default_factory=list)
    constants: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def constant(self, name: str, value: Any, dtype: Any = None) -> str:
        """Add a constant, of the graph's own type unless another is named."""
        self.constants[name] = np.asarray(value, dtype=dtype or self.dtype)
        return name

    def indices(self, name: str, value: Any) -> str:
        """Add a constant of whole numbers."""
        return self.constant(name, value, np.int64)

    def add(self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator; return the name of its output."""
        self.nodes.append(Node(operator, inputs, [output], attributes, domain))
        return output

    @property
    def domains(self) -> set[str]:
        """The domains of its operators."""
        return {node.domain for node in self.nodes}

    def renamed(self, names: Mapping[str, str]) -> Graph:
        """Return the graph with other names for what goes in; those of the graph itself make room for them.

        Examples
        --------
        >>> graph = Graph(np.dtype(float))
        >>> _ = graph.add("Neg", [graph.add("Abs", ["first"], "size")], "prediction")
        >>> [node.inputs for node in graph.renamed({"first": "size"}).nodes]
        [['size'], ['size_']]
        """
        own = [*self.constants, *(name for node in self.nodes for name in node.outputs)]
        taken = {*own, *names.values()}
        new = dict(names)
        for name in own:
            if name in names.values():
                new[name] = f"{name}_"
                while new[name] in taken:
                    new[name] += "_"
                taken.add(new[name])
        nodes = [
            replace(
                node,
                inputs=[new.get(name, name) for name in node.inputs],
                outputs=[new.get(name, name) for name in node.outputs],
            )
            for node in self.nodes
        ]
        return Graph(self.dtype, nodes, {new.get(name, name): value for name, value in self.constants.items()})
