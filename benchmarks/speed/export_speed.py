"""The time of a million predictions in ONNX Runtime and DuckDB, compared with a random forest of scikit-learn.

    python benchmarks/speed/export_speed.py [--rows 1000000] [--repeats 5]

Rules and forest (100 trees) are fitted to the same example data; every system predicts the same rows on one thread of
this process. Times are processor time of all threads, since wall-clock time on a busy machine mostly measures waiting.
A ratio is the forest's time divided by the system's in the same turn; the minimum and maximum of all turns are in
parentheses, and the median wall-clock time is at the end. No values are missing; exports that can fill in gaps have
separate lines.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from threadpoolctl import threadpool_limits

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.export import export_model
from fruler.rules import RuleBase

Predict = Callable[[], np.ndarray]


def in_onnx(rules: RuleBase, X: np.ndarray, block: int, *, float32: bool = False, gaps: bool = False) -> Predict:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    content = export_model(rules, "onnx", float32=float32, gaps=gaps)
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    table = X.astype(np.float32) if float32 else X

    def predict() -> np.ndarray:
        blocks = range(0, len(table), block)
        return np.concatenate([session.run(None, {"X": table[i : i + block]})[0][:, 0] for i in blocks])

    return predict


def in_duckdb(rules: RuleBase, X: np.ndarray, *, gaps: bool = False) -> Predict:
    database = duckdb.connect(config={"threads": 1})
    frame = pd.DataFrame(X, columns=[variable.name for variable in rules.variables])
    database.register("frame", frame)
    database.execute("CREATE TABLE data AS SELECT * FROM frame")
    query = export_model(rules, "sql", table="data", gaps=gaps)
    return lambda: database.execute(query).fetchnumpy()["prediction"]


def compare(name: str, n_rows: int, repeats: int) -> None:
    data = load_example(name)
    table, target = data.data.to_numpy(dtype=float), np.asarray(data.target, dtype=float)
    rules = FuzzyRuleRegressor(random_state=0).fit(data.data, data.target).rule_base_
    forest = RandomForestRegressor(100, n_jobs=1, random_state=0).fit(table, target)
    rng = np.random.default_rng(0)
    X = np.ascontiguousarray(rng.uniform(table.min(axis=0), table.max(axis=0), (n_rows, table.shape[1])))
    systems: dict[str, Predict] = {
        "random forest": lambda: forest.predict(X),
        "fruler itself": lambda: rules.predict(X),
        "ONNX Runtime, at once": in_onnx(rules, X, n_rows),
        "ONNX Runtime, blocks of 4096": in_onnx(rules, X, 4096),
        "ONNX Runtime, 32 bits, blocks": in_onnx(rules, X, 4096, float32=True),
        "ONNX Runtime, gaps, blocks": in_onnx(rules, X, 4096, gaps=True),
        "DuckDB": in_duckdb(rules, X),
        "DuckDB, gaps": in_duckdb(rules, X, gaps=True),
    }
    expected, target_spread = rules.predict(X), target.std()
    times: dict[str, list[float]] = {system: [] for system in systems}
    walls: dict[str, list[float]] = {system: [] for system in systems}
    for _ in range(repeats):
        for system, predict in systems.items():
            wall, begin = time.perf_counter(), time.process_time()
            found = predict()
            times[system].append(time.process_time() - begin)
            walls[system].append(time.perf_counter() - wall)
            assert len(found) == n_rows
            if system != "random forest":
                assert np.abs(found - expected).max() <= (1e-5 if "32" in system else 1e-9) * target_spread
    print(f"\n{name}: {rules.n_rules} rules from {len(table)} rows; {n_rows:,} predictions, {repeats} turns")
    for system, spent in times.items():
        ratios = np.array(times["random forest"]) / np.array(spent)
        print(
            f"  {system:30} {np.median(spent):8.3f} s ({min(spent):.3f} to {max(spent):.3f})"
            f"   {np.median(ratios):6.1f} times as fast as the forest ({ratios.min():.1f} to {ratios.max():.1f})"
            f"   wall {np.median(walls[system]):.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time a million predictions of exported rules.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with threadpool_limits(1):
        for name in ("weather", "friedman"):
            compare(name, options.rows, options.repeats)


if __name__ == "__main__":
    main()
