"""Every estimator keeps scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from fruler import ClassConditionalSelector, FRULERRegressor, MultiGranularityDiscretizer, paper_settings


def expected_failures(estimator):
    if not isinstance(estimator, FRULERRegressor):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "instance selection does not know weights: a row of weight two is one candidate, two equal rows are two"
        )
    }


@parametrize_with_checks(
    [
        ClassConditionalSelector(),
        MultiGranularityDiscretizer(),
        FRULERRegressor(max_evaluations=200, random_state=0),
        FRULERRegressor(**paper_settings() | {"max_evaluations": 200}, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
