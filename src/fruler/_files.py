"""Files that are written whole or not at all, and folders that are locked by one process."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: str | bytes, *, remedy: str = "make room, or choose another folder") -> Path:
    """Write a file so that readers find the old or the new content, never a part; keep a file with the same content.

    Parameters
    ----------
    path : Path
        The file.
    content : str or bytes
        The content; text is written as UTF-8.
    remedy : str
        The advice to the user in the message of a failure.

    Raises
    ------
    OSError
        If the file cannot be written; the old file is then unchanged.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if _mode_of(path) is not None and path.stat().st_size == len(data) and path.read_bytes() == data:
            return path
    except OSError as error:
        raise _unwritten(path, error, remedy) from error
    with whole_file(path, remedy=remedy) as file:
        file.write(data)
    return path


@contextmanager
def whole_file(path: Path, *, remedy: str = "make room, or choose another folder") -> Iterator[BinaryIO]:
    """Open a file to write, which takes the place of the old one when it is complete; see `write_whole`."""
    temporary: Path | None = None
    try:
        mode = _mode_of(path)
        temporary, handle = _new_file_beside(path)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritten(path, error, remedy) from error
        raise


def _unwritten(path: Path, error: OSError, remedy: str) -> OSError:
    """Return the error of a file that could not be written, with what to do."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return OSError(error.errno, f"there is no folder {str(path.parent)!r} to write {path.name!r} to; create it")
    return OSError(error.errno, f"{str(path)!r} could not be written ({error.strerror or error}); {remedy}")


def _mode_of(path: Path) -> int | None:
    """Return the permissions of the old file, which the new one inherits; None if there is no old file."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(mode):
        # Replacing a folder fails; replacing a device would succeed.
        raise OSError(errno.EINVAL, "it is not a regular file")
    return stat.S_IMODE(mode)


def _new_file_beside(path: Path) -> tuple[Path, int]:
    """Open a new file in the same folder, with the permissions that the umask gives."""
    temporary = path.with_name(f".{path.name[:50]}.{secrets.token_hex(6)}")
    return temporary, os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)


def lock_folder(folder: Path, message: str) -> int:
    """Lock a folder until the process ends or closes the returned descriptor.

    Parameters
    ----------
    folder : Path
        The folder.
    message : str
        The message of the error if another process has locked the folder.

    Raises
    ------
    BlockingIOError
        If the folder is already locked.
    """
    # The file stays when the lock is released: a lock on a file that another process has removed locks nothing.
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise BlockingIOError(error.errno, message) from error
    return descriptor


def read_at_most(path: Path, most: int, kind: str = "file") -> bytes:
    """Return the content of a file; of a larger one only `most` bytes and one more, by which callers detect it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the path is a folder; the message names the `kind` of file to give.
    """
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the path of a {kind}")
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the path") from None
