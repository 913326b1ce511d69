"""The cluster: checks of its workers, and waiting for results without waiting forever."""

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

# Seconds between two checks that the cluster is still there.
_POLL = 1.0
# The minimum number of seconds that a scheduler has to answer: it may be busy, e.g. importing modules.
_ANSWER = 30.0
_WITH_A_CHECKPOINT = "Fit again on another cluster; with the same checkpoint=FOLDER the fit resumes where it stopped"


class ClusterLost(RuntimeError):
    """Raised if a fit loses its cluster: the scheduler, every worker, or several workers in the same task.

    See Also
    --------
    DaskFuzzyRuleRegressor : Raises this error; with a checkpoint, the fit resumes on another cluster.

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
    """Return the given client, or the current one.

    Raises
    ------
    ValueError
        If there is no client, or if it is closed.
    """
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "There is no Dask client; create one first, e.g. client = dask.distributed.Client(), or pass client=."
            ) from None
    if not isinstance(client, Client):
        raise ValueError(f"client must be a dask.distributed.Client; got {client!r}.")
    if client.status != "running":
        raise ValueError(f"The Dask client is {client.status}; create a new one and pass it as client=.")
    return client


def check_workers(client: Client, timeout: float) -> None:
    """Wait for a worker, and check that all workers have the client's versions of Dask and fruler.

    Raises
    ------
    ClusterLost
        If no worker connects, or a worker does not answer.
    ValueError
        If a worker has other versions, or no fruler at all.
    """
    here = worker_versions()
    for address, versions in _answers(client, timeout).items():
        if isinstance(versions, ModuleNotFoundError):
            raise ValueError(f"Worker {address} cannot import {versions.name}; install fruler[dask] there.")
        for name, version in here.items():
            if versions[name] != version:
                raise ValueError(
                    f"Worker {address} has {name} {versions[name]}, but the client has {version}; "
                    "install the same version on both."
                )


def _answers(client: Client, timeout: float) -> dict[str, Any]:
    """Return the versions of every worker; workers that are lost meanwhile are not waited for."""
    end = time.monotonic() + timeout
    while True:
        try:
            client.wait_for_workers(1, timeout=max(end - time.monotonic(), _POLL))
            found = client.run(worker_versions, on_error="return")
        except TimeoutError:
            raise ClusterLost(
                f"No worker connected within {timeout:g} seconds; start one, or raise timeout=."
            ) from None
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
    """Turn Dask's errors of a lost scheduler into `ClusterLost`."""
    try:
        yield
    except (CancelledError, CommClosedError) as error:
        raise _scheduler_lost(client) from error


def memory_of_workers(client: Client) -> float:
    """Return the bytes that all workers together may use; infinite if one has no limit."""
    try:
        known = client.scheduler_info(n_workers=-1)
    except TypeError:  # an older Dask, which returns all workers anyway
        known = client.scheduler_info()
    limits = [worker["memory_limit"] for worker in known["workers"].values()]
    return float(sum(limits)) if limits and all(limits) else np.inf


def collect(client: Client, futures: Sequence[Future], timeout: float) -> list[Any]:
    """Wait for futures and return their results.

    Parameters
    ----------
    client : Client
        The client of the futures.
    futures : sequence of Future
        The futures to wait for.
    timeout : float
        The number of seconds without any worker after which waiting ends.

    Raises
    ------
    ClusterLost
        If the scheduler is lost, no worker is left, or several workers died on the same task.
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
                        f"All workers are lost, and none came back within {timeout:g} seconds. {_WITH_A_CHECKPOINT}."
                    ) from None
        return list(client.gather(list(futures)))
    except KilledWorker as error:
        raise ClusterLost(
            f"Several workers died on the same partition, the last at {error.last_worker.address}; most often the "
            "partition does not fit into their memory: use smaller partitions or larger workers."
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
