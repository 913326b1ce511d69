"""The labels of grown models on many data sets: none of them is a sliver, and near copies are not split as well."""

import numpy as np
import pytest
from helpers.labels import copied_splits, partitions_of, slivers

from fruler import FuzzyRuleRegressor, load_keel


def steep(rng, n=400):
    """A jump and a way back within a hundredth of the range, where few rows more than elsewhere are."""
    x = np.concatenate([rng.uniform(0.0, 1.0, n - n // 12), rng.uniform(0.5, 0.51, n // 12)])
    y = np.where((x > 0.5) & (x < 0.51), 1.0, 0.0) + x
    return np.column_stack([x, rng.normal(size=n)]), y


def skewed(rng, n=500):
    """Most of the rows in a small part of the range."""
    x = np.exp(2.0 * rng.normal(size=(n, 2)))
    return x, np.log(x[:, 0]) * np.where(x[:, 1] > 1.0, 1.0, -1.0)


def mostly_zero(rng, n=500):
    """Whether there is anything at all counts, and then how much."""
    x = np.where(rng.uniform(size=(n, 2)) < 0.4, 0.0, rng.uniform(0.0, 9.0, size=(n, 2)))
    return x, np.where(x[:, 0] > 0.0, 3.0 + np.sin(x[:, 0]), 0.0) + np.where(x[:, 1] == 0.0, 1.0, 0.0)


def rounded(rng, n=500):
    """Numbers on a grid that is fine for one input and coarse for the other."""
    x = np.column_stack([np.round(rng.uniform(0.0, 10.0, n), 1), rng.integers(0, 6, n)])
    return x, np.abs(x[:, 0] - 5.0) * x[:, 1]


def copied(rng, n=500):
    """Two inputs that measure the same, and count in the same way."""
    x = rng.uniform(size=n)
    X = np.column_stack([x + 0.0005 * rng.normal(size=n), x + 0.0005 * rng.normal(size=n), rng.uniform(size=n)])
    return X, np.sin(12.0 * x) * (X[:, 2] > 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("make", [steep, skewed, mostly_zero, rounded, copied])
@pytest.mark.parametrize("seed", [0, 1])
def test_labels_of_made_data(make, seed):
    rng = np.random.default_rng(seed)
    X, y = make(rng)
    model = FuzzyRuleRegressor(random_state=0).fit(X, y + 0.02 * y.std() * rng.normal(size=len(y)))
    assert slivers(model.rule_base_, X) == []
    assert copied_splits(model.rule_base_, X) == []
    # Not because nothing is split.
    assert model.n_rules_ > 1 or model.rule_base_.curves


def test_a_label_of_few_values_may_be_narrow():
    X, _ = mostly_zero(np.random.default_rng(0))
    model = FuzzyRuleRegressor(random_state=0).fit(X[:, :1], np.where(X[:, 0] > 0.0, 3.0, 0.0))
    [place] = {float(place) for _, part in partitions_of(model.rule_base_) for place in part.split_points}
    assert place < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["concrete", "ele-2", "wizmir", "treasury"])
def test_labels_of_keel_sets(keel_folder, name):
    train, _ = load_keel(keel_folder / name, fold=1)
    model = FuzzyRuleRegressor(random_state=0).fit(train.data, train.target)
    X = np.asarray(train.data, dtype=float)
    assert slivers(model.rule_base_, X) == []
    assert copied_splits(model.rule_base_, X) == []
