"""Row weights: rows of weight zero are left out, and a weight of two is a repeated row."""

import numpy as np
import pandas as pd
import pytest

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler._table.gaps import learn_moments


def table(n_rows=150, seed=0, gaps=True):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=n_rows), "c": rng.normal(size=n_rows)})
    y = 2.0 * a + np.abs(frame["c"]) + 0.3 * rng.normal(size=n_rows)
    if gaps:
        frame = frame.mask(rng.random(frame.shape) < 0.15)
    return frame, y.to_numpy()


def test_rows_of_weight_zero_do_not_count_for_gaps():
    frame, y = table()
    frame.loc[100:, ["a", "c"]] += 50.0
    weight = np.where(np.arange(150) < 100, 1.0, 0.0)
    weighted = FuzzyRuleRegressor(random_state=0).fit(frame, y, sample_weight=weight)
    dropped = FuzzyRuleRegressor(random_state=0).fit(frame[:100], y[:100])
    np.testing.assert_allclose(weighted.predict(frame), dropped.predict(frame), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("gaps", [False, True])
def test_a_weight_counts_rows_in_the_estimates_of_gaps(gaps):
    values, weight = table(gaps=gaps)[0].to_numpy(), np.random.default_rng(1).integers(1, 4, 150)
    weighted = learn_moments(values, weight.astype(float))
    repeated = learn_moments(np.repeat(values, weight, axis=0))
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-12)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_are_repeated_rows(seed, gaps):
    frame, y = table(100, seed, gaps)
    weight = np.random.default_rng(seed).integers(1, 4, len(y))
    weighted = FuzzyRuleRegressor(random_state=0).fit(frame, y, sample_weight=weight)
    repeated = FuzzyRuleRegressor(random_state=0).fit(frame.loc[np.repeat(frame.index, weight)], np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict(frame), repeated.predict(frame), atol=1e-9 * y.std())


@pytest.mark.parametrize("seed", [1, 7])
def test_the_smallest_weights_are_weights_of_one(seed):
    frame, y = table(80, seed)
    frame["g"], frame["h"] = ["u", "v"] * 40, list("pqrst") * 16
    models = [FuzzyRuleRegressor(random_state=0).fit(frame, y, np.full(80, weight)) for weight in (5e-324, 1.0)]
    np.testing.assert_array_equal(models[0].predict(frame), models[1].predict(frame))


def test_fruler_fits_a_target_of_the_smallest_numbers():
    frame, y = table(gaps=False)
    assert FRULERRegressor(max_evaluations=60, random_state=0).fit(frame, y * 1e-310).n_rules_ > 0


@pytest.mark.parametrize("unit", [0.1, 1.0 / 80.0, 1e6])
def test_the_unit_of_weights_does_not_matter_to_categories(unit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "g": rng.choice(["u", "v", "w"], 80)})
    y = 2.0 * frame.a + 1.5 * (frame.g == "u") + rng.normal(0, 0.5, 80)
    plain = FuzzyRuleRegressor(random_state=0).fit(frame, y)
    weighted = FuzzyRuleRegressor(random_state=0).fit(frame, y, sample_weight=np.full(80, unit))
    np.testing.assert_allclose(weighted.predict(frame), plain.predict(frame), rtol=1e-9)
    assert plain.rule_base_.uses[1]


def test_rows_of_weight_zero_take_part_in_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "g": rng.choice(["u", "v", "w"], 200), "b": rng.normal(size=200)})
    y = 2.0 * frame.a + (frame.g == "u") + rng.normal(0, 0.3, 200)
    counted = np.arange(200) % 4 > 0
    # What does not count is as odd as can be.
    frame.loc[~counted, ["a", "g"]] = [1e5, "never seen"]
    frame.loc[frame.index % 5 == 0, "b"] = np.nan
    kept = FuzzyRuleRegressor(random_state=0).fit(frame[counted], y[counted])
    weighted = FuzzyRuleRegressor(random_state=0).fit(frame, y, sample_weight=counted.astype(float))
    np.testing.assert_allclose(weighted.predict(frame[counted]), kept.predict(frame[counted]), rtol=1e-9)
