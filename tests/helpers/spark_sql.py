"""Spark SQL in this process and one of Java, until it is stopped."""

import os
import sys
from functools import cache

import pytest

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    # Queries of small tables take longest to compile.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.default.parallelism": "1",
}


class SparkSQL:
    """A session with one worker thread."""

    def __init__(self, pyspark):
        self._before = dict(os.environ)
        os.environ |= {"SPARK_HOME": os.path.dirname(pyspark.__file__), "PYSPARK_PYTHON": sys.executable}
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]")
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def answers(self, schema, rows, query):
        """Return the answers to a query on a table of these rows, which is called rows."""
        self.session.createDataFrame(rows, schema).createOrReplaceTempView("rows")
        return [list(row) for row in self.session.sql(query).collect()]

    def stop(self):
        self.session.stop()
        os.environ.clear()
        os.environ.update(self._before)
        spark_session.cache_clear()


@cache
def spark_session():
    """Start a session, or skip the test if Spark is not installed."""
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed; run: make test-engines")
    return SparkSQL(pyspark)
