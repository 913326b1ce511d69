import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from helpers.report_models import NASTY_NAMES, handmade_curves, handmade_rows, handmade_rules
from helpers.triangle_rules import mamdani as mamdani_rules
from helpers.triangle_rules import own_sets as own_rules
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from fruler import FuzzyRuleRegressor
from fruler.explain._conditions import condition
from fruler.explain.report import report_html, write_report
from fruler.explain.report._error_views import checked_rows, measure_rows, model_errors
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._measurement import measure_truth
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


def test_every_rule_is_told_with_its_conditions_and_terms(weather_model):
    told = texts_of(weather_model.report())
    for number, rule in enumerate(weather_model.rule_base_.rules, 1):
        conditions = condition(weather_model.rule_base_, number - 1).replace("\u00a0", " ")
        start = told.index(f"Rule {number} rows")
        errors = (weather_model.truth_.rule_together[number - 1], weather_model.truth_.rule_alone[number - 1])
        assert "error {:.2f}, alone {:.2f}".format(*errors) in told[start : start + 400]
        assert f"if {conditions} then" in told[start : start + 400].replace("\u2212", "-")
        sentence = told[start : told.index("As an equation", start)]
        equation = told[told.index("As an equation", start) :][:800]
        for name in rule.coefficients:
            assert f" of {name} (from" in sentence
            assert f"·{name}" in equation


def with_truth(rule_base, together, alone, held_out=True):
    truth = Truth(together, alone, [together] * rule_base.n_rules, [alone] * rule_base.n_rules, held_out=held_out)
    return replace(rule_base, training=replace(rule_base.training, cv_rmse=together, truth=truth))


def test_the_strongest_rule_alone_is_among_the_headline_figures(weather_model, weather):
    rule_base = weather_model.rule_base_.with_units(weather.units)
    true = texts_of(report_html(with_truth(rule_base, 0.93, 0.99)))
    assert "0.99 °C strongest rule alone on held-out rows (cross-validation): rules can be read one by one" in true
    assert "over the held-out rows in which it is the strongest" in true
    assert "error 0.93, alone 0.99 °C" in true
    false = texts_of(report_html(with_truth(rule_base, 0.93, 4.49, held_out=False)))
    assert "4.49 °C strongest rule alone on the training rows: read the rules together, not one by one" in false
    assert "over the training rows in which it is the strongest" in false


def test_on_given_rows_the_headline_is_measured_on_them(weather_model, weather):
    X, y = weather.data[:90] + 0.01, weather.target[:90]
    alone = measure_truth(weather_model.rule_base_, X.to_numpy(), y.to_numpy(), held_out=True).alone
    told = texts_of(weather_model.report(X, y))
    assert f"{alone:.2f} strongest rule alone" in told
    assert f"{weather_model.truth_.alone:.2f} strongest rule alone" not in told


@pytest.mark.parametrize("unknown", [False, True])
def test_where_there_is_no_truth_to_tell_none_is_told(weather_model, unknown):
    rule_base = weather_model.rule_base_ if unknown else weather_model.with_rules(1).rule_base_
    if unknown:
        rule_base = replace(rule_base, training=replace(rule_base.training, truth=None))
    told = texts_of(report_html(rule_base))
    assert "strongest rule alone" not in told
    assert ", alone " not in told
    assert "in which it is the strongest" not in told


@pytest.mark.parametrize("name", ["handmade", "curved"])
def test_names_are_text_and_never_markup(request, name):
    X, y = handmade_rows(50)
    page = report_html(request.getfixturevalue(name), X, y, title="A <b>bold</b> title")
    assert page.count("<script") == 10
    markup = page[: page.index('<script type="application/json"')]
    for name in (*NASTY_NAMES[:2], NASTY_NAMES[3], "<i>red", "<low>", "the <target>", "<b>bold"):
        assert name not in markup
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in page
    assert "&#34;quotes&#39; &amp; ünïcode" in page
    assert [item["name"] for item in embedded(page)["model"]["inputs"]] == NASTY_NAMES


def test_curves_are_told_in_every_rule_and_drawn_once(curved):
    page = report_html(curved)
    told = texts_of(page)
    assert "4 rules and 3 curves for the &lt;target&gt;" in told
    assert "slopes and 3 curves" in told
    assert page.count('<figure id="curve-') == 3
    for number in range(1, 5):
        start = told.index(f"Rule {number} rows")
        words = r"along the curves of .+ \(.+already.in.it\)\s?, .+ \(.+\) and .+ \("
        assert re.search(words, told[start : start + 900])
    assert "What the curves add is included in what every rule says" in told
    assert "bold adds −5.0 at −8, −3.0 at −6, −3.0 at 0." in told
    assert "+4.0 just below 1.5 °C, −2.0 at 1.5 °C" in told


def test_without_curves_nothing_is_said_of_them(handmade):
    bare = texts_of(report_html(handmade))
    assert "curve" not in bare


def test_curves_of_a_formula_and_without_training_data():
    x = Variable("x", FuzzyPartition([], (0.0, 4.0)), "m")
    curve = Curve(0, FuzzyPartition([2.0], (0.0, 4.0), 0.0), [[0.0, 1.0], [4.0, -1.0]])
    page = report_html(RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_name="cost", curves=[curve]))
    told = texts_of(page)
    assert "1 rule and 1 curve for cost" in told
    assert re.search(r"cost = 1\s+\+ curve of x", told)
    assert "what one input adds to the formula" in told
    assert re.search(r"x adds 0 at 0 m, \+2\.\d+ at 2 m, 0 at 4 m\.", told)
    assert 'class="histogram"' not in page
    curved = report_html(replace(handmade_rules(), curves=handmade_curves()))
    assert 'class="line"' in curved


def test_without_data_the_errors_are_those_of_the_training(weather_model):
    told = texts_of(weather_model.report())
    training = weather_model.rule_base_.training
    assert f"This model {training.rmse:.2f} {training.cv_rmse:.2f}" in told
    assert f"Always the mean {training.target_spread:.2f} –" in told
    assert "Linear regression" not in told
    assert "730 rows, 8 inputs" in told


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
    told = texts_of(page)
    start = told.index("Results of these models")
    for _, row in weather_model.pareto_.iterrows():
        figures = f" {row['rules']:.0f} {row['coefficients']:.0f} {np.sqrt(2 * row['error']):.2f}"
        assert f"{figures} {np.sqrt(2 * row['cv_error']):.2f} {row['truth']:.2f}" in told[start:]
    (own,) = re.findall(r'<tr class="own"><td class="number">(\d+)</td>', page)
    assert int(own) == weather_model.n_rules_


def test_a_front_without_errors_on_left_out_rows_is_drawn_too(paper_model):
    page = paper_model.report()
    assert "The error is that on the training rows." in page
    assert "left-out RMSE" not in page
    assert "truth" not in texts_of(page)[texts_of(page).index("Results of these models") :]


def test_rules_without_training_data_are_reported_too():
    told = texts_of(report_html(handmade_rules()))
    assert "These rules have no training data" in told
    assert "Middle row" in told
    assert "RMSE" not in told


def test_rules_without_training_data_take_the_given_rows_for_ranges():
    X, y = handmade_rows(60)
    page = report_html(handmade_rules(), X, y)
    assert embedded(page)["reference"]["low"] == X.min(axis=0).tolist()
    told = texts_of(page)
    assert "Training data" not in told
    assert "in the given rows" in told
    assert "Given rows 60" in told
    assert "over the given rows in which it is the strongest" in told


def test_one_rule_without_conditions_is_called_a_formula(weather_model):
    told = texts_of(weather_model.with_rules(1).report())
    assert "The formula" in told
    assert "Active rules" not in told
    assert "nothing else applies" not in told


def test_the_page_of_a_typical_model_stays_small(weather_model, weather):
    assert len(weather_model.report(weather.data, weather.target).encode()) < 200_000


def test_a_large_model_stays_small_and_folds_what_matters_less(large):
    page = report_html(large)
    assert len(page.encode()) < 500_000
    assert "32 inputs that move the prediction less" in page
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
    told = texts_of(weather_model.report(weather.data, weather.target))
    assert not re.search(r"\d\.\d{6}", told)
    assert not re.search(r"\d(e[-+]\d|\.\d*0{6})", told)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0] * 8], None, "^y is missing: a report on data needs both the inputs X and the target y"),
        (None, [1.0], "^X is missing"),
        (
            [[1.0] * 8],
            [1.0, 2.0],
            r"^y must have one finite number for each of the 1 rows of X; it has shape \(2,\)\.$",
        ),
        ([[1.0] * 8], [np.nan], "values that are not finite"),
        ([[1.0] * 8], ["warm"], "^y must be numbers"),
        ([[1.0] * 3], [1.0], "8"),
        (np.empty((0, 8)), [], "X has no rows"),
    ],
)
def test_wrong_rows_are_refused_with_a_sentence(weather_model, X, y, message):
    with pytest.raises(ValueError, match=message):
        report_html(weather_model.rule_base_, X, y)


def test_wrong_columns_are_refused_by_name(weather_model, weather):
    with pytest.raises(ValueError, match="humidity"):
        report_html(weather_model.rule_base_, weather.data.drop(columns="humidity"), weather.target)
    with pytest.raises(ValueError, match="humidity"):
        weather_model.report(weather.data.drop(columns="humidity"), weather.target)


def test_a_model_that_is_not_fitted_has_no_report():
    with pytest.raises(NotFittedError):
        FuzzyRuleRegressor().report()


def test_a_path_that_cannot_be_is_refused(weather_model, tmp_path):
    with pytest.raises(ValueError, match=r"There is no folder '.*nowhere'; create it"):
        weather_model.report(path=tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="is a folder"):
        write_report(tmp_path, weather_model.rule_base_)
    assert list(tmp_path.iterdir()) == []


def test_without_jinja_the_message_names_the_extra(weather_model, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "Jinja2>=.* fruler\[report\]'):
        weather_model.report()


def test_labels_of_the_output_are_told_and_drawn(mamdani):
    page = report_html(mamdani)
    told = texts_of(page)
    assert "with 3 labels of mpg" in told
    assert "then mpg is medium (about 17.5 mi/gal)" in " ".join(told.split())
    assert "The labels of mpg: low = about 11 (5 to 18); medium = about 18.5 (10 to 24)" in told
    assert "labels and what they stand for" in told
    assert "low = up to 1,900 (below 3,000); medium = about 2,800 (2,100 to 3,900)" in told
    assert "names a label of mpg there" in told
    assert "gives a formula" not in told
    assert "Bars show" not in told
    assert page.count('href="#target-labels"') == mamdani.n_rules
    assert page.count('id="target-labels"') == 1
    assert 'aria-label="low: not below 5, half at 8; half at 14.5, not above 18"' in page
    assert embedded(page)["model"]["target"]["labels"] == ["low", "medium", "high"]


def test_sets_of_a_rule_s_own_are_told_and_drawn_alone(own_sets):
    page = report_html(own_sets)
    told = texts_of(page)
    assert "if weight is about 2,800 (2,100 to 3,400) and power is about 95 (60 to 140)" in " ".join(told.split())
    assert told.count("each rule has its own sets") == 3
    assert "where they meet" not in told
    assert 'class="sets"' not in page
    assert "says where it applies and what mpg is there" in told


def test_names_of_labels_of_the_output_are_text():
    nasty = mamdani_rules().with_labels({"mpg": ["<low>", "& 'medium'", '"high']})
    for page in (report_html(nasty), nasty._repr_html_()):
        markup = page.partition('<script type="application/json"')[0]
        assert "<low>" not in markup
        assert "&lt;low&gt;" in markup


def test_without_training_data_rules_over_triangles_are_reported_too():
    for rules in (mamdani_rules(), own_rules()):
        assert embedded(report_html(rules))["page"]["known"] is False
