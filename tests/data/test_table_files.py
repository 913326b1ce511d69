import gzip
import io
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from fruler.data import _file_content as file_content
from fruler.data import read_table

TABLE = "size,colour,price\n1.5,red,2\n,green,4.25\n3.5,,6\n"
KEEL = "@relation r\n@attribute a real\n@attribute k {u, v}\n@attribute y real\n@data\n1, v, 2\n?, u, 4\n"


def read(text, format="csv", **options):
    return read_table(io.BytesIO(text.encode() if isinstance(text, str) else text), format=format, **options)


def check_table(table):
    assert table.feature_names == ["size", "colour"]
    assert list(table.data.columns) == ["size", "colour"]
    np.testing.assert_array_equal(table.data["size"], [1.5, np.nan, 3.5])
    assert table.data["colour"].tolist()[:2] == ["red", "green"]
    assert table.data["colour"].isna().tolist() == [False, False, True]
    assert table.target.tolist() == [2, 4.25, 6]
    assert table.target.dtype == np.float64
    assert table.target.name == table.target_name == "price"


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize(
    ("suffix", "separator"),
    [(".csv", ","), (".CSV", ";"), (".csv", "\t"), (".txt", ","), (".txt", "\t"), (".tsv", "\t")],
)
def test_separated_text_by_suffix(tmp_path, suffix, separator, compress):
    raw = TABLE.replace(",", separator).encode()
    path = tmp_path / ("t" + suffix + (".gz" if compress else ""))
    path.write_bytes(gzip.compress(raw) if compress else raw)
    check_table(read_table(path, target="price"))
    check_table(read_table(str(path), target="price"))
    with path.open("rb") as file:
        check_table(read_table(file, target="price"))


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(TABLE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\ufeff" + TABLE, id="byte order mark"),
        pytest.param(TABLE.rstrip("\n"), id="no trailing newline"),
        pytest.param("\n" + TABLE.replace("\n", "\n\n"), id="blank lines"),
        pytest.param(TABLE.replace("\n", "\n  \n"), id="lines of blanks"),
        pytest.param(TABLE.replace(",", ", "), id="blanks after commas"),
        pytest.param(TABLE.replace("price", '"price"').replace("red", '"red"'), id="quotes"),
        pytest.param(TABLE.replace("\n,green", "\n?,green"), id="question mark"),
        pytest.param(TABLE.replace("\n,green", "\nNA,green"), id="NA"),
    ],
)
def test_variants_of_writing_mean_the_same(variant):
    check_table(read(variant, target="price"))


def test_without_a_target_all_columns_are_inputs():
    table = read(TABLE)
    assert (table.target, table.target_name) == (None, None)
    assert table.feature_names == list(table.data.columns) == ["size", "colour", "price"]


def test_a_quoted_separator_or_newline_belongs_to_the_value():
    table = read('a;"b, ""c"""\n1;"x\ny"\n2;"u;v"\n', target="a")
    assert table.feature_names == ['b, "c"']
    assert table.data.iloc[:, 0].tolist() == ["x\ny", "u;v"]


def test_the_separator_is_the_one_that_parts_the_rows():
    assert read("income, in USD;age\n1000;20\n2000;30\n").feature_names == ["income, in USD", "age"]
    assert read("only\n1\n2\n").feature_names == ["only"]


def test_numbers_are_read_to_the_last_bit():
    numbers = np.random.default_rng(0).standard_normal(1000)
    table = read("x,y\n" + "".join(f"{x!r},{x!r}\n" for x in numbers.tolist()), target="y")
    np.testing.assert_array_equal(table.data["x"], numbers)
    np.testing.assert_array_equal(table.target, numbers)


def test_column_numbers_may_be_names():
    assert read("0,1,2\n5,6,7\n", target="2").feature_names == ["0", "1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the input: the file is empty; it needs a header line and rows"),
        ("\n \n", "the file is empty"),
        ("a,b\n", "there is a header but no row; add at least one"),
        ("a,b,a\n1,2,3\n", "line 1: the column names 'a' occur twice; rename"),
        ("a,,c\n1,2,3\n", "line 1: column 2 has no name; name it, or remove it"),
        (",a,b\n0,1,2\n", "line 1: column 1 has no name"),
        ("1.5,2\n3,4\n", "line 1: expected column names, found only numbers; add a header line"),
        ("a,b,c\n1,2,3\n4,5\n", "line 3: 2 values for 3 columns; correct the row"),
        ("a,b,c\n1,2,3\n\n4,5,6,7\n", "line 4: 4 values for 3 columns"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2: 3 values for 2 columns"),
        ('a,b\n"x\ny",1\n2\n', "line 4: 1 values for 2 columns"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3: .*quotes"),
        ("a,b\n1,2\n3,ö\n".encode("latin-1"), "line 3: byte 0xf6 is not UTF-8 text; save the file with UTF-8"),
        ("a,b\n1,\0\n", "line 2: holds a NUL character"),
        (b"\x1f\x8b\x08damaged", "the gzip data are damaged"),
        ("a,b\n1," + "x" * 200_000 + "\n", "line 2: cannot read the row .*field limit"),
    ],
)
def test_malformed_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "line 3, column 'y': the target is missing; fill it in or remove the row"),
        ("?", "line 3, column 'y': the target is missing"),
        ("high", "line 3, column 'y': the target 'high' is not a number; correct it, remove the row or choose"),
        ('"1,5 m"', "line 3, column 'y': the target '1,5 m' is not a number; correct it"),
        ("-inf", "line 3, column 'y': the target '-inf' is not finite"),
        ("2024-01-01", "line 3, column 'y': the target '2024-01-01' is not a number"),
    ],
)
def test_a_bad_target_is_named_by_its_line(value, message):
    with pytest.raises(ValueError, match=message):
        read(f"x,y\n1,2\n2,{value}\n", target="y")


def test_a_target_of_truth_values_is_refused():
    with pytest.raises(ValueError, match="line 2, column 'y': the target 'True' is not a number"):
        read("x,y\n1,True\n2,False\n", target="y")


def test_an_unknown_target_brings_suggestions():
    with pytest.raises(
        ValueError,
        match=r"^the input has no column 'Prise'; did you mean 'price'\? The names are 'size', 'colour', 'price'$",
    ):
        read(TABLE, target="Prise")
    with pytest.raises(ValueError, match=r"no column 'zzz'; the names are 'size', 'colour', 'price'$"):
        read(TABLE, target="zzz")
    many = ",".join(f"column{j}" for j in range(50))
    with pytest.raises(ValueError, match=r"'column29' and 20 more$"):
        read(f"{many}\n{many}\n", target="zzz")


def test_a_target_alone_is_not_a_table():
    with pytest.raises(ValueError, match="has no input column besides the target; add at least one"):
        read("y\n1\n2\n", target="y")


def test_a_keel_file_uses_its_declared_output(tmp_path):
    path = tmp_path / "r.dat"
    path.write_text(KEEL)
    for table in (read_table(path), read(KEEL, "keel"), read(KEEL, "dat", target="y")):
        assert (table.feature_names, table.target_name) == (["a", "k"], "y")
        assert table.target.tolist() == [2, 4]
        assert table.data["k"].tolist() == ["v", "u"]
        assert table.data["k"].cat.categories.tolist() == ["u", "v"]
        assert table.data["a"].isna().tolist() == [False, True]


def test_a_keel_file_with_another_target():
    swapped = read(KEEL.replace("?", "3"), "keel", target="a")
    assert (swapped.feature_names, swapped.target.tolist()) == (["k"], [1, 3])
    with pytest.raises(ValueError, match=r"has no column 'b'; .*the names are 'a', 'k', 'y'"):
        read(KEEL, "keel", target="b")
    aside = KEEL.replace("@data", "@inputs k\n@outputs y\n@data").replace("?", "3")
    assert read(aside, "keel", target="a").feature_names == ["k"]
    two = KEEL.replace("@data", "@outputs a, y\n@data")
    with pytest.raises(ValueError, match="several outputs; choose one, as in target='a': 'a', 'y'"):
        read(two, "keel")
    assert read(two, "keel", target="y").feature_names == ["k"]


def test_a_keel_file_without_answers_has_no_target():
    table = read(KEEL.replace(" 2\n", " ?\n").replace(" 4\n", " ?\n"), "keel")
    assert (table.target, table.target_name, table.feature_names) == (None, "y", ["a", "k"])
    with pytest.raises(ValueError, match="line 7, column 'y': the target is missing"):
        read(KEEL.replace(" 4\n", " ?\n"), "keel")
    with pytest.raises(ValueError, match="line 6, column 'y': the target is missing"):
        read(KEEL.replace(" 2\n", " ?\n").replace(" 4\n", " ?\n"), "keel", target="y")


def test_an_arff_file_has_no_output_of_its_own(tmp_path):
    path = tmp_path / "r.arff"
    path.write_text(KEEL)
    table = read_table(path)
    assert (table.target, table.feature_names) == (None, ["a", "k", "y"])
    table = read_table(path, target="y")
    assert (table.target.tolist(), table.feature_names) == ([2, 4], ["a", "k"])
    with pytest.raises(ValueError, match=r"r\.arff, line 6, column 'k': the target 'v' is not a number"):
        read_table(path, target="k")


class TestParquet:
    @pytest.fixture(autouse=True)
    def _needs_pyarrow(self):
        pytest.importorskip("pyarrow")

    @pytest.mark.parametrize("suffix", [".parquet", ".pq"])
    def test_round_trip(self, tmp_path, suffix):
        path = tmp_path / ("t" + suffix)
        frame = pd.read_csv(io.StringIO(TABLE))
        frame.to_parquet(path)
        check_table(read_table(path, target="price"))
        check_table(read(path.read_bytes(), "parquet", target="price"))

    def test_index_and_nullable_numbers_do_not_survive(self, tmp_path):
        frame = pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "y": [1.0, 2.0]}, index=[7, 9])
        frame.to_parquet(tmp_path / "t.parquet")
        table = read_table(tmp_path / "t.parquet", target="y")
        assert table.data["x"].dtype == np.float64
        np.testing.assert_array_equal(table.data["x"], [1, np.nan])
        assert table.data.index.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ([1.0, None], "t.parquet, row 2, column 'y': the target is missing"),
            (["1", "b"], "row 2, column 'y': the target 'b' is not a number"),
            (pd.to_datetime(["2024-01-01", "2024-01-02"]), "row 1, column 'y': the target '2024-01-01 .* not a number"),
            ([True, False], "row 1, column 'y': the target 'True' is not a number"),
        ],
    )
    def test_a_bad_target_is_named_by_its_row(self, tmp_path, values, message):
        pd.DataFrame({"x": [1, 2], "y": values}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(ValueError, match=message):
            read_table(tmp_path / "t.parquet", target="y")

    def test_damaged_or_empty_files_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match=r"cannot read it as Parquet .*make the file again"):
            read(b"PAR1 nothing of the kind", "parquet")
        with pytest.raises(ValueError, match="cannot read it as Parquet"):
            read(b"", "parquet")
        pd.DataFrame({"x": []}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(ValueError, match="the table is empty; it needs columns and rows"):
            read_table(tmp_path / "t.parquet")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'need pyarrow; run: pip install "pyarrow>=.* fruler\[parquet\]'):
        read(b"PAR1", "parquet")


def test_sources_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no file '.*none\.csv'; check the path$"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match=r"^there is no file '.*none'; check the path$"):
        read_table(tmp_path / "none")
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(FileNotFoundError, match=r"^there is no file "):
        read_table(tmp_path / "t.csv" / "inside.csv")
    with pytest.raises(ValueError, match="is a folder; give the path of a file in it"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match="the input gives text; open it in binary mode"):
        read_table(io.StringIO(TABLE), format="csv")
    with pytest.raises(ValueError, match="expected a path or a binary file object, got int"):
        read_table(3, format="csv")


def test_the_format_must_be_known(tmp_path):
    (tmp_path / "t.xls").write_text("")
    with pytest.raises(ValueError, match=r"cannot tell the format of t\.xls; .* as in format='csv': one of csv, tsv"):
        read_table(tmp_path / "t.xls")
    with pytest.raises(ValueError, match="cannot tell the format of the input"):
        read_table(io.BytesIO(b"a\n1\n"))
    with pytest.raises(ValueError, match="unknown format 'excel'; known are csv"):
        read_table(tmp_path / "t.xls", format="excel")
    (tmp_path / "table").write_text(TABLE)
    check_table(read_table(tmp_path / "table", format=".CSV", target="price"))


CELL = st.one_of(
    st.binary(max_size=4), st.sampled_from([b'"', b",", b";", b"\t", b"\n", b"\r", b'""', b"\0", b" ", b"1e5"])
)


@examples(3)
@given(st.lists(st.tuples(st.integers(0, len(TABLE)), st.integers(0, 5), CELL), min_size=1, max_size=4))
def test_a_damaged_file_gives_a_value_error_or_a_valid_result(mutations):
    raw = TABLE.encode()
    for position, removed, new in mutations:
        raw = raw[:position] + new + raw[position + removed :]
    try:
        table = read(raw)
    except ValueError as error:
        message = str(error)
    else:
        assert list(table.data.columns) == table.feature_names
        assert len(set(table.feature_names)) == len(table.feature_names)
        assert all(table.feature_names)
        assert len(table.data) >= 1
        return
    assert message.startswith("the input")
    assert "\n" not in message


class Endless(io.RawIOBase):
    """A file without an end, such as /dev/zero or /dev/urandom."""

    name = "endless"

    def __init__(self, part):
        self.part, self.n_read = part, 0

    def read(self, size=-1):
        assert size > 0, "all of it is asked for at once"
        self.n_read += size
        return (self.part * size)[:size]


def test_a_file_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr(file_content, "MAX_BYTES", 2**26)
    for part, message in [
        (b"\0", "endless begins with a NUL byte, as no table does"),
        (b"ab", "endless has more than"),
    ]:
        endless = Endless(part)
        with pytest.raises(ValueError, match=message):
            read_table(endless, format="csv")
        assert endless.n_read <= 2**27


def test_gzip_data_that_unpack_to_too_much_are_refused(monkeypatch):
    monkeypatch.setattr(file_content, "MAX_BYTES", 2**20)
    with pytest.raises(ValueError, match="the input has more than"):
        read_table(io.BytesIO(gzip.compress(b"a" * 2**25)), format="csv")


def test_long_values_and_names_are_not_repeated_at_length():
    for raw in (f"a,y\n1,{'b' * 9_000}\n", f"{'b' * 9_000},y\n1,2\n"):
        with pytest.raises(ValueError, match=r"b'?\.\.\.") as caught:
            read_table(io.BytesIO(raw.encode()), format="csv", target="y" if raw.startswith("a") else "z")
        assert len(str(caught.value)) < 400
