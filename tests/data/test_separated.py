"""Separated text as it is found: separators, encodings, line ends, Excel's first line."""

import codecs
import gzip

import pytest

from fruler.data import read_table
from fruler.data._file_content import ReadOptions
from fruler.data._separated import read_separated

TABLE = "size;price\n3,14;2\n2,5;4\n"


@pytest.fixture
def read(tmp_path):
    def run(content, name="t.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)

    return run


def values(table):
    return {name: table.data[name].tolist() for name in table.data.columns}


@pytest.mark.parametrize(
    ("separator", "note"),
    [(",", []), (";", ['separated by ";"']), ("\t", ["separated by tabs"]), ("|", ['separated by "|"'])],
)
def test_the_separator_is_recognised_and_said(read, separator, note):
    table = read(f"a{separator}b c{separator}d\n1{separator}x y{separator}2.5\n3{separator}z{separator}4\n")
    assert values(table) == {"a": [1, 3], "b c": ["x y", "z"], "d": [2.5, 4.0]}
    assert table.notes == note


def test_a_separator_that_is_given_is_taken_and_not_said(read):
    assert read("a;b|c\n1;2|3\n", sep="|").feature_names == ["a;b", "c"]
    assert read("a;b|c\n1;2|3\n", sep=";").feature_names == ["a", "b|c"]
    assert read("a:b\n1:2\n", sep=":").feature_names == ["a", "b"]
    for name in ("tab", "\\t", "\t"):
        table = read("a,x\tb\n1\t2\n", sep=name)
        assert (table.feature_names, table.notes) == (["a,x", "b"], [])
    assert read("a,b\tc\n1\t2\n", "t.tsv").feature_names == ["a,b", "c"]


@pytest.mark.parametrize("sep", ["ab", "", "x", "1", '"', "\n", "."])
def test_what_cannot_separate_is_refused(read, sep):
    with pytest.raises(ValueError, match=r"^sep=.* is not one character such as , ; \| or the word tab$"):
        read("a,b\n1,2\n", sep=sep)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(codecs.BOM_UTF8 + TABLE.encode(), id="UTF-8 with mark"),
        pytest.param(codecs.BOM_UTF16_LE + TABLE.encode("utf-16-le"), id="UTF-16 LE"),
        pytest.param(codecs.BOM_UTF16_BE + TABLE.encode("utf-16-be"), id="UTF-16 BE"),
        pytest.param(TABLE.replace("\n", "\r\n").encode(), id="Windows"),
        pytest.param(TABLE.replace("\n", "\r").encode(), id="old Mac"),
        pytest.param(("sep=;\r\n" + TABLE).encode(), id="Excel's line"),
        pytest.param(codecs.BOM_UTF8 + ('"sep=;"\n' + TABLE).encode(), id="Excel's line in quotes"),
        pytest.param(codecs.BOM_UTF16_LE + ("sep=;\r\n" + TABLE).encode("utf-16-le"), id="Excel's line in UTF-16"),
        pytest.param(gzip.compress(codecs.BOM_UTF16_LE + TABLE.encode("utf-16-le")), id="gzip"),
    ],
)
def test_encodings_and_line_ends(read, raw):
    assert values(read(raw)) == {"size": [3.14, 2.5], "price": [2, 4]}


def test_excel_s_line_names_the_separator_and_counts_as_a_line(read):
    assert read("sep=|\na;b|c\n1;2|3\n").feature_names == ["a;b", "c"]
    assert read("sep=|\na;b|c\n1;2|3\n", sep=";").feature_names == ["a", "b|c"]
    with pytest.raises(ValueError, match="line 4: 1 values for 2 columns"):
        read("sep=;\na;b\n1;2\n3\n")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            "a,b\n1,ü\n".encode("latin-1"),
            r"line 2: byte 0xfc is not UTF-8 text; save the file with UTF-8.* iconv -f WIN",
        ),
        ("a,b\n1,2\n".encode("utf-16-le"), "line 1: holds a NUL character; save the file as plain UTF-8 text"),
        (codecs.BOM_UTF16_LE + b"a\0,\0b", "line 1: the UTF-16 text is damaged or cut off; save the file with UTF-8"),
    ],
)
def test_other_encodings_are_refused_with_what_to_do(read, raw, message):
    with pytest.raises(ValueError, match=f"^t.csv, {message}") as caught:
        read(raw)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("b\x1b[31m", r"'b\\x1b\[31m'"),
        ("b\x9b2J", r"'b\\x9b2J'"),
        ("b\u202eecirp", r"'b\\u202eecirp'"),
        ('"b\nc"', r"'b\\nc'"),
        ("b\x07", r"'b\\x07'"),
        ("b\u200bc", r"'b\\u200bc'"),
    ],
)
def test_names_that_a_terminal_would_obey_are_refused_and_shown_escaped(read, name, shown):
    with pytest.raises(
        ValueError, match=f"^t.csv, line 1: the column name {shown} holds an unprintable character; ren"
    ):
        read(f"a,{name}\n1,2\n")


def test_names_in_all_scripts_are_kept(read):
    names = ["größe (m²)", "价格", "می\u200cخواهم", "naïve\u00a0rate", "👩\u200d🔬"]
    assert read(f"{','.join(names)}\n1,2,3,4,5\n").feature_names == names


def test_missing_values_that_the_user_names(read):
    text = "a,b,c\n1,-,x\n-999,2.5,none\n3,4,y\n"
    table = read(text, na_values=["-", -999, "none"])
    assert table.data.isna().sum().to_dict() == {"a": 1, "b": 1, "c": 1}
    assert table.data.dtypes.astype(str).to_dict() | {"c": ""} == {"a": "float64", "b": "float64", "c": ""}
    assert read(text, na_values="-").data["b"].isna().sum() == 1
    assert read("a;b\n1,5;2\n-;3\n2,5;4\n", na_values="-").data["a"].tolist()[::2] == [1.5, 2.5]
    # The usual marks still count.
    assert read("a,b\nNA,1\n?,-\n2,3\n", na_values="-").data.isna().sum().to_dict() == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("t.csv", {"sheet": "one"}, r"^t.csv: sheet='one' does not apply to files of this format; leave it out$"),
        ("t.arff", {"decimal": ","}, r"^t.arff: decimal=',' does not apply to files"),
        ("t.dat", {"na_values": "-"}, r"^t.dat: na_values='-' does not apply"),
        ("t.jsonl", {"sep": ";"}, r"^t.jsonl: sep=';' does not apply"),
        ("t.csv", {"decimal": ";"}, r"^decimal=';' is neither a point nor a comma$"),
        ("t.csv", {"thousands": "_"}, r"^thousands='_' is not a comma, "),
        ("t.csv", {"decimal": ",", "thousands": ","}, r"^decimal=',' and thousands=',' are the same; leave one"),
    ],
)
def test_options_that_make_no_sense(read, name, options, message):
    with pytest.raises(ValueError, match=message):
        read("a,b\n1,2\n", name, **options)


@pytest.mark.parametrize(
    ("text", "options", "advice"),
    [
        ("a;b;y\n1;2;3\n", {"sep": ","}, "separated by ';'; if so, set sep=';'"),
        ("a b y\n1 2 3\n4 5 6\n", {}, "separated by blanks; if so, set sep=' '"),
        ("a:b\n1:2\n", {}, "separated by ':'"),
        ("a\tb\n1\t2\n", {"sep": ","}, "separated by tabs; if so, set sep='tab'"),
    ],
)
def test_a_wrong_separator_is_named(text, options, advice):
    with pytest.raises(ValueError, match=r"t\.csv: there is a single column") as caught:
        read_separated(text, "t.csv", ReadOptions(**options))
    assert advice in str(caught.value)


@pytest.mark.parametrize("text", ["full name\nAnna Smith\nBob Jones\n", "size\n1\n2\n", "a:b\n12:30\n1\n"])
def test_one_column_may_be_meant(text):
    understood, _ = read_separated(text, "t.csv", ReadOptions())
    assert understood.frame.shape[1] == 1


def test_two_quotes_are_a_gap_in_a_table_of_one_column(read):
    table = read('a\n1\n""\n\n3\n')
    assert table.data["a"].isna().tolist() == [False, True, False]
    assert table.data["a"].dropna().tolist() == [1.0, 3.0]
