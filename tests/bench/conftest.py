"""Two small data sets in KEEL's format: one with folds of its own, one without."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import fruler.bench._presentation
from fruler.bench.command import BenchOptions, run_benchmark


def write_set(path: Path, rows: np.ndarray) -> None:
    inputs = [f"x{j}" for j in range(rows.shape[1] - 1)]
    attributes = "\n".join(f"@attribute {name} real [0, 1]" for name in inputs)
    columns = f"{attributes}\n@attribute y real [-9, 9]\n@inputs {', '.join(inputs)}\n@outputs y"
    header = f"@relation {path.stem}\n{columns}\n@data\n"
    path.write_text(header + "\n".join(", ".join(f"{value:.6g}" for value in row) for row in rows) + "\n")


def make_rows(n_rows: int, n_inputs: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    inputs = rng.random((n_rows, n_inputs))
    target = np.abs(inputs[:, 0] - 0.4) * 3.0 + inputs[:, 1:].sum(axis=1) + rng.normal(0.0, 0.1, n_rows)
    return np.column_stack([inputs, target])


@pytest.fixture(scope="session")
def small_sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keel")
    for name, n_inputs, seed in (("plain", 2, 0), ("folded", 3, 1)):
        (folder / name).mkdir()
        write_set(folder / name / f"{name}.dat", make_rows(80, n_inputs, seed))
    rows = make_rows(80, 3, 1)
    for fold in range(1, 6):
        test = np.arange(80) % 5 == fold - 1
        write_set(folder / "folded" / f"folded-5-{fold}tra.dat", rows[~test])
        write_set(folder / "folded" / f"folded-5-{fold}tst.dat", rows[test])
    (folder / "slow").mkdir()
    write_set(folder / "slow" / "slow.dat", make_rows(4000, 25, 2))
    return folder


@pytest.fixture
def bench_command(small_sets):
    """Makes the command `fruler bench` on two small sets, to be started."""

    def make(out: Path, *options: str) -> list[str]:
        start = [sys.executable, "-m", "fruler._cli", "bench", "--data", str(small_sets), "--out", str(out)]
        return [*start, "--sets", "plain,folded", "--seeds", "1", "--max-evaluations", "60", *options]

    return make


@pytest.fixture
def bench(small_sets, monkeypatch):
    """Does what `fruler bench` does on two small sets, in this process and without pictures; returns what it says."""
    monkeypatch.setattr(fruler.bench._presentation, "find_spec", lambda _: None)

    def run(out: Path, **changes) -> str:
        options = {"data": small_sets, "sets": "plain,folded", "seeds": 1, "max_evaluations": 60, **changes}
        console = Console(file=io.StringIO(), soft_wrap=True)
        run_benchmark(BenchOptions(out, **options), console)
        return console.file.getvalue()

    return run
