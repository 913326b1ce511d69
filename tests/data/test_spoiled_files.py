"""Spoiled tables are refused or read; benchmarks/fuzz_csv.py and fuzz_keel.py try a hundred thousand each."""

import random
from collections import Counter

from helpers.scripts import script

N_FILES = 1_500


def test_spoiled_csv_files_are_refused_or_read():
    fuzz = script("fuzz_csv")
    ended = Counter(fuzz.use(fuzz.spoiled(random.Random(k)), fitted=k % 500 == 0) for k in range(N_FILES))
    assert min(ended["tables"], ended["refused"], ended["tables that cannot be learned from"]) > N_FILES / 20


def test_spoiled_keel_files_are_refused_or_read():
    fuzz = script("fuzz_keel")
    kinds = ("keel", "arff")
    ended = Counter(fuzz.use(fuzz.spoiled(random.Random(k)), kind=kinds[k % 2]) for k in range(N_FILES))
    assert min(ended["tables"], ended["refused"]) > N_FILES / 20
