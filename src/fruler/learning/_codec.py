"""Frozen dataclasses as a JSON document and arrays, and back: the encoding of checkpoints.

The annotations of a dataclass determine how it is written and which values are accepted when it is read: numbers,
texts, bytes, arrays, data frames, rule bases, the state of a random number generator, and optional values, tuples,
lists, mappings, named tuples and dataclasses of these. Arrays of one type are concatenated into one flat array and read
in the same order, so that the result is never larger than the file.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, NewType, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler.rules._json.checked import Checked
from fruler.rules._json.document import rule_base_from_json, rule_base_to_json
from fruler.rules._json.measured import truth_from_json, truth_to_json
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth

Document = Mapping[str, Any]
Arrays = Mapping[str, npt.NDArray[Any]]

# The type of `bit_generator.state` of a NumPy Generator.
GeneratorState = NewType("GeneratorState", Mapping[str, Any])

# Whole numbers of a state are counts or signs; up to this limit each of them has its own float.
_LEAST, _MOST = -1, 2**53


@dataclass
class _Pool:
    """The arrays of a file by type: added when packing, taken when unpacking."""

    parts: dict[str, list[npt.NDArray[Any]]] = field(default_factory=dict)
    left: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def add(self, array: npt.NDArray[Any]) -> None:
        self.parts.setdefault(array.dtype.str, []).append(array.ravel())

    def take(self, dtype: np.dtype[Any], shape: Sequence[int]) -> npt.NDArray[Any]:
        there = self.left.get(dtype.str, np.empty(0, dtype=dtype))
        size = math.prod(shape)
        if there.dtype != dtype or size > len(there) or max(shape, default=0) > max(1, len(there)):
            raise ValueError("an array has the wrong length")
        self.left[dtype.str] = there[size:]
        # A copy, since kernels need arrays that own their data.
        return there[:size].reshape(shape).copy()


class _Form(Protocol):
    """How values of one type are written and read."""

    def pack(self, value: Any, pool: _Pool) -> Any:
        """Return a value in a form that JSON can hold, and add its arrays to the pool."""

    def unpack(self, written: Any, pool: _Pool) -> Any:
        """Return the value; raise ValueError or TypeError if it does not fit the type."""


def pack(type_: Any, value: Any) -> tuple[Any, dict[str, npt.NDArray[Any]]]:
    """Return a value of a type as a document that JSON can hold, and arrays by name.

    Parameters
    ----------
    type_ : type
        A frozen dataclass, or any type that its fields may have.
    value : object
        A value of this type.

    Examples
    --------
    >>> pack(tuple[int, ...], (1, 2))
    ([1, 2], {})
    """
    pool = _Pool()
    document = _form(type_).pack(value, pool)
    return document, {name: np.concatenate(parts) for name, parts in pool.parts.items()}


def unpack(type_: Any, document: Any, arrays: Arrays) -> Any:
    """Return the value that `pack` wrote.

    Raises
    ------
    AttributeError, LookupError, TypeError, ValueError
        If the document and the arrays do not hold a value of the type.
    """
    return _form(type_).unpack(document, _Pool(left={name: array.ravel() for name, array in arrays.items()}))


@dataclass(frozen=True)
class _Plain:
    """Numbers and texts, which JSON can hold; of any of several types."""

    types: tuple[type, ...]

    def pack(self, value: Any, pool: _Pool) -> Any:
        return value.item() if isinstance(value, np.generic) else value

    def unpack(self, written: Any, pool: _Pool) -> Any:
        if float in self.types and type(written) is int:
            written = float(written)
        if type(written) not in self.types or (type(written) is int and not _LEAST <= written < _MOST):
            raise ValueError(f"{written!r:.40} is not {' or '.join(one.__name__ for one in self.types)}")
        return written


@dataclass(frozen=True)
class _Choice:
    """One of several texts or numbers."""

    choices: tuple[Any, ...]

    def pack(self, value: Any, pool: _Pool) -> Any:
        return value

    def unpack(self, written: Any, pool: _Pool) -> Any:
        if written not in self.choices:
            raise ValueError(f"{written!r:.40} is not one of {self.choices}")
        return written


@dataclass(frozen=True)
class _Array:
    """An array of one type: its shape is written, its numbers go to the pool. NaN is refused."""

    dtype: np.dtype[Any]

    def pack(self, value: npt.NDArray[Any], pool: _Pool) -> list[int]:
        pool.add(value.astype(self.dtype, casting="safe", copy=False))
        return list(value.shape)

    def unpack(self, written: Any, pool: _Pool) -> npt.NDArray[Any]:
        if any(type(length) is not int or length < 0 for length in written):
            raise ValueError(f"{written!r:.40} is not a shape")
        array = pool.take(self.dtype, written)
        if self.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError("an array has NaN")
        return array


class _Frame:
    """A data frame of numbers: the names and types of its columns, and its length."""

    def pack(self, value: pd.DataFrame, pool: _Pool) -> list[Any]:
        columns = [value[name].to_numpy() for name in value]
        for column in columns:
            pool.add(column)
        types_ = [[str(name), column.dtype.str] for name, column in zip(value, columns, strict=True)]
        return [types_, len(value)]

    def unpack(self, written: Any, pool: _Pool) -> pd.DataFrame:
        types_, length = written
        columns = {}
        for name, code in types_:
            dtype = np.dtype(code)
            if dtype.kind not in "if":
                raise ValueError("a column is not numeric")
            columns[str(name)] = pool.take(dtype, [int(length)])
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class _Own:
    """A value with its own JSON form, which is checked when it is read."""

    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]

    def pack(self, value: Any, pool: _Pool) -> Any:
        return self.to_json(value)

    def unpack(self, written: Any, pool: _Pool) -> Any:
        return self.from_json(written)


@dataclass(frozen=True)
class _Optional:
    """A value, or None."""

    inner: _Form

    def pack(self, value: Any, pool: _Pool) -> Any:
        # In a list, so that a value that is written as null differs from None.
        return None if value is None else [self.inner.pack(value, pool)]

    def unpack(self, written: Any, pool: _Pool) -> Any:
        if written is None:
            return None
        [inner] = written
        return self.inner.unpack(inner, pool)


@dataclass(frozen=True)
class _Items:
    """A sequence of any length."""

    make: Callable[[Any], Any]
    item: _Form

    def pack(self, value: Any, pool: _Pool) -> list[Any]:
        return [self.item.pack(one, pool) for one in value]

    def unpack(self, written: Any, pool: _Pool) -> Any:
        if not isinstance(written, list):
            raise ValueError(f"{written!r:.40} is not a list")
        return self.make(self.item.unpack(one, pool) for one in written)


@dataclass(frozen=True)
class _Pairs:
    """A mapping, as a list of keys and values in its order."""

    key: _Form
    item: _Form

    def pack(self, value: Mapping[Any, Any], pool: _Pool) -> list[Any]:
        return [[self.key.pack(key, pool), self.item.pack(one, pool)] for key, one in value.items()]

    def unpack(self, written: Any, pool: _Pool) -> dict[Any, Any]:
        return {self.key.unpack(key, pool): self.item.unpack(one, pool) for key, one in written}


@dataclass(frozen=True)
class _Record:
    """A tuple of values of different types, a named tuple, or a dataclass: the values in their order."""

    make: Callable[..., Any]
    names: tuple[str, ...] | None
    parts: tuple[_Form, ...]

    def pack(self, value: Any, pool: _Pool) -> list[Any]:
        values = value if self.names is None else [getattr(value, name) for name in self.names]
        return [part.pack(one, pool) for part, one in zip(self.parts, values, strict=True)]

    def unpack(self, written: Any, pool: _Pool) -> Any:
        return self.make(*[part.unpack(one, pool) for part, one in zip(self.parts, written, strict=True)])


def _tuple(*values: Any) -> tuple[Any, ...]:
    return values


def _itself(value: Any) -> Any:
    return value


def _checked_generator(written: Any) -> Mapping[str, Any]:
    np.random.default_rng(0).bit_generator.state = written
    # With an even increment the numbers soon repeat, and NumPy may loop forever waiting for a different one.
    if int(written["state"]["inc"]) % 2 == 0:
        raise ValueError("a random number generator repeats itself")
    return dict(written)


_FIXED: dict[Any, _Form] = {
    Any: _Own(_itself, _itself),
    bytes: _Own(bytes.hex, bytes.fromhex),
    GeneratorState: _Own(_itself, _checked_generator),
    pd.DataFrame: _Frame(),
    RuleBase: _Own(rule_base_to_json, lambda written: rule_base_from_json(Checked(written, "the model"))),
    Truth: _Own(truth_to_json, lambda written: truth_from_json(Checked(written, "the model"))),
}


@cache
def _form(hint: Any) -> _Form:
    """Return the form of values with a type annotation."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _FIXED:
        return _FIXED[hint]
    if hint in (bool, int, float, str):
        return _Plain((hint,))
    if origin is Literal:
        return _Choice(arguments)
    if origin in (Union, types.UnionType):
        others = tuple(one for one in arguments if one is not type(None))
        inner = _form(others[0]) if len(others) == 1 else _Plain(others)
        return _Optional(inner) if len(others) < len(arguments) else inner
    if origin is np.ndarray:
        [scalar] = get_args(arguments[1])
        return _Array(np.dtype(scalar))
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _Record(_tuple, None, tuple(_form(one) for one in arguments))
    if origin in (tuple, list, Sequence):
        return _Items(tuple if origin is tuple else list, _form(arguments[0]))
    if origin in (dict, Mapping):
        return _Pairs(_form(arguments[0]), _form(arguments[1]))
    return _record(origin or hint, arguments)


def _record(cls: Any, arguments: tuple[Any, ...]) -> _Form:
    """Return the form of a dataclass or a named tuple; `arguments` are the type arguments if it is generic."""
    names = tuple(one.name for one in fields(cls)) if is_dataclass(cls) else cls._fields
    hints, bound = get_type_hints(cls), dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    return _Record(cls, names, tuple(_form(_bound(hints[name], bound)) for name in names))


def _bound(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """Replace type variables by types."""
    if isinstance(hint, TypeVar):
        return bound[hint]
    free = getattr(hint, "__parameters__", ())
    return hint[tuple(bound[one] for one in free)] if free else hint
