"""The growth: it finds what is there, and keeps to its limits."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.structures import (
    dense_weights,
    grow_at_random,
    make_ramps,
    mixed_problem,
    n_accepting,
    problem_of,
    same_steps,
    standardised,
)

from fruler._algorithms.growth.growth import MIN_ROWS, Fit, Growth, Step, failures, growth_seconds_left, usable_steps
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import MIN_LABEL
from fruler._algorithms.growth.structure import Structure
from fruler._table.rows import measure_scale
from fruler.learning._control import UNLIMITED, Budget


def bends(n_rows=200, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    return X, np.sin(7.0 * X[:, 0]) * (1.0 + X[:, 1]) + noise * rng.normal(size=n_rows)


def start(X, y, known=None, weight=None, budget=UNLIMITED, max_size=24, on_step=None, **options):
    rows, domains = standardised(X, y, weight)
    return Growth(problem_of(rows, domains, known, **options), budget, max_size=max_size, on_step=on_step)


def grow(*table, **parameters):
    growth = start(*table, **parameters)
    return growth, growth.run()


@pytest.fixture(scope="module")
def grown():
    return grow(*bends(), max_rules=5)


def all_structures(growth, best):
    return [step.structure for step in [*growth.path, *best]]


def in_units(points, X):
    scale = measure_scale(X)
    return points.places * scale.spread[points.inputs] + scale.centre[points.inputs]


# What it finds.


def test_a_step_is_found_where_it_is():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    growth, _ = grow(X, np.where(X[:, 1] > 0.63, 5.0, 0.0) + 0.05 * rng.normal(size=200), max_rules=2, max_curves=0)
    step = growth.path[1]
    assert step.structure.splits.inputs.tolist() == [1]
    assert in_units(step.structure.splits, X) == pytest.approx(0.63, abs=0.02)
    # Hardly any overlap is left of a fuzzy split point.
    assert step.structure.splits.reaches[0] < 0.05
    assert step.fit.error < 0.05 * growth.path[0].fit.error


def test_an_input_that_turns_another_s_slope_is_split():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    y = np.where(X[:, 1] > 0.5, 3.0, -3.0) * X[:, 0] + 0.05 * rng.normal(size=200)
    growth, _ = grow(X, y, max_size=1)
    assert growth.path[1].structure.n_rules == 2
    assert growth.path[1].structure.splits.inputs.tolist() == [1]
    assert in_units(growth.path[1].structure.splits, X) == pytest.approx(0.5, abs=0.03)
    assert growth.path[1].fit.error < 0.05 * growth.path[0].fit.error


def test_a_product_needs_rules_and_no_curve():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    growth, _ = grow(X, 4.0 * X[:, 0] * X[:, 1] + 0.05 * rng.normal(size=200), max_rules=3)
    assert [step.structure.n_rules for step in growth.path[:3]] == [1, 2, 3]
    assert growth.path[2].fit.error < 0.1 * growth.path[0].fit.error


def test_a_bend_is_a_curve_and_no_rule():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    growth, best = grow(X, 4.0 * np.abs(X[:, 0] - 0.5) + X[:, 1] + 0.05 * rng.normal(size=200))
    bent = growth.path[1].structure
    assert (bent.n_rules, bent.bends.inputs.tolist()) == (1, [0])
    assert in_units(bent.bends, X) == pytest.approx(0.5, abs=0.06)
    assert growth.path[1].fit.error < 0.05 * growth.path[0].fit.error
    assert min(best, key=lambda step: step.fit.criterion).structure.n_rules == 1


# What every step is.


def dense_criterion(growth, step):
    """The criterion of a step, from the terms themselves."""
    structure, fit, rows = step.structure, step.fit, growth.rows
    problem = mixed_problem(structure, rows, growth.locality)
    ridge = np.full(structure.n_terms, growth.regularization / problem.total)
    ridge[0] = 0.0
    kept = np.flatnonzero(fit.kept)
    error = problem.error(fit.coefficients) + ridge @ np.square(fit.coefficients)
    inverse = np.linalg.inv(problem.gram[np.ix_(kept, kept)] + np.diag(ridge[kept]))
    joint = mixed_problem(structure, rows, 0.0)
    together = joint.terms[: len(rows), kept]
    leverage = np.einsum("nt,tu,nu->n", together, inverse, together) / problem.total
    squares = np.square(joint.goal[: len(rows)] - joint.terms[: len(rows)] @ fit.coefficients)
    factor = (squares / np.square(1.0 - np.minimum(leverage, 0.95))).sum() / squares.sum()
    n, prices = len(rows), growth.prices
    cost = prices.term * len(kept) + prices.rule * (structure.n_rules - 1)
    cost += prices.split * len(structure.splits) + prices.bend * len(structure.bends)
    return error, n * np.log(error * factor**1.5) + np.log(n) * cost


@pytest.mark.parametrize("locality", [0.0, 0.3, 1.0])
def test_error_and_criterion_of_every_step_are_those_of_its_terms(locality):
    weight = np.random.default_rng(1).uniform(0.2, 1.8, 200)
    growth, best = grow(*bends(), weight=weight, max_rules=3, max_size=4, locality=locality)
    assert len(growth.path) == 5
    for step in [*growth.path, *best]:
        error, criterion = dense_criterion(growth, step)
        assert step.fit.error == pytest.approx(error, rel=1e-6)
        assert step.fit.criterion == pytest.approx(criterion, abs=1e-4)
        assert step.fit.n_terms == np.count_nonzero(step.fit.coefficients[1:]) + 1


def test_every_step_is_larger_by_one_rule_or_one_piece(grown):
    growth, best = grown
    assert len(growth.path) > 4
    for path in (growth.path, best):
        assert [step.structure.size for step in path] == list(range(len(growth.path)))
        assert all((n_accepting(step.structure, growth.room.domains) == 1).all() for step in path)
    assert (np.diff([step.n_evaluations for step in growth.path]) > 0).all()
    assert growth.path[-1].n_evaluations <= growth.n_evaluations
    assert {step.structure.n_rules for step in growth.path} >= {1, 2, 3}
    assert growth.path[-1].structure.n_curves > 0


def test_split_points_change_in_every_step(grown):
    first, second = grown[0].path[3:5]
    assert second.fit.error < 0.99 * first.fit.error
    # All of them are tuned together.
    assert not np.isin(first.structure.splits.places, second.structure.splits.places).any()


@pytest.mark.parametrize("seed", range(6))
def test_going_back_is_never_worse(seed):
    rng = np.random.default_rng(seed)
    X = np.round(2.0 * rng.normal(size=(120, 3))) if seed % 2 else rng.normal(size=(120, 3))
    y = [np.sin(2.0 * X[:, 0]) + X[:, 1], np.sign(X[:, 0]) * X[:, 1], np.abs(X[:, 0]) + X[:, 1] ** 2][seed % 3]
    growth, best = grow(X, y + 0.1 * rng.normal(size=120), max_rules=5, fuzziness=0.3)
    assert len(best) == len(growth.path)
    worse = [back.fit.criterion - step.fit.criterion for back, step in zip(best, growth.path, strict=True)]
    assert max(worse) <= 0.0


def test_going_back_finds_what_growing_missed():
    # One input seems to be the one to split, until two others are.
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    growth, best = grow(X, np.where(X[:, 1] > 0.63, 5.0, 0.0) + 0.05 * rng.normal(size=200))
    assert best[1].fit.criterion < growth.path[1].fit.criterion - 10.0


def test_going_back_does_without_tuning_that_makes_it_worse():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    growth, _ = grow(X, np.where(X[:, 1] > 0.63, 5.0, 0.0) + 0.05 * rng.normal(size=200))
    tune = growth.tune

    def spoiled(*arguments):
        structure, fit = tune(*arguments)
        return structure, fit._replace(criterion=fit.criterion + 1e6)

    growth.tune = spoiled
    best = growth._back(growth.path)
    assert best[1].fit.criterion < growth.path[1].fit.criterion
    assert max(step.fit.criterion for step in best) < 1e5


# Tuning.


def test_what_leaves_a_rule_too_few_rows_is_not_tuned():
    growth = start(*bends())
    for share, few in ((0.9, False), (0.95, True)):
        place = float(np.quantile(growth.rows.columns[0], share))
        structure = Structure.undivided(2).with_split(0, place, 0.01)[0].divided(0, 0)
        found = growth.tune(structure, np.ones(structure.n_terms, dtype=bool), 4)
        assert (found is None) == few


def test_tuning_lowers_the_error_and_keeps_the_rules(grown):
    growth, last = start(*bends()), grown[0].path[-1].structure
    everything = np.ones(last.n_terms, dtype=bool)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        moved = replace(
            last,
            splits=growth.room.moved(last.splits, 0.3 * rng.normal(size=2 * len(last.splits))),
            bends=growth.room.moved(last.bends, 0.3 * rng.normal(size=2 * len(last.bends))),
        )
        if dense_weights(moved, growth.rows.rows[:, 1:]).sum(axis=0).min() < MIN_ROWS:
            continue
        (_, untuned), (structure, tuned) = (growth.tune(moved, everything.copy(), steps) for steps in (0, 8))
        assert tuned.error < untuned.error
        assert np.array_equal(structure.bounds, last.bounds)
        assert np.array_equal(structure.blocks, last.blocks)


@pytest.mark.parametrize("seed", range(1, 5))
def test_more_steps_never_give_more_error(seed):
    growth = start(*bends())
    structure = grow_at_random(np.random.default_rng(seed), growth.room.domains, 1, 1)[-1]
    # All terms stay: what is left out would change the error, too.
    growth.term_price = 0.0
    kept = np.ones(structure.n_terms, dtype=bool)
    errors = [growth.tune(structure, kept.copy(), n_steps)[1].error for n_steps in (0, 1, 2, 4, 8)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.99 * errors[0]


def test_crisp_split_points_are_not_tuned():
    growth, _ = grow(*bends(), fuzziness=0.0, max_rules=3, max_size=3)
    for step in growth.path:
        for points in (step.structure.splits, step.structure.bends):
            assert all(
                place in growth.candidates.edges[j] for j, place in zip(points.inputs, points.places, strict=True)
            )
            assert (points.reaches <= 1e-8).all()
    # They stand between values, so that every row is on one side.
    X = growth.rows.rows[:, 1:]
    assert np.isin(dense_weights(growth.path[-1].structure, X), [0.0, 1.0]).all()


# Its limits.


def test_there_are_no_more_rules_and_curves_than_allowed():
    X, y = bends()
    growth, best = grow(X, y, max_rules=1, max_curves=0)
    assert len(growth.path) == len(best) == 1
    growth, best = grow(X, y, max_rules=1, max_curves=1)
    assert {one.n_rules for one in all_structures(growth, best)} == {1}
    assert max(one.n_curves for one in all_structures(growth, best)) == 1
    growth, best = grow(X, y, max_rules=3, max_curves=0)
    assert [step.structure.n_rules for step in growth.path] == [1, 2, 3]
    assert {one.n_curves for one in all_structures(growth, best)} == {0}


def test_a_curve_that_there_is_may_be_bent_again():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    growth, _ = grow(X, np.sin(9.0 * X[:, 0]) + np.abs(X[:, 1] - 0.5), max_rules=1, max_curves=1)
    assert len(growth.path) > 3
    assert {tuple(np.unique(step.structure.bends.inputs)) for step in growth.path[1:]} == {(0,)}


def test_there_are_no_more_divisions_than_allowed():
    X, y = bends()
    whole, _ = grow(X, y, max_rules=5)
    growth, best = grow(X, y, max_rules=5, max_size=3)
    assert len(best) == 4
    assert same_steps(growth.path, whole.path[:4])


@pytest.mark.parametrize(("weighted", "max_curves"), [(False, 0), (True, 0), (False, 2)])
def test_no_rule_has_too_few_rows_and_no_label_is_a_sliver(weighted, max_curves):
    X, y = bends()
    weight = np.random.default_rng(0).uniform(0.2, 1.8, len(y)) if weighted else None
    growth, best = grow(np.round(X, 1), y, weight=weight, max_rules=8, max_curves=max_curves)
    assert growth.path[-1].structure.size > 4
    for structure in all_structures(growth, best):
        shares = growth.rows.weight @ dense_weights(structure, growth.rows.rows[:, 1:])
        assert shares.min() >= MIN_ROWS - 1e-9
        for points in (structure.splits, structure.bends):
            for j in range(2):
                ranks = growth.room.ranks(j, points.places[points.of(j)])
                assert (np.diff([0.0, *ranks, 1.0]) >= MIN_LABEL - 1e-9).all()


def test_rows_too_few_for_two_rules_give_one():
    growth, best = grow(*bends(23), max_curves=0)
    assert len(growth.path) == len(best) == 1


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_growth_ends_after_so_many_divisions_that_do_not_pay(patience):
    growth, _ = grow(*bends(), early_stopping=patience, max_rules=6)
    criteria = np.array([step.fit.criterion for step in growth.path])
    pays = np.concatenate([[True], criteria[1:] < np.minimum.accumulate(criteria)[:-1]])
    assert not pays[-patience:].any()
    # It did not go on after as many failures earlier on.
    assert "." * patience not in "".join("x" if paid else "." for paid in pays[:-1])
    assert failures(growth.path) == patience
    assert pays.sum() > 3


@pytest.mark.parametrize("limit", [1, 2, 7, 20, 61])
def test_evaluations_are_never_exceeded(limit, grown):
    X, y = bends()
    growth, best = grow(X, y, max_rules=5, max_evaluations=limit)
    assert growth.n_evaluations <= limit
    growth.tune(best[-1].structure, best[-1].fit.kept, 8)
    assert growth.n_evaluations <= limit
    assert same_steps(growth.path[: growth.n_exact], grown[0].path[: growth.n_exact])


def test_after_the_deadline_there_is_one_rule_and_nothing_new(clock):
    growth, best = grow(*bends(), budget=Budget(clock.now - 1.0))
    assert len(growth.path) == len(best) == 1
    assert growth.n_evaluations == 1
    assert (growth.out_of_time, growth.n_exact) == (True, 0)
    assert growth.tune(best[0].structure, best[0].fit.kept, 8) is None
    assert not start(*bends(60)).out_of_time


def test_a_deadline_on_the_way_ends_the_growth(clock, grown):
    X, y = bends()
    clock.tick = 1.0
    deadline = clock.now + 50.0
    growth, _ = grow(X, y, budget=Budget(deadline), max_rules=5)
    # Every stage asks once more for the time, and begins nothing.
    assert deadline < clock.now < deadline + 20.0
    assert 1 < len(growth.path) < len(grown[0].path)
    assert same_steps(growth.path[: growth.n_exact], grown[0].path[: growth.n_exact])


def test_somebody_may_ask_for_the_end():
    told = []
    growth, best = grow(*bends(), budget=Budget(stopped=lambda: len(told) == 3), on_step=told.append)
    assert len(growth.path) == len(best) == 3
    assert told == [growth] * 3
    assert growth.n_exact == 3
    assert same_steps(best, growth.path)


@pytest.mark.parametrize("fuzziness", [0.0, 0.5])
def test_known_split_points_are_used_where_they_are_and_nowhere_else(fuzziness):
    X, y = bends()
    known = [np.array([-0.9, 0.1, 1.2]), np.empty(0)]
    growth, best = grow(X, y, known=known, fuzziness=fuzziness, max_rules=5)
    structures = all_structures(growth, best)
    assert growth.path[-1].structure.n_rules > 2
    for structure in structures:
        for points in (structure.splits, structure.bends):
            own = points.places[points.of(0)]
            assert np.isin(own, known[0]).all()
            assert len(np.unique(own)) == len(own)
    tuned, _ = growth.tune(best[-1].structure, best[-1].fit.kept, 8)
    assert np.array_equal(tuned.splits.places[tuned.splits.of(0)], best[-1].structure.splits.places[tuned.splits.of(0)])
    # They are enough to find the shape of the data.
    assert min(step.fit.error for step in best) < 0.2 * best[0].fit.error


# Inputs and tables that are odd.


def test_a_constant_and_a_doubled_input_do_no_harm():
    X, y = bends()
    X = np.column_stack([X, np.full(len(y), 7.0), X[:, 0]])
    growth, best = grow(X, y, max_rules=4)
    assert len(growth.path) > 3
    for step in [*growth.path, *best]:
        assert 2 not in [*step.structure.splits.inputs, *step.structure.bends.inputs]
        assert np.isfinite(step.fit.coefficients).all()
    assert growth.path[-1].fit.error < 0.1


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_a_few_rows_are_a_table(n_rows):
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    growth, best = grow(X, np.arange(float(n_rows)))
    assert len(best) >= 1
    assert best[0].structure.n_rules == 1
    assert all(np.isfinite(step.fit.coefficients).all() for step in growth.path)
    assert np.isfinite([step.fit.criterion for step in growth.path]).all()


def test_an_output_without_spread_has_nothing_to_explain():
    X, _ = bends(60)
    growth, best = grow(X, np.full(60, 3.0))
    assert all(np.isfinite(step.fit.criterion) for step in [*growth.path, *best])
    assert min(best, key=lambda step: step.fit.criterion).structure.size == 0


def test_with_many_inputs_a_split_is_judged_by_terms_in_use():
    rng = np.random.default_rng(9)
    X = rng.uniform(size=(200, 18))
    y = np.where(X[:, 1] > 0.5, 3.0, -3.0) * X[:, 0] + 0.2 * X[:, 2] + 0.1 * rng.normal(size=200)
    growth, _ = grow(X, y, max_rules=2, max_curves=0)
    assert growth.path[1].structure.splits.inputs.tolist() == [1]


def test_a_weight_of_two_is_a_row_that_is_there_twice():
    rng = np.random.default_rng(0)
    X, y = bends()
    weight = rng.integers(1, 4, len(y))
    rows, domains = standardised(X, y, weight.astype(float))
    many = rows.take(np.repeat(np.arange(len(y)), weight))
    many = replace(many, weight=np.ones(len(many)))
    structure = replace(
        Structure.undivided(2).with_split(0, -0.3, 0.3)[0].divided(0, 0), bends=make_ramps((0, 0.6, 0.2))
    )
    found = []
    for own in (rows, many):
        growth = Growth(problem_of(own, domains))
        # How many rows there are decides which terms pay.
        growth.term_price = 0.0
        found.append(growth.tune(structure, np.ones(structure.n_terms, dtype=bool), 3))
    (one, fit), (other, same) = found
    assert fit.error == pytest.approx(same.error, rel=1e-9)
    np.testing.assert_allclose(one.splits.places, other.splits.places, rtol=1e-7)
    np.testing.assert_allclose(one.bends.reaches, other.bends.reaches, rtol=1e-7)
    np.testing.assert_allclose(fit.coefficients, same.coefficients, rtol=1e-5, atol=1e-7)


# Growing on.


def test_the_same_rows_give_the_same_growth(grown):
    again, best = grow(*bends(), max_rules=5)
    assert same_steps(again.path, grown[0].path)
    assert same_steps(best, grown[1])


def test_a_growth_resumes_from_any_step_of_its_path(grown):
    growth, best = grown
    for n_steps in range(1, len(growth.path) + 1):
        again = start(*bends(), max_rules=5)
        found = again.run(growth.path[:n_steps])
        assert same_steps(again.path, growth.path)
        assert same_steps(found, best)
        assert again.n_evaluations == growth.n_evaluations
        assert again.n_exact == len(growth.path)


@pytest.mark.parametrize("limits", [{"max_rules": 5}, {"max_evaluations": 60}, {"early_stopping": 1}, {"max_rules": 2}])
def test_a_growth_goes_on_from_the_exact_steps_of_another(limits):
    X, y = bends(120)
    whole, best = grow(X, y, **{"max_rules": 6} | limits)
    for first_limits in ({"max_rules": 3}, {"max_evaluations": 45}, {"early_stopping": 2}):
        options = {"max_rules": 6} | first_limits
        first, _ = grow(X, y, **options)
        second = start(X, y, **{"max_rules": 6} | limits)
        found = second.run(first.path[: first.n_exact], options["max_rules"])
        assert same_steps(second.path, whole.path)
        assert same_steps(found, best)
        assert second.n_evaluations == whole.n_evaluations


def test_steps_are_usable_up_to_where_limits_part(grown):
    path = grown[0].path
    options = GrowthOptions(max_rules=5)
    assert len(usable_steps(path, options)) == len(path)
    assert len(usable_steps(path, replace(options, max_evaluations=1), 5)) == 1
    limit = path[3].n_evaluations
    assert len(usable_steps(path, replace(options, max_evaluations=limit), 5)) == 3
    assert len(usable_steps(path, replace(options, max_evaluations=limit + 1), 5)) == 4
    # From two rules on only one of the growths could split a rule.
    rules = [step.structure.n_rules for step in path]
    assert len(usable_steps(path, replace(options, max_rules=2), 5)) == rules.index(2) + 1
    assert len(usable_steps(path, options, 2)) == rules.index(2) + 1
    assert usable_steps([], options) == []


def test_a_step_that_a_limit_cut_short_is_not_exact(grown):
    whole = grown[0].path
    for limit in range(whole[1].n_evaluations, whole[2].n_evaluations):
        cut, _ = grow(*bends(), max_rules=5, max_evaluations=limit + 1)
        assert cut.n_exact == 2
        assert same_steps(cut.path[:2], whole[:2])
    exact, _ = grow(*bends(), max_rules=5, max_evaluations=limit + 2)
    assert exact.n_exact == 3


def test_rows_left_out_are_not_reckoned_with_without_the_inverse(monkeypatch):
    """Terms that have no price are fitted without it, and the kernel would read beyond its end."""
    growth = start(*bends())
    growth.term_price = 0.0
    called = []
    monkeypatch.setattr("fruler._algorithms.growth.growth.growth_terms.squares_left_out", lambda *_: called.append(1))
    growth._refitted_on_rows(Structure.undivided(len(growth.rows.columns)))
    assert called == []


def path_of(*criteria, pace=2.0):
    """Steps with these criteria, each of which took as long."""
    return [Step(None, Fit(np.zeros(1), 1.0, one), 10 * n, pace * n) for n, one in enumerate(criteria)]


def test_nothing_is_known_before_the_first_step():
    assert growth_seconds_left(path_of(5.0), 3, 5) is None


def test_steps_that_do_not_pay_bring_the_end_nearer():
    # Two seconds for each of three more steps, then three folds of six more.
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 5) == pytest.approx(6.0 + 3 * 8.0)
    assert growth_seconds_left(path_of(5.0, 4.0, 4.5), 3, 5) == pytest.approx(4.0 + 3 * 8.0)
    assert growth_seconds_left(path_of(5.0, 4.0, 4.5, 4.6, 4.7), 3, 5) == pytest.approx(3 * 8.0)


def test_folds_that_there_are_not_take_no_time():
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 0) == pytest.approx(6.0)
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 2) == pytest.approx(6.0 + 2 * 8.0)
