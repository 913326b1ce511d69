"""Killed at random moments and started again, a fit with a checkpoint comes to the model of one that was left alone.

    python tests/learning/kill_and_resume_fit.py [--algorithm all] [--kills 100] [--seed 0] [--rows 200] [--jobs 1]
        [--evaluations 3000] [--seconds 0.0]

Each fit is a process of its own, ended by SIGKILL; up to four times, then one is left to come to its end, and its model
is compared to the last bit. With `--algorithm all` every algorithm has a share of the kills. One line per algorithm is
a JSON object of what happened.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fruler.learning._checkpoint
from fruler.data import make_friedman
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import algorithm_names, find_estimator
from fruler.rules._json.document import rule_base_to_json

# Coordinate descent on all rows: many generations in a short time.
QUICK = {"solver": "coordinate_descent", "fit_rows": "all", "criterion": "bic", "t_norm": "product", "l1_ratio": 0.5}


def fingerprint(model: BaseRuleRegressor) -> str:
    """Return a digest of all that a fit found."""
    parts = [model.sample_indices_, model.pareto_.to_numpy(), np.array([model.n_evaluations_])]
    parts += [model.history_.drop(columns="seconds").to_numpy()]
    found = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return hashlib.sha256(json.dumps(rule_base_to_json(model.rule_base_)).encode() + found).hexdigest()


def start(arguments: argparse.Namespace, folder: Path) -> int:
    """Fit in another process, which writes what it found beside the checkpoint; return its number."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        model = fit(arguments, folder)
        found = {"fingerprint": fingerprint(model), "resumed": model.resumed_}
        (folder / "found.json").write_text(json.dumps(found))
        status = 0
    finally:
        os._exit(status)


def fit(arguments: argparse.Namespace, folder: Path | None) -> BaseRuleRegressor:
    data = make_friedman(arguments.rows, random_state=1)
    settings = QUICK if arguments.algorithm == "fruler" else {}
    if arguments.algorithm != "growth":
        settings = settings | {"max_evaluations": arguments.evaluations}
    estimator = find_estimator(arguments.algorithm)
    model = estimator(**settings, n_jobs=arguments.jobs, random_state=0, checkpoint=folder)
    return model.fit(data.data, data.target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithm", choices=[*algorithm_names(), "all"], default="fruler")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--evaluations", type=int, default=3_000, help="of every algorithm but the growth")
    parser.add_argument("--seconds", type=float, default=0.0, help="between two writings of the checkpoint")
    arguments = parser.parse_args()
    fruler.learning._checkpoint.SECONDS = arguments.seconds
    fruler.learning._checkpoint.MAX_SHARE = 1.0
    algorithms = algorithm_names() if arguments.algorithm == "all" else [arguments.algorithm]
    arguments.kills = -(-arguments.kills // len(algorithms))
    for arguments.algorithm in algorithms:
        print(json.dumps({"algorithm": arguments.algorithm, **kill_and_resume(arguments)}), flush=True)


def kill_and_resume(arguments: argparse.Namespace) -> dict[str, float]:
    """Kill and resume fits of one algorithm; return how often, and how many models were compared."""
    begin = time.monotonic()
    expected = fingerprint(fit(arguments, None))
    total = time.monotonic() - begin
    draw = random.Random(arguments.seed)
    kills = compared = resumed = 0
    with tempfile.TemporaryDirectory() as root:
        while kills < arguments.kills:
            folder = Path(root) / str(compared)
            folder.mkdir()
            for _ in range(draw.randint(1, 4)):
                process = start(arguments, folder)
                time.sleep(draw.uniform(0.0, total))
                os.kill(process, signal.SIGKILL)
                _, status = os.waitpid(process, 0)
                kills += os.WIFSIGNALED(status)
            _, status = os.waitpid(start(arguments, folder), 0)
            found = json.loads((folder / "found.json").read_text()) if status == 0 else {"fingerprint": "it failed"}
            if found["fingerprint"] != expected:
                sys.exit(f"DIFFERENT after {kills} kills: {found['fingerprint']}")
            compared += 1
            resumed += found["resumed"] > 0
    return {"seconds": round(total, 2), "kills": kills, "compared": compared, "resumed": resumed}


if __name__ == "__main__":
    main()
