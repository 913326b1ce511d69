"""Rules over inputs of every source: dates, categories, what is missing, and a number."""

import datetime
from dataclasses import replace

import numpy as np
import pandas as pd

from fruler._table.date_sources import WEEKDAYS, CycleSource, TrendSource, WeekdaySource
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable

ORIGINS = ["europe", "japan", "usa"]
NAMES = ["sold", "day of year", "hour", "weekday", "origin", "fuel=gas", "fuel=oil", "size", "size is missing"]


def dated_table(n_rows=400, seed=0):
    """Rows with a date, two columns of categories, and a number that is missing here and there."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 6 * 365 * 24 * 60, n_rows)
    return pd.DataFrame(
        {
            "sold": pd.Timestamp("2015-03-01") + pd.to_timedelta(minutes, unit="min"),
            "origin": rng.choice(ORIGINS, n_rows, p=[0.2, 0.3, 0.5]),
            "fuel": rng.choice(["gas", "oil", "sun"], n_rows),
            "size": np.where(rng.random(n_rows) < 0.1, np.nan, rng.uniform(0.0, 10.0, n_rows)),
        }
    )


def dated_rules():
    """Two rules about winter, nights, Sundays, usa, gas and sizes that are missing, with a curve of the hour."""
    week = [0.1, 0.2, 0.15, 0.12, 0.3, 0.25, -4.0]
    sources = [
        (TrendSource("sold", datetime.datetime(2015, 1, 1), "years"), [], (0.17, 6.15)),
        (CycleSource("sold", "day of year", 305.0), [111.0], (0.0, 365.0)),
        (CycleSource("sold", "hour", 22.0), [8.0], (0.0, 24.0)),
        (WeekdaySource("sold", WEEKDAYS, week), [-1.0], (-4.0, 0.3)),
        (LevelSource("origin", ORIGINS, [0.5, 1.0, -1.0]), [0.0], (-1.0, 1.0)),
        (LevelSource.indicator("fuel", ["gas", "oil", "sun"], "gas"), [0.5], (0.0, 1.0)),
        (LevelSource.indicator("fuel", ["gas", "oil", "sun"], "oil"), [], (0.0, 1.0)),
        (None, [5.0], (0.0, 10.0)),
        (GapSource("size"), [0.5], (0.0, 1.0)),
    ]
    variables = []
    for name, (source, splits, domain) in zip(NAMES, sources, strict=True):
        variable = Variable(
            name, FuzzyPartition(splits, domain, 0.0 if name != "size" else 1.0), "m" * (name == "size")
        )
        variables.append(variable if source is None else variable.of(source))
    everything = [[0, one.partition.n_labels - 1] for one in variables]
    winter, rest = [list(ends) for ends in everything], [list(ends) for ends in everything]
    for j, first in ((1, 0), (3, 1), (4, 1), (5, 1), (7, 0), (8, 0)):
        winter[j], rest[j] = [first, first], [1 - first, 1 - first]
    consequents = [
        [4.0, 0.5, 0.02, 0.0, 1.0, 2.0, -1.0, 0.5, 0.7, 0.0],
        [8.0, 0.5, -0.01, 0.0, 1.0, 3.0, 1.5, 0.0, 0.7, 2.5],
    ]
    night = Curve(2, FuzzyPartition([8.0], (0.0, 24.0), 0.5), [[-2.0, 0.1], [1.0, -0.02]])
    rules = RuleBase(variables, [winter, rest], consequents, target_name="price", target_unit="EUR", curves=[night])
    used = np.flatnonzero(rules.uses)
    means = np.array([3.0, 180.0, 12.0, 0.0, 0.0, 0.3, 0.3, 5.0, 0.0])[used]
    rules = replace(rules, gaps=Gaps(used, means, np.zeros((len(used), len(used)))))
    values = rules.inputs_of(dated_table())
    return rules.with_training(values, rules.predict(values) + np.random.default_rng(1).normal(size=len(values)))
