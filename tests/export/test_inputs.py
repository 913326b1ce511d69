"""How columns become inputs: what all exports share."""

import numpy as np
import pytest
from helpers.mixed_tables import COLUMNS, mixed_model, mixed_rows
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fruler._table.gaps import N_SWEEPS, Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler.export._plan import make_model_plan
from fruler.rules import FuzzyPartition, RuleBase, Variable


def plan_of(rule_base, **options):
    return make_model_plan(rule_base, **options).inputs


def test_columns_are_those_of_the_user():
    plan = plan_of(mixed_model("one-hot"))
    assert [column.name for column in plan.columns] == list(COLUMNS)
    assert [column.name for column in plan.columns if column.levels is None] == ["size", "a b"]
    assert [column.name for column in plan.columns if column.holds_truth] == ["sold"]
    assert not plan.plain
    assert {plan.column_of(j).name for j in plan.needed} == set(COLUMNS)


def test_inputs_that_are_missing_together_are_one_step():
    rule_base = mixed_model("one-hot")
    filling = plan_of(rule_base).filling
    steps = [[rule_base.names[j] for j in step.inputs] for step in filling.steps]
    assert [len(step) for step in steps] == [1, 4, 1, 1, 3]
    # Whether a value is missing is never missing itself.
    assert "size is missing" not in {name for step in steps for name in step}
    assert filling.n_rounds == N_SWEEPS


@pytest.mark.parametrize(("slopes", "n_rounds"), [([[0.0, 0.0], [0.0, 0.0]], 0), ([[0.0, 2.0], [0.0, 0.0]], 1)])
def test_there_are_no_more_rounds_than_needed(slopes, n_rounds):
    variables = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "ab"]
    rules = RuleBase(variables, [[[0, 0], [0, 0]]], [[1.0, 2.0, 3.0]], gaps=Gaps([0, 1], [1.0, 2.0], slopes))
    assert plan_of(rules).filling.n_rounds == n_rounds
    assert plan_of(rules).filling.groups == [(0,), (1,)]


@given(arrays.arrays(float, (4, 4), elements=st.floats(-1.0, 1.0)), st.integers(0, 7))
def test_steps_come_to_what_the_rule_base_takes_for_gaps(slopes, pattern):
    np.fill_diagonal(slopes, 0.0)
    levels = [LevelSource.indicator("b", ["x", "y", "z"], level) for level in "xy"]
    sources = [NumberSource("a"), *levels, NumberSource("c")]
    variables = [Variable(f"v{j}", FuzzyPartition([], (0.0, 1.0)), source=source) for j, source in enumerate(sources)]
    gaps = Gaps(range(4), [1.0, 0.3, 0.2, -5.0], slopes)
    filling = plan_of(RuleBase(variables, [[[0, 0]] * 4], [[1.0] * 5], gaps=gaps)).filling
    missing = np.array([bool(pattern & 1), bool(pattern & 2), bool(pattern & 2), bool(pattern & 4)])
    values = np.where(missing, np.nan, [2.0, 1.0, 0.0, -3.0])
    found = np.array(
        [filling.means[j] if gap else value for j, (gap, value) in enumerate(zip(missing, values, strict=True))]
    )
    for _ in range(filling.n_rounds):
        for step in filling.steps:
            taken = [
                intercept + sum(slope * found[k] for k, slope in own.items())
                for intercept, own in zip(step.intercepts, step.slopes, strict=True)
            ]
            found[list(step.inputs)] = np.where(missing[list(step.inputs)], taken, found[list(step.inputs)])
    np.testing.assert_allclose(found, gaps.filled(values[None])[0], rtol=1e-9, atol=1e-9)


def test_a_column_cannot_hold_numbers_and_categories():
    sources = [NumberSource("a"), LevelSource("a", "xy", [1.0, 2.0])]
    variables = [Variable(f"v{j}", FuzzyPartition([], (0.0, 1.0)), source=source) for j, source in enumerate(sources)]
    with pytest.raises(ValueError, match="'a' has numbers for one input and categories for another"):
        plan_of(RuleBase(variables, [[[0, 0], [0, 0]]], [[1.0, 2.0, 3.0]]))


def test_a_table_of_numbers_without_gaps_is_plain():
    variable = Variable("a", FuzzyPartition([], (0.0, 1.0)))
    assert plan_of(RuleBase([variable], [[[0, 0]]], [[1.0, 2.0]])).plain
    gap = Variable("a is missing", FuzzyPartition([], (0.0, 1.0)), source=GapSource("a"))
    again = Variable("b", FuzzyPartition([], (0.0, 1.0)), source=NumberSource("a"))
    for other in (gap, again):
        assert not plan_of(RuleBase([variable, other], [[[0, 0], [0, 0]]], [[1.0, 2.0, 3.0]])).plain


def test_rows_have_every_combination():
    assert len(mixed_rows().drop_duplicates()) == 3 * 6 * 3 * 3 * 5
