"""Comparisons over all data sets: Friedman rankings, Wilcoxon tests of two systems, and the headline results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fruler._wording import counted
from fruler.bench._measurements import Measurements, geometric_mean
from fruler.bench._methods import title_of
from fruler.bench._statistics import friedman_ranking, holm, tally, wilcoxon_p
from fruler.bench._tables import (
    CAPPED_NOTE,
    NONE,
    ResultTable,
    Shown,
    mark,
    significant,
    with_decimals,
)
from fruler.bench.paper import LARGE_SETS, PAPER_SYSTEMS, PRINTED_RANKS, as_printed, order_sets, paper_results
from fruler.estimators.registry import DEFAULT

MEASURE_NAMES = {"error": "test error", "rules": "number of rules"}
PAPER_GROUP = "the paper's systems"
# A signed-rank test on fewer sets cannot be significant.
_MIN_SETS = 6
_MANY_INPUTS = 8


def ranked_groups(measured: Measurements, measure: str) -> dict[str, pd.DataFrame]:
    """Return the results of the systems that are ranked together, one row per set, by the name of the group.

    `ranked_peers` leaves out peers with results on few sets, since these would leave few sets to rank on.
    """
    ours = measured.ours
    if not ours:
        return {}
    candidates = {PAPER_GROUP: list(PAPER_SYSTEMS), "the paper's systems and ours": [*PAPER_SYSTEMS, *ours]}
    if peers := ranked_peers(measured, measure):
        candidates["the paper's systems, ours and the peers"] = [*PAPER_SYSTEMS, *ours, *peers]
    groups = {name: measured.compare(systems, measure) for name, systems in candidates.items()}
    return {name: values for name, values in groups.items() if len(values) >= 2}


def ranked_peers(measured: Measurements, measure: str) -> list[str]:
    """Return the peers to rank: as many as leave at least half of the sets that our methods and the paper share."""
    own = [*PAPER_SYSTEMS, *measured.ours]
    shared = len(measured.compare(own, measure))
    coverage = {peer: len(measured.compare([*own, peer], measure)) for peer in measured.peers}
    chosen: list[str] = []
    for peer in sorted(coverage, key=lambda name: -coverage[name]):
        if 0 < shared <= 2 * len(measured.compare([*own, *chosen, peer], measure)):
            chosen.append(peer)
    return [peer for peer in measured.peers if peer in chosen]


def ranking_table(measured: Measurements, measure: str) -> ResultTable | None:
    """Return the mean ranks of the paper's systems alone, with our methods, and with the peers."""
    groups = ranked_groups(measured, measure)
    if groups.keys() <= {PAPER_GROUP}:
        return None
    records: list[dict[str, Any]] = []
    for group, values in groups.items():
        ranking = friedman_ranking(values)
        printed = PRINTED_RANKS[measure] if group == PAPER_GROUP else {}
        records += [
            {
                "ranking": group,
                "system": system,
                "rank": float(rank),
                "printed_rank": printed.get(str(system), np.nan),
                "sets": len(values),
                "chi_squared": ranking.chi_squared,
                "p_value": ranking.p_value,
            }
            for system, rank in ranking.ranks.items()
        ]
    frame = pd.DataFrame(records)
    # Values that all rows of a ranking share are shown in its first row only.
    is_first = ~frame["ranking"].duplicated()
    shown: Shown = {
        ("", "ranking"): frame["ranking"].where(is_first, "").tolist(),
        ("", "system"): [title_of(system) for system in frame["system"]],
        ("", "mean rank"): [with_decimals(rank, 3) for rank in frame["rank"]],
        ("", "printed"): ["" if np.isnan(rank) else with_decimals(rank, 3) for rank in frame["printed_rank"]],
        ("", "sets"): frame["sets"].astype(str).where(is_first, "").tolist(),
        ("", "chi-squared"): [with_decimals(value, 2) for value in frame["chi_squared"]],
        ("", "p"): [_p_value(value) for value in frame["p_value"]],
    }
    for heading in ("chi-squared", "p"):
        shown["", heading] = pd.Series(shown["", heading]).where(is_first, "").tolist()
    notes = [
        "Ranks are means over the sets for which all systems of a ranking have a result; 1 is the best. "
        "Methods are averaged over the folds that all of them finished.",
        "Printed: the rank that the paper prints; its mean rank here is recomputed from its Table 4.",
    ]
    left_out = [title_of(peer) for peer in measured.peers if not any(peer in values for values in groups.values())]
    if left_out:
        notes.append(f"Not ranked, because they have results on too few sets: {', '.join(left_out)}.")
    title = f"Friedman ranking by {MEASURE_NAMES[measure]}"
    return ResultTable(f"ranking_{measure}", title, frame, shown, notes, labels=2)


def _p_value(value: float) -> str:
    """Return a p-value with three significant digits, a very small one as a bound.

    Examples
    --------
    >>> [_p_value(value) for value in (0.0789, 0.00123, 1e-9)]
    ['0.0789', '0.00123', '< 1e-5']
    """
    if not math.isfinite(value):
        return NONE
    return "< 1e-5" if value < 1e-5 else f"{value:.2e}" if value < 1e-3 else significant(value, 3)


def wilcoxon_table(measured: Measurements, measure: str) -> ResultTable | None:
    """Compare our algorithms with other systems pair by pair: the default with all, the others with the paper."""
    records: list[dict[str, Any]] = []
    tests = ("p_differences", "p_log_ratios")
    for first in measured.ours:
        others = [other for other in measured.ours if other != first]
        rivals = [*PAPER_SYSTEMS, *((*others, *measured.peers) if first == DEFAULT else ())]
        pairs = (measured.compare([first, second], measure) for second in rivals)
        family = [_compare_pair(values, measure) for values in pairs if not values.empty]
        for test in tests:
            adjusted = holm(pd.Series([record[test] for record in family], dtype=float).dropna())
            for position, record in enumerate(family):
                record[f"{test}_holm"] = float(adjusted.get(position, np.nan))
        records += family
    if not records:
        return None
    shown: Shown = {
        ("", "system"): [title_of(record["system"]) for record in records],
        ("", "against"): [title_of(record["against"]) for record in records],
        ("", "sets"): [str(record["sets"]) for record in records],
        ("", "wins / ties / losses"): [_score(record, "") for record in records],
        ("", "at printed digits"): [_score(record, "printed_") for record in records],
        ("ratio", "geometric mean"): [significant(record["geometric_mean"], 3) for record in records],
        ("ratio", "median"): [significant(record["median"], 3) for record in records],
    }
    for test, group in zip(tests, ("differences", "log-ratios"), strict=True):
        shown[group, "p"] = [_p_value(record[test]) for record in records]
        shown[group, "Holm"] = [_p_value(record[f"{test}_holm"]) for record in records]
    notes = [
        "Signed-rank tests over sets; smaller is better, and a ratio below 1 favours the first system. The paper "
        "tests differences, which sets with large units dominate; log-ratios weigh all sets alike. Holm: corrected for "
        "all comparisons of the first system. Two methods are compared on the folds that both finished, a method and "
        "the paper on all finished folds.",
        "At printed digits: both results rounded to the digits that the paper prints. "
        f"No p-value for fewer than {_MIN_SETS} sets.",
    ]
    title = f"Comparison by {MEASURE_NAMES[measure]}, two systems at a time"
    return ResultTable(f"wilcoxon_{measure}", title, pd.DataFrame(records), shown, notes, labels=2)


def _compare_pair(values: pd.DataFrame, measure: str) -> dict[str, Any]:
    """Compare two systems, one column each."""
    first, second = values.columns
    a, b = values[first], values[second]
    ratios = ratios_of(values)
    counts = tally(a, b)
    printed: tuple[int | None, ...] = (None, None, None)
    if second in PAPER_SYSTEMS:
        rounded = values.apply(lambda row: row.map(lambda value: as_printed(str(row.name), value, measure)), axis=1)
        printed = tally(rounded[first], rounded[second])
    positive = values[(a > 0) & (b > 0)]
    return {
        "system": first,
        "against": second,
        "sets": len(values),
        **dict(zip(("wins", "ties", "losses"), counts, strict=True)),
        **dict(zip(("printed_wins", "printed_ties", "printed_losses"), printed, strict=True)),
        "geometric_mean": geometric_mean(ratios),
        "median": float(ratios.median()),
        "p_differences": wilcoxon_p(a, b) if len(values) >= _MIN_SETS else np.nan,
        "p_log_ratios": (
            wilcoxon_p(positive[first], positive[second], log_ratios=True) if len(positive) >= _MIN_SETS else np.nan
        ),
    }


def _score(record: dict[str, Any], prefix: str) -> str:
    counts = [record[f"{prefix}{name}"] for name in ("wins", "ties", "losses")]
    return "" if counts[0] is None else " / ".join(map(str, counts))


def ratios_of(values: pd.DataFrame) -> pd.Series:
    """Return the ratio of the first column to the second; 1 if both are zero."""
    first, second = values.iloc[:, 0], values.iloc[:, 1]
    return (first / second).mask(first == second, 1.0)


def summary_table(measured: Measurements) -> ResultTable | None:
    """Return the headline results of our algorithms: one row per result and one column per algorithm."""
    ours = measured.ours
    if not ours:
        return None
    found = [(algorithm, *headline) for algorithm in ours for headline in _headlines(measured, algorithm)]
    frame = pd.DataFrame(
        [(result, algorithm, value, detail) for algorithm, result, value, _, detail in found],
        columns=["figure", "method", "value", "detail"],
    )
    texts = {(algorithm, result): text for algorithm, result, _, text, _ in found}
    results = list(dict.fromkeys(frame["figure"]))
    shown: Shown = {("", "result"): results}
    shown |= {("", title_of(name)): [texts.get((name, result), NONE) for result in results] for name in ours}
    notes = [
        "Ratios below 1 favour fruler. Against a peer: the median over sets of the ratio of errors on the folds "
        "that both finished, and the number of sets on which fruler is better, equal and worse.",
    ]
    capped = {name: order_sets({of for key, of in measured.capped if key == name}) for name in ours}
    told = [f"{title_of(name)}: {', '.join(sets)}." for name, sets in capped.items() if sets]
    notes += [" ".join([CAPPED_NOTE, *told])] if told else []
    return ResultTable("summary", "Headline results", frame, shown, notes)


# The name of a result, its value, the value as text, and a remark for programs.
_Headline = tuple[str, float, str, str]


def _headlines(measured: Measurements, algorithm: str) -> Iterator[_Headline]:
    yield from _against_the_paper(measured, algorithm)
    together, alone = measured.means(algorithm, "error"), measured.means(algorithm, "alone_error")
    if len(alone):
        ratios = (together[alone.index] / alone) ** 0.5
        mean, least = geometric_mean(ratios), f"{with_decimals(float(ratios.min()), 3)} ({ratios.idxmin()})"
        name = "RMSE of all rules / of the strongest rule alone (geometric mean; least)"
        yield name, mean, f"{with_decimals(mean, 3)}; {least}", f"least {least}"
    yield from _size(measured, algorithm)
    yield from _time(measured, algorithm)
    for peer in measured.peers:
        yield from _against_a_peer(measured, algorithm, peer)


def _against_the_paper(measured: Measurements, algorithm: str) -> Iterator[_Headline]:
    """Yield the ratios to the paper's FRULER, and how often the method equals the best of the paper's systems."""
    n_sets = len(measured.means(algorithm, "error"))
    yield "sets", n_sets, str(n_sets), ""
    for measure in ("error", "rules"):
        mean = geometric_mean(ratios_of(measured.compare([algorithm, "paper_fruler"], measure)))
        yield f"{measure}, ratio to the paper's FRULER (geometric mean)", mean, with_decimals(mean, 3), ""
    errors = measured.compare([algorithm, *PAPER_SYSTEMS], "error")
    if errors.empty:
        return
    ratios = ratios_of(errors[[algorithm, "paper_fruler"]])
    largest, worst = float(ratios.max()), str(ratios.idxmax())
    text = f"{with_decimals(largest, 2)} ({worst})"
    yield "largest ratio of the error to the paper's FRULER", largest, text, worst
    best = errors[list(PAPER_SYSTEMS)].min(axis=1)
    reached = sum(
        as_printed(name, error, "error") <= as_printed(name, lowest, "error")
        for name, error, lowest in zip(errors.index, errors[algorithm], best, strict=True)
    )
    name = "sets at least as good as the best of the paper's four systems, at its digits"
    yield name, reached, f"{reached} of {len(errors)}", f"of {len(errors)}"


def _size(measured: Measurements, algorithm: str) -> Iterator[_Headline]:
    """Yield the size of the models, and how sparse their consequents are."""
    names = {"rules": "rules", "curves": "curves", "coefficients": "coefficients that are not zero"}
    for measure, name in names.items():
        means = measured.means(algorithm, measure)
        if len(means):
            median = float(means.median())
            yield f"{name}, median of the sets", median, with_decimals(median, 1), counted(len(means), "set")
    shares = measured.means(algorithm, "share")
    shares = shares[measured.means(algorithm, "inputs").reindex(shares.index) >= _MANY_INPUTS]
    if len(shares):
        share = 100 * float(shares.mean())
        name = f"coefficients that are not zero, sets of {_MANY_INPUTS} inputs and more, %"
        yield name, share, with_decimals(share, 1), f"mean of {counted(len(shares), 'set')}"


def _time(measured: Measurements, algorithm: str) -> Iterator[_Headline]:
    """Yield the time of fits."""
    seconds = _first_fold(measured)
    if algorithm in seconds:
        total, sets = float(seconds[algorithm].sum()), counted(int(seconds[algorithm].count()), "set")
        name = "seconds of a fit, summed over the small sets (fold 1)"
        yield name, total, f"{significant(total, 3)} ({sets})", sets
    runs = measured.of(algorithm)
    large = runs[runs["set"].isin(LARGE_SETS)].dropna(subset=["seconds"])
    if len(large):
        set_name, longest = max(zip(large["set"], large["seconds"], strict=True), key=lambda run: run[1])
        text = f"{significant(longest, 3)} ({set_name}{mark(measured, algorithm, set_name)})"
        yield "longest fit of a large set, seconds", longest, text, set_name


def _against_a_peer(measured: Measurements, algorithm: str, peer: str) -> Iterator[_Headline]:
    values = measured.compare([algorithm, peer], "error")
    if values.empty:
        return
    median = float(ratios_of(values).median())
    score = " / ".join(map(str, tally(values[algorithm], values[peer])))
    name = f"error against {title_of(peer)} (median ratio; wins / ties / losses)"
    yield name, median, f"{with_decimals(median, 3)}; {score}", score
    seconds = _first_fold(measured).reindex(columns=[algorithm, peer]).dropna()
    if len(seconds):
        ours, theirs = (float(seconds[system].sum()) for system in (algorithm, peer))
        sets = counted(len(seconds), "set")
        text = f"{significant(ours, 3)} against {significant(theirs, 3)} ({sets})"
        ratio = ours / theirs if theirs > 0 else np.nan
        name = f"seconds against {title_of(peer)} (small sets, fold 1)"
        yield name, ratio, text, f"{ours:.6g} against {theirs:.6g}, {sets}"


def _first_fold(measured: Measurements) -> pd.DataFrame:
    """Return the seconds of a fit on fold 1 of the small sets, one column per method."""
    seconds = measured.by_fold("seconds")
    first = seconds[seconds.index.get_level_values("fold") == 1].droplevel("fold")
    small = [name for name in paper_results("error").index if name not in LARGE_SETS]
    return first.reindex([name for name in small if name in first.index])
