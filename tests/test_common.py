"""Every estimator keeps scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer


@parametrize_with_checks([ClassConditionalSelector(), MultiGranularityDiscretizer()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
