"""Time and memory of fits on Parquet files that need not fit into memory, for more and more rows.

    python benchmarks/speed/large_tables.py [--rows 1e5 1e6 1e7 1e8] [--folder FOLDER] [--max-memory 512] [--keep]

Each table has ten columns of float64, the target among them, in files of a million rows: 1e8 rows take 8 GB on disk. Every
fit runs in a process of its own. The table that is printed has the seconds of the fit and of its passes over all
rows, the seconds that pyarrow takes to read all columns as often, and the peak memory above that before the fit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS_A_FILE = 1_000_000


def write_table(folder: Path, n_rows: int) -> None:
    """Write Friedman's function of five of nine inputs, each file with its own seed."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, n_rows, ROWS_A_FILE)):
        n = min(ROWS_A_FILE, n_rows - first)
        rng = np.random.default_rng([1, number])
        x = rng.uniform(size=(9, n))
        y = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4] + rng.normal(size=n)
        columns = {f"x{j + 1}": column for j, column in enumerate(x)}
        path = folder / f"{number:05d}.parquet"
        pq.write_table(pa.table({**columns, "y": y}), path, row_group_size=131_072, use_dictionary=False)


def seconds_of_reading(folder: Path) -> float:
    """Return the seconds that pyarrow takes to read all columns, batch by batch, as it does by default."""
    import pyarrow.dataset as pds

    start = time.perf_counter()
    n_rows = sum(batch.num_rows for batch in pds.dataset(folder).to_batches())
    assert n_rows > 0
    return time.perf_counter() - start


def memory_now() -> float:
    """Return the memory of this process in MB."""
    import psutil

    return float(psutil.Process().memory_info().rss / 1e6)


def measure_fit(folder: Path, max_memory: float) -> dict[str, Any]:
    """Fit, and return the measurements; in a process of its own."""
    from fruler import FuzzyRuleRegressor
    from fruler.data import _scan, scan_table

    passes: list[float] = []
    reduce_batches = _scan.reduce_batches

    def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        result = reduce_batches(*arguments)
        passes.append(time.perf_counter() - start)
        return result

    _scan.reduce_batches = timed
    scan = scan_table(folder, max_memory=max_memory)
    before, start, used = memory_now(), time.perf_counter(), time.process_time()
    model = FuzzyRuleRegressor(random_state=0).fit(scan, "y")
    return {
        "rows": scan.n_rows,
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - used,
        "passes": passes,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 - before,
        "n_rules": model.n_rules_,
        "rmse": model.rule_base_.training.rmse,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="*", default=[1e5, 1e6, 1e7, 1e8])
    parser.add_argument("--folder", type=Path, help="where the tables are written, or are from an earlier run")
    parser.add_argument("--max-memory", type=float, default=512.0)
    parser.add_argument("--keep", action="store_true", help="keep the tables")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure_fit(options.measure, options.max_memory)))
        return
    place = options.folder or Path(tempfile.mkdtemp())
    print("      rows   fit s   cpu s   passes s   reading s  fit/reading  passes/reading  memory MB  rules   rmse")
    for n_rows in map(int, options.rows):
        folder = place / str(n_rows)
        if not folder.exists():
            write_table(folder, n_rows)
        command = [sys.executable, __file__, "--measure", str(folder), "--max-memory", str(options.max_memory)]
        before = seconds_of_reading(folder)
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        # Other work may slow the machine: reading is measured before and after.
        reading = (before + seconds_of_reading(folder)) / 2.0 * len(found["passes"])
        in_passes = sum(found["passes"])
        print(
            f"{found['rows']:10,} {found['seconds']:7.1f} {found['processor_seconds']:7.1f} {in_passes:10.1f} "
            f"{reading:11.1f} {found['seconds'] / reading:12.2f} {in_passes / reading:15.2f} {found['memory']:10.0f} "
            f"{found['n_rules']:6} {found['rmse']:6.3f}   load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
