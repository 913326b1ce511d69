"""What tests share: the KEEL data sets, chance, and a clock."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.clock import Clock
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# What a shell runs in the background may ignore Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# "fixed" tries the same examples in every run, so that a failure is the fault of a change, and "quick" fewer of them;
# "random" looks for new ones and prints how to repeat one that fails. None fails because the machine is busy.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", derandomize=True, database=None, **PATIENT)
settings.register_profile("quick", max_examples=20, derandomize=True, database=None, **PATIENT)
settings.register_profile("random", max_examples=1_000, print_blob=True, **PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# A test that asks for one of these fixtures, itself or through another, belongs to that tier.
TIERS = {"browser": "browser", "cluster": "cluster", "spark": "engines", "mlflow": "engines", "jpmml": "engines"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a browser, a cluster, or another engine."""
    for item in items:
        for fixture in TIERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(TIERS[fixture])


def shared_folder(name: str, variable: str, what: str) -> Path:
    """Return a folder of data that are no part of the project, or skip the test that asks for it."""
    given = os.environ.get(variable)
    for folder in (Path(given) if given else None, REPOSITORY.parent / "shared" / "data" / name):
        if folder is not None and folder.is_dir():
            return folder
    pytest.skip(f"no {what}: {variable} is not set to a folder, and there is no ../shared/data/{name}")


@pytest.fixture(scope="session")
def keel_folder() -> Path:
    """The folder of the KEEL data sets; tests that need it are skipped where there is none."""
    return shared_folder("keel", "FRULER_KEEL", "KEEL data")


@pytest.fixture(scope="session")
def frog_folder() -> Path:
    """The folder of the rule bases that FRULER's authors trained."""
    return shared_folder("frog", "FRULER_FROG", "rule bases of FROG")


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
