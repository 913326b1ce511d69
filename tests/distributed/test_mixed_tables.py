"""Tables with categories and gaps on a real cluster: the model of one machine, and its predictions."""

import re
from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import fuzz_models
import numpy as np
import pandas as pd
import pytest
from helpers.mixed_tables import assert_same, mixed_rows, mixed_table
from helpers.same_models import same_model
from helpers.small_tables import N, make_table

from fruler import FuzzyRuleRegressor, load_model
from fruler._table.training import training_inputs
from fruler.distributed import DaskFuzzyRuleRegressor
from fruler.learning import _sampled_table

QUICK = {"max_evaluations": 300, "random_state": 0}


def in_partitions(*tables):
    """A Dask frame of these partitions, whatever their types; it knows those of the first."""
    parts = [dask.delayed(table) for table in tables]
    return dd.from_delayed(parts, meta=tables[0].iloc[:0], verify_meta=False)


def in_thirds(table):
    return in_partitions(table[:31], table[31:60], table[60:])


def as_strings(table, folder):
    """Text as Dask has it by itself: strings of Arrow."""
    held = dd.from_pandas(table, npartitions=3)
    assert all(dtype == "string" for dtype in held.dtypes[["colour"] if "colour" in table else []])
    return held


def as_objects(table, folder):
    return in_thirds(table.astype({"colour": object}) if "colour" in table else table)


def as_categories(table, folder):
    """Categories that every partition knows by itself."""
    if "colour" not in table:
        return in_thirds(table)
    thirds = [table[:31], table[31:60], table[60:]]
    return in_partitions(*(third.astype({"colour": "category"}) for third in thirds))


def as_unknown_categories(table, folder):
    held = dd.from_pandas(table, npartitions=3)
    if "colour" in table:
        held["colour"] = held["colour"].astype("category")
        assert not held["colour"].cat.known
    return held


def as_nullable(table, folder):
    return dd.from_pandas(table.convert_dtypes(), npartitions=3)


def as_parquet(table, folder):
    for k, part in enumerate((table[:31], table[31:31], table[31:60], table[60:])):
        part.to_parquet(folder / f"{k}.parquet", index=False)
    return dd.read_parquet(folder)


def as_array(table, folder):
    return da.from_array(table.to_numpy(dtype=object), chunks=(40, -1))


HOLDERS = {
    "strings": as_strings,
    "objects": as_objects,
    "categories": as_categories,
    "unknown categories": as_unknown_categories,
    "nullable": as_nullable,
    "Parquet": as_parquet,
    "array of objects": as_array,
}


def columns_of(held):
    return (held[:, :-1], held[:, -1]) if isinstance(held, da.Array) else (held[list(held.columns[:-1])], held["y"])


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("gap", [False, True], ids=["whole", "gap"])
@pytest.mark.parametrize("kind", ["number", "category"])
def test_predictions_are_the_same_whatever_holds_the_rows(client, kind, gap, holder, tmp_path):
    table = make_table(kind, gap)
    X, y = table.drop(columns="y"), table["y"]
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y)
    held, target = columns_of(HOLDERS[holder](table, tmp_path))
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(held, target)
    predictions = model.predict(held)
    assert dask.is_dask_collection(predictions)
    np.testing.assert_allclose(client.compute(predictions).result(), expected.predict(X), rtol=1e-9)
    assert model.score(held, target) == pytest.approx(expected.score(X, y), rel=1e-9)
    if holder != "array of objects":
        np.testing.assert_allclose(model.to_local().predict(X), expected.predict(X), rtol=1e-9)
        assert model.feature_names_in_.tolist() == expected.feature_names_in_.tolist()


def held_mixed(n_rows=600, n_partitions=4):
    X, y = mixed_table(n_rows)
    table = dd.from_pandas(X.assign(price=y), npartitions=n_partitions)
    return X, pd.Series(y, name="price"), table[list(X.columns)], table["price"]


@pytest.mark.parametrize("keep_rows", [True, None])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_growth_learns_the_model_of_one_machine(client, keep_rows, weighted, rng, tmp_path):
    X, y, held, target = held_mixed()
    weight = rng.integers(0, 3, len(y)).astype(float) if weighted else None
    weights = dd.from_pandas(pd.Series(weight), npartitions=4) if weighted else None
    model = DaskFuzzyRuleRegressor(client, keep_rows=keep_rows, **QUICK).fit(held, target, weights)
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y, weight)
    same_model(model, expected)
    assert "size is missing" in model.rule_base_.names
    assert model._moments.means.tolist() == expected._moments.means.tolist()
    assert model._moments.covariance.tolist() == expected._moments.covariance.tolist()
    # Gaps and unknown categories in every combination, also by the model from its file.
    model.save(tmp_path / "m.json")
    for one in (model, model.to_local(), load_model(tmp_path / "m.json")):
        assert_same(one.predict(mixed_rows()), expected.predict(mixed_rows()))
    rows = dd.from_pandas(mixed_rows(), npartitions=3)
    assert_same(client.compute(model.predict(rows)).result(), expected.predict(mixed_rows()))


@pytest.mark.parametrize("number", [5_001, 5_002, 5_147, 5_184])
def test_random_tables_in_any_partitions_and_order(client, number, tmp_path):
    case, rng = fuzz_models.make_case(number, quick=True), np.random.default_rng(number)
    asked = {name: value for name, value in case.model.get_params().items() if name not in ("n_jobs", "calibration")}
    expected = case.model.fit(case.frame, case.y)
    table = case.frame.assign(target=case.y).iloc[rng.permutation(len(case.frame))]
    # Some partitions are empty.
    ends = [0, *sorted(rng.integers(0, len(table), 4)), len(table)]
    held = in_partitions(*(table.iloc[first:last] for first, last in pairwise(ends)))
    model = DaskFuzzyRuleRegressor(client, **asked).fit(held[list(case.frame)], held["target"])
    model.save(tmp_path / "m.json")
    rows = in_partitions(case.rows[:0], case.rows[:7], case.rows[7:])
    lazy = client.compute(model.predict(rows)).result()
    for found in (lazy, model.to_local().predict(case.rows), load_model(tmp_path / "m.json").predict(case.rows)):
        assert_same(found, expected.predict(case.rows))


def test_files_are_read_again_for_every_pass(client, tmp_path):
    X, y = mixed_table(600)
    for k in range(3):
        X[200 * k : 200 * (k + 1)].assign(y=y[200 * k : 200 * (k + 1)]).to_parquet(tmp_path / f"{k}.parquet")
    table = dd.read_parquet(tmp_path)
    model = DaskFuzzyRuleRegressor(client, keep_rows=False, **QUICK).fit(table[list(X.columns)], table["y"])
    same_model(model, FuzzyRuleRegressor(**QUICK).fit(X, y))


def weak_categories(n_rows=600):
    """Categories that say little each, so that slopes are fitted to what other rows tell of them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "k": rng.choice([f"k{j}" for j in range(60)], n_rows)})
    effects = pd.Series(0.6 * rng.normal(size=60), index=[f"k{j}" for j in range(60)])
    return X, X["a"] + effects[X["k"]].to_numpy() + rng.normal(size=n_rows)


# With so many categories the last bit of a number may decide on a split, and partitions round differently.
@pytest.mark.parametrize(
    ("n_partitions", "options"), [(1, QUICK), (3, {**QUICK, "max_rules": 1, "max_curves": 0})], ids=["one", "three"]
)
def test_slopes_are_fitted_to_effects_of_other_rows(client, n_partitions, options):
    X, y = weak_categories()
    made = training_inputs(FuzzyRuleRegressor(), X, y, None)
    assert (made.terms[:, 1] != made.values[:, 1]).mean() > 0.9
    table = dd.from_pandas(X.assign(y=y), npartitions=n_partitions)
    model = DaskFuzzyRuleRegressor(client, **options).fit(table[["a", "k"]], table["y"])
    assert model.rule_base_.uses[1]
    same_model(model, FuzzyRuleRegressor(**options).fit(X, y))


def test_a_model_of_numbers_knows_what_to_take_for_gaps(client, friedman):
    X, y = friedman
    X = X.copy()
    X[:, 1] += X[:, 0]
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(da.from_array(X, (300, -1)), da.from_array(y, 300))
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y)
    rows = X[:50].copy()
    rows[::2, 0] = rows[::3, 1] = rows[::5, 3] = np.nan
    assert_same(model.predict(rows), expected.predict(rows))
    held = da.from_array(rows, (20, -1))
    assert_same(client.compute(model.predict(held)).result(), expected.predict(rows))


def test_codes_are_categories_where_that_is_said(client):
    table = make_table("number", gap=False)
    zone = np.arange(N) % 3
    X = pd.DataFrame({"size": table["size"], "zone": zone})
    # The noise is that of the table: of an exact fit only rounding would decide how the search went.
    y = table["y"] + np.choose(zone, [5.0, 0.0, 5.0])
    expected = FuzzyRuleRegressor(categorical_features=["zone"], **QUICK).fit(X, y)
    held = dd.from_pandas(X.assign(y=y), npartitions=3)
    model = DaskFuzzyRuleRegressor(client, categorical_features=["zone"], **QUICK)
    model.fit(held[["size", "zone"]], held["y"])
    same_model(model, expected)
    assert model.rule_base_.variables[1].levels.levels == ("0", "1", "2")
    numbers = da.from_array(X.to_numpy(dtype=float), (30, -1))
    model = DaskFuzzyRuleRegressor(client, categorical_features=[1], **QUICK)
    model.fit(numbers, da.from_array(y.to_numpy(), 30))
    np.testing.assert_allclose(client.compute(model.predict(numbers)).result(), expected.predict(X), rtol=1e-9)


@pytest.mark.parametrize("dtype", [object, "boolean"])
def test_truth_values_with_gaps(client, dtype):
    table = make_table("number", gap=False)
    wet = pd.Series([True, False, None] * 30, dtype=dtype)
    X = pd.DataFrame({"size": table["size"], "wet": wet})
    y = table["y"] + 5.0 * wet.fillna(False).astype(bool)
    # One partition has no value of it at all, and so perhaps another type.
    X.loc[31:59, "wet"] = None
    parts = X[:31], X[31:60].astype({"wet": float}), X[60:]
    held = in_partitions(*(part.assign(y=y[part.index]) for part in parts))
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "wet"]], held["y"])
    same_model(model, FuzzyRuleRegressor(**QUICK).fit(X, y))
    assert model.rule_base_.variables[1].levels.levels == ("False", "True")


def test_of_many_rows_some_are_drawn_to_learn_the_columns_from(client, monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 300)
    X, y, held, target = held_mixed(900)
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(held, target)
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y)
    # Learned from fewer rows, and fitted on all.
    assert model._sources != expected._sources
    assert [type(source) for source in model._sources] == [type(source) for source in expected._sources]
    assert model.rule_base_.training.n_rows == 900
    assert model.score(held, target) == pytest.approx(expected.score(X, y), abs=0.02)


def test_a_rare_category_that_is_not_drawn_counts_as_missing(client, monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 60)
    table = make_table("category", gap=False)
    rare = int(np.setdiff1d(np.arange(N), _sampled_table.sampled_rows(N, 60))[0])
    table.loc[rare, "colour"] = "teal"
    held = in_thirds(table)
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])
    assert model.rule_base_.variables[1].levels.levels == ("blue", "green", "red")
    told = r"In a sample of 60 rows: The column 'colour' has 60 categories in 60 rows, too few rows"
    held = in_thirds(table.assign(colour=[f"row {i}" for i in range(N)]))
    with pytest.raises(ValueError, match=told):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])


def test_a_bad_value_in_a_row_that_is_not_drawn_is_named(client, monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 60)
    table = make_table("category", gap=False)
    bad = int(np.setdiff1d(np.arange(N), _sampled_table.sampled_rows(N, 60))[-1])
    table.loc[bad, "size"] = np.inf
    held = in_thirds(table)
    told = rf"^Partition 2: The value in column 'size', row {bad - 60} \(counted from 0\), is infinity; correct it"
    with pytest.raises(ValueError, match=told):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])


def test_a_bad_value_in_a_row_that_is_drawn_is_named(client, monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 60)
    table = make_table("category", gap=False)
    bad = int(_sampled_table.sampled_rows(N, 60)[-1])
    table.loc[bad, "size"] = np.inf
    held = in_thirds(table)
    with pytest.raises(ValueError, match=rf"^Partition 2: The value in column 'size', row {bad - 60} \(counted"):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])


def test_rows_that_are_drawn_may_all_be_without_weight(client, monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 60)
    table = make_table("category", gap=False)
    weight = np.ones(N)
    weight[_sampled_table.sampled_rows(N, 60)] = 0.0
    held = in_thirds(table.assign(weight=weight))
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"], held["weight"])
    assert model.rule_base_.training.n_rows == 30


def k_of(values):
    """A column of some values, repeated to the length of the table."""
    return pd.Series([values[i % len(values)] for i in range(N)])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (k_of([None]), "The column 'k' has no value in any row; leave it out, or fill it in."),
        (k_of([np.nan]), "The column 'k' has no value in any row; leave it out, or fill it in."),
        (
            pd.Series([1.0] * 67 + [np.inf] + [2.0] * (N - 68)),
            "Partition 2: X contains infinity in column 'k', row 7 (counted from 0); correct it, or write NaN if the "
            "value is missing.",
        ),
        (
            pd.Series([1.0] * 67 + ["u"] + [2.0] * (N - 68)),
            "Partition 2: The column 'k' holds text among numbers ('u' in row 7, counted from 0); correct it, or leave "
            "it empty if it marks a missing value.",
        ),
        (
            pd.Series([1.0] * 31 + ["u", "v"] * 29 + [1.0]),
            "Partition 1: The column 'k' mixes numbers and text ('u' in row 0, counted from 0); correct it, or leave "
            "it empty if it marks a missing value.",
        ),
        (
            pd.Series([f"row {i}" for i in range(N)]),
            "The column 'k' has 90 categories in 90 rows, too few rows to learn from each; leave it out, or group "
            "them.",
        ),
    ],
    ids=["None", "NaN", "infinity", "text among numbers", "partitions of other types", "identifiers"],
)
def test_columns_that_are_refused_in_one_sentence(client, column, message):
    table = make_table("number", gap=False)
    X = pd.DataFrame({"size": table["size"], "k": column, "y": table["y"]})
    # Each partition has the type that its own values ask for.
    held = in_partitions(*(part.infer_objects() for part in (X[:31], X[31:60], X[60:])))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "k"]], held["y"])


def test_infinity_beside_text_is_named_too(client):
    table = make_table("category", gap=False)
    table.loc[65, "size"] = np.inf
    held = in_thirds(table)
    told = r"^Partition 2: The value in column 'size', row 5 \(counted from 0\), is infinity; correct it, or write NaN"
    with pytest.raises(ValueError, match=told):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])


def test_infinity_beside_codes_is_named_too(client):
    table = make_table("number", gap=False)
    table.loc[65, "size"] = np.inf
    X, held = table.drop(columns="y"), in_thirds(table)
    told = "The value in column 'size', row {} (counted from 0), is infinity; correct it, or write NaN if the value is "
    for given, row in ((X, "65"), (held[list(X)], "5")):
        estimator = FuzzyRuleRegressor() if given is X else DaskFuzzyRuleRegressor(client)
        with pytest.raises(ValueError, match=re.escape(told.format(row))):
            estimator.set_params(categorical_features=["age"]).fit(given, table["y"] if given is X else held["y"])


def test_a_target_with_gaps_is_refused_beside_text(client):
    table = make_table("category", gap=True)
    table.loc[65, "y"] = np.nan
    held = in_thirds(table)
    with pytest.raises(ValueError, match=r"^Partition 2: y contains NaN at row 5 \(counted from 0\), 1 such value"):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])


def test_categories_that_differ_by_case_are_warned_of(client):
    table = make_table("category", gap=False).replace({"blue": "Red"})
    held = in_thirds(table)
    with pytest.warns(UserWarning, match="'colour' has the categories .*, which differ only by case or spaces"):
        DaskFuzzyRuleRegressor(client, **QUICK).fit(held[["size", "colour"]], held["y"])
