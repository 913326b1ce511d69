"""How the page looks and behaves, in a real browser."""

import itertools
import re

import numpy as np
import pytest

from fruler.explain.report import write_report
from fruler.rules import FuzzyPartition, RuleBase, Variable

MODELS = ["weather_rules", "handmade", "curved", "large", "mamdani", "own_sets"]


@pytest.fixture(scope="session")
def weather_rules(weather_model):
    return weather_model.rule_base_


@pytest.fixture
def opened(browser, tmp_path):
    """Open the report of a rule base in a window of some width."""
    contexts = []

    def open_page(rule_base, width=1280, rows=(), **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 844}, **options))
        page = contexts[-1].new_page()
        page.goto(write_report(tmp_path / "report.html", rule_base, *rows).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(opened, request, name, width):
    page = opened(request.getfixturevalue(name), width)
    for details in page.locator("details > summary").all()[:4]:
        details.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_names_run_no_scripts(opened, handmade):
    page = opened(handmade)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main b").get_by_text("bold", exact=True).count() == 0
    assert page.get_by_label("<script>window.hacked = 1</script> °C", exact=True).count() == 1


@pytest.mark.parametrize("name", ["handmade", "curved", "mamdani", "own_sets"])
def test_every_control_and_picture_has_a_name(opened, request, name):
    page = opened(request.getfixturevalue(name))
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, svg:not([aria-hidden])")]
            .filter(element => !(element.labels && element.labels.length))
            .filter(element => !element.getAttribute("aria-label") && !element.textContent.trim())
            .map(element => element.outerHTML)"""
    )
    assert unnamed == []
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(heading => Number(heading.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_focus_can_be_seen(opened, weather_rules):
    page = opened(weather_rules)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the sliders"
    for _ in range(6):
        page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["weather_rules", "curved"])
def test_text_stands_out_from_its_ground_in_light_and_dark(opened, request, name, scheme):
    page = opened(request.getfixturevalue(name), color_scheme=scheme)
    page.locator("#box-0").fill("99")
    contrasts = page.evaluate(
        """() => {
            const light = text => {
                const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(Number)
                    .map(c => c / 255).map(c => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const ground = element => {
                for (let at = element; at; at = at.parentElement) {
                    const colour = getComputedStyle(at).backgroundColor;
                    if (!colour.endsWith(", 0)")) return colour;
                }
            };
            const found = {};
            for (const element of document.querySelectorAll("main *, header *")) {
                const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest("svg")) continue;
                const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
                found[`${element.tagName}.${element.className}`] = (a + 0.05) / (b + 0.05);
            }
            return found;
        }"""
    )
    assert len(contrasts) > 20
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}


def test_dark_is_dark(opened, weather_rules):
    grounds = [
        opened(weather_rules, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert grounds == ["rgb(255, 255, 255)", "rgb(22, 25, 29)"]


def test_everything_on_paper_has_rules_unfolded_and_no_sliders(opened, large):
    page = opened(large)
    assert not page.locator("#rule-1 .conditions").is_visible()
    page.emulate_media(media="print")
    # Instead of a printer.
    page.evaluate("window.print = () => window.dispatchEvent(new Event('beforeprint'))")
    page.evaluate("document.querySelector('button[data-print=all]').click()")
    assert page.locator("#rule-1 .conditions").is_visible()
    assert page.locator("#rule-40 .condition svg").first.is_visible()
    assert not page.locator("#what-if").is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not page.locator("#rule-1 .conditions").is_visible()
    assert page.locator("html").get_attribute("class") == ""


@pytest.mark.parametrize("name", ["weather_rules", "curved", "mamdani", "own_sets", "strong_labels"])
def test_a_small_model_is_printed_on_one_page(opened, request, name):
    page = opened(request.getfixturevalue(name))
    pdf = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    page.emulate_media(media="print")
    for part in ("#glance .story", "#matters .effects", "#rules .side", "#origin"):
        assert page.locator(part).first.is_visible()
    for part in ("#what-if", "#inputs", "#rule-1"):
        assert not page.locator(part).is_visible()


def test_a_rule_that_speaks_leads_to_its_card(opened, weather_rules):
    page = opened(weather_rules)
    link = page.locator("#fired a").first
    number = link.inner_text().removeprefix("Rule ")
    link.click()
    assert page.url.endswith(f"#rule-{number}")
    card = page.locator(f"#rule-{number}")
    # The page scrolls there smoothly; on a busy machine that takes longer.
    for _ in range(600):
        if 0 <= card.bounding_box()["y"] < 400:
            break
        page.wait_for_timeout(100)
    # The card is open.
    assert page.locator(f"#rule-{number} .conditions").is_visible()
    assert 0 <= card.bounding_box()["y"] < 400


def test_errors_are_shown_by_the_chosen_column(opened, weather_model, weather):
    page = opened(weather_model.rule_base_, rows=(weather.data, weather.target))
    assert page.locator("table.groups:visible").count() == 1
    page.get_by_label("Errors by").select_option(label="humidity")
    (table,) = page.locator("table.groups:visible").all()
    assert table.get_attribute("data-by") == "humidity"
    assert table.locator("tbody tr").count() == 4


def test_twenty_rules_are_short_on_a_phone(opened):
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 20.0, 4000)
    X = np.column_stack([x, rng.normal(size=(4000, 8))])
    splits = [float(k) for k in range(1, 20)]
    inputs = [Variable("hour", FuzzyPartition(splits, (0.0, 20.0), 0.2))]
    inputs += [Variable(f"x{j}", FuzzyPartition([], (-4.0, 4.0))) for j in range(8)]
    antecedents = [[[rule, rule], *[[0, 0]] * 8] for rule in range(20)]
    rules = RuleBase(inputs, antecedents, rng.normal(size=(20, 10)))
    rules = rules.with_training(X, rules.predict(X) + rng.normal(size=4000))
    page = opened(rules, 390, (X, rules.predict(X)))
    assert page.locator(".side thead th").count() == 21
    assert page.evaluate("document.documentElement.scrollHeight") <= 12_000
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
