"""Threads for the parameter `n_jobs`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads, as scikit-learn counts jobs.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread or -1 for all processors.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


@contextmanager
def thread_pool(n_jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Open a pool of `n_jobs` threads; None for one, which is the caller's."""
    if n_jobs == 1:
        yield None
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield pool
