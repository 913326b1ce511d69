"""Stability of models that were learned on a cluster."""

import numpy as np
import pytest
from helpers.blocks import in_chunks

from fruler import FuzzyRuleRegressor
from fruler.distributed import DaskFuzzyRuleRegressor

QUICK = {"max_evaluations": 200, "random_state": 0}


def test_refits_are_made_in_memory(client, friedman):
    X, y = friedman
    chunks = in_chunks(X, y, 250)
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*chunks)
    expected = FuzzyRuleRegressor(**QUICK).fit(X, y).stability(X, y, 2)
    assert np.allclose(model.stability(X, y, 2).rmse, expected.rmse)
    with pytest.raises(ValueError, match="stability needs rows in memory"):
        model.stability(*chunks)
