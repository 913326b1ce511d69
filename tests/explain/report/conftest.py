"""Models of several kinds, and a browser."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import triangle_rules
from helpers.browser import open_browser
from helpers.report_models import handmade_curves, handmade_rows, handmade_rules, large_rules

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.data import load_example


# For a module: while it is open, its event loop runs in this thread, where others could not start theirs.
@pytest.fixture(scope="module")
def browser():
    with open_browser() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def weather():
    return load_example("weather")


@pytest.fixture(scope="session")
def weather_model(weather):
    return FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)


@pytest.fixture(scope="session")
def paper_model(weather):
    model = FRULERRegressor(
        fit_rows="all",
        solver="coordinate_descent",
        l1_ratio=0.5,
        max_evaluations=300,
        regularization=1e-4,
        random_state=0,
    )
    return model.fit(weather.data, weather.target)


@pytest.fixture(scope="session")
def handmade():
    return handmade_rules().with_training(*handmade_rows(200))


@pytest.fixture(scope="session")
def handmade_minimum(handmade):
    return replace(handmade, t_norm="minimum").with_training(*handmade_rows(200, seed=1))


@pytest.fixture(scope="session")
def curved(handmade):
    X, _ = handmade_rows(200)
    rules = replace(handmade, curves=handmade_curves())
    return rules.with_training(X, rules.predict(X) + np.random.default_rng(0).normal(size=200))


@pytest.fixture(scope="session")
def mamdani():
    return triangle_rules.trained(triangle_rules.mamdani())


@pytest.fixture(scope="session")
def own_sets():
    return triangle_rules.trained(triangle_rules.own_sets("product"))


@pytest.fixture(scope="session")
def own_sets_with_labels():
    return triangle_rules.trained(triangle_rules.own_sets_with_labels("minimum"))


@pytest.fixture(scope="session")
def strong_labels():
    return triangle_rules.trained(triangle_rules.strong_labels())


@pytest.fixture(scope="session")
def large():
    return large_rules()
