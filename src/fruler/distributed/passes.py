"""Passes over all rows: a function of every block, and what it returns put together in the order of the blocks."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future

from fruler.distributed.blocks import Block
from fruler.distributed.cluster import collect
from fruler.distributed.recipes import NextRecipe, Recipe

# How many results are put together by one task.
_FAN_IN = 8
# How often a task that fails is tried again, e.g. when a file could not be read.
_RETRIES = 2


class Job(NamedTuple):
    """One pass: `function(block, argument)` of every block, `merge(earlier, later)`, and `finish(merged, argument)`.

    What was sent before and is `shared` by many passes is one more argument of the function and of `finish`.
    """

    function: Callable[..., Any]
    argument: Any
    merge: Callable[[Any, Any], Any]
    finish: Callable[..., Any] | None = None
    shared: Future | None = None


class Blocks:
    """All rows, as blocks that workers hold or know how to read.

    Parameters
    ----------
    client : Client
        The way to the cluster.
    handles : sequence of Future
        Of a block or of a `Recipe` each, in the order of the rows.
    timeout : float
        Seconds that there may be no worker at all.
    held : bool
        Whether the workers hold the blocks; else they know how to read them.
    """

    def __init__(self, client: Client, handles: Sequence[Future], timeout: float, *, held: bool = True) -> None:
        self.client, self.handles, self.timeout, self.held = client, list(handles), timeout, held
        self._run, self._counter = uuid.uuid4().hex[:8], itertools.count()

    def each(self, function: Callable[..., Any], arguments: Sequence[Any]) -> list[Any]:
        """Return a function of every block and its own argument; blocks whose argument is None are left out."""
        chosen = [k for k, argument in enumerate(arguments) if argument is not None]
        handles, given = [self.handles[k] for k in chosen], [arguments[k] for k in chosen]
        futures = self.client.map(
            run_on_block,
            [function] * len(chosen),
            handles,
            given,
            key=self._keys("each", len(chosen)),
            retries=_RETRIES,
            pure=False,
        )
        return collect(self.client, futures, self.timeout)

    def kept(self, function: Callable[[Block, Any], Any], argument: Any) -> Blocks:
        """Return other blocks, made of these and kept by the workers."""
        return Blocks(self.client, self._parts(function, argument), self.timeout)

    def followed_by(self, function: Callable[..., Any], shared: Any, arguments: Sequence[Any]) -> Blocks:
        """Return what becomes of these blocks: kept where these are held, else made again whenever it is needed.

        Parameters
        ----------
        function : callable
            Of a block, of what is `shared` by all, and of the block's own argument.
        shared : object
            Sent once.
        arguments : sequence
            One for each block; None: there is none.
        """
        n = len(self.handles)
        sent = [self.send(argument) for argument in arguments]
        keys = self._keys(function.__name__, n)
        functions, everywhere = [function] * n, [self.send(shared)] * n
        futures = self.client.map(
            made_of, functions, self.handles, everywhere, sent, key=keys, retries=_RETRIES, pure=False
        )
        return Blocks(self.client, futures, self.timeout, held=self.held)

    def reduce(self, jobs: Sequence[Job], deadline: float = np.inf) -> list[Any]:
        """Make passes, all sent out together; what the blocks give is put together by the workers.

        What is put together with what depends on the number of blocks alone, so that sums are the same to the last bit
        whoever computed them, and however often.
        """
        return collect(self.client, [self._reduce(job) for job in jobs], self.timeout, deadline)

    def _reduce(self, job: Job) -> Future:
        argument = self._sent(job.argument)
        shared = () if job.shared is None else (job.shared,)
        parts = self._parts(job.function, argument, *shared)
        while len(parts) > 1:
            groups = [parts[k : k + _FAN_IN] for k in range(0, len(parts), _FAN_IN)]
            merges = [job.merge] * len(groups)
            parts = self.client.map(merge_all, merges, groups, key=self._keys("merge", len(groups)), pure=False)
        if job.finish is None:
            return parts[0]
        return self.submit(job.finish, parts[0], argument, *shared)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Send one task; arguments may be futures."""
        [key] = self._keys(function.__name__, 1)
        return self.client.submit(function, *arguments, key=key, retries=_RETRIES, pure=False)

    def _sent(self, argument: Any) -> Any:
        """Send an argument of all blocks once; as a task, so that it can be had again when its worker is lost."""
        if argument is None or isinstance(argument, Future):
            return argument
        return self.submit(itself, argument)

    def _parts(self, function: Callable[..., Any], argument: Any, *shared: Future) -> list[Future]:
        n = len(self.handles)
        given = ([one] * n for one in (self._sent(argument), *shared))
        functions, keys = [function] * n, self._keys(function.__name__, n)
        futures: list[Future] = self.client.map(
            run_on_block, functions, self.handles, *given, key=keys, retries=_RETRIES, pure=False
        )
        return futures

    def send(self, argument: Any) -> Future:
        """Send what many passes will need, once."""
        future: Future = self._sent(argument)
        return future

    def _keys(self, what: str, count: int) -> list[str]:
        return [f"fruler-{what}-{self._run}-{next(self._counter)}" for _ in range(count)]


def run_on_block(function: Callable[..., Any], handle: Any, *arguments: Any) -> Any:
    """Run a function on a block, which is read first where it is not held."""
    return function(handle.read() if isinstance(handle, Recipe) else handle, *arguments)


def made_of(function: Callable[..., Any], handle: Any, *arguments: Any) -> Any:
    """Run a function on a block; where that is not held, return how to do so."""
    return NextRecipe(handle, function, arguments) if isinstance(handle, Recipe) else function(handle, *arguments)


def merge_all(merge: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    """Put results together, one after the other."""
    merged = parts[0]
    for part in parts[1:]:
        merged = merge(merged, part)
    return merged


def itself(argument: Any) -> Any:
    """Return the argument: a task whose result is known."""
    return argument
