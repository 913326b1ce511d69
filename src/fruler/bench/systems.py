"""The systems that the benchmark compares: their names, and the units in which the paper prints their errors."""

from __future__ import annotations

from functools import cache

import pandas as pd

from fruler.bench.lines import PREPROCESSING
from fruler.bench.paper import paper_tables
from fruler.estimators.registry import algorithm_names, find_estimator

# A run that was ended by a cap on its evaluations stands in for a full one where there is none.
_CAPPED = "-capped"

PAPER_SYSTEMS = {
    "paper_fruler": "FRULER (published)",
    "paper_fsmogfs_tun": "FSMOGFSe+TUN",
    "paper_l_metsk": "L-METSK-HDe",
    "paper_a_metsk": "A-METSK-HDe",
}

PEERS = {
    "linear": "Linear regression",
    "elastic_net": "Elastic Net",
    "tree": "Regression tree",
    "pilot": "PILOT",
    "cubist": "Cubist",
    "cubist-10": "Cubist, 10 committees",
    "ebm": "EBM",
    "ebm-main": "EBM, no interactions",
    "pygam": "pyGAM",
    "figs": "FIGS",
    "rulefit": "RuleFit",
    "lightgbm": "LightGBM",
    "forest": "Random forest",
    "ex_fuzzy": "ex-fuzzy",
    "highfis": "highFIS",
}

# Methods of ours that are no longer in the package; their results are kept to compare with.
EARLIER = {"first_growth": "First growth"}

# What the caption of the paper's Table 4 says: errors of these sets are printed in units of a power of ten.
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

# One formula, curves, or trees by the hundred: what their lines call rules is their size, and no number to compare.
WITHOUT_RULES = ("linear", "elastic_net", "ebm", "ebm-main", "pygam", "lightgbm", "forest")

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def own_systems() -> dict[str, str]:
    """Return the titles of our own algorithms by name, in the order of the registry.

    Examples
    --------
    >>> own_systems()["fruler"]
    'FRULER'
    """
    return {name: find_estimator(name).algorithm.title for name in algorithm_names()}


def capped(algorithm: str) -> str:
    """Return the name of an algorithm whose runs are capped."""
    return algorithm + _CAPPED


def is_capped(method: str) -> bool:
    """Return whether the runs of a method are capped."""
    return method.endswith(_CAPPED)


def uncapped(method: str) -> str:
    """Return the name of the method that capped runs stand in for; of any other its own.

    Examples
    --------
    >>> uncapped("growth-capped"), uncapped("growth")
    ('growth', 'growth')
    """
    return method.removesuffix(_CAPPED)


def title_of(system: str) -> str:
    """Return the name of a system as tables and pictures show it; an unknown one keeps its own."""
    if is_capped(system):
        return f"{title_of(uncapped(system))}, capped"
    return {**PAPER_SYSTEMS, **own_systems(), **EARLIER, **PEERS, PREPROCESSING: "Preprocessing"}.get(system, system)


def set_label(name: str) -> str:
    """Return a set's name with the power of ten in which its errors are printed."""
    return f"{name} (×10{str(POWERS[name]).translate(SUPERSCRIPTS)})" if name in POWERS else name


def in_units(name: str, error: float) -> float:
    """Return an error of a set in the unit in which the paper prints it."""
    # Whole powers of ten are exact as numbers; 10.0**-8 is not, and would move the last digit.
    power = POWERS.get(name, 0)
    return error / float(10 ** max(power, 0)) * float(10 ** max(-power, 0))


def order_sets(names: set[str]) -> list[str]:
    """Return sets in the paper's order, and after them those that the paper lacks."""
    printed = list(_tables().index)
    return [name for name in printed if name in names] + sorted(names.difference(printed))


def order_methods(names: set[str]) -> list[str]:
    """Return methods in the order of the tables: ours, the peers, those that are not known."""
    known = [*own_systems(), *EARLIER, *PEERS]
    return [name for name in known if name in names] + sorted(names.difference(known))


@cache
def printed_decimals(name: str) -> int:
    """Return how many decimals the paper prints of a set's errors: the most that one of its four systems has."""
    figures = paper_figures("error").loc[[name]].to_numpy()[0]
    texts = [f"{in_units(name, figure):.8f}".rstrip("0") for figure in figures]
    return max(len(text.partition(".")[2]) for text in texts)


def as_printed(name: str, value: float, measure: str) -> float:
    """Return an error, or a number of rules, of one of the paper's sets at the digits that the paper prints."""
    if measure == "rules":
        return round(value, 1)
    return round(in_units(name, value), printed_decimals(name))


def paper_figures(measure: str) -> pd.DataFrame:
    """Return the paper's Table 4: one row per set and one column per system; `measure` is "error" or "rules"."""
    suffix = {"error": "test", "rules": "rules"}[measure]
    tables = _tables()
    columns = zip(PAPER_SYSTEMS, _paper_columns(), strict=True)
    return pd.DataFrame({system: tables[f"{column}_{suffix}"].astype(float) for system, column in columns})


@cache
def _tables() -> pd.DataFrame:
    """Return the paper's tables, read once; nobody here changes them."""
    return paper_tables()


def _paper_columns() -> list[str]:
    return [system.removeprefix("paper_") for system in PAPER_SYSTEMS]
