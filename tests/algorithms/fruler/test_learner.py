"""The three stages joined: which rows and split points each one gets, what comes out, and what a state must hold."""

from dataclasses import replace

import numpy as np
import pytest

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace
from fruler._algorithms.fruler.discretization import NestedSplits, nested_splits
from fruler._algorithms.fruler.fitness import Evaluation
from fruler._algorithms.fruler.instance_selection import select_instances
from fruler._algorithms.fruler.learner import FRULERLearner, simpler_models, trial_rows
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.state import EvolutionState
from fruler.learning._control import RunControl, StateKeeper
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Search

N_ROWS = 160


def make_table(split_points=None):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (N_ROWS, 3)) * [1.0, 20.0, 1.0] + [0.0, 7.0, 0.0]
    y = 40.0 + np.where(X[:, 0] > 0.2, 3.0 * X[:, 2], 0.4 * X[:, 1]) + rng.normal(0.0, 0.2, N_ROWS)
    return LocalTable.from_arrays(X, y, None, ["a", "b", "c"], split_points)


def learner_of(table, state=None, kept=None, **options):
    """Return a learner of few evaluations; the states that it keeps go into a list."""
    keeper = StateKeeper(state, None if kept is None else lambda one, at_once=False: kept.append((one, at_once)))
    search = Search(
        FRULEROptions(**{"max_evaluations": 300, "early_stopping": 5} | options),
        table,
        np.random.default_rng(0),
        RunControl(),
        keeper=keeper,
    )
    return FRULERLearner(search)


def same(one, other):
    """Return whether two results have the same models."""
    pairs = zip(one.front, other.front, strict=True)
    return all(np.array_equal(a.rule_base.slopes, b.rule_base.slopes) and a.error == b.error for a, b in pairs)


@pytest.fixture(scope="module")
def learned():
    return learner_of(make_table()).learn()


def test_rules_are_made_from_the_rows_that_the_selection_leaves(learned):
    table = make_table()
    inputs = np.ascontiguousarray(table.rows.rows[:, 1:])
    assert learned.sample_indices.tolist() == select_instances(inputs, table.rows.y).indices.tolist()
    assert 0 < len(learned.sample_indices) < N_ROWS
    everything = learner_of(table, instance_selection=False).learn()
    assert everything.sample_indices.tolist() == list(range(N_ROWS))


def test_labels_are_made_from_the_split_points_that_the_discretization_finds(learned):
    table = make_table()
    nested = nested_splits(table.values, table.target, table.weight, splits="printed")
    for point in learned.front:
        for variable, own in zip(point.rule_base.variables, nested, strict=True):
            assert variable.partition.n_labels <= len(own.found) + 1
    assert learned.front[-1].rule_base.n_rules > 1


def test_known_split_points_are_those_of_the_labels():
    table = make_table(split_points={"a": [-0.3, 0.25]})
    models = [point.rule_base for point in learner_of(table).learn().front]
    used = [rules.variables[0].partition.split_points for rules in models if rules.variables[0].partition.n_labels > 1]
    assert used
    assert all(list(points) == [-0.3, 0.25] for points in used)


def test_errors_are_half_the_mean_square_in_the_target_s_unit_and_fall_with_the_rules(learned):
    table = make_table()
    for point in learned.front:
        residuals = table.target - point.rule_base.predict(table.values)
        assert point.error == pytest.approx(np.mean(residuals**2) / 2.0, rel=1e-9)
    sizes, fitness = zip(*((point.rule_base.n_rules, point.criterion) for point in learned.front), strict=True)
    assert list(sizes) == sorted(set(sizes))
    assert list(fitness) == sorted(fitness, reverse=True)
    assert learned.chosen == len(learned.front) - 1
    assert learned.front[-1].error < 0.3 * np.var(table.target) / 2.0
    assert learned.history["best_error"].is_monotonic_decreasing
    assert learned.n_evaluations <= 301


def test_a_limit_on_rules_holds():
    learned = learner_of(make_table(), max_rules=3).learn()
    assert all(point.rule_base.n_rules <= 3 for point in learned.front)


def test_a_given_regularization_is_used_and_a_larger_one_shrinks_more():
    small, large = (learner_of(make_table(), regularization=value).learn().front[-1] for value in (1e-4, 0.5))
    assert (small.regularization, large.regularization) == (1e-4, 0.5)
    sizes = [np.abs(point.rule_base.slopes).sum() / point.rule_base.n_rules for point in (small, large)]
    assert sizes[1] < 0.7 * sizes[0]


def test_in_the_search_consequents_are_fitted_on_the_selected_rows_and_scored_on_all():
    table, selected = make_table(), np.arange(0, N_ROWS, 2)
    learner = learner_of(table, EvolutionState(selected=selected))
    nested, fixed = learner._discretize()
    space = SearchSpace.from_splits(nested, table.domains, table.scale, fuzziness=1.0, t_norm="minimum", fixed=fixed)
    task = learner._task(space, learner._select())
    for part in (task.examples, task.fitted):
        np.testing.assert_array_equal(part.y, table.rows.y[selected])
    np.testing.assert_array_equal(task.scored.y, table.rows.y)
    on_all = learner_of(table, fit_rows="all")._task(space, selected)
    np.testing.assert_array_equal(on_all.fitted.y, table.rows.y)
    assert on_all.scored is None


def test_every_stage_is_kept_at_its_end_and_a_search_resumes_from_each(learned):
    kept = []
    assert same(learner_of(make_table(), kept=kept).learn(), learned)
    ends = [state for state, at_once in kept if at_once]
    assert [state.selected is not None for state in ends] == [True] * len(ends)
    assert [state.nested is not None for state in ends] == [False] + [True] * (len(ends) - 1)
    assert [state.fit is not None for state in ends] == [False, False] + [True] * (len(ends) - 2)
    assert ends[-1].snapshot is not None
    middle = [state for state, _ in kept if state.snapshot is not None][3]
    for state in (*ends, middle):
        resumed = learner_of(make_table(), state).learn()
        assert same(resumed, learned)
        assert resumed.n_evaluations == learned.n_evaluations


@pytest.mark.parametrize(
    ("spoiled", "message"),
    [
        ({"selected": np.array([0, N_ROWS])}, "selected rows that this table does not have"),
        ({"selected": np.empty(0, dtype=np.intp)}, "selected rows that this table does not have"),
        ({"nested": [NestedSplits(np.array([99.0]), np.empty(0))] * 3}, "split points that are impossible"),
        ({"nested": []}, "split points that are impossible"),
    ],
)
def test_a_state_of_another_table_is_refused(spoiled, message):
    state = replace(EvolutionState(selected=np.arange(20)), **spoiled)
    with pytest.raises(ValueError, match=message):
        learner_of(make_table(), state).learn()


def test_a_state_of_other_consequents_is_refused():
    kept = []
    learner_of(make_table(), kept=kept).learn()
    state = next(one for one, _ in kept if one.fit is not None)
    with pytest.raises(ValueError, match="its consequents are fitted in another way"):
        learner_of(make_table(), state, l1_ratio=0.9).learn()


def test_rows_to_choose_the_regularization_by_are_held_out():
    selected = np.arange(0, 100, 5)
    fitted, held_out = trial_rows(100, selected, np.random.default_rng(0), 2_000)
    assert fitted.tolist() == selected.tolist()
    assert held_out.tolist() == np.setdiff1d(np.arange(100), selected).tolist()
    # Where all rows are fitted, a third of them is held out.
    fitted, held_out = trial_rows(100, None, np.random.default_rng(0), 2_000)
    assert len(held_out) == 33
    assert sorted([*fitted, *held_out]) == list(range(100))
    fitted, held_out = trial_rows(9_000, None, np.random.default_rng(0), 2_000)
    assert (len(fitted), len(held_out)) == (2_000, 2_000)
    assert not set(fitted) & set(held_out)


def test_simpler_models_are_those_that_no_smaller_one_beats():
    chromosome = Chromosome(np.ones(2, dtype=np.intc), np.zeros((2, 1)))
    errors = {3: 0.5, 1: 1.0, 2: 1.2, 4: 0.5, 5: 0.4, 6: 0.1, 7: 0.05}
    met = {size: (chromosome, Evaluation(0.0, error, size, 0)) for size, error in errors.items()}
    assert [found.n_rules for _, found in simpler_models(met, 6)] == [1, 3, 5]
    assert simpler_models(met, 1) == []
