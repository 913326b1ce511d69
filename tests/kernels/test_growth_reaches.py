"""How far split points of the growth may reach, against a plain computation."""

import numpy as np
import pytest

from fruler._kernels.growth_tuning import largest_reaches


def plain_reaches(inputs, places, domains):
    reaches = []
    for number, (which, place) in enumerate(zip(inputs, places, strict=True)):
        others = [p for k, (j, p) in enumerate(zip(inputs, places, strict=True)) if j == which and k != number]
        below, above = [p for p in others if p < place], [p for p in others if p > place]
        left = 0.5 * (place - max(below)) if below else place - domains[which][0]
        right = 0.5 * (min(above) - place) if above else domains[which][1] - place
        reaches.append(min(left, right))
    return reaches


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_points", [1, 2, 9])
def test_half_way_to_a_neighbour_and_all_the_way_to_an_end(seed, n_points):
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 3, n_points).astype(np.intc)
    places = rng.permutation(n_points) / n_points + 0.01
    domains = np.array([[-1.0, 2.0], [0.0, 1.5], [-0.5, 1.1]])
    found = largest_reaches(inputs, places, domains)
    np.testing.assert_allclose(found, plain_reaches(inputs, places, domains), rtol=1e-12)


def test_no_points():
    assert largest_reaches(np.empty(0, dtype=np.intc), np.empty(0), np.array([[0.0, 1.0]])).size == 0
