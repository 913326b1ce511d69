"""Tables that are read in batches: from any source the same rows, as often as they are asked for."""

from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pds
import pytest

from fruler.data import BatchScan, scan_table
from fruler.data._scan import Batch, reduce_batches

N = 2_500


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=N).round(3), "kind": rng.choice(["red", "it's, blue"], N)})
    frame.loc[7, "size"] = np.nan
    frame.loc[8, "kind"] = None
    return frame.assign(price=np.arange(float(N)))


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for number, first in enumerate(range(0, N, 1_000)):
        table[first : first + 1_000].to_parquet(folder / f"{number}.parquet", index=False)
    return folder


def as_csv(table, folder, name, **options):
    path = folder.with_name(f"{folder.name}_{name}")
    table.to_csv(path, index=False, **options)
    return path


SOURCES = {
    "folder": lambda table, folder: folder,
    "pattern": lambda table, folder: f"{folder}/*.parquet",
    "paths": lambda table, folder: sorted(folder.iterdir()),
    "dataset": lambda table, folder: pds.dataset(folder),
    "csv": lambda table, folder: as_csv(table, folder, "rows.csv"),
    "tsv": lambda table, folder: as_csv(table, folder, "rows.tsv.gz", sep="\t"),
    "polars, lazy": lambda table, folder: pl.scan_parquet(f"{folder}/*.parquet"),
    "polars": lambda table, folder: pl.from_pandas(table),
    "DuckDB": lambda table, folder: duckdb.sql(f"select * from '{folder}/*.parquet' order by price"),
    "Arrow": lambda table, folder: pa.Table.from_pandas(table),
    "pandas": lambda table, folder: table,
}


def joined(scan):
    return pa.Table.from_batches(list(scan.batches())).to_pandas()


@pytest.mark.parametrize("source", SOURCES)
def test_every_pass_has_all_rows_in_their_order(table, folder, source):
    scan = scan_table(SOURCES[source](table, folder), max_memory=0.001)
    assert (scan.names, scan.n_rows, scan.batch_rows) == (("size", "kind", "price"), N, 1_024)
    for _ in range(2):
        found = joined(scan)
        assert found["price"].tolist() == table["price"].tolist()
        assert found["kind"].fillna("").tolist() == table["kind"].fillna("").tolist()
        np.testing.assert_array_equal(found["size"], table["size"])
    assert max(batch.num_rows for batch in scan.batches()) <= scan.batch_rows


@pytest.mark.parametrize("source", SOURCES)
def test_only_the_columns_that_are_asked_for_are_read(table, folder, source):
    scan = scan_table(SOURCES[source](table, folder), columns=["price", "size"])
    assert joined(scan).columns.tolist() == ["price", "size"]
    with pytest.raises(ValueError, match=r"The table has no column 'prize'; did you mean 'price'"):
        scan_table(SOURCES[source](table, folder), columns=["prize"])


def test_whole_numbers_of_a_csv_file_may_have_decimals_further_down(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n" + "1;\n" * 400_000 + "2,5;x\n")
    scan = scan_table(path, sep=";", decimal=",")
    assert (scan.n_rows, joined(scan)["a"].sum()) == (400_001, 400_002.5)
    assert joined(scan)["b"].iloc[-1] == "x"


def test_tables_that_cannot_be_read_again_are_refused(tmp_path):
    for source in (iter([]), pa.RecordBatchReader.from_batches(pa.schema([]), []), 3, []):
        with pytest.raises(ValueError, match="cannot be read in batches again and again; pass paths of files"):
            scan_table(source)
    for missing in (tmp_path / "no.parquet", f"{tmp_path}/*.parquet"):
        with pytest.raises(FileNotFoundError, match="There is no file"):
            scan_table(missing)
    with pytest.raises(FileNotFoundError, match="is a folder without Parquet or CSV files"):
        scan_table(tmp_path)
    tmp_path.joinpath("rows.dat").touch()
    with pytest.raises(ValueError, match=r"The format of 'rows.dat' is unknown; give format='parquet'"):
        scan_table(tmp_path / "rows.dat")
    with pytest.raises(ValueError, match="max_memory must be a number of megabytes above 0; got 0"):
        scan_table(pd.DataFrame({"a": [1]}), max_memory=0)


def test_roles_are_names_of_columns(table):
    scan = scan_table(table)
    part = scan.roles("price", "size")(Batch(next(scan.batches()), 0, ""))
    assert (list(part.X), part.y.name, part.weight.name) == (["kind"], "price", "size")
    for wrong, told in (
        ((np.ones(3),), "y must be the name of a column of the scan; got a ndarray"),
        (("prize",), "has no column 'prize'; did you mean 'price'"),
        (("price", "weight"), "has no column 'weight'"),
    ):
        with pytest.raises(ValueError, match=told):
            scan.roles(*wrong)
    with pytest.raises(ValueError, match="no input column besides 'price'"):
        scan_table(table, columns=["price"]).roles("price")


class Numbers(BatchScan):
    """Batches of different sizes, some of which are empty."""

    def batches(self):
        first = 0
        for size in (0, 3, 0, 1, 5, 2, 4, 0):
            yield pa.record_batch({"x": list(range(first, first + size))}, schema=pa.schema({"x": pa.int64()}))
            first += size


def seen(batch):
    return [(batch.first, batch.data.column("x").to_pylist())]


def test_results_are_merged_in_the_order_of_the_rows():
    scan = Numbers(["x"])
    found = scan.reduce(seen, list.__add__, "see")
    assert [x for _, values in found for x in values] == list(range(15))
    assert [first for first, _ in found] == [0, 3, 4, 9, 11]
    with ThreadPoolExecutor(3) as pool:
        assert scan.reduce(seen, list.__add__, "see", pool) == found
    assert scan.n_rows == 15
    with pytest.raises(ValueError, match="The table has no rows"):
        reduce_batches([], seen, list.__add__)


def test_an_error_while_reading_ends_the_pass():
    class Broken(Numbers):
        def batches(self):
            yield next(batch for batch in super().batches() if batch.num_rows)
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        Broken(["x"]).reduce(seen, list.__add__, "see")


def test_only_a_few_batches_wait_for_threads():
    asked = []

    class Watched(BatchScan):
        def batches(self):
            for number in range(50):
                asked.append(number)
                yield pa.record_batch({"x": [number]})

    most = []
    with ThreadPoolExecutor(2) as pool:

        def work(batch):
            return most.append(asked[-1] - batch.first) or 0

        Watched(["x"]).reduce(work, lambda a, b: 0, "see", pool)
    assert max(most) <= 6
