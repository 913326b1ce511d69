"""The output of commands, to standard output or to a file."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fruler._cli.input import STDIN, same_file
from fruler._files import whole_file, write_whole
from fruler._wording import install_advice, is_printable, printable

if TYPE_CHECKING:
    import pandas as pd

STDOUT = "-"
_CHUNK = 1 << 16
_LAYOUT = "\n\t"


def check_destination(where: str | Path | None, *inputs: str | Path | None) -> None:
    """Raise an error if a file cannot be written, before any work is done.

    Parameters
    ----------
    where : str, Path or None
        The file to write; None or ``-`` means standard output or nothing.
    *inputs : str, Path or None
        Files that are read and must not be overwritten.

    Raises
    ------
    ValueError
        If the file cannot be written, with what to do.
    """
    if where is None or where == STDOUT:
        return
    path = Path(where)
    for source in inputs:
        if source not in (None, STDIN) and same_file(path, source):
            raise ValueError(f"{str(path)!r} is an input of this command and would be overwritten; choose another name")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; name a file in it")
    folder = path.parent
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"{str(path)!r} cannot be written: the folder {str(folder)!r} {what}; choose another path")
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is not a regular file; choose another path")
    try:
        # Permissions do not reveal every obstacle, so try it.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"{str(path)!r} cannot be written: the folder {str(folder)!r} is not writable "
            f"({error.strerror}); choose another path"
        ) from None


def show(text: str, *, err: bool = False) -> None:
    """Write text for people to standard output or standard error, with control characters escaped."""
    typer.echo(printable(text, keep=_LAYOUT), err=err)


def write_output(where: str, content: str | bytes) -> None:
    """Write to a file, or to standard output for ``-``."""
    if where != STDOUT:
        write_whole(Path(where), content)
        return
    sys.stdout.flush()
    if isinstance(content, str) and sys.stdout.isatty():
        # Programs get the values as they are, terminals without control characters.
        content = printable(content, keep=_LAYOUT)
    # Bytes, since a file is UTF-8 whatever the encoding of the terminal.
    left = memoryview(content.encode() if isinstance(content, str) else content)
    while left:
        # An unbuffered stream may write only a part; write() returns its length.
        left = left[sys.stdout.buffer.write(left[:_CHUNK]) :]
    sys.stdout.buffer.flush()


def write_frames(where: str, frames: Iterable[pd.DataFrame]) -> None:
    """Write tables with the same columns one below the other, as CSV, or to a file with the suffix .parquet."""
    if where.lower().endswith(".parquet"):
        _write_parquet(Path(where), frames)
        return
    # If a missing prediction is the only value of a line, pandas writes quotes, since readers skip empty lines.
    texts = (frame.to_csv(index=False, header=number == 0, lineterminator="\n") for number, frame in enumerate(frames))
    if where == STDOUT:
        for text in texts:
            write_output(where, text)
        return
    with whole_file(Path(where)) as file:
        for text in texts:
            file.write(text.encode())


def _write_parquet(path: Path, frames: Iterable[pd.DataFrame]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise ValueError(f"Parquet files need pyarrow; {install_advice('parquet')}") from None
    with whole_file(path) as file:
        writer = None
        for frame in frames:
            table = pa.Table.from_pandas(frame, schema=writer and writer.schema, preserve_index=False)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def as_json(document: Any) -> str:
    """Return a document as JSON, with control characters escaped."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if is_printable(text.replace("\n", "")):
        return text
    return "".join(
        character if character == "\n" or is_printable(character) else json.dumps(character)[1:-1] for character in text
    )
