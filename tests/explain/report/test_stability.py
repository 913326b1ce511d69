"""What the page shows of stability."""

import re

import numpy as np
import pandas as pd
import pytest

from fruler import FuzzyRuleRegressor
from fruler.explain.report import report_html, write_report


@pytest.fixture(scope="module")
def stability(weather_model, weather):
    return weather_model.stability(weather.data, weather.target, 4)


@pytest.fixture
def opened(browser, weather_model, weather, stability, tmp_path):
    contexts = []

    def open_page(width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 844}))
        page = contexts[-1].new_page()
        path = weather_model.report(weather.data, weather.target, tmp_path / "r.html", stability=stability, **options)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_every_rule_says_how_often_it_came_back(opened, stability):
    page = opened()
    for number, times in stability.rules["came_back"].items():
        said = f"came back in {times or 'none'} of 4 refits"
        page.locator(f"#rule-{number} summary").click()
        assert page.locator(f"#rule-{number}").get_by_text(said, exact=True).is_visible()


def test_splits_and_inputs_have_their_tables(opened, stability):
    page = opened()
    page.get_by_role("navigation").get_by_text("Stability").click()
    rows = page.locator("#stability table").first.locator("tbody tr")
    assert rows.count() == len(stability.splits)
    for row, split in zip(rows.all(), stability.splits.itertuples(), strict=True):
        text = row.inner_text()
        assert split.input in text
        assert f"{split.came_back} of 4" in text
    inputs = page.locator("#stability table").last.locator("tbody tr")
    used = stability.inputs[stability.inputs["has_effect"] | (stability.inputs["refits_with_effect"] > 0)]
    assert inputs.count() == len(used)


def test_every_drawn_effect_has_a_band_that_is_as_wide_as_it_says(opened, stability):
    page = opened()
    for summary in page.locator(".more-effects > summary").all():
        summary.click()
    figures = page.locator(".effect-figure").all()
    assert len(figures) > 3
    effects = {effect.curve.feature.name: effect for effect in stability.effects}
    heights = []
    for figure in figures:
        name = figure.locator("b").inner_text()
        box = figure.locator("polygon.band").bounding_box()
        lower, upper = effects[name].band()
        heights.append((box["height"], upper.max() - lower.min()))
    scale = max(heights)[0] / max(heights)[1]
    for height, extent in heights:
        assert height == pytest.approx(scale * extent, abs=3)


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_never_scrolls_sideways(browser, weather_model, stability, tmp_path, width):
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(write_report(tmp_path / "r.html", weather_model.rule_base_, stability=stability).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_axe_finds_nothing(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    assert axe.Axe().run(opened()).response["violations"] == []


def test_one_printed_page_leaves_the_tables_out(opened):
    page = opened()
    page.emulate_media(media="print")
    assert not page.locator("#stability").is_visible()


def test_nothing_of_it_is_in_a_page_without(weather_model, weather):
    page = weather_model.report(weather.data, weather.target)
    assert not re.search('stability|refit|came back|band"', page)


def test_without_rows_effects_are_those_of_the_training_rows(weather_model, stability):
    page = weather_model.report(stability=stability)
    assert "200 of the training rows" in page
    assert page.count('<polygon class="band"') == weather_model.report().count('effect-figure"')


def test_bands_of_categories_and_minus_signs(rng):
    X = pd.DataFrame({"kind": rng.choice(list("abc"), 120), "x": rng.uniform(-9.0, -1.0, 120)})
    y = np.where(X["kind"] == "a", 5.0, X["x"]) + np.where(X["x"] < -5.0, 8.0, 0.0)
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    page = model.report(stability=model.stability(X, y, 2))
    assert '<path class="band"' in page
    assert re.search("at −4|at −5", page)


def test_the_stability_of_another_model_is_refused(weather_model, stability):
    with pytest.raises(ValueError, match="stability must be of this model"):
        report_html(weather_model.with_rules(1).rule_base_, stability=stability)
