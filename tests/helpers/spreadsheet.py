"""Workbooks calculated by LibreOffice, without its window."""

import datetime
import io
import shutil
import subprocess

import numpy as np
import openpyxl
import pytest

from fruler.export import export_model
from helpers.engines import cells, columns_of

EPOCH = datetime.datetime(1970, 1, 1)


def office():
    """Return the command of LibreOffice, or skip the test."""
    found = shutil.which("soffice")
    if found is None:
        pytest.skip("LibreOffice is not installed (soffice)")
    return found


def calculated(workbooks, folder):
    """Return workbooks with the values of their formulas, in one run of LibreOffice."""
    for number, book in enumerate(workbooks):
        book.save(folder / f"{number}.xlsx")
    command = [office(), "--headless", f"-env:UserInstallation=file://{folder}/office", "--convert-to", "xlsx"]
    files = [str(folder / f"{number}.xlsx") for number in range(len(workbooks))]
    subprocess.run([*command, "--outdir", str(folder / "out"), *files], check=True, capture_output=True, timeout=500)
    return [openpyxl.load_workbook(folder / "out" / f"{n}.xlsx", data_only=True) for n in range(len(workbooks))]


def filled(rules, frame, **options):
    """Return a workbook with a table in it, in another order of its columns, and with its first row typed."""
    book = openpyxl.load_workbook(io.BytesIO(export_model(rules, "xlsx", rows=len(frame) + 1, **options)))
    rows = [_row(rules, frame, values) for values in cells(frame)]
    first = 5 if options else 3
    for column, name in enumerate(reversed(frame.columns), first):
        _put(book["Table"].cell(3, column), name)
        for row, values in enumerate(rows, 4):
            _put(book["Table"].cell(row, column), values[name])
    for cell in book["Predict"]["A"]:
        if cell.fill.fill_type is None and cell.offset(0, 1).fill.fgColor.rgb == "00FFF6C8":
            _put(cell.offset(0, 1), rows[0][cell.value])
    return book


def _row(rules, frame, values):
    row = dict(zip(frame.columns, values, strict=True))
    for column in columns_of(rules):
        value = row[column.name]
        if column.dates is not None and value is not None:
            (seconds,) = column.dates.seconds(frame[column.name].iloc[:0].astype(object).reindex([0]).fillna(value))
            row[column.name] = None if np.isnan(seconds) else EPOCH + datetime.timedelta(seconds=seconds)
        elif column.levels is None and isinstance(value, str):
            row[column.name] = None if not value.strip() else float(value)
    return row


def _put(cell, value):
    """Write a value; a text that begins with = is no formula."""
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"


def predictions(book, n_rows, n_ends):
    """Return the predictions of the table, and those of the typed row, in as many columns as there are ends."""
    table = [[book["Table"].cell(row, end).value for end in range(1, n_ends + 1)] for row in range(4, 4 + n_rows)]
    typed = [book["Predict"].cell(row, 2).value for row in range(3, 3 + n_ends)]
    return table, typed


def with_xlsx(rules, frame, folder, **options):
    """Return the predictions of a pasted table; an empty row has none, so each row has a number in another column."""
    marked = frame.assign(**{"row number": np.arange(len(frame))})
    n_ends = 3 if options else 1
    (book,) = calculated([filled(rules, marked, **options)], folder)
    table, typed = predictions(book, len(frame), n_ends)
    assert typed == pytest.approx(table[0], rel=1e-12, abs=1e-12)
    return np.array(table, dtype=float) if options else np.array(table, dtype=float)[:, 0]
