"""The intervals of tuned points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.systems.tuning import TuningSpace


def whole(points):
    return np.array(points, dtype=float), np.zeros((len(points), 2), dtype=bool)


def test_a_point_moves_by_half_of_the_side_next_to_it():
    space = TuningSpace.around(*whole([[0.0, 2.0, 4.0]]), n_rules=1)
    assert space.low.tolist() == [-1.0, 1.0, 3.0]
    assert space.high.tolist() == [1.0, 3.0, 5.0]
    assert space.decoded(np.zeros(3)).tolist() == [[-1.0, 1.0, 3.0]]
    assert space.decoded(np.array([0.5, 0.75, 1.0])).tolist() == [[0.0, 2.5, 5.0]]


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-9, 1.0, 1e7]))
def test_points_keep_their_order_wherever_they_are_in_their_intervals(seed, scale):
    rng = np.random.default_rng(seed)
    middles, sides = rng.normal(size=20) * scale, rng.uniform(0.01, 1.0, 20) * scale
    triangles = np.column_stack([middles - sides, middles, middles + sides])
    space = TuningSpace.around(*whole(triangles), n_rules=1)
    # Corners as often as places between them.
    points = space.decoded(np.clip(rng.uniform(-1.0, 2.0, space.n_genes), 0.0, 1.0))
    assert (np.diff(points, axis=1) >= 0.0).all()
    assert ((points.ravel() >= space.low) & (points.ravel() <= space.high)).all()
    np.testing.assert_array_equal(space.decoded(space.start), triangles)


def test_the_middles_of_neighbouring_labels_keep_their_order():
    middles = np.linspace(0.0, 1.0, 6)
    triangles = np.column_stack([middles - 0.2, middles, middles + 0.2])
    space = TuningSpace.around(*whole(triangles), n_rules=1)
    high, low = (space.decoded(np.full(18, gene))[:, 1] for gene in (1.0, 0.0))
    assert high[:-1] == pytest.approx(low[1:])


def test_a_shoulder_has_no_gene_on_its_side():
    triangles, shoulders = whole([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    shoulders[0, 0] = shoulders[1, 1] = True
    space = TuningSpace.around(triangles, shoulders, n_rules=1)
    assert space.n_genes == 4
    assert space.decoded(space.start).tolist() == [[-np.inf, 1.0, 2.0], [1.0, 2.0, np.inf]]
    # The middle moves as far as that of a whole triangle.
    assert space.low[0] == 0.5


def test_rules_that_look_at_nothing_have_no_genes():
    space = TuningSpace.around(np.empty((0, 3)), np.empty((0, 2), dtype=bool), n_rules=1)
    assert space.n_genes == 0
    assert space.decoded(space.start).shape == (0, 3)
