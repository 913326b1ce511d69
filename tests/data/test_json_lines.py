"""JSON lines."""

import gzip

import numpy as np
import pytest

from fruler.data import read_table

LINES = '{"size": 1.5, "sold": true, "colour": "red"}\n\n{"size": null, "colour": "blue", "price": "$1,200.50"}\n'


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".jsonl.gz"])
def test_one_object_per_line(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(LINES.encode()) if suffix.endswith("gz") else LINES.encode("utf-8-sig"))
    table = read_table(path)
    assert table.feature_names == ["size", "sold", "colour", "price"]
    np.testing.assert_array_equal(table.data["size"], [1.5, np.nan])
    assert table.data["colour"].tolist() == ["red", "blue"]
    assert table.data["sold"].iloc[0] is True
    assert table.data["sold"].isna().tolist() == [False, True]
    np.testing.assert_array_equal(table.data["price"], [np.nan, 1200.5])
    assert read_table(path, na_values="blue").data["colour"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.jsonl: the file is empty; it needs one JSON object per line"),
        ("{}\n", "t.jsonl: the objects are empty; give them keys"),
        ('{"a": 1}\n{"a": \n', r"line 2: cannot read it as JSON \(Expecting value at character 7\); write one object"),
        ('{"a": 1}\n[1]\n', 'line 2: expected an object as in {"size": 1.5}'),
        ('{"a": [1]}\n', "line 1, column 'a': a list cannot be a value of a table"),
        ('{"a": {"b": 1}}\n', "line 1, column 'a': a nested object cannot be a value"),
        ('{"a": 1, "a": 2}\n', "line 1: the column names 'a' occur twice"),
        ('{"a\\u001b[2J": 1}\n', r"the column name 'a\\x1b\[2J' holds an unprintable character"),
        ('{"a": ' + "[" * 100_000, "line 1: the value is nested too deep"),
    ],
)
def test_malformed_lines_are_refused(tmp_path, text, message):
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_table(tmp_path / "t.jsonl")
    assert "\n" not in str(caught.value)


def test_a_bad_target_is_named_by_its_line(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 1, "y": 2}\n\n{"x": 2, "y": "high"}\n')
    with pytest.raises(ValueError, match=r"t\.jsonl, line 3, column 'y': the target 'high' is not a number"):
        read_table(tmp_path / "t.jsonl", target="y")


def test_numbers_too_long_for_python_are_infinite(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 1' + "0" * 5000 + "}\n")
    assert np.isinf(read_table(tmp_path / "t.jsonl").data["x"].iloc[0])
