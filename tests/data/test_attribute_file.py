import math
import re

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from fruler.data import _attribute_file as attribute_file
from fruler.data._attribute_file import Attribute, AttributeFile, parse_attribute_file, read_attribute_file
from fruler.data._file_content import read_csv_exactly

SMALL = """@relation small
@attribute size real [0.0, 9.5]
@attribute count integer[1,3]
@attribute colour {red, green, dark blue}
@attribute price real[0,100]
@inputs size, count, colour
@outputs price
@data
1.5, 1, red, 10
2.5, 2, dark blue, 7.0E-4
?, 3, green, 30
"""


def parse(text: str | bytes, name: str = "small.dat") -> AttributeFile:
    return parse_attribute_file(text.encode() if isinstance(text, str) else text, name)


def with_header(*lines: str, rows: str = "1,2,3\n4,5,6\n") -> str:
    return "\n".join(["@relation r", *lines, "@data", rows])


ABC = ("@attribute a real", "@attribute b real", "@attribute c real")


def test_a_keel_file_in_full():
    parsed = parse(SMALL)
    assert parsed.attributes == (
        Attribute("size"),
        Attribute("count"),
        Attribute("colour", ("red", "green", "dark blue")),
        Attribute("price"),
    )
    assert parsed.inputs == ("size", "count", "colour")
    assert parsed.outputs == ("price",)
    np.testing.assert_array_equal(parsed.frame["size"], [1.5, 2.5, np.nan])
    np.testing.assert_array_equal(parsed.frame["price"], [10, 7e-4, 30])
    assert parsed.frame["colour"].tolist() == ["red", "dark blue", "green"]
    assert parsed.frame["colour"].cat.categories.tolist() == ["red", "green", "dark blue"]
    assert parsed.frame.dtypes.drop("colour").eq(np.float64).all()
    assert parsed.places.numbers.tolist() == [9, 10, 11]


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(SMALL.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(SMALL.replace("\n", "\r"), id="CR"),
        pytest.param("\ufeff" + SMALL, id="byte order mark"),
        pytest.param(SMALL.rstrip("\n"), id="no trailing newline"),
        pytest.param(SMALL + "\n\n  \n", id="blank lines at the end"),
        pytest.param(SMALL.replace("\n", "\n\n% a comment, with 'quotes\n"), id="comments and blank lines"),
        pytest.param(SMALL.replace("\n", "  \n\t"), id="blanks around lines"),
        pytest.param(re.sub(r"@\w+", lambda m: m[0].upper(), SMALL), id="upper case keywords"),
        pytest.param(SMALL.replace("real", "REAL").replace("integer", "Integer"), id="upper case types"),
        pytest.param(SMALL.replace("@inputs", "@input").replace("@outputs", "@output"), id="singular roles"),
        pytest.param(SMALL.replace(", ", ","), id="no blanks after commas"),
        pytest.param(SMALL.replace(",", " , "), id="blanks before commas"),
        pytest.param(SMALL.replace("?", "<null>"), id="<null>"),
        pytest.param(SMALL.replace("?", "<NULL>"), id="<NULL>"),
        pytest.param(SMALL.replace("real [", "real["), id="no blank before brackets"),
        pytest.param(SMALL.replace("real[0,100]", "numeric  [ 0 , 1e2 ]  % in euro"), id="numeric, comment behind"),
        pytest.param(SMALL.replace("colour {", "colour{"), id="no blank before braces"),
        pytest.param(SMALL.replace("@inputs size, count, colour\n", ""), id="no @inputs"),
        pytest.param(SMALL.replace("@outputs price\n", ""), id="no @outputs"),
        pytest.param(SMALL.replace("size", "'size'").replace("count", '"count"'), id="quoted names"),
        pytest.param(SMALL.replace("small", "'small'"), id="quoted relation"),
        pytest.param(SMALL.replace("dark blue", "'dark blue'"), id="quoted category"),
        pytest.param(SMALL.replace("1.5,", "'1.5',"), id="quoted number"),
        pytest.param(SMALL.replace("@data", "@data % rows"), id="comment behind @data"),
    ],
)
def test_variants_of_writing_mean_the_same(variant):
    parsed, expected = parse(variant), parse(SMALL)
    assert parsed.attributes == expected.attributes
    assert (parsed.inputs, parsed.outputs) == (expected.inputs, expected.outputs)
    pd.testing.assert_frame_equal(parsed.frame, expected.frame)


def test_names_that_begin_with_digits_hold_dashes_or_blanks():
    parsed = parse(
        with_header(
            "@attribute 1Y-Rate real [3.02,20.76]",
            "@attribute 'a long, \\'odd\\' name' real",
            "@attribute größe[m²] real",
            "@inputs 1Y-Rate,'a long, \\'odd\\' name'",
            "@outputs größe[m²]",
        )
    )
    assert parsed.inputs == ("1Y-Rate", "a long, 'odd' name")
    assert parsed.outputs == ("größe[m²]",)
    assert parsed.frame["a long, 'odd' name"].tolist() == [2, 5]


def test_arff_with_quotes_and_escapes():
    parsed = parse(
        "% from elsewhere\n@RELATION 'two words'\n\n@ATTRIBUTE x NUMERIC\n"
        "@ATTRIBUTE who {'O\\'Brien', \"a, b\", '?', plain}\n@ATTRIBUTE y REAL\n@DATA\n"
        "1,'O\\'Brien',2\n.5,\"a, b\",-3.\n+1e-2, '?' ,?\n4,?,5\n"
    )
    assert parsed.attributes[1].categories == ("O'Brien", "a, b", "?", "plain")
    assert parsed.frame["who"].astype(object).tolist()[:3] == ["O'Brien", "a, b", "?"]
    assert parsed.frame["who"].isna().tolist() == [False, False, False, True]
    np.testing.assert_array_equal(parsed.frame["x"], [1, 0.5, 0.01, 4])
    np.testing.assert_array_equal(parsed.frame["y"], [2, -3, np.nan, 5])


def test_several_outputs_and_attributes_without_a_role():
    parsed = parse(with_header(*ABC, "@outputs b, c"))
    assert (parsed.inputs, parsed.outputs) == (("a",), ("b", "c"))
    parsed = parse(with_header(*ABC, "@inputs b", "@outputs c"))
    assert (parsed.inputs, parsed.outputs) == (("b",), ("c",))
    assert list(parsed.frame.columns) == ["a", "b", "c"]


def test_columns_may_be_missing_altogether():
    parsed = parse(
        with_header("@attribute a real", "@attribute k {u, nan}", "@attribute y real", rows="?,?,1\n?,?,2\n")
    )
    assert parsed.frame.isna().to_numpy().tolist() == [[True, True, False]] * 2
    assert parsed.frame["k"].cat.categories.tolist() == ["u", "nan"]


def test_values_outside_the_declared_range_and_fractions_in_integers_are_kept():
    parsed = parse(with_header("@attribute a integer [0, 1]", "@attribute b real [0, 1]", rows="7.5,9\n"))
    assert parsed.frame.iloc[0].tolist() == [7.5, 9.0]


def test_numbers_are_read_to_the_last_bit():
    numbers = ["0.1", "2.2250738585072014e-308", "123456789.123456789", "0.30000000000000004", "1.7976931348623157E308"]
    parsed = parse(with_header("@attribute a real", rows="\n".join(numbers)))
    assert parsed.frame["a"].tolist() == [float(number) for number in numbers]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "small.dat: the file is empty; .*@relation"),
        (" \n\n", "the file is empty"),
        ("1,2,3\n", r"line 1: expected a header line such as '@attribute', found '1,2,3'; .*@data"),
        (with_header("@attribute"), r"line 2: cannot read the attribute ''; write '@attribute name type'"),
        (with_header("@attribute a"), "line 2: attribute 'a' has no type; add 'real'"),
        (with_header("@attribute a % real"), "line 2: attribute 'a' has no type"),
        (with_header("@attribute '' real"), "line 2: the attribute has an empty name"),
        (with_header("@attribute 'a real"), "line 2: cannot read the attribute"),
        (with_header("@attribute a float"), "line 2: attribute 'a': unknown type 'float'; use 'real'"),
        (with_header("@attribute a real x"), "line 2: attribute 'a': cannot read the range in 'real x'"),
        (with_header("@attribute a real[0,1"), r"line 2: attribute 'a': cannot read the range in 'real\[0,1'"),
        (with_header("@attribute a real 0,1]"), "cannot read the range"),
        (with_header("@attribute a real[0 1]"), "cannot read the range"),
        (with_header("@attribute a real[0,1,2]"), "cannot read the range"),
        (with_header("@attribute a real[low,high]"), "needs two ascending numbers"),
        (with_header("@attribute a real[2,1]"), "needs two ascending numbers"),
        (with_header("@attribute a real[0,1e999]"), "needs two ascending numbers"),
        (with_header("@attribute a {x, y"), "line 2: attribute 'a': cannot read the categories"),
        (with_header("@attribute a {'x, y}"), "line 2: attribute 'a': cannot read the categories"),
        (with_header("@attribute a {}"), "line 2: attribute 'a' has an empty category"),
        (with_header("@attribute a {x,,y}"), "line 2: attribute 'a' has an empty category"),
        (with_header("@attribute a {x, x}"), "line 2: attribute 'a' declares a category twice"),
        (with_header("@attribute a string"), "line 2: attribute 'a': the type 'string' is not supported; remove"),
        (with_header("@attribute a DATE 'yyyy-MM-dd'"), "the type 'date' is not supported"),
        (with_header("@attribute a relational"), "the type 'relational' is not supported"),
        (with_header("@attribute a real", "@attribute a real"), "line 3: the attribute 'a' is already .* line 2; keep"),
        (with_header("@relation s", *ABC), "line 2: @relation is already declared in line 1"),
        (with_header(*ABC, "@inputs a", "@input b"), "line 6: @inputs is already declared in line 5"),
        (with_header(*ABC, "@inputs a, bb"), "line 5: @inputs names 'bb', which is not an @attribute; did you mean"),
        (with_header(*ABC, "@outputs price"), "line 5: @outputs names 'price', .* names are 'a', 'b', 'c'"),
        (with_header(*ABC, "@inputs"), "line 5: cannot read the list of names ''"),
        (with_header(*ABC, "@inputs a,,b"), "line 5: cannot read the list of names 'a,,b'"),
        (with_header(*ABC, "@inputs 'a, b"), "line 5: cannot read the list of names"),
        (with_header(*ABC, "@inputs a, a"), "line 5: the list names an attribute twice"),
        (with_header(*ABC, "@inputs a, c"), "line 5: 'c' is both an input and an output"),
        (with_header(*ABC, "@inputs a, b", "@outputs b"), "line 5: 'b' is both an input and an output"),
        (with_header("@attributes a real"), "line 2: unknown keyword '@attributes'; known are @relation"),
        (with_header("@ attribute a real"), "line 2: expected a header line"),
        (with_header(), "line 2: there is no '@attribute' line before '@data'"),
        ("@relation r\n@attribute a real\n", "small.dat: there is no '@data' line; the file may be cut off"),
        ("@relation r\n@attribute a real\n1.5\n", "line 3: expected a header line such as '@attribute', found '1.5'"),
        ("@attribute a real\n@data 1.5\n2.5\n", "line 2: unexpected '1.5' after '@data'"),
        (with_header(*ABC, rows=""), "there are no rows after '@data'; add at least one"),
        (with_header(*ABC, rows="% nothing\n\n"), "there are no rows"),
        (with_header(*ABC, rows="1,2,3\n4,5\n6,7,8\n"), "line 7: 2 values for 3 attributes, nothing for 'c'; complete"),
        (with_header(*ABC, rows="1,2,3\n4\n"), "line 7: 1 values .* for 'b', 'c'; the file may be cut off; complete"),
        (
            with_header("@attribute a real", "@attribute k {u, v}", rows="1,u\n2\n"),
            "line 6: 1 values .* nothing for 'k'",
        ),
        (with_header(*ABC, rows="1,2,3\n4,5,"), "line 7, column 'c': the value is empty; correct .* with '\\?'"),
        (with_header(*ABC, rows="1,,3\n"), "line 6, column 'b': the value is empty"),
        (with_header(*ABC, rows="1,2,3,4\n"), "line 6: 4 values for 3 attributes; remove"),
        (with_header(*ABC, rows="1 2 3\n"), "line 6: 1 values for 3 attributes"),
        (with_header(*ABC, rows="{0 1, 2 3}\n"), "line 6: sparse rows .* are not supported; write every value"),
        (with_header(*ABC, rows="1,'2,3\n"), "line 6: a quote in .* is not closed"),
        (with_header(*ABC, rows="1,'2'x,3\n"), "line 6: a quote in .* has text after it"),
        (
            with_header(*ABC, rows="1,2,3\n1,x,3\n"),
            "line 7, column 'b': 'x' is not a number; correct the value or mark",
        ),
        (with_header(*ABC, rows="1,2,nan\n"), "line 6, column 'c': 'nan' is not a number"),
        (with_header(*ABC, rows="1,-inf,3\n"), "line 6, column 'b': '-inf' is not a finite number"),
        (with_header(*ABC, rows="1,1e999,3\n"), "line 6, column 'b': '1e999' is not a finite number"),
        (with_header(*ABC, rows="1,1_000,3\n"), "line 6, column 'b': '1_000' is not a number"),
        (with_header(*ABC, rows="1,0x10,3\n"), "line 6, column 'b': '0x10' is not a number"),
        (with_header(*ABC, rows="1,٣,3\n"), "line 6, column 'b': '٣' is not a number"),
        (with_header(*ABC, rows="1,2 % two,3\n"), "line 6, column 'b': '2 % two' is not a number"),
        (with_header(*ABC, rows="1,2,'?'\n"), r"line 6, column 'c': '\?' is not a number"),
        (SMALL.replace("green, 30", "Green, 30"), "line 11, column 'colour': 'Green' is not among .* 'red', 'green'"),
        (SMALL.replace("green, 30", ", 30"), "line 11, column 'colour': the value is empty"),
        (with_header(*ABC, rows="1,2\0,3\n"), "line 6: holds a NUL character"),
    ],
)
def test_malformed_files_are_refused_with_place_and_remedy(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        parse(text)
    assert str(caught.value).startswith("small.dat")
    assert "\n" not in str(caught.value)


def test_the_message_of_a_wrong_value_in_full():
    message = "dee.dat, line 9, column 'size': 'abc' is not a number; correct the value or mark it as missing with '?'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse(SMALL.replace("1.5, 1", "abc, 1"), "dee.dat")


@pytest.mark.parametrize(("old", "line"), [("@data", 8), ("@relation small", 1)])
def test_bytes_that_are_not_utf_8_are_named_by_their_line(old, line):
    raw = SMALL.replace(old, old + "\n% Größe" if old == "@data" else "% Größe").encode("latin-1")
    with pytest.raises(ValueError, match=f"line {line + (old == '@data')}: byte 0xf6 is not UTF-8 text; save the file"):
        parse(raw)


def test_utf_16_with_a_byte_order_mark_is_read():
    assert parse(SMALL.encode("utf-16")).frame.equals(parse(SMALL).frame)


def test_reading_from_a_path(tmp_path):
    path = tmp_path / "small.dat"
    path.write_text(SMALL)
    pd.testing.assert_frame_equal(read_attribute_file(path).frame, parse(SMALL).frame)
    with pytest.raises(FileNotFoundError, match=r"^there is no file '.*none\.dat'; check the path$"):
        read_attribute_file(tmp_path / "none.dat")
    with pytest.raises(ValueError, match="is a folder; give the path of a file in it"):
        read_attribute_file(tmp_path)


def test_plain_and_missing_values_take_the_fast_path(monkeypatch):
    def refuse(*_):
        raise AssertionError("rows were read one by one")

    monkeypatch.setattr(attribute_file, "_read_rows_one_by_one", refuse)
    parse(SMALL)
    parse(SMALL.replace("?", "<null>").replace("green, 30", "?, 30"))


@pytest.mark.parametrize("row", ["1,nan,u", "1,,u", "NA,2,u", "1,2,", "1,2,NA", "1,2", "1"])
def test_the_fast_path_does_not_lean_on_a_strict_reader(monkeypatch, row):
    def lenient_reader(text, **options):
        return read_csv_exactly(text, **(options | {"keep_default_na": True}))

    monkeypatch.setattr(attribute_file, "read_csv_exactly", lenient_reader)
    header = ("@attribute a real", "@attribute b real", "@attribute k {u, v}")
    with pytest.raises(ValueError, match=r"small\.dat, line 6"):
        parse(with_header(*header, rows=f"1,2,v\n{row}\n3,4,v\n").replace("@relation r\n", ""))


CELL = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-10, 10).map(str),
    st.sampled_from(["?", "<null>", " 1.5 ", "1E3", "", "x", "1.", ".5", "nan", "inf", "1e999", "1 2", "\t3", "--1"]),
)


@given(
    st.lists(
        st.tuples(CELL, CELL, st.sampled_from(["red", "green", "?", " red", "Red", ""])).map(",".join),
        min_size=1,
        max_size=4,
    )
)
def test_the_fast_path_agrees_with_the_reading_value_by_value(rows):
    attributes = [
        Attribute("a"),
        Attribute("b"),
        Attribute("c", ("red", "green")),
    ]
    rows = [row.strip() for row in rows]
    fast = attribute_file._read_plain_rows(rows, attributes)
    places = attribute_file.RowPlaces("t", "line", np.arange(len(rows)))
    try:
        slow = attribute_file._read_rows_one_by_one(rows, attributes, places)
    except ValueError:
        assert fast is None
        return
    if fast is not None:
        for column, expected in zip(fast, slow, strict=True):
            pd.testing.assert_series_equal(pd.Series(column), pd.Series(expected))


MUTATION = st.tuples(
    st.sampled_from(["delete", "insert", "replace", "truncate"]),
    st.integers(0, len(SMALL)),
    st.one_of(
        st.binary(min_size=1, max_size=3), st.sampled_from(list(b",'\"{}[]@%?\n\r\\ \0-e")).map(lambda b: bytes([b]))
    ),
)


@examples(5)
@given(st.lists(MUTATION, min_size=1, max_size=4))
def test_a_damaged_file_gives_a_value_error_or_a_valid_result(mutations):
    raw = SMALL.encode()
    for kind, position, new in mutations:
        removed = {"delete": len(new), "insert": 0, "replace": len(new), "truncate": len(raw)}[kind]
        raw = raw[:position] + (new if kind in ("insert", "replace") else b"") + raw[position + removed :]
    try:
        parsed = parse(raw)
    except ValueError as error:
        message = str(error)
    else:
        check_valid(parsed)
        return
    assert message.startswith("small.dat")
    assert "\n" not in message


def check_valid(parsed: AttributeFile) -> None:
    names = [attribute.name for attribute in parsed.attributes]
    assert list(parsed.frame.columns) == names
    assert set(parsed.inputs) | set(parsed.outputs) <= set(names)
    assert parsed.outputs
    assert not set(parsed.inputs) & set(parsed.outputs)
    assert len(parsed.frame) == len(parsed.places.numbers) >= 1
    for attribute in parsed.attributes:
        column = parsed.frame[attribute.name]
        if attribute.categories is not None:
            assert tuple(column.cat.categories) == attribute.categories
        else:
            assert column.dtype == np.float64
            assert not any(math.isinf(value) for value in column)


def test_truth_values_are_no_numbers():
    with pytest.raises(ValueError, match="'True' is not a number"):
        parse(SMALL.replace("1.5, 1", "True, 1"))
    text = "@attribute a real\n@attribute b real\n@data\nTrue, 1\nTrue, 2\n"
    with pytest.raises(ValueError, match="'True' is not a number"):
        parse(text)
