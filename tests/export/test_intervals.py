"""Exported models give the prediction intervals of the rule base, and clip where it does."""

import ctypes
import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from fruler.export import export_model
from fruler.export.plan import make_plan
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.intervals import Intervals

from .test_c import compiled
from .test_onnx import session_of
from .test_sql import TABLE, in_duckdb, in_sqlite, quoted

RUN = """
import json, sys
module = {"__name__": "exported"}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), "exported", "exec"), module)
rows = json.load(sys.stdin)
found = [module["predict_interval"](row) for row in rows]
assert [one[0] for one in found] == [module["predict"](row) for row in rows]
print(json.dumps(found))
"""


def ready(rule_base, rows, extrapolation):
    """Give a rule base training data from half of its domain, and intervals."""
    X = rows(rule_base, 60)
    for j, variable in enumerate(rule_base.variables):
        if variable.partition.ordered:
            low, high = variable.partition.range
            X[:, j] = np.clip(X[:, j], low, (low + high) / 2.0)
    y = rule_base.predict(X)
    spreads = np.random.default_rng(0).uniform(0.5, 2.0, rule_base.n_rules)
    intervals = Intervals([0.5, 0.9], [1.0, 2.5], spreads, 9, "calibration")
    trained = rule_base.with_training(X, y)
    return replace(trained, intervals=intervals, extrapolation=extrapolation)


def in_python(rule_base, X, tmp_path):
    path = tmp_path / "exported.py"
    path.write_text(export_model(rule_base, "python", interval=0.9), encoding="utf-8")
    command = [sys.executable, "-I", "-W", "error", "-c", RUN, str(path)]
    done = subprocess.run(command, input=json.dumps(X.tolist()), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout))


def in_c(rule_base, X, tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    library = compiled(export_model(rule_base, "c", interval=0.9), tmp_path)
    numbers = ctypes.POINTER(ctypes.c_double)
    library.fruler_predict_interval.restype = ctypes.c_double
    library.fruler_predict_interval.argtypes = [numbers, numbers, numbers]
    found = []
    for row in np.ascontiguousarray(X):
        lower, upper = ctypes.c_double(), ctypes.c_double()
        at = row.ctypes.data_as(numbers)
        prediction = library.fruler_predict_interval(at, ctypes.byref(lower), ctypes.byref(upper))
        alone = library.fruler_predict(at)
        assert prediction == alone or (math.isnan(prediction) and math.isnan(alone))
        found.append((prediction, lower.value, upper.value))
    return np.array(found)


def in_sql(rule_base, X, tmp_path, run=in_sqlite):
    names = ["key", *(variable.name for variable in rule_base.variables)]
    query = export_model(rule_base, "sql", table=TABLE, keep=["key"], interval=0.9)
    found = run(names, np.column_stack([np.arange(len(X)), X]).tolist(), query)
    return np.array(sorted(found))[:, 1:]


def in_duck(rule_base, X, tmp_path):
    return in_sql(rule_base, X, tmp_path, in_duckdb)


def in_onnx(rule_base, X, tmp_path):
    session = session_of(export_model(rule_base, "onnx", interval=0.9))
    return np.column_stack(session.run(["prediction", "lower", "upper"], {"X": X}))


# What is clipped has all that is linear, and a compiler takes its time.
TARGETS = [(run, "clip") for run in (in_python, in_c, in_sql, in_duck, in_onnx)]
TARGETS += [(run, "linear") for run in (in_sql, in_onnx)]


@pytest.mark.parametrize(("run", "extrapolation"), TARGETS)
def test_every_target_gives_the_same_intervals(rule_base, rows, tmp_path, run, extrapolation):
    rules = ready(rule_base, rows, extrapolation)
    X = rows(rules, 80)
    found = run(rules, X, tmp_path)
    lower, upper, _ = rules.predict_interval(X, 0.9)
    expected = np.column_stack([rules.predict(X), lower, upper])
    taken = rules.clipped(X)
    unit = (np.abs(taken) @ np.abs(rules.slopes.T)).max(axis=1) + np.abs(expected).max(axis=1) + 1.0
    for curve in rules.curves:
        unit += np.abs(taken[:, curve.input]) * np.abs(curve.coefficients[:, 1]).sum()
    assert found.shape == expected.shape
    assert (np.abs(found - expected) <= 1e-9 * unit[:, None]).all()


@pytest.mark.parametrize("run", [in_c, in_duck, in_onnx])
def test_infinity_stays_no_number_where_values_are_clipped(make_rules, rows, tmp_path, run):
    rules = ready(make_rules("mixed fuzziness"), rows, "clip")
    X = np.array([[np.inf, 3.0, 0.5], [0.1, -np.inf, 0.5], [0.1, 3.0, 0.5]])
    found = np.array(run(rules, X, tmp_path), dtype=float)
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2]).all()


def test_without_intervals_nothing_is_said_of_them(make_rules):
    for target in ("python", "c", "sql"):
        text = export_model(make_rules("grown on weather"), target)
        assert "interval" not in text
        assert "beyond" not in text
    with pytest.raises(ValueError, match=r"calibration=0\.2"):
        export_model(make_rules("crisp"), "python", interval=0.9)


def test_a_column_with_the_name_of_an_end_is_refused(make_rules, rows):
    rules = ready(make_rules("crisp"), rows, "linear")
    with pytest.raises(ValueError, match="distinct names"):
        export_model(rules, "sql", keep=["lower"], interval=0.9)


def test_the_plan_of_one_rule_has_the_inputs_of_its_ranges():
    inputs = [Variable(name, FuzzyPartition([1.0], (0.0, 2.0))) for name in "ab"]
    rules = RuleBase(inputs, [[[0, 0], [0, 1]]], [[1.0, 0.0, 1.0]]).with_training([[0.0, 0.0], [1.0, 2.0]], [1.0, 2.0])
    calibrated = rules.with_intervals([[0.0, 0.0], [1.0, 2.0]], [1.0, 2.0])
    assert make_plan(calibrated).used == (1,)
    assert make_plan(calibrated, 0.5).used == (0, 1)
    assert make_plan(calibrated, 0.5).interval.ranges == {0: (0.0, 1.0), 1: (0.0, 2.0)}


def test_names_are_quoted_in_the_query(make_rules, rows):
    rules = ready(make_rules("nasty names"), rows, "clip")
    assert quoted("upper") in export_model(rules, "sql", interval=0.9)
