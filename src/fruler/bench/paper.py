"""The figures that the FRULER paper prints, as a table."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def paper_tables() -> pd.DataFrame:
    """Return the paper's results for its 28 data sets, one row per set, indexed by KEEL's name of it.

    Returns
    -------
    DataFrame
        The results.

    See Also
    --------
    fruler.bench.command.run_benchmark : The same experiment here.

    Examples
    --------
    >>> paper_tables().loc["friedman", ["fruler_rules", "fruler_test"]].tolist()
    [8.0, 0.731]
    """
    with (files("fruler.bench") / "paper_tables.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, index_col="dataset")
