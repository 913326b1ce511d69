"""What a link and bounds are in words: sentences, formulas, explanations and tables."""

import re
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers.triangle_rules import mamdani

from fruler import FuzzyRuleRegressor
from fruler.explain._dependence import ranked_interactions
from fruler.explain._scales import LogScale, bounds_sentence
from fruler.explain.plots import CurveDisplay, ImportanceDisplay, RuleBaseDisplay, WaterfallDisplay
from fruler.explain.text import rules_text
from fruler.rules import Curve, FuzzyPartition, Output, RuleBase, Variable
from fruler.rules._output import PLAIN

mpl.use("Agg")

SIZE = Variable("size", FuzzyPartition([100.0], (20.0, 300.0), 0.0), "m²")
AGE = Variable("age", FuzzyPartition([], (0.0, 80.0)), "years")
RNG = np.random.default_rng(0)
ROWS = np.column_stack([RNG.uniform(20.0, 300.0, 300), RNG.uniform(0.0, 80.0, 300)])
FLATS = RuleBase(
    [SIZE, AGE],
    [[[0, 0], [0, 0]], [[1, 1], [0, 0]]],
    [[np.log(40_000.0), 0.01, -0.005], [np.log(90_000.0), 0.002, 0.0]],
    target_name="price",
    target_unit="EUR",
    output=Output("log"),
)


def trained(rules):
    low, high = rules.output.low, rules.output.high
    y = rules.predict(ROWS) * np.exp(0.1 * np.random.default_rng(1).normal(size=len(ROWS)))
    return rules.with_training(ROWS, np.clip(y, low, high)).with_intervals(ROWS, np.clip(y, low, high))


def test_rules_read_in_percent():
    text = rules_text(trained(FLATS), width=200, table=False)
    assert "size: +1.0" in text
    assert "% per m²" in text
    assert "age: -0.5" in text
    assert "log" not in text
    assert re.search(r"half of the predictions miss by less than [5-7]\.?\d?%, nine of ten by less than 1[4-8]%", text)


def test_net_effects_have_percents_that_can_be_believed():
    bend = Curve(1, FuzzyPartition([40.0], (0.0, 80.0), 0.0), [[-0.4, 0.01], [0.4, -0.01]])
    text = rules_text(trained(replace(FLATS, curves=[bend])), width=200, table=False)
    points = re.search(r"age: (.*) years\n", text)[1]
    assert points.count("%") >= 3
    assert "just below" not in points
    assert "e+" not in text


def test_bounds_are_said():
    assert rules_text(replace(FLATS, output=Output("log", (1000.0, None)))).endswith(
        "Predictions are at least 1,000 EUR."
    )
    assert bounds_sentence(replace(FLATS, output=Output(bounds=(None, 0.5)))) == "Predictions are at most 0.5 EUR."
    assert bounds_sentence(FLATS) == ""


def test_parts_multiply_to_the_prediction():
    rules = trained(FLATS)
    why = rules.explain(ROWS[:4])
    np.testing.assert_allclose(np.exp(why.base + why.contributions.sum(axis=1)), why.predictions, rtol=1e-9)
    frame = why.to_frame()
    np.testing.assert_allclose(frame["base"] * frame["size times"] * frame["age times"], frame["prediction"], rtol=1e-9)
    first = why.to_dict()[0]
    assert first["base"] * np.prod(list(first["times"].values())) == pytest.approx(first["prediction"])
    assert "adds" not in first
    lines = str(why[0]).splitlines()
    assert lines[1].endswith("typical prediction")
    assert all(line.strip().startswith("×") for line in lines[2:4])
    base, *factors = (float(line.split()[0].strip("×").replace(",", "")) for line in lines[1:4])
    assert base * np.prod(factors) == pytest.approx(why.predictions[0], rel=0.01)
    assert '<td class="n">×' in why[0]._repr_html_()


def test_an_explanation_says_where_a_bound_answers():
    rules = trained(replace(FLATS, output=Output("log", (60_000.0, None))))
    row = np.array([[30.0, 70.0]])
    text = str(rules.explain(row))
    assert text.startswith("price = 60,000 EUR\n")
    free = FLATS.predict(row)[0]
    assert f"the rules say {free:,.0f}"[:18] in text
    assert "predictions are at least 60,000 EUR" in text
    assert "the least" not in str(rules.explain([[90.0, 5.0]]))


def test_labels_of_the_output_are_in_its_own_units():
    rules = replace(mamdani(), training=None, intervals=None)
    low, high = rules.consequents.partition.range
    scaled = replace(
        rules,
        consequents=replace(rules.consequents, partition=rules.consequents.partition.mapped(lambda x: x / high)),
        output=Output("log"),
    )
    assert scaled.target.partition.range == pytest.approx((np.exp(low / high), np.e))
    assert f"{scaled.rules[0].label}" in rules_text(scaled)
    assert "log(" not in rules_text(scaled)


def test_inputs_that_only_multiply_do_not_interact():
    x, z = (Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "xz")
    both = RuleBase([x, z], [[[0, 0], [0, 0]]], [[0.0, 3.0, 3.0]], output=Output("log"))
    split = Variable("x", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    rows = np.random.default_rng(0).uniform(size=(50, 2))
    assert ranked_interactions(both, rows) == []
    steps = RuleBase(
        [split, z], [[[0, 0], [0, 0]], [[1, 1], [0, 0]]], [[0.0, 0.0, 3.0], [1.0, 0.0, 3.0]], output=Output("log")
    )
    assert ranked_interactions(steps, rows) == []
    assert ranked_interactions(replace(steps, output=PLAIN), rows) == []


@pytest.mark.parametrize(("low", "high"), [(-0.1, 0.1), (-1.0, 2.0), (0.0, 30.0), (11.2, 11.9), (5.0, 5.0)])
def test_ticks_stand_at_round_targets(low, high):
    places = LogScale().round_places(low, high, 6)
    assert 1 <= len(places) <= 8
    if low < high:
        assert len(places) >= 2
        assert all(low - 1e-9 <= place <= high + 1e-9 for place in places)
        for place in places:
            digits = f"{np.exp(place):.6e}".split("e")[0].rstrip("0").replace(".", "")
            assert len(digits) <= 3


def test_pictures_have_axes_of_the_target():
    bend = Curve(1, FuzzyPartition([40.0], (0.0, 80.0), 0.0), [[-0.4, 0.01], [0.4, -0.01]])
    rules = trained(replace(FLATS, curves=[bend]))
    display = WaterfallDisplay.from_estimator(rules, ROWS[:1])
    ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
    numbers = [float(tick.replace(",", "")) for tick in ticks]
    assert min(numbers) > 1_000.0
    np.testing.assert_allclose(np.log(numbers), display.ax_.get_xticks(), atol=1e-6)
    assert display.ax_.get_yticklabels()[0].get_text() == "typical prediction"
    curves = CurveDisplay.from_estimator(rules)
    assert curves.axes_[0].get_ylabel() == "changes price by"
    assert all(text.get_text().endswith("%") for text in curves.axes_[0].get_yticklabels())
    moves = ImportanceDisplay.from_estimator(rules)
    assert "away from the typical prediction" in moves.ax_.get_xlabel().replace("\n", " ")
    assert "%" in moves.ax_.texts[0].get_text().split("(")[0]
    assert "%" in RuleBaseDisplay.from_estimator(rules).axes_[-1].get_xlabel()
    plt.close("all")


def test_documents_are_in_percent_too():
    rules = trained(replace(FLATS, output=Output("log", (1.0, 1e9))))
    for text in (rules.to_latex(), rules.to_markdown(), rules._repr_html_()):
        assert "% per" in text.replace("\\%", "%").replace("~", " ") or "%</td>" in text or "%" in text
        assert "log(" not in text
        assert "Predictions are kept within 1 and 1,000,000,000 EUR." in text


def test_categories_are_told_in_percent():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(["flat", "loft"], 300), "size": rng.uniform(0.0, 1.0, 300)})
    y = pd.Series(np.exp(3.0 + 0.5 * frame["size"] + 0.4 * (frame["kind"] == "loft")), name="price")
    model = FuzzyRuleRegressor(random_state=0, link="log", max_rules=1).fit(frame, y)
    said, change, other = re.search(r"kind: (\w+) (\S+)% \(against (\w+)\)", str(model.rule_base_)).groups()
    assert {said, other} == {"flat", "loft"}
    factor = 1.0 + float(change) / 100.0
    assert factor == pytest.approx(np.exp(0.4 if said == "loft" else -0.4), rel=0.01)


def test_notebooks_tell_percents():
    bend = Curve(1, FuzzyPartition([40.0], (0.0, 80.0), 0.0), [[-0.4, 0.01], [0.4, -0.01]])
    rules = replace(FLATS, curves=[bend], output=Output("log", (1.0, None)))
    for page in (rules._repr_html_(), trained(rules)._repr_html_()):
        assert "% at 80 years" in page
        assert "Predictions are at least 1" in page
