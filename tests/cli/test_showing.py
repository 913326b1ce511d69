"""``fruler rules``, ``report`` and ``export``: a model in other forms."""

import importlib
import json

import pytest
from helpers.commands import assert_one_line

from fruler import load_model
from fruler.explain.text import rules_text
from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_rules_as_text_in_the_width_of_the_terminal(fruler, model, monkeypatch):
    rule_base = load_model(model).rule_base_
    assert fruler("rules", model).stdout == rules_text(rule_base) + "\n"
    monkeypatch.setenv("COLUMNS", "50")
    narrow = fruler("rules", model).stdout
    assert narrow == rules_text(rule_base, width=50) + "\n"
    assert narrow != rules_text(rule_base) + "\n"


def test_rules_say_what_labels_mean(fruler, tmp_path):
    from fruler.model_file.file import Model, write_model

    size = Variable("size", FuzzyPartition([80.0, 1234.5], (0.0, 2000.0)), "m²")
    write_model(tmp_path / "m.json", Model(RuleBase([size], [[[0, 0]], [[1, 2]]], [[1.0, 0.0], [2.0, 3.0]])))
    said = fruler("rules", tmp_path / "m.json").stdout
    assert said.endswith("\n\nWhat the labels mean\n  size: low < 80 < medium < 1234 < high m²\n")


def test_rules_as_json(fruler, model, tmp_path):
    written = json.loads(model.read_text())["rule_bases"][0]
    assert json.loads(fruler("rules", model, "--json").stdout) == written
    assert fruler("rules", model, "--json", "-o", tmp_path / "r.json").stdout == ""
    assert json.loads((tmp_path / "r.json").read_text()) == written


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_rules_in_documents(fruler, model, style):
    rule_base = load_model(model).rule_base_
    if not hasattr(rule_base, f"to_{style}"):
        pytest.skip(f"rules cannot be written as {style}")
    assert fruler("rules", model, f"--{style}").stdout.strip() == getattr(rule_base, f"to_{style}")().strip()


def test_one_form_at_a_time(fruler, model):
    assert_one_line(fruler("rules", model, "--json", "--latex"), "--latex", "--json")


def test_a_report_with_and_without_data(fruler, model, houses, tmp_path):
    pytest.importorskip("fruler.explain.report")
    result = fruler("report", model, "-o", tmp_path / "a.html")
    assert result.stdout == f"Report written to {tmp_path / 'a.html'}\n", result.stderr
    result = fruler("report", model, houses, "-o", tmp_path / "b.html")
    assert result.returncode == 0
    assert "4 of 200 rows lack a value" in result.stderr
    assert (tmp_path / "a.html").read_text("utf-8") != (tmp_path / "b.html").read_text("utf-8")


def test_exports(fruler, model, tmp_path):
    exporting = pytest.importorskip("fruler.export")
    content = importlib.import_module("fruler.export").export_model(load_model(model).rule_base_, "c")
    result = fruler("export", model, "--to", "c", "-o", tmp_path / "model.c")
    assert (tmp_path / "model.c").read_text("utf-8") == content
    assert "'smoker' is 0 for no and 1 for yes" in result.stderr
    assert_one_line(fruler("export", model, "--to", "pyton"), "did you mean 'python'", *exporting.TARGETS)
