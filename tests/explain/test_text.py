import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.triangle_rules import mamdani, own_sets

from fruler._table.date_sources import TrendSource
from fruler.explain._story import alone_sentence, errors_sentence
from fruler.explain._told import told, unused_sentence
from fruler.explain.text import rules_text
from fruler.rules import (
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    OwnTriangles,
    RuleBase,
    TrianglePartition,
    Variable,
)
from fruler.rules.truth import Truth


def rules(consequents, antecedents=None, **options):
    variables = [
        Variable("temperature", FuzzyPartition([10.0, 20.0], (0.0, 30.0)), "°C"),
        Variable("wind", FuzzyPartition([30.0], (0.0, 60.0))),
    ]
    return RuleBase(variables, antecedents or [[[0, 0], [0, 1]], [[1, 2], [1, 1]]], consequents, **options)


@pytest.mark.parametrize("table", [False, True])
def test_the_whole_text(table):
    power = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 12.3456]], target_name="power", target_unit="kW", support=[0.25, 0.75])
    text = rules_text(power, width=100, table=table)
    middle = (
        "Rule 1 (25% of the rows): if temperature is low (under 10 °C)\n"
        "  start 1\n"
        "  temperature: +2 per °C\n"
        "\n"
        "Rule 2 (75% of the rows): if temperature is medium or high (over 10 °C) and wind is high (over 30)\n"
        "  start 0\n"
        "  wind: +12.35 per unit\n"
        "  temperature: -0.5 per °C"
    )
    beside = (
        "rule                           1           2\n"
        "temperature          under 10 °C  over 10 °C\n"
        "wind                           –     over 30\n"
        "share of rows                25%         75%\n"
        "start                          1           0\n"
        "wind, per unit                 –      +12.35\n"
        "temperature, per °C           +2        -0.5"
    )
    assert text == (
        f"power (kW): 2 rules\n\n{beside if table else middle}\n\n"
        "To predict, add the amounts of the rule and of all rows to start; where rules fade, mix their\n"
        "    predictions\n\n"
        "Amounts count from wind 0, temperature 0 °C\n\n"
        "Rules fade into each other: temperature from 5 to 15 and from 15 to 25 °C; wind from 0 to 60"
    )


def test_what_all_rules_share_is_told_once():
    both = rules([[1.0, 2.0, 3.0], [0.0, 2.0, 4.0]])
    page = told(both)
    assert [effect.name for effect in page.shared] == ["temperature"]
    assert [effect.name for effect in page.own] == ["wind"]
    text = rules_text(both, width=100, table=False)
    assert text.count("+2 per °C") == 1
    assert "For all rows\n  temperature: +2 per °C\n" in text


def test_what_two_of_three_rules_share_is_told_once():
    x = Variable("x", FuzzyPartition([1.0, 2.0], (0.0, 3.0)))
    three = RuleBase([x], [[[k, k]] for k in range(3)], [[0.0, 1.5], [1.0, 1.5], [9.0, -2.0]])
    text = rules_text(three, table=False)
    assert text.count("+1.5") == 1
    assert "\n  as in rule 1: x\n" in text
    assert "as in" not in rules_text(three, table=False, rules=[1, 2])


def test_lines_are_as_wide_as_they_may_be():
    many = RuleBase(
        [Variable(f"input_{j}", FuzzyPartition([0.5], (0, 1))) for j in range(9)],
        np.zeros((2, 9, 2), dtype=int) + np.array([0, 1])[:, None, None],
        np.random.default_rng(0).normal(size=(2, 10)),
    )
    text = rules_text(many, width=40)
    assert max(map(len, text.splitlines())) <= 42
    assert "\u00a0" not in text


@pytest.mark.parametrize(("columns", "longest"), [("30", 40), ("60", 60), ("300", 120)])
def test_the_text_fits_the_terminal(monkeypatch, columns, longest):
    monkeypatch.setenv("COLUMNS", columns)
    names = [f"quantity_{j}" for j in range(12)]
    wide = RuleBase(
        [Variable(name, FuzzyPartition([], (0, 1))) for name in names], [[[0, 0]] * 12], [[1.0] * 13], target_name="y"
    )
    lengths = [len(line) for line in str(wide).splitlines()]
    assert longest - 20 < max(lengths) <= longest


def test_many_labels_are_a_range():
    x = Variable("x", FuzzyPartition([1.0, 2.0, 3.0, 4.0], (0.0, 5.0)))
    text = rules_text(RuleBase([x], [[[0, 2]], [[3, 4]]], [[1.0, 0.0], [2.0, 0.0]]), table=False)
    assert "if x is very low to medium (under 3)\n" in text
    assert "if x is high or very high (over 3)\n" in text


def with_truth(together, alone, held_out):
    """Return two rules for a target whose spread is 10."""
    rule_base = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 1.0]], target_unit="kW")
    rule_base = rule_base.with_training([[0.0, 0.0], [30.0, 60.0]], [-10.0, 10.0])
    truth = Truth(together, alone, [together] * 2, [alone] * 2, held_out=held_out)
    return replace(rule_base, training=replace(rule_base.training, truth=truth))


def test_the_story_tells_how_large_errors_are():
    known = with_truth(0.932, 0.988, True)
    missed = replace(known, training=replace(known.training, misses=(0.5, 1.44)))
    assert errors_sentence(missed).replace("\xa0", " ") == (
        "On held-out rows, half of the predictions miss by less than 0.5 kW, nine of ten by less than 1.4 kW; "
        "RMSE 0.93 kW."
    )
    unknown = replace(known, training=replace(known.training, misses=None))
    assert errors_sentence(unknown).replace("\xa0", " ") == "On held-out rows, the RMSE is 0.93 kW."
    assert errors_sentence(rules([[1.0, 2.0, 0.0], [0.0, -0.5, 1.0]])) == ""


def test_rules_that_do_not_hold_alone_say_so():
    assert alone_sentence(with_truth(0.932, 0.988, True)) == ""
    said = alone_sentence(with_truth(0.932, 4.49, True)).replace("\xa0", " ")
    assert said == "Read the rules together: the strongest rule alone has an RMSE of 4.5 kW."
    # The data are nearly exact: what the ratio says is of no importance.
    assert alone_sentence(with_truth(0.001, 0.19, True)) == ""


def test_columns_that_are_not_used_are_named():
    names = [f"x{number}" for number in range(12)]
    inputs = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in names]
    line = RuleBase(inputs, [[[0, 0]] * 12], [[1.0, 2.0, *[0.0] * 11]])
    assert unused_sentence(line) == "Not used: x1, x2, x3, x4, x5, x6, x7, x8 and 3 more columns"
    assert unused_sentence(RuleBase(inputs[:1], [[[0, 0]]], [[1.0, 2.0]])) == ""
    assert rules_text(line, width=80).endswith(f"\n\n{unused_sentence(line)}")


def test_the_hour_of_a_date_is_told_in_hours():
    from fruler import FuzzyRuleRegressor

    at = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(600) * 53, unit="min")
    model = FuzzyRuleRegressor(random_state=0, max_rules=1, max_curves=0).fit(
        pd.DataFrame({"sold": at}), 2.0 * (at.hour + at.minute / 60.0)
    )
    assert "per hour" in str(model.rule_base_)
    assert "of hour" not in str(model.rule_base_)


def test_rules_that_say_labels_of_the_output():
    text = rules_text(mamdani(), width=200, table=False)
    assert (": if weight is high and power is high and year is low\n  mpg is low; typical mpg 11.3\n") in text
    assert ("weight: low = up to 1,900 (below 3,000); medium = about 2,800 (2,100 to 3,900); high = from 4,400") in text
    assert "mpg: low = about 11 (5 to 18); medium = about 18.5 (10 to 24); high = about 27 (17 to 45)" in text
    assert max(map(len, rules_text(mamdani(), width=40, table=False).splitlines())) <= 40


def test_rules_with_sets_of_their_own():
    text = rules_text(own_sets(), width=200, table=False)
    assert "Rule 4: if weight is from 3,600 (above 2,500) and year is up to 71 (below 77)\n  start 14\n" in text
    assert "if weight is about 2,800 (2,100 to 3,400) and power is about 95 (60 to 140)\n" in text


def test_a_single_label_that_always_applies():
    x = Variable("x", TrianglePartition.uniform((0.0, 1.0), 2))
    said = LabelConsequents([1], TrianglePartition.uniform((0.0, 1.0), 2, shoulders=False))
    text = rules_text(RuleBase([x], LabelTriangles([[-1]], [x]), said))
    assert text.splitlines()[3].startswith("  y is high; typical y 1.00")


def test_dates_of_triangles_are_written_as_dates():
    sold = TrendSource("sold", datetime.datetime(2015, 1, 1), "years")
    x = Variable("sold", FuzzyPartition([], (0.0, 6.0)), source=sold)
    rules = RuleBase([x], OwnTriangles([[[0.0, 1.0, 2.0]], [[1.0, 3.0, np.inf]]], [x]), [[1.0, 0.0], [2.0, 0.0]])
    assert rules.rules[1].antecedent == {"sold": ("from 31 Dec 2017 (above 1 Jan 2016)",)}
    assert "2016" in str(rules)
