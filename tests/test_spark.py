"""Spark: a local cluster of two worker processes, whose executors sum up the rows."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pandas as pd
import psutil
import pytest
from helpers.mixed_tables import mixed_table

from fruler import FuzzyRuleRegressor
from fruler.data import scan_table

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed; run: make test-engines")
# PySpark's own, about the newest pandas.
pytestmark = pytest.mark.filterwarnings("ignore")
QUICK = {"max_evaluations": 300, "random_state": 0}


@pytest.fixture(scope="module")
def spark():
    # Workers are started by scripts of the package.
    before = dict(os.environ)
    os.environ |= {"SPARK_HOME": os.path.dirname(pyspark.__file__), "PYSPARK_PYTHON": sys.executable}
    builder = pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.files.maxPartitionBytes": "10m",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """A million rows in a Parquet file, which Spark cuts into partitions; it would put files in another order."""
    path = tmp_path_factory.mktemp("million") / "rows.parquet"
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.uniform(size=(1_000_000, 5)), columns=list("abcde"))
    y = 10 * np.sin(np.pi * x["a"] * x["b"]) + 20 * (x["c"] - 0.5) ** 2 + 5 * x["d"] + rng.normal(size=1_000_000)
    x.assign(y=y).to_parquet(path, index=False, row_group_size=50_000)
    return path


class Kill(threading.Thread):
    """Kills an executor, a process of Java, during the last pass over the rows."""

    def __init__(self, wanted):
        super().__init__(daemon=True)
        self.wanted, self.killed = wanted, None

    def run(self):
        self.wanted.wait(120)
        for process in psutil.Process().children(recursive=True):
            try:
                arguments = process.cmdline()
            except psutil.Error:  # it has just ended
                continue
            if "--executor-id" in arguments:
                os.kill(process.pid, signal.SIGKILL)
                self.killed = process.pid
                return


def test_a_million_rows_give_the_model_of_one_machine_even_if_an_executor_is_killed(spark, million, monkeypatch):
    from fruler.spark import SparkScan, predict_udf

    expected = FuzzyRuleRegressor(**QUICK).fit(scan_table(million), "y")
    frame = spark.read.parquet(str(million))
    scan = SparkScan(frame)
    assert scan.n_rows == 1_000_000
    assert len(scan.sizes) >= 4
    model = FuzzyRuleRegressor(**QUICK).fit(scan, "y")
    X = pd.read_parquet(million)[list("abcde")]
    predictions = model.predict(X)
    np.testing.assert_allclose(predictions, expected.predict(X), rtol=0, atol=1e-9)
    # The executors predict, too.
    found = frame.select(predict_udf(model)(pyspark.sql.functions.struct(*X.columns)).alias("p")).toPandas()
    assert np.array_equal(np.sort(found["p"]), np.sort(predictions))

    wanted = threading.Event()
    kill = Kill(wanted)
    kill.start()
    reduce = SparkScan.reduce

    def watched(self, work, merge, name, pool=None):
        if name == "sum_rows":
            threading.Timer(0.3, wanted.set).start()

            def slowly(batch):
                time.sleep(0.05)
                return work(batch)

            return reduce(self, slowly, merge, name, pool)
        return reduce(self, work, merge, name, pool)

    monkeypatch.setattr(SparkScan, "reduce", watched)
    survived = FuzzyRuleRegressor(**QUICK).fit(SparkScan(frame), "y")
    kill.join()
    assert kill.killed is not None
    assert survived.rule_base_ == model.rule_base_  # to the last bit


def test_a_mixed_table_gives_the_model_of_rows_in_memory(spark, tmp_path):
    from fruler.spark import SparkScan, predict_udf

    X, y = mixed_table(600)
    X["grade"] = "grade " + X["grade"].astype(str)
    table = X.assign(price=y)
    table.to_parquet(tmp_path / "rows.parquet", index=False)
    frame = spark.read.parquet(str(tmp_path))
    model = FuzzyRuleRegressor(**QUICK).fit(SparkScan(frame), "price")
    expected = FuzzyRuleRegressor(**QUICK).fit(X, table["price"])
    np.testing.assert_allclose(model.predict(X), expected.predict(X), rtol=1e-9)
    udf = predict_udf(model, coverage=0.8)(pyspark.sql.functions.struct(*(f"`{name}`" for name in X.columns)))
    found = frame.select(udf.alias("p")).select("p.*").toPandas()
    lower, upper = model.predict_interval(X, 0.8)[:2]
    np.testing.assert_allclose(found[["prediction", "lower", "upper"]].T, [model.predict(X), lower, upper])


def test_problems_are_named(spark, million):
    from fruler.spark import SparkScan

    frame = spark.read.parquet(str(million))
    with pytest.raises(ValueError, match="The data frame has no column 'f'"):
        SparkScan(frame, ["a", "f"])
    with pytest.raises(ValueError, match="The table has no column 'price'"):
        FuzzyRuleRegressor().fit(SparkScan(frame), "price")
    with pytest.raises(ValueError, match="The table has no rows"):
        FuzzyRuleRegressor().fit(SparkScan(frame.where("a > 2")), "y")
    bad = frame.where("a < 0.01").withColumn("a", pyspark.sql.functions.lit(float("inf")))
    with pytest.raises(ValueError, match=r"Partition 0, batch that begins at row 0: X contains infinity in column 'a'"):
        FuzzyRuleRegressor().fit(SparkScan(bad), "y")
