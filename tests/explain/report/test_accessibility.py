"""What axe-core finds wrong with the page for those who can't see it, or can't use a mouse: nothing."""

import pytest
from helpers.dated_rules import dated_rules, dated_table
from helpers.report_models import handmade_rules

from fruler.explain.report import write_report

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

MODELS = ["weather", "curved", "mamdani", "own_sets", "dated", "untrained", "formula"]


@pytest.fixture
def written(request, tmp_path, weather_model, weather):
    """Write the report of a model that is named."""

    def write(name):
        path = tmp_path / "report.html"
        if name == "weather":
            return weather_model.report(weather.data, weather.target, path)
        if name == "dated":
            return write_report(path, dated_rules(), dated_table(), dated_rules().predict(dated_table()))
        if name == "formula":
            return weather_model.with_rules(1).report(path=path)
        return write_report(path, handmade_rules() if name == "untrained" else request.getfixturevalue(name))

    return write


def problems(page):
    found = axe.Axe().run(page).response["violations"]
    return {
        problem["id"]: [f"{node['html'][:150]}: {node['failureSummary']}" for node in problem["nodes"][:3]]
        for problem in found
    }


@pytest.mark.parametrize("name", MODELS)
def test_axe_finds_nothing(browser, written, name):
    page = browser.new_page()
    page.goto(written(name).as_uri())
    assert problems(page) == {}
    for summary in page.locator("details > summary").all():
        if summary.is_visible():
            summary.click()
    page.locator("input[type=number]:visible").first.fill("1e6")
    assert page.locator("#flag").is_visible()
    assert problems(page) == {}
    page.close()


def test_axe_finds_nothing_where_there_are_many_rules(browser, written):
    page = browser.new_page()
    page.goto(written("large").as_uri())
    page.get_by_label("grouped by").select_option(index=1)
    assert problems(page) == {}
    page.close()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1280), ("light", 390), ("dark", 390)])
def test_axe_finds_nothing_in_the_dark_or_on_a_phone(browser, written, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto(written("dated").as_uri())
    assert problems(page) == {}
    context.close()
