"""A table to learn from, made ready."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler._table.training import declared_columns, frame_of, telling_gaps, training_inputs

N = 200


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def made_of(X, y, **options):
    return training_inputs(BaseEstimator(), X, y, options.pop("sample_weight", None), **options)


def test_numbers_without_gaps_stay_as_they_are(rng):
    X, y = rng.normal(size=(N, 2)), rng.normal(size=N)
    made = made_of(X, y)
    np.testing.assert_array_equal(made.values, X)
    np.testing.assert_array_equal(made.target, y)
    assert made.names == ["x0", "x1"]
    assert made.sources == [NumberSource("x0"), NumberSource("x1")]
    assert made.levels == {}
    assert made.weight is None


def test_names_of_a_frame_are_kept_by_the_estimator(rng):
    estimator = BaseEstimator()
    X = pd.DataFrame({"size": rng.normal(size=N), "colour": rng.choice(["a", "b", "c"], N)})
    y = X["colour"].map({"a": 0.0, "b": 2.0, "c": 5.0}) + rng.normal(size=N)
    made = training_inputs(estimator, X, y, None)
    assert estimator.feature_names_in_.tolist() == made.names == ["size", "colour"]
    assert estimator.n_features_in_ == 2
    (numbers,) = made.levels.values()
    assert numbers.tolist() == sorted(made.sources[1].values)


def test_gaps_are_filled_in_from_the_rest_of_the_row(rng):
    x = rng.normal(size=N)
    X = np.column_stack([x, 2.0 * x])
    X[5, 1] = np.nan
    made = made_of(X, rng.normal(size=N))
    assert made.values[5, 1] == pytest.approx(2.0 * x[5], abs=0.05)
    assert np.isnan(X[5, 1])
    assert made.names == ["x0", "x1"]


@pytest.mark.parametrize("telling", [True, False])
def test_that_a_value_is_missing_is_an_input_where_it_tells_something(rng, telling):
    X = pd.DataFrame({"income": rng.normal(size=N), "age": rng.normal(size=N)})
    y = X["age"].to_numpy() + rng.normal(0, 0.5, N)
    gap = rng.uniform(size=N) < 0.3
    X.loc[gap, "income"] = np.nan
    made = made_of(X, y + 5.0 * gap * telling)
    assert made.names == ["income", "age", *(["income is missing"] if telling else [])]
    if telling:
        assert made.sources[2] == GapSource("income")
        np.testing.assert_array_equal(made.values[:, 2], gap)


def test_few_gaps_tell_nothing(rng):
    gaps = np.zeros((N, 1), dtype=bool)
    gaps[:19] = True
    y = 10.0 * gaps[:, 0] + rng.normal(0, 0.1, N)
    assert telling_gaps(gaps, np.zeros((N, 1)), y, None) == []
    gaps[19] = True
    assert telling_gaps(gaps, np.zeros((N, 1)), 10.0 * gaps[:, 0] + rng.normal(0, 0.1, N), None) == [0]


def test_gaps_that_another_input_explains_tell_nothing(rng):
    x = rng.normal(size=N)
    gaps = np.column_stack([np.zeros(N, dtype=bool), x > 0.5])
    assert telling_gaps(gaps, np.column_stack([x, np.zeros(N)]), x + rng.normal(0, 0.1, N), None) == []


def test_codes_are_categories_where_that_is_said(rng):
    X = pd.DataFrame({"zone": np.arange(N) % 3, "x": rng.normal(size=N)})
    y = np.choose(np.arange(N) % 3, [5.0, 0.0, 5.0])
    for given in (["zone"], [0], [True, False]):
        source = made_of(X, y, categorical_features=given).sources[0]
        assert isinstance(source, LevelSource)
        assert source.levels == ("0", "1", "2")
    assert made_of(X, y).sources[0] == NumberSource("zone")
    assert made_of(X, y, categorical_features=None).sources[0] == NumberSource("zone")
    assert isinstance(made_of(X.to_numpy(), y, categorical_features=[0]).sources[0], LevelSource)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["zone", "age"], "names 'age', which X does not have"),
        ([2], r"names the columns \[2\], but X has 2"),
        ([-1], r"names the columns \[-1\], but X has 2"),
        ([True], "a mask of 1 columns, but X has 2"),
        ([["zone"]], "one-dimensional"),
    ],
)
def test_categorical_features_that_are_none(given, message):
    with pytest.raises(ValueError, match=message):
        declared_columns(given, ["zone", "x"])


def test_no_declared_columns():
    assert list(declared_columns([], ["a"])) == []
    assert list(declared_columns("from_dtype", ["a"])) == list(declared_columns(None, ["a"])) == []


def test_each_category_is_an_input_where_an_algorithm_knows_numbers_only(rng):
    X = pd.DataFrame({"colour": ["a", "b", "c", "d"] * 50})
    made = made_of(X, rng.normal(size=N), one_hot=True)
    assert made.names == ["colour=a", "colour=b", "colour=c", "colour=d"]
    assert made.levels == {}


@pytest.mark.parametrize("X", [np.full((N, 1), np.nan), pd.DataFrame({"x0": [None] * N}, dtype=object)])
def test_a_column_without_any_value(rng, X):
    with pytest.raises(ValueError, match=r"The column 'x0' has no value in any row; leave it out, or fill it in[.]"):
        made_of(X, rng.normal(size=N))


def test_columns_of_one_name(rng):
    X = pd.DataFrame([["a", "b"]] * N, columns=["k", "k"])
    with pytest.raises(ValueError, match="'k' occurs 2 times"):
        made_of(X, rng.normal(size=N))


def test_weights_are_kept(rng):
    weight = rng.uniform(1, 2, N)
    made = made_of(pd.DataFrame({"k": ["a", "b"] * 100}), rng.normal(size=N), sample_weight=weight)
    np.testing.assert_array_equal(made.weight, weight)


def test_tables_to_predict_have_the_columns_that_were_learned_from(rng):
    estimator = BaseEstimator()
    X = pd.DataFrame({"size": rng.normal(size=N), "colour": rng.choice(["a", "b"], N)})
    training_inputs(estimator, X, rng.normal(size=N), None)
    assert frame_of(estimator, X, ["size", "colour"]) is X
    with pytest.raises(ValueError, match="feature names"):
        frame_of(estimator, X.rename(columns={"size": "Size"}), ["size", "colour"])
    without_names = BaseEstimator()
    training_inputs(without_names, X.to_numpy(dtype=object), rng.normal(size=N), None)
    with pytest.raises(ValueError, match="3 features"):
        frame_of(without_names, np.zeros((2, 3)), ["x0", "x1"])
