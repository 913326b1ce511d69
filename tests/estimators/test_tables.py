"""Tables as people have them: the same model and the same predictions, whatever holds the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.small_tables import N, make_table

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.data import read_table


def as_pandas(table, folder):
    return table.drop(columns="y")


def as_polars(table, folder):
    columns = {name: [None if pd.isna(value) else value for value in table[name]] for name in table.columns[:-1]}
    return pl.DataFrame(columns)


def as_objects(table, folder):
    return table.drop(columns="y").to_numpy(dtype=object)


def as_arrow(table, folder):
    pa = pytest.importorskip("pyarrow")
    return pa.Table.from_pandas(table.drop(columns="y"))


def as_csv(table, folder):
    table.to_csv(folder / "t.csv", index=False)
    return read_table(folder / "t.csv", target="y").data


def as_parquet(table, folder):
    pytest.importorskip("pyarrow")
    table.to_parquet(folder / "t.parquet")
    return read_table(folder / "t.parquet", target="y").data


HOLDERS = {
    "pandas": as_pandas,
    "polars": as_polars,
    "NumPy objects": as_objects,
    "Arrow": as_arrow,
    "CSV": as_csv,
    "Parquet": as_parquet,
}


@pytest.mark.slow
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("gap", [False, True], ids=["whole", "gap"])
@pytest.mark.parametrize("kind", ["number", "category"])
def test_predictions_are_the_same_whatever_holds_the_rows(kind, gap, holder, tmp_path):
    table = make_table(kind, gap)
    X, y = table.drop(columns="y"), table["y"].to_numpy()
    expected = FuzzyRuleRegressor(random_state=0).fit(X, y)
    held = HOLDERS[holder](table, tmp_path)
    model = FuzzyRuleRegressor(random_state=0).fit(held, y)
    np.testing.assert_allclose(model.predict(held), expected.predict(X), rtol=1e-9)
    np.testing.assert_allclose(model.rule_base_.predict(held), expected.predict(X), rtol=1e-9)
    np.testing.assert_allclose(model.explain(held).predictions, expected.predict(X), rtol=1e-9)
    assert expected.score(X, y) > (0.9 if not gap else 0.7)
    if holder != "NumPy objects":
        # What has names can be predicted by a model of another holder.
        np.testing.assert_allclose(expected.predict(held), expected.predict(X), rtol=1e-9)


@pytest.mark.parametrize("gap", [False, True], ids=["whole", "gap"])
def test_the_paper_s_algorithm_takes_them_too(gap):
    table = make_table("category", gap)
    X, y = table.drop(columns="y"), table["y"]
    model = FRULERRegressor(random_state=0, max_evaluations=500).fit(X, y)
    assert [one.column for one in model.rule_base_.variables] == ["size", "colour", "colour", "colour"]
    held = as_polars(table, None)
    np.testing.assert_allclose(model.predict(held), model.predict(X), rtol=1e-9)
    assert model.score(X, y) > 0.5


@pytest.fixture
def fitted():
    table = make_table("category", gap=True)
    return FuzzyRuleRegressor(random_state=0).fit(table[["size", "colour"]], table["y"])


def test_an_unknown_category_counts_as_missing(fitted):
    rows = pd.DataFrame({"size": [3.0, 3.0, 3.0], "colour": ["teal", None, "red"]})
    unknown, missing, known = fitted.predict(rows)
    assert unknown == missing
    assert unknown != known


def test_a_gap_is_filled_in_and_so_within_what_is_usual(fitted):
    missing, low, high = fitted.predict(pd.DataFrame({"size": [None, 0.0, 10.0], "colour": "red"}))
    assert low < missing < high


def k_of(values):
    """A column of some values, repeated to the length of the table."""
    return pd.Series([values[i % len(values)] for i in range(N)])


INFINITE = pd.Series([1.0] * 7 + [np.inf] + [2.0] * (N - 8))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (k_of([None]), "The column 'k' has no value in any row; leave it out, or fill it in."),
        (k_of([np.nan]), "The column 'k' has no value in any row; leave it out, or fill it in."),
        (
            INFINITE,
            "X contains infinity in column 'k', row 7 (counted from 0); correct it, or write NaN if the value is "
            "missing.",
        ),
        (
            k_of([1, "u", 2.5]),
            "The column 'k' holds text among numbers ('u' in row 1, counted from 0); correct it, or leave it empty if "
            "it marks a missing value.",
        ),
        (
            k_of([1, "u", "v"]),
            "The column 'k' mixes numbers and text ('u' in row 1, counted from 0); correct it, or leave it empty if it "
            "marks a missing value.",
        ),
        (
            pd.Series([f"row {i}" for i in range(N)]),
            "The column 'k' has 90 categories in 90 rows, too few rows to learn from each; leave it out, or group "
            "them.",
        ),
        (
            pd.Series(pd.timedelta_range("1h", periods=N)),
            "The column 'k' holds durations; convert them to numbers, such as hours, or leave it out.",
        ),
    ],
    ids=["None", "NaN", "infinity", "text among numbers", "mixed", "identifiers", "dates"],
)
@pytest.mark.parametrize("estimator", [FuzzyRuleRegressor, FRULERRegressor])
def test_columns_that_are_refused_in_one_sentence(estimator, column, message):
    table = make_table("number", gap=False)
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        estimator().fit(pd.DataFrame({"size": table["size"], "k": column}), table["y"])
    assert str(refusal.value) == message


def test_infinity_beside_text_is_named_too():
    table = make_table("category", gap=False)
    message = r"^The value in column 'size', row 7 \(counted from 0\), is infinity; correct it, or write NaN"
    table.loc[7, "size"] = np.inf
    with pytest.raises(ValueError, match=message):
        FuzzyRuleRegressor().fit(table[["size", "colour"]], table["y"])


@pytest.mark.parametrize("dtype", [object, "boolean"])
def test_truth_values_with_gaps(dtype):
    table = make_table("number", gap=False)
    wet = pd.Series([True, False, None] * 30, dtype=dtype)
    X = pd.DataFrame({"size": table["size"], "wet": wet})
    model = FuzzyRuleRegressor(random_state=0).fit(X, table["y"] + 5.0 * wet.fillna(False).astype(bool))
    assert model.rule_base_.variables[1].levels.levels == ("False", "True")
    spelled = X.assign(wet=["true", "FALSE", ""] * 30)
    np.testing.assert_array_equal(model.predict(spelled), model.predict(X))


def test_a_category_that_appears_once():
    table = make_table("category", gap=False)
    table.loc[3, "colour"] = "teal"
    model = FuzzyRuleRegressor(random_state=0).fit(table[["size", "colour"]], table["y"])
    assert "teal" in model.rule_base_.variables[1].levels.levels
    # Rows without it learn as if there were no such category.
    assert np.abs(model.predict(table[["size", "colour"]]) - table["y"]).max() < 8.0


@pytest.mark.parametrize("estimator", [FuzzyRuleRegressor, FRULERRegressor])
def test_a_category_in_every_row_changes_nothing(estimator):
    table = make_table("number", gap=False)
    options = {"random_state": 0} | ({"max_evaluations": 200} if estimator is FRULERRegressor else {})
    X = table[["size"]].assign(k="same")
    model = estimator(**options).fit(X, table["y"])
    assert not model.rule_base_.uses[1]
    np.testing.assert_array_equal(model.predict(X), model.predict(X.assign(k="other")))


def test_categories_that_differ_by_case():
    table = make_table("category", gap=False).replace({"blue": "Red"})
    with pytest.warns(UserWarning, match="'colour' has the categories .*, which differ only by case or spaces"):
        FuzzyRuleRegressor().fit(table[["size", "colour"]], table["y"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"size": ["large"], "colour": ["red"]}, "'size', row 0 .* is 'large', but the model was fitted on numbers"),
        ({"size": [True], "colour": ["red"]}, "'size', row 0 .* a truth value"),
        ({"size": [pd.Timestamp("2020-01-01")], "colour": ["red"]}, "'size', row 0 .* a date"),
        ({"size": [1.0], "colour": [3]}, "'colour', row 0 .* is 3, but the model was fitted on categories such as"),
        ({"size": [1.0], "colour": [pd.Timestamp("2020-01-01")]}, "'colour', row 0 .* a date"),
        ({"size": [np.inf], "colour": ["red"]}, "'size', row 0 .* infinity"),
    ],
)
def test_a_column_that_has_changed_its_type(fitted, rows, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(pd.DataFrame(rows))


def test_codes_are_categories_where_that_is_said():
    table = make_table("number", gap=False)
    zone = np.arange(N) % 3
    X = pd.DataFrame({"size": table["size"], "zone": zone})
    y = 2.0 * table["size"] + np.choose(zone, [5.0, 0.0, 5.0])
    model = FuzzyRuleRegressor(categorical_features=["zone"], random_state=0).fit(X, y)
    assert model.rule_base_.variables[1].levels.levels == ("0", "1", "2")
    assert model.score(X, y) > 0.99
    by_text = FuzzyRuleRegressor(random_state=0).fit(X.assign(zone=pd.Categorical(zone)), y)
    np.testing.assert_allclose(by_text.predict(X), model.predict(X), rtol=1e-9)


def test_columns_may_be_numbered():
    table = make_table("category", gap=True)
    numbered = table.drop(columns="y").set_axis([0, 1], axis=1)
    expected = (
        FuzzyRuleRegressor(random_state=0).fit(table.drop(columns="y"), table["y"]).predict(table.drop(columns="y"))
    )
    model = FuzzyRuleRegressor(random_state=0).fit(numbered, table["y"])
    np.testing.assert_allclose(model.predict(numbered), expected)


def test_a_lazy_table_is_refused_in_one_sentence():
    lazy = pl.DataFrame({"x": [1.0, 2.0]}).lazy()
    with pytest.raises(TypeError, match=r"X is a LazyFrame, which holds no rows yet; pass X.collect\(\)"):
        FuzzyRuleRegressor().fit(lazy, [1.0, 2.0])


def test_an_explanation_names_categories_that_are_not_known():
    table = make_table("category", gap=False)
    model = FuzzyRuleRegressor(random_state=0).fit(table.drop(columns="y"), table["y"])
    rows = pd.DataFrame({"size": [1.0, 1.0, None], "colour": ["mars", "red", None]}, index=[7, 7, 9])
    why = model.explain(rows)
    assert why.unknown == ({"colour": "mars"}, {}, {})
    assert "not known, and estimated from the rest of the row: colour 'mars'" in str(why[0])
    assert "missing, and" not in str(why[0])
    assert "missing, and estimated from the rest of the row: size, colour" in str(why[2])
    assert "not known" not in str(why[1])
