import numpy as np
import pytest
from helpers.dated_rules import dated_rules
from helpers.report_models import handmade_rules

from fruler._table.sources import LevelSource
from fruler.explain.importance import column_shares, input_importance
from fruler.explain.report import report_html
from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_inputs_of_the_categories_of_a_column_are_one_feature():
    rules = dated_rules()
    features = {feature.name: feature for feature in rules.features}
    assert list(features) == ["sold", "day of year", "hour", "weekday", "origin", "fuel", "size", "size is missing"]
    fuel = features["fuel"]
    assert fuel.inputs == (5, 6)
    assert [(text, values) for text, values in fuel.options] == [("gas", (1, 0)), ("oil", (0, 1)), ("sun", (0, 0))]
    assert not features["size"].options
    assert len(features["weekday"].options) == 7


def test_every_input_is_in_one_feature():
    for rules in (dated_rules(), handmade_rules()):
        inputs = [j for feature in rules.features for j in feature.inputs]
        assert sorted(inputs) == list(range(len(rules.variables)))


def test_labels_of_a_nominal_input_are_options_by_their_codes():
    feature = handmade_rules().features[1]
    assert [option.text for option in feature.options] == [
        "<i>red</i>",
        "blue or 'green' (1)",
        "blue or 'green' (2)",
        "none",
    ]
    assert [option.values for option in feature.options] == [(0.0,), (1.0,), (2.0,), (5.0,)]


def test_an_input_for_one_of_two_categories_is_the_column():
    sex = LevelSource.indicator("sex", ["f", "m"], "m")
    smoker = Variable("smoker", FuzzyPartition([], (0.0, 1.0)))
    rules = RuleBase(
        [Variable("sex=m", FuzzyPartition([], (0.0, 1.0)), source=sex), smoker], [[[0, 0]] * 2], [[1.0, 2.0, 3.0]]
    )
    feature, other = rules.features
    assert (feature.name, feature.column, feature.has_levels) == ("sex", "sex", True)
    assert [tuple(option) for option in feature.options] == [("f", (0.0,)), ("m", (1.0,))]
    assert (other.name, other.options) == ("smoker", ())


def test_importance_is_by_feature_everywhere():
    rules = dated_rules()
    table = input_importance(rules).set_index("input")["moves"]
    assert set(table.index) == {feature.name for feature in rules.features}
    for feature in rules.features:
        assert table[feature.name] == pytest.approx(rules.training.input_importance[list(feature.inputs)].sum())
    shares = dict(zip(rules.columns, column_shares(rules), strict=True))
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["fuel"] == pytest.approx(table["fuel"] / table.sum())
    assert shares["size"] == pytest.approx((table["size"] + table["size is missing"]) / table.sum())
    assert "fuel=gas" not in report_html(rules).split("</head>")[1].split('<script type="application/json"')[0]


def test_rows_have_the_nearest_option():
    fuel = next(feature for feature in dated_rules().features if feature.name == "fuel")
    rows = np.zeros((4, 9))
    rows[:, [5, 6]] = [[1, 0], [0, 1], [0, 0], [0.1, 0.8]]
    assert fuel.options_of(rows).tolist() == [0, 1, 2, 1]
