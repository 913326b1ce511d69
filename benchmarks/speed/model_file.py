"""The time to save and load a large model, and the size of its file.

    python benchmarks/speed/model_file.py [--folder FOLDER]

The model has 100 rules over 40 inputs, all slopes of all rules and a summary of its training data. The script prints
the median and the minimum of fifty runs, in milliseconds of wall-clock and processor time. The goals are below 10 ms
each, and below 300 kB. Saving waits until the file is on the disk (fsync), so it is timed with and without the disk.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fruler import FuzzyPartition, FuzzyRuleRegressor, RuleBase, load_model
from fruler._model_file.file import model_bytes, parse_model
from fruler.estimators._saved_model import regressor_of
from fruler.rules import Variable

RULES, INPUTS, REPEATS = 100, 40, 50


def large_model() -> FuzzyRuleRegressor:
    """Return a fitted regressor whose rule base is replaced by a large one."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (500, INPUTS))
    y = X[:, 0] + rng.normal(size=500)
    model = FuzzyRuleRegressor(random_state=0, max_rules=2).fit(X, y)
    variables = [Variable(f"input_{j}", FuzzyPartition([0.3, 0.7], (0.0, 1.0)), "m") for j in range(INPUTS)]
    first = rng.integers(0, 3, (RULES, INPUTS))
    last = np.where(rng.uniform(size=first.shape) < 0.9, 2, first)
    first[last == 2] = 0
    consequents = rng.normal(size=(RULES, INPUTS + 1))
    rules = RuleBase(variables, np.stack([first, last], axis=2), consequents)
    model.rule_base_ = rules.with_training(X, y)
    return model


def measured(work: Callable[[], object]) -> str:
    """Return the median and minimum times of some work, formatted."""
    wall, busy = [], []
    for _ in range(REPEATS):
        start, start_busy = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start)
        busy.append(time.process_time() - start_busy)
    figures = (statistics.median(wall), min(wall), statistics.median(busy), min(busy))
    return "".join(f"{1e3 * seconds:9.1f}" for seconds in figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="folder to write files to; a temporary folder by default")
    arguments = parser.parse_args()
    model = large_model()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "model.json"

        def save() -> None:
            path.unlink(missing_ok=True)
            model.save(path)

        print(f"{'ms':<28}{'wall':>9}{'least':>9}{'busy':>9}{'least':>9}")
        print(f"{'save':<28}{measured(save)}")
        print(f"{'save, without the disk':<28}{measured(lambda: model_bytes(model._to_model()))}")
        print(f"{'load':<28}{measured(lambda: load_model(path))}")
        raw = path.read_bytes()
        print(f"{'load, without the disk':<28}{measured(lambda: regressor_of(parse_model(raw)))}")
        print(f"file: {len(raw) / 1e3:.0f} kB, {model.rule_base_.n_rules} rules, {INPUTS} inputs")


if __name__ == "__main__":
    main()
