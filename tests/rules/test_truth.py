import pickle

import numpy as np
import pytest

from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
from fruler.rules._json.checked import Checked
from fruler.rules._json.measured import truth_from_json, truth_to_json
from fruler.rules._measurement import measure_truth, training_summary
from fruler.rules.truth import Truth

UNKNOWN = float("nan")


def truth(**changes):
    return Truth(
        **{
            "together": 0.9,
            "alone": 1.0,
            "rule_together": [0.8, UNKNOWN],
            "rule_alone": [1.6, UNKNOWN],
            "held_out": True,
        }
        | changes
    )


def steps(**options):
    """Two rules, 0 below and 10 above, that meet at 5."""
    x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0)))
    return RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [10.0, 0.0]], **options)


def by_hand(rules, X, y, weight):
    """Measure row by row: of the rules that weigh most, the first counts."""
    squares = {"together": [[], []], "alone": [[], []]}
    weights = [[], []]
    for row, target, counts in zip(X, y, weight, strict=True):
        activations = rules.activations([row])[0][0].tolist()
        strongest = activations.index(max(activations))
        curve = sum(float(curve.values([row[curve.input]])[0]) for curve in rules.curves)
        alone = rules.consequents.coefficients[strongest] @ [1.0, *row] + curve
        squares["together"][strongest].append(counts * (rules.predict([row])[0] - target) ** 2)
        squares["alone"][strongest].append(counts * (alone - target) ** 2)
        weights[strongest].append(counts)
    overall = [np.sqrt(sum(map(sum, found)) / sum(map(sum, weights))) for found in squares.values()]
    per_rule = [[np.sqrt(sum(f) / sum(w)) for f, w in zip(found, weights, strict=True)] for found in squares.values()]
    return overall, per_rule


def test_ratios():
    assert truth().ratio == 0.9
    assert truth(together=0.0, alone=0.0).ratio == 1.0


@pytest.mark.parametrize(
    ("alone", "spread", "holds"),
    [(1.15, 0.0, True), (1.16, 0.0, False), (1.16, 50.0, False), (1.16, 58.0, True), (0.5, 0.0, True)],
)
def test_a_model_is_true_within_a_tolerance_or_a_floor(alone, spread, holds):
    assert truth(together=1.0, alone=alone).holds(spread) is holds


def test_truths_that_are_equal_have_one_hash():
    # A NaN with its sign bit set is what zero divided by zero gives on most processors.
    other = truth(rule_together=[0.8, -UNKNOWN], rule_alone=[1.6, -UNKNOWN])
    assert other == truth()
    assert hash(other) == hash(truth())
    for change in (
        {"alone": 2.0},
        {"held_out": False},
        {"rule_alone": [1.5, UNKNOWN]},
        {"rule_together": [1, UNKNOWN]},
    ):
        assert truth(**change) != truth()
    assert truth() != "truth"


def test_copies_are_frozen_too():
    again = pickle.loads(pickle.dumps(truth()))
    assert again == truth()
    assert not again.rule_alone.flags.writeable
    with pytest.raises(AttributeError):
        again.alone = 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alone": -1.0}, "finite, and can't be negative"),
        ({"together": UNKNOWN}, "finite, and can't be negative"),
        ({"rule_alone": [np.inf, UNKNOWN]}, "finite, and can't be negative"),
        ({"rule_alone": [1.0]}, "two errors for every rule"),
        ({"rule_alone": [1.0, 1.0]}, "nowhere the strongest has neither"),
    ],
)
def test_what_is_no_truth_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        truth(**changes)


def test_a_truth_comes_back_from_json():
    assert truth_from_json(Checked(truth_to_json(truth()))) == truth()


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rules_are_measured_by_the_strongest_of_each_row(rng, curved, weighted):
    curve = Curve(0, FuzzyPartition([4.0], (0.0, 10.0)), [[0.0, 2.0], [8.0, 0.0]])
    rules = steps(curves=[curve] if curved else [])
    X = np.append(rng.uniform(0.0, 10.0, 50), 5.0)[:, None]
    y = rng.normal(size=51)
    weight = rng.uniform(0.5, 2.0, 51) if weighted else None
    found = measure_truth(rules, X, y, weight, held_out=False)
    overall, per_rule = by_hand(rules, X, y, np.ones(51) if weight is None else weight)
    assert [found.together, found.alone] == pytest.approx(overall)
    assert found.rule_together.tolist() == pytest.approx(per_rule[0])
    assert found.rule_alone.tolist() == pytest.approx(per_rule[1])
    assert not found.held_out


def test_of_rules_with_the_same_weight_the_first_is_the_strongest():
    found = measure_truth(steps(), np.array([[5.0]]), np.array([5.0]), held_out=True)
    assert (found.together, found.alone) == (0.0, 5.0)
    np.testing.assert_array_equal(found.rule_alone, [5.0, np.nan])
    assert found.held_out


def test_many_rows_are_measured_in_parts(rng, monkeypatch):
    X, y = rng.uniform(0.0, 10.0, (95, 1)), rng.normal(size=95)
    whole = measure_truth(steps(), X, y, held_out=False)
    monkeypatch.setattr("fruler._arrays._ROWS_AT_ONCE", 10)
    assert measure_truth(steps(), X, y, held_out=False) == whole


@pytest.mark.parametrize("unit", [1e-200, 1e149])
def test_errors_of_any_size_are_measured(unit):
    y = np.array([1.0, 5.0, 12.0]) * unit
    rules = RuleBase(steps().variables, [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [10.0 * unit, 0.0]])
    found = measure_truth(rules, np.array([[0.0], [5.0], [10.0]]), y, held_out=False)
    assert found.together / unit == pytest.approx(np.sqrt(5 / 3))
    assert found.alone / unit == pytest.approx(np.sqrt(30 / 3))


class TestInTheSummary:
    X = np.array([[0.0], [4.0], [6.0], [10.0]])
    y = np.array([0.5, 4.0, 6.5, 9.0])

    def test_it_is_measured_on_the_training_rows(self):
        training = steps().with_training(self.X, self.y).training
        assert training.truth == measure_truth(steps(), self.X, self.y, held_out=False)
        assert training.truth.together == pytest.approx(training.rmse)

    def test_a_given_truth_is_kept(self):
        assert training_summary(steps(), self.X, self.y, truth=truth()).truth == truth()

    def test_two_summaries_with_other_truths_differ(self):
        one, same, other = (
            training_summary(steps(), self.X, self.y, truth=given) for given in (truth(), truth(), truth(alone=2.0))
        )
        assert one == same
        assert hash(one) == hash(same)
        assert one != other

    def test_copies_keep_it(self):
        summary = training_summary(steps(), self.X, self.y, truth=truth())
        again = pickle.loads(pickle.dumps(summary))
        assert again == summary
        assert again.truth == truth()

    def test_it_must_be_of_the_rules(self):
        with pytest.raises(ValueError, match="The truth of a training summary must have 2 rules"):
            training_summary(steps(), self.X, self.y, truth=truth(rule_together=[1.0], rule_alone=[1.0]))
