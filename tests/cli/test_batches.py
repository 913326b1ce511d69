"""Several files, folders and large files: one table, read in batches where it is large."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from helpers.commands import assert_one_line

from fruler import load_model
from fruler.learning import _sampled_table


@pytest.fixture
def folder(houses, tmp_path):
    """The table of houses in three Parquet files; 1,200 rows, so that it has some more than the small sample."""
    folder = tmp_path / "rows"
    folder.mkdir()
    table = pd.concat([pd.read_csv(houses)] * 6, ignore_index=True)
    table["id"] = [f"H{i}" for i in range(len(table))]
    for number in range(3):
        table[400 * number : 400 * (number + 1)].to_parquet(folder / f"{number}.parquet", index=False)
    return folder


# Less than the files take.
SMALL = ("--max-memory", "0.01", "--max-rules", "2")


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 700)
    monkeypatch.setattr(_sampled_table, "sample_size", lambda max_memory, n_columns: 700)


def test_files_that_fit_into_memory_are_one_table(fruler, folder):
    arguments = "--target", "price", "--no-test", "--json", "--max-rules", "2"
    expected = fruler("fit", folder, *arguments)
    assert json.loads(expected.stdout)["rows"] == 1_200
    for given in (sorted(folder.iterdir()), [f"{folder}/*.parquet"]):
        found = fruler("fit", *given, *arguments)
        assert json.loads(found.stdout)["rule_base"] == json.loads(expected.stdout)["rule_base"]


@pytest.mark.usefixtures("small_sample")
def test_large_files_are_learned_from_in_batches(fruler, folder, houses, tmp_path):
    model = tmp_path / "m.json"
    result = fruler("fit", folder, "--target", "price", "--model", model, "--unit", "size=m²", *SMALL)
    assert result.returncode == 0
    assert "rows: 1,200 rows, 8 columns, read in batches" in result.stdout
    assert "left out  id: " in result.stdout
    assert "left out  country: " in result.stdout
    # Six rows have no price.
    assert "Learned from 1,194 rows; the errors are of a sample.\n" in result.stdout
    rules = load_model(model).rule_base_
    assert rules.training.n_rows == 1_194
    assert next(one.unit for one in rules.variables if one.name == "size") == "m²"
    known = pd.read_csv(houses).dropna()
    assert load_model(model).score(known[list(rules.columns)], known["price"]) > 0.99


@pytest.mark.usefixtures("small_sample")
def test_a_document_and_a_report_of_large_files(fruler, folder, tmp_path):
    arguments = "--target", "price", "--json", "--report", tmp_path / "r.html", *SMALL
    found = json.loads(fruler("fit", folder, *arguments).stdout)
    assert (found["rows"], found["rows_used"], found["held_out"]) == (1_200, 1_194, None)
    assert "<html" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--calibration", "0.2"), "--calibration needs a table in memory; leave it out, or raise --max-memory"),
        (("--test-last", "10%"), "--test-last needs a table in memory"),
        (("--algorithm", "fruler"), "the algorithm fruler needs a table in memory; raise --max-memory"),
        (("--thousands", ","), "--thousands: files in batches have no such option"),
        (("--max-memory", "0"), "--max-memory must be a number of megabytes above 0; got 0"),
        (("--target", "prize"), "has no column 'prize'; did you mean 'price'"),
    ],
)
def test_what_needs_a_table_in_memory_is_refused(fruler, folder, options, told):
    result = fruler("fit", folder, "--target", "price", *SMALL, *options)
    assert_one_line(result)
    assert told in result.stderr


def test_predictions_of_files_are_those_of_one_table(fruler, model, folder, tmp_path):
    houses = pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)
    expected = load_model(model).predict(houses[list(load_model(model).rule_base_.columns)])
    result = fruler("predict", model, *sorted(folder.iterdir()), "-o", tmp_path / "out.parquet")
    assert result.returncode == 0
    assert "18 of 1,200 rows have missing or unknown values" in result.stderr
    assert np.array_equal(pd.read_parquet(tmp_path / "out.parquet")["prediction"], expected)
    assert pq.ParquetFile(tmp_path / "out.parquet").num_row_groups == 3
    fruler("predict", model, folder, "-o", tmp_path / "out.csv", "--keep", "--interval", "0.8")
    table = pd.read_csv(tmp_path / "out.csv")
    assert table.columns.tolist() == [*houses, "prediction", "lower", "upper"]
    np.testing.assert_allclose(table["prediction"], expected, rtol=1e-12)
    assert table["id"].tolist() == houses["id"].tolist()
    assert fruler("predict", model, folder).stdout.count("\n") == 1_201


def test_one_table_is_predicted_to_parquet_too(fruler, model, houses, tmp_path):
    fruler("predict", model, houses, "-o", tmp_path / "out.parquet")
    fruler("predict", model, houses, "-o", tmp_path / "out.csv")
    found = pd.read_parquet(tmp_path / "out.parquet")["prediction"]
    np.testing.assert_allclose(found, pd.read_csv(tmp_path / "out.csv")["prediction"], rtol=1e-12)


def test_a_bad_value_is_named_with_its_row_in_all_files(fruler, model, folder, tmp_path):
    table = pd.read_parquet(folder / "1.parquet")
    table.loc[7, "size"] = np.inf
    table.to_parquet(folder / "1.parquet", index=False)
    before = tmp_path / "out.csv"
    before.write_text("old")
    result = fruler("predict", model, folder, "-o", before)
    assert result.returncode == 2
    assert "rows, row 408: the value is infinity" in result.stderr
    # Nothing is written in part.
    assert (before.read_text(), sorted(path.name for path in tmp_path.iterdir())) == ("old", ["out.csv", "rows"])


def test_one_document_needs_one_table(fruler, model, folder):
    result = fruler("predict", model, folder, "--json")
    assert result.returncode == 2
    assert "--json needs one table in memory" in result.stderr
    assert "leave out -" in fruler("predict", model, "-", folder).stderr
