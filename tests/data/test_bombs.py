"""Small files that unpack to large ones are refused before they do."""

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest

from fruler.data import read_table

MOST = 150_000_000


def read(raw, kind):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"unpacks to more than 200 times its .* bytes, as no table does"):
            read_table(io.BytesIO(raw), format=kind)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_gzip():
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6) as file:
        for _ in range(200):
            file.write(b"0" * 1_000_000)
    assert read(raw.getvalue(), "csv") < MOST


def test_excel():
    book = io.BytesIO()
    pd.DataFrame({"a": [1.0, 2.0]}).to_excel(book, index=False)
    with zipfile.ZipFile(book, "a", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/more.xml", b" " * 100_000_000)
    assert read(book.getvalue(), "xlsx") < MOST


def test_parquet():
    raw = io.BytesIO()
    pd.DataFrame({name: np.zeros(3_000_000) for name in "abcd"}).to_parquet(raw)
    assert len(raw.getvalue()) < 100_000
    assert read(raw.getvalue(), "parquet") < MOST


def test_tables_that_shrink_as_tables_do_are_read():
    text = "a,b\n" + "0,1\n" * 300_000
    assert len(read_table(io.BytesIO(gzip.compress(text.encode())), format="csv").data) == 300_000
