"""Constraints on a cluster: the model of one machine, which obeys."""

import dask.dataframe as dd
import numpy as np
import pytest
from helpers.mixed_tables import mixed_table
from helpers.same_models import same_model

from fruler import FuzzyRuleRegressor
from fruler.distributed import DaskFuzzyRuleRegressor

KNOWN = {
    "monotonic_constraints": {"size": -1, "a b": 1},
    "interaction_constraints": [["origin", "a b"]],
    "max_evaluations": 300,
    "random_state": 0,
    "warn_outside": False,
}


def held(X, y):
    table = dd.from_pandas(X.assign(price=y), npartitions=4)
    return table[list(X.columns)], table["price"]


def test_a_cluster_obeys_what_is_known(client):
    X, y = mixed_table(600)
    model = DaskFuzzyRuleRegressor(client, **KNOWN).fit(*held(X, y))
    same_model(model, FuzzyRuleRegressor(**KNOWN).fit(X, y))
    rows = X[["origin", "sold", "grade"]].sample(2_000, replace=True, random_state=0).reset_index(drop=True)
    rng = np.random.default_rng(0)
    rows["size"], rows["a b"] = rng.uniform(-5.0, 5.0, 2_000), rng.uniform(90.0, 110.0, 2_000)
    for name, sign in KNOWN["monotonic_constraints"].items():
        above = rows.assign(**{name: rows[name] + rng.exponential(1.0, 2_000)})
        assert (sign * (model.predict(above[X.columns]) - model.predict(rows[X.columns]))).min() > -1e-10


def test_a_wrong_column_is_named(client):
    X, y = mixed_table(100)
    with pytest.raises(ValueError, match="monotonic_constraints names the column 'sice'"):
        DaskFuzzyRuleRegressor(client, monotonic_constraints={"sice": 1}).fit(*held(X, y))
