"""All categories of a column are one part of a prediction, and the strongest rule's word stands beside the model's."""

import json

import numpy as np
import pandas as pd
import pytest
from helpers.dated_rules import dated_rules, dated_table
from helpers.estimators import ALGORITHMS, make_quick_estimator
from helpers.mixed_table import mixed_table

from fruler._table.sources import LevelSource
from fruler.rules import FuzzyPartition, RuleBase, Variable

RULES, TABLE = dated_rules(), dated_table()
SUBJECTS = ["sold", "day of year", "hour", "weekday", "origin", "fuel", "size", "size is missing"]


@pytest.fixture(scope="module", params=ALGORITHMS)
def fitted(request):
    return make_quick_estimator(request.param, 150).fit(*mixed_table())


def test_a_part_is_the_sum_of_its_inputs_and_parts_sum_to_the_prediction():
    why = RULES.explain(TABLE[:20])
    groups = {feature.name: feature.inputs for feature in RULES.features}
    for row in range(20):
        parts = why.parts(row)
        for part in parts:
            assert part.adds == pytest.approx(why.contributions[row, list(groups[part.subject])].sum())
        assert why.base + sum(part.adds for part in parts) == pytest.approx(why.predictions[row])
        sizes = [abs(part.adds) for part in parts]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("fuel", ["gas", "oil", "sun"])
def test_a_part_names_the_category_of_the_row_also_the_one_without_an_input(fuel):
    texts = [part.text for part in RULES.explain(TABLE[:1].assign(fuel=fuel)).parts()]
    assert f"fuel = {fuel}" in texts
    assert not any("fuel=" in text for text in texts)


@pytest.mark.parametrize(("age", "text"), [(1.0, "age = 1 year"), (2.0, "age = 2 years"), (0.5, "age = 0.5 years")])
def test_one_year_is_not_1_years(age, text):
    rules = RuleBase([Variable("age", FuzzyPartition([], (0.0, 9.0)), "years")], [[[0, 0]]], [[1.0, 2.0]])
    why = rules.with_training([[3.0], [4.0]], [7.0, 9.0]).explain([[age]])
    assert why.parts()[0].text == text


def test_two_categories_of_one_input_are_named():
    source = LevelSource.indicator("fuel", ["gas", "oil"], "oil")
    fuel = Variable("fuel=oil", FuzzyPartition([], (0.0, 1.0))).of(source)
    rules = RuleBase([fuel], [[[0, 0]]], [[1.0, 2.0]])
    table = pd.DataFrame({"fuel": ["gas", "oil", "oil"]})
    why = rules.with_training(table, [1.0, 3.0, 3.0]).explain(table)
    assert [why.parts(row)[0].text for row in range(2)] == ["fuel = gas", "fuel = oil"]
    assert why.parts(0)[0].adds < 0.0 < why.parts(1)[0].adds


def test_a_missing_category_is_estimated():
    texts = [part.text for part in RULES.explain(TABLE[:1].assign(fuel=None)).parts()]
    assert "fuel, estimated" in texts


def test_tables_and_dictionaries_have_joined_parts():
    why = RULES.explain(TABLE[:5])
    frame = why.to_frame()
    assert [column for column in frame if column.endswith(" adds")] == [f"{name} adds" for name in SUBJECTS]
    [row, *_] = json.loads(json.dumps(why.to_dict()))
    assert list(row["adds"]) == [part.subject for part in why.parts(0)]
    assert row["adds"]["fuel"] == pytest.approx(frame["fuel adds"].iloc[0])


class TestTheStrongestRule:
    def test_it_has_the_largest_weight_and_says_its_own_output(self, fitted):
        X = mixed_table()[0][:50]
        why = fitted.explain(X)
        outputs = fitted.rule_base_.rule_outputs(X)
        rows = np.arange(len(X))
        assert (why.activations[rows, why.strongest] == why.activations.max(axis=1)).all()
        np.testing.assert_array_equal(why.alone, outputs[rows, why.strongest])
        np.testing.assert_allclose((why.activations * why.rule_outputs).sum(axis=1), why.predictions, rtol=1e-6)

    def test_of_equal_rules_it_is_the_first(self):
        x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0)))
        rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [8.0, 0.0]], target_unit="m")
        why = rules.with_training([[0.0], [5.0], [10.0]], [0.0, 4.0, 8.0]).explain([[5.0], [0.0]])
        assert why.strongest.tolist() == [0, 0]
        assert why.alone.tolist() == [0.0, 0.0]
        assert "\n  by rule 1 (50%), rule 2 (50%)\n  rule 1 alone says 0 m" in str(why[0])
        # A rule that fires alone says what the model says.
        assert "alone" not in str(why[1])
        frame = why.to_frame()
        assert frame["strongest rule"].tolist() == [1, 1]
        assert frame["strongest rule alone"].tolist() == [0.0, 0.0]
        assert why.to_dict()[0]["strongest"] == {"rule": 1, "says": 0.0}

    def test_curves_are_part_of_what_it_says(self):
        why = RULES.explain(TABLE[:5])
        np.testing.assert_allclose(why.alone[~why.fired], why.predictions[~why.fired])


def test_of_many_rules_the_strongest_are_named(rng):
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]]] * 8, np.column_stack([np.arange(8.0), np.zeros(8)]))
    note = rules.with_training([[0.0], [1.0]], [3.5, 3.5]).explain([[0.5]]).notes()[0]
    assert note == "by rule 1 (12%), rule 2 (12%), rule 3 (12%), rule 4 (12%), rule 5 (12%), 3 others (38%)"


def test_every_algorithm_joins_categories(fitted):
    X = mixed_table()[0][:3]
    for row in fitted.explain(X):
        assert not any("=" in part.subject for part in row.parts())
        assert row.base + sum(part.adds for part in row.parts()) == pytest.approx(row.predictions[0])
