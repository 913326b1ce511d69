"""Values of a JSON document, taken out with their type checked; an error says where in the document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from fruler.scaling import Floats

# Larger files are no models; reading them would only take memory.
MOST_BYTES = 64_000_000


def parse_document(raw: bytes) -> Checked:
    """Parse a JSON document strictly: UTF-8, no NaN or infinity, no key twice, not too large or deep.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if len(raw) > MOST_BYTES:
        raise ValueError(f"it has {len(raw):,} bytes; a model has {MOST_BYTES:,} at most")
    try:
        document = json.loads(raw.decode(), object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return Checked(document, "the document")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")


class Checked:
    """A value of a document, and where it stands.

    Parameters
    ----------
    value : object
        What the JSON parser gave.
    place : str
        How messages call it.
    """

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def wrong(self, expected: str) -> ValueError:
        """Return the error that something else was expected here."""
        shown = repr(self.value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        return ValueError(f"{self.place} must be {expected}; got {shown}")

    def keys(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Checked]:
        """Return the members of an object that must have some keys, may have others, and has no more."""
        if not isinstance(self.value, Mapping):
            raise self.wrong(f"an object with {', '.join(required)}")
        missing = [key for key in required if key not in self.value]
        if missing:
            raise ValueError(f"{self.place} has no {missing[0]!r}")
        unknown = [key for key in self.value if key not in required and key not in optional]
        if unknown:
            raise ValueError(f"{self.place} has {unknown[0]!r}, which this version does not know")
        return {key: Checked(value, f"{key!r} of {self.place}") for key, value in self.value.items()}

    def members(self) -> dict[str, Checked]:
        """Return the members of an object with any keys."""
        if not isinstance(self.value, Mapping):
            raise self.wrong("an object")
        return {key: Checked(value, f"{key!r} of {self.place}") for key, value in self.value.items()}

    def items(self) -> Iterator[Checked]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (Checked(value, f"element {i} of {self.place}") for i, value in enumerate(self.value))

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.wrong("text")
        return self.value

    def one_of(self, *choices: Any) -> Any:
        """Return a value that must be one of a few."""
        if not any(self.value == choice and type(self.value) is type(choice) for choice in choices):
            raise self.wrong(" or ".join(json.dumps(choice) for choice in choices))
        return self.value

    def number(self) -> float:
        """Return a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong("a number")
        try:
            number = float(self.value)
        except OverflowError:
            raise self.wrong("a finite number") from None
        if not math.isfinite(number):
            raise self.wrong("a finite number")
        return number

    def number_or_none(self) -> float:
        """Return a number, or NaN for null."""
        return math.nan if self.value is None else self.number()

    def count(self, least: int = 0) -> int:
        """Return a whole number that is not less than some."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not least <= self.value < 2**53:
            raise self.wrong(f"a whole number of at least {least}")
        return self.value

    def numbers(self) -> Floats:
        """Return a list of finite numbers."""
        return np.array([item.number() for item in self.items()], dtype=np.float64)

    def texts(self) -> list[str]:
        """Return a list of texts."""
        return [item.text() for item in self.items()]
