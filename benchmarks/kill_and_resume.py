"""Killed at random moments and resumed, the benchmark comes to the tables of one clean run.

    python benchmarks/kill_and_resume.py --data FOLDER [--sets friedman,dee] [--kills 10] [--jobs 2] [--seed 0]

Each kill is SIGKILL to all processes of the benchmark at once: one of four at a moment of its start, the others at one
after a new result. Every table is compared, and every raw line, but for what is measured in seconds.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from keel_option import parse_with_data

from fruler.bench.lines import latest, read_lines
from fruler.bench.results import RUNS

# The columns of a table that differ from one run to the next.
TIMES = {
    "table2": r"selection_s(_sd)?",
    "table3": r"discretization_s(_sd)?",
    "table9": r"(?!paper_).*_(selection|discretization|search|total|(?<!evaluations_)ratio)",
}


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start the benchmark with a group of processes of its own."""
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, process_group=0)


def count_lines(out: Path) -> int:
    path = out / RUNS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def run_to_the_end(command: list[str], out: Path) -> tuple[float, float]:
    """Run to the end; return the seconds until the first line, and until the end."""
    begin = time.monotonic()
    with start(command) as process:
        while count_lines(out) == 0 and process.poll() is None:
            time.sleep(0.01)
        first = time.monotonic() - begin
        _, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"the benchmark failed: {errors.decode()}")
    return first, time.monotonic() - begin


def kill_and_resume(command: list[str], out: Path, kills: int, draw: random.Random, first: float, total: int) -> None:
    """Kill so many times, the last time before all runs are made if possible; then run to the end."""
    for kill in range(1, kills + 1):
        before = count_lines(out)
        # So many new results at most that the runs are enough for all kills.
        wanted = draw.randint(1, max(1, total // kills))
        early = draw.random() < 0.25 or before + wanted >= total
        moment = draw.uniform(0.0, first if early else 0.3)
        begin = time.monotonic()
        with start(command) as process:
            while not early and count_lines(out) < before + wanted and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moment)
            os.killpg(process.pid, signal.SIGKILL)
            seconds = time.monotonic() - begin
        content = (out / RUNS).read_bytes() if (out / RUNS).exists() else b""
        half = ", the last one half written" if content and not content.endswith(b"\n") else ""
        print(f"kill {kill:2} after {seconds:5.2f} s: {before} lines before, {count_lines(out)} now{half}", flush=True)
        if process.returncode >= 0:
            sys.exit("it had ended before it could be killed: take larger sets")
    run_to_the_end(command, out)


def timeless_lines(out: Path) -> dict[Any, dict[str, Any]]:
    """Return the last line of each run without its seconds."""
    return {
        key: {name: value for name, value in line.items() if not name.endswith(("seconds", "_s"))}
        for key, line in latest(read_lines(out / RUNS)).items()
    }


def timeless_table(path: Path) -> pd.DataFrame:
    """Return a table without what is measured in seconds."""
    table = pd.read_csv(path)
    if path.stem == "summary":
        return table[~table["figure"].str.contains("seconds")]
    pattern = TIMES.get(path.stem, "none")
    return table[[name for name in table if not re.fullmatch(pattern, name)]]


def compare(clean: Path, killed: Path) -> list[str]:
    """Return what differs."""
    differences = []
    if timeless_lines(clean) != timeless_lines(killed):
        differences.append(RUNS)
    names = {path.name for folder in (clean, killed) for path in folder.glob("*.csv")}
    for name in sorted(names):
        if not ((clean / name).exists() and (killed / name).exists()):
            differences.append(f"{name} (only one has it)")
        elif not timeless_table(clean / name).equals(timeless_table(killed / name)):
            differences.append(name)
    print(f"compared {len(names)} tables and {len(timeless_lines(clean))} runs")
    return differences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="friedman,dee", help="comma-separated names")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    arguments = parse_with_data(parser)
    with tempfile.TemporaryDirectory() as folder:
        clean, killed = Path(folder) / "clean", Path(folder) / "killed"
        command = [sys.executable, "-m", "fruler.cli", "bench", "--data", str(arguments.data.resolve())]
        command += ["--sets", arguments.sets, "--seeds", "1", "--peers", "tree", "--jobs", str(arguments.jobs), "--out"]
        first, total = run_to_the_end([*command, str(clean)], clean)
        print(f"clean run: first line after {first:.1f} s, tables after {total:.1f} s, {count_lines(clean)} lines")
        draw = random.Random(arguments.seed)
        kill_and_resume([*command, str(killed)], killed, arguments.kills, draw, first, count_lines(clean))
        differences = compare(clean, killed)
    print(f"DIFFERENT: {', '.join(differences)}" if differences else "the same, but for seconds")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
