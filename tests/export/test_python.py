import json
import subprocess
import sys

import pytest

from fruler.export import export_model

RUN = """
import json, sys
source = open(sys.argv[1], encoding="utf-8").read()
module = {"__name__": "exported"}
exec(compile(source, "exported", "exec"), module)
assert not {"numpy", "fruler"} & set(sys.modules)
rows = json.load(sys.stdin)
print(json.dumps([[module["predict"](row) for row in rows], module["INPUTS"], module["TARGET"]]))
"""


def run(source, X, folder):
    path = folder / "exported.py"
    path.write_text(source, encoding="utf-8")
    command = [sys.executable, "-I", "-W", "error", "-c", RUN, str(path)]
    done = subprocess.run(command, input=json.dumps(X.tolist()), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_fresh_interpreter_predicts_the_same(rule_base, rows, check, tmp_path):
    X = rows(rule_base)
    predictions, inputs, target = run(export_model(rule_base, "python"), X, tmp_path)
    check(rule_base, X, predictions)
    assert inputs == [variable.name for variable in rule_base.variables]
    assert target == rule_base.target_name


def test_it_reads_like_the_rules(make_rules):
    rule_base = make_rules("mixed fuzziness")
    source = export_model(rule_base, "python")
    labels = rule_base.variables[0].partition.labels
    assert f"# Rule 2 (weight 20%): if a is {labels[2]} or {labels[3]} and b is low or medium\n" in source
    assert "# in m\n" in source


def test_only_what_is_needed_is_in_it(make_rules):
    assert "nearest" in export_model(make_rules("gaps"), "python")
    for name in ("crisp", "grown on weather", "a rule for everything", "one rule"):
        assert "nearest" not in export_model(make_rules(name), "python")
    assert "_gone_over" not in export_model(make_rules("one rule"), "python")
    assert "curves" not in export_model(make_rules("crisp"), "python")


@pytest.mark.parametrize(("row", "problem"), [([1.0], "a row has 2"), ([1.0, float("nan")], "finite")])
def test_a_bad_row_is_refused(make_rules, row, problem):
    module = {}
    exec(export_model(make_rules("crisp"), "python"), module)  # noqa: S102
    with pytest.raises(ValueError, match=problem):
        module["predict"](row)
