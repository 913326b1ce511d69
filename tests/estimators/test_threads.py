"""Fits and predictions in several threads at a time, as a server or a free-threaded Python makes them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from helpers.estimators import ALGORITHMS, make_quick_estimator
from sklearn.datasets import make_friedman1
from threadpoolctl import threadpool_limits

X, y = make_friedman1(150, random_state=0)
N_EVALUATIONS = 60


def test_models_that_are_fitted_side_by_side_are_those_that_are_fitted_alone():
    def predictions(algorithm):
        return make_quick_estimator(algorithm, N_EVALUATIONS).fit(X, y).predict(X)

    jobs = [*ALGORITHMS, *ALGORITHMS]
    # Several BLAS threads would round differently, and a thread can't limit them while another one does.
    with threadpool_limits(1), ThreadPoolExecutor(len(jobs)) as pool:
        alone = {algorithm: predictions(algorithm) for algorithm in ALGORITHMS}
        for algorithm, found in zip(jobs, pool.map(predictions, jobs), strict=True):
            np.testing.assert_array_equal(found, alone[algorithm], err_msg=algorithm)


def test_one_model_predicts_in_many_threads():
    model = make_quick_estimator("growth", N_EVALUATIONS).fit(X, y)
    expected, parts = model.predict(X), np.array_split(np.arange(len(X)), 12)
    # The first predictions also fill in what a rule base keeps for later ones.
    fresh = make_quick_estimator("growth", N_EVALUATIONS).fit(X, y)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda rows: fresh.predict(X[rows]), parts))
    np.testing.assert_array_equal(np.concatenate(found), expected)
