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

# "fixed" tries the same examples in every run, so that a failure is the fault of a change; "random" looks for new ones
# and prints how to repeat one that fails. Neither fails because the machine is busy.
settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "random", max_examples=1_000, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


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
