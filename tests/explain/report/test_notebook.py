import re

from helpers.report_models import handmade_rules

from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_a_notebook_shows_a_small_table_without_scripts(weather_model):
    html = weather_model.rule_base_._repr_html_()
    assert len(html) < 20_000
    assert html.startswith('<div class="fruler-rules">')
    assert "<script" not in html
    assert html.count("<tr>") == 1 + weather_model.n_rules_
    assert "max_temperature_before is <b>low</b> (below\u00a0about\u00a0" in html
    assert "of min_temperature_before (from\u00a0" in html
    assert re.search(r"max_temperature_before: low <?&lt;\u00a0[\d.]+ &lt;\u00a0high", html)
    for share in weather_model.rule_base_.support:
        assert f'<td class="n">{share:.0%}</td>' in html
    assert '<p class="q">Typical error on held-out rows: ' in html


def test_the_estimator_keeps_its_own_representation(weather_model):
    assert "sk-estimator" in weather_model._repr_html_()


def test_names_are_text_in_notebooks_too():
    html = handmade_rules()._repr_html_()
    for name in ("<script", "<i>", "<low>", "<b>bold", "<target>"):
        assert name not in html
    assert "&lt;script&gt;" in html


def test_a_unit_is_text_beside_the_truth_too():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    line = RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_unit="<b>").with_training([[0.0], [1.0]], [0.0, 2.0])
    assert "Typical error on training rows: 1 &lt;b&gt;." in line._repr_html_()


def test_colours_are_those_of_the_notebook(weather_model):
    html = weather_model.rule_base_._repr_html_()
    assert "color:inherit" in html
    assert not re.search(r"#[0-9a-f]{3,6}\b|background:(?!none)", html)


def test_many_rules_and_terms_are_cut_short(large):
    html = large._repr_html_()
    assert "… and 10 more rules" in html
    assert "; 26 smaller terms" in html
    assert html.count("<tr>") == 31


def test_a_rule_that_looks_at_nothing_applies_always():
    line = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, -2.5]], target_name="cost")
    html = line._repr_html_()
    assert "1 rule for cost" in html
    assert "always" in html
    assert '1 <span class="t">− 2.5·x</span>' in html
    assert ">weight<" not in html


def test_curves_are_told_in_notebooks(curved):
    html = curved._repr_html_()
    assert "4 rules and 3 curves for" in html
    assert html.count("along the curve of") == 3 * curved.n_rules
    assert html.count(" adds ") == 3
    assert "<script" not in html
    assert "Curves:" in html
    assert "urve" not in handmade_rules()._repr_html_()
