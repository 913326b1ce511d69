"""The trade-off between error and size that a search has met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar


class HasError(Protocol):
    """What a model is worth."""

    @property
    def error(self) -> float:
        """Less is better."""


Model = TypeVar("Model")
Value = TypeVar("Value", bound=HasError)


def pareto_front(best_by_rules: Mapping[int, tuple[Model, Value]]) -> list[tuple[Model, Value]]:
    """Return by increasing number of rules the models that are more accurate than all with fewer.

    Parameters
    ----------
    best_by_rules : mapping of int to (model, what it is worth)
        The best model of every number of rules.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> met = {3: ("c", SimpleNamespace(error=0.5)), 1: ("a", SimpleNamespace(error=0.9)),
    ...        2: ("b", SimpleNamespace(error=0.9))}
    >>> [model for model, _ in pareto_front(met)]
    ['a', 'c']
    """
    front: list[tuple[Model, Value]] = []
    for size in sorted(best_by_rules):
        model, found = best_by_rules[size]
        if not front or found.error < front[-1][1].error:
            front.append((model, found))
    return front
