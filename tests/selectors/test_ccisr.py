import math

import numpy as np
import pytest
from helpers.constant_rules import grid_tables, rule_base_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from fruler.selectors import CCISRLikeSelector
from fruler.selectors._ccisr import label_classes, most_correlated, select_by_system


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def test_classes_are_the_labels_that_fit_best():
    # Labels at 0, 2, 4, 6 and 8: 1, 3 and 7 are halfway and belong to the lower one; nothing is near 4.
    classes, borders = label_classes(np.array([0.0, 1.0, 1.5, 3.0, 6.5, 7.0, 8.0]), 5)
    assert classes.tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert borders.tolist() == [1.0, 5.0, 7.0]


def test_equal_outputs_are_one_class():
    classes, borders = label_classes(np.full(4, 2.5), 5)
    assert not classes.any()
    assert len(borders) == 0


def test_the_inputs_are_those_that_correlate_most():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    X[:, 2] = 1.0
    y = X[:, 5] - 0.5 * X[:, 1] + 0.1 * X[:, 0]
    assert most_correlated(X, y, 2).tolist() == [1, 5]
    assert most_correlated(X, y, 5).tolist() == [0, 1, 3, 4, 5]
    assert most_correlated(X[:, [5, 1, 5, 5]], y, 2).tolist() == [0, 2]
    assert most_correlated(X[:, [2, 2]], y, 2).tolist() == []


@pytest.mark.parametrize("seed", range(5))
def test_of_inputs_that_differ_in_unit_alone_the_first_is_taken(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 300))
    X = np.column_stack([rng.normal(size=300), *(x * unit + 0.1 for unit in (1.0, 3.7, 0.3, 7.1, 1e-3))])
    assert most_correlated(X, x + 0.1 * y, 2).tolist() == [1, 2]


class Reference:
    """The selection in plain loops, its fuzzy systems made anew as rule bases."""

    def __init__(self, X, y, n_labels, granularity):
        self.X, self.y, self.granularity = X, y, granularity
        self.classes = label_classes(y, n_labels)[0]
        self.distance = sum(np.square(column[None, :] - column[:, None]) for column in X.T)
        np.fill_diagonal(self.distance, np.inf)

    def error(self, rows):
        if len(rows) == 0:
            return math.inf
        predictions = rule_base_of(self.X, self.y, list(rows), self.granularity).predict(self.X)
        return float(f"{np.square(self.y - predictions).mean():.11e}")

    def degrees(self, rows):
        rows = np.asarray(rows)
        table, own = self.distance[np.ix_(rows, rows)], self.classes[rows]
        degrees = []
        for allowed in (own[:, None] == own, own[:, None] != own):
            near = np.where(allowed, table, np.inf)
            edges = near.argmin(axis=1)[np.isfinite(near.min(axis=1))]
            degrees.append(np.bincount(edges, minlength=len(rows)))
        return degrees

    def select(self):
        n = len(self.y)
        p_w, p_b = (degree / max(degree.sum(), 1) for degree in self.degrees(range(n)))
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.nan_to_num(p_w * np.log(2 * p_w / (p_w + p_b))) - np.nan_to_num(
                p_b * np.log(2 * p_b / (p_w + p_b))
            )
        order = np.argsort(-scores.round(14), kind="stable")
        size = min(n, max(self.classes.max() + 1, math.ceil(math.sqrt(n))))
        while size < n and self.error(order[: size + 1]) < self.error(order[:size]):
            size += 1
        return order[:size]

    def thin(self, selected):
        within, between = self.degrees(selected)
        final, rest = selected[between > 0], selected[between == 0]
        connected = ((within + between) > 0)[between == 0]
        while len(rest):
            within, between = self.degrees(rest)
            layer = (between > 0) & connected
            if not self.error([*final, *rest[layer]]) < self.error(final):
                break
            final, rest, connected = [*final, *rest[layer]], rest[~layer], ((within + between) > 0)[~layer]
        return final


@given(grid_tables(max_rows=60), st.integers(2, 6), st.sampled_from([2, 3, 5]))
def test_the_selection_equals_plain_loops(table, n_labels, granularity):
    X, y = table
    reference = Reference(X, y, n_labels, granularity)
    selection = select_by_system(X, y, n_labels=n_labels, granularity=granularity, thin_out_tolerance=None)
    expected = reference.select()
    assert selection.indices.tolist() == sorted(expected)
    assert selection.criterion_all == pytest.approx(reference.error(range(len(y))), rel=1e-10, abs=1e-14)
    assert selection.criterion_selected == pytest.approx(reference.error(expected), rel=1e-10, abs=1e-14)
    thinned, thin = select_by_system(X, y, n_labels=n_labels, granularity=granularity), reference.thin(expected)
    assert thinned.indices.tolist() == sorted(thin if len(thin) >= 2 else expected)
    assert thinned.thinned == (len(thinned.indices) < len(expected))


def test_the_search_ends_soon_after_its_core(diabetes):
    whole = CCISRLikeSelector(thin_out_tolerance=None).fit(*diabetes)
    assert 22 <= len(whole.sample_indices_) < 60
    thinned = CCISRLikeSelector().fit(*diabetes)
    assert thinned.thinned_
    assert set(thinned.sample_indices_) < set(whole.sample_indices_)


def test_the_error_of_the_system_has_the_unit_of_the_output(diabetes):
    X, y = diabetes
    plain, other = (CCISRLikeSelector().fit(X, target) for target in (y, 1e3 * y))
    assert other.system_error_all_ == pytest.approx(1e6 * plain.system_error_all_)
    assert other.system_error_selected_ == pytest.approx(1e6 * plain.system_error_selected_)
    assert plain.system_error_all_ < 2 * y.var()


def test_more_labels_make_more_classes(diabetes):
    assert len(CCISRLikeSelector(n_labels=9).fit(*diabetes).class_borders_) == 8


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_labels": 1}, "n_labels"),
        ({"granularity": 1}, "granularity"),
        ({"granularity": 10}, "granularity"),
        ({"max_inputs": 0}, "max_inputs"),
        ({"max_inputs": 2.5}, "max_inputs"),
    ],
)
def test_bad_parameters_are_refused(diabetes, parameters, message):
    with pytest.raises(ValueError, match=message):
        CCISRLikeSelector(**parameters).fit(*diabetes)
