"""Tables are checked at the door: once by the method that takes them, and nowhere below."""

import numpy as np
import pytest

from fruler import FuzzyRuleRegressor
from fruler._table import reading

ROWS = np.random.default_rng(0).uniform(size=(90, 2))


@pytest.fixture(scope="module")
def model():
    return FuzzyRuleRegressor(max_rules=3, random_state=0).fit(ROWS, np.where(ROWS[:, 0] > 0.5, 1.0, ROWS[:, 1]))


@pytest.fixture
def checks(monkeypatch):
    """The tables that were checked."""
    found, require_finite = [], reading.require_finite

    def counted(X, *arguments, **options):
        found.append(X.shape)
        require_finite(X, *arguments, **options)

    monkeypatch.setattr(reading, "require_finite", counted)
    return found


@pytest.mark.parametrize("method", ["predict", "predict_interval", "explain"])
def test_an_estimator_checks_a_table_once(model, checks, method):
    getattr(model, method)(ROWS[:2])
    assert checks == [(2, 2)]


@pytest.mark.parametrize(
    "method", ["predict", "predict_interval", "explain", "activations", "rule_outputs", "raw_rule_outputs", "inputs_of"]
)
def test_rules_check_a_table_once(model, checks, method):
    getattr(model.rule_base_, method)(ROWS[:2])
    assert checks == [(2, 2)]


def test_nothing_is_checked_inside(model, checks):
    inference = model.rule_base_.inference
    inference.predict(ROWS)
    inference.activations(ROWS)
    inference.rule_outputs(ROWS)
    assert checks == []


def test_a_fit_checks_its_table_once(checks):
    FuzzyRuleRegressor(max_rules=2, random_state=0).fit(ROWS, ROWS[:, 0])
    assert checks == [(90, 2)]
