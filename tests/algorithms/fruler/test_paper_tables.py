"""On the paper's own data sets we find what its Tables 2, 3 and 4 print, where that is decided.

`benchmarks/fidelity/preprocessing_tables.py` and `paper_fidelity.py` compare all of it.
"""

import numpy as np
import pytest

from fruler import ClassConditionalSelector, FRULERRegressor, MultiGranularityDiscretizer, load_keel
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


def test_reductions_are_near_table_2(keel_folder):
    """All folds of the sets of up to 5,000 rows; the larger ones take seconds each."""
    printed = paper_tables().query("cases <= 5000").is_reduction_pct
    found = [
        np.mean(
            [ClassConditionalSelector().fit(train.data, train.target).reduction_ for train in folds(keel_folder, name)]
        )
        for name in printed.index
    ]
    assert np.median(np.abs(100 * np.array(found) - printed)) <= 3.0


def test_granularities_are_near_table_3(keel_folder):
    """The first fold of every set: the average granularity over the paper's, as the mean size of its logarithm."""
    printed = paper_tables().disc_avg_granularity
    off = {"printed": [], "gain": []}
    for name in printed.index:
        train, _ = load_keel(keel_folder / name, fold=1)
        for splits, found in off.items():
            discretizer = MultiGranularityDiscretizer(splits=splits).fit(train.data, train.target)
            found.append(abs(np.log(discretizer.granularities_.mean() / printed[name])))
    assert np.mean(off["printed"]) <= 0.25 < 0.4 <= np.mean(off["gain"])


@pytest.mark.parametrize("name", ["dee", "friedman", "plastic"])
def test_errors_and_rules_are_near_table_4(keel_folder, name):
    """All folds of three sets, with one seed: errors are within a tenth of the paper's, rules within a third."""
    errors, rules = [], []
    for fold in range(1, 6):
        train, test = load_keel(keel_folder / name, fold=fold)
        model = FRULERRegressor(random_state=0, warn_outside=False).fit(train.data, train.target)
        errors.append(np.square(model.predict(test.data) - test.target).mean() / 2.0)
        rules.append(model.n_rules_)
    printed = paper_tables().loc[name]
    assert np.mean(errors) == pytest.approx(printed.fruler_test, rel=0.1)
    assert 0.75 < np.mean(rules) / printed.fruler_rules < 4.0 / 3.0


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
