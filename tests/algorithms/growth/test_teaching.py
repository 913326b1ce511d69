"""A slope needs rows that differ in its input."""

import numpy as np
import pandas as pd
import pytest
from helpers.structures import grow_at_random, random_rows

from fruler import FuzzyRuleRegressor
from fruler._algorithms.growth.growth import MIN_ROWS
from fruler._algorithms.growth.sums import degrees_of
from fruler._algorithms.growth.teaching import Teaching
from fruler._table.rows import Rows


@pytest.mark.parametrize("seed", range(5))
def test_terms_agree_with_a_count_of_rows(seed):
    rng = np.random.default_rng(seed)
    rows, domains = random_rows(rng, 200, 4)
    X = rows.columns.T.copy()
    X[:, 1] = rng.choice([0.0, 1.0, 2.0], 200, p=[0.85, 0.1, 0.05])
    X[:, 3] = np.where(rng.uniform(size=200) < 0.9, 0.0, X[:, 3])
    rows = Rows.from_arrays(X, rows.y, rows.weight)
    structure = grow_at_random(rng, domains, 4, 1)[-1]
    degrees = degrees_of(structure, rows)
    found = Teaching(rows, MIN_ROWS).terms(structure, degrees)
    expected = np.ones(structure.n_terms, dtype=bool)
    for block in range(structure.n_rules):
        for j in (1, 3):
            others = 0.0
            for rule in np.flatnonzero(structure.blocks[:, block]):
                own = rows.weight * degrees.weights[rule]
                others += own.sum() - max(own[X[:, j] == value].sum() for value in np.unique(X[:, j]))
            expected[block * 5 + 1 + j] = others >= MIN_ROWS
    np.testing.assert_array_equal(found, expected)
    assert not found.all()


def test_a_rule_says_nothing_about_categories_that_it_has_not_seen():
    # Large houses all have paved drives but one, which is cheap for another reason.
    rng = np.random.default_rng(0)
    size, paved = rng.uniform(50.0, 250.0, 600), rng.uniform(size=600) < 0.7
    large = size > 150.0
    paved |= large
    quality = rng.uniform(size=600)
    price = np.where(large, 300.0 + 200.0 * quality, 100.0) + 20.0 * paved + rng.normal(0, 5.0, 600)
    odd = int(np.flatnonzero(large)[0])
    paved[odd], price[odd] = False, price[odd] - 400.0
    table = pd.DataFrame({"size": size, "quality": quality, "drive": np.where(paved, "paved", "gravel")})
    model = FuzzyRuleRegressor(random_state=0).fit(table, price)
    asked = pd.DataFrame({"size": [200.0, 200.0], "quality": [0.5, 0.5], "drive": ["paved", "gravel"]})
    paved_price, gravel_price = model.predict(asked)
    assert paved_price - gravel_price == pytest.approx(20.0, abs=12.0)


def test_a_value_of_hardly_any_row_has_no_term():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), np.r_[np.ones(8), np.zeros(292)]])
    model = FuzzyRuleRegressor(random_state=0).fit(X, X[:, 0] + 50.0 * X[:, 1] + rng.normal(0, 0.1, 300))
    assert not np.asarray(model.rule_base_.consequents)[:, 2].any()
