"""Tables larger than their sample: rules are fitted on all rows, in few passes and little memory."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.mixed_tables import mixed_table
from helpers.same_models import same_model

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.data import BatchScan, scan_table
from fruler.learning import _sampled_table
from fruler.learning._sampled_table import SampledTable, joined_tables, sample_frame, sample_size, sampled_rows

QUICK = {"max_evaluations": 200, "random_state": 0}
# One rule without a ridge: least squares.
LINE = {"max_rules": 1, "max_curves": 0, "regularization": 0.0, "random_state": 0, "warn_outside": False}


class Batches(BatchScan):
    """A data frame in batches; counts its passes."""

    def __init__(self, frame, size=700, max_memory=512.0):
        super().__init__(list(frame.columns), max_memory)
        self.table, self.size, self.n_passes = pa.Table.from_pandas(frame, preserve_index=False), size, 0

    def batches(self):
        self.n_passes += 1
        return iter(self.table.to_batches(max_chunksize=self.size))

    def count_rows(self):
        return self.table.num_rows


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 400)


def friedman(n_rows=3_000):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(n_rows, 4)), columns=list("abcd"))
    y = 10 * np.sin(np.pi * frame["a"] * frame["b"]) + 5 * frame["c"] - 4 * frame["d"] + rng.normal(size=n_rows)
    return frame.assign(y=y)


def test_a_sample_has_one_row_of_every_few():
    assert sampled_rows(10, 10).tolist() == list(range(10))
    rows = sampled_rows(1_000_000, 1_000)
    assert (rows // 1_000 == np.arange(1_000)).all()
    assert 400 < (rows % 1_000).mean() < 600
    assert len(set(sampled_rows(15, 10).tolist())) == 10
    assert sample_size(512.0, 10) == _sampled_table.MAX_SAMPLE_ROWS > sample_size(512.0, 500) > 10_000
    assert sample_size(512.0, 500) == pytest.approx(2 * sample_size(256.0, 500), abs=2)


def test_a_table_that_the_sample_holds_gives_the_model_of_rows_in_memory():
    X, y = mixed_table(600)
    table = X.assign(price=y)
    expected = FuzzyRuleRegressor(**QUICK).fit(X, table["price"])
    model = FuzzyRuleRegressor(**QUICK).fit(Batches(table), "price")
    assert model.rule_base_ == expected.rule_base_
    same_model(model, expected)
    assert FuzzyRuleRegressor(**QUICK).fit(table, "price").rule_base_ == expected.rule_base_


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_rules_are_fitted_on_all_rows_not_on_the_sample(weighted):
    table = friedman()
    table["w"] = np.random.default_rng(1).integers(0, 3, len(table)).astype(float) if weighted else 1.0
    scan = Batches(table if weighted else table.drop(columns="w"))
    model = FuzzyRuleRegressor(**LINE).fit(scan, "y", "w" if weighted else None)
    design = np.column_stack([np.ones(len(table)), table[list("abcd")]])
    root = np.sqrt(table["w"].to_numpy())
    expected = np.linalg.lstsq(design * root[:, None], table["y"] * root, rcond=None)[0]
    np.testing.assert_allclose(model.predict(table[list("abcd")]), design @ expected, rtol=1e-9, atol=1e-9)
    assert scan.n_passes == 2
    training = model.rule_base_.training
    counted = table[table["w"] > 0]
    assert training.n_rows == len(counted)
    assert (training.target_low, training.target_high) == (table["y"].min(), table["y"].max())
    assert training.low.tolist() == table[list("abcd")].min().tolist()
    assert [variable.partition.domain[1] for variable in model.rule_base_.variables] == training.high.tolist()
    assert set(model.sample_indices_) <= set(sampled_rows(len(table), 400).tolist())


@pytest.mark.usefixtures("small_sample")
def test_the_model_does_not_depend_on_batches_or_threads():
    table = friedman()
    models = [
        FuzzyRuleRegressor(n_jobs=n_jobs, **QUICK).fit(Batches(table, size), "y")
        for size, n_jobs in ((700, 1), (700, 2), (64, 1), (5_000, 1))
    ]
    assert models[0].n_rules_ > 1
    assert models[0].rule_base_ == models[1].rule_base_  # to the last bit
    for other in models[2:]:
        X = table[list("abcd")]
        np.testing.assert_allclose(other.predict(X), models[0].predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("small_sample")
def test_slopes_of_the_sample_are_fitted_to_effects_of_other_rows():
    rng = np.random.default_rng(0)
    kinds = [f"k{j}" for j in range(40)]
    table = pd.DataFrame({"a": rng.normal(size=1_500), "k": rng.choice(kinds, 1_500)})
    effects = pd.Series(0.6 * rng.normal(size=40), index=kinds)
    table["y"] = table["a"] + effects[table["k"]].to_numpy() + rng.normal(size=1_500)
    model = FuzzyRuleRegressor(**LINE).fit(Batches(table), "y")
    made = FuzzyRuleRegressor(**LINE)._training_table(Batches(table), "y", None, None)
    assert isinstance(made, SampledTable)
    rows = made.total(lambda rows: rows.rows, lambda one, other: np.concatenate([one, other]), "rows")
    by_value = rows.copy()
    own = sampled_rows(1_500, 400)
    assert (made.rows.rows[:, 2] != rows[own, 2]).mean() > 0.9
    rows[own] = made.rows.rows
    y = made.target_scale.apply(table["y"].to_numpy())
    coefficients = np.linalg.lstsq(rows, y, rcond=None)[0]
    expected = by_value @ coefficients * made.target_scale.spread + made.target_scale.centre
    np.testing.assert_allclose(model.predict(table[["a", "k"]]), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("output", [{"link": "log"}, {"bounds": (0.0, None)}])
def test_links_and_bounds(output):
    table = friedman()
    table["y"] = np.exp(table["y"] / 10.0)
    model = FuzzyRuleRegressor(**LINE, **output).fit(Batches(table), "y")
    design = np.column_stack([np.ones(len(table)), table[list("abcd")]])
    learned = np.log(table["y"]) if "link" in output else table["y"]
    expected = design @ np.linalg.lstsq(design, learned, rcond=None)[0]
    expected = np.exp(expected) if "link" in output else np.maximum(expected, 0.0)
    np.testing.assert_allclose(model.predict(table[list("abcd")]), expected, rtol=1e-8)
    table.loc[2_999, "y"] = -1.0
    told = r"^Batch that begins at row 2,800: (link='log' needs targets above 0|bounds=.* must hold).*row 199 has -1"
    with pytest.raises(ValueError, match=told):
        FuzzyRuleRegressor(**LINE, **output).fit(Batches(table), "y")


@pytest.mark.usefixtures("small_sample")
def test_text_gaps_and_unknown_categories_in_all_rows():
    X, y = mixed_table(3_000)
    table = X.assign(price=y)
    rare = int(np.setdiff1d(np.arange(3_000), sampled_rows(3_000, 400))[0])
    table.loc[rare, "origin"] = "mars"
    model = FuzzyRuleRegressor(**QUICK).fit(Batches(table), "price")
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y)
    assert "size is missing" in model.rule_base_.names
    assert "mars" not in model.rule_base_.variables[1].source.levels
    assert model.score(X, y) == pytest.approx(expected.score(X, y), abs=0.02)


def other_row(n_rows):
    """A row that is not in the sample."""
    return int(np.setdiff1d(np.arange(n_rows), sampled_rows(n_rows, 400))[-1])


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("a", np.inf, "Batch that begins at row 2,800: X contains infinity in column 'a', row {} (counted from 0)"),
        ("y", np.nan, "Batch that begins at row 2,800: y contains NaN at row {} (counted from 0), 1 such value in all"),
        ("w", -1.0, "Batch that begins at row 2,800: sample_weight is -1.0 at row {}; weights must be finite"),
    ],
)
def test_bad_values_are_named_with_their_row(column, value, told):
    table = friedman().assign(w=1.0)
    row = other_row(3_000)
    table.loc[row, column] = value
    with pytest.raises(ValueError, match=f"^{re.escape(told.format(row - 2_800))}"):
        FuzzyRuleRegressor(**QUICK).fit(Batches(table), "y", "w")


@pytest.mark.usefixtures("small_sample")
def test_values_of_another_kind_are_named_though_no_row_of_the_sample_has_them():
    table = friedman()
    row = other_row(3_000)
    rows = [table[list("abcd")][a:b] for a, b in ((0, row), (row, row + 1), (row + 1, 3_000))]
    frames = [part.assign(a=part["a"].astype(str)) if len(part) == 1 else part for part in rows]
    frames[1]["a"] = "warm"
    batches = [pa.RecordBatch.from_pandas(part.assign(y=0.0), preserve_index=False) for part in frames]

    class Mixed(Batches):
        def batches(self):
            return iter(batches)

    with pytest.raises(ValueError, match=rf"^Batch that begins at row {row:,}: .*is 'warm', but the model was fitted"):
        FuzzyRuleRegressor(**QUICK).fit(Mixed(table), "y")


@pytest.mark.usefixtures("small_sample")
def test_a_bad_column_of_the_sample_is_named_with_its_row_in_the_table():
    table = friedman()
    row = int(sampled_rows(3_000, 400)[300])
    table["a"] = table["a"].astype(object)
    table.loc[row, "a"] = "warm"
    table["a"] = table["a"].astype(str)
    with pytest.raises(ValueError, match=rf"^The column 'a' .*\('warm' in row {row}, counted from 0\)"):
        FuzzyRuleRegressor(**QUICK).fit(Batches(table), "y")
    table["a"] = [f"row {i}" for i in range(3_000)]
    with pytest.raises(ValueError, match=r"^In a sample of 400 rows: The column 'a' has 400 categories"):
        FuzzyRuleRegressor(**QUICK).fit(Batches(table), "y")


def test_tables_with_too_few_rows():
    table = friedman(5).assign(w=[1.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="Only 1 rows have a positive sample_weight; at least 2 are needed"):
        FuzzyRuleRegressor().fit(Batches(table), "y", "w")
    with pytest.raises(ValueError, match="The table has no rows; at least 2 are needed"):
        FuzzyRuleRegressor().fit(Batches(table[:0]), "y")

    class Growing(Batches):
        def count_rows(self):
            return 4

    with pytest.raises(ValueError, match="had 4 rows when they were counted, and 5 when they were read"):
        FuzzyRuleRegressor().fit(Growing(table), "y")


@pytest.mark.usefixtures("small_sample")
def test_a_checkpoint_knows_the_table(tmp_path):
    table = friedman()
    first = FuzzyRuleRegressor(checkpoint=tmp_path, **QUICK).fit(Batches(table), "y")
    again = FuzzyRuleRegressor(checkpoint=tmp_path, **QUICK).fit(Batches(table), "y")
    assert again.resumed_ == first.n_evaluations_ > 0
    assert again.rule_base_ == first.rule_base_
    table.loc[other_row(3_000), "a"] = 2.0
    with pytest.raises(ValueError, match="the table has changed"):
        FuzzyRuleRegressor(checkpoint=tmp_path, **QUICK).fit(Batches(table), "y")


def test_what_needs_rows_in_memory_says_so():
    scan = scan_table(friedman(50))
    told = "X is a FileScan, which is read in batches; FuzzyRuleRegressor.fit"
    with pytest.raises(ValueError, match=re.escape(told)):
        FRULERRegressor().fit(scan, "y")
    with pytest.raises(ValueError, match=re.escape(told)):
        FuzzyRuleRegressor(**QUICK).fit(scan, "y").predict(scan)
    with pytest.raises(ValueError, match="calibration needs rows in memory; for a table in batches leave it out"):
        FuzzyRuleRegressor(calibration=0.2).fit(scan, "y")


def test_a_sample_with_all_columns():
    table = friedman().assign(kind=pd.Categorical(["a", "b", "c"] * 1_000))
    found = sample_frame(Batches(table), 100)
    expected = table.iloc[sampled_rows(3_000, 100)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected)


def joined(*columns):
    return joined_tables([pd.DataFrame({"k": column}) for column in columns])["k"]


def test_categories_of_parts_are_joined_whatever_each_knows():
    one, other = pd.Categorical(["u", "v"], ["v", "u"]), pd.Categorical(["w", None], ["w", "v"])
    assert joined(one, other).cat.categories.tolist() == ["v", "u", "w"]
    assert joined(one, other).astype(object).tolist()[:3] == ["u", "v", "w"]
    # A column is one of categories in all parts or in none.
    assert joined(pd.Categorical([1, 2]), pd.Series([3, 1])).cat.categories.tolist() == [1, 2, 3]
    assert set(joined(pd.Categorical([1]), pd.Categorical(["u"])).cat.categories) == {1, "u"}
    ordered = joined(pd.Categorical(["u"], ordered=True), pd.Categorical(["v"], ordered=True))
    assert ordered.astype(object).tolist() == ["u", "v"]


def test_values_of_different_types_stay_what_they_are():
    assert joined(pd.Series([1, 2]), pd.Series([0.5])).tolist() == [1.0, 2.0, 0.5]
    mixed = joined(pd.Series([True, False]), pd.Series([1.5]), pd.Series(["u"], dtype="string"))
    assert [type(value) for value in mixed] == [bool, bool, float, str]
    assert joined(pd.Series(["u"]), pd.Series([np.nan, np.nan])).isna().tolist() == [False, True, True]


def test_arrays_are_joined_as_arrays():
    assert joined_tables([np.array([[1, "u"]], dtype=object), np.array([[2.5, None]], dtype=object)]).shape == (2, 2)
