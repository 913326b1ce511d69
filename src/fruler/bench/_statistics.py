"""The paper's statistical tests over data sets: ranks of several systems, and comparisons of two."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats


@dataclass(frozen=True)
class FriedmanRanking:
    """Mean ranks of systems over data sets, the best first.

    Attributes
    ----------
    ranks : Series
        The mean rank of each system, 1 if it is the best everywhere; ties get the mean of their ranks.
    p_value : float
        The p-value of Friedman's chi-squared test that all systems are alike.
    chi_squared : float
        The statistic of this test.
    """

    ranks: pd.Series
    p_value: float
    chi_squared: float


class Tally(NamedTuple):
    """The numbers of data sets on which the first of two systems is better, equal and worse."""

    wins: int
    ties: int
    losses: int


def friedman_ranking(values: pd.DataFrame) -> FriedmanRanking:
    """Rank systems by values of which smaller is better, such as errors.

    Parameters
    ----------
    values : DataFrame
        One row per data set and one column per system, without missing values; at least two rows and three columns.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [1, 1, 2], "B": [2, 2, 1], "C": [3, 3, 3]})
    >>> friedman_ranking(errors).ranks.round(2).to_dict()
    {'A': 1.33, 'B': 1.67, 'C': 3.0}
    """
    if values.isna().any().any():
        name = values.index[values.isna().any(axis=1)][0]
        raise ValueError(f"The ranking needs a result of every system on every set; one is missing for {name!r}.")
    if len(values) < 2 or values.shape[1] < 3:
        raise ValueError(
            f"A ranking needs at least two sets and three systems; got {len(values)} and {values.shape[1]}."
        )
    ranks = values.rank(axis=1).mean().sort_values(kind="stable")
    if (values.max(axis=1) == values.min(axis=1)).all():
        # If all systems are equal on every set, the statistic is 0 / 0.
        return FriedmanRanking(ranks, p_value=1.0, chi_squared=0.0)
    test = stats.friedmanchisquare(*(values[column] for column in values.columns))
    return FriedmanRanking(ranks, float(test.pvalue), float(test.statistic))


def nemenyi_distance(n_systems: int, n_sets: int, level: float = 0.05) -> float:
    """Return the critical difference of Nemenyi's test: mean ranks further apart differ at this level.

    Examples
    --------
    >>> round(nemenyi_distance(4, 28), 3)
    0.886
    """
    quantile = float(stats.studentized_range.ppf(1 - level, n_systems, np.inf)) / np.sqrt(2)
    return float(quantile * np.sqrt(n_systems * (n_systems + 1) / (6 * n_sets)))


def cliques(ranks: pd.Series, distance: float) -> list[tuple[int, int]]:
    """Return the maximal groups of systems whose ranks lie within a distance, by their first and last position.

    Parameters
    ----------
    ranks : Series
        Mean ranks, the best first.
    distance : float
        The critical difference; see `nemenyi_distance`.

    Examples
    --------
    >>> import pandas as pd
    >>> cliques(pd.Series([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    values = ranks.to_numpy(dtype=np.float64)
    ends = np.searchsorted(values, values + distance, side="right") - 1
    found: list[tuple[int, int]] = []
    for first, last in enumerate(ends.tolist()):
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def wilcoxon_p(first: pd.Series, second: pd.Series, *, log_ratios: bool = False) -> float:
    """Return the p-value of the signed-rank test that two systems are alike.

    Parameters
    ----------
    first, second : Series
        The results of both systems on the same data sets.
    log_ratios : bool, default=False
        Whether to test logarithms of ratios instead of differences. If errors differ by orders of magnitude, the sets
        with large units dominate the differences, so ratios should be reported; the paper tests differences.
    """
    a, b = first.to_numpy(dtype=np.float64), second.to_numpy(dtype=np.float64)
    difference = np.log(a) - np.log(b) if log_ratios else a - b
    if not difference.any():
        return 1.0
    # The exact distribution does not allow ties; sets on which both are equal are left out.
    with warnings.catch_warnings():
        # Older versions of SciPy warn below ten sets; whether to trust so few is up to the reader.
        warnings.filterwarnings("ignore", message="Sample size too small")
        return float(stats.wilcoxon(difference, zero_method="wilcox", method="approx").pvalue)


def holm(p_values: pd.Series) -> pd.Series:
    """Adjust the p-values of several comparisons by Holm's method.

    Examples
    --------
    >>> import pandas as pd
    >>> holm(pd.Series({"A": 0.01, "B": 0.04, "C": 0.03})).round(3).to_dict()
    {'A': 0.03, 'B': 0.06, 'C': 0.06}
    """
    ordered = p_values.sort_values(kind="stable")
    steps = ordered * np.arange(len(ordered), 0, -1)
    return steps.cummax().clip(upper=1.0).reindex(p_values.index)


def tally(first: pd.Series, second: pd.Series) -> Tally:
    """Count the data sets on which the first system is better, equal and worse; smaller is better."""
    return Tally(int((first < second).sum()), int((first == second).sum()), int((first > second).sum()))
