"""What can't be learned from is refused in one sentence, before the long work."""

import re

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from helpers.blocks import in_chunks

from fruler.distributed import DaskFuzzyRuleRegressor


@pytest.fixture
def model(client):
    return DaskFuzzyRuleRegressor(client, max_evaluations=30, random_state=0)


@pytest.fixture
def frame(friedman):
    return pd.DataFrame(friedman[0], columns=list("abcde")).assign(y=friedman[1])


def test_arrays_in_memory_are_for_the_local_regressor(model, friedman):
    with pytest.raises(ValueError, match=r"X must be a Dask array or data frame; got a ndarray.*FuzzyRuleRegressor"):
        model.fit(*friedman)
    X, _ = in_chunks(*friedman, 300)
    with pytest.raises(ValueError, match="y must be a Dask array or data frame; got a ndarray"):
        model.fit(X, friedman[1])


def test_chunks_of_different_sizes_are_refused(model, friedman):
    X, y = in_chunks(*friedman, 300)
    with pytest.raises(ValueError, match="X has 3 partitions, but y has 7"):
        model.fit(X, y.rechunk(100))
    with pytest.raises(ValueError, match=r"X has chunks of \(300, 300, 100\) rows, but y of \(200, 300, 200\)"):
        model.fit(X, y.rechunk(((200, 300, 200),)))
    with pytest.raises(ValueError, match="y must be one column; it has 5"):
        model.fit(X, X)


def test_other_divisions_are_refused(model, frame):
    table = dd.from_pandas(frame, npartitions=4)
    other = table.repartition(divisions=[0, 100, 200, 300, 699])
    with pytest.raises(ValueError, match=r"X has the divisions .*repartition\(divisions=X.divisions\)"):
        model.fit(table[list("abcde")], other["y"])


def test_other_rows_in_a_partition_are_found_where_sizes_are_unknown(model, frame):
    table = dd.from_pandas(frame, npartitions=3)
    some = table[table["a"] > 0.5]
    with pytest.raises(ValueError, match="Partition 0: X and y have"):
        model.fit(some[list("abcde")], table["y"])


def test_a_partition_with_infinity_is_named(model, friedman):
    X = friedman[0].copy()
    X[450, 2] = np.inf
    told = (
        "Partition 2: X contains infinity in column 'x2', row 50 (counted from 0); correct it, or write NaN if the "
        "value is missing."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        model.fit(*in_chunks(X, friedman[1], 200))
    X[0, 1] = np.inf
    with pytest.raises(ValueError, match=r"Partition 0: .* \(Other parts with problems: 1.\)"):
        model.fit(*in_chunks(X, friedman[1], 200))


def test_a_target_with_gaps_is_refused(model, friedman):
    y = friedman[1].copy()
    y[[450, 451]] = np.nan
    told = r"^Partition 2: y contains NaN at row 50 \(counted from 0\), 2 such values in all; rows without a target"
    with pytest.raises(ValueError, match=told):
        model.fit(*in_chunks(friedman[0], y, 200))


def test_a_weight_that_is_no_weight_is_refused(model, friedman):
    weight = np.ones(700)
    weight[250] = -1.0
    with pytest.raises(ValueError, match=r"Partition 1: sample_weight is -1.0 at row 50; weights must be finite"):
        model.fit(*in_chunks(*friedman, 200), da.from_array(weight, chunks=200))


def test_columns_of_one_name_are_refused(model, frame):
    table = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="The column 'a' occurs 2 times in X"):
        model.fit(table[["a", "b", "a"]], table["y"])


def test_tables_without_rows_or_columns_are_refused(model, frame):
    table = dd.from_pandas(frame, npartitions=3)
    none = table[table["a"] > 2.0]
    with pytest.raises(ValueError, match="Only 0 rows are in X; at least 2 are needed"):
        model.fit(none[list("abcde")], none["y"])
    with pytest.raises(ValueError, match="X must be a table with a known number of columns"):
        model.fit(table["a"], table["y"])
    weight = da.zeros(700, chunks=300)
    with pytest.raises(ValueError, match="Only 0 rows have a positive sample_weight"):
        model.fit(*in_chunks(frame[list("abcde")].to_numpy(), frame["y"].to_numpy(), 300), weight)


def test_a_client_that_is_closed_or_none_is_refused(cluster, friedman):
    with Client(cluster, set_as_default=False) as closed:
        pass
    for client, told in (
        (closed, "The Dask client is closed"),
        (None, "There is no Dask client"),
        (3, "client must be"),
    ):
        with pytest.raises(ValueError, match=told):
            DaskFuzzyRuleRegressor(client).fit(*in_chunks(*friedman, 300))


def set_version(version):
    dask.__version__ = version


def test_a_worker_with_another_dask_is_named(client, model, friedman):
    [worker, _] = client.scheduler_info()["workers"]
    client.run(set_version, "2021.1.0", workers=[worker])
    try:
        told = rf"Worker {worker} has dask 2021.1.0, but the client has {dask.__version__}"
        with pytest.raises(ValueError, match=told):
            model.fit(*in_chunks(*friedman, 300))
    finally:
        client.run(set_version, dask.__version__, workers=[worker])
