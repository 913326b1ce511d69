"""The means over folds and seeds for tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from fruler.bench._methods import capped, is_capped, order_methods, own_systems, uncapped
from fruler.bench._peers import PEERS
from fruler.bench._results import MEASURES, PLACE, PREPROCESSING, TEXTS, WHOLE_NUMBERS, read_lines
from fruler.bench.paper import PAPER_SYSTEMS, order_sets, paper_results

# The statuses of runs without a result; if the runs of a method on a set have several, the first one is reported.
SEVERITY = ("timeout", "failed", "missing")


@dataclass(frozen=True)
class Measurements:
    """The runs of a benchmark, ready to be averaged.

    Attributes
    ----------
    lines : DataFrame
        One row per (method, set, fold, seed): the last line of that run.
    runs : DataFrame
        The finished runs, with their share of non-zero slopes. Capped runs have the name of the method that they
        replace.
    capped : frozenset of (str, str)
        The methods and sets with capped runs.
    """

    lines: pd.DataFrame
    runs: pd.DataFrame
    capped: frozenset[tuple[str, str]]

    @property
    def methods(self) -> list[str]:
        """All methods that were run, in the order of the tables, without the preprocessing."""
        names = {uncapped(name) for name in self.lines["method"]}
        return order_methods(names - {PREPROCESSING})

    @property
    def ours(self) -> list[str]:
        """Our own algorithms with finished runs."""
        return [name for name in own_systems() if (self.runs["method"] == name).any()]

    @property
    def peers(self) -> list[str]:
        """The other methods that were run."""
        return [name for name in self.methods if name not in own_systems()]

    @property
    def sets(self) -> list[str]:
        """The sets on which any method other than the preprocessing was run, in the paper's order."""
        return order_sets(set(self.lines.loc[self.lines["method"] != PREPROCESSING, "set"]))

    def of(self, method: str) -> pd.DataFrame:
        """Return the finished runs of a method."""
        return self.runs[self.runs["method"] == method]

    def by_fold(self, measure: str) -> pd.DataFrame:
        """Return means over seeds: one row per (set, fold) and one column per method."""
        return self._seed_means[measure].dropna().unstack("method")  # noqa: PD010

    @cached_property
    def _comparable(self) -> pd.DataFrame:
        """The finished runs, without the numbers of rules of methods that have no rules."""
        others = [name for name, peer in PEERS.items() if not peer.has_rules]
        return self.runs.assign(rules=self.runs["rules"].mask(self.runs["method"].isin(others)))

    @cached_property
    def _seed_means(self) -> pd.DataFrame:
        return self._comparable.groupby(["method", "set", "fold"]).mean(numeric_only=True)

    def means(self, method: str, measure: str) -> pd.Series:
        """Return a method's means by set, first over seeds, so that every fold weighs the same."""
        folds = self.by_fold(measure)
        return folds[method].dropna().groupby("set").mean() if method in folds else pd.Series(dtype=float)

    def describe(self, method: str, measure: str) -> pd.DataFrame:
        """Return mean, standard deviation over folds and seeds, number of runs and of folds, by set."""
        runs = self._comparable[self._comparable["method"] == method].dropna(subset=[measure])
        found = runs.groupby("set").agg(sd=(measure, "std"), runs=("fold", "size"), folds=("fold", "nunique"))
        return found.assign(mean=self.means(method, measure))

    def results(self, system: str, measure: str) -> pd.Series:
        """Return the means by set of a method, or of one of the paper's systems."""
        return paper_results(measure)[system] if system in PAPER_SYSTEMS else self.means(system, measure)

    def compare(self, systems: Sequence[str], measure: str) -> pd.DataFrame:
        """Return comparable means: one row per set for which all systems have a result.

        Methods are averaged over the folds that all of them finished. The paper's results are means over its five
        folds.
        """
        methods = [system for system in systems if system not in PAPER_SYSTEMS]
        printed = paper_results(measure)
        if not methods:
            return printed[list(systems)]
        means = self.by_fold(measure).reindex(columns=methods).dropna().groupby("set").mean()
        both = means.join(printed)[list(systems)].dropna().rename_axis(columns=None)
        return both.loc[order_sets(set(both.index))]

    def status(self, method: str, name: str) -> str:
        """Return the status of a method on a set: "ok", "partial" if some runs did not finish, their status, or ""."""
        finished = (method, name) in self._finished
        names = [method] if finished and (method, name) not in self.capped else [method, capped(method)]
        endings = [ending for ending in SEVERITY if any((key, name, ending) in self._endings for key in names)]
        if finished:
            return "partial" if endings else "ok"
        return endings[0] if endings else ""

    @cached_property
    def _finished(self) -> set[tuple[str, str]]:
        return set(zip(self.runs["method"], self.runs["set"], strict=True))

    @cached_property
    def _endings(self) -> set[tuple[str, str, str]]:
        lines = self.lines[self.lines["status"] != "ok"]
        return set(zip(lines["method"], lines["set"], lines["status"], strict=True))


def read_measurements(path: Path) -> Measurements:
    """Read the lines of a benchmark and average them."""
    return measurements_of(read_runs(path))


def read_runs(path: Path) -> pd.DataFrame:
    """Read the lines of a benchmark: one row per line, in their order, and one column per measure.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, or a line is not valid; the message has its number.
    """
    frame = pd.DataFrame(read_lines(path), columns=[*TEXTS, *WHOLE_NUMBERS, *MEASURES])
    return frame.astype(
        dict.fromkeys(TEXTS, object) | dict.fromkeys(WHOLE_NUMBERS, int) | dict.fromkeys(MEASURES, float)
    )


def measurements_of(lines: pd.DataFrame) -> Measurements:
    """Return the measurements of the lines of a benchmark.

    Raises
    ------
    ValueError
        If a method was run with different settings, whose mean would be meaningless.
    """
    for method, settings in lines.groupby("method")["settings"]:
        found = sorted(set(settings))
        if len(found) > 1:
            raise ValueError(f"The runs of {method!r} have different settings ({', '.join(found)}); keep those of one.")
    lines = lines.drop_duplicates(list(PLACE), keep="last")
    # Runs end in any order, and the last digit of a sum depends on the order.
    lines = lines.sort_values(list(PLACE), ignore_index=True)
    runs = lines[lines["status"] == "ok"]
    possible = runs["possible_coefficients"].fillna(runs["rules"] * runs["inputs"])
    runs = runs.assign(share=runs["coefficients"] / possible.where(possible > 0))
    pairs = list(zip(runs["method"], runs["set"], strict=True))
    stand_ins = {(uncapped(method), name) for method, name in pairs if is_capped(method)} - set(pairs)
    needed = [not is_capped(method) or (uncapped(method), name) in stand_ins for method, name in pairs]
    runs = runs[np.array(needed, dtype=bool)]
    return Measurements(lines, runs.assign(method=runs["method"].map(uncapped)), frozenset(stand_ins))


def geometric_mean(ratios: pd.Series) -> float:
    """Return the geometric mean of the positive and finite ratios; NaN if there are none."""
    values = ratios.to_numpy(dtype=float)
    values = values[np.isfinite(values) & (values > 0)]
    return float(np.exp(np.log(values).mean())) if values.size else float("nan")
