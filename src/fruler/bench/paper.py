"""The printed results of the FRULER paper, their units, and the order of its data sets."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd

PAPER_SYSTEMS = {
    "paper_fruler": "FRULER (published)",
    "paper_fsmogfs_tun": "FSMOGFSe+TUN",
    "paper_l_metsk": "L-METSK-HDe",
    "paper_a_metsk": "A-METSK-HDe",
}
# The paper's tables of Friedman ranks.
PRINTED_RANKS = {
    "error": {"paper_fruler": 1.714, "paper_a_metsk": 2.036, "paper_fsmogfs_tun": 2.786, "paper_l_metsk": 3.464},
    "rules": {"paper_fruler": 1.214, "paper_fsmogfs_tun": 1.786, "paper_a_metsk": 3.0, "paper_l_metsk": 4.0},
}
# From the caption of the paper's Table 4: the errors of these sets are in units of this power of ten.
POWERS = {
    "ele-1": 5,
    "delta_ail": -8,
    "delta_elv": -6,
    "california": 9,
    "house": 8,
    "elevators": -6,
    "puma32h": -4,
    "ailerons": -8,
}
LARGE_SETS = ("california", "mv", "house", "elevators", "compactiv", "pole", "puma32h", "ailerons")


def paper_tables() -> pd.DataFrame:
    """Return the paper's results for its 28 data sets, one row per set, indexed by the set's name in KEEL.

    Returns
    -------
    DataFrame
        The results.

    See Also
    --------
    fruler.bench.command.run_benchmark : Repeat the experiment.

    Examples
    --------
    >>> paper_tables().loc["friedman", ["fruler_rules", "fruler_test"]].tolist()
    [8.0, 0.731]
    """
    with (files("fruler.bench") / "paper_tables.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, index_col="dataset")


@cache
def paper_results(measure: str) -> pd.DataFrame:
    """Return the paper's Table 4: one row per set and one column per system; `measure` is "error" or "rules"."""
    suffix = {"error": "test", "rules": "rules"}[measure]
    tables = paper_tables()
    columns = {system: f"{system.removeprefix('paper_')}_{suffix}" for system in PAPER_SYSTEMS}
    return pd.DataFrame({system: tables[column].astype(float) for system, column in columns.items()})


def order_sets(names: set[str]) -> list[str]:
    """Return sets in the paper's order, followed by sets that are not in the paper."""
    printed = list(paper_results("error").index)
    return [name for name in printed if name in names] + sorted(names.difference(printed))


def set_label(name: str) -> str:
    """Return a set's name with the power of ten of its printed errors."""
    return f"{name} (1e{POWERS[name]})" if name in POWERS else name


def in_paper_units(name: str, error: float) -> float:
    """Return an error of a set in the unit of the paper."""
    # Positive powers of ten are exact floats; 10.0**-8 is not, and would change the last digit.
    power = POWERS.get(name, 0)
    return error / float(10 ** max(power, 0)) * float(10 ** max(-power, 0))


@cache
def printed_decimals(name: str) -> int:
    """Return the number of decimals of a set's errors in the paper, the maximum of its four systems."""
    errors = (float(column[name]) for _, column in paper_results("error").items())
    texts = [f"{in_paper_units(name, error):.8f}".rstrip("0") for error in errors]
    return max(len(text.partition(".")[2]) for text in texts)


def as_printed(name: str, value: float, measure: str) -> float:
    """Return an error, or a number of rules, of one of the paper's sets rounded to the digits of the paper."""
    if measure == "rules":
        return round(value, 1)
    return round(in_paper_units(name, value), printed_decimals(name))
