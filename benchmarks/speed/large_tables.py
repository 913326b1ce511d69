"""Time and memory of fits on Parquet files that need not fit into memory, for more and more rows.

    python benchmarks/speed/large_tables.py [--rows 1e5 1e6 1e7 1e8] [--folder FOLDER] [--max-memory 512] [--keep]

Each table has ten columns of float64, the target among them, in files of a million rows: 1e8 rows take 8 GB on disk.
Every fit runs in a process of its own. The table that is printed has the seconds of the fit and of its passes over all
rows, by the clock and of the processors; the seconds that pyarrow takes to read all columns as often, in a process of
its own; and the peak memory above that before the fit.
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


def measure_reading(folder: Path, n_passes: int) -> dict[str, float]:
    """Read all columns with pyarrow, batch by batch, as it does by default."""
    import pyarrow.dataset as pds

    start, used = time.perf_counter(), time.process_time()
    for _ in range(n_passes):
        sum(batch.num_rows for batch in pds.dataset(folder).to_batches())
    return {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - used}


def memory_now() -> float:
    """Return the memory of this process in MB."""
    import psutil

    return float(psutil.Process().memory_info().rss / 1e6)


def measure_fit(folder: Path, max_memory: float, n_jobs: int) -> dict[str, Any]:
    """Fit, and return the measurements; in a process of its own."""
    from fruler import FuzzyRuleRegressor
    from fruler.data import _scan, scan_table

    passes: list[tuple[float, float]] = []
    reduce_batches = _scan.reduce_batches

    def timed(*arguments: Any, **options: Any) -> Any:
        start, used = time.perf_counter(), time.process_time()
        result = reduce_batches(*arguments, **options)
        passes.append((time.perf_counter() - start, time.process_time() - used))
        return result

    _scan.reduce_batches = timed
    scan = scan_table(folder, max_memory=max_memory)
    before, start, used = memory_now(), time.perf_counter(), time.process_time()
    model = FuzzyRuleRegressor(n_jobs=n_jobs, random_state=0).fit(scan, "y")
    return {
        "rows": scan.n_rows,
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - used,
        "passes": passes,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 - before,
        "n_rules": model.n_rules_,
        "rmse": model.rule_base_.training.rmse,
    }


def in_own_process(*arguments: object) -> dict[str, Any]:
    """Run a measurement of this script in a process of its own."""
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="*", default=[1e5, 1e6, 1e7, 1e8])
    parser.add_argument("--folder", type=Path, help="where the tables are written, or are from an earlier run")
    parser.add_argument("--max-memory", type=float, default=512.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep the tables")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit is not None:
        print(json.dumps(measure_fit(options.fit, options.max_memory, options.jobs)))
        return
    if options.read is not None:
        print(json.dumps(measure_reading(options.read, options.jobs)))
        return
    place = options.folder or Path(tempfile.mkdtemp())
    print("                  by the clock, s          of the processors, s")
    print("       rows     fit  passes reading  /      fit  passes reading  /     MB  rules   rmse   load")
    for n_rows in map(int, options.rows):
        folder = place / str(n_rows)
        if not folder.exists():
            write_table(folder, n_rows)
        found = in_own_process("--fit", folder, "--max-memory", options.max_memory, "--jobs", options.jobs)
        reading = in_own_process("--read", folder, "--jobs", len(found["passes"]))
        cells = [f"{found['rows']:11,}"]
        for kind, name in enumerate(("seconds", "processor_seconds")):
            passes = sum(one[kind] for one in found["passes"])
            cells.append(f"{found[name]:7.1f} {passes:7.1f} {reading[name]:7.1f} {passes / reading[name]:5.2f}")
        cells.append(f"{found['memory']:5.0f} {found['n_rules']:6} {found['rmse']:6.3f} {os.getloadavg()[0]:6.1f}")
        print(" ".join(cells), flush=True)
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
