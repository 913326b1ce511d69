"""Spark: learning from a data frame whose rows stay on the executors, and predicting it there."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pandas as pd

from fruler._wording import install_advice, suggest
from fruler.data._scan import Batch, Result, TableScan, reduce_batches
from fruler.estimators.base import BaseRuleRegressor

__all__ = ["SparkScan", "predict_udf"]


class SparkScan(TableScan):
    """A data frame of Spark to learn from; its rows stay on the executors.

    `FuzzyRuleRegressor.fit` brings a sample of at most 250,000 rows to the driver and grows rules on it. The executors
    then sum up their partitions, and only the sums come back. They are merged in the order of the partitions, so the
    model is the same if executors are lost and their partitions computed again.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Every computation of the frame must have the same rows in the same partitions, as one that reads files
        has; write others to Parquet first.
    columns : sequence of str, default=None
        The columns to use; None uses all.
    max_memory : float, default=512.0
        About how many megabytes the driver may take for a fit.

    See Also
    --------
    predict_udf : Predicts on the executors.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> frame = spark.read.parquet("rows/")  # doctest: +SKIP
    >>> model = FuzzyRuleRegressor(random_state=0).fit(SparkScan(frame), "price")  # doctest: +SKIP
    """

    def __init__(self, frame: Any, columns: Sequence[str] | None = None, max_memory: float = 512.0) -> None:
        for name in columns or ():
            if name not in frame.columns:
                raise ValueError(f"The data frame has no column {name!r}; {suggest(name, frame.columns)}.")
        super().__init__(frame.columns if columns is None else columns, max_memory)
        quoted = [name.replace("`", "``") for name in self.names]
        self.frame = frame.select(*(f"`{name}`" for name in quoted))

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The number of rows of each partition that has any, by its number."""
        return dict(self._each(lambda number, batches: sum(batch.num_rows for batch in batches)))

    def count_rows(self) -> int:
        """Count the rows on the executors.

        Returns
        -------
        int
            The number of rows.
        """
        return sum(self.sizes.values())

    def reduce(
        self,
        work: Callable[[Batch], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Pass over all rows on the executors, and merge the results of the partitions here, in their order.

        Parameters
        ----------
        work, merge : callable
            As for `fruler.data.TableScan.reduce`.
        name : str
            The name of the pass.
        pool : Executor, optional
            Not used: the executors have their own threads.

        Returns
        -------
        object
            The merged result.

        Raises
        ------
        ValueError
            If there are no rows, or other partitions than before.
        """
        numbers = list(self.sizes)
        firsts = dict(zip(numbers, np.cumsum([0, *self.sizes.values()]).tolist(), strict=False))

        def run(number: int, batches: Iterator[Any]) -> Result | None:
            # None: the partition has changed.
            place = f"Partition {number}, batch"
            return reduce_batches(batches, work, merge, firsts[number], place) if number in firsts else None

        found = self._each(run)
        if not numbers:
            raise ValueError("The table has no rows; at least 2 are needed.")
        if [number for number, _ in found] != numbers or any(result is None for _, result in found):
            raise ValueError(
                "The partitions of the data frame have changed between two passes; write it to Parquet first."
            )
        merged: Result = reduce(merge, (result for _, result in found))
        return merged

    def _each(self, function: Callable[[int, Iterator[Any]], Any]) -> list[tuple[int, Any]]:
        """Return the results of a function of every partition that has rows, with their numbers, in order."""

        def run(batches: Iterator[Any]) -> Iterator[Any]:
            # On an executor.
            import pyarrow as pa
            from pyspark import TaskContext

            number = TaskContext.get().partitionId()
            filled = (batch for batch in batches if batch.num_rows)
            first = next(filled, None)
            if first is not None:
                result = function(number, iter([first, *filled]))
                yield pa.record_batch({"number": [number], "result": [pickle.dumps(result)]})

        rows = self.frame.mapInArrow(run, "number long, result binary").collect()
        return sorted(((row.number, pickle.loads(row.result)) for row in rows), key=lambda pair: pair[0])  # noqa: S301


def predict_udf(model: BaseRuleRegressor, coverage: float | None = None) -> Any:
    """Return a function of Spark that predicts rows on the executors.

    Parameters
    ----------
    model : BaseRuleRegressor
        A fitted regressor.
    coverage : float, default=None
        The coverage of prediction intervals; None predicts without intervals.

    Returns
    -------
    function
        A pandas function for `pyspark.sql`, of a struct of the input columns. It returns a number; with `coverage`, a
        struct of ``prediction``, ``lower`` and ``upper``.

    Raises
    ------
    ImportError
        If pyspark is not installed.

    See Also
    --------
    SparkScan : Learns on the executors.

    Examples
    --------
    >>> from pyspark.sql.functions import struct  # doctest: +SKIP
    >>> frame.withColumn("price", predict_udf(model)(struct("size", "age")))  # doctest: +SKIP
    """
    try:
        from pyspark.sql import functions
    except ModuleNotFoundError as missing:
        raise ImportError(f"Predictions by Spark need pyspark and pyarrow; {install_advice('spark')}") from missing
    # Nobody would see warnings on an executor.
    quiet = copy.copy(model)
    quiet.warn_outside = False

    def predict(rows: pd.DataFrame) -> pd.Series:
        return pd.Series(quiet.predict(rows))

    if coverage is None:
        return functions.pandas_udf(predict, "double")

    def predict_with_interval(rows: pd.DataFrame) -> pd.DataFrame:
        lower, upper = quiet.predict_interval(rows, coverage)[:2]
        return pd.DataFrame({"prediction": quiet.predict(rows), "lower": lower, "upper": upper})

    return functions.pandas_udf(predict_with_interval, "prediction double, lower double, upper double")
