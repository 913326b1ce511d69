"""Nested splits against least squares and against an exhaustive search."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler.kernels import discretization


def line_error(x, y, w):
    """Weighted squared error of the least squares line, by QR."""
    root = np.sqrt(w)
    x = (x - x.mean()) / max(np.ptp(x), 1e-300)  # the error does not depend on the unit of x, rounding does
    design = np.column_stack([np.ones_like(x), x]) * root[:, None]
    solution = np.linalg.lstsq(design, y * root, rcond=None)[0]
    return float(np.square(root * y - design @ solution).sum())


def split_column(x, y, w=None, *, min_rows=5, free_splits=1.0, floor=1e-300):
    w = np.ones(len(x)) if w is None else w
    order = np.argsort(x, kind="stable")[None, :]
    [(found, criteria)] = discretization.split_columns(x[None, :], order, y, w, min_rows, free_splits, floor)
    return np.sort(x), found, criteria


def error_of(criterion, granularity, n, total_weight, free_splits=1.0):
    """The squared error that a BIC stands for."""
    penalty = max(granularity - free_splits, 1.0) * 2.0 * np.log(n)
    return total_weight * np.exp((criterion - penalty) / n)


@st.composite
def columns(draw):
    n = draw(st.integers(10, 120))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.normal(size=n) if draw(st.booleans()) else rng.integers(0, draw(st.integers(1, 30)), n).astype(float)
    x = x * 10.0 ** draw(st.integers(-9, 12)) + draw(st.sampled_from([0.0, 1.0, 1e3]))
    if draw(st.booleans()):
        x[0] = draw(st.sampled_from([-1e15, 9_999_999.0, 1e12]))  # as a code for "missing" may do
    y = rng.normal(size=n) + draw(st.floats(0, 5)) * np.sign(rng.normal(size=n) + np.argsort(np.argsort(x)) - n / 2)
    w = rng.uniform(0.1, 3.0, n) if draw(st.booleans()) else np.ones(n)
    return x, y, w


@given(columns())
def test_errors_equal_least_squares(column):
    x, y, w = column
    n, total = len(x), w.sum()
    _, found, criteria = split_column(x, y, w)
    order = np.argsort(x, kind="stable")
    x, y, w = x[order], y[order], w[order]
    scale = (w * np.square(y - np.average(y, weights=w))).sum()
    for granularity in range(1, len(found) + 2):
        edges = [0, *sorted(found[: granularity - 1]), n]
        expected = sum(line_error(x[a:b], y[a:b], w[a:b]) for a, b in itertools.pairwise(edges))
        assert error_of(criteria[granularity - 1], granularity, n, total) == pytest.approx(
            expected, rel=1e-7, abs=1e-9 * scale
        )


@given(columns())
def test_the_first_split_is_the_best_of_all(column):
    x, y, w = column
    n = len(x)
    _, _, criteria = split_column(x, y, w)
    order = np.argsort(x, kind="stable")
    x, y, w = x[order], y[order], w[order]
    candidates = [
        line_error(x[:k], y[:k], w[:k]) + line_error(x[k:], y[k:], w[k:])
        for k in range(5, n - 4)
        if x[k - 1] < x[k] and x[0] < x[k - 1] and x[k] < x[-1]
    ]
    if not candidates:
        assert len(criteria) == 1
        return
    scale = (w * np.square(y - np.average(y, weights=w))).sum()
    assert error_of(criteria[1], 2, n, w.sum()) == pytest.approx(min(candidates), rel=1e-7, abs=1e-9 * scale)


@given(columns())
def test_every_side_has_rows_and_values_enough(column):
    x, y, w = column
    x_sorted, found, _ = split_column(x, y, w, free_splits=100.0)  # nothing is charged: as many splits as there can be
    edges = [0, *sorted(found), len(x)]
    for a, b in itertools.pairwise(edges):
        assert b - a >= 5
        assert len(found) == 0 or x_sorted[a] < x_sorted[b - 1]
    for k in found:
        assert x_sorted[k - 1] < x_sorted[k]


def test_bic_ends_the_splits_at_its_minimum():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 3, 600))
    y = np.select([x < 1, x < 2], [0.0, 9.0 + x], 3.0 - x) + 0.01 * rng.normal(size=600)
    x_sorted, found, criteria = split_column(x, y, min_rows=30)
    assert len(found) + 1 == np.argmin(criteria) + 1 == 3
    np.testing.assert_allclose(np.sort(x_sorted[found]), [1.0, 2.0], atol=0.05)


def test_the_free_first_split_changes_only_what_is_charged():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=300), rng.normal(size=300)
    _, _, printed = split_column(x, y, min_rows=30)
    _, _, full = split_column(x, y, min_rows=30, free_splits=0.0)
    common = min(len(printed), len(full))
    assert common > 2
    charged_more = (full[:common] - printed[:common]) / (2.0 * np.log(300))
    np.testing.assert_allclose(charged_more, [0.0, *[1.0] * (common - 1)], atol=1e-9)
