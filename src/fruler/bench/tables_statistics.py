"""Friedman rankings and Wilcoxon tests over the data sets, as in the paper and beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fruler.bench.measurements import Measured, geometric_mean
from fruler.bench.rendering import Cell, Column, Table, fixed, p_value, significant
from fruler.bench.statistics import FriedmanRanking, friedman_ranking, holm, tally, wilcoxon_p
from fruler.bench.systems import PAPER_SYSTEMS, as_printed, title_of
from fruler.estimators.registry import DEFAULT

# Of the paper's tables of Friedman ranks.
PRINTED_RANKS = {
    "error": {"paper_fruler": 1.714, "paper_a_metsk": 2.036, "paper_fsmogfs_tun": 2.786, "paper_l_metsk": 3.464},
    "rules": {"paper_fruler": 1.214, "paper_fsmogfs_tun": 1.786, "paper_a_metsk": 3.0, "paper_l_metsk": 4.0},
}
NAMES = {"error": "test error", "rules": "number of rules"}
PAPER_GROUP = "the paper's systems"
# A signed-rank test on fewer sets could not come out significant.
FEWEST_SETS = 6


def ranked_groups(measured: Measured, figure: str) -> dict[str, pd.DataFrame]:
    """Return the figures of the systems that are ranked together, one row per set, by the name of the group.

    Not every peer takes part, see `ranked_peers`: one that has figures on few sets would leave few to rank on.
    """
    ours = measured.ours
    if not ours:
        return {}
    candidates = {PAPER_GROUP: list(PAPER_SYSTEMS), "the paper's systems and ours": [*PAPER_SYSTEMS, *ours]}
    if peers := ranked_peers(measured, figure):
        candidates["the paper's systems, ours and the peers"] = [*PAPER_SYSTEMS, *ours, *peers]
    groups = {name: measured.compare(systems, figure) for name, systems in candidates.items()}
    return {name: values for name, values in groups.items() if len(values) >= 2}


def ranked_peers(measured: Measured, figure: str) -> list[str]:
    """Return the peers to rank: as many as together leave at least half of the sets that ours and the paper share."""
    own = [*PAPER_SYSTEMS, *measured.ours]
    shared = len(measured.compare(own, figure))
    coverage = {peer: len(measured.compare([*own, peer], figure)) for peer in measured.peers}
    chosen: list[str] = []
    for peer in sorted(coverage, key=lambda name: -coverage[name]):
        if 0 < shared <= 2 * len(measured.compare([*own, *chosen, peer], figure)):
            chosen.append(peer)
    return [peer for peer in measured.peers if peer in chosen]


def ranking_table(measured: Measured, figure: str) -> Table | None:
    """Return the mean ranks of the paper's systems, with ours, and with the peers."""
    groups = ranked_groups(measured, figure)
    if groups.keys() <= {PAPER_GROUP}:
        return None
    records: list[dict[str, Any]] = []
    rows = []
    for group, values in groups.items():
        ranking = friedman_ranking(values)
        for position, system in enumerate(ranking.ranks.index):
            record = _ranking_record(group, str(system), ranking, values, figure)
            records.append(record)
            rows.append(_ranking_cells(record, first=position == 0))
    columns = [Column(name) for name in ("ranking", "system", "mean rank", "printed", "sets", "χ²", "p")]
    notes = [
        "Ranks are means over the sets for which all systems of a ranking have a figure, 1 being the best; "
        "methods are averaged over the folds that all of them finished.",
        "Printed: the rank in the paper, recomputed beside it from its Table 4.",
    ]
    left_out = [title_of(peer) for peer in measured.peers if not any(peer in values for values in groups.values())]
    if left_out:
        notes.append(f"Not ranked, without figures on at least half of the sets: {', '.join(left_out)}.")
    title = f"Friedman ranking by {NAMES[figure]}"
    return Table(f"ranking_{figure}", title, pd.DataFrame(records), columns, rows, notes, labels=2)


def _ranking_record(
    group: str, system: str, ranking: FriedmanRanking, values: pd.DataFrame, figure: str
) -> dict[str, Any]:
    return {
        "ranking": group,
        "system": system,
        "rank": float(ranking.ranks[system]),
        "printed_rank": PRINTED_RANKS[figure][system] if group == PAPER_GROUP else np.nan,
        "sets": len(values),
        "chi_squared": ranking.chi_squared,
        "p_value": ranking.p_value,
    }


def wilcoxon_table(measured: Measured, figure: str) -> Table | None:
    """Compare our algorithms with the other systems, two at a time."""
    records: list[dict[str, Any]] = []
    for first, others in _comparisons(measured).items():
        compared = (measured.compare([first, second], figure) for second in others)
        family = [_comparison(values, figure) for values in compared if not values.empty]
        for p in ("p_differences", "p_log_ratios"):
            adjusted = holm(pd.Series([record[p] for record in family], dtype=float).dropna())
            for position, record in enumerate(family):
                record[f"{p}_holm"] = float(adjusted.get(position, np.nan))
        records += family
    if not records:
        return None
    headings = [
        *(Column("system"), Column("against"), Column("sets"), Column("wins / ties / losses")),
        Column("at printed digits"),
        *(Column("geometric mean", "ratio"), Column("median", "ratio")),
        *(Column("p", "differences"), Column("Holm", "differences")),
        *(Column("p", "log-ratios"), Column("Holm", "log-ratios")),
    ]
    notes = [
        "Signed-rank tests over sets, smaller being better; a ratio below 1 speaks for the first system. The paper "
        "tests differences, which are those of the sets with large units; log-ratios weigh all sets alike. Holm: "
        "corrected for all comparisons of the first system. Two methods are compared on the folds that both finished, "
        "a method and the paper on the folds there are.",
        "At printed digits: both figures rounded as the paper prints them. "
        f"No p-value for fewer than {FEWEST_SETS} sets.",
    ]
    rows = [_comparison_cells(record) for record in records]
    title = f"Comparison by {NAMES[figure]}, two systems at a time"
    return Table(f"wilcoxon_{figure}", title, pd.DataFrame(records), headings, rows, notes, labels=2)


def _comparisons(measured: Measured) -> dict[str, list[str]]:
    """Return what each of our algorithms is compared with: the default with everything, the others with the paper."""
    found = {}
    for algorithm in measured.ours:
        others = [other for other in measured.ours if other != algorithm]
        rivals = [*others, *measured.peers] if algorithm == DEFAULT else []
        found[algorithm] = [*PAPER_SYSTEMS, *rivals]
    return found


def _comparison(values: pd.DataFrame, figure: str) -> dict[str, Any]:
    """Compare two systems, a column each."""
    first, second = values.columns
    a, b = values[first], values[second]
    ratios = ratios_of(values)
    wins, ties, losses = tally(a, b)
    record: dict[str, Any] = {
        "system": first,
        "against": second,
        "sets": len(values),
        "wins": wins,
        "ties": ties,
        "losses": losses,
    }
    printed = second in PAPER_SYSTEMS
    rounded = tally(*(_rounded(column, figure) for column in (a, b))) if printed else (None, None, None)
    record |= dict(zip(("printed_wins", "printed_ties", "printed_losses"), rounded, strict=True))
    record |= {"geometric_mean": geometric_mean(ratios), "median": float(ratios.median())}
    positive = values[(a > 0) & (b > 0)]
    record["p_differences"] = wilcoxon_p(a, b) if len(values) >= FEWEST_SETS else np.nan
    record["p_log_ratios"] = (
        wilcoxon_p(positive[first], positive[second], log_ratios=True) if len(positive) >= FEWEST_SETS else np.nan
    )
    return record


def ratios_of(values: pd.DataFrame) -> pd.Series:
    """Return the ratio of the first column to the second; 1 where both are zero."""
    first, second = values.iloc[:, 0], values.iloc[:, 1]
    return (first / second).mask(first == second, 1.0)


def _rounded(column: pd.Series, figure: str) -> pd.Series:
    return pd.Series({name: as_printed(str(name), value, figure) for name, value in column.items()})


def _ranking_cells(record: dict[str, Any], *, first: bool) -> list[Cell]:
    """Return a row; what all rows of a ranking share is shown in its first one."""
    shared = [record["ranking"], str(record["sets"]), fixed(record["chi_squared"], 2), p_value(record["p_value"])]
    group, *tests = shared if first else [""] * len(shared)
    return [Cell(group), Cell(title_of(record["system"])), *_ranks(record), *map(Cell, tests)]


def _ranks(record: dict[str, Any]) -> list[Cell]:
    printed = record["printed_rank"]
    return [Cell(fixed(record["rank"], 3)), Cell("" if np.isnan(printed) else fixed(printed, 3))]


def _comparison_cells(record: dict[str, Any]) -> list[Cell]:
    exact = f"{record['wins']} / {record['ties']} / {record['losses']}"
    printed = [record[f"printed_{name}"] for name in ("wins", "ties", "losses")]
    return [
        Cell(title_of(record["system"])),
        Cell(title_of(record["against"])),
        Cell(str(record["sets"])),
        Cell(exact),
        Cell("" if printed[0] is None else " / ".join(map(str, printed))),
        Cell(significant(record["geometric_mean"], 3)),
        Cell(significant(record["median"], 3)),
        *(
            Cell(p_value(record[f"{kind}{suffix}"]))
            for kind in ("p_differences", "p_log_ratios")
            for suffix in ("", "_holm")
        ),
    ]
