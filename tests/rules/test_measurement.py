"""Where the rows of each rule lie: kept in the summary and in files."""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
from fruler.rules._json.checked import Checked
from fruler.rules._json.document import rule_base_from_json, rule_base_to_json


@pytest.fixture
def rules():
    inputs = [Variable(name, FuzzyPartition([5.0], (0.0, 10.0))) for name in "ab"]
    rules = RuleBase(inputs, [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[1.0, 2.0, 0.0], [3.0, 0.0, 1.0]])
    X = np.random.default_rng(0).uniform(0.0, 10.0, (60, 2))
    return rules.with_training(X, rules.predict(X))


def read(written):
    return rule_base_from_json(Checked(json.loads(json.dumps(written)), "model", None))


def test_files_keep_them_to_the_last_bit(rules):
    written = rule_base_to_json(rules)
    assert len(written["training"]["inputs"]["a"]["centres"]) == rules.n_rules
    loaded = read(written)
    np.testing.assert_array_equal(loaded.training.centres, rules.training.centres)
    np.testing.assert_array_equal(loaded.training.spreads, rules.training.spreads)
    assert loaded == rules
    assert str(loaded) == str(rules)


def test_curves_have_the_mean_of_what_they_add(rules):
    steps = FuzzyPartition([5.0], (0.0, 10.0), 0.0)
    curved = replace(rules, curves=[Curve(1, steps, [[-1e6, 0.0], [0.0, 2e5]])], training=None)
    X = np.random.default_rng(1).uniform(0.0, 10.0, (80, 2))
    curved = curved.with_training(X, curved.predict(X))
    weights = curved.activations(X)[0]
    expected = weights.T @ curved.curves[0].values(X[:, 1]) / weights.sum(axis=0)
    np.testing.assert_allclose(curved.training.curve_means, expected[None], atol=1e-5 * 2e6)
    loaded = read(rule_base_to_json(curved))
    assert loaded == curved
    assert curved != replace(curved, training=replace(curved.training, curve_means=None))

    written = rule_base_to_json(curved)
    written["training"]["curve_means"][0].pop()
    with pytest.raises(ValueError, match="curve_means must have a number for each of the 2 rules"):
        read(written)
    written["training"]["curve_means"] = [[0.0, 0.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="curve_means for 1 curves"):
        read(written)


def test_rules_without_curves_have_no_means_of_them(rules):
    assert rules.training.curve_means is None
    assert "curve_means" not in json.dumps(rule_base_to_json(rules))


def test_older_files_have_none(rules):
    written = rule_base_to_json(rules)
    for figures in written["training"]["inputs"].values():
        del figures["centres"], figures["spreads"]
    old = read(written)
    assert old.training.centres is None
    assert old.training.spreads is None
    assert "typical y" not in str(old)
    assert old != rules
    assert "centres" not in json.dumps(rule_base_to_json(old))


def spoiled(written, change):
    spoiled = copy.deepcopy(written)
    change(spoiled["training"]["inputs"])
    return spoiled


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda inputs: inputs["a"].pop("centres"), "one number for each of the 2 rules, in all inputs"),
        (lambda inputs: inputs["b"]["spreads"].pop(), "one number for each of the 2 rules"),
        (lambda inputs: [one.pop("spreads") for one in inputs.values()], "both centres and spreads, or neither"),
        (lambda inputs: inputs["a"].update(centres=[1e9, 1.0]), "must lie between low and high"),
        (lambda inputs: inputs["a"].update(spreads=[-1.0, 1.0]), "can't be negative"),
        (lambda inputs: inputs["a"].update(spreads="wide"), "spreads"),
        (lambda inputs: inputs["a"].update(spreads=[None, 1.0]), "spreads"),
    ],
)
def test_what_is_wrong_is_refused_and_named(rules, change, message):
    with pytest.raises(ValueError, match=message):
        read(spoiled(rule_base_to_json(rules), change))


def test_copies_are_equal_and_frozen(rules):
    copied = pickle.loads(pickle.dumps(rules.training))
    assert copied == rules.training
    assert hash(copied) == hash(rules.training)
    with pytest.raises(ValueError, match="read-only"):
        copied.centres[0, 0] = 1.0
    assert replace(rules.training, centres=rules.training.centres, spreads=rules.training.spreads * 2.0) != copied


def test_few_digits_are_kept(rules):
    for figures in rule_base_to_json(rules)["training"]["inputs"].values():
        assert max(len(str(number)) for number in figures["centres"] + figures["spreads"]) <= 8
