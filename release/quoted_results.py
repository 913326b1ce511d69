"""Compute the results quoted in README and docs from `benchmarks/results`, and write them into the pages.

    python release/quoted_results.py [--check]

A page marks a quoted result with two comments, which readers do not see:

    an error of <!--=growth.error:.2f-->0.58<!--/--> times the published one

The first comment has the name of the result and, after the colon, its format: one of Python's formats, or `word` for a
small number in words. A table is between two such comments on separate lines. A comment must not begin a line of
running text, which Markdown would take for HTML. Without `--check` the marked spots are rewritten; with `--check`,
spots that differ are listed and the exit code is 1. The script runs no experiment and needs no data set.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fruler import FRULERRegressor
from fruler._wording import counted
from fruler.bench._comparisons import ratios_of, summary_table
from fruler.bench._measurements import Measurements, geometric_mean, read_measurements
from fruler.bench._statistics import friedman_ranking, tally, wilcoxon_p
from fruler.bench.paper import LARGE_SETS, in_paper_units, paper_tables

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SPOT = re.compile(r"<!--=(?P<name>[\w.+-]+)(?::(?P<format>[^>]*?))?-->(?P<text>.*?)<!--/-->", re.DOTALL)
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# The sets on which the choices of the growth (docs/growth_notes.md) and of FRULER's reading (docs/paper.md) were made.
CHOICES = (
    *("concrete", "stock", "friedman", "autoMPG8", "dee", "ele-1", "wankara", "mortgage", "ANACALT", "delta_ail"),
    *("california", "compactiv", "elevators", "mv"),
)
# Rules count as true if the error of the strongest rule alone is at most this times that of all rules, or at most this
# share of the target's spread (docs/reading.md). The second matters for one set only; the lines lack its spread.
TRUE_RATIO, NEXT_TO_NOTHING = 1.15, 0.02
SPREAD = {"mv": 10.42}
# Numbers of rules within this factor of the paper's count as near (docs/paper.md, docs/systems.md).
NEAR_PAPER, NEAR_PAPER_LARGE, NEAR_OTHERS = 1.6, 2.0, 1.5

# The readings of the paper in `paper_fidelity.jsonl`: the default, the printed one, and the first, without copies.
READINGS = {
    "default": "keep_copies=true,threshold_per_input=26.0,pcblx=truncated",
    "printed": "printed",
    "distinct": "",
}

# Methods that users know: their name, the unit of their size, and what a person can read.
COMPARED = {
    "growth": ("**fruler**", "rules", "rules as sentences, which can be read one by one"),
    "ebm": ("EBM", "curves and surfaces", "one curve per input, one surface per pair"),
    "cubist": ("Cubist, one committee", "rules", "rules with crisp conditions and linear formulas"),
    "lightgbm": ("LightGBM", "leaves", "nothing without another tool"),
    "linear": ("linear regression", "formula", "one formula"),
}

# The paper's systems, by their columns in its tables, and the same systems by the names of our algorithms.
PRINTED = {"fruler": "FRULER", "fsmogfs_tun": "FS_MOGFS+TUN", "l_metsk": "L-METSK-HD", "a_metsk": "A-METSK-HD"}
OWN = {"fruler": "FRULER", "fs-mogfs": "FS_MOGFS+TUN", "l-metsk": "L-METSK-HD", "a-metsk": "A-METSK-HD"}
SELECTORS = ("FRULER", "CCIS", "CCIS, not thinned", "CCISR-like", "CCISR-like, not thinned")

Results = dict[str, Any]


def all_results(folder: Path = RESULTS) -> Results:
    """Return all results that a page may quote, by name: numbers, and tables as Markdown."""
    measured = read_measurements(folder / "runs.jsonl")
    return {
        **growth_results(measured),
        "growth.comparison": comparison(measured),
        "bench.ebm_mv_minutes": measured.by_fold("seconds").loc[("mv", 1), "ebm"] / 60.0,
        **paper_results(_read_lines(folder / "paper_fidelity.jsonl"), _read_lines(folder / "reading_choices.jsonl")),
        "paper.preprocessing": preprocessing_rows(_read_lines(folder / "runs.jsonl")),
        **system_results(_read_lines(folder / "comparator_fidelity.jsonl")),
        **ranking_results(folder),
        **selector_results(_read_lines(folder / "selectors.jsonl")),
    }


def _read_lines(path: Path) -> pd.DataFrame:
    return pd.DataFrame([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])


def growth_results(measured: Measurements) -> Results:
    """Return the results of `FuzzyRuleRegressor`, over all sets and over both halves of them."""
    frame = summary_table(measured).frame
    mine = frame[frame["method"] == "growth"].set_index("figure")["value"]
    seconds = measured.by_fold("seconds")[["growth", "ebm"]].dropna()
    small = seconds[~seconds.index.get_level_values("set").isin(LARGE_SETS)]
    as_good = next(value for figure, value in mine.items() if figure.startswith("sets at least as good"))
    found: Results = {
        "growth.sets": int(mine["sets"]),
        "growth.error": mine["error, ratio to the paper's FRULER (geometric mean)"],
        "growth.rules": mine["rules, ratio to the paper's FRULER (geometric mean)"],
        "growth.as_good": int(as_good),
        "growth.ebm_times_as_long": geometric_mean(small["ebm"] / small["growth"]),
    }
    for peer in ("ebm", "cubist", "forest", "lightgbm"):
        errors = measured.compare(["growth", peer], "error")
        found[f"growth.{peer}.median"] = float(ratios_of(errors).median())
    sets = set(measured.means("growth", "error").index)
    for half, names in (("all", sets), ("choices", sets & set(CHOICES)), ("others", sets - set(CHOICES))):
        found |= {f"growth.{name}.{half}": value for name, value in _of_half(measured, sorted(names)).items()}
    return found


def _of_half(measured: Measurements, names: list[str]) -> Results:
    means = {name: measured.means("growth", name)[names] for name in ("error", "alone_error", "rules", "curves")}
    together, alone = ((2.0 * means[name]) ** 0.5 for name in ("error", "alone_error"))
    next_to_nothing = NEXT_TO_NOTHING * pd.Series(SPREAD, dtype=float).reindex(names)
    first = ratios_of(measured.compare(["growth", "second_growth"], "error").loc[names])
    found: Results = {
        "n": len(names),
        "truth": geometric_mean(together / alone),
        "true_sets": int(((alone <= TRUE_RATIO * together) | (alone <= next_to_nothing)).sum()),
        "first": geometric_mean(first),
        "first_largest": float(first.max()),
        "first_largest_set": str(first.idxmax()),
        "rules_median": float(means["rules"].median()),
        "curves_median": float(means["curves"].median()),
        "slopes_median": float(measured.means("growth", "coefficients")[names].median()),
    }
    for peer in ("ebm", "cubist"):
        errors = measured.compare(["growth", peer], "error").loc[names]
        found[f"{peer}_median"] = float(ratios_of(errors).median())
        found[f"{peer}_wins"] = tally(errors["growth"], errors[peer]).wins
    return found


def comparison(measured: Measurements) -> str:
    """Return a table of `FuzzyRuleRegressor` and methods that users know: error, size, time, readable parts."""
    rows = [
        "| | error / fruler's | lower error than fruler | size of the model | seconds per fit | what you get to read |",
        "|---|---|---|---|---|---|",
    ]
    for method, (title, unit, read) in COMPARED.items():
        errors = measured.compare(["growth", method], "error") if method != "growth" else None
        ratio = "1" if errors is None else f"{(errors[method] / errors['growth']).median():.2f}"
        lower = "" if errors is None else f"{tally(errors[method], errors['growth']).wins} of {len(errors)}"
        means = measured.of(method).groupby("set")[["rules", "curves", "seconds"]].mean().median()
        size = f"{means['rules']:,.0f} {unit}"
        curves = f", {counted(round(means['curves']), 'curve')}" if method == "growth" else ""
        rows.append(_row(title, (ratio, lower, size + curves, f"{means['seconds']:.2g}", read)))
    return _block(rows)


def whole_seeds(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with the default `l1_ratio` of seeds with all five folds; others have a mean of other rows."""
    lines = lines[lines["l1_ratio"] == FRULERRegressor().l1_ratio]
    return lines[lines.groupby(["set", "seed"])["fold"].transform("nunique") == 5]


def paper_ratios(lines: pd.DataFrame, reading: str, solver: str = "sgd") -> pd.DataFrame:
    """Return results of `FRULERRegressor` as ratios to the paper's, one row per set, with our rules and seconds."""
    lines = whole_seeds(lines[(lines["reading"] == READINGS[reading]) & (lines["solver"] == solver)])
    paper = paper_tables()
    means = lines.groupby("set")[["error", "rules", "evaluations", "seconds"]].mean()
    table = means.join(paper).loc[[name for name in paper.index if name in means.index]]
    return pd.DataFrame(
        {
            "error": table["error"] / table["fruler_test"],
            "rules": table["rules"] / table["fruler_rules"],
            "evaluations": table["evaluations"] / table["fruler_evaluations"],
            "own_rules": table["rules"],
            "times_as_fast": table["fruler_run_s"] / table["seconds"],
            "runs": lines.groupby("set").size().reindex(table.index),
        }
    )


def typical_factor(ratios: pd.Series) -> float:
    """Return by which factor ratios are typically off, up or down: the exponential of the mean absolute logarithm.

    Examples
    --------
    >>> round(typical_factor(pd.Series([0.5, 2.0, 1.0])), 2)
    1.59
    """
    return float(np.exp(np.log(ratios).abs().mean()))


def paper_table(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the ratios of all readings, one row per set; sets that took part in choices have a star."""
    default = tables["default"]
    titles = ("runs", "error", "rules", "evaluations", "error, printed", "rules, printed", "error, copies removed")
    rows = [_row("set", (*titles, "rules, copies removed")), "|---" * (len(titles) + 2) + "|"]
    for name in paper_tables().index:
        own = default.loc[name] if name in default.index else None
        cells = [f"{own['runs']:.0f}"] if own is not None else ["-"]
        cells += ["-" if own is None else f"{own[what]:.2f}" for what in ("error", "rules", "evaluations")]
        for reading in ("printed", "distinct"):
            other = tables[reading]
            cells += [_ratio(other.loc[name, what]) if name in other.index else "-" for what in ("error", "rules")]
        rows.append(_row(name + " *" * (name in CHOICES), cells))
    return _block(rows)


def agreement_rows(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return how well each reading agrees with the paper, by size of the sets and by half."""
    titles = {"default": "calibrated", "distinct": "calibrated, copies removed", "printed": "printed"}
    head = (
        "sets",
        "error: typical factor",
        "geometric mean",
        "range",
        "rules: typical factor",
        "geometric mean",
        "range",
    )
    rows = [_row("reading", head), "|---" * (len(head) + 1) + "|"]
    for size, is_large in (("small", False), ("large", True)):
        for half in ("choices", "others", "all"):
            for reading, title in titles.items():
                table = tables[reading]
                names = [name for name in table.index if (name in LARGE_SETS) == is_large]
                names = [name for name in names if half == "all" or (name in CHOICES) == (half == "choices")]
                if not names:
                    continue
                cells = [f"{len(names)} {size}, {half}"]
                for what in ("error", "rules"):
                    ratios = table.loc[names, what]
                    cells += [_ratio(typical_factor(ratios)), _ratio(geometric_mean(ratios))]
                    cells.append(f"{_ratio(ratios.min())} to {_ratio(ratios.max())}")
                rows.append(_row(title, cells))
    return _block(rows)


# What the two preprocessing stages gave with splits by gain and cores by the root mean squared error.
BEFORE = ("4.4", "5.4", "0.38", "0.423", "0.62", "0.84")


def preprocessing_rows(runs: pd.DataFrame) -> str:
    """Return how far the two preprocessing stages are from Tables 2 and 3, by half of the sets in the alphabet."""
    columns = ["reduction", "increase", "average", "largest", "unused"]
    table = runs[runs["method"] == "preprocessing"].groupby("set")[columns].mean().join(paper_tables())
    chosen = table.index.isin(sorted(table.index, key=str.lower)[::2])
    cells = []
    for part in (table[chosen], table[~chosen], table):
        reduction = (part["reduction"] - part["is_reduction_pct"]).abs()
        logs = [
            np.log(part[own] / part[printed]).abs().mean()
            for own, printed in (
                ("increase", "is_error_increase"),
                ("average", "disc_avg_granularity"),
                ("largest", "disc_max_granularity"),
            )
        ]
        unused = (part["unused"] - part["disc_not_used"]).abs().mean()
        numbers = (reduction.median(), reduction.mean(), *logs, unused)
        cells.append([f"{one:.{digits}f}" for one, digits in zip(numbers, (1, 1, 2, 3, 2, 2), strict=True)])
    measures = (
        "reduction: median absolute difference, points",
        "reduction: mean absolute difference, points",
        "error increase: mean absolute log ratio",
        "average granularity: mean absolute log ratio",
        "largest granularity: mean absolute log ratio",
        "unused inputs: mean absolute difference",
    )
    rows = [_row("", ("development half", "other half", f"all {len(table)}", "before, all 28")), "|---" * 5 + "|"]
    rows += [_row(name, parts) for name, *parts in zip(measures, *cells, BEFORE, strict=True)]
    return _block(rows)


def choice_rows(tried: pd.DataFrame, lines: pd.DataFrame) -> str:
    """Return the readings that were tried on small sets of the half for choices, five folds, seed 0, as a table."""
    first = lines[(lines["reading"] == "") & (lines["solver"] == "sgd") & lines["set"].isin(tried["set"])]
    tried = pd.concat([first, tried]).query("seed == 0")
    head = (
        "error: typical factor",
        "largest",
        "rules: typical factor",
        "geometric mean",
        "evaluations: geometric mean",
    )
    rows = [_row("changes in the first reading", head), "|---" * (len(head) + 1) + "|"]
    paper, n_runs = paper_tables(), len(first.query("seed == 0"))
    for reading, part in tried.groupby("reading", sort=False):
        if len(part) == n_runs:
            means = part.groupby("set")[["error", "rules", "evaluations"]].mean()
            error, rules, evaluations = (
                means[name] / paper.loc[means.index, f"fruler_{column}"]
                for name, column in (("error", "test"), ("rules", "rules"), ("evaluations", "evaluations"))
            )
            cells = (typical_factor(error), error.max(), typical_factor(rules), geometric_mean(rules))
            name = (
                f"`{reading.replace(',', ', ')}`" if reading else "none: copies removed, first threshold 24 per input"
            )
            rows.append(_row(name, (f"{one:.2f}" for one in (*cells, geometric_mean(evaluations)))))
    return _block(rows)


def paper_results(lines: pd.DataFrame, tried: pd.DataFrame) -> Results:
    """Return the results of `FRULERRegressor` compared with the paper's Tables 4 and 9."""
    tables = {reading: paper_ratios(lines, reading) for reading in READINGS}
    ratios = tables["default"]
    small = [name for name in ratios.index if name not in LARGE_SETS]
    large = [name for name in ratios.index if name in LARGE_SETS]
    exact = paper_ratios(lines, "distinct", "coordinate_descent")
    exact = exact[~exact.index.isin(LARGE_SETS)]
    found: Results = {
        "paper.table": paper_table(tables),
        "paper.agreement": agreement_rows(tables),
        "paper.choices": choice_rows(tried, lines),
        "paper.sets": len(ratios),
        "paper.small": len(small),
        "paper.large": len(large),
        "paper.seeds": int(ratios.loc[small, "runs"].min() // 5),
        "paper.evaluations_least": ratios["evaluations"].min(),
        "paper.evaluations_most": ratios["evaluations"].max(),
        "paper.rules_near": _n_near(ratios.loc[small, "rules"], NEAR_PAPER),
        "paper.times_as_fast": geometric_mean(ratios["times_as_fast"]),
        "paper.exact.error": geometric_mean(exact["error"]),
        "paper.exact.rules": geometric_mean(exact["rules"]),
        "paper.exact.typical_error": typical_factor(exact["error"]),
        "paper.exact.typical_rules": typical_factor(exact["rules"]),
    }
    for what in ("error", "rules"):
        one = ratios.loc[small, what]
        found |= {
            f"paper.{what}.typical": typical_factor(one),
            f"paper.{what}.mean": geometric_mean(one),
            f"paper.{what}.least": one.min(),
            f"paper.{what}.least_set": str(one.idxmin()),
            f"paper.{what}.most": one.max(),
            f"paper.{what}.most_set": str(one.idxmax()),
            f"paper.distinct.{what}.typical": typical_factor(tables["distinct"].loc[small, what]),
        }
    return found


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100.0 else f"{value:,.0f}"


def _n_near(ratios: pd.Series, factor: float) -> int:
    """Return the number of ratios within a factor of one."""
    return int(ratios.between(1.0 / factor, factor).sum())


def system_results(lines: pd.DataFrame) -> Results:
    """Return the results of the other three systems compared with the paper's Table 4."""
    lines, paper = lines[lines["changes"] == ""], paper_tables()
    titles = {"l-metsk": "L-METSK", "fs-mogfs": "FS_MOGFS+TUN", "a-metsk": "A-METSK"}
    rows = ["| | sets | error | rules | rules within a factor 1.5 |", "|---|---|---|---|---|"]
    found: Results = {}
    for algorithm, title in titles.items():
        column = next(column for column, name in PRINTED.items() if name == OWN[algorithm])
        means = lines[lines["algorithm"] == algorithm].groupby("set")[["error", "rules", "seconds"]].mean().join(paper)
        is_large = means.index.isin(LARGE_SETS)
        for size, part in (("small", means[~is_large]), ("large", means[is_large])):
            if len(part) == (paper.index.isin(LARGE_SETS).sum() if size == "large" else 20):
                error, rules = part["error"] / part[f"{column}_test"], part["rules"] / part[f"{column}_rules"]
                near = _n_near(rules, NEAR_OTHERS)
                cells = f"{geometric_mean(error):.2f} | {geometric_mean(rules):.2f} | {near} of {len(part)}"
                rows.append(f"| {title} | {len(part)} {size} | {cells} |")
        found[f"systems.seconds.{algorithm}"] = means.loc[~is_large, "seconds"].max()
    return found | {"systems.summary": _block(rows)}


def ranking_results(folder: Path) -> Results:
    """Return the paper's Friedman and Wilcoxon tests with our own runs, and a table of all sets."""
    runs = own_runs(folder)
    found: Results = {"systems.table": _block(table_rows(runs))}
    tables = paper_tables()
    for measure, what in (("test", "error"), ("rules", "rules")):
        printed = pd.DataFrame({title: tables[f"{column}_{measure}"] for column, title in PRINTED.items()})
        means = runs.pivot_table(measure, "set", "algorithm").rename(columns=OWN)
        ours = means[["FRULER"]].dropna().join(printed.drop(columns="FRULER"), how="inner")
        four = means.drop(columns="growth").dropna()
        rankings = {"printed": printed, "paper": ours, "four": four, "five": means.dropna()}
        for name, values in rankings.items():
            ranks = friedman_ranking(values).ranks
            found |= {f"ranks.{name}.{what}.{system}": rank for system, rank in ranks.items()}
            found[f"ranks.{name}.{what}.sets"] = len(values)
            pair = values["FRULER"], values["A-METSK-HD"]
            found[f"ranks.{name}.{what}.p"] = wilcoxon_p(*pair)
            if what == "error":
                in_units = (pd.Series({key: in_paper_units(key, one) for key, one in part.items()}) for part in pair)
                found[f"ranks.{name}.{what}.p_printed_units"] = wilcoxon_p(*in_units)
            found[f"ranks.{name}.{what}.p_ratios"] = wilcoxon_p(*pair, log_ratios=True)
    return found


def own_runs(folder: Path) -> pd.DataFrame:
    """Return all runs with default settings: algorithm, set, test error, rules."""
    paper, others = (_read_lines(folder / f"{name}_fidelity.jsonl") for name in ("paper", "comparator"))
    paper = whole_seeds(paper[(paper["solver"] == "sgd") & (paper["reading"] == READINGS["default"])])
    growth = _read_lines(folder / "runs.jsonl").query("method == 'growth' and status == 'ok'")
    parts = [paper.assign(algorithm="fruler"), others[others["changes"] == ""], growth.assign(algorithm="growth")]
    runs = pd.concat([part[["algorithm", "set", "error", "rules"]] for part in parts], ignore_index=True)
    return runs.rename(columns={"error": "test"})


def table_rows(runs: pd.DataFrame) -> list[str]:
    """Return our results, with the printed ones in parentheses, as a Markdown table with one row per set."""
    means = runs.groupby(["algorithm", "set"])[["test", "rules"]].mean()
    titles = [f"{title}: {what}" for title in PRINTED.values() for what in ("error", "rules")]
    rows = ["| set | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for name, paper in paper_tables().iterrows():
        cells = []
        for algorithm, column in zip(OWN, PRINTED, strict=True):
            own = means.loc[(algorithm, name)] if (algorithm, name) in means.index else None
            for measure, form in (("test", "{:.3g}"), ("rules", "{:.1f}")):
                published = form.format(paper[f"{column}_{measure}"])
                cells.append(f"{'-' if own is None else form.format(own[measure])} ({published})")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def selector_results(lines: pd.DataFrame) -> Results:
    """Return the results of all instance selectors compared with the paper's Table 2."""
    paper = paper_tables()
    means = lines.groupby(["selector", "set"])[["reduction", "increase", "seconds"]].mean()
    columns = {"paper": paper.rename(columns={"is_reduction_pct": "reduction", "is_error_increase": "increase"})}
    columns |= {name: means.loc[name].reindex(paper.index) for name in SELECTORS}
    titles = (
        "paper",
        "`ClassConditionalSelector`",
        "`CCISSelector`",
        "not thinned",
        "`CCISRLikeSelector`",
        "not thinned",
    )
    rows = [_row("set", titles), "|---" * (len(titles) + 1) + "|"]
    for name in paper.index:
        found_there = [column.loc[name] for column in columns.values()]
        rows.append(_row(name, (f"{row['reduction']:.1f}, {row['increase']:.2f}" for row in found_there)))
    increases = [column["increase"] for column in columns.values()]
    rows.append(_row("mean reduction", (f"{column['reduction'].mean():.1f}" for column in columns.values())))
    rows.append(_row("geometric mean of the increases", (f"{geometric_mean(column):.2f}" for column in increases)))
    rows.append(_row("largest increase", (f"{column.max():.3g}" for column in increases)))
    one_class = lines[(lines["selector"] == "CCIS")].groupby("set")["classes"].agg(["min", "max"])
    several = one_class.index[one_class["min"] > 1]
    found: Results = {
        "selectors.table": _block(rows),
        "selectors.one_class": int((one_class["min"] == 1).sum()),
        "selectors.several": len(several),
        "selectors.slowest": lines["seconds"].max(),
        "selectors.slowest_set": str(lines.loc[lines["seconds"].idxmax(), "set"]),
    }
    for name in ("CCIS", "FRULER"):
        part = columns[name].loc[several]
        found[f"selectors.{name}.reduction"] = part["reduction"].mean()
        found[f"selectors.{name}.increase"] = geometric_mean(part["increase"])
    return found


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _block(rows: list[str]) -> str:
    return "\n" + "\n".join(rows) + "\n"


def write_value(value: Any, form: str | None) -> str:
    """Format a result for its spot.

    Examples
    --------
    >>> write_value(0.576, ".2f"), write_value(6, "word"), write_value("stock", None)
    ('0.58', 'six', 'stock')
    """
    if form == "word":
        return WORDS[round(value)]
    return format(value, form or "")


def rewrite(text: str, results: Mapping[str, Any]) -> str:
    """Return a page with the current result in every marked spot.

    Raises
    ------
    ValueError
        If a mark is damaged, names an unknown result, or begins a line of running text.
    """

    def spot(match: re.Match[str]) -> str:
        name, form = match["name"], match["format"]
        if name not in results:
            raise ValueError(f"there is no result {name!r}")
        value = results[name]
        is_table = isinstance(value, str) and value.startswith("\n")
        line_start = match.string.rfind("\n", 0, match.start()) + 1
        if not is_table and not match.string[line_start : match.start()].strip():
            raise ValueError(f"the mark of {name!r} begins a line, which Markdown takes for HTML; break it elsewhere")
        opening = match[0][: match.start("text") - match.start()]
        return f"{opening}{write_value(value, form)}<!--/-->"

    if len(SPOT.findall(text)) != text.count("<!--="):
        raise ValueError("a mark has no end, or a name with other characters than letters, digits and ._+-")
    return SPOT.sub(spot, text)


def pages() -> list[Path]:
    """Return all pages that quote a result."""
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), RESULTS / "README.md"]
    return [path for path in candidates if SPOT.search(path.read_text(encoding="utf-8"))]


def differences(text: str, results: Mapping[str, Any]) -> list[str]:
    """Return the marked spots of a page that differ from the results."""
    made = rewrite(text, results)
    pairs = zip(SPOT.finditer(text), SPOT.finditer(made), strict=True)
    return [
        f"{old['name']}: {' '.join(old['text'].split())[:60]!r}, must be {' '.join(new['text'].split())[:60]!r}"
        for old, new in pairs
        if old["text"] != new["text"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, and list the differences")
    parser.add_argument("--list", action="store_true", help="print every result with its name")
    arguments = parser.parse_args()
    results = all_results()
    if arguments.list:
        for name, value in results.items():
            print(f"{name} = {value}")
        return
    stale = 0
    for path in pages():
        text = path.read_text(encoding="utf-8")
        for difference in differences(text, results):
            print(f"{path.relative_to(ROOT)}: {difference}")
            stale += 1
        if not arguments.check:
            path.write_text(rewrite(text, results), encoding="utf-8")
    if stale and arguments.check:
        sys.exit(f"{stale} spots differ from benchmarks/results; run: python release/quoted_results.py")


if __name__ == "__main__":
    main()
