"""What tests share: the KEEL data sets, and chance."""

import os
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


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
