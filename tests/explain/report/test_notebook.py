import re

from helpers.report_models import handmade_rows, handmade_rules
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fruler import FuzzyRuleRegressor
from fruler._wording import with_minus
from fruler.data import load_example
from fruler.explain._conditions import GLUE
from fruler.explain._told import told
from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_a_notebook_shows_the_rules_side_by_side_without_scripts(weather_model):
    rules = weather_model.rule_base_
    html, page = rules._repr_html_(), told(rules)
    assert len(html) < 20_000
    assert html.startswith('<div class="fruler-rules">')
    assert "<script" not in html
    assert html.count("<tr>") == 1 + len(page.rows)
    assert html.count("<td") + html.count("<th ") == (1 + len(page.rows)) * (1 + rules.n_rules)
    for share in rules.support:
        assert f'<td class="n">{share:.0%}</td>' in html
    assert "On held-out rows, half of the predictions miss by less than " in html
    for effect in page.shared:
        assert f"<li>{with_minus(effect.said(0)).replace(GLUE, ' ')}</li>" in html


def test_the_estimator_shows_its_rules_below_its_box(weather_model):
    rules = weather_model.rule_base_._repr_html_()
    for html in (weather_model._repr_html_(), weather_model._repr_mimebundle_()["text/html"]):
        assert "sk-estimator" in html
        assert html.endswith(rules)
        assert html.index("sk-estimator") < html.index(rules)
    assert weather_model._repr_mimebundle_()["text/plain"] == repr(weather_model)


def test_an_estimator_without_rules_and_a_pipeline_are_a_box_only(weather_model):
    assert "fruler-rules" not in FuzzyRuleRegressor()._repr_html_()
    pipeline = make_pipeline(StandardScaler(), weather_model)
    assert "fruler-rules" not in pipeline._repr_html_()


def test_without_diagrams_an_estimator_is_text(weather_model):
    with config_context(display="text"):
        assert list(weather_model._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(weather_model, "_repr_html_")


class TestExplanations:
    def test_a_row_is_a_table_of_parts(self, weather_model):
        why = weather_model.explain(load_example("weather").data[100:102])
        html = why._repr_html_()
        assert html.startswith('<div class="fruler-rules fruler-why">')
        assert "<script" not in html
        assert html.count("<table>") == 2
        for row in why:
            assert f"<b>{with_minus(row.headline())}</b>" in html
            for note in row.notes():
                assert with_minus(note) in html
            assert all(with_minus(part.text) in html for part in row.parts()[:5])

    def test_bars_lead_from_the_mean_to_the_prediction_and_falling_ones_point_left(self):
        x = [Variable(name, FuzzyPartition([], (0.0, 4.0))) for name in "ab"]
        line = RuleBase(x, [[[0, 0], [0, 0]]], [[1.0, 2.0, -1.0]])
        line = line.with_training([[0.0, 0.0], [2.0, 2.0], [4.0, 4.0]], [1.0, 3.0, 5.0])
        # The mean is 3; a = 4 adds 4 and b = 4 takes 2 of it.
        bars = re.findall(
            r'class="(at|up|down)" style="left:([\d.]+)%;width:([\d.]+)%', line.explain([[4.0, 4.0]])._repr_html_()
        )
        assert bars == [("at", "0.0", "0.0"), ("up", "0.0", "100.0"), ("down", "50.0", "50.0"), ("at", "50.0", "0.0")]
        assert re.findall(r'class="n">([^<]*)<', line.explain([[4.0, 4.0]])._repr_html_()) == [
            "3.000",
            "+4.000",
            "−2.000",
            "5.000",
        ]

    def test_many_rows_are_cut_short(self, weather_model):
        html = weather_model.explain(load_example("weather").data)._repr_html_()
        assert html.count("<table>") == 5
        assert "… and 725 more rows; explanation[i] shows one." in html

    def test_names_are_text(self):
        rules = handmade_rules()
        X, y = handmade_rows(50)
        html = rules.with_training(X, y).explain(X[:3])._repr_html_()
        for name in ("<script", "<i>", "<low>", "<b>bold", "<target>"):
            assert name not in html
        assert "the &lt;target&gt; = " in html


def test_names_are_text_in_notebooks_too():
    html = handmade_rules()._repr_html_()
    for name in ("<script", "<i>", "<low>", "<b>bold", "<target>"):
        assert name not in html
    assert "&lt;script&gt;" in html


def test_a_unit_is_text_beside_errors_too():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    line = RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_unit="<b>").with_training([[0.0], [1.0]], [0.0, 2.0])
    assert "RMSE 1 &lt;b&gt;." in line._repr_html_()


def test_colours_are_those_of_the_notebook(weather_model):
    html = weather_model.rule_base_._repr_html_()
    assert "color:inherit" in html
    assert not re.search(r"#[0-9a-f]{3,6}\b|background:(?!none)", html)


def test_many_rules_are_cut_short(large):
    html = large._repr_html_()
    assert "… and 20 more rules; print the rules to see them all." in html


def test_a_rule_that_applies_everywhere_is_a_list():
    line = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, -2.5]], target_name="cost")
    html = line._repr_html_()
    assert "<b>cost: 1 rule</b>" in html
    assert "<li>x: −2.5 per unit</li>" in html
    assert "<table>" not in html
