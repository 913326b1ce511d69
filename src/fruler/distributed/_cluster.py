"""The cluster: whether it can be worked with, and waiting for what it computes without waiting for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import dask
import distributed
import numpy as np
from distributed import Client, Future, KilledWorker
from distributed.comm.core import CommClosedError

# Seconds between two looks at whether the cluster is still there.
_POLL = 1.0
# The least seconds that a scheduler has to answer such a question: it may be busy, e.g. importing what it is sent.
_ANSWER = 30.0
_WITH_A_CHECKPOINT = "Fit again on another cluster; with the same checkpoint=FOLDER it resumes where it was"


class ClusterLost(RuntimeError):
    """The error of a fit whose cluster is gone: the scheduler, every worker, or several workers by one task.

    See Also
    --------
    DaskFuzzyRuleRegressor : Raises it; with a checkpoint, the same fit resumes on another cluster.

    Examples
    --------
    >>> issubclass(ClusterLost, RuntimeError)
    True
    """


def worker_versions() -> dict[str, str]:
    """Return the versions that must be the same everywhere."""
    import fruler

    return {"dask": dask.__version__, "distributed": distributed.__version__, "fruler": fruler.__version__}


def find_client(client: Client | None) -> Client:
    """Return the client that was given, or the current one.

    Raises
    ------
    ValueError
        If there is none, or if it is closed.
    """
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "There is no Dask client; make one first, e.g. client = dask.distributed.Client(), or give client=."
            ) from None
    if not isinstance(client, Client):
        raise ValueError(f"client must be a dask.distributed.Client; got {client!r}.")
    if client.status != "running":
        raise ValueError(f"The Dask client is {client.status}; make a new one and give it as client=.")
    return client


def check_workers(client: Client, timeout: float) -> None:
    """Wait for a worker, and refuse workers with another Dask or fruler than here.

    Raises
    ------
    ClusterLost
        If no worker comes, or the scheduler does not answer.
    ValueError
        If a worker has other versions, or no fruler at all.
    """
    here = worker_versions()
    for address, versions in _answers(client, timeout).items():
        if isinstance(versions, ModuleNotFoundError):
            raise ValueError(f"Worker {address} can't import {versions.name}; install fruler[dask] there.")
        for name, version in here.items():
            if versions[name] != version:
                raise ValueError(
                    f"Worker {address} has {name} {versions[name]}, but here it is {version}; "
                    "install the same version in both places."
                )


def _answers(client: Client, timeout: float) -> dict[str, Any]:
    """Return what every worker says of its versions; those that are lost meanwhile are not waited for."""
    end = time.monotonic() + timeout
    while True:
        try:
            client.wait_for_workers(1, timeout=max(end - time.monotonic(), _POLL))
            found = client.run(worker_versions, on_error="return")
        except TimeoutError:
            raise ClusterLost(f"No worker came within {timeout:g} seconds; start one, or raise timeout=.") from None
        silent = {
            address: versions
            for address, versions in found.items()
            if isinstance(versions, BaseException) and not isinstance(versions, ModuleNotFoundError)
        }
        if found and not silent:
            return dict(found)
        # A worker that has just died is still listed for a moment.
        if time.monotonic() > end:
            address, error = next(iter(silent.items()), ("", None))
            raise ClusterLost(f"Worker {address} has not answered for {timeout:g} seconds: {error!r}.") from error
        time.sleep(min(_POLL, timeout / 10.0))


@contextmanager
def losses_named(client: Client) -> Iterator[None]:
    """Say that the scheduler is lost, whatever Dask says of it."""
    try:
        yield
    except (CancelledError, CommClosedError) as error:
        raise _scheduler_lost(client) from error


def memory_of_workers(client: Client) -> float:
    """Return the bytes that all workers together may use; infinite where one has no limit."""
    try:
        known = client.scheduler_info(n_workers=-1)
    except TypeError:  # an older Dask, which tells of all anyway
        known = client.scheduler_info()
    limits = [worker["memory_limit"] for worker in known["workers"].values()]
    return float(sum(limits)) if limits and all(limits) else np.inf


def collect(client: Client, futures: Sequence[Future], timeout: float) -> list[Any]:
    """Wait for futures and return their results.

    Parameters
    ----------
    client : Client
        Whose futures these are.
    futures : sequence of Future
        What is waited for.
    timeout : float
        Seconds that there may be no worker at all.

    Raises
    ------
    ClusterLost
        If the scheduler is gone, or no worker is left, or one task has taken several workers down.
    """
    alone_since: float | None = None
    try:
        while not all(future.done() for future in futures):
            try:
                with client.as_current():
                    distributed.wait(futures, timeout=_POLL)
            except TimeoutError:
                if _n_workers(client, max(timeout, _ANSWER)):
                    alone_since = None
                elif alone_since is None:
                    alone_since = time.monotonic()
                elif time.monotonic() - alone_since > timeout:
                    raise ClusterLost(
                        f"Every worker is lost, and none has come back for {timeout:g} seconds. {_WITH_A_CHECKPOINT}."
                    ) from None
        return list(client.gather(list(futures)))
    except KilledWorker as error:
        raise ClusterLost(
            f"Several workers died over the same partition, the last at {error.last_worker.address}; most often it "
            "does not fit into their memory: use smaller partitions or larger workers."
        ) from error


def _n_workers(client: Client, seconds: float) -> int:
    if client.status != "running":
        raise _scheduler_lost(client)
    try:
        return len(client.sync(client.scheduler.ncores, callback_timeout=seconds))
    except (OSError, TimeoutError) as error:
        raise _scheduler_lost(client) from error


def _scheduler_lost(client: Client) -> ClusterLost:
    address = getattr(client.scheduler, "address", "an unknown address")
    return ClusterLost(f"The Dask scheduler at {address} is lost. {_WITH_A_CHECKPOINT}.")
