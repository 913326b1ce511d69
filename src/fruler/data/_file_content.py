"""The content of table files: bytes decoded to text, column names checked, errors with a place and a remedy."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fruler._arrays import Floats
from fruler._table.texts import column_texts
from fruler._wording import is_printable, number_advice, printable, quote_names, quoted

# The maximum size of a file, and of a part that is read at once.
MAX_BYTES, _MAX_PART = 4_000_000_000, 2**24
# Tables shrink to a tenth, seldom to a hundredth; a file that grows more than this, beyond some size, was made to.
_MAX_GROWTH, _ANY_GROWTH = 200, 2**25
_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# From pandas 3.1 on, exact reading is the default, and asking for it is deprecated.
_READS_INEXACTLY = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
DECIMALS = (".", ",")
THOUSANDS = (",", ".", " ", "'")
_SEPARATOR_NAMES = {"tab": "\t", "\\t": "\t"}
# Characters of numbers, quotes and line ends.
_NO_SEPARATORS = "\"'\n\r.+-_\0"
_OPTIONS_OF_READER = {
    "separated": ("sep", "decimal", "thousands", "na_values"),
    "excel": ("decimal", "thousands", "na_values", "sheet"),
    "json_lines": ("decimal", "thousands", "na_values"),
    "parquet": ("decimal", "thousands", "na_values"),
    "attributes": (),
}


@dataclass(frozen=True, eq=False)
class RowPlaces:
    """Where the rows of a table come from, so that an error can point at one of them.

    Parameters
    ----------
    name : str
        The file's name.
    unit : {"line", "row"}
        The unit of the numbers: lines of a text file, or rows of a table that has no lines.
    numbers : ndarray of int
        The 1-based number of each row of the table.
    """

    name: str
    unit: Literal["line", "row"]
    numbers: NDArray[np.int64]

    def at(self, row: int, column: str) -> str:
        """Name the place of one value.

        Examples
        --------
        >>> RowPlaces("dee.dat", "line", np.array([16, 17])).at(1, "Consume")
        "dee.dat, line 17, column 'Consume'"
        """
        return f"{self.name}, {self.unit} {self.numbers[row]}, column {quoted(column)}"


def read_bytes(source: str | os.PathLike[str] | BinaryIO) -> tuple[bytes, str]:
    """Read a whole file, unpacking it if it is compressed with gzip.

    Parameters
    ----------
    source : path or binary file object
        The file to read.

    Returns
    -------
    raw : bytes
        The content.
    name : str
        The name of the file in messages.

    Raises
    ------
    FileNotFoundError
        If there is nothing at the path.
    ValueError
        If the path is a folder, the file object gives text, or the compressed data are damaged.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.is_dir():
            raise ValueError(f"{str(path)!r} is a folder; give the path of a file in it")
        name = source_name(path)
        try:
            with path.open("rb") as file:
                raw = read_to_the_end(file, name)
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(f"there is no file {str(path)!r}; check the path") from None
    elif hasattr(source, "read"):
        name = source_name(source)
        raw = read_to_the_end(source, name)
    else:
        raise ValueError(f"expected a path or a binary file object, got {type(source).__name__}")
    if raw.startswith(_GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
                raw = read_to_the_end(file, name, len(raw))
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{name}: the gzip data are damaged ({error}); fetch or make the file again") from None
    return raw, name


def refuse_growth(n_packed: int, n_bytes: int, name: str) -> None:
    """Refuse a compressed file that unpacks to a multiple of its size that no table has."""
    if n_bytes > max(_ANY_GROWTH, _MAX_GROWTH * n_packed):
        raise ValueError(
            f"{name} unpacks to more than {_MAX_GROWTH} times its {n_packed:,} bytes, as no table does; if it is one, "
            "unpack it yourself and give it as CSV"
        )


def read_to_the_end(file: BinaryIO | gzip.GzipFile, name: str, n_packed: int | None = None) -> bytes:
    """Read a whole file, unless it is too large or, like `/dev/zero`, has no end.

    Raises
    ------
    ValueError
        If the file gives text, begins with a NUL byte, as no table does, or is too large, also compared with the
        `n_packed` bytes that it is unpacked from.
    """
    parts: list[bytes] = []
    n_bytes = 0
    while part := file.read(_MAX_PART):
        if not isinstance(part, bytes):
            raise ValueError(f"{name} gives text; open it in binary mode ('rb')")
        if not parts and part.startswith(b"\0"):
            raise ValueError(f"{name} begins with a NUL byte, as no table does; give the path of a table")
        parts.append(part)
        n_bytes += len(part)
        if n_packed is not None:
            refuse_growth(n_packed, n_bytes, name)
        if n_bytes > MAX_BYTES:
            raise ValueError(
                f"{name} has more than {MAX_BYTES / 1e9:.0f} GB; fit it in parts, or on a cluster (fruler.distributed)"
            )
    return b"".join(parts)


def source_name(source: str | os.PathLike[str] | BinaryIO) -> str:
    """Return the file name of a path or of an open file, or a placeholder if there is none."""
    if isinstance(source, (str, os.PathLike)):
        return printable(Path(source).name)
    name = getattr(source, "name", None)
    return printable(Path(name).name) if isinstance(name, str) and name else "the input"


def decode_text(raw: bytes, name: str) -> str:
    r"""Decode UTF-8 text, or UTF-16 text that begins with a byte order mark.

    The mark is left out, and ``\n`` is the only line end.

    Examples
    --------
    >>> decode_text(b"a,b\r\n1,2\r\n", "t.csv")
    'a,b\n1,2\n'
    >>> decode_text("size,€".encode("utf-16"), "t.csv")
    'size,€'
    """
    encoding = "utf-16" if raw.startswith(_UTF16_MARKS) else "utf-8-sig"
    try:
        text = _unify_line_ends(raw.decode(encoding))
    except UnicodeDecodeError as error:
        # The decoder may have taken the byte order mark away, so places are those in its own copy.
        line = _unify_line_ends(error.object[: error.start].decode(encoding, "replace")).count("\n") + 1
        if encoding == "utf-16":
            problem = "the UTF-16 text is damaged or cut off; save the file with UTF-8 encoding"
        else:
            problem = (
                f"byte 0x{error.object[error.start]:02x} is not UTF-8 text; save the file with UTF-8 encoding "
                "(in Excel: CSV UTF-8), or convert it: iconv -f WINDOWS-1252 -t UTF-8"
            )
        raise ValueError(f"{name}, line {line}: {problem}") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{name}, line {line}: holds a NUL character; save the file as plain UTF-8 text")
    return text


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def one_line(error: Exception) -> str:
    """Return the message of a library's error as one printable line."""
    return printable(" ".join(str(error).split()))


def read_csv_exactly(text: str, **options: Any) -> pd.DataFrame:
    r"""Read a text with pandas' C reader, with every number rounded to the nearest float.

    Examples
    --------
    >>> read_csv_exactly("a,b\n0.1,x\n")
         a  b
    0  0.1  x
    """
    if _READS_INEXACTLY:
        options["float_precision"] = "round_trip"
    frame: pd.DataFrame = pd.read_csv(io.StringIO(text), engine="c", low_memory=False, **options)
    return frame


def typed_column(values: list[Any]) -> pd.Series[Any]:
    """Return a column of the narrowest type that fits its values, NaN for None.

    Examples
    --------
    >>> typed_column([1, None]).tolist()
    [1.0, nan]
    """
    return pd.Series([np.nan if value is None else value for value in values], dtype=object).infer_objects()


def numeric_target(column: pd.Series, places: RowPlaces) -> pd.Series:
    """Return a column as the target of a regression, which must have finite numbers only.

    Parameters
    ----------
    column : Series
        The column, named, with the default index.
    places : RowPlaces
        Where its rows come from.

    Returns
    -------
    Series of float64
        The target.

    Raises
    ------
    ValueError
        If a value is missing, text or not finite; the message names the first such value and its place.
    """
    numbers, odd = target_values(column)
    bad = ~np.isfinite(numbers)
    if not bad.any():
        return pd.Series(numbers, index=column.index, name=column.name)
    row = int(np.argmax(bad))
    value = str(column.iloc[row])
    if row == odd:
        advice = number_advice(value) or "correct it, remove the row or choose another target"
        problem = f"the target {quoted(value)} is not a number; {advice}"
    elif np.isnan(numbers[row]):
        problem = "the target is missing; fill it in or remove the row"
    else:
        problem = f"the target {quoted(value)} is not finite; correct it or remove the row"
    raise ValueError(f"{places.at(row, str(column.name))}: {problem}")


def target_values(column: pd.Series) -> tuple[Floats, int | None]:
    """Return a column as numbers, NaN where a value is missing, and the first row whose value is not a number.

    Truth values and dates are not numbers.

    Examples
    --------
    >>> numbers, odd = target_values(pd.Series(["1.5", None, "much"]))
    >>> numbers.tolist(), odd
    ([1.5, nan, nan], 2)
    """
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) and dtype.kind not in "bc":
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    texts = column_texts(column)
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    odd = np.flatnonzero(texts.notna().to_numpy() & np.isnan(numbers))
    return numbers, int(odd[0]) if len(odd) else None


def check_names(names: Sequence[str], place: str) -> None:
    r"""Refuse repeated names, and names with characters that a terminal would obey instead of show.

    Parameters
    ----------
    names : sequence of str
        The names of all columns.
    place : str
        The place of the names, for messages.

    Raises
    ------
    ValueError
        If a name is refused; the message shows it with escapes.

    Examples
    --------
    >>> check_names(["size", "price\x1b[2J"], "t.csv, line 1")
    Traceback (most recent call last):
        ...
    ValueError: t.csv, line 1: the column name 'price\x1b[2J' holds an unprintable character; rename the column
    """
    for name in names:
        check_printable(name, place)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{place}: the column names {quote_names(repeated)} occur twice; rename or remove one of each")


def check_printable(name: str, place: str) -> None:
    """Refuse a name with characters that a terminal would obey instead of show."""
    if not is_printable(name):
        raise ValueError(f"{place}: the column name {quoted(name)} holds an unprintable character; rename the column")


@dataclass(frozen=True)
class ReadOptions:
    r"""The format of a table file; None means that it is detected.

    Parameters
    ----------
    format : str or None
        The format, in place of the suffix.
    sep : str or None
        The separator of values: one character, or ``tab``.
    decimal : {".", ","} or None
        The decimal sign.
    thousands : {",", ".", " ", "'"} or None
        The thousands separator.
    na_values : tuple of str
        Marks of missing values, besides empty values and the usual marks.
    sheet : str or None
        The name of a sheet, or its number from 1.

    Raises
    ------
    ValueError
        If an option has another value, or two contradict each other.

    Examples
    --------
    >>> ReadOptions(sep="tab").sep
    '\t'
    """

    format: str | None = None
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    na_values: tuple[str, ...] = ()
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None:
            sep = _SEPARATOR_NAMES.get(self.sep, self.sep)
            if len(sep) != 1 or sep.isalnum() or sep in _NO_SEPARATORS:
                raise ValueError(f"sep={self.sep!r} is not one character such as , ; | or the word tab")
            object.__setattr__(self, "sep", sep)
        if self.decimal not in (None, *DECIMALS):
            raise ValueError(f"decimal={self.decimal!r} is neither a point nor a comma")
        if self.thousands not in (None, *THOUSANDS):
            raise ValueError(f"thousands={self.thousands!r} is not a comma, a point, a space or an apostrophe")
        if self.decimal is not None and self.decimal == self.thousands:
            raise ValueError(
                f"decimal={self.decimal!r} and thousands={self.thousands!r} are the same; leave one of them out"
            )

    def require_for(self, reader: str, name: str) -> None:
        """Refuse an option that does not apply to the format of a file."""
        given = {"sep": self.sep, "decimal": self.decimal, "thousands": self.thousands, "sheet": self.sheet}
        given["na_values"] = self.na_values[0] if self.na_values else None
        for option, value in given.items():
            if value is not None and option not in _OPTIONS_OF_READER[reader]:
                raise ValueError(f"{name}: {option}={value!r} does not apply to files of this format; leave it out")


def as_texts(na_values: str | float | Iterable[str | float] | None) -> tuple[str, ...]:
    """Return marks of missing values as text.

    Examples
    --------
    >>> as_texts(-999), as_texts(["-", "none"]), as_texts(None)
    (('-999',), ('-', 'none'), ())
    """
    if na_values is None:
        return ()
    if isinstance(na_values, (str, int, float)):
        return (str(na_values),)
    return tuple(map(str, na_values))
