"""``fruler rules``, ``report`` and ``export``: a model in other forms."""

import json
import os
import re
import subprocess

import openpyxl
import pytest
from helpers.commands import assert_one_line, command, run_process
from helpers.frog_files import FROG_TEXT, frog_prediction

from fruler import load_model
from fruler._model_file.file import Model, model_bytes, write_model
from fruler.data import load_frog
from fruler.explain.text import rules_text
from fruler.export import TARGETS, export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable


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


def test_a_workbook_has_the_rows_asked_for(fruler, model, tmp_path):
    result = fruler("export", model, "--to", "xlsx", "--rows", "7", "-o", tmp_path / "model.xlsx")
    assert result.returncode == 0, result.stderr
    assert openpyxl.load_workbook(tmp_path / "model.xlsx")["Table"].max_row == 10
    assert_one_line(fruler("export", model, "--to", "xlsx", "--rows", "0"), "rows must be a positive integer; got 0")
    assert_one_line(fruler("export", model, "--to", "c", "--interval", "0"), "between 0 and 1")


def test_an_export_may_do_without_gaps(fruler, model, tmp_path):
    rules = load_model(model).rule_base_
    result = fruler("export", model, "--to", "sql", "--no-gaps", "-o", tmp_path / "model.sql")
    assert result.returncode == 0, result.stderr
    # Bytes: a text file would lose the carriage return in the list of white space.
    short = (tmp_path / "model.sql").read_bytes().decode()
    assert short == export_model(rules, "sql", gaps=False)
    assert len(short) < len(export_model(rules, "sql"))
    assert_one_line(
        fruler("export", model, "--to", "c", "--no-gaps"), "--no-gaps: c has no such option; it is for onnx, sql"
    )


def test_the_table_and_the_key_of_a_query(fruler, model):
    rules = load_model(model).rule_base_
    options = ("--table", "my houses", "--keep", "id", "--keep", "country", "--prediction", "expected")
    result = fruler("export", model, "--to", "sql", *options)
    assert result.returncode == 0, result.stderr
    assert result.stdout == export_model(rules, "sql", table="my houses", keep=["id", "country"], prediction="expected")
    assert '"my houses"' in result.stdout
    for option in ("table", "keep", "prediction"):
        result = fruler("export", model, "--to", "python", f"--{option}", "id")
        assert_one_line(result, f"--{option}: python has no such option; it is for sql")


@pytest.fixture
def four_rules(tmp_path):
    """The path of a model whose rules are not in the order of their weights or outputs."""
    size, age, kind = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0))) for name in ("size", "age", "kind"))
    rules = RuleBase(
        [size, age, kind],
        [[[0, 0], [0, 0], [0, 1]], [[0, 0], [1, 1], [0, 1]], [[1, 1], [0, 1], [0, 0]], [[1, 1], [0, 1], [1, 1]]],
        # Intercepts alone would have another order.
        [[50.0, 0.0, 0.0, 0.0], [0.0, 9.0, 0.0, 0.0], [90.0, -8.0, 0.0, 0.0], [5.0, 0.0, 1.0, 0.0]],
        support=[0.3, 0.1, 0.4, 0.2],
        target_name="price",
    )
    write_model(tmp_path / "four.json", Model(rules))
    return tmp_path / "four.json"


def numbers_of(text):
    return [int(number) for number in re.findall(r"^Rule (\d+)", text, re.MULTILINE)]


def test_rules_in_another_order_keep_their_numbers(fruler, four_rules):
    plain = fruler("rules", four_rules, "--no-table").stdout
    assert numbers_of(plain) == [1, 2, 3, 4]
    assert fruler("rules", four_rules, "--sort", "file", "--no-table").stdout == plain
    weight = fruler("rules", four_rules, "--sort", "weight", "--no-table").stdout
    assert numbers_of(weight) == [3, 1, 4, 2]
    assert numbers_of(fruler("rules", four_rules, "--sort", "output", "--no-table").stdout) == [4, 2, 3, 1]
    assert weight.split("\n\n")[0] == plain.split("\n\n")[0]
    assert weight.split("\n\n")[5:] == plain.split("\n\n")[5:]
    beside = fruler("rules", four_rules, "--table", "--sort", "weight").stdout
    assert beside.split("\n\n")[1].splitlines()[0].split() == ["rule", "3", "1", "4", "2"]


def test_only_rules_that_use_an_input(fruler, four_rules):
    # Rules 1 and 2 look at the age, and rule 4 has a slope for it.
    result = fruler("rules", four_rules, "--only", "age", "--no-table")
    assert numbers_of(result.stdout) == [1, 2, 4]
    assert result.stdout.splitlines()[0] == "price: 4 rules; shown: 3 rules with age"
    assert numbers_of(fruler("rules", four_rules, "--only", "kind", "--sort", "output", "--no-table").stdout) == [4, 3]
    both = fruler("rules", four_rules, "--only", "kind", "--only", "age").stdout
    assert numbers_of(both) == [4]
    assert "shown: 1 rule with kind and age" in both
    assert "shown" not in fruler("rules", four_rules, "--only", "size").stdout


def test_only_rules_that_use_a_column_of_categories(fruler, model):
    rules = load_model(model).rule_base_
    assert numbers_of(fruler("rules", model, "--only", "smoker", "--no-table").stdout) == list(
        range(1, rules.n_rules + 1)
    )


def test_orders_and_inputs_that_are_not_there(fruler, four_rules, model, tmp_path):
    assert_one_line(fruler("rules", four_rules, "--sort", "wight"), "--sort: there is no order 'wight'", "'weight'")
    assert_one_line(fruler("rules", four_rules, "--only", "aeg"), "--only: there is no input 'aeg'", "'age'")
    assert_one_line(fruler("rules", model, "--sort", "weight", "--json"), "--sort is for rules as text", "--json")
    assert_one_line(fruler("rules", model, "--only", "age", "--latex"), "--only is for rules as text", "--latex")
    assert_one_line(fruler("rules", model, "--table", "--latex"), "--table is for rules as text", "--latex")
    x, z = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0))) for name in "xz")
    rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    write_model(tmp_path / "two.json", Model(rules))
    assert_one_line(fruler("rules", tmp_path / "two.json", "--only", "z"), "--only: no rule uses 'z'")
    assert_one_line(fruler("rules", tmp_path / "two.json", "--sort", "weight"), "--sort weight: ", "no support")


@pytest.mark.process
def test_a_binary_export_on_standard_output(model):
    pytest.importorskip("onnx")
    result = run_process("export", model, "--to", "onnx", encoding=None)
    assert result.stdout == export_model(load_model(model).rule_base_, "onnx")


def test_a_report_on_data_needs_the_target(fruler, model, tmp_path):
    (tmp_path / "new.csv").write_text("size,smoker,colour,heated,age\n70,yes,red,true,10\n")
    result = fruler("report", model, tmp_path / "new.csv", "-o", tmp_path / "r.html")
    assert_one_line(result, "new.csv", "'price'", "leave out DATA")
    (tmp_path / "new.csv").write_text("size,smoker,colour,heated,age,price\n70,yes,red,true,3,\n")
    result = fruler("report", model, tmp_path / "new.csv", "-o", tmp_path / "r.html")
    assert_one_line(result, "no row has a value of 'price'")
    assert not (tmp_path / "r.html").exists()


def test_more_rules_than_anybody_can_read_are_not_shown(fruler, tmp_path):
    n = 2_001
    x = Variable("x", FuzzyPartition(list(range(1, n)), (0.0, float(n))))
    rules = RuleBase([x], [[[k, k]] for k in range(n)], [[float(k), 0.0] for k in range(n)])
    (tmp_path / "m.json").write_bytes(model_bytes(Model(rules)))
    for arguments in (["rules"], ["report", "-o", tmp_path / "r.html"]):
        result = fruler(arguments[0], tmp_path / "m.json", *arguments[1:])
        assert result.returncode == 2
        assert "m.json has 2,001 rules with 0 coefficients, too many to read" in result.stderr
    (tmp_path / "t.csv").write_text("x\n1.5\n", encoding="utf-8")
    assert fruler("predict", tmp_path / "m.json", tmp_path / "t.csv").returncode == 0


def test_a_query_that_a_terminal_would_change_needs_a_file(model):
    master, slave = os.openpty()
    done = subprocess.run(command("export", model, "--to", "sql"), stdout=slave, stderr=subprocess.PIPE, check=False)
    os.close(slave)
    os.close(master)
    assert done.returncode == 2
    assert b"sql cannot be shown on a terminal as it is; name a file with -o" in done.stderr
