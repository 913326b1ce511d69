"""Values of a JSON document with checks of their types; errors name the place in the document."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, NoReturn, TypeVar

import numpy as np

from fruler._arrays import Floats

# No model is larger; reading such a file would only take time and memory.
MAX_BYTES = 32_000_000
MAX_VALUES = 2_000_000
# Python's default limit, which users can lift: without a limit, an integer of millions of digits takes hours to read.
_MAX_DIGITS = 4_300
# Control characters, which a terminal would obey instead of showing, and lone surrogates, which no file can hold.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# The escapes in which JSON writes control characters below a space.
_WRITTEN_CONTROL = re.compile(r"(?<!\\)(?:\\\\)*\\(?:u00|b|f)")
_MAX_SHOWN = 40
# No model has larger numbers: the values of a table are at most the square root of this, and errors may be squared.
LARGEST = 1e300

_Made = TypeVar("_Made")


def text_of(raw: bytes) -> str:
    """Return the text of a document.

    Raises
    ------
    ValueError
        If the document is empty, or not UTF-8.
    """
    if not raw.strip():
        raise ValueError("it is empty")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not text (byte {error.start} is not UTF-8)") from None


def parse_document(raw: bytes) -> Checked:
    """Parse a JSON document strictly: UTF-8, no NaN or infinity, no key twice, not too large or deep.

    Raises
    ------
    ValueError
        If the document is not of this kind.
    """
    _require_size(raw)
    text = text_of(raw)
    try:
        document = json.loads(text, object_pairs_hook=_distinct, parse_int=_integer, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return Checked(document)


def require_readable(text: str) -> None:
    """Refuse a document that could not be read again.

    Raises
    ------
    ValueError
        If the document is too large, or a text in it holds control characters or lone surrogates.
    """
    raw = text.encode("utf-8", "replace")
    _require_size(raw)
    # Most files hold only harmless characters, and the search takes as long as writing the file.
    found = None if text.isascii() and "\x7f" not in text else _NOT_TEXT.search(text)
    if found is None and "\\" in text:
        found = _WRITTEN_CONTROL.search(text)
    if found:
        around = text[max(found.start() - 20, 0) : found.end() + 20]
        raise ValueError(f"a name or label holds a control character, at {around!r}; rename it")


def _require_size(raw: bytes) -> None:
    if len(raw) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes, which is too large for a model")
    # No document has more values than commas and brackets; counting them is fast, and reading may take gigabytes.
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MAX_VALUES:
        raise ValueError(f"it holds more than {MAX_VALUES:,} values, which is too many for a model")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {_shown(twice)} occurs twice in one object")
    return found


def _integer(digits: str) -> int:
    n_digits = len(digits) - digits.startswith("-")
    if n_digits > _MAX_DIGITS:
        raise ValueError(f"the number {digits[:10]}... has {n_digits:,} digits")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")


def _shown(value: Any) -> str:
    """Return a short text of a value for a message."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_SHOWN else value[: _MAX_SHOWN - 3] + "...")
    written = json.dumps(value)
    return written if len(written) <= _MAX_SHOWN else written[: _MAX_SHOWN - 3] + "..."


class Checked:
    """A value of a JSON document, and its place in it.

    Parameters
    ----------
    value : object
        The value from the JSON parser.
    name : str or int
        The key or the index in the parent.
    parent : Checked, optional
        The object or list that holds the value; None for the document itself.

    Examples
    --------
    >>> document = parse_document(b'{"rules": [{"support": "much"}]}')
    >>> for rule in document.keys(("rules",))["rules"].items():
    ...     rule.keys(("support",))["support"].number()
    Traceback (most recent call last):
    ValueError: rules[0].support must be a finite number; got 'much'
    """

    __slots__ = ("_name", "_parent", "value")

    def __init__(self, value: Any, name: str | int = "it", parent: Checked | None = None) -> None:
        self.value, self._name, self._parent = value, name, parent

    @property
    def place(self) -> str:
        """The name of the value in messages, e.g. ``rules[0].then``; the document is ``it``."""
        if self._parent is None:
            return str(self._name)
        plain = isinstance(self._name, str) and self._name.isidentifier() and len(self._name) <= _MAX_SHOWN
        if self._parent._parent is None and plain:
            return str(self._name)
        return self._parent.place + (f".{self._name}" if plain else f"[{_shown(self._name)}]")

    def wrong(self, expected: str) -> ValueError:
        """Return the error for a value that is not the expected one."""
        return ValueError(f"{self.place} must be {expected}; got {_shown(self.value)}")

    def made(self, what: str, make: Callable[..., _Made], *parts: Any, **named: Any) -> _Made:
        """Return the result of `make`; an error gets the place in the document."""
        try:
            return make(*parts, **named)
        except ValueError as error:
            raise ValueError(f"{self.place} {what}: {error}") from None

    def keys(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Checked]:
        """Return the members of an object that has all required keys and no others than the optional keys."""
        if not isinstance(self.value, dict):
            raise self.wrong(f"an object with {', '.join(required)}")
        for key in required:
            if key not in self.value:
                raise ValueError(f"{self.place} has no {key!r}")
        if len(self.value) > len(required):
            for key in self.value:
                if key not in required and key not in optional:
                    raise ValueError(f"{self.place} has {_shown(key)}, which this version does not support")
        return {key: Checked(value, key, self) for key, value in self.value.items()}

    def members(self) -> dict[str, Checked]:
        """Return the members of an object with any keys."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        self._require_text_in_keys()
        return {key: Checked(value, key, self) for key, value in self.value.items()}

    def items(self) -> Iterator[Checked]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (Checked(value, i, self) for i, value in enumerate(self.value))

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.wrong("text")
        if _NOT_TEXT.search(self.value):
            raise self.wrong("text without control characters")
        return self.value

    def one_of(self, *choices: Any) -> Any:
        """Return a value that must be one of the choices."""
        if not any(self.value == choice and type(self.value) is type(choice) for choice in choices):
            raise self.wrong(" or ".join(json.dumps(choice) for choice in choices))
        return self.value

    def number(self) -> float:
        """Return a finite number."""
        try:
            number = float(self.value) if type(self.value) in (float, int) else math.nan
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong("a finite number")
        if abs(number) > LARGEST:
            raise self.wrong(f"a number of at most {LARGEST:g}")
        return number

    def number_or_none(self) -> float:
        """Return a number, or NaN for null."""
        return math.nan if self.value is None else self.number()

    def count(self, least: int = 0) -> int:
        """Return a whole number of at least `least`; JSON may also write it as 5.0."""
        value = self.value
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value < 2**53:
            raise self.wrong(f"a whole number of at least {least}")
        return value

    def numbers(self) -> Floats:
        """Return a list of finite numbers."""
        if not isinstance(self.value, list):
            raise self.wrong("a list of numbers")
        if not _are_finite(self.value):
            return np.array([item.number() for item in self.items()])
        return np.array(self.value, dtype=np.float64)

    def named_numbers(self) -> dict[str, float]:
        """Return an object of finite numbers."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object of numbers")
        if not _are_finite(self.value.values()):
            return {name: item.number() for name, item in self.members().items()}
        self._require_text_in_keys()
        return self.value

    def _require_text_in_keys(self) -> None:
        if _NOT_TEXT.search("".join(self.value)):
            wrong = next(key for key in self.value if _NOT_TEXT.search(key))
            raise ValueError(
                f"{self.place} has the name {_shown(wrong)}; names must be text without control characters"
            )

    def texts(self) -> list[str]:
        """Return a list of texts."""
        texts = self.value
        if not isinstance(texts, list) or {*map(type, texts)} - {str} or _NOT_TEXT.search("".join(texts)):
            return [item.text() for item in self.items()]
        return texts


def _are_finite(values: Collection[Any]) -> bool:
    """Return whether all values are finite numbers, fast, since a file has thousands."""
    try:
        return {*map(type, values)} <= {float, int} and all(-LARGEST <= value <= LARGEST for value in values)
    except OverflowError:
        return False
