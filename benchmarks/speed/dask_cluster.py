"""Memory and time on a Dask cluster, a LocalCluster of processes; each ratio is from one run.

    python benchmarks/speed/dask_cluster.py [--rows 1000000] [--memory-rows 10000000] [--only NAME]

memory    the MV function in Parquet files: the peak memory of client and workers together, above the idle cluster,
          compared with a quarter of the table in float64 plus 500 MB
rows      the time for ten times the rows
workers   the time with one worker compared with two
model     the model compared with that of one machine from the same rows and seed
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import psutil
from distributed import Client, LocalCluster

from fruler import FuzzyRuleRegressor
from fruler.data._examples import make_mv
from fruler.distributed import DaskFuzzyRuleRegressor

INPUTS = [f"X{j}" for j in range(1, 11)]
ROWS_A_FILE = 50_000
MEGABYTE = 1e6


def write_table(folder: Path, n_rows: int) -> None:
    """Write a table of this number of rows, each file with its own seed."""
    folder.mkdir()
    for number, first in enumerate(range(0, n_rows, ROWS_A_FILE)):
        part = make_mv(min(ROWS_A_FILE, n_rows - first), random_state=number)
        part.data.assign(Y=part.target).to_parquet(folder / f"{number:05d}.parquet", index=False)


def read_table(folder: Path) -> tuple[Any, Any]:
    table = dd.read_parquet(folder)
    return table[INPUTS], table["Y"]


@contextmanager
def local_cluster(n_workers: int, memory_limit: str | None = None) -> Iterator[Client]:
    options = {} if memory_limit is None else {"memory_limit": memory_limit}
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", **options
        ) as it,
        Client(it) as client,
    ):
        yield client


class Memory(threading.Thread):
    """A thread that watches the memory of this process and its children."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.idle, self.peak, self.ended = self.used(), 0, threading.Event()

    def used(self) -> int:
        """Return the current memory of all processes."""
        here = psutil.Process()
        total = 0
        for process in (here, *here.children(recursive=True)):
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total

    def run(self) -> None:
        """Update the peak until the end."""
        while not self.ended.wait(0.05):
            self.peak = max(self.peak, self.used())


def measure_memory(folder: Path, n_rows: int) -> None:
    write_table(folder, n_rows)
    table = n_rows * (len(INPUTS) + 1) * 8
    allowed = table / 4 + 500 * MEGABYTE
    with local_cluster(2, "600MB") as client:
        memory = Memory()
        memory.start()
        start = time.perf_counter()
        model = DaskFuzzyRuleRegressor(client, random_state=0).fit(*read_table(folder))
        seconds = time.perf_counter() - start
        memory.ended.set()
    above = memory.peak - memory.idle
    print(
        f"memory: {n_rows:,} rows, {table / MEGABYTE:,.0f} MB as float64; {above / MEGABYTE:,.0f} MB above the idle "
        f"cluster's {memory.idle / MEGABYTE:,.0f} MB (at most {allowed / MEGABYTE:,.0f} wanted); {seconds:.0f} s, "
        f"{model.n_rules_} rules, rmse {model.rule_base_.training.rmse:.4f}",
        flush=True,
    )


def fit_seconds(client: Client, folder: Path) -> float:
    start = time.perf_counter()
    DaskFuzzyRuleRegressor(client, keep_rows=True, random_state=0).fit(*read_table(folder))
    return time.perf_counter() - start


def measure_rows(small: Path, large: Path) -> None:
    with local_cluster(2) as client:
        fit_seconds(client, small)  # warm-up: imports, and the disk cache
        few, many = (fit_seconds(client, folder) for folder in (small, large))
    print(
        f"rows: ten times the rows take {many / few:.1f} times as long (at most 11 wanted): {few:.1f} s, {many:.1f} s"
    )


def measure_workers(folder: Path) -> None:
    seconds = []
    for n_workers in (1, 2):
        with local_cluster(n_workers) as client:
            fit_seconds(client, folder)
            seconds.append(fit_seconds(client, folder))
    one, two = seconds
    print(
        f"workers: two are {one / two:.2f} times as fast as one (at least 1.3 wanted): {one:.1f} s, {two:.1f} s; "
        f"processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def compare_models(folder: Path) -> None:
    """Compare the model of the cluster with that of one machine from the same rows and seed."""
    X, y = read_table(folder)
    with local_cluster(2) as client:
        model = DaskFuzzyRuleRegressor(client, random_state=0).fit(X, y)
    here = FuzzyRuleRegressor(random_state=0).fit(X.compute(), y.compute())
    there, expected = (one.rules_.filter(regex="^(intercept$|coef )").to_numpy() for one in (model, here))
    apart = abs(there - expected).max() / abs(expected).max()
    print(
        f"model: {model.n_rules_} and {here.n_rules_} rules; coefficients differ by {apart:.1g} of the largest at most",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory-rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=["memory", "rows", "workers", "model"])
    arguments = parser.parse_args()

    def wanted(name: str) -> bool:
        return arguments.only in (None, name)

    with tempfile.TemporaryDirectory() as place:
        small, large = Path(place) / "small", Path(place) / "large"
        write_table(small, arguments.rows // 10)
        write_table(large, arguments.rows)
        if wanted("model"):
            compare_models(small)
        if wanted("workers"):
            measure_workers(large)
        if wanted("rows"):
            measure_rows(small, large)
        if wanted("memory"):
            measure_memory(Path(place) / "memory", arguments.memory_rows)


if __name__ == "__main__":
    main()
