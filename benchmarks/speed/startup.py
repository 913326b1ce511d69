"""The time of `fruler --help`, and of importing fruler compared with scikit-learn: medians over many processes."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

IMPORTS = {
    "python -c pass": "pass",
    "import fruler": "import fruler",
    "scikit-learn, pandas and joblib alone": "import pandas, joblib, sklearn.base, sklearn.utils.validation",
    "from fruler import FuzzyRuleRegressor": "from fruler import FuzzyRuleRegressor",
}


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command; return its wall-clock and processor time in seconds."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - start, os.times()
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    beside = Path(sys.executable).with_name("fruler")
    fruler = str(beside) if beside.exists() else shutil.which("fruler")
    if fruler is None:
        sys.exit("there is no command fruler; install the package first")
    commands = {"fruler --help": [fruler, "--help"], "fruler fit --help": [fruler, "fit", "--help"]}
    commands |= {name: [sys.executable, "-c", code] for name, code in IMPORTS.items()}
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for name in commands:
        measure(commands[name])  # warm-up: the first run reads files from the disk
    for _ in range(repeats):
        # In turns, so that a busy minute of the machine affects all commands.
        for name in commands:
            runs[name].append(measure(commands[name]))
    medians = {name: [statistics.median(column) for column in zip(*found, strict=True)] for name, found in runs.items()}
    print(f"medians of {repeats} runs, seconds     clock  processor")
    for name, (clock, processor) in medians.items():
        print(f"{name:<38}{clock:>9.3f}{processor:>11.3f}")
    ours, theirs = medians["from fruler import FuzzyRuleRegressor"], medians["scikit-learn, pandas and joblib alone"]
    print(f"{'FuzzyRuleRegressor beyond scikit-learn':<38}{ours[0] - theirs[0]:>9.3f}{ours[1] - theirs[1]:>11.3f}")


if __name__ == "__main__":
    main()
