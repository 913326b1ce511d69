"""``fruler rules``, ``report`` and ``export``: a model in other forms."""

import json

import pytest
from helpers.commands import assert_one_line, run_process
from helpers.frog_files import FROG_TEXT, frog_prediction

from fruler import load_model
from fruler.data import load_frog
from fruler.explain.text import rules_text
from fruler.export import TARGETS, export_model


def test_rules_as_text_in_the_width_of_the_terminal(fruler, model, monkeypatch):
    rule_base = load_model(model).rule_base_
    monkeypatch.setenv("COLUMNS", "100")
    wide = fruler("rules", model).stdout
    assert wide == rules_text(rule_base, width=100) + "\n"
    monkeypatch.setenv("COLUMNS", "50")
    narrow = fruler("rules", model).stdout
    assert narrow == rules_text(rule_base, width=50) + "\n"
    assert narrow != wide


def test_rules_as_json(fruler, model, tmp_path):
    written = json.loads(model.read_text())["rule_bases"][0]
    assert json.loads(fruler("rules", model, "--json").stdout) == written
    assert fruler("rules", model, "--json", "-o", tmp_path / "r.json").stdout == ""
    assert json.loads((tmp_path / "r.json").read_text()) == written


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_rules_in_documents(fruler, model, style):
    expected = getattr(load_model(model).rule_base_, f"to_{style}")()
    assert fruler("rules", model, f"--{style}").stdout.strip() == expected.strip()


def test_rules_of_a_frog_file(fruler, tmp_path):
    (tmp_path / "made_up.yml").write_text(FROG_TEXT)
    rules = load_frog(tmp_path / "made_up.yml")
    assert fruler("rules", tmp_path / "made_up.yml", "--markdown").stdout.strip() == rules.to_markdown().strip()
    (tmp_path / "rows.csv").write_text("load,wear,speed\n1,0,3\n10,1,4\n")
    predicted = fruler("predict", tmp_path / "made_up.yml", tmp_path / "rows.csv").stdout.splitlines()
    assert [float(line) for line in predicted[1:]] == pytest.approx(
        [frog_prediction([1, 3, 0]), frog_prediction([10, 4, 1])]
    )
    (tmp_path / "made_up.yml").write_text(FROG_TEXT[:200])
    assert_one_line(fruler("rules", tmp_path / "made_up.yml"), "can't be read as a rule base of FROG")


def test_one_form_at_a_time(fruler, model):
    assert_one_line(fruler("rules", model, "--json", "--latex"), "--latex", "--json")


def test_a_report_with_and_without_data(fruler, model, houses, tmp_path):
    pytest.importorskip("jinja2")
    result = fruler("report", model, "-o", tmp_path / "a.html")
    assert result.stdout == f"Report written to {tmp_path / 'a.html'}\n", result.stderr
    result = fruler("report", model, houses, "-o", tmp_path / "b.html")
    assert result.returncode == 0
    assert "1 of 200 rows lacks a value of price and is not in the report" in result.stderr
    pages = [(tmp_path / name).read_text("utf-8") for name in ("a.html", "b.html")]
    assert pages[0] != pages[1]
    for page in pages:
        assert all(name in page for name in ("red", "green", "blue"))


def test_exports(fruler, model, tmp_path):
    content = export_model(load_model(model).rule_base_, "c")
    result = fruler("export", model, "--to", "c", "-o", tmp_path / "model.c")
    assert (tmp_path / "model.c").read_text("utf-8") == content
    assert result.returncode == 0, result.stderr
    assert_one_line(fruler("export", model, "--to", "pyton"), "did you mean 'python'", *TARGETS)


def test_an_export_may_do_without_gaps(fruler, model, tmp_path):
    rules = load_model(model).rule_base_
    result = fruler("export", model, "--to", "sql", "--no-gaps", "-o", tmp_path / "model.sql")
    assert result.returncode == 0, result.stderr
    short = (tmp_path / "model.sql").read_text("utf-8")
    assert short == export_model(rules, "sql", gaps=False)
    assert len(short) < len(export_model(rules, "sql"))
    assert_one_line(fruler("export", model, "--to", "c", "--no-gaps"), "--no-gaps", "sql and onnx")


def test_a_binary_export_on_standard_output(model):
    pytest.importorskip("onnx")
    result = run_process("export", model, "--to", "onnx", encoding=None)
    assert result.stdout == export_model(load_model(model).rule_base_, "onnx")


def test_a_report_on_data_needs_the_target(fruler, model, tmp_path):
    (tmp_path / "new.csv").write_text("size,smoker,colour,heated,age\n70,yes,red,true,10\n")
    result = fruler("report", model, tmp_path / "new.csv", "-o", tmp_path / "r.html")
    assert_one_line(result, "new.csv", "'price'", "leave DATA out")
    (tmp_path / "new.csv").write_text("size,smoker,colour,heated,age,price\n70,yes,red,true,3,\n")
    result = fruler("report", model, tmp_path / "new.csv", "-o", tmp_path / "r.html")
    assert_one_line(result, "no row has a value of 'price'")
    assert not (tmp_path / "r.html").exists()
