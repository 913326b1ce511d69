"""What the README of the KEEL data sets says about them."""

import pytest

# name: (rows, inputs, has official folds)
KEEL_SETS = {
    "ele-1": (495, 2, True),
    "plastic": (1650, 2, True),
    "quake": (2178, 3, True),
    "ele-2": (1056, 4, False),
    "friedman": (1200, 5, True),
    "autoMPG6": (392, 5, True),
    "delta_ail": (7129, 5, True),
    "dee": (365, 6, True),
    "delta_elv": (9517, 6, True),
    "ANACALT": (4052, 7, True),
    "autoMPG8": (392, 7, True),
    "abalone": (4177, 8, True),
    "concrete": (1030, 8, True),
    "stock": (950, 9, True),
    "wankara": (1609, 9, True),
    "wizmir": (1461, 9, True),
    "forestFires": (517, 12, True),
    "mortgage": (1049, 15, True),
    "treasury": (1049, 15, True),
    "baseball": (337, 16, True),
    "california": (20640, 8, True),
    "mv": (40768, 10, False),
    "house": (22784, 16, True),
    "elevators": (16599, 18, False),
    "compactiv": (8192, 21, False),
    "pole": (14998, 26, False),
    "puma32h": (8192, 32, False),
    "ailerons": (13750, 40, False),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "keel_set" in metafunc.fixturenames:
        metafunc.parametrize("keel_set", KEEL_SETS)


@pytest.fixture
def keel_facts(keel_set: str) -> tuple[int, int, bool]:
    """Rows, inputs, and whether the set has official folds."""
    return KEEL_SETS[keel_set]
