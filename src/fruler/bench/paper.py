"""The figures that the FRULER paper prints, as a table."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def paper_tables() -> pd.DataFrame:
    """Return the paper's results for its 28 data sets, one row a set, indexed by KEEL's name of it.

    Columns are grouped by prefix: ``is_`` for instance selection (Table 2), ``disc_`` for discretization (Table 3),
    the four systems' rules and test errors (Table 4), and ``fruler_run_s`` and ``fruler_evaluations`` (Table 9).
    Errors are half the mean squared error, in the data's own units.

    Examples
    --------
    >>> paper_tables().loc["friedman", ["fruler_rules", "fruler_test"]].tolist()
    [8.0, 0.731]
    """
    with (files("fruler.bench") / "paper_tables.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, index_col="dataset")
