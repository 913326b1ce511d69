"""Made tables with inputs that mean nothing: how often a model uses one, and how often it finds weak real effects.

    python benchmarks/trials/noise.py --build NAME
    python benchmarks/trials/noise.py --build NAME --rows 100,300 --inputs 10
    python benchmarks/trials/noise.py

Every fit adds a line to benchmarks/results/noise.jsonl under the name of the build, and is not repeated; without
--build only the table of all builds is written. Two inputs have strong effects on the target, straight, curved or in
one step. A third has a weak straight one: its t-statistic in a linear regression would be about 4. All others are
noise, and so is the target of every fourth table. The target's noise has a standard deviation of one.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor

RESULTS = Path(__file__).parents[1] / "results" / "noise.jsonl"
ROWS, INPUTS = (60, 100, 200, 500, 1500, 5000), (5, 10, 20, 50)
TRUTHS = {
    "linear": (lambda x: x, lambda x: 0.7 * x),
    "curved": (lambda x: 1.5 * np.sin(1.5 * x), lambda x: 0.7 * (x * x - 1.0)),
    "stepwise": (lambda x: 2.0 * (x > 0.3), lambda x: 1.5 * (x > -0.2)),
    "none": (),
}
CORRELATIONS = (0.0, 0.6)
WEAK_T = 4.0
KEY = ["build", "rows", "inputs", "truth", "correlation", "seed"]


def made_table(n: int, p: int, truth: str, correlation: float, seed: int) -> tuple[Any, Any, Any]:
    """Return inputs, target and the target without its noise."""
    rng = np.random.default_rng([n, p, list(TRUTHS).index(truth), int(10 * correlation), seed])
    common = rng.normal(size=(n, 1))
    X = np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * rng.normal(size=(n, p))
    exact = np.zeros(n)
    for j, effect in enumerate(TRUTHS[truth]):
        exact += effect(X[:, j])
    if truth != "none":
        # The other inputs explain a part of a correlated one, so its effect has to be larger to be seen as well.
        exact += WEAK_T / np.sqrt(n * (1.0 - correlation)) * X[:, 2]
    return X, exact + rng.normal(size=n), exact


def run(build: str, n: int, p: int, truth: str, correlation: float, seed: int) -> dict[str, Any]:
    X, y, _ = made_table(n, p, truth, correlation, seed)
    new, _, exact = made_table(n, p, truth, correlation, seed + 1000)
    start = time.process_time()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    seconds = time.process_time() - start
    used = set(np.flatnonzero(model.rule_base_.uses).tolist())
    real = len(TRUTHS[truth])
    return {
        **dict(zip(KEY, (build, n, p, truth, correlation, seed), strict=True)),
        "noise_inputs": len(used - set(range(3 if real else 0))),
        "strong_found": len(used & set(range(real))),
        "weak_found": int(real > 0 and 2 in used),
        "rules": model.n_rules_,
        "error": float(np.sqrt(np.mean(np.square(model.predict(new) - exact)))),
        "seconds": round(seconds, 3),
    }


def table(lines: pd.DataFrame) -> str:
    """Return the table of all builds in Markdown, by number of rows."""
    lines = lines.assign(clean=lines.noise_inputs == 0)
    real, empty = lines[lines.truth != "none"], lines[lines.truth == "none"]
    shown = real.groupby(["build", "rows"]).agg(
        noise=("clean", lambda clean: 1.0 - clean.mean()),
        per_model=("noise_inputs", "mean"),
        strong=("strong_found", lambda found: found.mean() / 2.0),
        weak=("weak_found", "mean"),
        error=("error", "mean"),
        seconds=("seconds", "sum"),
    )
    shown["mean only"] = empty.groupby(["build", "rows"]).clean.mean()
    return shown.round(3).to_string()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    parser.add_argument("--inputs", default=",".join(map(str, INPUTS)))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    lines = [json.loads(line) for line in kept]
    known = {tuple(line[name] for name in KEY) for line in lines}
    rows, inputs = ([int(part) for part in text.split(",")] for text in (given.rows, given.inputs))
    if given.build:
        for key in product([given.build], rows, inputs, TRUTHS, CORRELATIONS, range(given.seeds)):
            if key not in known:
                lines.append(run(*key))
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    print(table(pd.DataFrame(lines)))


if __name__ == "__main__":
    main()
