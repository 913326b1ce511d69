"""Tables as they are found, on the command line: what was recognised is said, and options settle what is in doubt."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line, run_process

N = 30
SIZES, AGES = np.arange(N) * 1.25 + 1, (np.arange(N) * 7) % 11
PRICES = 3 * SIZES + AGES
TABLE = pd.DataFrame({"size": SIZES, "age": AGES, "y": PRICES})


@pytest.fixture
def german_table(tmp_path):
    path = tmp_path / "german.csv"
    path.write_bytes(TABLE.to_csv(sep=";", decimal=",", index=False).encode("utf-16"))
    return path


def read_lines(result):
    assert result.returncode == 0, result.stderr
    return [line for line in result.stdout.splitlines() if line.startswith("  read ")]


def test_decimal_commas_are_said_and_give_the_same_rules(fruler, german_table, tmp_path):
    result = fruler("fit", german_table, "--target", "y", "--no-test", "--model", tmp_path / "m.json")
    assert read_lines(result) == ['  read      separated by ";", decimals with ","']
    plain = tmp_path / "plain.csv"
    TABLE.to_csv(plain, index=False)
    same = fruler("fit", plain, "--target", "y", "--no-test", "--model", tmp_path / "same.json")
    assert read_lines(same) == []
    models = [json.loads((tmp_path / name).read_text())["rule_bases"] for name in ("m.json", "same.json")]
    assert models[0] == models[1]
    # What the model is used on may be written in either way.
    predicted = [fruler("predict", tmp_path / "m.json", path) for path in (german_table, plain)]
    assert predicted[0].stdout == predicted[1].stdout
    assert predicted[0].stderr == 'fruler: german.csv: separated by ";", decimals with ","\n'
    assert predicted[1].stderr == ""
    for name in ("predict", "explain"):
        quiet = fruler(name, tmp_path / "m.json", german_table, "--sep", ";", "--decimal", ",")
        assert (quiet.returncode, quiet.stderr) == (0, "")


def test_what_was_recognised_is_in_the_document(fruler, german_table):
    document = json.loads(fruler("fit", german_table, "--target", "y", "--no-test", "--json").stdout)
    assert document["recognised"] == ['separated by ";", decimals with ","']


def test_an_ambiguous_column_is_settled_by_the_option_that_the_message_names(fruler, tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": np.arange(N), "y": [f"{n:,}" for n in range(1000, 1000 + N)]}).to_csv(path, index=False)
    result = fruler("fit", path, "--target", "y", "--no-test")
    assert_one_line(result, "line 2", "'1,000' may be 1000 or 1", "--thousands , or --decimal ,")
    for option, mean in (("--thousands", 1014.5), ("--decimal", 1.0145)):
        result = fruler("fit", path, "--target", "y", "--test-last", "15", "--json", option, ",")
        # Always answering the mean of 1000 to 1014, for 1015 to 1029.
        error = json.loads(result.stdout)["held_out"]["rmse"]["mean"]
        assert error == pytest.approx(np.sqrt(np.square(np.arange(8, 23)).mean()) * mean / 1014.5)


def test_missing_values_and_separators_that_are_given(fruler, tmp_path):
    path = tmp_path / "t.txt"
    table = TABLE.astype(object)
    table.loc[[1, 2], "size"] = "none"
    table.loc[3, "age"] = -999
    table.to_csv(path, sep=":", index=False)
    options = ("--sep", ":", "--na-values", "none", "--na-values", "-999")
    result = fruler("fit", path, "--target", "y", "--no-test", *options, "--model", tmp_path / "m.json")
    assert "missing   2 of size, 1 of age; each is estimated" in result.stdout, result.stderr
    result = fruler("predict", tmp_path / "m.json", path, *options)
    assert "'size' in 2 rows" in result.stderr
    assert len(result.stdout.splitlines()) == 31
    assert_one_line(fruler("fit", path, "--target", "y", "--sheet", "1"), "t.txt", "--sheet 1 does not apply")
    assert_one_line(fruler("fit", path, "--target", "y", "--sep", "::"), "--sep :: is not one character")
    assert_one_line(fruler("predict", tmp_path / "m.json", path, "--decimal", "x"), "--decimal x is neither")


def test_text_among_numbers_names_the_option(fruler, tmp_path):
    path = tmp_path / "t.csv"
    TABLE.assign(size=["none", *SIZES[1:]]).to_csv(path, index=False)
    result = fruler("fit", path, "--target", "y", "--no-test")
    assert "left out  size: text among numbers ('none' in row 1)" in result.stdout
    assert "--na-values" in result.stdout
    assert_one_line(fruler("fit", path, "--target", "size"), "row 1 has 'none'", "--na-values")


@pytest.mark.parametrize("name", ["t.xlsx", "t.jsonl", "t.ndjson.gz", "t.csv.gz", "t.tsv.gz"])
def test_other_formats_are_learned_from_and_predicted(fruler, tmp_path, name):
    path = tmp_path / name
    options = []
    if name == "t.xlsx":
        pytest.importorskip("openpyxl")
        with pd.ExcelWriter(path) as book:
            pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="Notes", index=False)
            TABLE.to_excel(book, sheet_name="Houses", index=False)
        options = ["--sheet", "Houses"]
    else:
        kind = name.split(".")[1]
        separator = "\t" if kind == "tsv" else ","
        text = TABLE.to_json(orient="records", lines=True) if "js" in kind else TABLE.to_csv(index=False, sep=separator)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    result = fruler("fit", path, "--target", "y", "--no-test", "--model", tmp_path / "m.json", *options)
    assert f"{name}: 30 rows, 3 columns\npredicting y from 2 inputs: size, age\n" in result.stdout, result.stderr
    predicted = fruler("predict", tmp_path / "m.json", path, *options)
    found = pd.read_csv(io.StringIO(predicted.stdout))["prediction"]
    np.testing.assert_allclose(found, PRICES, atol=2.0)


@pytest.mark.process
def test_json_lines_on_standard_input():
    lines = "".join(f'{{"x": {i}, "y": {2 * i}}}\n' for i in range(20))
    result = run_process("fit", "-", "--format", "jsonl", "--target", "y", "--no-test", input=lines)
    assert "standard input: 20 rows, 2 columns" in result.stdout, result.stderr


def test_columns_in_doubt(fruler, tmp_path):
    path = tmp_path / "t.csv"
    mixed = [f"{'$' if i % 2 else '€'}{i}" for i in range(N)]
    table = TABLE.assign(age=mixed)
    table.to_csv(path, index=False)
    note = '  read      \'age\' stays text: it has amounts in "$" and "€"; convert them to one currency'
    assert read_lines(fruler("fit", path, "--target", "y", "--no-test")) == [note]
    assert read_lines(fruler("fit", path, "--target", "y", "--no-test", "--drop", "age")) == []
    assert_one_line(fruler("fit", path, "--target", "age"), "line 3, column 'age'", "convert them to one currency")
    TABLE.to_csv(tmp_path / "good.csv", index=False)
    fruler("fit", tmp_path / "good.csv", "--target", "y", "--no-test", "--model", tmp_path / "m.json")
    result = fruler("predict", tmp_path / "m.json", path)
    assert_one_line(result, "line 3, column 'age'", "convert them to one currency")
    pytest.importorskip("jinja2")
    TABLE.assign(y=mixed).to_csv(path, index=False)
    result = fruler("report", tmp_path / "m.json", path, "-o", tmp_path / "r.html")
    assert_one_line(result, "line 3, column 'y'", "convert them to one currency")


def test_percent_is_said(fruler, tmp_path):
    path = tmp_path / "t.csv"
    TABLE.assign(size=[f"{size}%" for size in SIZES]).to_csv(path, index=False)
    assert read_lines(fruler("fit", path, "--target", "y", "--no-test")) == [
        "  read      percentages in 'size' (12.5% is 12.5)"
    ]
