"""The state of a growth, written and read back."""

import json

import numpy as np
import pytest
from helpers.structures import problem_of, same_steps, standardised

from fruler._algorithms.growth.cross_validation import CrossValidation, draw_folds
from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.learner import GrowthState
from fruler.learning._codec import pack, unpack
from fruler.learning._folds import Split


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(100, 2))
    rows, domains = standardised(X, np.abs(X[:, 0] - 0.5) + np.sign(X[:, 1] - 0.5) * X[:, 0])
    problem = problem_of(rows, domains, max_rules=3, max_evaluations=90)
    growth = Growth(problem, max_size=4)
    growth.run()
    validation = CrossValidation(problem, (0.1, 1.0), [Split(fold) for fold in draw_folds(100, rng)], max_size=4)
    return growth, {number: validation.fold(number) for number in (0, 3)}


def through_a_file(state):
    document, arrays = pack(GrowthState, state)
    return unpack(GrowthState, json.loads(json.dumps(document)), arrays)


@pytest.mark.parametrize("n_steps", [0, 1, 2, 5])
@pytest.mark.parametrize("numbers", [(), (3,), (3, 0)])
def test_what_is_written_is_read_back(grown, n_steps, numbers):
    growth, folds = grown
    state = GrowthState(tuple(growth.path[:n_steps]), 3 if n_steps else None, {n: folds[n] for n in numbers})
    again = through_a_file(state)
    assert same_steps(again.path, state.path)
    assert [step.seconds for step in again.path] == [step.seconds for step in state.path]
    assert (again.max_rules, again.n_evaluations) == (state.max_rules, state.n_evaluations)
    assert list(again.folds) == list(numbers)
    for number, fold in again.folds.items():
        written = folds[number]
        assert np.array_equal(fold.errors, written.errors)
        assert fold.errors.shape == written.errors.shape
        assert same_steps(fold.path, written.path)
        assert fold[1:5] == written[1:5]


def test_the_kernels_can_read_what_is_read_back(grown):
    growth, _ = grown
    assert {step.structure.n_rules for step in growth.path} > {1}
    assert growth.path[-1].structure.n_curves > 0
    again = through_a_file(GrowthState(tuple(growth.path[:3]), 3))
    resumed = Growth(problem_of(growth.rows, growth.room.domains, max_rules=3, max_evaluations=90), max_size=4)
    resumed.run(again.path, again.max_rules)
    assert same_steps(resumed.path, growth.path)


def test_the_evaluations_of_a_state_are_those_of_its_path_and_its_folds(grown):
    growth, folds = grown
    assert GrowthState().n_evaluations == 0
    state = GrowthState(tuple(growth.path), 3, folds)
    expected = growth.path[-1].n_evaluations + sum(fold.n_evaluations for fold in folds.values())
    assert state.n_evaluations == expected
