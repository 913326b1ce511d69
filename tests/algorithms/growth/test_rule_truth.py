"""The truth of rules against consequents that are fitted without the rows they are measured on."""

import numpy as np
import pytest
from helpers.structures import dense_terms, dense_weights, problem_of, standardised

from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.rule_truth import made_true, rule_truth
from fruler._algorithms.growth.sums import Sums, degrees_of
from fruler.learning._control import Budget
from fruler.learning._folds import Split


def grown(locality, y=None, max_size=3, **options):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    target = np.sin(6.0 * X[:, 0]) * (1.0 + X[:, 1]) + 0.1 * rng.normal(size=150) if y is None else y(X, rng)
    rows, domains = standardised(X, target, rng.uniform(0.2, 1.8, 150))
    growth = Growth(problem_of(rows, domains, locality=locality, **options), max_size=max_size)
    return growth, growth.run()


def smooth(X, rng, noise=0.2):
    return np.exp(2.0 * X[:, 0]) * np.sin(5.0 * X[:, 1]) + noise * rng.normal(size=len(X))


def noisy(X, rng):
    return smooth(X, rng, 1.2)


@pytest.mark.parametrize(("locality", "n_folds"), [(0.0, 4), (0.07, 4), (0.07, 2)])
def test_truth_is_measured_on_rows_that_were_held_out(locality, n_folds):
    growth, path = grown(locality)
    step = max(path, key=lambda one: one.structure.n_rules)
    assert step.structure.n_rules > 1
    # Of many rows some folds are enough; the others are not fitted to, either.
    folds = np.array_split(np.random.default_rng(1).permutation(150), 4)[:n_folds]
    used = np.concatenate(folds)
    truth = rule_truth(growth, step, 0.5, [Split(fold) for fold in folds])
    rows, X = growth.rows, growth.rows.rows[:, 1:]
    weights, terms = dense_weights(step.structure, X), dense_terms(step.structure, X)
    together, alone, strongest = np.empty(150), np.empty(150), weights.argmax(axis=1)
    for fold in folds:
        rest = rows.take(np.setdiff1d(used, fold))
        normal = Sums.over(rest, degrees_of(step.structure, rest)).normal(step.structure, locality)
        said = (terms @ growth.final_terms(step.structure, normal, 0.5, len(rest), step.fit.kept).coefficients).T
        together[fold] = (weights * said).sum(axis=1)[fold]
        alone[fold] = said[np.arange(150), strongest][fold]

    def root(said, some):
        return np.sqrt(np.average(np.square(rows.y - said)[some], weights=rows.weight[some]))

    everything = np.isin(np.arange(150), used)
    assert truth.held_out
    assert truth.together == pytest.approx(root(together, everything), rel=1e-6)
    assert truth.alone == pytest.approx(root(alone, everything), rel=1e-6)
    for rule in range(step.structure.n_rules):
        own = everything & (strongest == rule)
        assert truth.rule_together[rule] == pytest.approx(root(together, own), rel=1e-6)
        assert truth.rule_alone[rule] == pytest.approx(root(alone, own), rel=1e-6)


def test_rules_that_are_to_be_right_by_themselves_are_truer():
    truths = []
    for locality in (0.0, 1.0):
        growth, path = grown(locality, smooth, max_size=4, max_curves=0)
        folds = [Split(fold) for fold in np.array_split(np.arange(150), 5)]
        truths.append(rule_truth(growth, path[-1], 0.1, folds).ratio)
    assert truths[1] > 1.2 * truths[0]


def test_one_rule_is_as_true_as_the_model():
    growth, path = grown(0.0)
    truth = rule_truth(growth, path[0], 0.1, [Split(fold) for fold in np.array_split(np.arange(150), 5)])
    assert truth.alone == pytest.approx(truth.together)
    assert truth.rule_alone == pytest.approx(truth.rule_together)


# Rules are made true.


FOLDS = [Split(fold) for fold in np.array_split(np.random.default_rng(2).permutation(150), 5)]


@pytest.fixture(scope="module")
def untrue():
    """A growth whose rules hold together only."""
    growth, path = grown(None, noisy, max_size=1, max_curves=0)
    step = path[-1]
    assert rule_truth(growth, step, 0.1, FOLDS).ratio < 0.85
    return growth, step


def test_rules_are_made_true_as_far_as_the_error_allows(untrue):
    growth, step = untrue
    searched = growth.locality
    plain = made_true(grown(searched, noisy, max_size=1, max_curves=0)[0], step, 0.1, FOLDS)
    finished = made_true(growth, step, 0.1, FOLDS)
    assert finished.truth.ratio > plain.truth.ratio + 0.02
    assert finished.truth.together <= 1.02 * plain.truth.together
    # It is the share that the local error has that was raised.
    assert finished.locality > searched
    assert growth.locality == searched
    assert finished.step.structure.n_rules == step.structure.n_rules
    assert np.array_equal(finished.step.structure.bounds, step.structure.bounds)
    # The truth is that of the model, fitted with this share.
    growth.locality = finished.locality
    again = rule_truth(growth, finished.step, 0.1, FOLDS)
    growth.locality = searched
    assert again == finished.truth


def test_a_share_of_the_local_error_that_is_given_stays():
    growth, path = grown(0.0, smooth, max_size=4, max_curves=0)
    finished = made_true(growth, path[-1], 0.1, FOLDS)
    assert finished.locality == 0.0
    assert finished.truth.ratio < 0.9


def test_rules_stay_as_true_as_they_are_where_that_would_cost_too_much():
    growth, path = grown(None, smooth, max_size=3, max_curves=0)
    finished = made_true(growth, path[-1], 0.1, FOLDS)
    assert finished.truth.ratio < 0.6
    assert finished.locality == growth.locality


def test_rules_that_are_true_are_left_alone(untrue):
    growth, _ = untrue
    one_rule = growth.path[0]
    finished = made_true(growth, one_rule, 0.1, FOLDS)
    assert finished.locality == growth.locality
    assert finished.truth.ratio == pytest.approx(1.0)


def test_without_folds_nothing_is_known_of_truth(untrue):
    growth, step = untrue
    finished = made_true(growth, step, 0.1, [])
    assert finished.truth is None
    assert finished.locality == growth.locality


def test_after_the_deadline_a_model_stays_what_it_is(untrue, clock):
    growth, step = untrue
    budget, growth.budget = growth.budget, Budget(clock.now - 1.0)
    count = growth.n_evaluations
    finished = made_true(growth, step, 0.1, FOLDS)
    growth.budget = budget
    assert finished.step is step
    assert finished.locality == growth.locality
    assert growth.n_evaluations == count
