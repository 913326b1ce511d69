"""Values far from all others count as missing if the target does not support them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fruler import FuzzyRuleRegressor, load_model
from fruler._table.faults import FaultyValuesWarning, far_values
from fruler._table.rows import fences
from fruler.rules import OutsideTrainingWarning


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("fault", [lambda x: 100.0 * x, lambda x: 0.0 * x, lambda x: 25.4 * x])
def test_a_fault_is_found(rng, fault):
    X = rng.normal(10.0, 1.0, (300, 3))
    y = 3.0 * X[:, 0] + X[:, 1] + rng.normal(0, 0.3, 300)
    X[17, 0] = fault(X[17, 0])
    assert np.argwhere(far_values(X, y).refuted).tolist() == [[17, 0]]


def test_a_far_value_that_the_target_supports_is_believed(rng):
    x = rng.normal(size=300)
    x[5] = 40.0
    assert not far_values(x[:, None], 2.0 * x + rng.normal(0, 0.3, 300)).doubted.any()
    # So it is if the relation levels off.
    levels_off = 2.0 * np.minimum(x, fences(x[:, None])[1, 0])
    assert not far_values(x[:, None], levels_off + rng.normal(0, 0.3, 300)).doubted.any()


def test_a_far_value_that_does_not_matter_is_doubted_without_a_warning(rng, recwarn):
    X = rng.normal(size=(300, 2))
    y = X[:, 1] + rng.normal(0, 0.3, 300)
    X[5, 0] = 1e4
    far = far_values(X, y)
    assert far.doubted[5, 0]
    assert not far.refuted.any()
    FuzzyRuleRegressor(random_state=0).fit(X, y)
    assert not [one for one in recwarn if issubclass(one.category, FaultyValuesWarning)]


def test_most_distributions_have_no_far_values(rng):
    columns = (rng.normal(size=2000), rng.uniform(size=2000), rng.integers(0, 30, 2000).astype(float))
    X = np.column_stack([*columns, rng.exponential(size=2000), np.where(rng.uniform(size=2000) < 0.9, 0.0, columns[1])])
    low, high = fences(X)
    assert ((low <= X) & (high >= X)).all()


def test_gaps_are_no_faults(rng):
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(0, 0.1, 200)
    X[3, 0] = np.nan
    assert not far_values(X, y).doubted.any()


def test_a_few_faults_change_little(rng):
    X = pd.DataFrame(rng.normal(10.0, 2.0, (400, 4)), columns=list("abcd"))
    exact = 2.0 * X.a - X.b + 3.0 * (X.c > 10.0)
    y = exact + rng.normal(0, 0.5, 400)
    faulty = X.copy()
    for row, name in zip(range(0, 100, 10), "abcdabcdab", strict=True):
        faulty.loc[row, name] *= 100.0
    with pytest.warns(FaultyValuesWarning, match=r"a = .* \(row 0\), .*and [0-9] others: far from all other values"):
        model = FuzzyRuleRegressor(random_state=0).fit(faulty, y)
    clean = FuzzyRuleRegressor(random_state=0).fit(X, y)
    errors = [np.sqrt(np.mean(np.square(one.predict(X) - exact))) for one in (model, clean)]
    assert errors[0] < 1.3 * errors[1]


def test_a_column_with_faults_is_clipped_in_new_rows(rng, tmp_path):
    X = pd.DataFrame(rng.normal(10.0, 2.0, (300, 2)), columns=["a", "b"])
    y = 3.0 * X.a + X.b + rng.normal(0, 0.1, 300)
    rows = pd.DataFrame({"a": [500.0, 10.0], "b": [10.0, 500.0]})
    quiet = FuzzyRuleRegressor(random_state=0, warn_outside=False)
    np.testing.assert_allclose(quiet.fit(X, y).predict(rows), [1510.0, 530.0], rtol=0.02)
    kept = (X.a.min(), X.a.max())
    X.loc[7, "a"] *= 100.0
    with pytest.warns(FaultyValuesWarning):
        model = clone(quiet).fit(X, y)
    model.save(tmp_path / "m.json")
    for one in (model, load_model(tmp_path / "m.json")):
        assert [variable.limits for variable in one.rule_base_.variables] == [kept, None]
        np.testing.assert_allclose(one.predict(rows), [3.0 * kept[1] + 10.0, 530.0], rtol=0.02)
        assert one.explain(rows).outside[0].tolist() == [True, False]
    with pytest.warns(OutsideTrainingWarning, match="'a' in 1 row.*Their values are clipped"):
        model.set_params(warn_outside=True).predict(rows[:1])
    with pytest.warns(OutsideTrainingWarning, match="The rules are extrapolated there"):
        model.predict(rows)
