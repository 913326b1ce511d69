"""Errors of tuned Mamdani rules against plain NumPy."""

import numpy as np
import pytest
from helpers.tuned_rules import WIDTHS, centroid, degrees, draw_problem, nearest
from hypothesis import given, settings
from hypothesis import strategies as st

from fruler._kernels.tuned_mamdani import evaluate

T_NORMS = ("product", "minimum")
FREE = np.array([np.inf])


def exact_centroid(points, height):
    """Return the centroid by the formula of a trapezoid in the plane."""
    a, b, c = points
    x1, x2 = a + (b - a) * height, c - (c - b) * height
    return ((c * c + c * x2 + x2 * x2) - (a * a + a * x1 + x1 * x1)) / (3 * ((c + x2) - (a + x1)))


@pytest.mark.parametrize("t_norm", T_NORMS)
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.sampled_from([3, 60, 600]))
@settings(max_examples=20)
def test_the_sum_of_squared_errors_is_that_of_numpy(t_norm, seed, n_rows):
    rng = np.random.default_rng(seed)
    triangles, _, X, y, weight = draw_problem(rng, n_rows)
    outputs = np.sort(rng.normal(size=(len(triangles), 3)), axis=1)
    selected = rng.uniform(size=len(triangles)) < 0.7
    selected[0] = True
    table = np.ascontiguousarray(X.T), WIDTHS, y, weight
    [[found, n_uncovered]] = evaluate(
        triangles[None], outputs[None], selected[None].astype(np.uint8), table, T_NORMS.index(t_norm), FREE
    )
    h, n_expected = degrees(triangles[selected], X, t_norm, nearest)
    said = outputs[selected]
    answers = [sum(d * exact_centroid(said[k], d) for k, d in enumerate(row) if d > 0) / row.sum() for row in h]
    assert found == pytest.approx(weight @ np.square(y - answers), rel=1e-9)
    assert n_uncovered == n_expected


@pytest.mark.parametrize("points", [(0.0, 1.0, 2.0), (1e6, 1e6 + 0.2, 1e6 + 3.0), (-2.0, -2.0, 1.0), (-1.0, 2.0, 2.0)])
@pytest.mark.parametrize("height", [0.05, 0.4, 1.0])
def test_the_output_is_the_centroid_of_the_clipped_triangle(points, height):
    # One rule that fires to this degree in the one row, whose error shows the output.
    triangles = np.array([[[[0.0, 1.0, 2.0]]]])
    table = np.array([[height]]), WIDTHS, np.zeros(1), np.ones(1)
    [[found, _]] = evaluate(triangles, np.array([[points]]), np.ones((1, 1), dtype=np.uint8), table, 1, FREE)
    assert np.sqrt(found) == pytest.approx(abs(centroid(points, height)), rel=1e-5 if points[0] < 1e5 else 1e-9)


def test_a_sum_above_the_limit_is_given_up():
    rng = np.random.default_rng(0)
    triangles, _, X, y, weight = draw_problem(rng, 2_000)
    outputs = np.sort(rng.normal(size=(len(triangles), 3)), axis=1)
    batch = np.repeat(triangles[None], 2, axis=0), np.repeat(outputs[None], 2, axis=0)
    selected = np.ones((2, len(triangles)), dtype=np.uint8)
    table = np.ascontiguousarray(X.T), WIDTHS, y, weight
    free = evaluate(*batch, selected, table, 1, np.full(2, np.inf))[0, 0]
    found = evaluate(*batch, selected, table, 1, np.array([free * 0.999, free * 1.001]))
    assert found[:, 0].tolist() == [np.inf, free]


def test_without_rules_the_error_is_infinite():
    triangles, _, X, y, weight = draw_problem(np.random.default_rng(0))
    none = np.zeros((1, len(triangles)), dtype=np.uint8)
    table = np.ascontiguousarray(X.T), WIDTHS, y, weight
    assert evaluate(triangles[None], np.zeros((1, len(triangles), 3)), none, table, 1, FREE)[0, 0] == np.inf
