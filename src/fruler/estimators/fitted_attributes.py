"""Attributes that fit sets: how they are missed, and how they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd


class MadeByFit:
    """Stands for an attribute that an estimator does not have, and says why; one that it has goes before it.

    Examples
    --------
    >>> class Model:
    ...     history_ = MadeByFit()
    >>> Model().history_
    Traceback (most recent call last):
    AttributeError: This Model has no history_: fit makes it, and a model file does not hold it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self
        raise AttributeError(
            f"This {owner.__name__} has no {self._name}: fit makes it, and a model file does not hold it."
        )


def with_plain_tables(state: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the state of an estimator with some tables as arrays, which other formats than pickle know as well."""
    plain = {
        name: {column: values.to_numpy() for column, values in state[name].items()} for name in names if name in state
    }
    return state | plain


def with_tables(state: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the state of an estimator with the tables that `with_plain_tables` has taken apart."""
    return state | {name: pd.DataFrame(state[name]) for name in names if name in state}
