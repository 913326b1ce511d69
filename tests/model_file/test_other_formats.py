"""Fitted regressors also go through pickle, joblib and skops."""

import pickle
from copy import copy
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest

from fruler import load_model
from fruler.rules import Curve, FuzzyPartition, RuleBase

SKOPS_TYPES = {
    "fruler.rules._curves.Curve",
    "fruler.estimators._growth.FuzzyRuleRegressor",
    "fruler.learning.learned.Baselines",
    "fruler.rules._antecedents.LabelRanges",
    "fruler.rules._consequents.LinearConsequents",
    "fruler._table.gaps.Gaps",
    "fruler.rules._partitions.FuzzyPartition",
    "fruler.rules.intervals.Intervals",
    "fruler.rules._losses.SquaredLoss",
    "fruler.rules._output.Output",
    "fruler.rules._rule_base.RuleBase",
    "fruler.rules._inputs.Variable",
    "fruler.rules._background.TrainingSummary",
    "fruler.rules.truth.Truth",
    "fruler.learning.learned.FrontPoint",
    "fruler.learning._training_table.TrainingSample",
    "fruler._table.gaps.Moments",
    "fruler._table.sources.NumberSource",
}


def require_same(model, again, data):
    np.testing.assert_array_equal(again.predict(data), model.predict(data))
    assert again.rule_base_ == model.rule_base_
    assert isinstance(again.rule_base_, RuleBase)
    assert not again.rule_base_.consequents.coefficients.flags.writeable
    assert again.truth_ == model.truth_ is not None
    assert not again.truth_.rule_alone.flags.writeable
    assert again.get_params() == model.get_params()
    assert str(again.explain(data[:2])) == str(model.explain(data[:2]))
    pd.testing.assert_frame_equal(again.pareto_, model.pareto_)
    pd.testing.assert_frame_equal(again.history_, model.history_)
    assert again.with_rules(2).rule_base_ == model.with_rules(2).rule_base_


def test_pickle(fitted, weather):
    require_same(fitted, pickle.loads(pickle.dumps(fitted)), weather.data)


def test_joblib(fitted, weather, tmp_path):
    joblib.dump(fitted, tmp_path / "model.joblib")
    require_same(fitted, joblib.load(tmp_path / "model.joblib"), weather.data)


def test_skops_with_the_types_that_the_documentation_names(fitted, weather):
    skops = pytest.importorskip("skops.io")
    raw = skops.dumps(fitted)
    # A model may have no curves.
    assert set(skops.get_untrusted_types(data=raw)) | {"fruler.rules._curves.Curve"} == SKOPS_TYPES
    require_same(fitted, skops.loads(raw, trusted=sorted(SKOPS_TYPES)), weather.data)


def test_skops_with_curves(fitted, weather):
    skops = pytest.importorskip("skops.io")
    curve = Curve(0, FuzzyPartition([1.0], (0.0, 2.0)), [[0.0, 1.0], [2.0, 0.0]])
    curved = copy(fitted)
    curved.rule_base_ = replace(fitted.rule_base_, curves=[curve])
    raw = skops.dumps(curved)
    assert set(skops.get_untrusted_types(data=raw)) == SKOPS_TYPES
    again = skops.loads(raw, trusted=sorted(SKOPS_TYPES))
    assert again.rule_base_ == curved.rule_base_
    np.testing.assert_array_equal(again.predict(weather.data), curved.predict(weather.data))


def test_loaded_models_are_pickled_too(fitted, weather, tmp_path):
    fitted.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again.predict(weather.data), fitted.predict(weather.data))
    pd.testing.assert_frame_equal(again.pareto_, fitted.pareto_)
    assert not hasattr(again, "history_")
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
