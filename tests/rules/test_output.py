"""The last step of predictions: links and bounds, by themselves and in a rule base."""

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from helpers import brute_force
from hypothesis import given
from hypothesis import strategies as st

from fruler.explain import _scales as scales
from fruler.export._plan import LINKS
from fruler.rules import Curve, FuzzyPartition, LabelConsequents, LabelTriangles, Output, RuleBase, TrianglePartition
from fruler.rules import Variable as Input
from fruler.rules._json.checked import Checked
from fruler.rules._json.document import rule_base_from_json, rule_base_to_json
from fruler.rules._output import LINK_NAMES, PLAIN, link_of

X = Input("x", FuzzyPartition([0.5], (0.0, 1.0)))
AGE = Input("age", FuzzyPartition([], (0.0, 80.0)), "years")
BEND = Curve(1, FuzzyPartition([40.0], (0.0, 80.0), 0.0), [[0.0, 0.01], [0.8, -0.01]])
PRICE = RuleBase(
    [X, AGE], [[[0, 0], [0, 0]], [[1, 1], [0, 0]]], [[3.0, 1.0, 0.0], [4.0, 0.0, -0.02]], curves=[BEND],
    target_name="price", output=Output("log"),
)  # fmt: skip
ROWS = np.column_stack([np.linspace(0.0, 1.0, 60), np.linspace(5.0, 75.0, 60)[::-1]])
NUMBERS = st.floats(-1e300, 1e300)


def noisy(rules, rows=ROWS):
    return rules.predict(rows) * np.exp(0.1 * np.sin(np.arange(len(rows))))


def again(rules):
    return rule_base_from_json(Checked(json.loads(json.dumps(rule_base_to_json(rules)))))


@pytest.mark.parametrize("output", [PLAIN, Output("log"), Output(bounds=(-5.0, 5.0)), Output("log", (2.0, 80.0))])
@given(raw=st.lists(NUMBERS, min_size=2, max_size=6))
def test_predictions_rise_with_what_rules_say_and_are_finite_and_inside(output, raw):
    said = np.sort(raw)
    found = output.of(said)
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0.0).all()
    assert ((found >= output.low) & (found <= output.high)).all()
    np.testing.assert_allclose(output.of(output.bounded(said)), found, rtol=1e-12)


@pytest.mark.parametrize("output", [PLAIN, Output("log"), Output(bounds=(0, None)), Output("log", (None, 2e6))])
def test_what_rules_should_say_gives_the_target_again(output):
    target = np.array([1e-9, 0.5, 1.0, 1e6])
    np.testing.assert_allclose(output.of(output.raw_of(target)), target, rtol=1e-12)


def test_without_link_and_bounds_nothing_is_touched():
    raw = np.array([1.0, math.nan, -1e305])
    assert PLAIN.of(raw) is raw
    assert PLAIN.raw_of(raw) is raw
    assert PLAIN.bounded(raw) is raw
    assert Output(bounds=(None, None)) == PLAIN != Output("log")
    assert Output.given("identity", None).is_plain
    assert Output.given("identity", [0, None]) == Output(bounds=(0.0, None))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("logit",), "link must be one of identity, log; got 'logit'"),
        (("log", (-3, 0)), "must be above 0"),
        (("identity", (1, 1)), "must be below the upper bound"),
        (("identity", (0, math.inf)), "must be numbers up to"),
        (("identity", (math.nan, None)), "must be numbers up to"),
        (("identity", (0, 1, 2)), "must be the smallest and the largest target"),
        (("identity", "05"), "must be the smallest and the largest target"),
        (("identity", ("low", None)), "must be numbers or None"),
    ],
)
def test_what_is_no_output_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        Output(*arguments)


def test_targets_that_can_not_be_are_refused():
    with pytest.raises(ValueError, match="targets above 0, but row 1 has 0; use link='identity' with bounds"):
        Output("log").raw_of(np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match=r"bounds=\(0.0, None\) must hold for all targets, but row 2 has -1"):
        Output(bounds=(0, None)).raw_of(np.array([1.0, 0.0, -1.0]))


def test_every_link_has_words_and_code():
    assert tuple(scales.SCALES) == LINK_NAMES == tuple(LINKS)
    for name in LINK_NAMES:
        assert link_of(name).name == name


def test_predictions_are_exponentials_of_the_weighted_means():
    raw = replace(PRICE, output=PLAIN)
    np.testing.assert_allclose(PRICE.predict(ROWS), np.exp(raw.predict(ROWS)), rtol=1e-13)
    np.testing.assert_allclose(brute_force.predictions(PRICE, ROWS), PRICE.predict(ROWS), rtol=1e-12)
    np.testing.assert_allclose(PRICE.rule_outputs(ROWS), np.exp(raw.rule_outputs(ROWS)), rtol=1e-13)
    np.testing.assert_array_equal(PRICE.raw_predictions(ROWS), raw.predict(ROWS))
    np.testing.assert_array_equal(PRICE.raw_rule_outputs(ROWS), raw.rule_outputs(ROWS))


def test_no_prediction_is_infinite():
    steep = RuleBase([X], [[[0, 0]], [[1, 1]]], [[0.0, 1e299], [-1e299, 0.0]], output=Output("log"))
    found = steep.predict([[0.0], [0.4], [1.0], [1e100]])
    assert np.isfinite(found).all()
    assert (found > 0.0).all()


def test_bounds_hold_for_predictions_rules_and_intervals():
    bounded = replace(PRICE, output=Output("log", (30.0, 45.0)))
    free = PRICE.predict(ROWS)
    assert free.min() < 30.0
    assert free.max() > 45.0
    np.testing.assert_array_equal(bounded.predict(ROWS), np.clip(free, 30.0, 45.0))
    assert bounded.rule_outputs(ROWS).min() == 30.0
    known = bounded.with_intervals(ROWS, np.clip(noisy(PRICE), 30.0, 45.0))
    lower, upper, _ = known.predict_interval(ROWS, 0.9)
    assert (lower.min(), upper.max()) == (30.0, 45.0)


def test_intervals_go_through_the_link_and_cover_what_they_say():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(0.0, 1.0, 4_000), rng.uniform(0.0, 80.0, 4_000)])
    y = PRICE.predict(rows) * np.exp(rng.normal(0.0, 0.3, 4_000))
    known = PRICE.with_intervals(rows[:2_000], y[:2_000])
    lower, upper, _ = known.predict_interval(rows[2_000:], 0.9)
    assert np.mean((lower <= y[2_000:]) & (y[2_000:] <= upper)) == pytest.approx(0.9, abs=0.02)
    # As far to both sides on the scale of the logarithm, and not on that of the target.
    predicted = known.predict(rows[2_000:])
    np.testing.assert_allclose(upper / predicted, predicted / lower, rtol=1e-9)
    plain = replace(PRICE, output=PLAIN).with_intervals(rows[:2_000], np.log(y[:2_000]))
    np.testing.assert_allclose(np.log(lower), plain.predict_interval(rows[2_000:], 0.9).lower, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="targets above 0"):
        PRICE.with_intervals(rows[:9], -y[:9])


def test_the_summary_has_errors_of_the_target_and_moves_of_its_logarithm():
    y = noisy(PRICE)
    known = PRICE.with_training(ROWS, y).training
    like = replace(PRICE, output=PLAIN).with_training(ROWS, np.log(y)).training
    assert known.rmse == pytest.approx(np.sqrt(np.mean((PRICE.predict(ROWS) - y) ** 2)))
    assert (known.target_low, known.target_high, known.target_mean) == (y.min(), y.max(), y.mean())
    assert known.target_spread == y.std()
    assert known.raw_spread == known.spread == pytest.approx(like.target_spread)
    assert (like.raw_spread, like.spread) == (None, like.target_spread)
    for name in ("base", "offsets", "input_importance", "rule_importance", "centres", "curve_means"):
        np.testing.assert_allclose(getattr(known, name), getattr(like, name), rtol=1e-9, atol=1e-12)
    assert known.truth.together == pytest.approx(like.truth.together)
    with pytest.raises(ValueError, match="targets above 0"):
        PRICE.with_training(ROWS, y - 50.0)


def test_a_summary_of_another_output_is_refused():
    known = PRICE.with_training(ROWS, noisy(PRICE))
    with pytest.raises(ValueError, match="is for another link"):
        replace(known, output=PLAIN)
    with pytest.raises(ValueError, match="must be an Output"):
        replace(PRICE, output="log")


def test_the_errors_that_a_truth_tells_are_within_bounds():
    bounded = replace(PRICE, output=Output("log", (30.0, None)))
    y = np.maximum(PRICE.predict(ROWS), 30.0)
    assert bounded.with_training(ROWS, y).training.truth.together == pytest.approx(0.0, abs=1e-12)


def test_json_copies_and_equality():
    y = np.clip(noisy(PRICE), 20.0, 90.0)
    for output in (Output("log"), Output("log", (20.0, None)), Output(bounds=(0, 1e6))):
        rules = replace(PRICE, output=output).with_training(ROWS, y).with_intervals(ROWS, y)
        assert again(rules) == rules == pickle.loads(pickle.dumps(rules))
        assert rule_base_to_json(rules)["output"] == {"link": output.link, "bounds": list(output.bounds)}
    assert replace(PRICE, output=PLAIN) != PRICE
    assert "output" not in rule_base_to_json(replace(PRICE, output=PLAIN))


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"link": "log"}, "has no 'bounds'"),
        ({"link": "root", "bounds": [None, None]}, 'must be "identity" or "log"'),
        ({"link": "log", "bounds": [None, -1.0]}, "must be above 0"),
        ({"link": "log", "bounds": [None]}, "a list of the smallest and the largest prediction"),
        ({"link": "identity", "bounds": [0, "9"]}, "must be a finite number"),
        ({"link": "identity", "bounds": [1, 0]}, "must be below the upper bound"),
        ({"link": "identity", "bounds": [0, 1e305]}, "a number of at most 1e"),
        ({"link": "identity", "bounds": [0, None], "more": 1}, "which this version does not support"),
    ],
)
def test_json_that_says_no_output_is_refused(output, said):
    written = rule_base_to_json(PRICE) | {"output": output}
    with pytest.raises(ValueError, match=said):
        rule_base_from_json(Checked(written))


def test_a_summary_without_the_spread_of_logarithms_is_refused():
    written = rule_base_to_json(PRICE.with_training(ROWS, noisy(PRICE)))
    del written["training"]["target"]["raw_spread"]
    with pytest.raises(ValueError, match="is for another link"):
        rule_base_from_json(Checked(written))


def test_rules_that_say_labels_have_links_and_bounds_too():
    outside = Input("t", TrianglePartition.uniform((0.0, 30.0), 2))
    said = LabelConsequents([1, 0], TrianglePartition.uniform((1.0, 3.0), 2, shoulders=False))
    rules = RuleBase([outside], LabelTriangles([[0], [1]], [outside]), said, output=Output("log", (4.0, None)))
    np.testing.assert_allclose(rules.predict([[0.0], [15.0], [30.0]]), np.maximum(np.exp([3.0, 2.0, 1.0]), 4.0))
