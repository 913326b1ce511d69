"""The stability of splits and rules in refits on samples of the rows, for the weather data and KEEL sets.

    python benchmarks/trials/stability.py
    python benchmarks/trials/stability.py --data path/to/keel --sets concrete,dee,autoMPG6,stock
    python benchmarks/trials/stability.py --method fruler --max-evaluations 1000

Prints for each set: the numbers of rules and splits of the model, the mean shares of splits and of rules that came
back, the mean overlap of a rule with the nearest rule of a refit, the numbers of rules of the refits (minimum, median,
maximum), their error on held-out rows divided by that of the mean, and the processor time in seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fruler import load_keel
from fruler.data import load_example
from fruler.estimators.registry import find_estimator

COLUMNS = "{:<12} {:>5} {:>6} {:>7} {:>6} {:>8} {:>10} {:>7} {:>8}"


def tables(folder: Path | None, names: list[str]) -> Iterator[tuple[str, Any, Any]]:
    weather = load_example("weather")
    yield "weather", weather.data, weather.target
    for name in names if folder is not None else ():
        train, _ = load_keel(folder / name, fold=1)
        yield name, train.data, train.target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the KEEL sets")
    parser.add_argument("--sets", default="concrete,dee,autoMPG6,stock", help="comma-separated names of sets")
    parser.add_argument("--method", default="growth", help="the algorithm")
    parser.add_argument("--max-evaluations", type=int, help="maximum number of evaluations")
    parser.add_argument("--refits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(COLUMNS.format("set", "rules", "splits", "splits", "rules", "overlap", "rules of", "error", "seconds"))
    print(COLUMNS.format("", "", "", "back", "back", "", "refits", "", ""))
    for name, X, y in tables(options.data, options.sets.split(",")):
        start = time.process_time()
        settings = {"random_state": options.seed, "max_evaluations": options.max_evaluations}
        model = find_estimator(options.method)(**settings).fit(X, y)
        found = model.stability(X, y, options.refits)
        least, middle, most = np.quantile(found.n_rules, [0.0, 0.5, 1.0])
        print(
            COLUMNS.format(
                name,
                model.n_rules_,
                len(found.split_stabilities),
                f"{found.split_share:.2f}",
                f"{found.rule_share:.2f}",
                f"{np.mean([rule.overlaps for rule in found.rule_stabilities]):.2f}",
                f"{least:.0f}/{middle:.0f}/{most:.0f}",
                f"{np.median(found.rmse) / np.std(y):.3f}",
                f"{time.process_time() - start:.0f}",
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
