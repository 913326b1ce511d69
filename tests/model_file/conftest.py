from pathlib import Path

import pytest

from fruler import FuzzyRuleRegressor
from fruler.data import load_example

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="package")
def weather():
    return load_example("weather")


@pytest.fixture(scope="package")
def fitted(weather):
    return FuzzyRuleRegressor(random_state=0, split_points={"humidity": [60.0]}).fit(weather.data, weather.target)


@pytest.fixture
def golden():
    """The bytes of a golden file, by its name; without a number it is of the first schema."""
    return lambda name: (GOLDEN / f"{name if name[-1].isdigit() else f'{name}-1'}.json").read_bytes()
