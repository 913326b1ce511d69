"""On the paper's own data sets the two stages find what its Tables 2 and 3 print, where that is decided.

`benchmarks/preprocessing_tables.py` compares all of it.
"""

import numpy as np
import pytest

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer, load_keel
from fruler.bench.paper import paper_tables


def folds(folder, name):
    return [load_keel(folder / name, fold=fold)[0] for fold in range(1, 6)]


@pytest.mark.parametrize("name", ["ele-1", "autoMPG8", "dee", "baseball"])
def test_reduction_is_near_table_2(keel_folder, name):
    selectors = [ClassConditionalSelector().fit(train.data, train.target) for train in folds(keel_folder, name)]
    printed = paper_tables().loc[name]
    assert 100 * np.mean([s.reduction_ for s in selectors]) == pytest.approx(printed.is_reduction_pct, abs=5)
    increase = np.mean([s.error_selected_ / s.error_all_ for s in selectors])
    assert increase < 1.5 * printed.is_error_increase


def test_friedman_has_about_two_labels_an_input(keel_folder):
    found = [MultiGranularityDiscretizer().fit(train.data, train.target) for train in folds(keel_folder, "friedman")]
    assert 2.0 <= np.mean([discretizer.granularities_ for discretizer in found]) <= 2.2


def test_pumadyn_uses_every_input(keel_folder):
    train, _ = load_keel(keel_folder / "puma32h", fold=1)
    assert MultiGranularityDiscretizer().fit(train.data, train.target).granularities_.min() == 2


def test_all_28_sets_are_in_the_paper_tables():
    tables = paper_tables()
    assert len(tables) == 28
    assert tables.notna().all().all()
