"""The folder in which a run is kept: opened by one process at a time, written now and then, and at the end."""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fruler._files import lock_folder
from fruler.learning.algorithm import Algorithm, Arrays, Document, State
from fruler.learning.checkpoint.file import DAMAGE, read_file, write_file
from fruler.learning.checkpoint.identity import Identity
from fruler.learning.checkpoint.learned import pack_learned, unpack_learned
from fruler.learning.learned import Learned

FILE = "checkpoint.npz"
# In seconds, when a search is written first, and the longest pause after that: it is written again after as long as it
# has taken so far, but no later. The writings may take no more than a share of the time.
FIRST_SECONDS, SECONDS, MAX_SHARE = 0.5, 10.0, 0.005
_FORMAT = 2


class CheckpointFolder:
    """A folder that keeps one run.

    Parameters
    ----------
    folder : path
        The folder; it is made if it is not there.
    algorithm : Algorithm
        Whose state is kept.
    identity : Identity
        The run that is about to start.
    resume : bool
        Whether to resume a run that differs only in when it ends.

    Attributes
    ----------
    identity : Identity
        The run, with the seed that the folder knows for it.
    state : State or None
        The state to resume from.
    learned : Learned or None
        What the run found, if it is finished.
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
                f"another fit is using checkpoint={str(self.folder)!r}; wait for its end, or choose another folder."
            ) from error
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

    def offer(self, state: State, /, *, at_once: bool = False) -> None:
        """Write a state, if the last writing is long enough ago or it must be written at once."""
        if state is not self._written and (at_once or time.monotonic() >= self._due):
            self.write(state)

    def write(self, state: State | None, learned: Learned | None = None) -> None:
        """Write a state, and what the run found if it is finished; where that fails, the search goes on unkept."""
        start = time.monotonic()
        document: dict[str, Any] = {"format": _FORMAT, "identity": self.identity.to_json(), "learned": None}
        arrays: dict[str, Any] = {}
        if state is not None and self.algorithm.codec is not None:
            document["state"], arrays = self.algorithm.codec.pack(state)
        if learned is not None:
            document["learned"], more = pack_learned(learned)
            arrays = arrays | more
        try:
            write_file(self.folder / FILE, document, arrays)
        except OSError as error:
            warnings.warn(f"the search is not kept: {error.strerror or error}", RuntimeWarning, stacklevel=2)
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
            there = None if document["format"] != _FORMAT else Identity.from_json(document["identity"])
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
            self._unpack(document, arrays, finished=there.settings == self.identity.settings)
        except DAMAGE as error:
            raise self._damaged(error) from error

    def _unpack(self, document: Document, arrays: Arrays, *, finished: bool) -> None:
        state = document.get("state")
        if state is not None and self.algorithm.codec is not None:
            self.state = self.algorithm.codec.unpack(state, arrays)
        if finished and document["learned"] is not None:
            self.learned = unpack_learned(document["learned"], arrays)

    def _check(self, there: Identity) -> None:
        if not self.identity.differences(there, with_limits=not self.resume):
            return
        only_limits = not self.identity.differences(there, with_limits=False)
        remedy = "Resume it with warm_start=True" if only_limits else "Give the same"
        raise ValueError(
            f"checkpoint={str(self.folder)!r} is of another run: {'; '.join(self.identity.differences(there))}. "
            f"{remedy}, or choose another folder."
        )

    def _damaged(self, error: BaseException) -> ValueError:
        return ValueError(
            f"checkpoint={str(self.folder)!r} is damaged ({type(error).__name__}: {error}); delete the folder, or "
            "choose another."
        )
