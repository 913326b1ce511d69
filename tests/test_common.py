"""Every estimator keeps scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from fruler import ClassConditionalSelector, FRULERRegressor, MultiGranularityDiscretizer, paper_settings


def expected_failures(estimator):
    if not isinstance(estimator, FRULERRegressor):
        return {}
    why = {
        "evolution": "instance selection does not know weights: a row of weight two is one candidate, two rows are two",
        "growth": "cross-validation parts rows, whatever their weight: two equal rows may be on both sides",
    }
    return {"check_sample_weight_equivalence_on_dense_data": why[estimator.search]}


@parametrize_with_checks(
    [
        ClassConditionalSelector(),
        MultiGranularityDiscretizer(),
        FRULERRegressor(max_evaluations=100, random_state=0),
        FRULERRegressor(**paper_settings() | {"max_evaluations": 60}, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
