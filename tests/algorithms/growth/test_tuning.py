"""Tuning by damped steps: what is tried, and when it ends."""

import numpy as np
import pytest
from helpers.structures import standardised

from fruler.algorithms.growth import tuning
from fruler.algorithms.growth.growth import Growth
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.structure import Structure
from fruler.algorithms.growth.tuning import Tuning
from fruler.table.scaling import measure_scale


def hinge(noise=0.05):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = np.where(X[:, 0] > 0.6, 4.0 * (X[:, 0] - 0.6) + X[:, 1], X[:, 1]) + noise * rng.normal(size=200)
    return X, y


def placed_at(place, reach, locality=0.0, regularization=None):
    X, y = hinge()
    rows, domains = standardised(X, y)
    scale = measure_scale(X)
    growth = Growth(rows, domains, [np.empty(0)] * 2, GrowthOptions(locality=locality, regularization=regularization))
    structure = (
        Structure.undivided(2).with_split(0, (place - scale.centre[0]) / scale.spread[0], reach)[0].divided(0, 0)
    )
    return growth, growth._place(structure, np.ones(structure.n_terms, dtype=bool)), scale


@pytest.mark.parametrize("locality", [0.0, 0.3])
@pytest.mark.parametrize("place", [0.4, 0.5, 0.75])
def test_a_split_point_is_moved_to_where_it_belongs(place, locality):
    growth, placed, scale = placed_at(place, 0.3, locality)
    found = Tuning(placed, growth.rows, locality, 0.1, growth._moved).run(20)
    assert found.fit.error < 0.8 * placed.fit.error
    at = found.structure.splits.places[0] * scale.spread[0] + scale.centre[0]
    assert at == pytest.approx(0.6, abs=0.06)
    # What it returns belongs together.
    again = growth._place(found.structure, found.fit.kept)
    assert again.fit.error == found.fit.error


def test_every_step_that_is_taken_lowers_the_error():
    growth, placed, _ = placed_at(0.4, 0.3)
    taken, tried = [placed], []

    def moved(start, steps):
        assert start is taken[-1]
        after = growth._moved(start, steps)
        tried.append(after)
        if after is not None and after.fit.error < start.fit.error:
            taken.append(after)
        return after

    found = Tuning(placed, growth.rows, 0.0, 0.1, moved).run(12)
    assert found is taken[-1]
    assert 2 < len(taken) <= len(tried) + 1 <= 13
    errors = [one.fit.error for one in taken]
    assert errors == sorted(errors, reverse=True)


def test_where_no_step_may_be_taken_all_stays():
    growth, placed, _ = placed_at(0.4, 0.3)
    lengths = []

    def refuse(_, steps):
        lengths.append(np.abs(steps).max())

    assert Tuning(placed, growth.rows, 0.0, 0.1, refuse).run(50) is placed
    # Each is shorter than the one before, until there is nothing left to try.
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) < 10


def test_at_its_end_it_takes_no_more_steps():
    growth, placed, _ = placed_at(0.6, 0.05)
    best = Tuning(placed, growth.rows, 0.0, 0.1, growth._moved).run(100)
    count = growth.n_evaluations
    Tuning(best, growth.rows, 0.0, 0.1, growth._moved).run(100)
    assert growth.n_evaluations - count < 15


def test_it_goes_on_from_where_it_was():
    growth, placed, _ = placed_at(0.4, 0.3)
    at_once = Tuning(placed, growth.rows, 0.0, 0.1, growth._moved).run(9)
    in_parts = Tuning(placed, growth.rows, 0.0, 0.1, growth._moved)
    first = in_parts.run(2)
    second = in_parts.run(7)
    assert second.fit.error == at_once.fit.error < first.fit.error
    assert in_parts.placed is second


@pytest.mark.parametrize(("kept_share", "factor"), [(1.5, 0.2), (0.5, 1.0), (0.1, 5.0), (-0.1, 10.0)])
def test_damping_follows_what_the_local_model_is_worth(kept_share, factor):
    growth, placed, _ = placed_at(0.4, 0.3)
    run = Tuning(placed, growth.rows, 0.0, 0.1, lambda *_: after)
    model = tuning._local_model(placed, growth.rows, 0.0, 0.1)
    _, promised = tuning._step(model, run._damping)
    assert promised > 0.0
    after = placed._replace(fit=placed.fit._replace(error=placed.fit.error - kept_share * promised))
    before = run._damping
    run.run(1)
    assert run._damping == pytest.approx(factor * before)


@pytest.mark.parametrize("locality", [0.0, 0.5])
def test_the_local_model_tells_of_a_small_step(locality):
    # Consequents follow every step; of a ridge, which there is hardly any, the model knows nothing.
    growth, placed, _ = placed_at(0.45, 0.3, locality, regularization=1e-7)
    model = tuning._local_model(placed, growth.rows, locality, 1e-7)
    for steps in (np.array([1e-4, 0.0]), np.array([0.0, 1e-4]), np.array([-5e-5, 5e-5])):
        up, down = (growth._moved(placed, sign * steps).fit.error for sign in (1.0, -1.0))
        assert (up - down) / 2.0 == pytest.approx(-2.0 * model.slope @ steps, rel=0.01)
    assert np.linalg.eigvalsh(model.curvature).min() > -1e-9
    # What consequents can make up for is no curvature.
    assert (np.diag(model.curvature) < 0.9 * model.scale).all()


def test_a_structure_without_split_points_of_rules_is_tuned_by_its_bends():
    X, y = hinge()
    rows, domains = standardised(X, y)
    growth = Growth(rows, domains, [np.empty(0)] * 2, GrowthOptions())
    structure = Structure.undivided(2).with_bend(0, 0.0, 0.3)
    placed = growth._place(structure, np.ones(structure.n_terms, dtype=bool))
    found = Tuning(placed, rows, 0.07, 0.1, growth._moved).run(20)
    assert found.fit.error < 0.9 * placed.fit.error
    scale = measure_scale(X)
    assert found.structure.bends.places[0] * scale.spread[0] + scale.centre[0] == pytest.approx(0.6, abs=0.06)


def test_a_rule_of_too_few_rows_is_no_step():
    growth, placed, _ = placed_at(0.9, 0.01)
    # 200 rows: above this are about 20. A step that leaves fewer than twelve is refused.
    assert growth._moved(placed, np.array([0.05, 0.0])) is not None
    growth.room.min_rows = 1
    assert growth._moved(placed, np.array([0.3, 0.0])) is None
