"""A checkpoint's file: a JSON document and arrays in one .npz, written whole or not at all, and never executed."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path

import numpy as np

from fruler._files import write_whole
from fruler.learning.algorithm import Arrays, Document

_DOCUMENT = "document"
# What reading a file that is none, or only a part of one, raises.
DAMAGE = (
    EOFError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_file(path: Path, document: Document, arrays: Arrays) -> None:
    """Write a document and arrays.

    Raises
    ------
    OSError
        If they cannot be written; the file is then as it was.
    """
    text = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{_DOCUMENT: text}, **arrays)
    write_whole(path, buffer.getvalue())


def read_file(path: Path) -> tuple[Document, Arrays] | None:
    """Return the document and the arrays of a file; None if there is no such file.

    Raises
    ------
    One of `DAMAGE`
        If it is anything else.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise ValueError("no archive")
        arrays = {name: stored[name] for name in stored.files}
    document = json.loads(arrays.pop(_DOCUMENT).tobytes())
    if not isinstance(document, dict):
        raise ValueError("no document")
    return document, arrays
