"""Which columns and rows are learned from, and why others are not."""

import datetime

import numpy as np
import pandas as pd
import pytest

from fruler._cli.preparation import bounded_numbers, prepare_table

N = 40


def prepare(categories=(), **columns):
    table = pd.DataFrame({"x": np.arange(N) % 7, **columns, "y": np.arange(N) / 2})
    return prepare_table(table, "y", categories=categories)


def kinds(n):
    return [f"kind {i % n:02}" for i in range(N)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (kinds(2), "category"),
        (["yes", "No"] * 20, "category"),
        (kinds(13), "category"),
        ([True, False] * 20, "category"),
        (pd.Series([True, False, None, True] * 10, dtype=object), "category"),
        (pd.Series([True, False, None, True] * 10, dtype="boolean"), "category"),
        (pd.Categorical(["b", "a"] * 20, categories=["c", "b", "a"]), "category"),
        (pd.Categorical([1, 2] * 20), "category"),
        (pd.Series([1.5, 2.5] * 20), "number"),
        (pd.Series(["1.5", "2.5"] * 20, dtype=object), "number"),
        (pd.Series([1, None, 2, 3] * 10, dtype="Int64"), "number"),
    ],
)
def test_columns_that_become_inputs(values, kind):
    prepared = prepare(k=values)
    assert prepared.kinds == {"x": "number", "k": kind}
    assert prepared.categories == (["k"] if kind == "category" else [])
    assert list(prepared.inputs.columns) == ["x", "k"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (kinds(14), "14 categories in 40 rows, too few rows to learn from each"),
        ([f"id {i}" for i in range(N)], "40 categories in 40 rows, too few rows"),
        (["Spain"] * N, "always Spain"),
        ([2.5] * N, "always 2.5"),
        (["dates, with a comma"] * N, "always dates, with a comma"),
        ([True] * N, "always True"),
        (["two\nlines"] * N, r"always two\nlines"),
        ([None] * N, "empty"),
        ([" "] * N, "empty"),
        ([1.0, 2.0] * 5 + [np.nan] * (N - 10), "only 10 values in 40 rows"),
        ([1.0, 2.0] * 5 + [np.inf] * (N - 10), "only 10 values in 40 rows"),
        ([datetime.time(1), datetime.time(2)] * 20, "times; convert it to a column of numbers, such as hours"),
        (["12:30", "13:45"] * 20, "times; convert it to a column of numbers, such as hours"),
        (["1.2.20", "2.3.21"] * 20, "dates with years of two digits; write them as 2024-12-31"),
        (["2020-01-02", "2021-01-02"] * 19 + ["2020-01-01", "soon"], "text among dates ('soon' in row 40); correct it"),
        (["1/2/2020", "3/4/2020"] * 20, "a date whose day and month cannot be told apart ('1/2/2020' in row 1)"),
        (
            [str(i) for i in range(N - 1)] + ["unknown"],
            "text among numbers ('unknown' in row 40); correct it, leave it",
        ),
        ([1, "u", "v", "w"] * 10, "mixes numbers and text ('u' in row 2)"),
        ([[1], [2]] * 20, "a list"),
        (["1,5", "2,5"] * 20, "numbers with a comma ('1,5'); write decimals with a point"),
        (["1,000", "2,5"] * 20, "numbers with a comma ('2,5'); write decimals with a point"),
        (["1,000", "2,500"] * 20, "numbers with a comma ('1,000'); write it without the comma if that separates"),
        (["red\x1b[31m", "blue"] * 20, r"text with unprintable characters ('red\x1b[31m' in row 1)"),
    ],
)
def test_columns_that_are_left_out(values, reason):
    prepared = prepare(k=values)
    assert prepared.left_out["k"].startswith(reason)
    assert prepared.kinds == {"x": "number"}
    assert len(prepared.inputs) == N
    assert any(line.startswith(f"left out  k: {reason}") for line in prepared.notes())


def test_many_categories_are_kept_if_they_have_rows():
    table = pd.DataFrame({"k": [f"kind {i % 101}" for i in range(1_000)], "x": np.arange(1_000) % 7})
    prepared = prepare_table(table.assign(y=np.arange(1_000.0)), "y")
    assert prepared.kinds == {"k": "category", "x": "number"}


def test_a_column_that_is_mostly_missing_is_kept():
    assert prepare(k=[1.0, 2.0] * 8 + [np.nan] * (N - 16)).kinds["k"] == "number"


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        (np.exp(np.linspace(0.0, 6.0, N)), "y is never negative; --bounds 0, keeps predictions so, or --link log if"),
        (np.r_[0.0, np.exp(np.linspace(0.0, 6.0, N - 1))], "y is never negative; --bounds 0, keeps predictions so"),
    ],
)
def test_a_target_that_is_never_negative_is_hinted_at(target, hint):
    prepared = prepare_table(pd.DataFrame({"x": np.arange(N) % 7, "y": target}), "y")
    [told] = prepared.hints
    assert told.startswith(hint)
    assert ("--link" in told) == (target.min() > 0.0)
    assert not prepare_table(pd.DataFrame({"x": np.arange(N) % 7, "y": target - 2.0}), "y").hints


def test_rows_with_gaps_are_kept_and_those_without_a_target_are_not():
    x = np.arange(N) % 5.0
    x[[0, 1, 2]] = np.nan, np.inf, np.nan
    k = kinds(2)
    k[2], k[5] = None, " "
    y = np.arange(float(N))
    y[[2, 8]] = np.nan
    prepared = prepare_table(pd.DataFrame({"x": x, "k": k, "y": y}), "y")
    assert prepared.n_rows_left_out == 2
    assert prepared.target.tolist() == [y for y in range(N) if y not in (2, 8)]
    expected = np.where(np.isfinite(x), x, np.nan)[prepared.target.astype(int)]
    np.testing.assert_array_equal(prepared.inputs["x"], expected)
    assert prepared.missing == {"x": 2, "k": 1}
    assert prepared.notes() == [
        "category  k: kind 01, kind 00",
        "left out  2 rows without a value of y",
        "missing   2 of x, 1 of k; each is estimated from the rest of its row",
    ]


def test_a_column_with_most_gaps_is_told_of_first():
    x, z = np.arange(N) % 5.0, np.arange(N) % 3.0
    x[0], z[:4] = np.nan, np.nan
    assert list(prepare(a=x, b=z).missing.items()) == [("b", 4), ("a", 1)]


def test_rows_are_counted_as_in_the_file():
    y = np.arange(float(N))
    y[0] = np.nan
    k = [str(i) for i in range(N)]
    k[9] = "odd"
    prepared = prepare_table(pd.DataFrame({"x": np.arange(N) % 7, "k": k, "y": y}), "y")
    assert prepared.left_out["k"].startswith("text among numbers ('odd' in row 10)")


def test_a_column_that_is_constant_in_the_rows_that_are_left():
    k = pd.Series(["u"] * N)
    k[:5] = "v"
    y = np.arange(float(N))
    y[:5] = np.nan
    prepared = prepare_table(pd.DataFrame({"x": np.arange(N), "k": k, "y": y}), "y")
    assert prepared.left_out == {"k": "always u"}
    assert len(prepared.inputs) == N - 5


def test_numbers_are_floats_whatever_they_were():
    prepared = prepare(
        a=pd.Series(["1.5", None, "2", "3"] * 10, dtype=object), b=pd.Series([1, None] * 10 + [2] * 20, dtype="Int64")
    )
    assert {str(dtype) for dtype in prepared.inputs.dtypes} == {"float64"}
    assert prepared.missing == {"a": 10, "b": 10}


def test_codes_that_are_said_to_be_categories():
    codes = np.arange(N) % 3
    assert prepare(k=codes).kinds["k"] == "number"
    prepared = prepare(k=codes, categories=["k"])
    assert prepared.kinds["k"] == "category"
    assert prepared.notes() == ["category  k: 0, 1, 2"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.arange(N), "40 categories in 40 rows, too few rows"),
        # Of a part of the rows there would be too few.
        (np.arange(N) // 2, "20 categories in 40 rows, too few rows"),
        ([1] * N, "always 1"),
        (pd.date_range("2020-01-01", periods=N), "dates"),
    ],
)
def test_what_cannot_be_a_category(values, reason):
    with pytest.raises(ValueError, match=f"'k' cannot be a category: {reason}"):
        prepare(k=values, categories=["k"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": ["colour"]}, "there is no column 'colour'"),
        ({"categories": ["y"]}, "'y' is the target, which must be numbers"),
        ({"categories": ["x"], "drop": ["x"]}, "'x' cannot be both a category and left out"),
    ],
)
def test_categories_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        prepare_table(pd.DataFrame({"x": np.arange(N) % 7, "y": np.arange(N)}), "y", **options)


def test_a_column_that_counts_the_rows_is_hinted_at():
    prepared = prepare(number=np.arange(1, N + 1))
    assert prepared.notes() == [
        "hint      number only counts the rows; if it is not a measurement, leave it out: --drop number"
    ]


def test_categories_that_differ_by_case_or_spaces_are_hinted_at():
    prepared = prepare(k=["New town", "new  town", "Old", "Old "] * 10)
    assert prepared.notes()[-1] == (
        "hint      k has 'New town', 'new  town', which differ only by case or spaces; "
        "write them the same way if they mean the same"
    )
    assert len(prepare(k=kinds(3)).hints) == 0


def test_many_categories_are_shown_in_part():
    assert prepare(k=kinds(10)).notes()[0].endswith("kind 07 and 2 more")


def test_the_table_is_left_as_it_was():
    table = pd.DataFrame({"x": [1.0, None, 3.0, np.inf], "k": ["u", "v", "u", "v"], "y": [1, 2, 3, 4]})
    before = table.copy()
    prepare_table(table, "y", drop=["k"])
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize("values", [[1, 2], ["1", "2"], pd.array([1, 2], dtype="Int64"), [1.0, 2.0]])
def test_numbers_of_any_type_within_bounds(values):
    assert bounded_numbers(pd.Series(values)).tolist() == [1.0, 2.0]


def test_what_cannot_be_squared_is_missing():
    found = bounded_numbers(pd.Series([1e200, -np.inf, 3.0, None]))
    np.testing.assert_array_equal(found, [np.nan, np.nan, 3.0, np.nan])


def test_a_message_about_all_columns_stays_short():
    empty = {"|" * 5_000: [None] * N} | {f"k{i}": [None] * N for i in range(300)}
    with pytest.raises(ValueError, match="no column can be an input") as refused:
        prepare_table(pd.DataFrame({**empty, "y": np.arange(N)}), "y")
    assert len(str(refused.value)) < 500
    assert str(refused.value).endswith("; and 296 more); add a column of numbers or of a few categories")


def hints_of(table, **settings):
    return prepare_table(table, "y", **settings).hints


@pytest.mark.parametrize(
    ("name", "values", "hinted"),
    [
        ("n", np.random.default_rng(0).permutation(100) + 1, True),  # shuffled
        ("n", np.sort(np.random.default_rng(0).permutation(150)[:100]), True),  # a part of a table
        ("PID", np.random.default_rng(0).permutation(10**6)[:100] + 526_300_000, True),
        ("patient_id", np.random.default_rng(0).permutation(10**4)[:100], True),
        ("CustomerID", np.arange(100)[::-1] * 7, True),
        ("price", np.random.default_rng(0).permutation(9_000)[:100] * 100 + 100_000, False),
        ("year", np.arange(100) % 40 + 1980, False),
        ("steps", np.random.default_rng(0).permutation(10**5)[:100], False),
    ],
)
def test_identifiers_are_hinted_at(name, values, hinted):
    table = pd.DataFrame({name: values, "x": np.linspace(0, 1, 100), "y": np.sin(np.arange(100.0)) + 5})
    told = f"{name} is another number in every row, like an identifier; if it is not a measurement, leave it out"
    assert any(hint.startswith(told) for hint in hints_of(table)) == hinted


def test_groups_of_rows_are_hinted_at_once_unless_they_are_known():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 6)
    table = pd.DataFrame({"who": [f"P{k}" for k in group], "x": rng.uniform(size=120), "y": rng.normal(size=120) + 5})
    known = table.assign(age=rng.uniform(20, 80, 20)[group], size=rng.uniform(150, 190, 20)[group])
    told = [hint for hint in hints_of(known) if "--group" in hint]
    assert told == [
        "who has about 6 rows for each of 20 values; to predict new ones, say --group who, which holds out all rows of "
        "one together"
    ]
    assert not hints_of(known, group="who")
    assert not hints_of(table)
    assert len(hints_of(table.rename(columns={"who": "patient"}))) == 1


def test_a_count_is_told_of_its_loss():
    counts = pd.DataFrame({"x": np.linspace(0, 1, 60), "y": np.arange(60) % 7 == 0}).astype(float)
    assert hints_of(counts) == (
        "y is never negative; --bounds 0, keeps predictions so, or --loss poisson if it is a count",
    )
