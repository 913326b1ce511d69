"""Files that are written whole or not at all, and folders that are one process's alone."""

from __future__ import annotations

import os
import sys
import tempfile
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
    if path.is_file() and path.read_bytes() == data:
        return path
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; these are for everyone, as far as the owner's mask allows.
        os.chmod(temporary, 0o666 & ~_mask())
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(
                error.errno,
                f"{str(path)!r} could not be written ({error.strerror or error}); {remedy}",
            ) from error
        raise
    return path


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


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
