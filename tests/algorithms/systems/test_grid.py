"""From a grid to rules in the data's own units."""

import numpy as np
import pytest

from fruler._algorithms.systems.grid import GridSolution, make_grid_chromosome, uniform_partition, uniform_points
from fruler._algorithms.systems.grid_search import GridStage, make_grid
from fruler._algorithms.systems.options import LMETSKOptions
from fruler.learning._control import RunControl
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Search


def make_table(n=150, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) * [1.0, 50.0, 1e-3] + offset
    y = 100.0 + 20.0 * X[:, 0] + rng.normal(0.0, 0.1, n)
    return LocalTable.from_arrays(X, y, None, ["a", "b", "c"], None)


@pytest.mark.parametrize("consequent", ["nearest_row", "mean", "output_label"])
@pytest.mark.parametrize("t_norm", ["minimum", "product"])
def test_the_rule_base_answers_as_the_search_saw(consequent, t_norm):
    table = make_table()
    grid = make_grid(table, LMETSKOptions(t_norm=t_norm), consequent)
    extra = [5] if grid.n_variables == 4 else []
    moved = np.array([0.08, -0.1, 0.0, *([0.03] if extra else [])])
    solution = GridSolution.of(grid, make_grid_chromosome(grid, np.array([3, 4, 1, *extra]), moved), table)
    rules = solution.rule_base(table)
    predicted = rules.predict(table.values)
    mse = np.square(predicted - table.target).mean() / float(table.target_scale.spread) ** 2
    assert mse == pytest.approx(solution.error, rel=1e-9)
    assert rules.granularities.tolist() == [3, 4, 1]
    if consequent == "nearest_row":
        assert set(solution.outputs) <= set(table.target)
    if consequent == "output_label":
        centres = uniform_points([table.target.min(), table.target.max()], 5, 0.03)[:, 1]
        assert solution.outputs == pytest.approx(centres[solution.output_labels])


@pytest.mark.parametrize("displacement", [-0.1, 0.0, 0.07])
@pytest.mark.parametrize("granularity", range(2, 8))
def test_a_uniform_partition_is_made_of_triangles(granularity, displacement):
    x = np.linspace(-3.0, 9.0, 400)
    centres = uniform_points([-2.0, 7.0], granularity, displacement)[:, 1]
    step = 9.0 / (granularity - 1)
    expected = np.maximum(0.0, 1.0 - np.abs(x[:, None] - centres) / step)
    expected[x < centres[0], 0] = 1.0
    expected[x > centres[-1], -1] = 1.0
    assert uniform_partition([-2.0, 7.0], granularity, displacement).degrees(x) == pytest.approx(expected, abs=1e-12)


def test_values_that_rounding_cannot_part_have_one_label():
    table = make_table(offset=1e13)
    grid = make_grid(table, LMETSKOptions(), "nearest_row")
    assert grid.largest.tolist() == [7, 7, 1] or grid.largest.tolist() == [1, 7, 1]


def test_an_output_of_one_value_has_labels():
    X = np.random.default_rng(0).random((30, 2))
    table = LocalTable.from_arrays(X, np.full(30, 4.0), None, ["a", "b"], None)
    search = Search(LMETSKOptions(max_evaluations=200), table, np.random.default_rng(0), RunControl())
    stage = GridStage(search, "output_label")
    stage.run(lambda snapshot: None)
    best = stage.solution(stage.search.front[-1][0])
    assert np.isfinite(best.outputs).all()
    assert best.n_rules >= 1


def test_the_best_is_the_most_accurate_of_the_front():
    search = Search(LMETSKOptions(max_evaluations=500), make_table(), np.random.default_rng(0), RunControl())
    stage = GridStage(search, "output_label")
    stage.run(lambda snapshot: None)
    best = stage.solution(stage.search.front[-1][0])
    assert best.error == pytest.approx(min(worth.error for _, worth in stage.search.front), rel=1e-12)
    assert best.output_labels is not None
    assert best.cells.shape == (best.n_rules, len(best.inputs))
