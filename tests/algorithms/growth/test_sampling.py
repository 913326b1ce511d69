"""Rows that are drawn so that rare ones are seen."""

import numpy as np
import pytest

from fruler import FuzzyRuleRegressor
from fruler.algorithms.growth import learner
from fruler.algorithms.growth.sampling import draw_rows


def test_rare_rows_are_drawn_and_weights_make_up_for_it():
    rare = np.arange(50_000) % 250 == 0
    n_alike = np.where(rare, rare.sum(), (~rare).sum())
    shares, sums = [], []
    for seed in range(20):
        drawn = draw_rows(n_alike, 2_000, np.random.default_rng(seed))
        assert len(np.unique(drawn.numbers)) == 2_000
        assert (np.diff(drawn.numbers) > 0).all()
        assert drawn.weight.mean() == pytest.approx(1.0)
        shares.append(rare[drawn.numbers].sum())
        sums.append(drawn.weight[rare[drawn.numbers]].sum() / 2_000)
    # 200 of 50,000 rows would be eight of 2,000.
    assert np.mean(shares) == pytest.approx(100.0, abs=5.0)
    assert np.mean(sums) == pytest.approx(rare.mean(), rel=0.1)


def test_where_nothing_is_rare_all_rows_count_alike():
    drawn = draw_rows(np.full(900, 300), 600, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn.weight, 1.0)
    assert len(np.unique(drawn.numbers)) == 600
    other = draw_rows(np.full(900, 300), 600, np.random.default_rng(1))
    assert not np.array_equal(drawn.numbers, other.numbers)


def test_where_everything_is_rare_most_rows_are_drawn_by_chance():
    rng = np.random.default_rng(0)
    n_alike = rng.integers(1, 40, 20_000)
    drawn = draw_rows(n_alike, 1_000, rng)
    assert len(np.unique(drawn.numbers)) == 1_000
    # No more than a fifth is given to rows for being rare, and no row counts for much more than another.
    assert drawn.weight.max() < 1.3
    assert 1.0 < (n_alike <= 5).mean() ** -1 * (n_alike[drawn.numbers] <= 5).mean() < 8.0


def test_periods_of_the_table_do_not_matter():
    hours = np.arange(24_000) % 24
    drawn = draw_rows(np.full(24_000, 24_000), 1_000, np.random.default_rng(0))
    counts = np.bincount(hours[drawn.numbers], minlength=24)
    assert counts.min() > 15
    assert counts.max() < 75


def test_a_rare_region_becomes_a_rule(monkeypatch):
    monkeypatch.setattr(learner, "MAX_GROWN_ROWS", 2_000)
    monkeypatch.setattr(learner, "_MIN_GROWN_ROWS", 2_000)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(size=60_000), rng.uniform(0.0, 1.0, 60_000)])
    # One row in 150 lies far out, where all is different.
    far = rng.uniform(size=60_000) < 1 / 150
    X[far, 0] += 2.0
    y = np.where(far, 5.0 - 3.0 * X[:, 1], X[:, 0] + X[:, 1]) + 0.05 * rng.normal(size=60_000)
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    assert np.sqrt(np.mean((model.predict(X[far]) - y[far]) ** 2)) < 0.1
    assert len(model.sample_indices_) == 2_000
    assert model.rule_base_.training.cv_rmse == pytest.approx(0.05, rel=0.1)
