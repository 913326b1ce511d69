import itertools

import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table
from helpers.report_models import handmade_rows, handmade_rules

from fruler.explain._dependence import MAX_ROWS, background_rows, effect_curve, ranked_interactions
from fruler.rules import FuzzyPartition, RuleBase, Variable


def three_inputs(slopes):
    """Two rules that part at the first of three inputs."""
    variables = [Variable(name, FuzzyPartition([0.5] if name == "a" else [], (0.0, 1.0), 0.0)) for name in "abc"]
    return RuleBase(variables, [[[0, 0]] * 3, [[1, 1], [0, 0], [0, 0]]], slopes)


def test_only_inputs_that_act_together_interact():
    rules = three_inputs([[0.0, 0.0, 1.0, 2.0], [5.0, 0.0, 4.0, 2.0]])
    rows = np.random.default_rng(0).uniform(size=(80, 3))
    (pair,) = ranked_interactions(rules, rows)
    assert (pair.held.name, pair.moved.name) == ("a", "b")
    assert pair.low < (0.5,) < pair.high
    width = pair.end[0] - pair.start[0]
    assert pair.change_low == pytest.approx(1.0 * width)
    assert pair.change_high == pytest.approx(4.0 * width)


def test_a_sum_has_no_interactions():
    same = three_inputs([[0.0, 1.0, 1.0, 2.0], [5.0, 3.0, 1.0, 2.0]])
    rows = np.random.default_rng(0).uniform(size=(50, 3))
    assert ranked_interactions(same, rows) == []


def test_the_strongest_pair_comes_first_and_weak_ones_can_be_left_out():
    rules = three_inputs([[0.0, 0.0, 1.0, 2.0], [5.0, 0.0, 4.0, 9.0]])
    rows = np.random.default_rng(0).uniform(size=(80, 3))
    pairs = ranked_interactions(rules, rows)
    assert [pair.moved.name for pair in pairs] == ["c", "b"]
    # The difference of slopes is 7 for the one and 3 for the other.
    assert pairs[0].strength / pairs[1].strength == pytest.approx(7 / 3, rel=0.3)
    assert ranked_interactions(rules, rows, most=1) == pairs[:1]
    between = (pairs[0].strength + pairs[1].strength) / 2
    assert ranked_interactions(rules, rows, least=between) == pairs[:1]


def test_strength_is_the_mean_of_what_both_changes_do_beyond_each_by_itself():
    rules, (rows, _) = handmade_rules(), handmade_rows(60)
    features = rules.features
    found = {(pair.moved.name, pair.held.name): pair.strength for pair in ranked_interactions(rules, rows)}
    partner = np.empty(60, dtype=int)
    order = np.random.default_rng(0).permutation(60)
    partner[order] = np.roll(order, 1)
    for one, other in itertools.combinations(features, 2):
        differences = []
        for i, k in enumerate(partner):
            moved = np.repeat(rows[i : i + 1], 4, axis=0)
            moved[1, one.inputs[0]] = moved[3, one.inputs[0]] = rows[k, one.inputs[0]]
            moved[2, other.inputs[0]] = moved[3, other.inputs[0]] = rows[k, other.inputs[0]]
            neither, first, second, both = rules.predict(moved)
            differences.append(abs(both - first - second + neither))
        expected = np.mean(differences)
        strength = found.get((one.name, other.name), found.get((other.name, one.name), 0.0))
        assert strength == pytest.approx(expected, abs=1e-9)


def test_categories_of_a_column_move_together():
    rules = dated_rules()
    features = rules.features
    rows = background_rows(rules, rules.inputs_of(dated_table()))
    pairs = ranked_interactions(rules, rows)
    names = [{pair.moved.name, pair.held.name} for pair in pairs]
    assert {"fuel", "origin"} in names
    assert all(name in {feature.name for feature in features} for pair in names for name in pair)
    (pair,) = [pair for pair in pairs if {pair.moved.name, pair.held.name} == {"fuel", "origin"}]
    fuel = pair.moved if pair.moved.name == "fuel" else pair.held
    values = (pair.start, pair.end) if fuel is pair.moved else (pair.low, pair.high)
    assert all(value in [option.values for option in fuel.options] for value in values)


def test_an_effect_is_the_mean_prediction_with_the_feature_set():
    rules = dated_rules()
    features = {feature.name: feature for feature in rules.features}
    rows = rules.inputs_of(dated_table(30))
    curve = effect_curve(rules, features["fuel"], rows, 0.0, 1.0)
    for at, option in zip(curve.predictions, features["fuel"].options, strict=True):
        moved = rows.copy()
        moved[:, [5, 6]] = option.values
        assert at == pytest.approx(rules.predict(moved).mean())
    curve = effect_curve(rules, features["size"], rows, 0.0, 10.0)
    assert curve.values[[0, -1]].tolist() == [0.0, 10.0]
    for k in (0, 7, len(curve.values) - 1):
        moved = rows.copy()
        moved[:, 7] = curve.values[k]
        assert curve.predictions[k] == pytest.approx(rules.predict(moved).mean())
    assert curve.extent == pytest.approx(np.ptp(curve.predictions))


def test_rows_are_made_up_like_those_that_the_rules_were_learned_from():
    rules = dated_rules()
    features = rules.features
    made, real = background_rows(rules), rules.inputs_of(dated_table())
    assert made.shape == (MAX_ROWS, real.shape[1])
    spread = real.std(axis=0)
    assert (np.abs(made.mean(axis=0) - real.mean(axis=0)) < 0.45 * spread).all()
    assert ((made >= rules.training.low) & (made <= rules.training.high)).all()
    for feature in features:
        values = {option.values for option in feature.options}
        assert not values or {tuple(row) for row in made[:, feature.index].tolist()} <= values
    # The same every time.
    np.testing.assert_array_equal(made, background_rows(rules))


def test_some_of_many_rows_are_taken():
    rules = handmade_rules()
    rows, _ = handmade_rows(1000)
    taken = background_rows(rules, rows)
    assert len(taken) == MAX_ROWS
    assert {tuple(row) for row in taken.tolist()} <= {tuple(row) for row in rows.tolist()}


def test_an_effect_is_computed_only_at_values_that_occur():
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 2.0], [3.0, -5.0]])
    trained = rules.with_training([[0.0], [1.0]] * 30, [0.0, 1.0] * 30)
    assert effect_curve(trained, rules.features[0], np.array([[0.0]]), 0.0, 1.0).values.tolist() == [0.0, 1.0]
