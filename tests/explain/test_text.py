import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.triangle_rules import mamdani, own_sets

from fruler._table.date_sources import TrendSource
from fruler.explain._effects import signed_effects
from fruler.explain._sentences import truth_sentence, unused_sentence
from fruler.explain.text import rules_text
from fruler.rules import (
    Curve,
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    NominalPartition,
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


def test_rules_read_as_sentences(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text = str(
        rules([[1.0, 2.0, 0.0], [0.0, -0.5, 12.3456]], target_name="power", target_unit="kW", support=[0.25, 0.75])
    )
    assert text == (
        "2 rules for power (kW)\n"
        "\n"
        "Rule 1 (25% of the rows)\n"
        "  if temperature is low (below about 10 °C)\n"
        "  then power = 1 + 2·temperature\n"
        "\n"
        "Rule 2 (75% of the rows)\n"
        "  if temperature is medium or high (above about 10 °C) and wind is high (above about 30)\n"
        "  then power = 0 + 12.35·wind - 0.5·temperature\n"
        "\n"
        "Where labels meet\n"
        "  temperature: low < 10 < medium < 20 < high (°C)\n"
        "  wind: low < 30 < high"
    )


def test_the_largest_effect_comes_first():
    assert "= 0 + 1·temperature - 0.4·wind" in rules_text(rules([[0.0, 1.0, -0.4], [0.0, 1.0, 0.6]]))
    assert "= 0 + 0.6·wind + 1·temperature" in rules_text(rules([[0.0, 1.0, -0.4], [0.0, 1.0, 0.6]]))


def test_one_rule_is_a_formula():
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, -2.5]], target_name="cost")
    assert str(line) == "1 rule for cost\n\ncost = 1 - 2.5·x"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (123456.0, "123,500"),
        (0.00123456, "0.001235"),
        (1e-9, "1e-09"),
        (3.2e11, "3.2e+11"),
        (2.0, "2"),
        (0.1 + 0.2, "0.3"),
    ],
)
def test_numbers_are_rounded_to_what_matters(value, shown):
    assert f"= {shown}\n" in rules_text(rules([[value, 0.0, 0.0], [0.0, 0.0, 0.0]]))


def test_narrow_terminals():
    many = RuleBase(
        [Variable(f"input_{j}", FuzzyPartition([0.5], (0, 1))) for j in range(9)],
        np.zeros((2, 9, 2), dtype=int) + np.array([0, 1])[:, None, None],
        np.full((2, 10), -1.2345),
    )
    text = rules_text(many, width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "\u00a0" not in text
    assert not any(line.rstrip().endswith((" -", " +")) for line in text.splitlines())


def test_a_formula_is_as_exact_as_the_target_needs():
    """Pressure is about 1,000: three digits of its slope would shift the output by half a degree."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(990.0, 1040.0, 200), rng.uniform(0.0, 1.0, 200)])
    pressure = Variable("pressure", FuzzyPartition([], (990.0, 1040.0)))
    cloud = Variable("cloud", FuzzyPartition([], (0.0, 1.0)))
    line = RuleBase([pressure, cloud], [[[0, 0], [0, 0]]], [[406.754653504, -0.404895503103, 1.234567]])
    line = line.with_training(X, line.predict(X))
    formula = rules_text(line, form="equation").splitlines()[2]
    terms = formula.removeprefix("y = ").replace("·pressure", "").replace("·cloud", "")
    intercept, sign, slope, _, cloudy = terms.split()
    assert len(slope) <= 7
    assert cloudy == "1.2"
    by_hand = float(intercept) + float(sign + slope) * X[:, 0] + float(cloudy) * X[:, 1]
    assert np.abs(by_hand - line.predict(X)).max() < 0.03 * line.training.target_spread


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
    text = str(RuleBase([x], [[[0, 2]], [[3, 4]]], [[1.0, 0.0], [2.0, 0.0]]))
    assert "if x is very low to medium (below about 3)\n" in text
    assert "if x is high or very high (above about 3)\n" in text


def test_categories_are_told_with_what_they_stand_for():
    colour = Variable("colour", NominalPartition([[0.0], [1.0, 2.0], [3.0]], ["brown", "red or green", "blue"]))
    text = str(RuleBase([colour], [[[0, 1]], [[2, 2]]], [[1.0, 0.0], [2.0, 0.0]]))
    assert "if colour is brown or red or green\n" in text
    assert "colour: brown = 0; red or green = 1, 2; blue = 3" in text


def test_an_input_of_zeros_and_ones_has_no_border_to_tell():
    garden = Variable("garden", FuzzyPartition([0.525], (0.0, 1.0), labels=["no", "yes"]))
    rules = RuleBase([garden], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
    X = np.array([[0.0], [1.0], [1.0]])
    assert "garden: no = 0; yes = 1" in str(rules.with_training(X, X[:, 0]))
    X[1] = 0.5
    assert "garden: no < 0.525 < yes" in str(rules.with_training(X, X[:, 0]))


WIND = Curve(1, FuzzyPartition([20.0], (0.0, 60.0), 0.5), [[-4.0, 0.2], [0.5, 0.0]])


def test_curves_are_named_in_every_rule_and_told_below():
    jump = Curve(0, FuzzyPartition([15.0], (0.0, 30.0), 0.0), [[-3.0, 0.0], [2.0, 0.0]])
    said = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 0.0]], target_name="power", curves=[WIND, jump])
    assert rules_text(said, width=80, form="equation") == (
        "2 rules and 2 curves for power\n"
        "\n"
        "Rule 1\n"
        "  if temperature is low\n"
        "  then power = 1 + 2·temperature + curve of temperature + curve of wind\n"
        "\n"
        "Rule 2\n"
        "  if temperature is medium or high and wind is high\n"
        "  then power = 0 - 0.5·temperature + curve of temperature + curve of wind\n"
        "\n"
        "Curves\n"
        "  temperature adds -3 at 0, -3 just below 15, +2 at 15, +2 at 30 (°C)\n"
        "  wind adds -4 at 0, -2 at 10, +0.25 at 20, +0.5 at 30, +0.5 at 60\n"
        "\n"
        "Where labels meet\n"
        "  temperature: low < 10 < medium < 20 < high (°C)\n"
        "  wind: low < 30 < high"
    )


def test_a_formula_has_its_curves_too():
    x = Variable("x", FuzzyPartition([], (0.0, 4.0)), "m")
    curve = Curve(0, FuzzyPartition([2.0], (0.0, 4.0), 0.0), [[0.1 + 0.2 - 0.3, 1.0], [4.0, -1.0]])
    line = RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_name="cost", curves=[curve])
    assert str(line) == (
        "1 rule and 1 curve for cost\n\ncost = 1 + curve of x\n\nCurves\n  x adds 0 at 0, +2 at 2, 0 at 4 (m)"
    )


def test_a_curve_is_as_exact_as_the_target_needs():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 60.0, (200, 2))
    curve = Curve(1, WIND.partition, WIND.coefficients + 123.456789)
    said = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 0.0]], curves=[curve])
    said = said.with_training(X, 100.0 * rng.normal(size=200))
    sentence = next(line for line in rules_text(said, width=200).splitlines() if "wind adds" in line)
    points = [point.split(" at ") for point in sentence.split("adds ")[1].split(", ")]
    x, adds = curve.bends()
    assert [float(place) for _, place in points] == x.tolist()
    errors = np.abs([float(value.replace(",", "")) - exact for (value, _), exact in zip(points, adds, strict=True)])
    assert 0.0 < errors.max() <= 0.01 * said.training.target_spread


def test_curves_in_narrow_terminals():
    text = rules_text(rules([[1.0, 2.0, 0.0], [0.0, -0.5, 0.0]], curves=[WIND]), width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "\u00a0" not in text
    assert not any(line.rstrip().endswith((" -", " +", " at", " below")) for line in text.splitlines())


def test_the_spread_counts_curves_and_the_effects_do_not():
    plain = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 0.0]])
    curved = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 0.0]], curves=[WIND])
    span = np.ptp(WIND.values(np.linspace(0.0, 60.0, 1000)))
    assert curved.background.spread == pytest.approx(plain.background.spread + span / 4.0, rel=1e-3)
    np.testing.assert_array_equal(signed_effects(curved), signed_effects(plain))


def with_truth(together, alone, held_out):
    """Return two rules for a target whose spread is 10."""
    rule_base = rules([[1.0, 2.0, 0.0], [0.0, -0.5, 1.0]], target_unit="kW")
    rule_base = rule_base.with_training([[0.0, 0.0], [30.0, 60.0]], [-10.0, 10.0])
    truth = Truth(together, alone, [together] * 2, [alone] * 2, held_out=held_out)
    return replace(rule_base, training=replace(rule_base.training, truth=truth))


@pytest.mark.parametrize(
    ("truth", "sentence"),
    [
        ((0.932, 0.988, True), "Typical error on held-out rows: 0.93 kW; by the strongest rule alone: 0.99 kW."),
        ((0.932, 0.988, False), "Typical error on training rows: 0.93 kW; by the strongest rule alone: 0.99 kW."),
        (
            (0.932, 4.49, True),
            "Typical error on held-out rows: 0.93 kW; by the strongest rule alone: 4.49 kW, "
            "so read the rules together, not one by one.",
        ),
        # The data are nearly exact: what the ratio says is of no importance.
        ((0.001, 0.19, True), "Typical error on held-out rows: 0.001 kW; by the strongest rule alone: 0.190 kW."),
    ],
)
def test_the_text_ends_with_how_true_the_rules_are(truth, sentence):
    rule_base = with_truth(*truth)
    assert truth_sentence(rule_base) == sentence
    assert rules_text(rule_base, width=200).splitlines()[-2:] == ["", sentence]
    narrow = rules_text(rule_base, width=40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert narrow.replace("\n", " ").endswith(sentence)


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ([0.9, 1.1], ""),
        ([1.3, 0.5], " It is larger for rule 1 (1.30 kW)."),
        ([1.3, 1.48], " It is larger for rule 1 (1.30 kW) and rule 2 (1.48 kW)."),
        ([np.nan, 1.4], " It is larger for rule 2 (1.40 kW)."),
    ],
)
def test_rules_with_clearly_larger_errors_are_named(errors, said):
    rule_base = with_truth(1.0, 1.02, True)
    truth = Truth(1.0, 1.02, errors, errors, held_out=True)
    rule_base = replace(rule_base, training=replace(rule_base.training, truth=truth))
    sentence = "Typical error on held-out rows: 1.00 kW; by the strongest rule alone: 1.02 kW."
    assert truth_sentence(rule_base) == sentence + said


def test_of_many_rules_with_larger_errors_the_worst_is_named():
    x = Variable("x", FuzzyPartition([1.0, 2.0, 3.0, 4.0], (0.0, 5.0)))
    steps = RuleBase([x], [[[label, label]] for label in range(5)], [[float(label), 0.0] for label in range(5)])
    steps = steps.with_training([[0.5], [4.5]], [0.0, 4.0])
    truth = Truth(1.0, 1.0, [0.1, 2.0, 2.5, 3.0, 2.9], [0.1, 2.0, 2.5, 3.0, 2.9], held_out=True)
    steps = replace(steps, training=replace(steps.training, truth=truth))
    assert truth_sentence(steps).endswith(" It is larger for 4 rules, most for rule 4 (3.0).")


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
    assert "per hour (from" in str(model.rule_base_)
    assert "of hour" not in str(model.rule_base_)


def test_one_rule_is_as_true_as_itself():
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, -2.5]])
    line = line.with_training([[0.0], [1.0]], [2.0, -1.5])
    assert truth_sentence(line) == "Typical error on training rows: 0.707."


def test_without_training_rows_nothing_is_said_of_truth():
    assert truth_sentence(rules([[1.0, 2.0, 0.0], [0.0, -0.5, 1.0]])) == ""
    rule_base = with_truth(1.0, 1.0, True)
    unknown = replace(rule_base, training=replace(rule_base.training, truth=None))
    assert "Typical error" not in str(unknown)


def test_rules_that_say_labels_of_the_output():
    text = rules_text(mamdani(), width=200)
    assert (
        "Rule 5\n  if weight is high (above about 3,750 lb) and power is high (above about 147 hp) and year is low "
        "(below about 73)\n  then mpg is low (about 11.3 mi/gal)\n"
    ) in text
    equations = rules_text(mamdani(), width=200, form="equation")
    assert "Rule 5\n  if weight is high and power is high and year is low\n  then mpg is low\n" in equations
    assert text.endswith(
        "What labels stand for\n"
        "  weight: low = up to 1,900 (below 3,000); medium = about 2,800 (2,100 to 3,900); "
        "high = from 4,400 (above 3,100) (lb)\n"
        "  power: low = up to 60 (below 118); high = from 170 (above 124) (hp)\n"
        "  year: low = up to 70 (below 76); medium = about 76 (70 to 82); high = from 82 (above 76)\n"
        "  mpg: low = about 11 (5 to 18); medium = about 18.5 (10 to 24); high = about 27 (17 to 45) (mi/gal)"
    )
    assert max(map(len, rules_text(mamdani(), width=40).splitlines())) <= 40


def test_rules_with_sets_of_their_own():
    text = rules_text(own_sets(), width=200)
    assert text.endswith(
        "Rule 4\n  if weight is from 3,600 (above 2,500) and year is up to 71 (below 77)\n  then mpg = 14"
    )
    assert "if weight is about 2,800 (2,100 to 3,400) and power is about 95 (60 to 140)\n" in text


def test_a_single_label_that_always_applies():
    x = Variable("x", TrianglePartition.uniform((0.0, 1.0), 2))
    said = LabelConsequents([1], TrianglePartition.uniform((0.0, 1.0), 2, shoulders=False))
    text = rules_text(RuleBase([x], LabelTriangles([[-1]], [x]), said))
    assert text.splitlines()[2] == "y is high (about 1.00)"


def test_dates_of_triangles_are_written_as_dates():
    sold = TrendSource("sold", datetime.datetime(2015, 1, 1), "years")
    x = Variable("sold", FuzzyPartition([], (0.0, 6.0)), source=sold)
    rules = RuleBase([x], OwnTriangles([[[0.0, 1.0, 2.0]], [[1.0, 3.0, np.inf]]], [x]), [[1.0, 0.0], [2.0, 0.0]])
    assert rules.rules[1].antecedent == {"sold": ("from 31 Dec 2017 (above 1 Jan 2016)",)}
    assert "2016" in str(rules)
