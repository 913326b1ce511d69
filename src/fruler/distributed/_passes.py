"""Passes over all rows: a function is applied to every block, and results are combined in the order of the blocks."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from distributed import Client, Future

from fruler.distributed._cluster import collect

# The number of results that one task combines.
_FAN_IN = 8
# The number of times that a failed task is repeated, e.g. if a file could not be read.
_RETRIES = 2


@dataclass(frozen=True)
class Recipe:
    """A recipe to compute a block whenever it is needed, if the workers do not hold it.

    Attributes
    ----------
    function : callable
        Returns the block.
    arguments : tuple
        The arguments of the function; a recipe among them stands for its block.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def read(self) -> Any:
        """Compute the block, in the calling thread."""
        return self.function(*map(read_block, self.arguments))


class Blocks:
    """All rows, as blocks that workers hold or read.

    Parameters
    ----------
    client : Client
        The client of the cluster.
    handles : sequence of Future
        Each is a block or a `Recipe`, in the order of the rows.
    timeout : float
        The number of seconds without any worker after which a pass fails.
    held : bool
        Whether the workers hold the blocks; otherwise they read them for every pass.
    """

    def __init__(self, client: Client, handles: Sequence[Future], timeout: float, *, held: bool = True) -> None:
        self.client, self.handles, self.timeout, self.held = client, list(handles), timeout, held
        self._run, self._counter = uuid.uuid4().hex[:8], itertools.count()

    def __len__(self) -> int:
        return len(self.handles)

    def each(self, function: Callable[[Any, Any], Any], arguments: Sequence[Any]) -> list[Any]:
        """Return the results of a function of every block and its own argument; blocks with None are left out."""
        chosen = [k for k, argument in enumerate(arguments) if argument is not None]
        handles, own = [self.handles[k] for k in chosen], [arguments[k] for k in chosen]
        return collect(self.client, self._mapped(run_on_block, function, handles, own), self.timeout)

    def reduce(self, function: Callable[[Any, Any], Any], argument: Any, merge: Callable[[Any, Any], Any]) -> Any:
        """Apply a function to every block and one argument, and return the merged results.

        The workers merge, always an earlier with a later result, in an order that depends only on the number of blocks.
        So sums are the same to the last bit, whichever worker computes them and however often.
        """
        parts = self._mapped(run_on_block, function, self.handles, [self.send(argument)] * len(self))
        while len(parts) > 1:
            groups = [parts[k : k + _FAN_IN] for k in range(0, len(parts), _FAN_IN)]
            keys = self._keys("merge", len(groups))
            parts = self.client.map(reduce, [merge] * len(groups), groups, key=keys, pure=False)
        [merged] = collect(self.client, parts, self.timeout)
        return merged

    def kept(self) -> Blocks:
        """Return these blocks, read once and held by the workers."""
        held = self._mapped(run_on_block, itself, self.handles, [None] * len(self))
        return Blocks(self.client, held, self.timeout)

    def followed_by(self, function: Callable[..., Any], shared: Any, arguments: Sequence[Any]) -> Blocks:
        """Return the blocks that a function computes: held if these are held, otherwise computed when needed.

        Parameters
        ----------
        function : callable
            Takes a block, `shared`, and the block's own argument.
        shared : object
            An argument for all blocks; it is sent once.
        arguments : sequence
            One argument for each block; may be None.
        """
        own = [self.send(argument) for argument in arguments]
        futures = self._mapped(made_of, function, self.handles, [self.send(shared)] * len(self), own)
        return Blocks(self.client, futures, self.timeout, held=self.held)

    def send(self, argument: Any) -> Any:
        """Send an argument of many tasks once, as a task, so that it can be sent again if its worker is lost."""
        if argument is None:
            return None
        [key] = self._keys("send", 1)
        return self.client.submit(itself, argument, key=key, retries=_RETRIES, pure=False)

    def _mapped(self, run: Callable[..., Any], function: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """Start one task for each block, with its own arguments."""
        n = len(arguments[0])
        keys = self._keys(function.__name__, n)
        futures: list[Future] = self.client.map(run, [function] * n, *arguments, key=keys, retries=_RETRIES, pure=False)
        return futures

    def _keys(self, what: str, count: int) -> list[str]:
        return [f"fruler-{what}-{self._run}-{next(self._counter)}" for _ in range(count)]


def read_block(handle: Any) -> Any:
    """Return a block; compute it first if it is not held."""
    return handle.read() if isinstance(handle, Recipe) else handle


def run_on_block(function: Callable[[Any, Any], Any], handle: Any, argument: Any) -> Any:
    """Run a function on a block; compute the block first if it is not held."""
    return function(read_block(handle), argument)


def made_of(function: Callable[..., Any], handle: Any, *arguments: Any) -> Any:
    """Run a function on a block; if the block is not held, return a recipe for that."""
    return Recipe(function, (handle, *arguments)) if isinstance(handle, Recipe) else function(handle, *arguments)


def itself(argument: Any, nothing: None = None) -> Any:
    """Return the argument; as a task, it holds a known result or a block."""
    return argument
