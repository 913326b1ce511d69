"""The headline figures of a benchmark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fruler._wording import counted
from fruler.bench.marks import CAPPED_NOTE, mark
from fruler.bench.measurements import Measured, geometric_mean
from fruler.bench.paper import paper_tables
from fruler.bench.rendering import NONE, Cell, Column, Table, fixed, significant
from fruler.bench.statistics import tally
from fruler.bench.systems import LARGE_SETS, PAPER_SYSTEMS, as_printed, order_sets, paper_figures, title_of
from fruler.bench.tables_models import share_of_coefficients
from fruler.bench.tables_statistics import ratios_of

MANY_INPUTS = 8


def summary_table(measured: Measured) -> Table | None:
    """Return what a README says of our algorithms: one row per figure and one column per algorithm."""
    if not measured.ours:
        return None
    records = [record for algorithm in measured.ours for record in _headlines(measured, algorithm)]
    frame = pd.DataFrame(records, columns=["figure", "method", "value", "detail"])
    shown = {(record["figure"], record["method"]): record["text"] for record in records}
    rows = [
        [Cell(figure), *(Cell(shown.get((figure, algorithm), NONE)) for algorithm in measured.ours)]
        for figure in dict.fromkeys(frame["figure"])
    ]
    columns = [Column("result"), *(Column(title_of(algorithm)) for algorithm in measured.ours)]
    notes = [
        "Ratios below 1 speak for fruler. Against a peer: the median over sets of the ratio of errors on the folds "
        "that both finished, and on how many sets fruler is better, equal, worse.",
    ]
    capped = {
        algorithm: order_sets({name for key, name in measured.capped if key == algorithm})
        for algorithm in measured.ours
    }
    told = [f"{title_of(algorithm)}: {', '.join(names)}." for algorithm, names in capped.items() if names]
    notes += [" ".join([CAPPED_NOTE, *told])] if told else []
    return Table("summary", "Headline results", frame, columns, rows, notes)


def _headlines(measured: Measured, algorithm: str) -> list[dict[str, Any]]:
    records = _against_the_paper(measured, algorithm) + _truth(measured, algorithm)
    records += _size_and_time(measured, algorithm)
    for peer in measured.peers:
        records += _against_a_peer(measured, algorithm, peer)
    return [{"method": algorithm, **record} for record in records]


def _record(figure: str, value: float, text: str, detail: str = "") -> dict[str, Any]:
    return {"figure": figure, "value": value, "detail": detail, "text": text}


def _against_the_paper(measured: Measured, algorithm: str) -> list[dict[str, Any]]:
    """Return the ratios to the paper's FRULER, and how often the best of its systems is reached."""
    records = [_record("sets", len(measured.means(algorithm, "error")), str(len(measured.means(algorithm, "error"))))]
    ratios = {}
    for figure in ("error", "rules"):
        ratios[figure] = ratios_of(measured.compare([algorithm, "paper_fruler"], figure))
        mean = geometric_mean(ratios[figure])
        records.append(_record(f"{figure}, ratio to the paper's FRULER (geometric mean)", mean, fixed(mean, 3)))
    errors = measured.compare([algorithm, *PAPER_SYSTEMS], "error")
    if errors.empty:
        return records
    worst = ratios["error"].idxmax()
    largest = float(ratios["error"].max())
    records.append(
        _record(
            "largest ratio of the error to the paper's FRULER", largest, f"{fixed(largest, 2)} ({worst})", str(worst)
        )
    )
    best = paper_figures("error").min(axis=1)
    reached = sum(
        as_printed(name, errors.loc[name, algorithm], "error") <= as_printed(name, best[name], "error")
        for name in errors.index
    )
    figure = "sets at least as good as the best of the paper's four systems, at its digits"
    records.append(_record(figure, reached, f"{reached} of {len(errors)}", f"of {len(errors)}"))
    return records


def _truth(measured: Measured, algorithm: str) -> list[dict[str, Any]]:
    """Return how nearly the strongest rule alone is as good as all rules together."""
    together, alone = measured.means(algorithm, "error"), measured.means(algorithm, "alone_error")
    if alone.empty:
        return []
    ratios = (together[alone.index] / alone) ** 0.5
    mean, least = geometric_mean(ratios), float(ratios.min())
    detail = f"least {fixed(least, 3)} ({ratios.idxmin()})"
    figure = "RMSE of all rules / of the strongest rule alone (geometric mean; least)"
    return [_record(figure, mean, f"{fixed(mean, 3)}; {fixed(least, 3)} ({ratios.idxmin()})", detail)]


def _size_and_time(measured: Measured, algorithm: str) -> list[dict[str, Any]]:
    """Return how large the models are, how sparse their consequents, and how long the fits take."""
    records = []
    runs = measured.of(algorithm)
    for name, figure in (("rules", "rules"), ("curves", "curves"), ("coefficients", "coefficients that are not zero")):
        means = measured.means(algorithm, name)
        if len(means):
            median = float(means.median())
            sets = counted(len(means), "set")
            records.append(_record(f"{figure}, median of the sets", median, fixed(median, 1), sets))
    wide = runs[runs["inputs"] >= MANY_INPUTS]
    shares = share_of_coefficients(wide).groupby([wide["set"], wide["fold"]]).mean().groupby("set").mean()
    if shares.notna().any():
        share = 100 * float(shares.mean())
        figure = f"coefficients that are not zero, sets of {MANY_INPUTS} inputs and more, %"
        records.append(_record(figure, share, fixed(share, 1), f"mean of {counted(int(shares.count()), 'set')}"))
    seconds = _first_fold(measured)
    if algorithm in seconds:
        mine = seconds[algorithm].dropna()
        total = float(mine.sum())
        figure = "seconds of a fit, summed over the small sets (fold 1)"
        sets = counted(len(mine), "set")
        records.append(_record(figure, total, f"{significant(total, 3)} ({sets})", sets))
    large = runs[runs["set"].isin(LARGE_SETS)].dropna(subset=["seconds"])
    if len(large):
        name, longest = max(zip(large["set"], large["seconds"], strict=True), key=lambda run: run[1])
        text = f"{significant(longest, 3)} ({name}{mark(measured, algorithm, name)})"
        records.append(_record("longest fit of a large set, seconds", longest, text, name))
    return records


def _against_a_peer(measured: Measured, algorithm: str, peer: str) -> list[dict[str, Any]]:
    values = measured.compare([algorithm, peer], "error")
    if values.empty:
        return []
    median = float(ratios_of(values).median())
    score = " / ".join(map(str, tally(values[algorithm], values[peer])))
    title = title_of(peer)
    records = [
        _record(
            f"error against {title} (median ratio; wins / ties / losses)", median, f"{fixed(median, 3)}; {score}", score
        )
    ]
    seconds = _first_fold(measured).reindex(columns=[algorithm, peer]).dropna()
    if len(seconds):
        ours, theirs = (float(seconds[name].sum()) for name in (algorithm, peer))
        sets = counted(len(seconds), "set")
        text = f"{significant(ours, 3)} against {significant(theirs, 3)} ({sets})"
        ratio = ours / theirs if theirs > 0 else np.nan
        detail = f"{ours:.6g} against {theirs:.6g}, {sets}"
        records.append(_record(f"seconds against {title} (small sets, fold 1)", ratio, text, detail))
    return records


def _first_fold(measured: Measured) -> pd.DataFrame:
    """Return the seconds of a fit on fold 1 of the small sets, one column per method."""
    seconds = measured.by_fold("seconds")
    small = [name for name in paper_tables().index if name not in LARGE_SETS]
    first = seconds[seconds.index.get_level_values("fold") == 1].droplevel("fold")
    return first.reindex([name for name in small if name in first.index])
