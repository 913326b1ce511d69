"""Prediction intervals on the KEEL sets: their coverage, their width compared with MAPIE's, and their cost.

    python benchmarks/trials/interval_coverage.py --data path/to/keel
    python benchmarks/trials/interval_coverage.py --data path/to/keel --methods fruler,l-metsk --sets dee,quake
    python benchmarks/trials/interval_coverage.py --page docs/interval_notes.md

Every run adds a line to benchmarks/results/intervals.jsonl and is not repeated; without --data only the tables are
written. The intervals of the growth come from its cross-validation; CV+ of MAPIE is applied to the same model (five
shuffled folds). The intervals of other methods come from a fifth of the rows (calibration=0.2).
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from fruler import load_keel
from fruler._algorithms.growth.learner import GrowthLearner
from fruler.bench.paper import paper_tables
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import find_estimator

RESULTS = Path(__file__).parents[1] / "results" / "intervals.jsonl"
KEY = ["method", "set", "fold", "seed"]
COVERAGES = (0.8, 0.9, 0.95)
CALIBRATED = 0.2
PARTS = ("covered", "width")
# Slow sets, with one fold only.
LARGE = ("ailerons", "california", "compactiv", "elevators", "house", "mv", "pole", "puma32h")


class Stopwatch:
    """The total processor time of a method."""

    def __init__(self, kind: type, name: str) -> None:
        self.seconds, timed = 0.0, getattr(kind, name)

        def measured(*arguments: Any) -> Any:
            start = time.process_time()
            result = timed(*arguments)
            self.seconds += time.process_time() - start
            return result

        setattr(kind, name, measured)


INTERVALS = Stopwatch(GrowthLearner, "_with_intervals")


def run(method: str, folder: Path, fold: int, seed: int, max_evaluations: int | None, peer: bool) -> dict[str, Any]:
    train, test = load_keel(folder, fold=fold)
    X, y = np.asarray(train.data, dtype=float), np.asarray(train.target, dtype=float)
    new, answers = np.asarray(test.data, dtype=float), np.asarray(test.target, dtype=float)
    own_folds = method == "growth"
    model: BaseRuleRegressor = find_estimator(method)(
        random_state=seed, max_evaluations=max_evaluations, calibration=None if own_folds else CALIBRATED
    )
    start, before = time.process_time(), INTERVALS.seconds
    model.fit(X, y)
    line: dict[str, Any] = {"method": method, "set": folder.name, "fold": fold, "seed": seed}
    line["max_evaluations"] = max_evaluations
    line |= {"seconds": time.process_time() - start, "interval_seconds": INTERVALS.seconds - before}
    intervals = model.rule_base_.intervals
    line |= {"rules": model.n_rules_, "n_train": len(X), "n_test": len(new), "spread": float(np.std(answers))}
    line["n_held_out"] = None if intervals is None else intervals.n_rows
    for coverage in COVERAGES:
        lower, upper, outside = model.predict_interval(new, coverage)
        line |= measured(f"{coverage:g}", lower, upper, answers)
        line["outside"] = float(outside.mean())
    if own_folds and peer:
        line |= mapie_measured(model, X, y, new, answers, seed)
    return line


def measured(name: str, lower: Any, upper: Any, answers: Any) -> dict[str, float]:
    covered = (lower <= answers) & (answers <= upper)
    return {f"covered {name}": float(covered.mean()), f"width {name}": float((upper - lower).mean())}


def mapie_measured(model: BaseRuleRegressor, X: Any, y: Any, new: Any, answers: Any, seed: int) -> dict[str, float]:
    from mapie.regression import CrossConformalRegressor

    folds = KFold(5, shuffle=True, random_state=seed)
    start = time.process_time()
    peer = CrossConformalRegressor(model, confidence_level=list(COVERAGES), method="plus", cv=folds)
    peer.fit_conformalize(X, y)
    found: dict[str, float] = {"mapie seconds": time.process_time() - start}
    _, ends = peer.predict_interval(new)
    for place, coverage in enumerate(COVERAGES):
        found |= measured(f"mapie {coverage:g}", ends[:, 0, place], ends[:, 1, place], answers)
    return found


def read_lines(path: Path) -> pd.DataFrame:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return pd.DataFrame([json.loads(line) for line in lines], columns=None if lines else KEY)


def tables(lines: pd.DataFrame) -> str:
    """Return tables in Markdown: the growth by set, its summary, and the other methods."""
    growth = lines[lines.method == "growth"].copy()
    for name in ("mapie seconds", *(f"{what} mapie {coverage:g}" for what in PARTS for coverage in COVERAGES)):
        growth[name] = growth.get(name, np.nan)
    sets = growth.groupby("set")[[name for name in growth if name not in KEY]].mean()
    sets["folds"] = growth.groupby("set").size()
    sets = sets.loc[[name for name in paper_tables().index if name in sets.index]]
    for coverage in COVERAGES:
        growth_ratio = growth[f"width {coverage:g}"] / growth[f"width mapie {coverage:g}"]
        sets[f"ratio {coverage:g}"] = growth_ratio.groupby(growth["set"]).mean()
    rows = [
        f"| {name} | {row.folds:.0f} | {row.rules:.1f} | {row['covered 0.9']:.1%} | "
        f"{_known(row['covered mapie 0.9'], '.1%')} | {row['width 0.9'] / row.spread:.2f} | "
        f"{_known(row['ratio 0.9'], '.2f')} |"
        for name, row in sets.iterrows()
    ]
    head = "| set | folds | rules | covered | by CV+ | width / sd | width / CV+ |\n|:--|--:|--:|--:|--:|--:|--:|"
    parts = ["\n".join([head, *rows]), _summary(sets)] if len(sets) else []
    others = lines[lines.method != "growth"]
    if len(others):
        parts.append(_others(others))
    return "\n\n".join(parts)


def _known(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form)


def _summary(sets: pd.DataFrame) -> str:
    rows = []
    for coverage in COVERAGES:
        own, peer = sets[f"covered {coverage:g}"], sets[f"covered mapie {coverage:g}"]
        least = own.idxmin()
        rows.append(
            f"| {coverage:.0%} | {own.mean():.1%} | {own[least]:.1%} ({least}) | {peer.mean():.1%} | "
            f"{sets[f'ratio {coverage:g}'].median():.2f} |"
        )
    share, peer_share = sets.interval_seconds / sets.seconds, sets["mapie seconds"] / sets.seconds
    head = "| coverage | covered on average | least of a set | CV+ on average | width / CV+, median |"
    head += "\n|--:|--:|--:|--:|--:|"
    cost = (
        f"Intervals took {share.median():.1%} of the processor time of a fit in the median of the {len(sets)} sets, "
        f"and {share.max():.1%} at most; CV+ took {peer_share.median():.1f} times that of a fit."
    )
    title = "All sets, by coverage; CV+ where it was measured:"
    return "\n".join([title, "", head, *rows]) + f"\n\n{cost}"


def _others(lines: pd.DataFrame) -> str:
    rows = []
    for method, own in lines.groupby("method"):
        covered = own.groupby("set")[[f"covered {coverage:g}" for coverage in COVERAGES]].mean()
        means = " | ".join(f"{covered[name].mean():.1%}" for name in covered)
        rows.append(f"| {method} | {len(covered)} | {len(own)} | {means} | {covered['covered 0.9'].min():.1%} |")
    columns = " | ".join(f"{coverage:.0%}" for coverage in COVERAGES)
    limits = sorted({int(limit) for limit in lines.get("max_evaluations", pd.Series()).dropna()})
    limited = f", at most {' or '.join(map(str, limits))} evaluations" if limits else ""
    title = f"The other methods with `calibration={CALIBRATED:g}`{limited}: what was covered, by coverage."
    head = f"| method | sets | fits | {columns} | 90%, least of a set |"
    return "\n".join([title, "", head, "|:--|--:|--:|--:|--:|--:|--:|", *rows])


def write_page(page: Path, text: str) -> None:
    before, rest = page.read_text(encoding="utf-8").split("<!-- tables -->", 1)
    after = rest.split("<!-- end of tables -->", 1)[1]
    page.write_text(f"{before}<!-- tables -->\n{text}\n<!-- end of tables -->{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--methods", default="growth")
    parser.add_argument("--sets", default=",".join(map(str, paper_tables().index)))
    parser.add_argument("--folds", type=int, default=5, help="maximum number of folds; large sets have one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-evaluations", type=int)
    parser.add_argument("--no-peer", action="store_true", help="leave out MAPIE")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.data:
        done = read_lines(arguments.out)
        known = set(done[KEY].itertuples(index=False, name=None))
        plan = [
            (method, name, fold)
            for method in arguments.methods.split(",")
            for fold in range(1, arguments.folds + 1)
            for name in arguments.sets.split(",")
            if (method, name, fold, arguments.seed) not in known and (fold == 1 or name not in LARGE)
        ]
        # Large sets come last.
        for method, name, fold in sorted(plan, key=lambda one: one[1] in LARGE):
            folder = Path(arguments.data) / name
            line = run(method, folder, fold, arguments.seed, arguments.max_evaluations, not arguments.no_peer)
            with arguments.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    text = tables(read_lines(arguments.out))
    print(text)
    if arguments.page:
        write_page(arguments.page, text)


if __name__ == "__main__":
    main()
