"""The truth of rules against consequents that are fitted without the rows they are measured on."""

import numpy as np
import pytest
from helpers.structures import dense_terms, dense_weights, standardised

from fruler.algorithms.growth.growth import Growth
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.sums import Sums, degrees_of
from fruler.algorithms.growth.truth import rule_truth


def grown(locality, y=None, max_size=3, **options):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    target = np.sin(6.0 * X[:, 0]) * (1.0 + X[:, 1]) + 0.1 * rng.normal(size=150) if y is None else y(X, rng)
    rows, domains = standardised(X, target, rng.uniform(0.2, 1.8, 150))
    growth = Growth(rows, domains, [np.empty(0)] * 2, GrowthOptions(locality=locality, **options), max_size=max_size)
    return growth, growth.run()


@pytest.mark.parametrize(("locality", "n_folds"), [(0.0, 4), (0.07, 4), (0.07, 2)])
def test_truth_is_measured_on_rows_that_were_held_out(locality, n_folds):
    growth, path = grown(locality)
    step = max(path, key=lambda one: one.structure.n_rules)
    assert step.structure.n_rules > 1
    # Of many rows some folds are enough; the others are not fitted to, either.
    folds = np.array_split(np.random.default_rng(1).permutation(150), 4)[:n_folds]
    used = np.concatenate(folds)
    truth = rule_truth(growth, step, 0.5, folds)
    rows, X = growth.rows, growth.rows.rows[:, 1:]
    weights, terms = dense_weights(step.structure, X), dense_terms(step.structure, X)
    together, alone, strongest = np.empty(150), np.empty(150), weights.argmax(axis=1)
    for fold in folds:
        rest = rows.take(np.setdiff1d(used, fold))
        normal = Sums.over(rest, degrees_of(step.structure, rest)).normal(step.structure, locality)
        said = (terms @ growth.final_terms(normal, 0.5, len(rest), step.fit.kept).coefficients).T
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
    def smooth(X, rng):
        return np.exp(2.0 * X[:, 0]) * np.sin(5.0 * X[:, 1]) + 0.02 * rng.normal(size=len(X))

    truths = []
    for locality in (0.0, 1.0):
        growth, path = grown(locality, smooth, max_size=4, max_curves=0)
        folds = np.array_split(np.arange(150), 5)
        truths.append(rule_truth(growth, path[-1], 0.1, folds).ratio)
    assert truths[1] > 1.2 * truths[0]


def test_one_rule_is_as_true_as_the_model():
    growth, path = grown(0.0)
    truth = rule_truth(growth, path[0], 0.1, np.array_split(np.arange(150), 5))
    assert truth.alone == pytest.approx(truth.together)
    assert truth.rule_ratios == pytest.approx([1.0])
