"""Dates in rules: the gain of cycles whose start is learned, compared with cycles that start on 1 January.

    python benchmarks/trials/dates.py

Six tables with seasons, weeks and days of different shapes are generated, so that the truth is known. Half of the rows
are training rows; the error on the others is divided by that of the truth itself, which is only noise: 1 is perfect.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from unittest import mock

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor

N_ROWS = 4_000


def _season(days: pd.Series) -> pd.Series:
    return 2.0 * np.pi * (days.dt.day_of_year - 15) / 365.25


def winter_surcharge(d: pd.Series) -> pd.Series:
    """Return a step: higher from 1 November to 20 February."""
    return 5.0 * ((d.dt.strftime("%m-%d") >= "11-01") | (d.dt.strftime("%m-%d") < "02-20"))


def temperature(d: pd.Series) -> pd.Series:
    """Return a wave over the year plus one over the day."""
    return 10.0 - 10.0 * np.cos(_season(d)) + 3.0 * np.cos(2.0 * np.pi * (d.dt.hour - 15) / 24.0)


def traffic(d: pd.Series) -> pd.Series:
    """Return rush hours on working days, and a peak at noon on others."""
    hour, work = d.dt.hour, d.dt.day_of_week < 5
    rush = 6.0 * np.exp(-np.square(hour - 8) / 4.0) + 6.0 * np.exp(-np.square(hour - 17) / 6.0)
    return np.where(work, rush, 5.0 * np.exp(-np.square(hour - 13) / 12.0))


def night_rate(d: pd.Series) -> pd.Series:
    """Return a step from 22 to 6 o'clock, and a trend."""
    return np.where((d.dt.hour >= 22) | (d.dt.hour < 6), 1.0, 4.0) + (d.dt.year - 2018)


def sales(d: pd.Series) -> pd.Series:
    """Return a trend, low Sundays, and a Christmas season that lasts into January."""
    christmas = 4.0 * ((d.dt.strftime("%m-%d") >= "11-20") | (d.dt.strftime("%m-%d") < "01-10"))
    return 1.5 * (d.dt.year - 2018) - 3.0 * (d.dt.day_of_week == 6) + christmas


def nothing(d: pd.Series) -> pd.Series:
    """Return zeros."""
    return 0.0 * d.dt.year


TABLES: dict[str, Callable[[pd.Series], pd.Series]] = {
    made.__name__: made for made in (winter_surcharge, temperature, traffic, night_rate, sales, nothing)
}


def make_table(name: str, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return dates with another input, the target, and the target without noise."""
    rng = np.random.default_rng(seed)
    hours = rng.integers(0, 6 * 365 * 24, N_ROWS)
    dates = pd.Series(pd.Timestamp("2018-01-01") + pd.to_timedelta(hours, unit="h"))
    size = rng.uniform(0.0, 1.0, N_ROWS)
    truth = np.asarray(TABLES[name](dates), dtype=float) + size
    return pd.DataFrame({"date": dates, "size": size}), truth + rng.normal(size=N_ROWS), truth


def own(X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame) -> tuple[np.ndarray, int]:
    """Fit rules to the dates as they are."""
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    return model.predict(new), model.rule_base_.n_rules


def from_january(X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame) -> tuple[np.ndarray, int]:
    """Fit rules with cycles that start on 1 January and at midnight."""
    with mock.patch("fruler._table.encoding.cycle_start", return_value=0.0):
        return own(X, y, new)


def _columns(X: pd.DataFrame) -> pd.DataFrame:
    d = X["date"].dt
    parts = {"year": d.year, "day": d.day_of_year, "weekday": d.day_of_week, "hour": d.hour}
    return X.drop(columns="date").assign(**parts)


def numbers(X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame) -> tuple[np.ndarray, int]:
    """Fit rules to year, day of the year, weekday and hour as plain numbers, as people derive them by hand."""
    model = FuzzyRuleRegressor(random_state=0).fit(_columns(X), y)
    return model.predict(_columns(new)), model.rule_base_.n_rules


def lightgbm(X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame) -> tuple[np.ndarray, int]:
    """Fit LightGBM to the same columns."""
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(random_state=0, n_jobs=1, verbose=-1).fit(_columns(X), y)
    return model.predict(_columns(new)), 0


WAYS = {"own": own, "from 1 January": from_january, "plain numbers": numbers, "LightGBM": lightgbm}


def main() -> None:
    """Print one line per table, with the results of all ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="number of tables of each kind (default: 3)")
    options = parser.parse_args()
    ways = dict(WAYS)
    try:
        import lightgbm  # noqa: F401
    except ImportError:
        print("LightGBM is not installed, and left out.")
        del ways["LightGBM"]
    print(f"{'table':<18}" + "".join(f"{way:>24}" for way in ways))
    print(f"{'':<18}" + f"{'error / noise, rules, s':>24}" * len(ways))
    for name in TABLES:
        cells = []
        for way in ways.values():
            ratios, rules, seconds = [], [], 0.0
            for seed in range(options.seeds):
                X, y, truth = make_table(name, seed)
                half = N_ROWS // 2
                start = time.process_time()
                predicted, n_rules = way(X[:half], y[:half], X[half:])
                seconds += time.process_time() - start
                error, noise = (np.sqrt(np.mean(np.square(y[half:] - one))) for one in (predicted, truth[half:]))
                ratios.append(error / noise)
                rules.append(n_rules)
            cells.append(f"{np.mean(ratios):>10.3f}{np.mean(rules):>7.1f}{seconds / options.seeds:>7.1f}")
        print(f"{name:<18}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
