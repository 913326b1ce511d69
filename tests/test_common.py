"""Every estimator keeps scikit-learn's contract."""

from helpers.estimators import make_quick_estimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from fruler import (
    ClassConditionalSelector,
    FRULERRegressor,
    MultiGranularityDiscretizer,
)
from fruler.estimators.registry import algorithm_names
from fruler.selectors import CCISRLikeSelector, CCISSelector

# Checks that are known to fail, and why.
EXPECTED = {
    "fruler": "instance selection does not know weights: a row of weight two is one candidate, two rows are two",
}


def expected_failures(estimator):
    algorithm = getattr(estimator, "algorithm", None)
    if algorithm is None or algorithm.name not in EXPECTED:
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": EXPECTED[algorithm.name]}


@parametrize_with_checks(
    [
        ClassConditionalSelector(),
        CCISSelector(),
        CCISRLikeSelector(),
        MultiGranularityDiscretizer(),
        *(make_quick_estimator(name, 100) for name in algorithm_names()),
        FRULERRegressor(max_evaluations=60, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
