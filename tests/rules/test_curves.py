import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from helpers import brute_force
from hypothesis import given
from hypothesis import strategies as st

from fruler.rules import Curve, FuzzyPartition, NominalPartition, RuleBase, Variable
from fruler.rules._curves import sum_of_curves
from fruler.rules._tables import curves_table, rules_table


@st.composite
def curves(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    splits = np.sort(rng.uniform(-1, 1, draw(st.integers(0, 5))))
    fuzziness = rng.choice([0.0, 0.3, 1.0], len(splits))
    return Curve(0, FuzzyPartition(splits, (-2.0, 2.0), fuzziness), rng.normal(size=(len(splits) + 1, 2)))


def by_degrees(curve, x):
    """What the definition says: the lines, weighted by the degrees of their labels."""
    intercepts, slopes = curve.coefficients.T
    return (curve.partition.degrees(x) * (intercepts + slopes * np.asarray(x)[:, None])).sum(axis=1)


def telling_values(curve, rng):
    splits, halves = np.array(curve.partition.split_points), curve.partition.half_widths
    ends = np.concatenate([splits - halves, splits, splits + halves, curve.partition.domain])
    near = [np.nextafter(ends, -np.inf), ends, np.nextafter(ends, np.inf)]
    return np.concatenate([*near, rng.uniform(-3, 3, 40), [-1e6, 1e6]])


@given(curves(), st.integers(0, 2**32 - 1))
def test_a_curve_is_its_lines_weighted_by_degrees(curve, seed):
    x = telling_values(curve, np.random.default_rng(seed))
    np.testing.assert_allclose(curve.values(x), by_degrees(curve, x), rtol=1e-12, atol=1e-12)


@given(curves())
def test_steps_add_up_to_the_lines(curve):
    np.testing.assert_allclose(np.cumsum(curve.steps, axis=0), curve.coefficients, atol=1e-12)


@given(curves())
def test_bends_are_points_of_the_curve_from_one_end_to_the_other(curve):
    x, adds = curve.bends()
    assert (x[0], x[-1]) == pytest.approx(curve.partition.domain, abs=1e-6)
    assert (np.diff(x) >= 0.0).all()
    # Only at a crisp border two of them stand at one place: just below it, and on it.
    below = np.append(np.diff(x) == 0.0, False)
    assert set(x[below]) <= set(curve.partition.split_points)
    np.testing.assert_allclose(curve.values(x[~below]), adds[~below], atol=1e-6)
    np.testing.assert_allclose(curve.values(np.nextafter(x[below], -np.inf)), adds[below], atol=1e-6)


@given(curves())
def test_what_lies_between_zones_is_straight_from_bend_to_bend(curve):
    x, adds = curve.bends()
    middles = (x[1:] + x[:-1]) / 2.0
    straight = (curve.partition.degrees(middles).max(axis=1) == 1.0) & (np.diff(x) > 0.0)
    expected = (adds[1:] + adds[:-1]) / 2.0
    np.testing.assert_allclose(curve.values(middles[straight]), expected[straight], atol=1e-6)


@given(curves(), st.floats(-3.0, 0.0), st.floats(0.5, 3.0))
def test_the_outline_follows_the_curve(curve, low, high):
    x, adds = curve.outline(low, high)
    assert (x[0], x[-1]) == (low, high)
    assert (np.diff(x) >= -1e-12).all()
    grid = np.random.default_rng(0).uniform(low, high, 300)
    splits = np.asarray(curve.partition.split_points)
    far = np.abs(grid[:, None] - splits).min(axis=1, initial=np.inf) > 1e-6  # from a jump
    # In a zone the parabola between two points is at most this far from the line through them.
    np.testing.assert_allclose(np.interp(grid, x, adds)[far], curve.values(grid)[far], atol=0.02)


def test_zones_that_touch_have_one_bend_where_they_do():
    curve = Curve(0, FuzzyPartition([10.0, 20.0], (0.0, 30.0)), [[0.0, 1.0], [2.0, 1.1], [5.0, 1.0]])
    assert curve.bends()[0].tolist() == [0.0, 5.0, 15.0, 25.0, 30.0]


def test_the_top_of_a_hill_is_a_bend():
    """One line rises, the other falls: at the ends of the zone, which is all of the domain, there is nothing to see."""
    hill = Curve(0, FuzzyPartition([10.0], (0.0, 20.0)), [[0.0, 1.0], [20.0, -1.0]])
    assert [part.tolist() for part in hill.bends()] == [[0.0, 10.0, 20.0], [0.0, 10.0, 0.0]]


@given(curves())
def test_lines_from_bend_to_bend_stay_near_the_curve(curve):
    x, adds = curve.bends()
    grid = np.linspace(*curve.partition.domain, 400)
    splits = np.asarray(curve.partition.split_points)
    far = np.abs(grid[:, None] - splits).min(axis=1, initial=np.inf) > 1e-6
    error = np.abs(np.interp(grid, x, adds) - curve.values(grid))[far]
    # A parabola is a quarter as far from two lines through its ends and its middle as from one.
    assert error.max(initial=0.0) <= 0.3 * np.ptp(adds) + 1e-9


def test_a_crisp_border_without_a_jump_is_one_bend():
    crisp = FuzzyPartition([10.0], (0.0, 30.0), 0.0)
    assert Curve(0, crisp, [[0.0, 1.0], [10.0, 0.0]]).bends()[0].tolist() == [0.0, 10.0, 30.0]
    assert Curve(0, crisp, [[0.0, 1.0], [11.0, 0.0]]).bends()[0].tolist() == [0.0, 10.0, 10.0, 30.0]


def test_one_line_has_no_bend_but_the_ends():
    line = Curve(0, FuzzyPartition([], (0.0, 4.0)), [[1.0, -0.5]])
    assert [part.tolist() for part in line.bends()] == [[0.0, 4.0], [1.0, -1.0]]
    assert [part.tolist() for part in line.outline(-2.0, 6.0)] == [[-2.0, 6.0], [2.0, -2.0]]
    assert line.values([8.0]).tolist() == [-3.0]
    point = Curve(0, FuzzyPartition([], (4.0, 4.0)), [[1.0, 0.0]])
    assert [part.tolist() for part in point.bends()] == [[4.0], [1.0]]


def test_curves_are_frozen_values():
    partition = FuzzyPartition([10.0], (0.0, 20.0))
    curve, same = (Curve(1, partition, [[0.0, 1.0], [2.0, zero]]) for zero in (0.0, -0.0))
    assert curve == same
    assert hash(curve) == hash(same)
    assert curve != Curve(0, partition, curve.coefficients)
    assert curve != Curve(1, FuzzyPartition([11.0], (0.0, 20.0)), curve.coefficients)
    assert curve != Curve(1, partition, curve.coefficients + 1.0)
    assert curve != "curve"
    with pytest.raises(AttributeError):
        curve.input = 2
    for copy in (curve, pickle.loads(pickle.dumps(curve)), deepcopy(curve)):
        assert copy == curve
        with pytest.raises(ValueError, match="read-only"):
            copy.coefficients[0, 0] = 7.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coefficients": [[0.0, 1.0]]}, r"over 2 labels needs coefficients of shape \(2, 2\); got \(1, 2\)"),
        ({"coefficients": [0.0, 1.0]}, r"got \(2,\)"),
        ({"coefficients": [[0.0, 1.0], [np.nan, 1.0]]}, "must be numbers up to 1e\\+300"),
        ({"coefficients": [[0.0, 1.0], [np.inf, 1.0]]}, "must be numbers"),
        ({"coefficients": [[0.0, 1.0], [1.0, -1e301]]}, "up to 1e\\+300"),
        ({"partition": NominalPartition([[0], [1]])}, "needs a FuzzyPartition; got a NominalPartition"),
        ({"input": 0.5}, "needs the number of its input; got 0.5"),
        ({"input": "age"}, "needs the number of its input; got 'age'"),
    ],
)
def test_bad_curves_are_refused(changes, message):
    arguments = {"input": 0, "partition": FuzzyPartition([10.0], (0.0, 20.0)), "coefficients": [[0.0, 1.0]] * 2}
    with pytest.raises(ValueError, match=message):
        Curve(**(arguments | changes))


def with_curves(*curves, n_rules=2):
    """Rules over an ordered, an undivided and a nominal input."""
    variables = [
        Variable("age", FuzzyPartition([10.0], (0.0, 20.0))),
        Variable("size", FuzzyPartition([], (-1.0, 1.0))),
        Variable("colour", NominalPartition([[0], [1]])),
    ]
    antecedents = [[[0, 0], [0, 0], [0, 1]], [[1, 1], [0, 0], [1, 1]]][:n_rules]
    return RuleBase(variables, antecedents, [[1.0, 2.0, 0.0, 0.0], [-3.0, 0.0, 0.0, 1.0]][:n_rules], curves=curves)


AGE = Curve(0, FuzzyPartition([5.0, 12.0], (0.0, 20.0), [0.5, 0.0]), [[0.0, 1.0], [3.0, -1.0], [9.0, 0.25]])
SIZE = Curve(1, FuzzyPartition([0.1], (-1.0, 1.0)), [[-1.0, 0.0], [0.0, 4.0]])


def rows(n=60):
    rng = np.random.default_rng(0)
    return np.column_stack([rng.uniform(-5, 25, n), rng.uniform(-2, 2, n), rng.integers(0, 3, n)])


@pytest.mark.parametrize("n_rules", [1, 2])
@pytest.mark.parametrize("curves", [(AGE,), (SIZE,), (AGE, SIZE)])
def test_a_prediction_is_that_of_the_rules_and_the_curves(curves, n_rules):
    rules, plain, X = with_curves(*curves, n_rules=n_rules), with_curves(n_rules=n_rules), rows()
    added = sum(by_degrees(curve, X[:, curve.input]) for curve in curves)
    assert not plain.activations(X)[1].all()
    for predicted in (rules.predict(X), brute_force.predictions(rules, X)):
        np.testing.assert_allclose(predicted, plain.predict(X) + added, atol=1e-12)
    np.testing.assert_allclose(rules.rule_outputs(X), plain.rule_outputs(X) + added[:, None], atol=1e-12)
    np.testing.assert_array_equal(rules.activations(X)[0], plain.activations(X)[0])
    np.testing.assert_allclose((rules.rule_outputs(X) * rules.activations(X)[0]).sum(axis=1), rules.predict(X))
    np.testing.assert_allclose(sum_of_curves(rules.curves, X), added, atol=1e-12)


def test_curves_stand_in_the_order_of_their_inputs():
    rules = with_curves(SIZE, AGE)
    assert rules.curves == (AGE, SIZE)
    assert rules == with_curves(AGE, SIZE)
    assert rules.n_curves == 2
    assert (rules.curve_of(0), rules.curve_of(1), rules.curve_of(2)) == (AGE, SIZE, None)
    assert rules.n_coefficients == with_curves().n_coefficients == 2
    assert with_curves().n_curves == 0


def test_an_input_is_used_by_its_curve_too():
    assert with_curves().uses.tolist() == [True, False, True]
    assert with_curves(SIZE).uses.tolist() == [True, True, True]
    assert not with_curves(SIZE).uses.flags.writeable


def test_rule_bases_with_curves_are_values():
    rules = with_curves(AGE, SIZE)
    assert rules != with_curves(AGE)
    assert rules != with_curves()
    assert hash(rules) == hash(with_curves(SIZE, AGE))
    for copy in (pickle.loads(pickle.dumps(rules)), deepcopy(rules), replace(rules, target_name="y")):
        assert copy == rules
        np.testing.assert_array_equal(copy.predict(rows()), rules.predict(rows()))


def test_curves_stay_where_names_and_training_change():
    X = rows()
    rules = with_curves(AGE)
    for other in (
        rules.with_units({"age": "d"}),
        rules.with_labels({"age": ["young", "old"]}),
        rules.with_training(X, X[:, 0]),
        rules.named_like(with_curves()),
    ):
        assert other.curves == (AGE,)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ([AGE, Curve(0, SIZE.partition, SIZE.coefficients)], "at most one curve; got curves for the inputs 0, 0"),
        ([Curve(3, SIZE.partition, SIZE.coefficients)], "Each of the 3 inputs, counted from 0, .* got .* 3"),
        ([Curve(-1, SIZE.partition, SIZE.coefficients)], "got curves for the inputs -1"),
        ([Curve(2, SIZE.partition, SIZE.coefficients)], "an input with an order; 'colour' has categories"),
        (["age"], "must be Curve objects"),
    ],
)
def test_curves_that_do_not_fit_are_refused(curves, message):
    with pytest.raises(ValueError, match=message):
        with_curves(*curves)


def test_a_summary_measures_rules_with_their_curves():
    X = rows(400)
    rules = with_curves(AGE, SIZE)
    rules = rules.with_training(X, rules.predict(X))
    training = rules.training
    assert training.rmse == 0.0
    assert training.base == pytest.approx(rules.predict(X).mean())
    weights, said = rules.activations(X)[0], rules.rule_outputs(X)
    np.testing.assert_allclose(training.rule_importance, (weights * np.abs(said - training.base)).mean(axis=0))
    why = rules.explain(X)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), rules.predict(X), atol=1e-9)


def test_curves_are_a_table_of_their_bends():
    table = curves_table(with_curves(AGE, SIZE))
    x, adds = (np.concatenate(parts) for parts in zip(AGE.bends(), SIZE.bends(), strict=True))
    assert table.columns.tolist() == ["input", "value", "adds"]
    assert table["input"].tolist() == ["age"] * len(AGE.bends()[0]) + ["size"] * len(SIZE.bends()[0])
    np.testing.assert_array_equal(table["value"], x)
    np.testing.assert_array_equal(table["adds"], adds)
    assert table.index.tolist() == list(range(len(x)))


def test_without_curves_the_table_is_empty_but_has_its_columns():
    table = curves_table(with_curves())
    assert table.shape == (0, 3)
    assert table.dtypes.astype(str).tolist() == curves_table(with_curves(AGE)).dtypes.astype(str).tolist()


def test_the_table_of_rules_has_no_curves():
    assert rules_table(with_curves(AGE)).equals(rules_table(with_curves()))
    assert with_curves(AGE).rules == with_curves().rules


def test_the_number_of_curves_is_told():
    assert repr(with_curves(AGE)) == "<RuleBase: 2 rules and 1 curve over 3 inputs for 'y'>"
