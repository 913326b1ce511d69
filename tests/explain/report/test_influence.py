"""What the page says of the influence of inputs: importance, effects, and pairs that interact."""

import re
from html import unescape

import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table
from helpers.report_models import handmade_rules

from fruler.explain.report import report_html
from fruler.rules import FuzzyPartition, RuleBase, Variable

DATED = dated_rules()


def section(page, name):
    (found,) = re.findall(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return found


def told(part):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", part))).replace("\u00a0", " ")


def figures(part):
    return re.findall(r'<figure class="effect-figure">.*?</figure>', part, re.DOTALL)


def test_the_most_important_features_are_on_the_first_screen():
    part = section(report_html(DATED), "glance")
    names = re.findall(r'<li><span class="name">([^<]*)</span>', part)
    importance = DATED.training.input_importance
    expected = {feature.name: importance[feature.index].sum() for feature in DATED.features}
    assert names == sorted(expected, key=lambda name: -expected[name])[:6]
    share = expected[names[0]] / importance.sum()
    assert f"{names[0]} {share:.0%} moves it by {expected[names[0]]:.2f} EUR" in told(part)


def test_all_effects_have_one_scale(weather_model, weather):
    part = section(weather_model.report(weather.data, weather.target), "matters")
    axes = [re.findall(r'y="([\d.]+)" text-anchor="end">([^<]*)<', figure) for figure in figures(part)]
    assert len(axes) == 6
    assert all(axis == axes[0] for axis in axes)
    assert "over 200 of the training rows" in part


def test_an_effect_is_drawn_where_it_is(weather_model, weather):
    """Numbers beside the axes say where a value stands; the line must stand there."""
    rules = weather_model.rule_base_
    given = weather.data[:150] + 0.001
    part = section(weather_model.report(given, weather.target[:150]), "matters")
    assert "over the given rows" in part
    (figure,) = [one for one in figures(part) if "<b>humidity</b>" in one]
    points = np.array([point.split(",") for point in re.findall(r'points="([^"]*)"', figure)[0].split()], dtype=float)
    y = np.array(
        [
            (float(place) - 4, float(text.replace("−", "-")))
            for place, text in re.findall(r'y="([\d.]+)" text-anchor="end">([^<]*)<', figure)
        ]
    )
    adds = np.polyval(np.polyfit(y[:, 0], y[:, 1], 1), points[:, 1])
    rows = given.to_numpy()
    j = rules.names.index("humidity")
    for end, found in ((rules.training.low[j], adds[0]), (rules.training.high[j], adds[-1])):
        moved = rows.copy()
        moved[:, j] = end
        assert found == pytest.approx(rules.predict(moved).mean(), abs=0.1)
    assert re.search(r"humidity falls from \d+\.\d\d at \d", told(figure))


def test_categories_are_points_with_their_names():
    part = section(report_html(DATED, dated_table(), DATED.predict(dated_table())), "matters")
    (figure,) = [one for one in figures(part) if "<b>fuel</b>" in one]
    assert re.findall(r'text-anchor="middle">(\w+)</text>', figure) == ["sun", "oil", "gas"]
    assert figure.count("h0") == 3
    assert re.search(r"fuel sun [\d.]+, oil [\d.]+, gas [\d.]+", told(figure))
    # Weekdays are too long to stand side by side.
    (figure,) = [one for one in figures(part) if "<b>weekday</b>" in one]
    assert figure.count("rotate(-40)") == 7


def test_the_density_of_the_data_is_below_every_effect():
    with_rows = report_html(DATED, dated_table(), DATED.predict(dated_table()))
    for figure in figures(section(with_rows, "matters")):
        assert 'class="histogram"' in figure
    # In the summary of the training data most weekdays share a bar.
    for figure in figures(section(report_html(DATED), "matters")):
        assert ('class="histogram"' in figure) == ("<b>weekday</b>" not in figure)


def test_pairs_that_interact_have_a_sentence(weather_model):
    text = told(section(weather_model.report(), "matters"))
    assert re.search(
        r"max_temperature_before and pressure [\d.]+ From [\d,.]+ to [\d,.]+, pressure changes mean_temperature by "
        r"[−+][\d.]+ where max_temperature_before is [−\d.]+, and by [−+][\d.]+ where it is [−\d.]+\.",
        text,
    )
    assert "rows made up from the summary of the training data" in text


def test_a_formula_has_no_pairs(weather_model):
    text = told(section(weather_model.with_rules(1).report(), "matters"))
    assert "None: what an input does never depends on another" in text


def test_what_is_missing_is_told_in_words():
    text = told(section(report_html(DATED, dated_table(), DATED.predict(dated_table())), "matters"))
    assert re.search(r"where size is present, and by [−+][\d.]+ EUR where it is missing", text)


def test_rules_without_training_data_have_effects_too():
    part = section(report_html(handmade_rules()), "matters")
    assert len(figures(part)) >= 3
    assert "rows made up from the ranges of the inputs" in part
    assert 'class="histogram"' not in part


def test_a_model_that_always_says_the_same_has_no_such_section():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    page = report_html(RuleBase([x], [[[0, 0]]], [[3.0, 0.0]]).with_training([[0.0], [1.0]], [3.0, 3.0]))
    assert 'id="matters"' not in page
    assert 'href="#matters"' not in page


def test_many_effects_are_folded_away(large):
    part = section(report_html(large), "matters")
    first, _, rest = part.partition('<details class="more-effects">')
    assert len(figures(first)) == 3
    assert 0 < len(figures(rest)) <= 36
