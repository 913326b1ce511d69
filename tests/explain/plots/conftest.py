"""Models to draw, and no figure left open."""

import pytest

from fruler import FRULERRegressor, FuzzyRuleRegressor, MultiGranularityDiscretizer
from fruler.data import load_example

WEATHER = load_example("weather")


@pytest.fixture(autouse=True)
def _close_figures():
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")  # Other folders' tests on this worker may have left some open.
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def model():
    # Tests of curves add their own.
    fitted = FuzzyRuleRegressor(max_curves=0, random_state=0).fit(WEATHER.data, WEATHER.target)
    fitted.rule_base_ = fitted.rule_base_.with_units(WEATHER.units)
    return fitted


@pytest.fixture(scope="session")
def one_rule():
    return FuzzyRuleRegressor(max_rules=1, random_state=0).fit(WEATHER.data, WEATHER.target)


@pytest.fixture(scope="session")
def paper():
    model = FRULERRegressor(max_evaluations=150, solver="coordinate_descent", random_state=0)
    return model.fit(WEATHER.data, WEATHER.target)


@pytest.fixture(scope="session")
def discretizer():
    # By gain there are more granularities to draw.
    return MultiGranularityDiscretizer(splits="gain").fit(WEATHER.data, WEATHER.target)
