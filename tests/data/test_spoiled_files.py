"""Spoiled tables are refused or read; tests/fuzz/fuzz_csv.py and fuzz_keel.py try a hundred thousand each."""

import random
from collections import Counter

import fuzz_csv
import fuzz_keel
import pytest

pytestmark = pytest.mark.fuzz

N_FILES = 1_500


def test_spoiled_csv_files_are_refused_or_read():
    ended = Counter(fuzz_csv.use(fuzz_csv.spoiled(random.Random(k)), fitted=k % 500 == 0) for k in range(N_FILES))
    assert min(ended["tables"], ended["refused"], ended["tables that cannot be learned from"]) > N_FILES / 20


def test_spoiled_keel_files_are_refused_or_read():
    kinds = ("keel", "arff")
    ended = Counter(fuzz_keel.use(fuzz_keel.spoiled(random.Random(k)), kind=kinds[k % 2]) for k in range(N_FILES))
    assert min(ended["tables"], ended["refused"]) > N_FILES / 20
