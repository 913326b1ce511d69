"""What tests share: the KEEL data sets, chance, and a clock."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.clock import Clock
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# "fixed" tries the same examples in every run, so that a failure is the fault of a change; "random" looks for new ones
# and prints how to repeat one that fails. Neither fails because the machine is busy.
settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "random", max_examples=1_000, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def keel_folder() -> Path:
    """The folder of the KEEL data sets; tests that need it are skipped where there is none."""
    given = os.environ.get("FRULER_KEEL")
    for folder in (Path(given) if given else None, REPOSITORY.parent / "shared" / "data" / "keel"):
        if folder is not None and folder.is_dir():
            return folder
    pytest.skip("no KEEL data: FRULER_KEEL is not set to a folder, and there is no ../shared/data/keel")


@pytest.fixture
def rng() -> np.random.Generator:
    """Chance that is the same in every run."""
    return np.random.default_rng(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that limits of time are read from; the test moves it."""
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock
