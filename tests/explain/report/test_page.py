import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.report_models import NASTY_NAMES, handmade_curves, handmade_rows, handmade_rules
from helpers.triangle_rules import mamdani as mamdani_rules
from helpers.triangle_rules import own_sets as own_rules
from sklearn.linear_model import LinearRegression

from fruler import FuzzyRuleRegressor
from fruler._wording import with_minus
from fruler.explain._conditions import condition
from fruler.explain._told import told
from fruler.explain.report import report_html
from fruler.explain.report._error_views import checked_rows, measure_rows, model_errors
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._measurement import rule_errors
from fruler.rules.truth import Truth


def embedded(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def texts_of(page):
    """Return what a reader sees, without styles, scripts and tags."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", bare).replace("&nbsp;", " ").replace("\u00a0", " "))


def test_the_method_writes_a_file_or_returns_the_page(weather_model, weather, tmp_path):
    path = weather_model.report(weather.data, weather.target, tmp_path / "report.html", title="Tomorrow")
    page = weather_model.report(weather.data, weather.target, title="Tomorrow")
    assert path == tmp_path / "report.html"
    assert path.read_text("utf-8") == page
    assert list(tmp_path.iterdir()) == [path]
    assert "<h1>Tomorrow</h1>" in page


def test_the_page_needs_nothing_but_itself(weather_model, weather):
    page = weather_model.report(weather.data, weather.target)
    assert "default-src 'none'" in page
    assert not re.search(r'(src|href)="(?!#)|(src|href)=[^"]|@import|url\(|https?://', page)


def test_the_rule_base_is_in_the_page_in_full_precision(weather_model):
    page = weather_model.report()
    # Of the training data and of intervals the page needs no more than its reference has, and it has no gaps to fill.
    bare = replace(weather_model.rule_base_, training=None, intervals=None, gaps=None)
    assert embedded(page)["model"] == json.loads(json.dumps(rule_base_to_json(bare)))


def test_every_rule_is_told_with_its_conditions_and_errors(weather_model):
    page = told(weather_model.rule_base_)
    text = texts_of(weather_model.report())
    for sentence in page.story:
        assert texts_of(sentence).strip() in text
    for head, cells in page.rows:
        assert texts_of(with_minus(f"{head} {' '.join(cells)}")).strip() in text.replace("  ", " ")
    for head, amounts in page.lists.items():
        assert texts_of(with_minus(f"{head} {amounts}")) in text
    for effect in page.shared:
        assert texts_of(with_minus(f"{effect.head} {effect.cells[0]}")) in text
    for number in range(1, weather_model.n_rules_ + 1):
        words = with_minus(condition(weather_model.rule_base_, number - 1)).replace("\u00a0", " ")
        start = text.index(f"Rule {number} {words} about")
        assert f"RMSE alone, on held-out rows: {weather_model.truth_.rule_alone[number - 1]:.2f}" in text[start:]


def test_many_rules_are_told_one_by_one(large):
    page, text = told(large), texts_of(report_html(large))
    assert "Side by side" not in text
    for rule in (0, 25):
        for effect in page.own:
            if effect.cells[rule]:
                assert texts_of(with_minus(effect.said(rule))) in text


def test_rows_of_each_category_are_counted_in_each_rule():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.uniform(0, 10, 400), "g": rng.choice(["a", "b", "c"], 400)})
    frame.loc[(frame["x"] > 5) & (frame["g"] == "c"), "g"] = "a"
    y = np.where(frame["x"] < 5, 20.0, frame["x"]) + np.where(frame["x"] < 5, 3.0, 9.0) * (frame["g"] == "a")
    model = FuzzyRuleRegressor(max_rules=2, max_curves=0, random_state=0).fit(frame, y + rng.normal(0, 0.3, 400))
    assert model.n_rules_ == 2
    first, second = re.findall(r"<h4>Rows per category</h4>.*?</dl>", model.report(), re.DOTALL)
    counts = frame["g"][frame["x"] < 5].value_counts()
    for name in "abc":
        found = int(re.search(rf"{name}\u00a0(\d+)", first)[1])
        assert abs(found - counts[name]) < 12
    assert "1 other without a row" in second


def test_the_rows_that_contradict_a_rule_most_are_told(weather_model, weather):
    y = weather.target.copy()
    y.iloc[[6, 222]] += [300.0, -200.0]
    page = weather_model.report(weather.data, y)
    errors = rule_errors(weather_model.rule_base_, weather.data.to_numpy(), y.to_numpy())
    for row in (6, 222):
        start = page.index(f'id="rule-{errors.strongest[row] + 1}"')
        told_rows = texts_of(page[start : page.index("</details>", start)])
        assert f"Row {row + 1} : observed {y.iloc[row]:.2f}, the rule says".replace("-", "−") in told_rows


def test_errors_are_told_by_group_of_any_column(weather_model, weather):
    rng = np.random.default_rng(0)
    table = weather.data.assign(station=rng.choice(["north", "south"], len(weather.data)), empty=None)
    table["opened"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(table)), unit="D")
    y = weather.target + np.where(table["station"] == "north", 30.0, 0.0)
    page = weather_model.report(table, y)
    (choice,) = re.findall(r'<select id="error-by".*?</select>', page, re.DOTALL)
    # The column whose groups differ most comes first.
    assert re.findall(r"<option>([^<]*)</option>", choice)[0] == "station"
    (part,) = re.findall(r'<table class="groups" data-by="station">.*?</table>', page, re.DOTALL)
    residuals = y - weather_model.predict(weather.data)
    for name in ("north", "south"):
        own = residuals[table["station"] == name]
        words = texts_of(part)[texts_of(part).index(name) :].split()
        assert words[1] == str(len(own))
        assert float(words[2]) == pytest.approx(own.abs().median(), rel=0.1)
        assert float(words[3].replace("−", "-")) == pytest.approx(own.mean(), abs=0.1)
    assert 'data-by="empty"' not in page
    assert ">2020</th>" in page


def with_truth(rule_base, together, alone, held_out=True):
    truth = Truth(together, alone, [together] * rule_base.n_rules, [alone] * rule_base.n_rules, held_out=held_out)
    return replace(rule_base, training=replace(rule_base.training, cv_rmse=together, truth=truth))


def test_the_story_says_whether_rules_hold_alone(weather_model, weather):
    rule_base = weather_model.rule_base_.with_units(weather.units)
    true = texts_of(report_html(with_truth(rule_base, 0.93, 0.99)))
    assert "Read the rules together" not in true
    assert "RMSE alone, on held-out rows: 0.99 °C" in true
    false = texts_of(report_html(with_truth(rule_base, 0.93, 4.49, held_out=False)))
    assert "Read the rules together: the strongest rule alone has an RMSE of 4.5 °C." in false
    assert "RMSE alone, on training rows: 4.49 °C" in false


def test_on_given_rows_the_headline_is_measured_on_them(weather_model, weather):
    X, y = weather.data[:90] + 0.01, weather.target[:90]
    rmse = np.sqrt(np.mean((weather_model.predict(X) - y) ** 2))
    assert f"{rmse:.2f} root mean squared error (RMSE) on 90 given rows" in texts_of(weather_model.report(X, y))


@pytest.mark.parametrize("unknown", [False, True])
def test_where_there_is_no_truth_to_tell_none_is_told(weather_model, unknown):
    rule_base = weather_model.rule_base_ if unknown else weather_model.with_rules(1).rule_base_
    if unknown:
        rule_base = replace(rule_base, training=replace(rule_base.training, truth=None))
    text = texts_of(report_html(rule_base))
    assert "RMSE alone" not in text
    assert "Read the rules together" not in text


@pytest.mark.parametrize("name", ["handmade", "curved"])
def test_names_are_text_and_never_markup(request, name):
    X, y = handmade_rows(50)
    page = report_html(request.getfixturevalue(name), X, y, title="A <b>bold</b> title")
    assert page.count("<script") == 11
    markup = page[: page.index('<script type="application/json"')]
    for name in (*NASTY_NAMES[:2], NASTY_NAMES[3], "<i>red", "<low>", "the <target>", "<b>bold"):
        assert name not in markup
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in page
    assert "&#34;quotes&#39; &amp; ünïcode" in page
    assert [item["name"] for item in embedded(page)["model"]["inputs"]] == NASTY_NAMES


def test_curves_are_told_as_net_effects(curved):
    text = texts_of(report_html(curved))
    assert "4 rules and 3 curves for the &lt;target&gt;" in text
    assert "already" not in text
    for effect in told(curved).effects:
        for cell in filter(None, effect.cells):
            assert texts_of(with_minus(cell)) in text


def test_without_curves_nothing_is_said_of_them(handmade):
    bare = texts_of(report_html(handmade))
    assert "curve" not in bare
    assert "joined by straight lines" not in bare


def test_curves_of_a_formula_and_without_training_data():
    x = Variable("x", FuzzyPartition([], (0.0, 4.0)), "m")
    curve = Curve(0, FuzzyPartition([2.0], (0.0, 4.0), 0.0), [[0.0, 1.0], [4.0, -1.0]])
    page = report_html(RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_name="cost", curves=[curve]))
    text = texts_of(page)
    assert "1 rule and 1 curve for cost" in text
    assert re.search(r"The prediction starts from [\d.]+; each line adds its amount", text)
    assert " at 0 · " in text
    assert 'class="histogram"' not in page
    assert 'class="line"' in report_html(replace(handmade_rules(), curves=handmade_curves()))


def test_without_data_the_errors_are_those_of_the_training(weather_model):
    text = texts_of(weather_model.report())
    training = weather_model.rule_base_.training
    assert f"This model {training.rmse:.2f} {training.cv_rmse:.2f}" in text
    assert f"Always the mean {training.target_spread:.2f} {training.target_spread:.2f}" in text
    assert "Linear regression" not in text
    assert "730, with 8 columns" in text


def test_the_training_rows_are_recognised_and_compared_with_a_line(weather_model, weather):
    rules = weather_model.rule_base_
    measured = measure_rows(rules, checked_rows(rules, weather.data, weather.target))
    assert measured.seen == 1.0
    assert measured.are_training
    own, line, mean = model_errors(rules, measured)
    fitted = LinearRegression().fit(weather.data, weather.target).predict(weather.data)
    assert line.training == pytest.approx(np.sqrt(np.mean((fitted - weather.target) ** 2)))
    assert line.training < line.left_out < 1.1 * line.training
    assert own.training == rules.training.rmse
    assert own.given is None
    assert mean.training == rules.training.target_spread


def test_other_rows_are_told_apart_from_the_training_rows(weather_model, weather):
    rules = weather_model.rule_base_
    X, y = weather.data.to_numpy()[::3] + 0.01, weather.target.to_numpy()[::3]
    measured = measure_rows(rules, checked_rows(rules, X, y))
    assert measured.seen == 0.0
    assert not measured.are_training
    own, line, mean = model_errors(rules, measured)
    assert own.given == pytest.approx(np.sqrt(np.mean((rules.predict(X) - y) ** 2)))
    assert (own.training, own.left_out) == (rules.training.rmse, rules.training.cv_rmse)
    assert mean.given == pytest.approx(np.sqrt(np.mean((y - rules.training.target_mean) ** 2)))
    assert line.training is None
    assert own.given < line.given < mean.given
    assert "on the given rows" in texts_of(report_html(rules, X, y))


def test_a_line_is_not_judged_on_too_few_rows(weather_model, weather):
    X, y = weather.data.to_numpy()[:12] + 0.01, weather.target.to_numpy()[:12]
    measured = measure_rows(weather_model.rule_base_, checked_rows(weather_model.rule_base_, X, y))
    assert [row.name for row in model_errors(weather_model.rule_base_, measured)] == ["This model", "Always the mean"]
    assert "Linear regression" not in report_html(weather_model.rule_base_, X, y)


def test_one_row_is_enough(weather_model, weather):
    page = report_html(weather_model.rule_base_, weather.data[:1], weather.target[:1])
    assert "on 1 given row" in texts_of(page)


def test_at_most_500_dots_and_four_rows_of_the_data_are_in_the_page(weather_model, weather):
    page = weather_model.report(weather.data, weather.target)
    (dots,) = re.findall(r'<path class="dots" d="([^"]*)"', page)
    assert dots.count("h0") == 500
    X, y = weather.data.to_numpy(), weather.target.to_numpy()
    worst = int(np.argmax(np.abs(weather_model.predict(weather.data) - y)))
    chosen = [int(np.argmin(y)), int(np.argsort(y, kind="stable")[364]), int(np.argmax(y)), worst]
    assert [example["row"] for example in embedded(page)["examples"]] == X[chosen].tolist()
    assert [example["observed"] for example in embedded(page)["examples"]] == y[chosen].tolist()


def test_the_front_is_drawn_with_this_model_marked(weather_model):
    page = weather_model.report()
    assert page.count('class="ring"') == 1
    text = texts_of(page)
    start = text.index("Models of other sizes")
    for _, row in weather_model.pareto_.iterrows():
        figures = f" {row['rules']:.0f} {row['coefficients']:.0f} {np.sqrt(2 * row['error']):.2f}"
        assert f"{figures} {np.sqrt(2 * row['cv_error']):.2f} {row['truth']:.2f}" in text[start:]
    (own,) = re.findall(r'<tr class="own"><td class="number">(\d+)</td>', page)
    assert int(own) == weather_model.n_rules_


def test_a_front_without_errors_on_left_out_rows_is_drawn_too(paper_model):
    page = paper_model.report()
    assert "The error is that on the training rows." in page
    assert "left-out RMSE" not in page
    after = texts_of(page).partition("Models of other sizes")[2].partition("The inputs")[0]
    assert "truth" not in after


def test_rules_without_training_data_are_reported_too():
    text = texts_of(report_html(handmade_rules()))
    assert "These rules have no training data" in text
    assert "Middle row" in text
    assert "RMSE" not in text


def test_rules_without_training_data_take_the_given_rows_for_ranges():
    X, y = handmade_rows(60)
    page = report_html(handmade_rules(), X, y)
    assert embedded(page)["reference"]["low"] == X.min(axis=0).tolist()
    text = texts_of(page)
    assert "Training rows" not in text
    assert "On the given rows, half of the predictions miss" in text
    assert "RMSE alone, on given rows" in text
    assert "Rows given to the report 60" in text


def test_one_rule_without_conditions_is_called_a_formula(weather_model):
    text = texts_of(weather_model.with_rules(1).report())
    assert "The formula" in text
    assert "Active rules" not in text
    assert "nothing else applies" not in text


def test_the_page_of_a_typical_model_stays_small(weather_model, weather):
    assert len(weather_model.report(weather.data, weather.target).encode()) < 200_000


def test_a_large_model_stays_small_and_folds_what_matters_less(large):
    page = report_html(large)
    assert len(page.encode()) < 500_000
    assert "35 inputs that move the prediction less" in page
    order = [int(j) for j in re.findall(r'class="input" data-input="(\d+)"', page)]
    assert sorted(order) == list(range(40))
    assert (np.diff(large.training.input_importance[order]) <= 0.0).all()


def test_inputs_that_no_rule_uses_come_last_and_folded(weather):
    data = weather.data[["dew_point", "pressure"]].assign(constant=1.0)
    page = FuzzyRuleRegressor(max_rules=2, max_curves=0, random_state=0).fit(data, weather.target).report()
    order = re.findall(r'class="input" data-input="(\d+)"', page)
    assert order[-1] == "2"
    assert page.index("1 input that no rule uses") < page.index('data-input="2"')
    assert page.index("1 input that no rule uses") > page.index(f'data-input="{order[-2]}"')


def test_numbers_are_rounded_for_readers(weather_model, weather):
    text = texts_of(weather_model.report(weather.data, weather.target))
    assert not re.search(r"\d\.\d{6}", text)
    assert not re.search(r"\d(e[-+]\d|\.\d*0{6})", text)


def test_labels_of_the_output_are_told_and_drawn(mamdani):
    page = report_html(mamdani)
    text = texts_of(page)
    assert "label medium high medium medium low" in text
    assert "mpg is medium" in text
    assert "low = about 11 (5 to 18); medium = about 18.5 (10 to 24)" in text
    assert "low = up to 1,900 (below 3,000); medium = about 2,800 (2,100 to 3,900)" in text
    assert page.count('href="#target-labels"') == mamdani.n_rules
    assert page.count('id="target-labels"') == 1
    assert 'aria-label="low: not below 5, half at 8; half at 14.5, not above 18"' in page
    assert embedded(page)["model"]["target"]["labels"] == ["low", "medium", "high"]


def test_sets_of_a_rule_s_own_are_told_and_drawn_alone(own_sets):
    page = report_html(own_sets)
    assert "weight is about 2,800 (2,100 to 3,400) and power is about 95 (60 to 140)" in texts_of(page)
    assert 'class="sets"' not in page


def test_names_of_labels_of_the_output_are_text():
    nasty = mamdani_rules().with_labels({"mpg": ["<low>", "& 'medium'", '"high']})
    for page in (report_html(nasty), nasty._repr_html_()):
        markup = page.partition('<script type="application/json"')[0]
        assert "<low>" not in markup
        assert "&lt;low&gt;" in markup


def test_without_training_data_rules_over_triangles_are_reported_too():
    for rules in (mamdani_rules(), own_rules()):
        assert embedded(report_html(rules))["page"]["known"] is False
