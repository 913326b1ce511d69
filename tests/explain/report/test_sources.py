"""Pages name what inputs stand for: dates and categories, no and yes; moved and read in a real browser."""

import datetime
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from helpers.dated_rules import ORIGINS, dated_rules, dated_table

from fruler._table.date_sources import WEEKDAYS, CycleSource, TrendSource
from fruler._table.sources import LevelSource
from fruler._wording import with_minus
from fruler.explain._conditions import condition
from fruler.explain._told import told as rows_of
from fruler.explain.report import report_html, write_report
from fruler.rules import FuzzyPartition, RuleBase, Variable

RULES = dated_rules()
NUMBER = {name: j for j, name in enumerate(RULES.names)}
DATED = ("sold", "day of year", "hour")


def told(page):
    """Return what a reader sees, without styles, scripts and tags."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", bare))).replace("\u00a0", " ")


@pytest.fixture
def page(browser, tmp_path):
    """Open the report; errors of scripts make the test fail."""
    # Far from UTC, and with a summer time: dates must not depend on where a page is read.
    context = browser.new_context(timezone_id="America/St_Johns")
    trouble = []

    def opened(rule_base=RULES, *rows):
        one = context.new_page()
        one.on("pageerror", lambda error: trouble.append(str(error)))
        one.goto(write_report(tmp_path / "report.html", rule_base, *rows).as_uri())
        for summary in one.locator(".date-parts > summary").all():
            summary.click()
        return one

    yield opened
    context.close()
    assert trouble == []


def at_moment(row, moment):
    """Return a row with all that comes from a date."""
    row = np.array(row)
    for name in (*DATED, "weekday"):
        row[NUMBER[name]] = RULES.variables[NUMBER[name]].source.numbers(pd.Series([moment]))[0]
    return row


def start_row():
    """Return the typical row, with the date that its passed time and its hour tell."""
    typical = RULES.training.typical
    day = pd.Timestamp(RULES.variables[0].written(typical[0]))
    return at_moment(typical, day + pd.Timedelta(RULES.variables[2].written(typical[2]) + ":00"))


def predicted(page):
    return float(page.locator("#prediction").get_attribute("data-value"))


def written(page, name):
    return page.locator(f'.input[data-input="{NUMBER[name]}"] .written').inner_text()


def slide(page, name, value):
    page.locator(f"#slider-{NUMBER[name]}").fill(repr(float(value)))


def test_sliders_of_dates_show_dates_and_have_no_box(page):
    shown = page()
    for name in DATED:
        j = NUMBER[name]
        assert not shown.locator(f"#box-{j}").is_visible()
        assert written(shown, name) == RULES.variables[j].written(start_row()[j])
    slide(shown, "day of year", 43.0)
    assert written(shown, "day of year") == "14 Dec"
    assert shown.locator(f"#slider-{NUMBER['day of year']}").get_attribute("aria-valuetext") == (
        "day of year = 14 Dec, 1 Nov to 20 Feb 100%"
    )
    assert "day of year = 14 Dec" in shown.locator("#waterfall").inner_text()
    slide(shown, "hour", 0.25)
    assert written(shown, "hour") == "22:15"
    slide(shown, "sold", RULES.variables[0].source.numbers(pd.Series(["2019-03-03"]))[0])
    assert written(shown, "sold") == "3 Mar 2019"
    row = start_row()
    for name in DATED:
        row[NUMBER[name]] = float(shown.locator(f"#box-{NUMBER[name]}").input_value())
    assert shown.locator("#box-0").is_hidden()
    found = float(shown.locator("#prediction").get_attribute("data-value"))
    assert found == pytest.approx(RULES.predict(row[None])[0], abs=1e-3)


def test_the_page_writes_dates_as_the_rules_do(page):
    """Of moments all over the calendar, with halves of days and minutes, where rounding decides."""
    shown, rng = page(), np.random.default_rng(0)
    sources = [
        CycleSource("d", "day of year", 305.0),
        CycleSource("d", "day of year", 0.0),
        CycleSource("d", "hour", 22.25),
        TrendSource("d", datetime.datetime(2015, 1, 1), "years"),
        TrendSource("d", datetime.datetime(1899, 12, 30), "days"),
        TrendSource("d", datetime.datetime(2019, 3, 30, 14), "hours"),
    ]
    for source in sources:
        numbers = np.concatenate([rng.uniform(-400, 800, 200), np.arange(-20, 400) / 2.0, np.arange(200) / 120.0])
        if isinstance(source, CycleSource):
            data = {"kind": source.kind, "cycle": source.cycle, "start": source.start}
        else:
            data = {"kind": source.kind, "unit": source.unit, "start": source.start.isoformat()}
        found = shown.evaluate(
            "([source, numbers]) => numbers.map(number => writtenDate(source, number))", [data, numbers.tolist()]
        )
        assert found == [source.written(number) for number in numbers]
    assert shown.evaluate("[writtenDate(undefined, 1), writtenDate({ kind: 'category' }, 1)]") == [None, None]


def test_arrow_keys_reach_every_day_and_quarter_of_an_hour(page):
    shown = page()
    slide(shown, "day of year", 100.0)
    slider = shown.locator(f"#slider-{NUMBER['day of year']}")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"):
        slider.press(key)
        seen.append(written(shown, "day of year"))
    assert seen == ["10 Feb", "11 Feb", "12 Feb", "11 Feb", "10 Feb"]
    slide(shown, "hour", 1.0)
    shown.locator(f"#slider-{NUMBER['hour']}").press("ArrowLeft")
    assert written(shown, "hour") == "22:45"
    slider.press("End")
    slider.press("ArrowRight")
    assert written(shown, "day of year") == RULES.variables[1].written(RULES.training.high[1])
    assert "Outside" not in shown.locator("#flag").text_content()


@pytest.mark.parametrize(
    ("name", "options"),
    [("weekday", list(WEEKDAYS)), ("origin", ORIGINS), ("size is missing", ["no", "yes"])],
)
def test_values_are_chosen_by_name(page, name, options):
    shown = page()
    j = NUMBER[name]
    select = shown.locator(f"#slider-{j}")
    assert select.locator("option").all_inner_texts()[:-1] == options
    assert not shown.locator(f"#box-{j}").is_visible()
    numbers = dict(RULES.variables[j].choices)
    for option in options:
        select.select_option(label=option)
        row = start_row()
        row[j] = numbers[option]
        assert predicted(shown) == pytest.approx(RULES.predict(row[None])[0], abs=1e-9)
        assert select.evaluate("one => one.options[one.selectedIndex].text") == option


def test_the_inputs_of_a_column_of_categories_have_one_control(page):
    shown = page()
    select = shown.locator(f"#slider-{NUMBER['fuel=gas']}")
    assert shown.get_by_label("fuel", exact=True).count() == 1
    assert shown.locator(f"#slider-{NUMBER['fuel=oil']}").count() == 0
    assert select.locator("option").all_inner_texts()[:-1] == ["gas", "oil", "sun"]
    for option, values in (("gas", (1.0, 0.0)), ("sun", (0.0, 0.0)), ("oil", (0.0, 1.0))):
        select.select_option(label=option)
        row = start_row()
        row[[NUMBER["fuel=gas"], NUMBER["fuel=oil"]]] = values
        assert predicted(shown) == pytest.approx(RULES.predict(row[None])[0], abs=1e-9)
        assert f"fuel: {option}" in shown.locator("#waterfall").inner_text()


def test_one_date_sets_all_that_comes_from_it(page):
    shown = page()
    box = shown.get_by_label("sold", exact=True).first
    for moment in ("2019-03-03T14:30", "2016-02-29T00:00", "2020-12-26T23:59"):
        box.fill(moment)
        row = at_moment(start_row(), pd.Timestamp(moment))
        assert predicted(shown) == pytest.approx(RULES.predict(row[None])[0], abs=1e-6)
        weekday = shown.locator(f"#slider-{NUMBER['weekday']}")
        assert weekday.evaluate("one => one.options[one.selectedIndex].text") == pd.Timestamp(moment).day_name()
        for name in DATED:
            assert written(shown, name) == RULES.variables[NUMBER[name]].written(row[NUMBER[name]])
    box.fill("2031-01-01T12:00")
    assert "sold" in shown.locator("#flag").inner_text()


def test_a_row_shows_its_date_and_parts_that_fit_no_date_show_none(page):
    table = dated_table()
    y = RULES.predict(table)
    shown = page(RULES, table, y)
    box = shown.locator(".date-box")
    shown.get_by_role("button", name="Highest observed").click()
    assert box.input_value() == table["sold"].iloc[int(np.argmax(y))].strftime("%Y-%m-%dT%H:%M")
    assert predicted(shown) == pytest.approx(y.max(), abs=1e-9)
    assert not shown.locator(".date-note").is_visible()
    weekday = shown.locator(f"#slider-{NUMBER['weekday']}")
    other = next(day for day in WEEKDAYS if day != weekday.evaluate("one => one.options[one.selectedIndex].text"))
    weekday.select_option(label=other)
    assert box.input_value() == ""
    assert shown.locator(".date-note").is_visible()
    for _ in range(5):
        shown.get_by_role("button", name="Random row").click()
        assert box.input_value() != ""


def test_without_the_time_that_has_passed_a_date_is_found_too(page):
    keep = [NUMBER[name] for name in ("day of year", "weekday")]
    variables = [RULES.variables[j] for j in keep]
    rules = RuleBase(variables, [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[1.0, 0.02, 1.0], [2.0, 0.01, 2.0]])
    values = RULES.inputs_of(dated_table())[:, keep]
    shown = page(rules.with_training(values, rules.predict(values)))
    box = shown.locator(".date-box")
    for _ in range(10):
        shown.get_by_role("button", name="Random row").click()
        row = pd.Timestamp(box.input_value())
        inputs = np.array([variable.source.numbers(pd.Series([row]))[0] for variable in variables])
        assert predicted(shown) == pytest.approx(
            rules.predict(np.floor(inputs[None]) * [1, 0] + inputs * [0, 1])[0], abs=0.1
        )
    box.fill("2024-02-29")
    inputs = np.array([variable.source.numbers(pd.Series(["2024-02-29"]))[0] for variable in variables])
    assert predicted(shown) == pytest.approx(rules.predict(inputs[None])[0], abs=1e-9)


def test_what_is_missing_is_told_as_in_explanations(page):
    shown = page()
    select = shown.locator(f"#slider-{NUMBER['size is missing']}")
    for option, words in (("yes", "size is missing"), ("no", "size is present")):
        select.select_option(label=option)
        row = start_row()
        row[-1] = float(option == "yes")
        assert words in str(RULES.explain(row[None]))
        assert words in shown.locator("#waterfall .name").all_inner_texts()


def test_of_two_categories_with_one_number_the_chosen_one_stays(page):
    kind = LevelSource("kind", ["a", "b", "c"], [0.5, 0.5, 2.0])
    x = Variable("kind", FuzzyPartition([], (0.0, 2.0)), source=kind)
    rules = RuleBase([x], [[[0, 0]]], [[1.0, 2.0]])
    shown = page(rules.with_training([[0.5], [0.5], [2.0]], [1.0, 2.0, 6.0]))
    for option in ("b", "c", "a", "b"):
        shown.locator("#slider-0").select_option(label=option)
        assert shown.locator("#slider-0").evaluate("one => one.options[one.selectedIndex].text") == option
        assert f"kind: {option}" in shown.locator("#waterfall").inner_text()


def test_rules_are_told_as_they_are_printed():
    page = report_html(RULES)
    text = told(page)
    for rule in range(RULES.n_rules):
        assert with_minus(condition(RULES, rule)).replace("\u00a0", " ") in text
    for head, cells in rows_of(RULES).rows:
        assert with_minus(f"{head} {' '.join(filter(None, cells))}").replace("\u00a0", " ") in text
    assert 'aria-label="1 Nov to 20 Feb"' in page
    # Categories are chips, those that are accepted filled.
    for chip in ('<span class="chip on">europe</span>', '<span class="chip">usa</span>'):
        assert chip in page
    for chip in ('<span class="chip on">present</span>', '<span class="chip on">gas</span>'):
        assert chip in page


def test_tables_and_pictures_have_dates():
    page = report_html(RULES)
    training = RULES.training
    for name in DATED:
        j = NUMBER[name]
        ends = [RULES.variables[j].written(getattr(training, end)[j]) for end in ("low", "typical", "high")]
        assert f'<td class="number">{ends[0]}</td><td class="number">{ends[1]}</td><td class="number">{ends[2]}' in page
    ticks = re.findall(r'<p class="ticks".*?</p>', page)
    assert ">20 Feb</span>" in ticks[0]


def test_rows_of_a_table_may_have_text_dates_and_gaps(page):
    table = dated_table()
    y = RULES.predict(table)
    shown = page(RULES, table, y)
    shown.get_by_role("button", name="Highest observed").click()
    row = table.iloc[[int(np.argmax(y))]]
    origin = shown.locator(f"#slider-{NUMBER['origin']}")
    assert origin.evaluate("one => one.options[one.selectedIndex].text") == row["origin"].iloc[0]
    assert written(shown, "day of year") == RULES.variables[1].written(RULES.inputs_of(row)[0, 1])
    assert float(shown.locator("#prediction").get_attribute("data-value")) == pytest.approx(y.max(), abs=1e-9)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_runs_out_of_the_page(browser, tmp_path, width):
    context = browser.new_context(viewport={"width": width, "height": 844})
    shown = context.new_page()
    shown.goto(write_report(tmp_path / "report.html", RULES).as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    covered = shown.evaluate(
        """() => [...document.querySelectorAll(".ticks")].flatMap(ticks => {
            const boxes = [...ticks.querySelectorAll("span:not(.hidden)")].map(one => one.getBoundingClientRect());
            return boxes.slice(1).filter((box, k) => box.left < boxes[k].right).length ? [ticks.innerText] : [];
        })"""
    )
    assert covered == []
    context.close()


def test_notebooks_have_dates_and_categories():
    text = told(RULES._repr_html_())
    assert "1 Nov to 20 Feb" in text
    assert "europe or japan" in text
    assert "of origin" not in text
    assert "of weekday" not in text
