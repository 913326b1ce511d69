"""The kernel of triangles against NumPy, written anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import triangles

values = st.sampled_from([-2.0, -1.0, 0.0, 0.25, 0.5, 1.0, 3.0])


@st.composite
def triangle(draw):
    a, b, c = sorted(draw(st.lists(values, min_size=3, max_size=3)))
    return draw(
        st.sampled_from([(a, b, c), (a, b, c), (-np.inf, b, c), (a, b, np.inf), (-np.inf, b, np.inf), (np.nan,) * 3])
    )


@st.composite
def problems(draw):
    """Values at and beside the points of triangles; few numbers, so that ties and crisp sides are frequent."""
    m, q, n = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 6))
    points = np.array([[draw(triangle()) for _ in range(q)] for _ in range(m)])
    X = np.array([[draw(values) for _ in range(q)] for _ in range(n)])
    widths = np.array([draw(st.sampled_from([0.5, 1.0, 4.0])) for _ in range(q)])
    return X, points, widths, draw(st.integers(0, 1))


def brute_degree(x, a, b, c):
    if x == b or (x < b and a == -np.inf) or (x > b and c == np.inf):
        return 1.0
    if x <= a or x >= c:
        return 0.0
    return (x - a) / (b - a) if x < b else (c - x) / (c - b)


def brute_fire(X, points, widths, t_norm):
    degrees, fired = np.zeros((len(X), len(points))), np.zeros(len(X), dtype=bool)
    for i, row in enumerate(X):
        away = []
        for k, rule in enumerate(points):
            looked = [j for j in range(len(row)) if not np.isnan(rule[j, 1])]
            parts = [brute_degree(row[j], *rule[j]) for j in looked]
            degrees[i, k] = (np.prod if t_norm == 0 else np.min)([1.0, *parts])
            inside = [
                (row[j] < rule[j, 1] and rule[j, 0] == -np.inf) or (row[j] > rule[j, 1] and rule[j, 2] == np.inf)
                for j in looked
            ]
            away.append(
                sum(
                    abs(row[j] - rule[j, 1]) / widths[j] for j, within in zip(looked, inside, strict=True) if not within
                )
            )
        fired[i] = degrees[i].any()
        if not fired[i]:
            degrees[i, int(np.argmin(away))] = 1.0
    return degrees, fired


@given(problems())
def test_degrees_are_those_of_brute_force(problem):
    degrees, fired = triangles.fire(*problem)
    expected, expected_fired = brute_fire(*problem)
    np.testing.assert_array_equal(fired, expected_fired)
    np.testing.assert_allclose(degrees, expected, rtol=0, atol=1e-15)


@given(problems(), st.integers(0, 100))
def test_predictions_are_weighted_means(problem, seed):
    X, points, _, _ = problem
    rng = np.random.default_rng(seed)
    degrees, _ = brute_fire(*problem)
    weights = degrees / degrees.sum(axis=1, keepdims=True)
    coefficients, table = rng.normal(size=(len(points), 3)), rng.normal(size=(len(X), 2))
    said = coefficients[:, 0] + table @ coefficients[:, 1:].T
    found = triangles.predict_linear(*problem, table, coefficients)
    np.testing.assert_allclose(found, (weights * said).sum(axis=1), rtol=1e-12, atol=1e-12)
    output = np.sort(rng.normal(size=(len(points), 3)), axis=1)
    centres = np.array([[textbook_centroid(*output[k], h) for k, h in enumerate(row)] for row in degrees])
    found = triangles.predict_labels(*problem, output)
    np.testing.assert_allclose(found, (weights * centres).sum(axis=1), rtol=1e-10, atol=1e-10)


def textbook_centroid(a, b, c, h):
    """Return the centre of gravity of a clipped triangle as it is usually written."""
    x1, x2 = a + (b - a) * h, c - (c - b) * h
    return ((c * c + c * x2 + x2 * x2) - (a * a + a * x1 + x1 * x1)) / (3.0 * ((c + x2) - (a + x1)))


@pytest.mark.parametrize("points", [(0.0, 1.0, 2.0), (0.0, 3.0, 4.0), (0.0, 0.0, 4.0), (-7.0, 1.0, 1.0)])
@pytest.mark.parametrize("height", [1e-6, 0.1, 0.5, 0.9, 1.0])
def test_the_centroid_is_that_of_the_area(points, height):
    a, b, c = points
    x = np.linspace(a, c, 2_000_001)
    y = np.minimum(
        np.interp(x, [a, b, c] if a < b < c else [a, c], [0, 1, 0] if a < b < c else [a == b, b == c]), height
    )
    middle, mass = (x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0
    found = triangles.centroids(np.array([points]), np.array([[height]]))[0, 0]
    assert found == pytest.approx((middle * mass).sum() / mass.sum(), abs=2e-5)
    assert found == pytest.approx(textbook_centroid(*points, height), abs=1e-9)


def test_a_centroid_of_nothing_and_of_large_numbers_is_a_number():
    points = np.array([[5.0, 5.0, 5.0], [-1e300, 0.0, 1e300], [0.0, 0.0, 1e300]])
    assert triangles.centroids(points, np.array([[0.0, 0.5, 1.0]])).tolist() == [[5.0, 0.0, 1e300 / 3.0]]
