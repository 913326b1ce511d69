"""Columns of numbers as people write them: what all of their values together mean."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from fruler.data import read_table


@pytest.fixture
def read(tmp_path):
    def run(texts, other=("1", "2", "3"), separator="\t", **options):
        """Write a column beside another one, and read both."""
        rows = [f"{text}{separator}{other[i % len(other)]}" for i, text in enumerate(texts)]
        path = tmp_path / "t.csv"
        path.write_text(f"x{separator}z\n" + "\n".join(rows) + "\n", encoding="utf-8")
        return read_table(path, **options)

    return run


@pytest.mark.parametrize(
    ("texts", "numbers", "note"),
    [
        (["3,14", "2,5"], [3.14, 2.5], 'decimals with ","'),
        (["3,14", "5"], [3.14, 5.0], 'decimals with ","'),
        (["1,000", "2,5"], [1.0, 2.5], 'decimals with ","'),
        (["0,125", "2,500"], [0.125, 2.5], 'decimals with ","'),
        (["1,2345", "-1,5E+03"], [1.2345, -1500.0], 'decimals with ","'),
        (["1,000", "2,500.5"], [1000.0, 2500.5], "thousands with \",\" in 'x'"),
        (["1,234,567", "1,000"], [1234567.0, 1000.0], "thousands with \",\" in 'x'"),
        (["1.000,5", "999"], [1000.5, 999.0], 'decimals with ",", thousands with "." in \'x\''),
        (["1.234.567", "1.000"], [1234567.0, 1000.0], "thousands with \".\" in 'x'"),
        (["1 000", "250"], [1000.0, 250.0], "thousands with \" \" in 'x'"),
        (["1\u00a0000,500", "2\u202f500"], [1000.5, 2500.0], 'decimals with ",", thousands with " " in \'x\''),
        (["1'000", "2’500.75"], [1000.0, 2500.75], "thousands with \"'\" in 'x'"),
        (["−5", "+3"], [-5.0, 3.0], None),
        (["12.5%", "7 %"], [12.5, 7.0], "percentages in 'x' (12.5% is 12.5)"),
        (["12,5%", "7%"], [12.5, 7.0], "decimals with \",\", percentages in 'x' (12.5% is 12.5)"),
        (["$1,200", "$2,500"], [1200.0, 2500.0], "thousands with \",\" in 'x', amounts in \"$\" in 'x'"),
        (["-$1,200.50", "$-3", "US$ 5"], [-1200.5, -3.0, 5.0], "thousands with \",\" in 'x', amounts in \"$\" in 'x'"),
        (
            ["1.200,50 €", "EUR 5"],
            [1200.5, 5.0],
            'decimals with ",", thousands with "." in \'x\', amounts in "€" in \'x\'',
        ),
        (["CHF 1'200.50", "5"], [1200.5, 5.0], "thousands with \"'\" in 'x', amounts in \"CHF\" in 'x'"),
    ],
)
def test_numbers_that_can_be_read_in_one_way(read, texts, numbers, note):
    table = read(texts)
    assert table.data["x"].dtype == np.float64
    assert table.data["x"].tolist() == numbers
    assert table.notes == ["separated by tabs" + (f", {note}" if note else "")]
    assert read(texts, target="x").target.tolist() == numbers


@pytest.mark.parametrize("separator", [",", "\t", "|"])
def test_commas_before_three_digits_are_refused_with_both_meanings(read, separator):
    texts = ["1,000", "2,500", "12,300"]
    message = (
        "t.csv, line 2, column 'x': '1,000' may be 1000 or 1: the comma may separate thousands or mark decimals; say "
        "which with thousands=',' or decimal=','"
    )
    written = [f'"{text}"' for text in texts]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read(written, separator=separator)
    for other in (["1.5"], ['"1,5"']):
        with pytest.raises(ValueError, match="may be 1000 or 1"):
            read(written, other, separator)
    assert read(written, separator=separator, thousands=",").data["x"].tolist() == [1000.0, 2500.0, 12300.0]
    assert read(written, separator=separator, decimal=".").data["x"].tolist() == [1000.0, 2500.0, 12300.0]
    assert read(written, separator=separator, decimal=",").data["x"].tolist() == [1.0, 2.5, 12.3]
    # The other column keeps its decimal points.
    assert read(written, ["1.5"], separator, decimal=",").data["z"].tolist() == [1.5] * 3


def test_euros_with_three_digits_are_no_clearer(read):
    with pytest.raises(ValueError, match=r"'1,459 €' may be 1459 or 1\.459"):
        read(["1,459 €", "1,523 €"])


def test_semicolons_speak_for_decimal_commas(read):
    assert read(["1,000", "2,500"], separator=";").data["x"].tolist() == [1.0, 2.5]
    assert read(["1.000", "2.500"], ["1,5"], ";").data["x"].tolist() == [1000.0, 2500.0]
    assert read(["1.000", "2.500"], separator=";").data["x"].tolist() == [1.0, 2.5]
    for texts, other in ((["1,000"], ["1.5"]), (["1,000"], ["1.000"])):
        with pytest.raises(ValueError, match="'1,000' may be 1000 or 1"):
            read(texts, other, ";")


def test_points_before_three_digits_are_decimals_unless_others_have_decimal_commas(read):
    assert read(["1.000", "2.500"]).data["x"].tolist() == [1.0, 2.5]
    with pytest.raises(ValueError, match=r"'1\.000' may be 1000 or 1: the point .* thousands='\.' or decimal='\.'"):
        read(["1.000", "2.500"], ["1,5"])
    assert read(["1.000", "2.500"], ["1,5"], thousands=".").data["x"].tolist() == [1000.0, 2500.0]
    assert read(["1.000", "2.500"], ["1.5"], thousands=".").data["z"].tolist() == [1.5, 1.5]


def test_points_before_three_digits_beside_decimals_of_both_kinds_are_in_doubt(tmp_path):
    (tmp_path / "t.csv").write_text("x;comma;point\n1.000;1,5;1.5\n2.500;2,5;2.5\n")
    with pytest.raises(ValueError, match=r"column 'x': '1\.000' may be 1000 or 1"):
        read_table(tmp_path / "t.csv")


def test_columns_may_have_any_name(tmp_path):
    (tmp_path / "t.csv").write_text("self;frame\n1,5;1\n2,5;-\n")
    table = read_table(tmp_path / "t.csv", na_values="-")
    assert table.data["self"].tolist() == [1.5, 2.5]
    (tmp_path / "t.jsonl").write_text('{"self": "1,5"}\n{"self": "-"}\n{"self": "2,5"}\n')
    assert read_table(tmp_path / "t.jsonl", na_values="-").data["self"].tolist()[::2] == [1.5, 2.5]


def test_text_in_parquet_files_is_understood_too(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": ["1,5", "-"], "y": [1, -999]}).to_parquet(tmp_path / "t.parquet")
    data = read_table(tmp_path / "t.parquet", na_values=["-", -999]).data
    np.testing.assert_array_equal(data.to_numpy(dtype=float), [[1.5, 1.0], [np.nan, np.nan]])


def test_what_the_user_says_is_not_said_again(read):
    assert read(["1.000,5", "2,5"], sep="tab", decimal=",", thousands=".").notes == []
    assert read(["1.000,5", "2,5"], sep="tab", decimal=",").notes == ["thousands with \".\" in 'x'"]


@pytest.mark.parametrize(
    ("texts", "options", "line", "problem"),
    [
        (["3,14", "2,5"], {"thousands": ","}, 2, "'3,14' is not a number with thousands=','; correct one of the two"),
        (["3,14", "2,5"], {"decimal": "."}, 2, "'3,14' is not a number with decimal='.'; correct one of the two"),
        (["1'0.5", "2,5", "3,5"], {"decimal": "."}, 2, None),
        (["5%", "0.5", "7%"], {}, 3, 'some values have "%" and some do not; write all the same way'),
        (["$5", "$7", "€6"], {}, 4, 'it has amounts in "$" and "€"; convert them to one currency'),
    ],
)
def test_what_is_in_doubt_stays_text_and_is_no_target(read, texts, options, line, problem):
    table = read(texts, sep="tab", **options)
    assert table.data["x"].tolist() == texts
    if problem is None:
        return
    assert table.notes == [f"'x' stays text: {problem}"]
    with pytest.raises(
        ValueError, match=f"^{re.escape(f't.csv, line {line}, column {chr(39)}x{chr(39)}: {problem}')}$"
    ):
        read(texts, target="x", **options)


def test_one_odd_value_hides_no_numbers_and_is_named(read):
    texts = ["1,5", "2,25", "abc", "3,5"]
    assert read(texts).data["x"].tolist() == [1.5, 2.25, "abc", 3.5]
    with pytest.raises(ValueError, match="line 4, column 'x': the target 'abc' is not a number"):
        read(texts, target="x")


@pytest.mark.parametrize(
    "texts",
    [
        ["10.0.0.1", "10.0.0.2"],
        ["01.02.2024", "03.04.2024"],
        ["12:30", "13:45"],
        ["5 kg", "7 kg"],
        ["1,2,3", "4,5"],
        ["red", "1,5", "blue"],
        ["+49 30 1234", "+49 30 99"],
        ["1-2", "3-4"],
        ["$", "%"],
        ["1..5", "2,,5"],
        ["-$-5", "$5€"],
    ],
)
def test_other_text_stays_as_it_is(read, texts):
    table = read(texts, sep="tab")
    assert table.data["x"].tolist() == texts
    assert table.notes == []


def test_truth_values_mixed_columns_and_plain_numbers_are_as_before(read):
    assert read(["True", "False"]).data["x"].dtype == bool
    assert read(["yes", "no"]).data["x"].tolist() == ["yes", "no"]
    assert read(["1", "2", "abc"]).data["x"].tolist() == ["1", "2", "abc"]
    assert pd.api.types.is_integer_dtype(read(["1", "2"]).data["x"].dtype)


NUMBER = st.integers(-(10**9), 10**9).map(lambda n: n / 100)


@examples(3)
@given(st.lists(NUMBER, min_size=1, max_size=6), st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'")]))
def test_numbers_come_back_from_any_format(tmp_path_factory, numbers, marks):
    decimal, thousands = marks
    table = str.maketrans({",": thousands, ".": decimal})
    path = tmp_path_factory.mktemp("numbers") / "t.csv"
    path.write_text("x\tz\n" + "".join(f"{number:,.2f}\t1\n".translate(table) for number in numbers))
    assert read_table(path).data["x"].tolist() == numbers
