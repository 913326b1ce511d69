"""The exported module of JavaScript, run in Node.js; the tests of reports run the same code in a browser."""

import numpy as np
import pandas as pd
import pytest
from helpers.engines import with_js
from helpers.exported import run_js
from helpers.mixed_tables import COLUMNS, MIXED_MODELS, assert_same, mixed_model, mixed_rows, without_gaps

from fruler import FuzzyRuleRegressor
from fruler._table.dates import DateFormat
from fruler.explain._engine import engine_code
from fruler.explain.report import report_html
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable

from .test_dates import VARIANTS, date_rules, expected, moments

# What a call returns, or its message.
_TRIED = "rows.map(row => { try { return model.predict(row); } catch (error) { return error.message; } })"


@pytest.fixture(scope="module")
def answers(kinds, rows, tmp_path_factory):
    """Run the modules of every kind of rules in one Node.js."""
    sources = [export_model(rules, "js") for rules in kinds.values()]
    tables = [rows(rules).tolist() for rules in kinds.values()]
    call = "[rows.map(model.predict), model.INPUTS, model.TARGET]"
    return dict(zip(kinds, run_js(sources, tables, tmp_path_factory.mktemp("js"), call), strict=True))


def test_node_predicts_the_same(rule_base, kind, rows, check, answers):
    predictions, inputs, target = answers[kind]
    check(rule_base, rows(rule_base), predictions)
    assert inputs == list(rule_base.names)
    assert target == rule_base.target_name


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_a_row_has_the_columns_of_the_user(kind, tmp_path):
    rule_base = mixed_model(kind)
    rows = mixed_rows()[list(rule_base.columns)].iloc[::3]
    assert_same(with_js(rule_base, rows, tmp_path), rule_base.predict(rows))


def tried(rule_base, rows, folder):
    return run_js([export_model(rule_base, "js")], [rows], folder, _TRIED)[0]


def test_values_are_read_like_those_of_a_table(tmp_path):
    rule_base = mixed_model("growth")
    written = ["0.5", " usa ", 100, "TRUE", 1]
    wanted = rule_base.predict(pd.DataFrame([written], columns=list(COLUMNS)))[0]
    named = dict(zip(COLUMNS, written, strict=True))
    odd = [[number, *written[1:]] for number in ("Infinity", "nan", "far", True, "0x10", "1_000")]
    rows = [written, [0.5, "usa", 100, True, "1"], named, {**named, "more": 1}, written[:4], {"size": 1}, 3, *odd]
    found = tried(rule_base, rows, tmp_path)
    np.testing.assert_allclose(found[:4], wanted, rtol=1e-12)
    assert found[4:7] == [
        "a row has 5 values; got 4",
        'the row has no "origin"; write null if the value is missing',
        "a row is an object or an array; got 3",
    ]
    assert all(text.startswith('column "size" needs a finite number, or null; got ') for text in found[7:])


def test_rules_that_cannot_fill_in_gaps_refuse_them(tmp_path):
    rule_base = without_gaps(mixed_model("growth"))
    (message,) = tried(rule_base, [[None, "usa", 100, True, "1"]], tmp_path)
    assert message == 'the value of "size" is missing or unknown, and the model needs it'


def test_names_and_categories_do_no_harm(tmp_path):
    names = ["__proto__", "10", "2", "</script>", "it's \"a\\", "constructor"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(names, 400) for name in names[:3]})
    for name in names[3:]:
        frame[name] = rng.normal(size=400)
    y = sum(frame[name].map(names.index) * (k + 1) for k, name in enumerate(names[:3])) + frame["</script>"]
    # Several columns with numbers as names have gaps, and are filled in turn.
    for name in ("__proto__", "10", "2", "</script>"):
        frame[name] = frame[name].mask(rng.random(400) < 0.2)
    model = FuzzyRuleRegressor(random_state=0).fit(frame, pd.Series(y + rng.normal(size=400), name="</script>*/"))
    assert_same(with_js(model.rule_base_, frame.iloc[:80], tmp_path), model.predict(frame.iloc[:80]))
    source = export_model(model.rule_base_, "js")
    assert "</script" not in source.split("\n", 1)[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_dates_are_read_as_predict_does(variant, tmp_path):
    rules, values = date_rules(**VARIANTS[variant]), moments()
    frame = pd.DataFrame({"sold": values})
    np.testing.assert_allclose(with_js(rules, frame, tmp_path), expected(rules, values), rtol=1e-9)


def test_text_of_dates_is_read_as_predict_does(tmp_path):
    values = pd.Series(["31.12.2023 18:30", "1.3.2024", None])
    rules = date_rules(dates=DateFormat(order="dmy"))
    np.testing.assert_allclose(with_js(rules, pd.DataFrame({"sold": values}), tmp_path), expected(rules, values))
    wrong = tried(rules, [["31.2.2024"], ["soon"], ["1.3.2024 12:00+01:00"], [7]], tmp_path)
    assert [text.split("; got")[0] for text in wrong] == [
        'column "sold" needs a day of the calendar',
        'column "sold" needs dates such as "2024-12-31"',
        'column "sold" needs dates with no time zone',
        'column "sold" needs dates such as "2024-12-31"',
    ]


@pytest.mark.parametrize("zone", ["America/New_York", "UTC", "Asia/Kolkata", "as written"])
def test_zones_are_those_of_the_model(zone, tmp_path):
    texts = [
        "2023-12-31 23:30+02:00",
        "2024-03-10 06:59Z",
        "2024-03-10 07:01Z",
        "2024-11-03 05:30-0400",
        "1950-06-01 00:00Z",
    ]
    rules = date_rules(dates=DateFormat(zone), unit="hours")
    wanted = expected(rules, pd.Series(texts))
    np.testing.assert_allclose(tried(rules, [[text] for text in texts], tmp_path), wanted, rtol=1e-9)
    call = _TRIED.replace("model.predict(row)", "model.predict(row.map(text => new Date(text)))")
    (found,) = run_js([export_model(rules, "js")], [[["2024-03-10T06:59Z"], ["2024-03-10T07:01Z"]]], tmp_path, call)
    if zone == "as written":
        assert all("needs dates as text" in text for text in found)
    else:
        np.testing.assert_allclose(found, wanted[1:3], rtol=1e-9)


def test_an_explanation_names_the_rules_and_adds_up(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.uniform(0, 10, 300), "g": rng.choice(["a", "b"], 300)})
    y = np.where(frame["x"] < 5, 2 * frame["x"], 10 - frame["x"]) + (frame["g"] == "a")
    model = FuzzyRuleRegressor(random_state=0, calibration=0.3).fit(frame, y)
    rows = frame.iloc[:20]
    source = export_model(model.rule_base_, "js", interval=0.9)
    (found,) = run_js([source], [rows.to_dict("records")], tmp_path, "rows.map(model.explain)")
    lower, upper, _ = model.predict_interval(rows, 0.9)
    for own, low, high in zip(found, lower, upper, strict=True):
        assert own["base"] + sum(part["contribution"] for part in own["contributions"]) == pytest.approx(
            own["prediction"]
        )
        assert sum(part["weight"] * part["output"] for part in own["rules"]) == pytest.approx(own["prediction"])
        assert [own["lower"], own["upper"]] == pytest.approx([low, high])
        assert [part["weight"] for part in own["rules"]] == sorted(
            (part["weight"] for part in own["rules"]), reverse=True
        )
        assert all(part["text"].startswith(f"Rule {part['rule']} ") for part in own["rules"])


def test_types_name_the_columns():
    types = export_model(mixed_model("growth"), "js", types=True)
    assert '  "a b": number | string | null;\n  "sold": boolean | number | string | null;\n' in types
    assert "predictInterval" not in types
    assert "lower" not in types
    zoned = date_rules(dates=DateFormat("UTC"))
    assert '"sold": string | Date | null;' in export_model(zoned, "js", types=True)


def test_the_report_runs_the_code_of_the_module():
    rules = RuleBase([Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    page = report_html(rules)
    code = [line.strip() for line in engine_code().splitlines() if line.strip() and not line.strip().startswith("//")]
    assert "\n".join(code) in page
    assert engine_code() in export_model(rules, "js")
