"""Prediction intervals of models that were learned on a cluster."""

import numpy as np
import pytest
from helpers.blocks import in_chunks
from helpers.same_models import same_model

from fruler import FuzzyRuleRegressor
from fruler.distributed import DaskFuzzyRuleRegressor

QUICK = {"max_evaluations": 500, "random_state": 0}


def test_growth_has_the_intervals_of_one_machine(client, friedman):
    X, y = friedman
    chunks = in_chunks(X, y, 250)
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*chunks)
    local = FuzzyRuleRegressor(**QUICK).fit(X, y)
    for found, expected in zip(model.predict_interval(X), local.predict_interval(X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(ValueError, match=r"needs rows in memory; for a Dask collection call it on partitions"):
        model.predict_interval(chunks[0])
    far = in_chunks(X + 100.0, y, 250)[0]
    np.testing.assert_allclose(client.compute(model.predict(far)).result(), model.to_local().predict(X + 100.0))


def test_calibration_says_what_to_do_instead(client, friedman):
    with pytest.raises(ValueError, match=r"calibration needs rows in memory.*model\.to_local\(\)\.with_intervals"):
        DaskFuzzyRuleRegressor(client, calibration=0.2).fit(*in_chunks(*friedman, 250))


def test_groups_are_held_out_whole_as_on_one_machine(client, friedman):
    X, y = friedman
    groups = np.arange(len(y)) // 20
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*in_chunks(X, y, 250), groups=in_chunks(X, groups, 250)[1])
    local = FuzzyRuleRegressor(**QUICK).fit(X, y, groups=groups)
    same_model(model, local)
    assert model.rule_base_.background.held_out == "held-out groups"
    with pytest.raises(ValueError, match="cv as pairs of row numbers needs rows in memory"):
        DaskFuzzyRuleRegressor(client, cv=[([0, 1], [2])]).fit(*in_chunks(X, y, 250))


@pytest.mark.parametrize("asked", [{"link": "log"}, {"bounds": (0, None)}])
def test_links_and_bounds_are_those_of_one_machine(client, friedman, asked):
    X, y = friedman
    y = np.exp(y / 10.0)
    model = DaskFuzzyRuleRegressor(client, **asked, **QUICK).fit(*in_chunks(X, y, 250))
    same_model(model, FuzzyRuleRegressor(**asked, **QUICK).fit(X, y))
