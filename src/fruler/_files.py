"""Files that are written whole or not at all, and folders that are one process's alone."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from pathlib import Path


def write_whole(path: Path, content: str | bytes, *, remedy: str = "make room, or choose another folder") -> Path:
    """Write a file so that a reader finds the old one or the new one, and never a part; one that says the same stays.

    Parameters
    ----------
    path : Path
        Where to.
    content : str or bytes
        What; text is written as UTF-8.
    remedy : str
        What the message of a failure tells the user to do.

    Raises
    ------
    OSError
        If it cannot be written; the old file is then as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary: Path | None = None
    try:
        mode = _mode_of(path)
        if mode is not None and path.stat().st_size == len(data) and path.read_bytes() == data:
            return path
        temporary, handle = _new_file_beside(path)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            raise OSError(
                error.errno, f"there is no folder {str(path.parent)!r} to write {path.name!r} to; make it"
            ) from error
        if isinstance(error, OSError):
            raise OSError(
                error.errno,
                f"{str(path)!r} could not be written ({error.strerror or error}); {remedy}",
            ) from error
        raise
    return path


def _mode_of(path: Path) -> int | None:
    """Return the rights on the old file, which the new one inherits, or None where there is no old one."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(mode):
        # Replacing a folder fails; replacing a device would succeed.
        raise OSError(errno.EINVAL, "there is something else than a file")
    return stat.S_IMODE(mode)


def _new_file_beside(path: Path) -> tuple[Path, int]:
    """Open a new file in the same folder, with the rights that the user's mask gives."""
    temporary = path.with_name(f".{path.name[:50]}.{secrets.token_hex(6)}")
    return temporary, os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)


def lock_folder(folder: Path, message: str) -> int:
    """Lock a folder, until the process ends or closes the descriptor that is returned.

    Parameters
    ----------
    folder : Path
        The folder.
    message : str
        Of the error, if another process has locked it.

    Raises
    ------
    BlockingIOError
        If it is locked already.
    """
    # The file stays when the lock is given back: a lock on a file that another process has removed locks nothing.
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
    """Return what a file holds, of one that is larger a byte more than the most that is wanted.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is a folder; the message says what `kind` of file to give.
    """
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the path of a {kind}")
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the path") from None
