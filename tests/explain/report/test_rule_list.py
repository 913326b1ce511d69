"""Many rules are searched, sorted and grouped; in a real browser."""

import numpy as np
import pytest

from fruler.explain._effects import typical_outputs
from fruler.explain.report import write_report


@pytest.fixture
def page(browser, tmp_path, large):
    one = browser.new_page()
    one.goto(write_report(tmp_path / "report.html", large).as_uri())
    yield one
    one.close()


def shown(page):
    return [int(text.removeprefix("Rule ")) for text in page.locator(".rule:visible .rule-name").all_inner_texts()]


def test_few_rules_have_no_tools(browser, tmp_path, weather_model):
    one = browser.new_page()
    one.goto(weather_model.report(path=tmp_path / "report.html").as_uri())
    assert one.locator("#rule-tools").count() == 0
    one.close()


def test_rules_are_searched_by_their_words(page, large):
    assert shown(page) == list(range(1, 41))
    assert page.locator("#rules-shown").inner_text() == "All 40 rules are shown."
    page.get_by_label("Rules with the words").fill("sensor_20 is high")
    looks_at = [
        rule + 1
        for rule, asked in enumerate(large.rules)
        if asked.antecedent.get("sensor_20") == large.variables[20].partition.labels[-1:]
    ]
    assert shown(page)
    assert set(looks_at) <= set(shown(page)) < set(range(1, 41))
    assert page.locator("#rules-shown").inner_text() == f"{len(shown(page))} of 40 rules are shown."
    page.get_by_label("Rules with the words").fill("rule 17")
    assert 17 in shown(page)
    page.get_by_label("Rules with the words").fill("no such words")
    assert shown(page) == []


def test_rules_are_sorted(page, large):
    for order, keys in (
        ("output, highest first", typical_outputs(large)),
        ("rows, most first", large.support),
        ("importance, most first", large.training.rule_importance),
        ("error alone, largest first", np.nan_to_num(large.training.truth.rule_alone)),
    ):
        page.get_by_label("sorted by").select_option(label=order)
        sorted_keys = np.asarray(keys)[np.array(shown(page)) - 1]
        assert (np.diff(sorted_keys) <= 1e-5 * np.abs(sorted_keys).max()).all()
        assert shown(page) != list(range(1, 41))
    page.get_by_label("sorted by").select_option(label="number")
    assert shown(page) == list(range(1, 41))


def test_rules_are_grouped_by_what_they_ask(page, large):
    subject = page.locator("#rule-group option").nth(1).inner_text()
    page.get_by_label("grouped by").select_option(label=subject)
    headings = page.locator(".rule-heading").all_inner_texts()
    asked = [rule.antecedent.get(subject) for rule in large.rules]
    assert len(headings) == len(set(asked))
    assert headings[-1] == f"any {subject} {asked.count(None)} rules"
    assert sorted(shown(page)) == list(range(1, 41))
    assert shown(page)[-asked.count(None) :] == [rule + 1 for rule in range(40) if asked[rule] is None]
    page.get_by_label("grouped by").select_option(label="nothing")
    assert page.locator(".rule-heading").count() == 0
    assert shown(page) == list(range(1, 41))


def test_a_link_to_a_rule_that_is_left_out_shows_it(page):
    page.get_by_label("Rules with the words").fill("no such words")
    assert shown(page) == []
    link = page.locator("#fired a:visible").first
    number = int(link.inner_text().removeprefix("Rule "))
    # By the keyboard: the page has just become shorter, and a busy browser may scroll away from under a pointer.
    link.press("Enter")
    page.wait_for_url(f"**#rule-{number}")
    page.locator(f"#rule-{number}").wait_for(state="visible")
    assert page.locator("#rule-search").input_value() == ""
