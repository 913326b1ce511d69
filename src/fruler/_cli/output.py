"""What commands write: to standard output, or to a file that is then whole."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from fruler._cli.input import STDIN, same_file
from fruler._files import write_whole
from fruler._wording import install_advice, is_printable, printable

STDOUT = "-"
_CHUNK = 1 << 16
_LAYOUT = "\n\t"


def check_destination(where: str | Path | None, *inputs: str | Path | None) -> None:
    """Refuse a place where no file can be written before any work is done.

    Parameters
    ----------
    where : str, Path or None
        Where the file is to be; None, and ``-``, is no file.
    *inputs : str, Path or None
        Files that are read and must not be overwritten.

    Raises
    ------
    ValueError
        With what is wrong and what to do.
    """
    if where is None or where == STDOUT:
        return
    path = Path(where)
    for source in inputs:
        if source not in (None, STDIN) and same_file(path, source):
            raise ValueError(f"{str(path)!r} is read by this command and would be overwritten; choose another name")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; name a file in it")
    folder = path.parent
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise ValueError(f"{str(path)!r} cannot be written: the folder {str(folder)!r} {what}; choose another path")
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is no ordinary file; choose another path")
    try:
        # Permissions do not tell of everything that can be in the way.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"{str(path)!r} cannot be written: nothing can be put into the folder {str(folder)!r} "
            f"({error.strerror}); choose another path"
        ) from None


def require_jinja() -> None:
    """Refuse to promise a report where one cannot be made, before any work is done."""
    if find_spec("jinja2") is None:
        raise ValueError(f"a report needs Jinja2; {install_advice('report')}")


def show(text: str, *, err: bool = False) -> None:
    """Write text for people to standard output, or to standard error, with nothing in it that a terminal obeys."""
    typer.echo(printable(text, keep=_LAYOUT), err=err)


def write_output(where: str, content: str | bytes) -> None:
    """Write to a file, or to standard output for ``-``."""
    if where != STDOUT:
        write_whole(Path(where), content)
        return
    sys.stdout.flush()
    if isinstance(content, str) and sys.stdout.isatty():
        # A program gets what the table holds, a terminal what can be shown of it.
        content = printable(content, keep=_LAYOUT)
    # Bytes, since a file is UTF-8 whatever the terminal speaks.
    left = memoryview(content.encode() if isinstance(content, str) else content)
    while left:
        # An output without a buffer may take a part only, and says how much.
        left = left[sys.stdout.buffer.write(left[:_CHUNK]) :]
    sys.stdout.buffer.flush()


def as_json(document: Any) -> str:
    """Write a document that machines read; what a terminal would obey is escaped as JSON does."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if is_printable(text.replace("\n", "")):
        return text
    return "".join(
        character if character == "\n" or is_printable(character) else json.dumps(character)[1:-1] for character in text
    )
