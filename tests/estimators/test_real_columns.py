"""Columns as real tables have them: mostly missing, with very many categories, or sparse."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import OneHotEncoder

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_that_a_mostly_missing_column_is_missing_may_matter(rng):
    x, rated = rng.normal(size=600), rng.random(600) < 0.2
    column = pd.Series(rng.choice(["G", "PG", "R"], 600)).where(rated)
    y = x + 3.0 * rated + rng.normal(0, 0.1, 600)
    model = FuzzyRuleRegressor(random_state=0).fit(pd.DataFrame({"x": x, "rating": column}), y)
    rows = pd.DataFrame({"x": [0.0, 0.0], "rating": ["G", None]})
    np.testing.assert_allclose(model.predict(rows), [3.0, 0.0], atol=0.15)


def test_few_categories_in_few_rows_are_kept_where_nearly_all_are_missing(rng):
    x = rng.normal(size=600)
    pool = [*("good", "fair", "poor", "fine", "good", "fair", "fair"), *[None] * 593]
    table = pd.DataFrame({"x": x, "pool": pd.Series(pool, dtype=object)})
    y = x + rng.normal(0, 0.1, 600)
    # Too few rows for a term, but no reason to refuse the table.
    model = FuzzyRuleRegressor(random_state=0).fit(table, y)
    assert model.rule_base_.columns == ("x", "pool")
    np.testing.assert_allclose(model.predict(table[:20]), x[:20], atol=0.1)
    with pytest.raises(ValueError, match="'pool' has 4 categories in 7 rows, too few rows to learn from each"):
        FuzzyRuleRegressor().fit(table[:7], y[:7])


def test_a_column_may_have_thousands_of_categories(rng, tmp_path):
    codes = rng.integers(0, 2_000, 20_000)
    effect = np.where(np.arange(2_000) < 50, 3.0 * rng.normal(size=2_000), 0.0)
    # Fifty categories have many rows and effects, the others few rows and none.
    codes[:10_000] = rng.integers(0, 50, 10_000)
    y = effect[codes] + rng.normal(0, 0.3, len(codes))
    table = pd.DataFrame({"place": [f"place {code}" for code in codes]})
    model = FuzzyRuleRegressor(random_state=0, max_rules=2).fit(table, y)
    assert np.corrcoef(model.predict(table), effect[codes])[0, 1] > 0.97
    model.save(tmp_path / "m.json")
    np.testing.assert_array_equal(load_model(tmp_path / "m.json").predict(table[:100]), model.predict(table[:100]))


@pytest.mark.parametrize("estimator", [FuzzyRuleRegressor, FRULERRegressor])
def test_sparse_input_is_refused_with_the_remedy(estimator):
    colours = np.array([["red"], ["blue"]] * 40)
    coded = OneHotEncoder().fit_transform(colours)
    y = (colours[:, 0] == "red") + 0.01 * np.arange(80) / 80.0
    model = estimator(max_evaluations=60, random_state=0)
    for wrong in (coded, csr_array(coded)):
        with pytest.raises(TypeError, match=r"Sparse data was passed for X; pass X\.toarray\(\), or the columns of"):
            model.fit(wrong, y)
    fitted = model.fit(coded.toarray(), y)
    with pytest.raises(TypeError, match="Sparse data"):
        fitted.predict(coded)
    table = pd.DataFrame(colours, columns=["colour"])
    np.testing.assert_allclose(model.fit(table, y).predict(table), y, atol=0.05)


def test_a_prediction_reads_only_the_columns_that_rules_use(rng):
    table = pd.DataFrame(
        {"x": rng.normal(size=100), "note": rng.choice(["a", "b"], 100), "g": rng.choice(list("uv"), 100)}
    )
    model = FuzzyRuleRegressor(random_state=0).fit(table, table.x + 2.0 * (table.g == "u"))
    rows = table[:5].assign(note=[5, None, "z", object(), {}])
    np.testing.assert_array_equal(model.predict(rows), model.predict(table[:5]))
    np.testing.assert_array_equal(model.predict_interval(rows).lower, model.predict_interval(table[:5]).lower)
