"""Digests of the models that both estimators learn, to check that a refactoring changed none of them.

    python benchmarks/fingerprints.py --data FOLDER --out before.json      # before the change
    python benchmarks/fingerprints.py --data FOLDER --compare before.json  # after it

Fits FuzzyRuleRegressor, FRULERRegressor, and FRULERRegressor with coordinate descent on all rows, on fold 1 of twelve
KEEL sets (`--sets quake,dee` takes some of them). A digest covers what the public attributes say to the last bit:
partitions, rules, the Pareto front, predictions on the test rows, evaluations, regularization and uncovered rows.
`--compare` names the models that differ, and what differs in them, and exits with 1. Compare on one machine only: on
another processor linear algebra rounds otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from keel_option import parse_with_data
from sklearn.utils import Bunch

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_keel

SETS = "plastic,quake,ele-1,ele-2,friedman,dee,autoMPG6,baseball,stock,concrete,wankara,forestFires"
EVALUATIONS = 800
MODELS: dict[str, Any] = {
    "growth": FuzzyRuleRegressor(random_state=0),
    "fruler": FRULERRegressor(max_evaluations=EVALUATIONS, random_state=0),
    "fruler-coordinate-descent": FRULERRegressor(
        fit_rows="all",
        t_norm="product",
        criterion="bic",
        solver="coordinate_descent",
        l1_ratio=0.5,
        max_evaluations=EVALUATIONS,
        random_state=0,
    ),
}

# The parts of a model, each with its digest.
Digests = dict[str, str]


def digest(*values: Any) -> str:
    """Return a digest of numbers and texts, of the former to the last bit."""
    found = hashlib.sha256()
    for value in values:
        array = np.asarray(value)
        is_text = array.dtype.kind in "OU"
        content = json.dumps(array.tolist()).encode() if is_text else array.astype(np.float64).tobytes()
        found.update(f"{'text' if is_text else 'numbers'} {array.shape} ".encode() + content)
    return found.hexdigest()[:16]


def table_digest(table: pd.DataFrame) -> str:
    return digest(list(table.columns), *(table[name].to_numpy() for name in table.columns))


def partition_values(model: Any) -> Iterator[Any]:
    """Yield the labels of every input and where they meet."""
    for variable in model.rule_base_.variables:
        partition = variable.partition
        yield [variable.name, *partition.labels]
        yield partition.domain
        yield partition.split_points
        yield partition.fuzziness


def digests_of(model: Any, X: Any) -> Digests:
    return {
        "partitions": digest(*partition_values(model)),
        "rules_": table_digest(model.rules_),
        "pareto_": table_digest(model.pareto_),
        "predictions": digest(model.predict(X)),
        "n_evaluations_": str(model.n_evaluations_),
        "regularization_": float(model.regularization_).hex(),
        "n_uncovered_": str(model.n_uncovered_),
    }


def fit(name: str, kind: str, train: Bunch, test: Bunch) -> tuple[str, Digests]:
    model = MODELS[kind].fit(train.data, train.target)
    return f"{name} {kind}", digests_of(model, test.data)


def differences(found: dict[str, Digests], expected: dict[str, Digests]) -> list[str]:
    """Say which models differ, and in what."""
    lines = []
    for model, parts in found.items():
        known = expected.get(model)
        if known is None:
            lines.append(f"{model}: not in the file")
        elif known != parts:
            lines.append(f"{model}: {', '.join(part for part in parts if parts[part] != known.get(part))}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=SETS, help="comma-separated names")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--out", type=Path, help="where to write the digests, as JSON")
    parser.add_argument("--compare", type=Path, help="digests to compare with, as --out wrote them")
    arguments = parse_with_data(parser)
    # A file that can't be read is an error before the fits, not after them.
    expected = None if arguments.compare is None else json.loads(arguments.compare.read_text(encoding="utf-8"))
    work = (
        delayed(fit)(name, kind, *load_keel(arguments.data / name, fold=1))
        for name in arguments.sets.split(",")
        for kind in MODELS
    )
    found: dict[str, Digests] = {}
    for model, parts in Parallel(n_jobs=arguments.jobs, return_as="generator")(work):
        found[model] = parts
        print(f"{model:40} {digest(list(parts.values()))}", flush=True)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if expected is not None:
        lines = differences(found, expected)
        print("\n".join(["", "DIFFERENT:", *lines]) if lines else f"\nall {len(found)} models are the same")
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
