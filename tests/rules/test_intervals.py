"""What prediction intervals are made of, and those of a rule base."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from helpers import brute_force
from hypothesis import given
from hypothesis import strategies as st

from fruler.export import export_model
from fruler.rules import FuzzyPartition, NominalPartition, RuleBase, Variable
from fruler.rules._json.checked import Checked
from fruler.rules._json.document import rule_base_from_json, rule_base_to_json
from fruler.rules._json.measured import intervals_from_json, intervals_to_json
from fruler.rules.intervals import (
    HeldOutErrors,
    Intervals,
    cross_validated_intervals,
    intervals_from,
    spreads_from,
    trained_spreads,
)
from fruler.rules.truth import Truth

X = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
TWO = RuleBase([X], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])


@given(st.integers(1, 700), st.floats(0.02, 0.98))
def test_the_score_of_a_coverage_is_the_order_statistic_of_conformal_prediction(n_rows, coverage):
    scores = np.random.default_rng(n_rows).permutation(n_rows) + 1.0
    found = intervals_from(scores, np.ones(n_rows), np.ones(1), "calibration")
    rank = int(np.ceil((n_rows + 1) * coverage - 1e-9))
    if rank > n_rows:
        with pytest.raises(ValueError, match="needs more held-out rows"):
            found.score(coverage)
    elif n_rows <= 200:
        assert found.score(coverage) == rank
    else:
        # Of many rows only some scores are kept: never a smaller one, and hardly a larger.
        assert rank <= found.score(coverage) <= rank + np.ceil(0.005 * (n_rows + 1)) + 1


@pytest.mark.parametrize("n_rows", [50, 205, 206, 1_000, 60_000])
def test_what_everyone_asks_for_is_exact_and_little_is_kept(n_rows):
    found = intervals_from(np.arange(n_rows) + 1.0, np.ones(n_rows), np.ones(1), "calibration")
    assert len(found.scores) <= 206
    assert found.n_rows == n_rows
    for coverage in (0.5, 0.8, 0.9, 0.95):
        assert found.score(coverage) == np.ceil((n_rows + 1) * coverage - 1e-9)


def test_weights_count_as_repeated_rows():
    scores, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    found = intervals_from(scores, weight, np.ones(1), "calibration")
    assert found.coverages.tolist() == pytest.approx([2 / 6 * 3 / 4, 5 / 6 * 3 / 4, 3 / 4])
    assert intervals_from(scores, np.array([0.0, 1.0, 0.0]), np.ones(1), "calibration").scores.tolist() == [1.0]
    assert intervals_from(scores, np.zeros(3), np.ones(1), "calibration") is None


def test_new_rows_are_covered_as_often_as_is_said():
    """By split conformal prediction the mean over many draws is the rank over one more than the rows."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        scores = rng.exponential(size=31)
        score = intervals_from(scores[:-1], np.ones(30), np.ones(1), "calibration").score(0.9)
        covered.append(scores[-1] <= score)
    assert np.mean(covered) == pytest.approx(28 / 31, abs=0.04)


def test_folds_are_scored_by_the_spreads_of_the_others():
    rng = np.random.default_rng(0)
    activations = np.eye(2)[rng.integers(0, 2, 4_000)]
    errors = rng.normal(size=4_000) * (activations @ [1.0, 3.0])
    parts = [slice(0, 2_000), slice(2_000, 4_000)]
    folds = [HeldOutErrors(errors[part], activations[part], np.ones(2_000)) for part in parts]
    found = cross_validated_intervals(folds)
    assert (found.method, found.n_rows) == ("cross-validation", 4_000)
    np.testing.assert_allclose(found.radii(0.9), 1.645 * np.array([1.0, 3.0]), rtol=0.05)
    # A fold whose errors are all larger than those of the others has scores that say so.
    worse = cross_validated_intervals([folds[0], folds[1]._replace(errors=10.0 * folds[1].errors)])
    assert worse.score(0.95) > 10.0


def test_few_rows_say_little_of_a_rule():
    assert spreads_from(np.zeros(2), np.ones(2)).tolist() == [1.0, 1.0]
    assert spreads_from(np.zeros(2), np.zeros(2)).tolist() == [1.0, 1.0]
    lucky = spreads_from(np.array([1e6, 0.0]), np.array([1e6, 1e6]))
    assert lucky[0] > 0.9
    assert lucky[1] == pytest.approx(0.05 * 0.5)


def test_an_interval_lies_around_the_prediction_and_is_wider_where_rules_err_more():
    rules = replace(TWO, intervals=Intervals([0.5, 0.9], [1.0, 2.0], [1.0, 3.0], 9, "calibration"))
    rows = np.array([[0.0], [0.5], [1.0]])
    lower, upper, outside = rules.predict_interval(rows)
    np.testing.assert_allclose((lower + upper) / 2.0, rules.predict(rows))
    np.testing.assert_allclose((upper - lower) / 2.0, [2.0, 4.0, 6.0])
    assert not outside.any()
    assert (rules.predict_interval(rows, 0.4).upper < upper).all()


def test_outside_the_training_data_intervals_are_wider():
    rules = TWO.with_training([[0.2], [0.8]], [0.0, 2.0]).with_intervals([[0.5]] * 19, np.linspace(0.0, 2.0, 19))
    lower, upper, outside = rules.predict_interval([[0.2], [0.8], [0.8 + 0.6], [0.2 - 1.2]])
    np.testing.assert_allclose((upper - lower) / (upper - lower)[:1], [1.0, 1.0, 2.0, 3.0])
    assert outside.tolist() == [False, False, True, True]


def test_categories_and_inputs_that_no_rule_uses_widen_nothing():
    colour = Variable("colour", NominalPartition([[0], [1]]))
    unused = Variable("unused", FuzzyPartition([], (0.0, 1.0)))
    rules = RuleBase([colour, unused], [[[0, 0], [0, 0]], [[1, 1], [0, 0]]], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    trained = rules.with_training([[0.0, 0.0], [1.0, 1.0]], [1.0, 2.0]).with_intervals([[0.0, 0.0]], [1.5])
    lower, upper, outside = trained.predict_interval([[0.0, 0.5], [0.0, 9.0], [5.0, 0.0]], 0.5)
    assert len(set((upper - lower).tolist())) == 1
    assert outside.tolist() == [False, False, True]


def test_calibration_uses_the_errors_of_rules_in_training_alone():
    truth = Truth(1.0, 1.0, [0.5, 1.5], [0.5, 1.5], held_out=False)
    trained = TWO.with_training(np.linspace(0, 1, 1000)[:, None], np.zeros(1000))
    trained = replace(trained, training=replace(trained.training, truth=truth))
    spreads = trained_spreads(trained)
    assert spreads[0] < 0.6 < 1.4 < spreads[1]
    calibrated = trained.with_intervals([[0.0]] * 9, np.arange(9.0))
    assert calibrated.intervals.spreads.tolist() == spreads.tolist()
    np.testing.assert_allclose(calibrated.intervals.scores, np.arange(9.0) / spreads[0])
    unknown = replace(trained, training=replace(trained.training, truth=Truth(1, 1, [1, np.nan], [1, np.nan], False)))
    assert np.isfinite(trained_spreads(unknown)).all()
    assert trained_spreads(TWO).tolist() == [1.0, 1.0]


def test_a_coverage_that_is_none_is_refused():
    rules = TWO.with_intervals([[0.0], [1.0]], [0.5, 2.0])
    for coverage in (0.0, 1.0, -1.0, 90, float("nan")):
        with pytest.raises(ValueError, match=r"coverage must be between 0 and 1, as in 0\.9"):
            rules.predict_interval([[0.0]], coverage)
    with pytest.raises(
        ValueError, match=r"needs more held-out rows than the 2 of this model \(no copies\); at most 0\.6666"
    ):
        rules.predict_interval([[0.0]], 0.9)
    with pytest.raises(ValueError, match=r"calibration=0\.2, or give held-out rows to with_intervals"):
        TWO.predict_interval([[0.0]])


def test_wrong_rows_for_calibration_are_refused():
    with pytest.raises(ValueError, match="y must have a finite number for each of the 2 rows"):
        TWO.with_intervals([[0.0], [1.0]], [1.0, np.nan])
    with pytest.raises(ValueError, match="sample_weight must have a non-negative number"):
        TWO.with_intervals([[0.0], [1.0]], [1.0, 1.0], [-1.0, 1.0])
    with pytest.raises(ValueError, match="at least one row with a positive weight"):
        TWO.with_intervals([[0.0], [1.0]], [1.0, 1.0], [0.0, 0.0])


GOOD = {"coverages": [0.25, 0.5], "scores": [1.0, 2.0], "spreads": [1.0], "n_rows": 3, "method": "calibration"}
BAD = [
    {"coverages": [0.5, 0.25]},
    {"coverages": [0.0, 0.5]},
    {"coverages": [0.5, 1.0]},
    {"coverages": [0.5]},
    {"coverages": [], "scores": []},
    {"scores": [2.0, 1.0]},
    {"scores": [-1.0, 1.0]},
    {"spreads": [-1.0]},
    {"spreads": [[1.0]]},
    {"spreads": [1e200]},
    {"scores": [1.0, 1e200]},
    {"scores": [1.0, np.inf]},
    {"n_rows": 0},
    {"method": "guess"},
]


@pytest.mark.parametrize("change", BAD, ids=str)
def test_intervals_are_checked(change):
    Intervals(**GOOD)
    with pytest.raises(ValueError):  # noqa: PT011
        Intervals(**GOOD | change)


def test_intervals_are_values():
    intervals = Intervals(**GOOD)
    assert intervals == Intervals(**GOOD)
    assert hash(intervals) == hash(Intervals(**GOOD))
    for change in ({"scores": [1.0, 3.0]}, {"n_rows": 4}, {"method": "cross-validation"}, {"spreads": [2.0]}):
        assert intervals != Intervals(**GOOD | change)
    assert pickle.loads(pickle.dumps(intervals)) == intervals
    with pytest.raises(ValueError, match="read-only"):
        intervals.scores[0] = 0.0
    with pytest.raises(ValueError, match="of the 2 rules"):
        replace(TWO, intervals=intervals)


def test_they_come_back_from_json():
    intervals = Intervals([0.25, 0.5], [0.1 + 0.2, 1.0], [1.0, 5e-324], 3, "cross-validation")
    assert intervals_from_json(Checked(intervals_to_json(intervals), "intervals")) == intervals
    trained = TWO.with_training([[0.0], [1.0]], [0.0, 2.0])
    for rules in (replace(trained, intervals=intervals), replace(trained, intervals=intervals, extrapolation="clip")):
        written = rule_base_to_json(rules)
        again = rule_base_from_json(Checked(written))
        assert again == rules
        assert (again.intervals, again.extrapolation) == (intervals, rules.extrapolation)
        assert again != trained
    assert "extrapolation" not in rule_base_to_json(trained)
    assert "intervals" not in rule_base_to_json(trained)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": [1.0]}, "intervals is not valid: Intervals need a score for each coverage"),
        ({"method": "magic"}, 'intervals.method must be "cross-validation" or "calibration"'),
        ({"n_rows": 0.5}, "intervals.n_rows must be a whole number"),
        ({"spreads": ["x"]}, r"spreads\[0\] must be a finite number"),
        ({"more": 1}, "which this version does not support"),
    ],
)
def test_wrong_json_is_refused_with_its_place(change, message):
    written = rule_base_to_json(TWO.with_intervals([[0.0], [1.0]], [0.5, 2.0]))
    written["intervals"] |= change
    with pytest.raises(ValueError, match=message):
        rule_base_from_json(Checked(written))


def test_clipping_takes_the_nearest_value_of_the_training_data():
    sloped = replace(TWO, consequents=[[0.0, 1.0], [0.0, 1.0]]).with_training([[0.2], [0.8]], [0.2, 0.8])
    clipped = replace(sloped, extrapolation="clip")
    rows = np.array([[-5.0], [0.2], [0.5], [0.8], [99.0]])
    np.testing.assert_allclose(sloped.predict(rows), rows[:, 0])
    np.testing.assert_allclose(clipped.predict(rows), [0.2, 0.2, 0.5, 0.8, 0.8])
    np.testing.assert_allclose(brute_force.predictions(clipped, rows), clipped.predict(rows))
    why = clipped.explain(rows)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), clipped.predict(rows))
    assert why.outside.ravel().tolist() == [True, False, False, False, True]
    assert why.values.tolist() == rows.tolist()


def test_an_input_may_have_limits_of_its_own():
    sloped = replace(TWO, consequents=[[0.0, 1.0], [0.0, 1.0]])
    limited = replace(sloped, variables=[replace(sloped.variables[0], limits=(0.2, 0.8))])
    rows = np.array([[-5.0], [0.5], [99.0]])
    np.testing.assert_allclose(limited.predict(rows), [0.2, 0.5, 0.8])
    written = rule_base_to_json(limited)
    assert written["inputs"][0]["limits"] == [0.2, 0.8]
    assert rule_base_from_json(Checked(written)) == limited != sloped
    assert "limits" not in rule_base_to_json(sloped)["inputs"][0]
    for wrong in ([0.8, 0.2], [0.1], [0.0, "x"]):
        written["inputs"][0]["limits"] = wrong
        with pytest.raises(ValueError, match=r"inputs\[0\]"):
            rule_base_from_json(Checked(written))
    with pytest.raises(ValueError, match="The limits of 'x' must be two finite numbers in increasing order"):
        replace(limited.variables[0], limits=(0.0, np.inf))
    with pytest.raises(ValueError, match="FML cannot clip values"):
        export_model(limited, "fml")


def test_clipping_needs_the_range_of_the_training_data():
    with pytest.raises(ValueError, match="needs the range of the training data"):
        replace(TWO, extrapolation="clip")
    with pytest.raises(ValueError, match="extrapolation must be one of linear, clip; got 'flat'"):
        replace(TWO, extrapolation="flat")
