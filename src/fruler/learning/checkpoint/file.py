"""A checkpoint's file: a JSON document and arrays in one .npz, written whole or not at all, and never executed."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._files import write_whole
from fruler.learning.algorithm import Arrays, Document

_DOCUMENT, _SUFFIX = "document", ".npy"
# What reading a file that is none, or only a part of one, raises.
DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
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
    with zipfile.ZipFile(io.BytesIO(content)) as stored:
        arrays = {member.filename.removesuffix(_SUFFIX): _array(stored, member) for member in stored.infolist()}
    document = json.loads(arrays.pop(_DOCUMENT).tobytes())
    if not isinstance(document, dict):
        raise ValueError("no document")
    return document, arrays


def _array(stored: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    # What is not packed takes no more room than the file does.
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename!r} is packed")
    content = io.BytesIO(stored.read(member))
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise ValueError(f"{member.filename!r} is of version {version}")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(content)
    if dtype.hasobject:
        raise ValueError(f"{member.filename!r} holds objects, which allow_pickle=False refuses")
    values = np.frombuffer(content.getbuffer()[content.tell() :], dtype=dtype)
    # A copy, since kernels need arrays that are theirs.
    return values.reshape(shape, order="F" if by_columns else "C").copy()
