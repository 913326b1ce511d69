"""The arithmetic in the page is that of the rule base: its sliders and boxes are moved in a real browser."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.report_models import handmade_rules

from fruler import FuzzyRuleRegressor
from fruler._table.sources import LevelSource
from fruler.explain.report import write_report
from fruler.rules import FuzzyPartition, Output, RuleBase, Variable
from fruler.rules._partitions import NominalPartition

TRIANGLES = ["mamdani", "own_sets", "own_sets_with_labels", "strong_labels"]
MODELS = ["weather_rules", "paper_rules", "handmade", "handmade_minimum", "curved", "large", *TRIANGLES]
N_ROWS = 30


@pytest.fixture(scope="session")
def weather_rules(weather_model):
    return weather_model.rule_base_


@pytest.fixture(scope="session")
def paper_rules(paper_model):
    return paper_model.rule_base_


@pytest.fixture
def open_report(browser, tmp_path):
    """Open the report of a rule base; script errors and anything that is loaded make the test fail."""
    context = browser.new_context()
    trouble = []

    def opened(rule_base, *rows, **options):
        path = write_report(tmp_path / "report.html", rule_base, *rows, **options)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("request", lambda request: request.url.startswith("file:") or trouble.append(request.url))
        page.goto(path.as_uri())
        for summary in page.locator(".more-inputs > summary").all():
            summary.click()
        return page

    yield opened
    context.close()
    assert trouble == []


def random_rows(rule_base, n, seed):
    """Return rows inside and outside the domain, with some values just where labels begin, meet and end."""
    rng = np.random.default_rng(seed)
    training = rule_base.training
    room = (training.high - training.low) * rng.choice([0.0, 0.5], size=(n, 1))
    rows = rng.uniform(training.low - room, training.high + room)
    for j, variable in enumerate(rule_base.antecedents.condition_inputs):
        partition = variable.partition
        points = partition.triangles[np.isfinite(partition.triangles)]
        if len(points):
            at = rng.uniform(size=n) < 0.2
            rows[at, j] = rng.choice(points, at.sum())
        if isinstance(partition, NominalPartition):
            rows[:, j] = rng.choice([*(code for group in partition.groups for code in group), 77.0], n)
        elif partition.split_points:
            splits = np.asarray(partition.split_points)
            telling = np.concatenate([splits, splits - partition.half_widths, splits + partition.half_widths])
            at = rng.uniform(size=n) < 0.2
            rows[at, j] = rng.choice(telling, at.sum())
    for curve in rule_base.curves:
        splits, halves = np.asarray(curve.partition.split_points), curve.partition.half_widths
        telling = np.concatenate([splits, splits - halves, splits + halves])
        at = rng.uniform(size=n) < 0.2
        rows[at, curve.input] = rng.choice(telling, at.sum())
    return rows


def type_row(page, row):
    """Type into all boxes; many times as fast as a call a box."""
    page.evaluate(
        """texts => texts.forEach((text, j) => {
            const box = document.getElementById(`box-${j}`);
            box.value = text;
            box.dispatchEvent(new Event("input", { bubbles: true }));
        })""",
        [repr(float(value)) for value in row],
    )


def shown_by(page):
    """Return the prediction, the parts and whether a rule fired, in full precision."""
    return page.evaluate(
        """() => ({
            prediction: Number(document.getElementById("prediction").dataset.value),
            fired: document.getElementById("prediction").dataset.fired === "true",
            parts: [...document.querySelectorAll(".input")]
                .sort((a, b) => a.dataset.input - b.dataset.input)
                .map(input => Number(input.querySelector(".adds").dataset.value)),
        })"""
    )


def assert_same(page, rule_base, row, share=1e-9):
    shown = shown_by(page)
    why = rule_base.explain(row[None])
    tolerance = share * rule_base.training.target_spread
    assert abs(shown["prediction"] - rule_base.predict(row[None])[0]) <= tolerance
    assert np.abs(np.array(shown["parts"]) - why.contributions[0]).max() <= tolerance
    assert shown["fired"] == why.fired[0]
    return why


@pytest.mark.parametrize("name", MODELS)
def test_numbers_typed_into_the_boxes_give_the_predictions_of_the_rule_base(open_report, request, name):
    rule_base = request.getfixturevalue(name)
    page = open_report(rule_base)
    assert_same(page, rule_base, rule_base.training.typical)
    # Forty boxes and rules take a busy machine seconds.
    for row in random_rows(rule_base, N_ROWS, seed=0)[: 5 if name == "large" else N_ROWS]:
        type_row(page, row)
        why = assert_same(page, rule_base, row)
        flag = page.locator("#flag").inner_text() if page.locator("#flag").is_visible() else ""
        assert ("No rule fits" in flag) == (not why.fired[0])
        assert ("Outside the range" in flag) == bool(why.outside.any())


def test_the_rows_typed_above_are_of_all_kinds(handmade, handmade_minimum):
    for rule_base in (handmade, handmade_minimum):
        why = rule_base.explain(random_rows(rule_base, N_ROWS, seed=0))
        assert 0 < why.fired.sum() < len(why)
        assert 0 < why.outside.any(axis=1).sum() < len(why)
        assert ((why.activations > 0.0).sum(axis=1) > 1).any()


@pytest.mark.parametrize("name", ["weather_rules", "handmade", "curved"])
def test_sliders_give_the_predictions_of_the_rule_base(open_report, request, name):
    rule_base = request.getfixturevalue(name)
    page = open_report(rule_base)
    training, rng = rule_base.training, np.random.default_rng(1)
    for _ in range(3):
        for j, variable in enumerate(rule_base.variables):
            slider = page.locator(f"#slider-{j}")
            if isinstance(variable.partition, NominalPartition):
                slider.select_option(index=int(rng.integers(4)))
            else:
                slider.fill(repr(float(rng.uniform(training.low[j], training.high[j]))))
        row = np.array([float(page.locator(f"#box-{j}").input_value()) for j in range(len(training.low))])
        assert ((row >= training.low) & (row <= training.high)).all()
        assert_same(page, rule_base, row)


def test_sliders_moved_over_a_hundred_rows(open_report, weather_rules):
    page = open_report(weather_rules)
    training = weather_rules.training
    rows = np.random.default_rng(2).uniform(training.low, training.high, (100, len(training.low)))
    for wanted in rows:
        boxes = page.evaluate(
            """values => values.map((value, j) => {
                const slider = document.getElementById(`slider-${j}`);
                slider.value = value;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                return Number(document.getElementById(`box-${j}`).value);
            })""",
            wanted.tolist(),
        )
        row = np.array(boxes)
        # A slider moves in steps.
        assert np.abs((row - wanted) / (training.high - training.low)).max() < 0.02
        assert_same(page, weather_rules, row)


def test_a_slider_follows_the_keyboard_and_shows_the_degrees_of_its_labels(open_report, weather_rules):
    page = open_report(weather_rules)
    before = float(page.locator("#box-0").input_value())
    page.locator("#slider-0").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    value = float(page.locator("#box-0").input_value())
    assert before < value < before + 0.1 * (weather_rules.training.high[0] - weather_rules.training.low[0])
    row = weather_rules.training.typical.copy()
    row[0] = value
    assert_same(page, weather_rules, row)
    low, high = weather_rules.variables[0].partition.degrees([value])[0]
    assert page.locator('.input[data-input="0"] .degrees').inner_text() == f"low {low:.0%} · high {high:.0%}"
    at = page.locator('.input[data-input="0"] .marker').evaluate("marker => parseFloat(marker.style.left)")
    extent = weather_rules.training.high[0] - weather_rules.training.low[0]
    assert at == pytest.approx(100 * (value - weather_rules.training.low[0]) / extent, abs=1e-3)


@pytest.mark.parametrize(("key", "end"), [("Home", "low"), ("End", "high")])
def test_sliders_end_just_where_the_training_data_do(open_report, handmade, key, end):
    page = open_report(handmade)
    row = handmade.training.typical.copy()
    for j in (0, 2, 3):
        page.locator(f"#slider-{j}").press(key)
        row[j] = getattr(handmade.training, end)[j]
    assert_same(page, handmade, row)
    assert "Outside" not in page.locator("#flag").text_content()


def test_the_parts_shown_add_up_from_the_mean_prediction_to_the_prediction(open_report, weather_rules, weather):
    page = open_report(weather_rules, weather.data, weather.target)
    page.get_by_role("button", name="Highest observed").click()
    texts = page.locator("#waterfall .line:visible .value").all_inner_texts()
    first, *parts, last = [float(text.replace("−", "-")) for text in texts]
    assert first == pytest.approx(weather_rules.training.base, abs=0.01)
    assert first + sum(parts) == pytest.approx(last, abs=0.01 * len(texts))
    row = weather.data.to_numpy()[int(np.argmax(weather.target))]
    assert last == pytest.approx(weather_rules.predict(row[None])[0], abs=0.01)
    assert page.locator("#observed").inner_text() == f"observed: {weather.target.max():.2f}"


def test_rules_that_fire_are_listed_by_their_weight(open_report, weather_rules):
    page = open_report(weather_rules)
    weights = weather_rules.activations(weather_rules.training.typical[None])[0][0]
    order = [r for r in np.argsort(-weights) if weights[r] >= 0.005]
    lines = page.locator("#fired .line:visible")
    for place, rule in enumerate(order):
        assert lines.nth(place).locator("a").inner_text() == f"Rule {rule + 1}"
        assert lines.nth(place).locator(".value").inner_text().startswith(f"{weights[rule]:.0%}")


def test_what_a_rule_says_includes_the_curves(open_report, curved):
    page = open_report(curved)
    typical = curved.training.typical[None]
    said, weights = curved.rule_outputs(typical)[0], curved.activations(typical)[0][0]
    first = int(np.argmax(weights))
    text = page.locator("#fired .line:visible .value").first.inner_text()
    number = text.split("says ")[1].removesuffix("\u00a0m³/s").replace("−", "-")
    assert float(number) == pytest.approx(said[first], abs=0.01 * curved.training.target_spread)
    alone = curved.slopes[first] @ typical[0] + curved.consequents.intercepts[first]
    assert abs(said[first] - alone) > 0.1 * curved.training.target_spread


def test_buttons_set_whole_rows(open_report, handmade):
    page = open_report(handmade)
    page.locator("#box-0").fill("99")
    assert page.locator("#flag").is_visible()
    page.get_by_role("button", name="Typical row").click()
    assert_same(page, handmade, handmade.training.typical)
    seen = set()
    for _ in range(5):
        page.get_by_role("button", name="Random row").click()
        row = np.array([float(page.locator(f"#box-{j}").input_value()) for j in range(4)])
        # Where a slider stands at its end, the box shows the end rounded.
        assert_same(page, handmade, row, 1e-4)
        assert "Outside" not in page.locator("#flag").text_content()
        seen.add(tuple(row))
    assert len(seen) == 5


def test_categories_are_chosen_by_name(open_report):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": rng.choice(["a", "b", "c", "d"], 300), "size": rng.uniform(-1.0, 1.0, 300)})
    turned = table["kind"].isin(["c", "d"])
    y = table["kind"].map({"a": 0.0, "b": 2.0, "c": 5.0, "d": 9.0}) + np.where(turned, -3.0, 3.0) * table["size"]
    model = FuzzyRuleRegressor(random_state=0).fit(table, y + 0.1 * rng.normal(size=300))
    rules = model.rule_base_
    page = open_report(rules)
    number = rules.names.index("kind")
    select = page.locator(f"#slider-{number}")
    size = rules.training.typical[rules.names.index("size")]
    for kind in "dabc":
        select.select_option(label=kind)
        found = float(page.locator("#prediction").get_attribute("data-value"))
        assert found == pytest.approx(model.predict(pd.DataFrame({"kind": [kind], "size": [size]}))[0], rel=1e-9)
        assert f"kind: {kind}" in page.locator("#waterfall").inner_text()
    assert not page.locator(f"#box-{number}").is_visible()
    # Rules are read as they are printed.
    assert "kind is c or d" in page.locator("#rules").inner_text()
    chips = page.locator(".condition").first.locator(".chip").all_text_contents()
    assert sorted(chips) == ["a", "b", "c", "d"]
    seen = set()
    for _ in range(30):
        page.get_by_role("button", name="Random row").click()
        seen.add(select.evaluate("one => one.options[one.selectedIndex].text"))
    assert seen == {"a", "b", "c", "d"}


def test_of_the_categories_of_a_column_just_one_is_chosen(open_report):
    rng = np.random.default_rng(0)
    colour = rng.choice(3, 90, p=[0.25, 0.35, 0.4])
    X = np.column_stack([rng.uniform(0, 9, 90), *(colour == code for code in range(3))])
    names = ["size", "colour=red", "colour=green", "colour=blue"]
    levels = [name.removeprefix("colour=") for name in names[1:]]
    sources = [None, *(LevelSource.indicator("colour", levels, level) for level in levels)]
    variables = [
        Variable(name, FuzzyPartition([], (0.0, 9.0 if source is None else 1.0)), source=source)
        for name, source in zip(names, sources, strict=True)
    ]
    rules = RuleBase(variables, np.zeros((1, 4, 2), dtype=int), [[1.0, 2.0, 30.0, 40.0, 50.0]])
    rules = rules.with_training(X, rules.predict(X))
    page = open_report(rules)

    select = page.locator("#slider-1")
    assert select.locator("option").all_inner_texts()[:-1] == ["red", "green", "blue"]
    assert page.locator(".input").count() == 2
    assert page.get_by_label("colour", exact=True).count() == 1

    def assert_chosen(colour):
        chosen = ["red", "green", "blue"].index(colour)
        row = np.array([rules.training.typical[0], *np.eye(3)[chosen]])
        why = rules.explain(row[None])
        found = float(page.locator("#prediction").get_attribute("data-value"))
        assert found == pytest.approx(rules.predict(row[None])[0], abs=1e-9)
        # The three inputs are one bar.
        adds = float(page.locator('.input[data-input="1"] .adds').get_attribute("data-value"))
        assert adds == pytest.approx(why.contributions[0, 1:].sum(), abs=1e-9)
        names = page.locator("#waterfall .line:visible .name").all_inner_texts()
        assert [name for name in names if "colour" in name] == [f"colour: {colour}"]

    # The typical row has none of them; the commonest is taken.
    assert rules.training.typical[1:].tolist() == [0.0, 0.0, 0.0]
    assert_chosen("blue")
    for colour in ("red", "blue", "green"):
        select.select_option(label=colour)
        assert_chosen(colour)
    seen = set()
    for _ in range(30):
        page.get_by_role("button", name="Random row").click()
        seen.add(select.evaluate("one => one.options[one.selectedIndex].text"))
    assert seen == {"red", "green", "blue"}
    page.get_by_role("button", name="Typical row").click()
    assert_chosen("blue")


@pytest.mark.parametrize("name", ["weather_rules", "curved", *TRIANGLES])
def test_the_strongest_rule_stands_beside_the_model(open_report, request, name):
    rule_base = request.getfixturevalue(name)
    page = open_report(rule_base)
    gaps = set()
    for row in random_rows(rule_base, 12, seed=3):
        type_row(page, row)
        strongest = int(np.argmax(rule_base.activations(row[None])[0][0]))
        said, predicted = rule_base.rule_outputs(row[None])[0, strongest], rule_base.predict(row[None])[0]
        assert page.locator("#strongest").inner_text() == f"Rule {strongest + 1}"
        assert page.locator("#strongest").get_attribute("href") == f"#rule-{strongest + 1}"
        found = float(page.locator("#alone").get_attribute("data-value"))
        assert found == pytest.approx(said, abs=1e-9 * rule_base.training.target_spread)
        gap = page.locator("#gap").inner_text()
        small = abs(said - predicted) < 0.002 * rule_base.training.target_spread
        assert gap.endswith("the same" if small else "higher" if said > predicted else "lower")
        gaps.add(gap)
    assert len(gaps) > 1


def test_one_rule_has_nothing_beside_it(open_report, weather_model):
    page = open_report(weather_model.with_rules(1).rule_base_)
    assert page.locator("#alone").count() == 0


def test_sets_have_the_names_of_their_labels(open_report, weather_rules):
    page = open_report(weather_rules)
    names = page.locator('.input[data-input="0"] .set-names span')
    assert names.all_inner_texts() == ["low", "high"]
    low, high = (names.nth(k).evaluate("name => parseFloat(name.style.left)") for k in (0, 1))
    split = weather_rules.variables[0].partition.split_points[0]
    training = weather_rules.training
    at = 100 * (split - training.low[0]) / (training.high[0] - training.low[0])
    assert low < at < high


@pytest.mark.parametrize("text", ["", "1e200"])
def test_a_box_without_a_usable_number_keeps_the_last_one(open_report, weather_rules, text):
    page = open_report(weather_rules)
    page.locator("#box-1").fill("3.25")
    page.locator("#box-1").fill(text)
    assert page.locator("#box-1").get_attribute("aria-invalid") == "true"
    page.locator("#box-2").focus()
    assert page.locator("#box-1").input_value() == "3.25"
    assert page.locator("#box-1").get_attribute("aria-invalid") is None
    row = weather_rules.training.typical.copy()
    row[1] = 3.25
    assert_same(page, weather_rules, row)


def test_rules_without_training_data_start_from_the_middles_of_their_domains(open_report):
    rules = handmade_rules()
    page = open_report(rules)
    assert rules.background.typical.tolist() == [2.0, 0.0, 1e5 + 0.5, -4.0]
    shown = shown_by(page)
    assert shown["prediction"] == pytest.approx(rules.predict(rules.background.typical[None])[0], abs=1e-9)
    assert np.abs(shown["parts"]).max() <= 1e-9
    page.locator("#box-0").fill("0.5")
    row = rules.background.typical.copy()
    row[0] = 0.5
    shown = shown_by(page)
    assert shown["prediction"] == pytest.approx(rules.predict(row[None])[0], abs=1e-9)
    assert rules.background.base + sum(shown["parts"]) == pytest.approx(shown["prediction"], abs=1e-9)


def test_what_changes_is_spoken_once_it_rests(open_report, weather_rules):
    sync_api = pytest.importorskip("playwright.sync_api")
    page = open_report(weather_rules)
    assert page.locator("#spoken").get_attribute("aria-live") == "polite"
    page.locator("#box-0").fill("99")
    sync_api.expect(page.locator("#spoken")).to_contain_text("Outside the range")
    prediction = page.locator("#prediction").inner_text()
    assert page.locator("#spoken").inner_text().startswith(f"mean_temperature {prediction}")


def test_a_row_is_compared_with_one_that_was_kept(open_report, weather_rules):
    page = open_report(weather_rules)
    rows = random_rows(weather_rules, 2, seed=5)
    type_row(page, rows[0])
    assert page.locator("#compared").inner_text() == ""
    page.get_by_role("button", name="Compare with this row").click()
    type_row(page, rows[1])
    change = float(np.diff(weather_rules.predict(rows))[0])
    words = page.locator("#compared").inner_text().replace("−", "-")
    assert float(words.split()[0]) == pytest.approx(change, abs=0.05)
    page.get_by_role("button", name="Compare with this row").click()
    assert page.locator("#compared").inner_text() == ""


def test_rows_are_doubted_where_rules_disagree_or_go_beyond_what_was_seen(open_report):
    # Two rules that meet half way: there one says 0 and the other 100, while elsewhere each is right.
    x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.2))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [0.0, 10.0]])
    X = np.concatenate([np.linspace(0.0, 3.0, 30), np.linspace(7.0, 10.0, 30)])[:, None]
    rules = rules.with_training(X, rules.predict(X) + np.where(np.arange(60) % 2, 0.5, -0.5))
    page = open_report(rules)
    type_row(page, [2.0])
    assert not page.locator("#flag").is_visible()
    type_row(page, [5.0])
    assert "The rules disagree here by 25" in page.locator("#flag").inner_text()
    type_row(page, [11.0])
    assert "Higher than all that was observed (100" in page.locator("#flag").inner_text()
    type_row(page, [9.0])
    assert not page.locator("#flag").is_visible()


@pytest.mark.parametrize("extrapolation", ["linear", "clip"])
def test_intervals_and_clipping_are_those_of_the_rule_base(open_report, weather_model, extrapolation):
    rules = replace(weather_model.rule_base_, extrapolation=extrapolation)
    page = open_report(rules)
    rows = random_rows(rules, 10, seed=3)
    rows[::2] += 2.0 * (rules.training.high - rules.training.low)
    for row in rows:
        type_row(page, row)
        lower, upper, _ = rules.predict_interval(row[None], 0.9)
        predicted = float(page.locator("#prediction").get_attribute("data-value"))
        reach = float(page.locator("#interval").get_attribute("data-reach"))
        assert predicted == pytest.approx(rules.predict(row[None])[0], rel=1e-9)
        assert reach == pytest.approx(float(upper[0] - lower[0]) / 2.0, rel=1e-9)
    assert "90% of such rows lie between" in page.locator("#interval").inner_text()


def test_the_band_around_a_prediction_is_its_interval(open_report, weather_rules):
    page = open_report(weather_rules)
    row = random_rows(weather_rules, 1, seed=8)
    type_row(page, row[0])
    # Places on the bars' rails are linear in the target: the first line has the base, the last one the interval.
    shares = page.locator("#waterfall .line:visible .bar").evaluate_all(
        "bars => bars.map(bar => [parseFloat(bar.style.left), parseFloat(bar.style.width)])"
    )
    predicted, base = float(weather_rules.predict(row)[0]), weather_rules.training.base
    lower, upper, _ = weather_rules.predict_interval(row, 0.9)
    middle = shares[-1][0] + shares[-1][1] / 2.0
    per_unit = (middle - shares[0][0]) / (predicted - base)
    assert shares[-1][1] == pytest.approx(float(upper[0] - lower[0]) * per_unit, rel=1e-3)


@pytest.mark.parametrize(("link", "bounded"), [("log", False), ("log", True), ("identity", True)])
def test_links_and_bounds_are_those_of_the_rule_base(open_report, handmade, link, bounded):
    X = random_rows(handmade, 200, seed=5)[:, : len(handmade.names)]
    raw = handmade.raw_predictions(X)
    spread = float(raw.std()) if link == "log" else 1.0
    said = replace(handmade.consequents, coefficients=handmade.consequents.coefficients / spread)
    rules = replace(handmade, consequents=said, training=None, intervals=None, output=Output(link))
    y = rules.predict(X)
    low, high = np.quantile(y, [0.3, 0.7]).tolist()
    if bounded:
        rules, y = replace(rules, output=Output(link, (low, high))), np.clip(y, low, high)
    rules = rules.with_training(X, y)
    shift = np.random.default_rng(0).normal(0.0, 0.1, len(y))
    rules = rules.with_intervals(
        X, np.clip(rules.output.of(rules.raw_predictions(X) + shift), *y[[y.argmin(), y.argmax()]])
    )
    page = open_report(rules)
    clipped = 0
    for row in random_rows(rules, 15, seed=0):
        type_row(page, row)
        shown, why = shown_by(page), rules.explain(row[None])
        assert shown["prediction"] == pytest.approx(rules.predict(row[None])[0], rel=1e-8, abs=1e-9)
        assert shown["parts"] == pytest.approx(why.contributions[0].tolist(), rel=1e-7, abs=1e-8)
        lower, upper, _ = rules.predict_interval(row[None], 0.9)
        found = [float(page.locator("#interval").get_attribute(f"data-{end}")) for end in ("lower", "upper")]
        assert found == pytest.approx([lower[0], upper[0]], rel=1e-7, abs=1e-9)
        values = page.locator("#waterfall .line:visible .value").all_inner_texts()
        assert any(value.startswith("×") for value in values[1:-1]) == (link == "log") or len(values) == 2
        beyond = "predictions are at" in page.locator("#flag").text_content()
        free = rules.output.transform.target(rules.raw_predictions(row[None]))[0]
        assert beyond == (not low <= free <= high and bounded)
        clipped += beyond
    assert (clipped > 0) == bounded
    words = {"log": "typical prediction", "identity": "mean prediction"}
    assert page.locator("#waterfall .line .name").first.inner_text() == words[link]
