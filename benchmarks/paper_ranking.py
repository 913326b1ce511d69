"""The paper's Friedman and Wilcoxon tests: on its printed results, and on those of the estimators of this package.

    python benchmarks/paper_ranking.py [--table] [--fruler FILE] [--others FILE] [--growth FILE]

Reads the runs that `paper_fidelity.py`, `comparator_fidelity.py` and `fruler bench` have left, and runs nothing. A
table is ranked over the sets for which every system in it has a run; it says how many they are. `--table` prints own
and printed results of every set as Markdown instead.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

import pandas as pd

from fruler import FRULERRegressor
from fruler.bench.paper import paper_tables
from fruler.bench.statistics import friedman_ranking, wilcoxon_p

RESULTS = Path(__file__).parent / "results"
# The printed systems, by their columns in the paper's tables, and which of this package's algorithms each is.
PRINTED = {"fruler": "FRULER", "fsmogfs_tun": "FS_MOGFS+TUN", "l_metsk": "L-METSK-HD", "a_metsk": "A-METSK-HD"}
OWN = {
    "fruler": "FRULER",
    "fs-mogfs": "FS_MOGFS+TUN",
    "l-metsk": "L-METSK-HD",
    "a-metsk": "A-METSK-HD",
    "growth": "growth",
}


def printed(measure: str) -> pd.DataFrame:
    """Return Table 4: one row per set, one column per system."""
    tables = paper_tables()
    return pd.DataFrame({title: tables[f"{column}_{measure}"] for column, title in PRINTED.items()})


def own_runs(paths: dict[str, Path]) -> pd.DataFrame:
    """Return every run of a default reading: algorithm, set, test error, rules."""
    lines = {name: [json.loads(line) for line in open_lines(path)] for name, path in paths.items()}
    default = FRULERRegressor()
    runs = [
        {"algorithm": "fruler", "set": line["set"], "test": line["error"], "rules": line["rules"]}
        for line in lines["fruler"]
        if (line["solver"], line["l1_ratio"]) == (default.solver, default.l1_ratio)
    ]
    runs += [
        {"algorithm": line["algorithm"], "set": line["set"], "test": line["error"], "rules": line["rules"]}
        for line in lines["others"]
        if not line["changes"]
    ]
    runs += [
        {"algorithm": "growth", "set": line["set"], "test": line["error"], "rules": line["rules"]}
        for line in lines["growth"]
        if line["method"] == "growth" and line["status"] == "ok"
    ]
    return pd.DataFrame(runs)


def table_rows(runs: pd.DataFrame) -> list[str]:
    """Return own results with the printed ones behind them, as the rows of a Markdown table: one per set."""
    means = runs.groupby(["algorithm", "set"])[["test", "rules"]].mean()
    titles = [f"{title}: {what}" for title in PRINTED.values() for what in ("error", "rules")]
    rows = ["| set | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    algorithms = [name for name in OWN if OWN[name] in PRINTED.values()]
    for name, paper in paper_tables().iterrows():
        cells = []
        for algorithm, column in zip(algorithms, PRINTED, strict=True):
            own = means.loc[(algorithm, name)] if (algorithm, name) in means.index else None
            for measure, form in (("test", "{:.3g}"), ("rules", "{:.1f}")):
                published = form.format(paper[f"{column}_{measure}"])
                cells.append(f"{'-' if own is None else form.format(own[measure])} ({published})")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def open_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def compare(title: str, values: pd.DataFrame, pair: tuple[str, str]) -> None:
    ranking = friedman_ranking(values)
    ranks = ", ".join(f"{name} {rank:.3f}" for name, rank in ranking.ranks.items())
    first, second = (values[name] for name in pair)
    print(
        f"  {title} ({len(values)} sets): {ranks}; p {ranking.p_value:.1g}\n    Wilcoxon, {pair[0]} and {pair[1]}: "
        f"{wilcoxon_p(first, second):.3g} on differences, {wilcoxon_p(first, second, log_ratios=True):.3g} on ratios"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fruler", type=Path, default=RESULTS / "paper_fidelity.jsonl")
    parser.add_argument("--others", type=Path, default=RESULTS / "comparator_fidelity.jsonl")
    parser.add_argument("--growth", type=Path, default=RESULTS / "runs.jsonl")
    parser.add_argument("--table", action="store_true", help="print the results of every set as Markdown")
    arguments = vars(parser.parse_args())
    as_table = arguments.pop("table")
    runs = own_runs(arguments)
    if as_table:
        print("\n".join(table_rows(runs)))
        return
    pairs = {"test": ("FRULER", "A-METSK-HD"), "rules": ("FRULER", "FS_MOGFS+TUN")}
    for measure, pair in pairs.items():
        print({"test": "Test errors", "rules": "Numbers of rules"}[measure] + ": mean ranks")
        paper = printed(measure)
        means = runs.pivot_table(measure, "set", "algorithm").rename(columns=OWN)
        compare("printed", paper, pair)
        own = means[["FRULER"]].dropna()
        compare("our FRULER, the others printed", own.join(paper.drop(columns="FRULER"), how="inner"), pair)
        for names in itertools.accumulate([[title for title in means.columns if title != "growth"], ["growth"]]):
            if len(names) > 2:
                compare("our own runs", means[names].dropna(), pair)


if __name__ == "__main__":
    main()
