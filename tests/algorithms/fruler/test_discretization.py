import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from fruler import MultiGranularityDiscretizer, Reading
from fruler._algorithms.fruler.discretization import nested_splits


@pytest.fixture(scope="module")
def bent():
    """One input with a bend at 0.3, one that is straight, one without meaning."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(800, 3))
    return X, 8 * np.abs(X[:, 0] - 0.3) + X[:, 1] + 0.05 * rng.normal(size=800)


@pytest.mark.parametrize("splits", ["printed", "gain"])
def test_a_bend_is_found(bent, splits):
    discretizer = MultiGranularityDiscretizer(splits=splits).fit(*bent)
    assert discretizer.granularities_[0] >= 2
    assert discretizer.split_points_[0][1][0] == pytest.approx(0.3, abs=0.025)


def test_printed_splits_are_observed_values_and_others_lie_between(bent):
    X, y = bent
    for column, nested in zip(X.T, MultiGranularityDiscretizer().fit(X, y).nested_splits_, strict=True):
        assert len(nested.found) > 0
        assert set(nested.found) <= set(column)
    for column, nested in zip(X.T, MultiGranularityDiscretizer(splits="gain").fit(X, y).nested_splits_, strict=True):
        assert len(nested.found) > 0
        assert not set(nested.found) & set(column)


def test_the_interval_that_is_split_next():
    """Printed: that of the smallest error after its split. By gain: that whose error falls most."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 4, 1200)
    # Below 2 a small bend without noise, above 2 a large one with noise; a step between them comes first.
    y = np.where(x < 2, np.abs(x - 1), 30 + 3 * np.abs(x - 3) + 0.5 * rng.normal(size=1200))
    second = {}
    for splits in ("printed", "gain"):
        [nested] = nested_splits(x[:, None], y, splits=splits)
        assert nested.found[0] == pytest.approx(2.0, abs=0.05)
        second[splits] = nested.found[1]
    assert second["printed"] == pytest.approx(1.0, abs=0.1)
    assert second["gain"] == pytest.approx(3.0, abs=0.1)


def test_rows_on_printed_splits_and_at_the_ends_do_not_count():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 21, 2000) / 20
    y = np.sign(x - 0.5) + 0.05 * rng.normal(size=2000)
    [nested] = nested_splits(x[:, None], y)
    assert nested.found[0] == 0.5
    spoiled = np.where(np.isin(x, [0.0, 0.5, 1.0]), 7.0 * rng.normal(size=2000), y)
    # Noise on these rows makes the first BIC worse and leaves the second as it was, but for the unit of the output.
    [other] = nested_splits(x[:, None], spoiled)
    assert other.found[0] == 0.5
    shift = 2000 * np.log(np.var(spoiled) / np.var(y))
    assert other.criteria[1] + shift == pytest.approx(nested.criteria[1])
    assert other.criteria[0] + shift > nested.criteria[0] + 100
    # Half-open intervals count them.
    [plain], [worse] = (nested_splits(x[:, None], z, splits="gain") for z in (y, spoiled))
    assert worse.criteria[1] + shift > plain.criteria[1] + 100


def test_few_values_stay_whole_where_splits_are_printed():
    x = np.repeat(np.arange(6.0), 100)
    y = np.abs(x - 3.0)
    assert MultiGranularityDiscretizer().fit(x[:, None], y).granularities_.tolist() == [1]
    assert MultiGranularityDiscretizer(splits="gain").fit(x[:, None], y).granularities_[0] > 1
    x = np.repeat(np.arange(7.0), 100)
    assert MultiGranularityDiscretizer().fit(x[:, None], np.abs(x - 3.0)).split_points_[0][1].tolist() == [3.0]


@pytest.mark.parametrize("splits", ["printed", "gain"])
def test_weights_are_copies_but_for_the_rows_beside_a_split(bent, splits):
    """With weights of 2, and twice as many rows asked for, the errors are those of the doubled table."""
    X, y = bent
    weighted = nested_splits(X, y, np.full(len(y), 2.0), splits=splits)
    doubled = nested_splits(np.repeat(X, 2, axis=0), np.repeat(y, 2), splits=splits, reading=Reading(min_samples=60))
    for one, other in zip(weighted, doubled, strict=True):
        assert one.found[0] == other.found[0]
        # BIC counts rows, so that twice the criterion is that of the doubled table, but for the penalty.
        penalty = 2.0 * np.log(2 * len(y)) - 2.0 * 2.0 * np.log(len(y))
        np.testing.assert_allclose(other.criteria[:2], 2.0 * one.criteria[:2] + penalty, rtol=1e-9)


def test_without_a_free_split_straight_inputs_stay_whole(bent):
    assert MultiGranularityDiscretizer(first_split_free=False).fit(*bent).granularities_.tolist()[1:] == [1, 1]
    assert (MultiGranularityDiscretizer().fit(*bent).granularities_ >= 2).all()


def test_granularities_are_nested():
    X, _ = make_friedman1(3000, random_state=0)
    y = np.sin(12 * X[:, 0]) + np.sign(X[:, 1] - 0.7)
    discretizer = MultiGranularityDiscretizer().fit(X, y)
    assert discretizer.granularities_.max() > 3
    for largest, levels in zip(discretizer.granularities_, discretizer.split_points_, strict=True):
        assert [len(level) for level in levels] == list(range(largest))
        for coarse, fine in itertools.pairwise(levels):
            assert set(coarse) < set(fine)
            assert (np.diff(fine) > 0).all()


def test_every_interval_has_enough_rows():
    X, y = make_friedman1(3000, noise=0.1, random_state=0)
    discretizer = MultiGranularityDiscretizer(min_samples=200).fit(X, y)
    for column, levels in zip(X.T, discretizer.split_points_, strict=True):
        assert np.histogram(column, [-np.inf, *levels[-1], np.inf])[0].min() >= 200


def test_splits_separate_the_rows_as_counted():
    """A split between neighbouring floats must lie right of the lower one: intervals are half-open."""
    low = 1.0
    high = np.nextafter(low, 2.0)
    x = np.concatenate([np.linspace(0, low, 100), np.linspace(high, 2, 100)])
    [nested] = nested_splits(x[:, None], np.where(x < high, 0.0, 9.0 + x), splits="gain")
    assert nested.at(2) == [high]
    assert (x < nested.at(2)[0]).sum() == 100


def test_constant_binary_and_few_rows_stay_whole():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(300, 7.0), rng.integers(0, 2, 300), rng.uniform(size=300)])
    y = 5 * X[:, 1] + np.sign(X[:, 2] - 0.5)
    assert MultiGranularityDiscretizer().fit(X, y).granularities_.tolist()[:2] == [1, 1]
    assert MultiGranularityDiscretizer().fit(X[:29], y[:29]).granularities_.tolist() == [1, 1, 1]
    assert MultiGranularityDiscretizer().fit(X[:2], y[:2]).granularities_.tolist() == [1, 1, 1]


def test_a_constant_target_is_fine():
    rng = np.random.default_rng(0)
    discretizer = MultiGranularityDiscretizer().fit(rng.uniform(size=(500, 2)), np.full(500, 3.3))
    assert (discretizer.granularities_ <= 2).all()


def test_an_exact_line_needs_no_further_split():
    x = np.linspace(0, 1, 1000)
    [nested] = nested_splits(x[:, None], 3 * x + 1)
    assert nested.granularity <= 2


def test_huge_and_tiny_scales_make_no_difference(bent):
    X, y = bent
    plain = nested_splits(X, y)
    scaled = nested_splits(X * np.array([2.0**-40, 2.0**40, 2.0**490]), y * 2.0**60)
    for one, other, unit in zip(plain, scaled, [2.0**-40, 2.0**40, 2.0**490], strict=True):
        np.testing.assert_allclose(other.found, one.found * unit, rtol=1e-12)


def test_rows_of_weight_zero_do_not_count(bent):
    X, y = bent
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    counted = weight > 0
    weighted = MultiGranularityDiscretizer().fit(X, y, sample_weight=weight)
    without = MultiGranularityDiscretizer().fit(X[counted], y[counted], sample_weight=weight[counted])
    for a, b in zip(weighted.nested_splits_, without.nested_splits_, strict=True):
        np.testing.assert_array_equal(a.found, b.found)


def test_weights_move_a_split():
    # Two bends; the rows around one of them hardly count.
    x = np.random.default_rng(0).uniform(size=(2000, 1))
    y = np.where(x[:, 0] < 0.3, 0.0, np.where(x[:, 0] < 0.7, 5.0, -5.0))
    left, right = np.where(x[:, 0] < 0.5, 1.0, 1e-6), np.where(x[:, 0] < 0.5, 1e-6, 1.0)
    for weight, bend in ((left, 0.3), (right, 0.7)):
        [nested] = MultiGranularityDiscretizer().fit(x, y, sample_weight=weight).nested_splits_
        assert nested.found[0] == pytest.approx(bend, abs=0.01)


def test_transform_gives_degrees_by_label(bent):
    X, y = bent
    frame = pd.DataFrame(X, columns=["age", "dose", "noise"])
    discretizer = MultiGranularityDiscretizer().fit(frame, y)
    degrees = discretizer.transform(frame)
    names = discretizer.get_feature_names_out()
    assert degrees.shape == (800, discretizer.granularities_.sum()) == (800, len(names))
    assert names[0].startswith("age is ")
    first = discretizer.granularities_[0]
    np.testing.assert_allclose(degrees[:, :first].sum(axis=1), 1.0)
    np.testing.assert_array_equal(degrees[:, :first], discretizer.partition("age").degrees(X[:, 0]))
    assert list(discretizer.set_output(transform="pandas").transform(frame).columns) == list(names)


def test_partitions_of_any_granularity(bent):
    discretizer = MultiGranularityDiscretizer(fuzziness=0.5).fit(*bent)
    assert discretizer.partition(0, 1).labels == ("any",)
    assert set(discretizer.partition(0, 2).fuzziness) == {0.5}
    with pytest.raises(ValueError, match="granularities 1 to"):
        discretizer.partition(0, 99)
    for unknown in (99, -1, "age", 1.5):
        with pytest.raises(ValueError, match=f"no input {unknown!r}; the inputs are 0 to 2: x0, x1, x2"):
            discretizer.partition(unknown)


def test_crisp_labels_let_a_linear_model_take_a_step(bent):
    x = bent[0][:, :1]
    y = np.where(x[:, 0] < 0.3, 5.0, 1.0)
    # A printed split lies on a row of one of the sides, which then has the other's label.
    stepwise = make_pipeline(MultiGranularityDiscretizer(splits="gain", fuzziness=0.0), LinearRegression())
    assert LinearRegression().fit(x, y).score(x, y) < 0.8
    assert stepwise.fit(x, y).score(x, y) > 0.999


@pytest.mark.parametrize(
    "parameters", [{"splits": "gini"}, {"min_samples": 1}, {"fuzziness": 1.1}, {"first_split_free": "yes"}]
)
def test_bad_parameters_are_refused(bent, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        MultiGranularityDiscretizer(**parameters).fit(*bent)


def test_other_columns_are_refused_at_transform():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    discretizer = MultiGranularityDiscretizer().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        discretizer.transform(X.rename(columns={"age": "years"}))
