"""Checkpoints: the folder of a run, its file, and the identity of the run.

The file is an .npz with a JSON document and arrays. It is written atomically, and nothing in it is executed. Only one
process at a time can use the folder. The file is written periodically, after each stage, and at the end of the run.
"""

from __future__ import annotations

import io
import json
import os
import struct
import time
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import GenericAlias, TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from fruler import __version__
from fruler._files import lock_folder, write_whole
from fruler.learning._codec import Arrays, Document, pack, unpack
from fruler.learning._training_table import TrainingTable
from fruler.learning.algorithm import Algorithm, State
from fruler.learning.learned import Learned

_DOCUMENT, _SUFFIX = "document", ".npy"
# The errors from reading a file that is not a checkpoint, or is truncated.
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


def damaged(reason: str) -> ValueError:
    """Return the error for a checkpoint whose content is impossible."""
    return ValueError(f"the checkpoint is damaged: {reason}; delete its folder, or choose another.")


def write_file(path: Path, document: Document, arrays: Arrays) -> None:
    """Write a document and arrays.

    Raises
    ------
    OSError
        If the file cannot be written; an existing file then stays unchanged.
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
        If the file is not a checkpoint.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    with zipfile.ZipFile(io.BytesIO(content)) as stored:
        arrays = {member.filename.removesuffix(_SUFFIX): _array(stored, member) for member in stored.infolist()}
    document = json.loads(arrays.pop(_DOCUMENT).tobytes())
    if not isinstance(document, dict):
        raise ValueError("its document is not an object")
    return document, arrays


def _array(stored: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    # An array that is not compressed takes no more memory than the file.
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename!r} is compressed")
    content = io.BytesIO(stored.read(member))
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise ValueError(f"{member.filename!r} has the version {version}")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(content)
    if dtype.hasobject:
        raise ValueError(f"{member.filename!r} holds objects, which allow_pickle=False refuses")
    values = np.frombuffer(content.getbuffer()[content.tell() :], dtype=dtype)
    # A copy, since kernels need arrays that own their data.
    return values.reshape(shape, order="F" if by_columns else "C").copy()


# The settings that are left out of a run's identity if they have these values.
_LEFT_OUT: dict[str, Any] = {"link": "identity", "bounds": [None, None]}


@dataclass(frozen=True)
class Identity:
    """Everything that a search depends on.

    Attributes
    ----------
    data : mapping of str to str
        Digests of the inputs, the target and the weights.
    settings : mapping
        The parameters that matter, in a form that JSON can hold.
    seed : tuple of int
        The seed of the random number generator.
    random_state : int, str or None
        The `random_state` that the user gave; None: any seed will do.
    limits : tuple of str
        The settings that only determine when the search ends.
    """

    data: Mapping[str, str]
    settings: Mapping[str, Any]
    seed: tuple[int, ...]
    random_state: int | str | None
    limits: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, algorithm: Algorithm, options: Any, table: TrainingTable, random_state: Any, *, with_data: bool = True
    ) -> Self:
        """Describe a run that is about to start, and draw its seed; without `with_data` the data are not read."""
        settings = {
            "algorithm": algorithm.name,
            **{name: _plain(value) for name, value in asdict(options).items()},
            "split_points": {table.names[j]: points.tolist() for j, points in sorted(table.known_splits.items())},
            "names of the inputs": list(table.names),
            # Left out by default, so that checkpoints from before these options existed can resume.
            **({} if table.output.is_plain else {"link": table.output.link, "bounds": list(table.output.bounds)}),
            "version of fruler": __version__,
        }
        drawn = check_random_state(random_state).randint(2**31, size=4)
        given = random_state if random_state is None else _plain(random_state)
        return cls(
            table.digests if with_data else {},
            settings,
            tuple(int(number) for number in drawn),
            given if given is None or isinstance(given, int) else "a generator",
            algorithm.limits,
        )

    def with_calibration(self, share: float | None) -> Self:
        """Return the same run, with the share of the rows that were held out; None is left out as above."""
        return self if share is None else replace(self, settings={**self.settings, "calibration": float(share)})

    def with_seed(self, seed: tuple[int, ...], random_state: int | str | None) -> Self:
        """Return the same run with the seed of another run."""
        return replace(self, seed=seed, random_state=random_state)

    def differences(self, there: Identity, *, with_limits: bool = True) -> list[str]:
        """Return one text for each difference between an earlier run, `there`, and this one."""
        names = {**self.data, **there.data}
        found = [f"{name} has changed" for name in names if there.data.get(name) != self.data.get(name)]
        if self.settings.get("calibration") != there.settings.get("calibration"):
            # Other rows are held out, so the rows to learn from have changed for that reason alone.
            found = []
        for name in {**self.settings, **there.settings}:
            if not with_limits and name in self.limits:
                continue
            one, other = (settings.get(name, _LEFT_OUT.get(name)) for settings in (there.settings, self.settings))
            if one != other:
                found.append(f"{name} was {one!r} and is now {other!r}")
        if self.random_state is not None and self.seed != there.seed:
            found.append(f"random_state was {there.random_state!r} and is now {self.random_state!r}")
        return found


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


FILE = "checkpoint.npz"
# The seconds before a search is first written, and the longest pause after that: a search is written again after as
# long as it has taken so far, but no later. Writing may take at most this share of the time.
FIRST_SECONDS, SECONDS, MAX_SHARE = 0.5, 10.0, 0.005
_FORMAT = 3


class CheckpointFolder:
    """A folder that keeps one run.

    Parameters
    ----------
    folder : path
        The folder; it is created if it does not exist.
    algorithm : Algorithm
        The algorithm of the run.
    identity : Identity
        The run that is about to start.
    resume : bool
        Whether to resume a run that differs only in when it ends.

    Attributes
    ----------
    identity : Identity
        The run, with the seed that is stored in the folder.
    state : State or None
        The state to resume from.
    learned : Learned or None
        The result of the run, if it is finished.
    """

    def __init__(
        self, folder: str | os.PathLike[str], algorithm: Algorithm, identity: Identity, *, resume: bool
    ) -> None:
        self.folder, self.algorithm, self.identity, self.resume = Path(folder), algorithm, identity, resume
        self.state: State | None = None
        self.learned: Learned | None = None
        self._start = time.monotonic()
        self._due = self._start + min(FIRST_SECONDS, SECONDS)
        self._written: State | None = None
        self._lock = -1

    def __enter__(self) -> Self:
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"checkpoint={str(self.folder)!r} is a file; name a folder.")
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = lock_folder(self.folder, f"another fit is using checkpoint={str(self.folder)!r}")
        except BlockingIOError as error:
            raise ValueError(
                f"another fit is using checkpoint={str(self.folder)!r}; wait until it ends, or choose another folder."
            ) from error
        # A process that was killed while it wrote has left its part of a file.
        for part in self.folder.glob(f".{FILE}.*"):
            part.unlink(missing_ok=True)
        try:
            self._read()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)

    @property
    def _content(self) -> Any:
        """The type of the file's content: the state, and the result if the run is finished."""
        state = Any if self.algorithm.state is None else self.algorithm.state
        return GenericAlias(tuple, (state | None, Learned | None))

    def offer(self, state: State, /, *, at_once: bool = False) -> None:
        """Write a state if the next write is due, or with `at_once`."""
        if state is not self._written and (at_once or time.monotonic() >= self._due):
            self.write(state)

    def write(self, state: State | None, learned: Learned | None = None) -> None:
        """Write a state, and the result if the run is finished; if writing fails, warn and let the search continue."""
        start = time.monotonic()
        identity, _ = pack(Identity, self.identity)
        content, arrays = pack(self._content, (None if self.algorithm.state is None else state, learned))
        document = {"format": _FORMAT, "identity": identity, "content": content}
        try:
            write_file(self.folder / FILE, document, arrays)
        except OSError as error:
            warnings.warn(f"the checkpoint was not written: {error.strerror or error}", RuntimeWarning, stacklevel=2)
        end = time.monotonic()
        self._written = state
        pause = min(SECONDS, max(FIRST_SECONDS, end - self._start))
        self._due = end + max(pause, (end - start) / MAX_SHARE)

    def _read(self) -> None:
        path = self.folder / FILE
        try:
            content = read_file(path)
            if content is None:
                return
            document, arrays = content
            there = None if document["format"] != _FORMAT else unpack(Identity, document["identity"], {})
        except DAMAGE as error:
            raise self._damaged(error) from error
        if there is None:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} was written by another version of fruler; delete the folder, or "
                "choose another."
            )
        self._check(there)
        self.identity = replace(self.identity.with_seed(there.seed, there.random_state), data=there.data)
        try:
            self.state, learned = unpack(self._content, document["content"], arrays)
        except DAMAGE as error:
            raise self._damaged(error) from error
        self.learned = learned if there.settings == self.identity.settings else None

    def _check(self, there: Identity) -> None:
        if not self.identity.differences(there, with_limits=not self.resume):
            return
        only_limits = not self.identity.differences(there, with_limits=False)
        remedy = "Resume it with warm_start=True" if only_limits else "Use the same data and settings"
        raise ValueError(
            f"checkpoint={str(self.folder)!r} belongs to another run: {'; '.join(self.identity.differences(there))}. "
            f"{remedy}, or choose another folder."
        )

    def _damaged(self, error: BaseException) -> ValueError:
        return ValueError(
            f"checkpoint={str(self.folder)!r} is damaged ({type(error).__name__}: {error}); delete the folder, or "
            "choose another."
        )
