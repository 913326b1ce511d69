"""The growth: it finds what is there, and keeps to its limits."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import n_accepting, standardised
from hypothesis import given
from hypothesis import strategies as st

from fruler.algorithms.growth.growth import Growth
from fruler.algorithms.growth.normal_equations import normal_equations, outputs, rule_weights
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.split_search import between
from fruler.consequents.ridge import Prices
from fruler.table.scaling import measure_scale

nothing_known = [np.empty(0), np.empty(0)]


def bends(n_rows=400, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    return X, np.sin(7.0 * X[:, 0]) * (1.0 + X[:, 1]) + noise * rng.normal(size=n_rows)


def grow(X, y, known=nothing_known, weight=None, deadline=np.inf, prices=None, min_rows=None, **parameters):
    rows, domains = standardised(X, y, weight)
    growth = Growth(rows, domains, known, GrowthOptions(**parameters), deadline)
    growth.prices = prices or growth.prices
    growth.splits.min_rows = min_rows or growth.splits.min_rows
    growth.run()
    return growth


def test_a_step_is_found_where_it_is():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 2))
    y = np.where(X[:, 1] > 0.63, 5.0, 0.0) + 0.05 * rng.normal(size=500)
    growth = grow(X, y, fuzziness=0.0, max_rules=2)
    scale = measure_scale(X)
    structure = growth.path[1].structure
    assert len(structure.splits[0]) == 0
    # The candidates are the quantiles; one round of tuning follows.
    assert structure.splits[1] * scale.spread[1] + scale.centre[1] == pytest.approx(0.63, abs=0.07)
    structure, fit = growth.tune(structure, growth.path[1].fit)
    assert structure.splits[1] * scale.spread[1] + scale.centre[1] == pytest.approx(0.63, abs=0.03)
    assert fit.criterion < growth.path[1].fit.criterion


def test_a_hinge_is_found_and_not_overdone():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(500, 2))
    y = np.maximum(X[:, 0] - 0.4, 0.0) * 8.0 + 0.05 * rng.normal(size=500)
    growth = grow(X, y, fuzziness=0.2)
    scale = measure_scale(X)
    structure = growth.path[1].structure
    assert len(structure.splits[1]) == 0
    assert structure.splits[0] * scale.spread[0] + scale.centre[0] == pytest.approx(0.4, abs=0.08)
    assert growth.path[1].fit.error < 0.1 * growth.path[0].fit.error
    assert len(growth.path) < 10


def test_every_step_has_one_rule_more_and_its_criterion_is_that_of_its_fit():
    growth = grow(*bends())
    assert [step.structure.n_rules for step in growth.path] == list(range(1, len(growth.path) + 1))
    assert len(growth.path) > 3
    n = len(growth.rows)
    for step in growth.path:
        structure, fit = step.structure, step.fit
        assert (n_accepting(structure) == 1).all()
        weights = rule_weights(structure, growth.rows, growth.domains)
        residual = growth.rows.y - outputs(fit.coefficients, weights, growth.rows)
        error = np.mean(np.square(residual)) + growth.splits.ridge * np.square(fit.coefficients[:, 1:]).sum()
        assert fit.error == pytest.approx(error, rel=1e-5)
        assert fit.n_terms == structure.n_rules + np.count_nonzero(fit.coefficients[:, 1:])
        size = fit.n_terms + structure.n_rules + structure.n_splits
        assert fit.criterion == pytest.approx(n * np.log(fit.error) + np.log(n) * size)
    assert (np.diff([step.n_evaluations for step in growth.path]) > 0).all()
    assert growth.path[-1].n_evaluations <= growth.n_evaluations


def test_higher_prices_give_smaller_rule_bases():
    X, y = bends()
    cheap, dear = (
        min(grow(X, y, prices=Prices(term=1.0, rule=price)).path, key=lambda step: step.fit.criterion)
        for price in (0.0, 30.0)
    )
    assert dear.structure.n_rules < cheap.structure.n_rules


@pytest.mark.parametrize("min_rows", [5.0, 40.0, 90.0])
def test_no_rule_has_too_few_rows(min_rows):
    X, y = bends()
    weight = np.random.default_rng(0).uniform(0.2, 1.8, len(y))
    growth = grow(X, y, weight=weight, min_rows=min_rows)
    assert len(growth.path) > 1
    for step in growth.path:
        assert (weight @ rule_weights(step.structure, growth.rows, growth.domains)).min() >= min_rows


def test_rows_too_few_for_two_rules_give_one():
    assert len(grow(*bends(23)).path) == 1


def test_there_are_no_more_rules_than_allowed():
    X, y = bends()
    assert len(grow(X, y, max_rules=1).path) == 1
    assert len(grow(X, y, max_rules=4).path) == 4


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_growth_ends_after_so_many_splits_that_do_not_pay(patience):
    growth = grow(*bends(), early_stopping=patience)
    criteria = np.array([step.fit.criterion for step in growth.path])
    pays = np.concatenate([[True], criteria[1:] < np.minimum.accumulate(criteria)[:-1]])
    assert not pays[-patience:].any()
    # It did not go on after as many failures earlier on.
    runs = "".join("x" if paid else "." for paid in pays[:-1])
    assert "." * patience not in runs
    assert len(criteria) < growth.options.max_rules


@pytest.mark.parametrize("most", [1, 2, 7, 20, 61])
def test_evaluations_are_never_exceeded(most):
    X, y = bends()
    growth = grow(X, y, max_evaluations=most)
    assert growth.n_evaluations <= most
    growth.tune(growth.path[-1].structure, growth.path[-1].fit)
    assert growth.n_evaluations == most
    unlimited = grow(X, y)
    for limited, step in zip(growth.path[:-1], unlimited.path, strict=False):
        assert limited.fit.criterion == step.fit.criterion


def test_after_the_deadline_there_is_one_rule_and_nothing_new(clock):
    growth = grow(*bends(), deadline=clock.now - 1.0)
    assert len(growth.path) == 1
    assert growth.n_evaluations == 1
    assert growth.out_of_time
    assert not grow(*bends(60)).out_of_time


def test_a_deadline_on_the_way_ends_the_growth(clock):
    X, y = bends()
    clock.tick = 1.0
    deadline = clock.now + 50.0
    growth = grow(X, y, deadline=deadline)
    # Every stage asks once more for the time, and begins nothing.
    assert deadline < clock.now < deadline + 10.0
    assert 1 < len(growth.path) < len(grow(X, y).path)


def test_known_splits_are_used_where_they_are_and_nowhere_else():
    X, y = bends()
    known = [np.array([-0.9, 0.1, 1.2]), np.empty(0)]
    growth = grow(X, y, known=known)
    assert growth.path[-1].structure.n_rules > 2
    for step in growth.path:
        assert step.structure.splits[0].tolist() == known[0].tolist()
    used = {int(label) for label in growth.path[-1].structure.ranges[:, 0, 0]} - {0}
    assert used
    structure, _ = growth.tune(growth.path[-1].structure, growth.path[-1].fit)
    assert structure.splits[0].tolist() == known[0].tolist()


def test_tuning_lowers_the_criterion_and_keeps_the_rules():
    growth = grow(*bends(), max_rules=4)
    last = growth.path[-1]
    structure, fit = growth.tune(last.structure, last.fit)
    assert fit.criterion < last.fit.criterion
    assert np.array_equal(structure.ranges, last.structure.ranges)
    normal = normal_equations(structure, growth.rows, growth.domains)
    assert (growth.rows.weight @ normal.weights).min() >= growth.splits.min_rows


def test_the_same_rows_give_the_same_growth():
    a, b = (grow(*bends()) for _ in range(2))
    assert len(a.path) == len(b.path)
    for one, other in zip(a.path, b.path, strict=True):
        assert one.fit.criterion == other.fit.criterion
        assert np.array_equal(one.fit.coefficients, other.fit.coefficients)
        assert np.array_equal(one.structure.ranges, other.structure.ranges)
        for p, q in zip(one.structure.splits, other.structure.splits, strict=True):
            assert np.array_equal(p, q)


def test_a_constant_and_a_doubled_input_do_no_harm():
    X, y = bends()
    X = np.column_stack([X, np.full(len(y), 7.0), X[:, 0]])
    rows, domains = standardised(X, y)
    growth = Growth(rows, domains, [np.empty(0)] * 4, GrowthOptions())
    path = growth.run()
    assert len(path) > 3
    assert all(len(step.structure.splits[2]) == 0 for step in path)
    assert all(np.isfinite(step.fit.coefficients).all() for step in path)


def test_with_many_inputs_a_split_is_judged_by_terms_in_use():
    X, y = bends()
    noise = np.random.default_rng(9).normal(size=(len(y), 14))
    rows, domains = standardised(np.column_stack([X, noise]), y)
    path = Growth(rows, domains, [np.empty(0)] * 16, replace(GrowthOptions(), max_rules=3)).run()
    assert [len(points) > 0 for points in path[-1].structure.splits[:1]] == [True]
    assert all(len(points) == 0 for points in path[1].structure.splits[2:])


@examples(0.6)
@given(st.lists(st.sampled_from(np.arange(30) / 4.0), max_size=60), st.integers(1, 9))
def test_points_between_values_part_them(values, most):
    values = np.sort(np.array(values, dtype=float))
    points = between(values, most)
    distinct = np.unique(values)
    assert len(points) <= most
    assert (np.diff(points) > 0.0).all()
    # Each of them has values on both sides.
    assert ((points > values.min(initial=np.inf)) & (points < values.max(initial=-np.inf))).all()
    if len(distinct) - 1 <= most:
        np.testing.assert_allclose(points, (distinct[1:] + distinct[:-1]) / 2.0)


def test_points_between_many_values_are_quantiles():
    np.testing.assert_array_equal(between(np.arange(100.0), 3), [25.0, 50.0, 75.0])


def test_crisp_borders_stand_between_values():
    X, y = bends()
    growth = grow(np.round(20.0 * X), y, fuzziness=0.0, max_rules=6)
    structure, _ = growth.tune(growth.path[-1].structure, growth.path[-1].fit)
    assert structure.n_splits > 2
    for points, values in zip(structure.splits, growth.splits.sorted, strict=True):
        gap = np.diff(np.unique(values)).min()
        assert all(np.abs(values - point).min() > 0.4 * gap for point in points)


def test_borders_without_room_are_not_moved():
    growth = grow(*bends(60), max_rules=1)
    low, high = growth.domains[0]
    near = low + 1.2e-7 * (high - low)
    structure, _ = growth.path[0].structure.with_split(0, near, 1.0)
    assert [float(moved.splits[0][0]) > near for moved in growth.moves(structure, 0, 0, 0.25)] == [True]


def test_a_split_that_pays_renews_the_patience():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(600, 2))
    growth = grow(X, np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=600), early_stopping=2)
    criteria = np.array([step.fit.criterion for step in growth.path])
    pays = criteria[1:] < np.minimum.accumulate(criteria)[:-1]
    # Some split on the way did not pay, and the growth went on.
    assert not pays[:-3].all()
    assert not pays[-2:].any()


def same_steps(path, other):
    return len(path) == len(other) and all(
        one.n_evaluations == two.n_evaluations
        and one.fit.criterion == two.fit.criterion
        and np.array_equal(one.fit.coefficients, two.fit.coefficients)
        and np.array_equal(one.structure.ranges, two.structure.ranges)
        for one, two in zip(path, other, strict=True)
    )


@pytest.mark.parametrize("limits", [{"max_rules": 5}, {"max_evaluations": 60}, {"early_stopping": 1}, {"max_rules": 9}])
def test_a_growth_goes_on_from_the_exact_steps_of_another(limits):
    X, y = bends()
    rows, domains = standardised(X, y, None)
    whole = grow(X, y, **limits)
    for start in ({"max_rules": 3}, {"max_evaluations": 45}, {}):
        first = grow(X, y, **start)
        second = Growth(rows, domains, nothing_known, GrowthOptions(**limits))
        second.run(first.path[: first.n_exact])
        assert same_steps(second.path, whole.path)
        assert second.n_evaluations == whole.n_evaluations


def test_a_step_that_a_limit_cut_short_is_not_exact():
    X, y = bends()
    cut = grow(X, y, max_evaluations=20)
    assert cut.n_exact == len(cut.path) - 1
    stopped = []

    def stop_at_three(growth):
        stopped.append(len(growth.path) == 3)

    rows, domains = standardised(X, y, None)
    growth = Growth(rows, domains, nothing_known, GrowthOptions(), stopped=lambda: any(stopped), on_step=stop_at_three)
    growth.run()
    assert len(growth.path) == growth.n_exact == 3
