"""Sheets of Excel workbooks."""

import datetime
import sys
import zipfile

import numpy as np
import pytest

from fruler.data import read_table

ROWS = [
    [None, None, None, None],
    ["size", "colour", "sold", "price"],
    [1.5, "red", datetime.datetime(2024, 1, 2), "$1,200.50"],
    [None, None, None, None],
    [2, "NA", datetime.datetime(2024, 1, 3), "$5"],
    [None, "blue", None, 7],
]


@pytest.fixture
def write(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")

    def run(name="t.xlsx", **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for i, row in enumerate(rows, 1):
                for j, value in enumerate(row, 1):
                    sheet.cell(i, j, value)
        book.save(tmp_path / name)
        return tmp_path / name

    return run


def test_the_first_sheet_with_its_types(write):
    table = read_table(write(Houses=ROWS, Other=[["a"], [1]]))
    assert table.feature_names == ["size", "colour", "sold", "price"]
    np.testing.assert_array_equal(table.data["size"], [1.5, 2.0, np.nan])
    assert table.data["colour"].isna().tolist() == [False, True, False]
    assert table.data["sold"].dtype.kind == "M"
    assert table.data["price"].tolist() == [1200.5, 5.0, 7.0]


def test_a_sheet_by_name_or_number(write):
    path = write(Houses=ROWS, Other=[["a", "b"], [1, 2]], **{"1": [["c"], [1]]})
    assert read_table(path, sheet="Other").feature_names == ["a", "b"]
    assert read_table(path, sheet=2).feature_names == ["a", "b"]
    # A name counts before a number.
    assert read_table(path, sheet="1").feature_names == ["c"]
    for sheet in ("Othr", "9", "0"):
        with pytest.raises(ValueError, match=rf"^t\.xlsx has no sheet '{sheet}'; .*names are 'Houses', 'Other', '1'$"):
            read_table(path, sheet=sheet)


def test_marks_of_missing_values_may_be_numbers(write):
    path = write(A=[["x", "y"], [1, "none"], [-999, "b"]])
    table = read_table(path, na_values=[-999, "none"])
    np.testing.assert_array_equal(table.data["x"], [1.0, np.nan])
    assert table.data["y"].isna().tolist() == [True, False]


def test_an_ambiguous_text_cell_is_refused(write):
    path = write(A=[["x", "y"], ["1,000", 1], ["2,500", 2]])
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'A', row 2, column 'x': '1,000' may be 1000 or 1"):
        read_table(path)
    assert read_table(path, thousands=",").data["x"].tolist() == [1000.0, 2500.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[]], "t.xlsx, sheet 'A': the sheet is empty; it needs a row of column names"),
        ([["a", "b"]], "sheet 'A': there is a header but no row"),
        ([["a", None], [1, 2]], "sheet 'A', row 1: column 2 has no name"),
        ([["a", "a"], [1, 2]], "sheet 'A', row 1: the column names 'a' occur twice"),
        ([["a", "price\n(EUR)"], [1, 2]], r"the column name 'price\\n\(EUR\)' holds an unprintable character"),
    ],
)
def test_sheets_that_are_no_tables_are_refused(write, rows, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(A=rows))


def test_a_bad_target_is_named_by_its_row_in_the_sheet(write):
    path = write(A=[[None], ["x", "y"], [1, 2], [None, None], [2, "high"]])
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'A', row 5, column 'y': the target 'high' is not a number"):
        read_table(path, target="y")


def test_damaged_workbooks_are_refused(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(
        ValueError, match=r"^t\.xlsx: cannot read it as an Excel workbook .*; save it again as \.xlsx or"
    ):
        read_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no workbook")
    with pytest.raises(ValueError, match="cannot read it as an Excel workbook"):
        read_table(path)


def test_every_cut_of_a_workbook_is_refused_or_read(write):
    path = write(A=[["x", "y"], [1, 2], [2, 3]])
    raw = path.read_bytes()
    for i in range(1, 12):
        place = i * len(raw) // 12
        path.write_bytes(raw[:place] + b"\0\xff\0" + raw[place + 3 :])
        try:
            read_table(path)
        except ValueError as error:
            assert str(error).startswith("t.xlsx")  # noqa: PT017


def test_without_openpyxl_the_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    message = r'^t\.xlsx: Excel files need openpyxl; run: pip install "openpyxl>=.* fruler\[excel\]\)$'
    with pytest.raises(ImportError, match=message):
        read_table(tmp_path / "t.xlsx")
