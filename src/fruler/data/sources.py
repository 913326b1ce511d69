"""What every reader of this package shares: bytes in, text out, and errors that say where and what to do."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fruler._wording import number_advice, printable, quoted

# More than this is not read into memory, nor more than this at once.
MAX_BYTES, _MAX_PART = 4_000_000_000, 2**24
_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# From 3.1 on exact reading is the default, and asking for it is deprecated.
_READS_INEXACTLY = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the rows of a table come from, so that an error can point at one of them.

    Parameters
    ----------
    name : str
        The file's name.
    unit : {"line", "row"}
        What the numbers count: lines of a text file, or rows of a table that has no lines.
    numbers : ndarray of int
        For each row of the table its 1-based number.
    """

    name: str
    unit: Literal["line", "row"]
    numbers: NDArray[np.int64]

    def at(self, row: int, column: str) -> str:
        """Name the place of one value.

        Examples
        --------
        >>> Origin("dee.dat", "line", np.array([16, 17])).at(1, "Consume")
        "dee.dat, line 17, column 'Consume'"
        """
        return f"{self.name}, {self.unit} {self.numbers[row]}, column {quoted(column)}"


def read_bytes(source: str | os.PathLike[str] | BinaryIO) -> tuple[bytes, str]:
    """Read a whole file, unpacking it if it is compressed with gzip.

    Parameters
    ----------
    source : path or binary file object
        What to read.

    Returns
    -------
    raw : bytes
        The content.
    name : str
        The name by which messages call it.

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
            # A few bytes may unpack to any number of them.
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
                raw = read_to_the_end(file, name)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{name}: the gzip data are damaged ({error}); fetch or make the file again") from None
    return raw, name


def read_to_the_end(file: BinaryIO | gzip.GzipFile, name: str) -> bytes:
    """Read all of a file that has an end, such as `/dev/zero` has not, and is not too large.

    Raises
    ------
    ValueError
        If it gives text, begins with a NUL byte, as no table does, or is too large.
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
        if n_bytes > MAX_BYTES:
            raise ValueError(
                f"{name} has more than {MAX_BYTES / 1e9:.0f} GB; fit it in parts, or on a cluster (fruler.distributed)"
            )
    return b"".join(parts)


def source_name(source: str | os.PathLike[str] | BinaryIO) -> str:
    """Give the file name of a path or of an open file, or a stand-in for what has none."""
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
    text = _unify_line_ends(_decode_utf16(raw, name) if raw.startswith(_UTF16_MARKS) else _decode_utf8(raw, name))
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{name}, line {line}: holds a NUL character; save the file as plain UTF-8 text")
    return text


def _decode_utf8(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _unify_line_ends(raw[: error.start].decode("utf-8", "replace")).count("\n") + 1
        raise ValueError(
            f"{name}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8 text; save the file with UTF-8 encoding "
            "(in Excel: CSV UTF-8), or convert it: iconv -f WINDOWS-1252 -t UTF-8"
        ) from None


def _decode_utf16(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-16")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-16", "replace")
        line = _unify_line_ends(before).count("\n") + 1
        raise ValueError(
            f"{name}, line {line}: the UTF-16 text is damaged or cut off; save the file with UTF-8 encoding"
        ) from None


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def one_line(error: Exception) -> str:
    """Return what an error of a library says, fit for a message of one line."""
    return printable(" ".join(str(error).split()))


def read_csv_exactly(text: str, **options: Any) -> pd.DataFrame:
    r"""Let pandas' C reader read a text, with every number rounded to the nearest float.

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
    """Return a column of the narrowest type that its values have, NaN for None.

    Examples
    --------
    >>> typed_column([1, None]).tolist()
    [1.0, nan]
    """
    return pd.Series([np.nan if value is None else value for value in values], dtype=object).infer_objects()


def numeric_target(column: pd.Series, origin: Origin) -> pd.Series:
    """Take a column as the target of a regression: finite numbers only.

    Parameters
    ----------
    column : Series
        The column, named, with the default index.
    origin : Origin
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
    numbers = _to_numbers(column)
    bad = ~np.isfinite(numbers)
    if not bad.any():
        return pd.Series(numbers, index=column.index, name=column.name)
    row = int(np.argmax(bad))
    value = column.iloc[row]
    if pd.isna(value):
        problem = "the target is missing; fill it in or remove the row"
    elif np.isinf(numbers[row]):
        problem = f"the target {quoted(str(value))} is not finite; correct it or remove the row"
    else:
        advice = number_advice(str(value)) or "correct it, remove the row or choose another target"
        problem = f"the target {quoted(str(value))} is not a number; {advice}"
    raise ValueError(f"{origin.at(row, str(column.name))}: {problem}")


def _to_numbers(column: pd.Series) -> NDArray[np.float64]:
    """Turn a column into floats, with NaN for all that is no number; truth values and dates are none."""
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_complex_dtype(dtype):
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
            return np.full(len(column), np.nan)
        column = pd.to_numeric(column.astype(object), errors="coerce")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
