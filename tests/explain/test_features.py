import numpy as np
import pytest
from helpers.dated_rules import dated_rules
from helpers.report_models import handmade_rules

from fruler.explain.features import features_of
from fruler.rules import FuzzyPartition, RuleBase, Variable


def plain_rules(names):
    variables = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in names]
    return RuleBase(variables, np.zeros((1, len(names), 2), dtype=int), [[0.0] * (len(names) + 1)])


def test_inputs_of_the_categories_of_a_column_are_one_feature():
    rules = dated_rules()
    features = {feature.name: feature for feature in features_of(rules)}
    assert list(features) == ["sold", "day of year", "hour", "weekday", "origin", "fuel", "size", "size is missing"]
    fuel = features["fuel"]
    assert fuel.inputs == (5, 6)
    assert [(text, values) for text, values in fuel.options] == [("gas", (1, 0)), ("oil", (0, 1)), ("sun", (0, 0))]
    assert not features["size"].options
    assert len(features["weekday"].options) == 7


def test_every_input_is_in_one_feature():
    for rules in (dated_rules(), handmade_rules()):
        inputs = [j for feature in features_of(rules) for j in feature.inputs]
        assert sorted(inputs) == list(range(len(rules.variables)))


def test_labels_of_a_nominal_input_are_options_by_their_codes():
    feature = features_of(handmade_rules())[1]
    assert [option.text for option in feature.options] == [
        "<i>red</i>",
        "blue or 'green' (1)",
        "blue or 'green' (2)",
        "none",
    ]
    assert [option.values for option in feature.options] == [(0.0,), (1.0,), (2.0,), (5.0,)]


@pytest.mark.parametrize(
    ("names", "name", "texts"),
    [
        (["colour=red", "colour=blue"], "colour", ["red", "blue"]),
        (["red", "blue"], "red or blue", ["red", "blue"]),
        (["colour=red", "shape=round"], "colour=red or shape=round", ["colour=red", "shape=round"]),
    ],
)
def test_inputs_that_exclude_each_other_can_be_named(names, name, texts):
    rules = plain_rules(["size", *names])
    assert len(features_of(rules)) == 3
    size, joined = features_of(rules, [names])
    assert (size.name, joined.name) == ("size", name)
    assert [option.text for option in joined.options] == texts
    assert [option.values for option in joined.options] == [(1.0, 0.0), (0.0, 1.0)]


def test_rows_have_the_nearest_option():
    fuel = next(feature for feature in features_of(dated_rules()) if feature.name == "fuel")
    rows = np.zeros((4, 9))
    rows[:, [5, 6]] = [[1, 0], [0, 1], [0, 0], [0.1, 0.8]]
    assert fuel.options_of(rows).tolist() == [0, 1, 2, 1]
    assert [fuel.option_of(row) for row in rows] == [0, 1, 2, 1]
