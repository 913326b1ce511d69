"""The rows and inputs that rules are grown on."""

import itertools

import numpy as np
import pytest
from helpers.structures import problem_of, standardised

from fruler import FuzzyRuleRegressor
from fruler._algorithms.growth import learner, problem
from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.problem import GRID, MAX_INPUTS, draw_rows, grouped_rows, on_grid, screened_inputs
from fruler._table.rows import Rows


def friedman_like(seed, n=250):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    return X, 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2 + rng.normal(size=n)


def grown(X, y, weight=None):
    return FuzzyRuleRegressor(random_state=0).fit(X, y, sample_weight=weight)


def test_equal_rows_are_held_out_together(monkeypatch):
    X, y = friedman_like(0, 60)
    again = np.repeat(np.arange(60), 3)
    validations = []

    class Recorded(learner.CrossValidation):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            validations.append(self)

    monkeypatch.setattr(learner, "CrossValidation", Recorded)
    grown(np.append(X[again], X[:1], axis=0), np.append(y[again], y[:1]))
    [validation] = validations
    rows, held_out = validation.problem.rows, validation.folds
    assert len(rows) == 181
    tuples = as_tuples(rows)
    sets = [{tuples[i] for i in fold.held_out} for fold in held_out]
    assert sum(len(one) for one in sets) == len(set(tuples)) == 60


def assert_same(model, other, X, X_of_other=None):
    expected = model.predict(X)
    found = other.predict(X if X_of_other is None else X_of_other)
    assert model.n_rules_ == other.n_rules_ > 1
    assert np.abs(found - expected).max() < 1e-9 * expected.std()


def some_rows(weight=None):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (200, 2)).astype(float), rng.integers(0, 2, 200).astype(float)
    return Rows.from_arrays(X, y, weight)


def as_tuples(rows):
    return [(*x, y) for x, y in zip(rows.columns.T.tolist(), rows.y.tolist(), strict=True)]


def test_groups_are_of_equal_rows():
    rows = some_rows()
    grouped = grouped_rows(rows, 1000)
    tuples = as_tuples(grouped.rows)
    assert sorted(tuples) == sorted(as_tuples(rows))
    assert grouped.n_groups == len(set(tuples))
    found = [set(tuples[a:b]) for a, b in itertools.pairwise(grouped.starts)]
    assert [len(one) for one in found] == [1] * grouped.n_groups
    assert len(set.union(*found)) == grouped.n_groups
    numbers = grouped.rows_of(np.array([2, 0]))
    assert numbers.tolist() == [*range(grouped.starts[1]), *range(grouped.starts[2], grouped.starts[3])]


@pytest.mark.parametrize("unit", [1.0, 0.3, 1e-9])
def test_whole_weights_are_numbers_of_rows(unit):
    weight = np.random.default_rng(1).integers(2, 5, 200)
    grouped, repeated = (
        grouped_rows(some_rows(weight * unit), 1000),
        grouped_rows(some_rows().take(np.repeat(range(200), weight)), 1000),
    )
    assert as_tuples(grouped.rows) == as_tuples(repeated.rows)
    assert grouped.starts.tolist() == repeated.starts.tolist()
    assert set(grouped.rows.weight.tolist()) == {1.0}


def test_what_is_there_twice_throughout_is_there_once():
    rows = some_rows()
    plain, twice = grouped_rows(rows, 1000), grouped_rows(rows.take(np.repeat(range(200), 2)), 1000)
    assert as_tuples(plain.rows) == as_tuples(twice.rows)


def test_other_weights_stay_with_their_rows():
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 200)
    rows = some_rows(weight)
    for given, max_rows in ((rows, 10_000), (some_rows(np.arange(1.0, 201.0)), 500)):
        grouped = grouped_rows(given, max_rows).rows
        pairs = [sorted(zip(as_tuples(one), one.weight.tolist(), strict=True)) for one in (given, grouped)]
        assert pairs[0] == pairs[1]


def test_rows_with_other_terms_are_others():
    X, y, terms = np.ones((2, 1)), np.ones(2), np.array([[0.25], [0.5]])
    assert grouped_rows(Rows.from_arrays(X, y, terms=terms), 10).n_groups == 2


def test_numbers_are_rounded_by_half_a_step_at_the_most():
    values = np.random.default_rng(0).normal(size=1000)
    assert np.abs(on_grid(values) - values).max() <= GRID / 2.0
    assert not np.signbit(on_grid(np.array([-0.0, -GRID / 8.0]))).any()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter(seed):
    X, y = friedman_like(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    assert_same(grown(X, y), grown(X[order], y[order]), X)


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_repeated_are_rows_with_weights(seed):
    X, y = friedman_like(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    assert_same(grown(X, y, weight), grown(X[again], y[again]), X)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [1e6, 1.0 / 3.0, 1e-7])
def test_the_unit_of_an_input_does_not_matter(seed, unit):
    X, y = friedman_like(seed)
    # Numbers on a grid, so that ties are many.
    X = np.round(X, 2)
    assert_same(grown(X, y), grown(unit * X, y), X, unit * X)


@pytest.mark.parametrize("offset", [1e6, 1e10, 1e11, 1e12])
def test_an_input_far_from_zero_is_split(offset):
    X, y = friedman_like(0)
    model = grown(X + offset, y)
    assert max(model.granularities_) > 1
    assert model.score(X + offset, y) > 0.97 * grown(X, y).score(X, y)


def test_an_input_too_far_from_zero_is_told_of():
    X, y = friedman_like(0)
    with pytest.warns(UserWarning, match=r"Input 'x1' is not split: its values, from 100000000000000.* Subtract 1000"):
        model = grown(X + np.array([0.0, 1e14, 0.0, 0.0]), y)
    assert model.granularities_[1] == 1


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


def wide(n_inputs=200, n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_inputs)), 0.1 * rng.normal(size=n_rows)


def screened(X, y, max_inputs=MAX_INPUTS, always=()):
    rows, _ = standardised(X, y)
    return screened_inputs(rows, np.isin(np.arange(X.shape[1]), always), max_inputs).tolist()


@pytest.mark.parametrize("n_rows", [1, 2, 5, 9, 20, 300])
def test_inputs_are_screened_in_bins(n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 10))
    X[:, :3] = np.round(X[:, :3])
    X[:, 3:6] = np.round(3.0 * X[:, 3:6])
    X[:, 6] = 1.0
    X[: n_rows // 2, 7] = X[:, 7].min()
    (bin_of, centres), (first, places, reaches, _) = problem._binned(Rows.from_arrays(X, np.zeros(n_rows)))
    for j, column in enumerate(X.T):
        edges = problem.between(np.sort(column), 7)
        own = slice(first[j], first[j + 1])
        assert places[own].tolist() == edges.tolist()
        assert reaches[own].tolist() == [max(0.1 * np.ptp(column), 1e-9)] * len(edges)
        assert bin_of[j].tolist() == np.searchsorted(edges, column, side="right").tolist()
        for number in set(bin_of[j].tolist()):
            assert centres[j, number] == pytest.approx(column[bin_of[j] == number].mean())


def test_few_inputs_are_all_taken():
    X, y = wide(48)
    assert screened(X, y) == list(range(48))
    X, y = wide(49)
    assert len(screened(X, y)) == 48


@pytest.mark.parametrize("seed", range(3))
def test_an_input_that_only_turns_another_s_slope_is_kept(seed):
    X, noise = wide(seed=seed)
    found = screened(X, np.where(X[:, 150] > 0.0, 2.0, -2.0) * X[:, 30] + 3.0 * X[:, 30] + noise)
    assert {30, 150} <= set(found)
    assert len(found) == MAX_INPUTS
    assert found == sorted(set(found))


@pytest.mark.parametrize("shape", [np.abs, np.sign, lambda x: x, lambda x: np.maximum(x - 1.0, 0.0)])
def test_inputs_that_matter_by_themselves_are_kept(shape):
    X, noise = wide()
    some = [7, 80, 199]
    assert set(some) <= set(screened(X, shape(X[:, some]).sum(axis=1) + noise, 12))


def test_a_weak_input_beside_strong_ones_is_found_in_a_later_round():
    X, noise = wide()
    y = 10.0 * X[:, :6].sum(axis=1) + np.abs(X[:, 100]) + noise
    assert {*range(6), 100} <= set(screened(X, y, 24))


def test_some_inputs_are_always_taken():
    X, noise = wide()
    found = screened(X, X[:, 0] + noise, 12, always=[5, 190])
    assert {0, 5, 190} <= set(found)
    assert len(found) == 14


def test_constant_and_doubled_inputs_do_no_harm():
    X, noise = wide()
    X[:, 10:20], X[:, 20] = 1.0, X[:, 0]
    assert 0 in screened(X, X[:, 0] + noise, 12)


def test_a_growth_is_over_the_inputs_that_are_kept():
    X, noise = wide(120)
    y = np.abs(X[:, 3]) + np.where(X[:, 100] > 0.0, 1.0, -1.0) * X[:, 50] + noise
    rows, domains = standardised(X, y)
    known = [np.empty(0)] * 120
    known[119] = np.array([0.0])
    growth = Growth(problem_of(rows, domains, known, max_rules=2), max_size=2)
    growth.run()
    assert len(growth.inputs) == len(growth.rows.columns) == MAX_INPUTS + 1
    assert {3, 50, 100, 119} <= set(growth.inputs.tolist())
    np.testing.assert_array_equal(growth.rows.columns, rows.columns[growth.inputs])
    structure = growth.path[-1].structure
    used = {int(growth.inputs[j]) for j in [*structure.splits.inputs, *structure.bends.inputs]}
    assert used == {3, 100}


class TestColumnsThatSayNothingNew:
    """A constant, or a copy of another column, changes nothing."""

    @pytest.mark.parametrize(
        ("place", "column"),
        [
            *((place, lambda X: np.full(len(X), 7.0)) for place in (0, 2, 4)),
            *((place, lambda X: 3.0 + 2.0 * X[:, 1]) for place in (0, 2, 4)),
            *((place, lambda X: 3.0 - 2.0 * X[:, 1]) for place in (2, 4)),
        ],
    )
    def test_predictions_stay(self, column, place):
        X, y = friedman_like(1)
        more = np.insert(X, place, column(X), axis=1)
        np.testing.assert_allclose(grown(more, y).predict(more), grown(X, y).predict(X), rtol=1e-7)

    def test_a_shift_of_the_target_changes_nothing_else(self):
        X, y = friedman_like(2)
        np.testing.assert_allclose(grown(X, y + 1e6).predict(X), grown(X, y).predict(X) + 1e6, rtol=1e-9)

    def test_constants_alone_give_the_mean(self):
        y = np.arange(30.0)
        model = grown(np.ones((30, 2)), y)
        np.testing.assert_allclose(model.predict(np.ones((30, 2))), y.mean())
