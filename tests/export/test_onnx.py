import sys
from dataclasses import replace
from itertools import product

import numpy as np
import onnx
import pandas as pd
import pytest
from helpers.exported import session_of
from helpers.mixed_tables import MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows, without_gaps
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from fruler import FuzzyRuleRegressor
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler.data import load_example
from fruler.export import export_model
from fruler.export.onnx import build_graph, pipeline_to_onnx
from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_the_runtime_predicts_the_same_with_standard_operators(rule_base, rows, check):
    X, content = rows(rule_base), export_model(rule_base, "onnx")
    (found,) = session_of(content).run(["prediction"], {"X": X})
    assert found.shape == (len(X), 1)
    assert found.dtype == np.float64
    check(rule_base, X, found)
    model = onnx.load_from_string(content)
    assert {node.domain for node in model.graph.node} == {""}
    assert [opset.domain for opset in model.opset_import] == [""]


def test_numbers_of_32_bits_predict_nearly_the_same(some_kinds, rows, check):
    for rule_base in some_kinds.values():
        X = rows(rule_base, corners=False).astype(np.float32)
        (found,) = session_of(export_model(rule_base, "onnx", float32=True)).run(None, {"X": X})
        assert found.dtype == np.float32
        check(rule_base, X.astype(float), found, 1e-5, rounding=2.0**-22)


@pytest.mark.parametrize("split", [0.1, 0.7])  # one is rounded up, the other down
def test_crisp_split_points_are_exact_in_32_bits(check, split):
    variable = Variable("a", FuzzyPartition([split], (0.0, 1.0), fuzziness=0.0))
    rule_base = RuleBase([variable], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
    split_point = np.float32(split)
    X = np.array(
        [[np.nextafter(split_point, way)] for way in (np.float32(0), split_point, np.float32(1))], dtype=np.float32
    )
    (found,) = session_of(export_model(rule_base, "onnx", float32=True)).run(None, {"X": X})
    check(rule_base, X.astype(float), found, 1e-5)


def operators(content):
    return {node.op_type for node in onnx.load_from_string(content).graph.node}


@pytest.mark.parametrize(
    ("name", "sought"),
    [("grown on weather", False), ("crisp", False), ("one rule", False), ("gaps", True), ("nominal", True)],
)
def test_the_nearest_rule_is_sought_only_where_rows_can_be_uncovered(make_rules, name, sought):
    assert ("ArgMin" in operators(export_model(make_rules(name), "onnx"))) == sought


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_a_pipeline_with_a_scaler_is_one_model(scaler):
    data = load_example("friedman")
    X, y = data.data.to_numpy()[:300], np.asarray(data.target)[:300]
    pipeline = make_pipeline(scaler, FuzzyRuleRegressor(random_state=0)).fit(X, y)
    assert pipeline[-1].rule_base_.n_rules > 1
    for kind, tolerance in ((np.float64, 1e-9), (np.float32, 1e-5)):
        session = session_of(pipeline_to_onnx(pipeline, float32=kind is np.float32))
        (found,) = session.run(["prediction"], {"X": X.astype(kind)})
        assert found.shape == (len(X), 1)
        assert found.dtype == kind
        np.testing.assert_allclose(found[:, 0], pipeline.predict(X), rtol=0, atol=tolerance * y.std())


def test_without_onnx_the_error_says_what_to_install(make_rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'^ONNX export needs onnx; run: pip install "onnx>=.* fruler\[onnx\]\)$'):
        export_model(make_rules("crisp"), "onnx")


def test_without_skl2onnx_a_pipeline_says_what_to_install(make_rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match="pip install skl2onnx"):
        pipeline_to_onnx(make_pipeline(StandardScaler()))


def fed(rule_base, rows, kind=np.float64):
    """Give every column as a table of its own: numbers with NaN, categories as text, empty where one is missing."""
    texts = {variable.column for variable in rule_base.variables if variable.levels is not None}
    return {
        name: np.array([["" if pd.isna(value) else str(value)] for value in rows[name]], dtype=object)
        if name in texts
        else rows[[name]].to_numpy(kind)
        for name in rule_base.columns
    }


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_the_runtime_predicts_the_same_from_the_columns_of_the_user(kind):
    rule_base, rows = mixed_model(kind), mixed_rows()
    (found,) = session_of(export_model(rule_base, "onnx")).run(["prediction"], fed(rule_base, rows))
    assert found.dtype == np.float64
    assert found.shape == (len(rows), 1)
    assert_same(found, rule_base.predict(rows))


@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_columns_in_32_bits_predict_nearly_the_same(kind):
    rule_base, rows = mixed_model(kind), mixed_rows()
    (found,) = session_of(export_model(rule_base, "onnx", float32=True)).run(None, fed(rule_base, rows, np.float32))
    assert found.dtype == np.float32
    assert_same(found, rule_base.predict(rows), 2e-5)


@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_what_is_not_filled_in_gives_nan(kind):
    rule_base, rows = mixed_model(kind), mixed_rows()
    for content in (export_model(without_gaps(rule_base), "onnx"), export_model(rule_base, "onnx", gaps=False)):
        (found,) = session_of(content).run(None, fed(rule_base, rows))
        np.testing.assert_array_equal(np.isnan(found[:, 0]), ~complete(rows))
        assert_same(found[complete(rows)], rule_base.predict(rows[complete(rows)]))


@pytest.mark.parametrize("number", [np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_infinity_gives_nan(kind, number):
    rows = mixed_rows().iloc[::7].copy()
    rows.loc[rows.index[::2], "size"] = number
    (found,) = session_of(export_model(mixed_model(kind), "onnx")).run(None, fed(mixed_model(kind), rows))
    np.testing.assert_array_equal(np.isnan(found[:, 0]), np.arange(len(rows)) % 2 == 0)


def test_infinity_gives_nan_where_only_conditions_look_at_it():
    variable = Variable("a", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    rule_base = RuleBase([variable], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]], gaps=Gaps([0], [0.7], [[0.0]]))
    X = np.array([[np.inf], [-np.inf], [np.nan], [0.2]])
    (found,) = session_of(export_model(rule_base, "onnx")).run(None, {"X": X})
    np.testing.assert_array_equal(found, [[np.nan], [np.nan], [2.0], [1.0]])
    (found,) = session_of(export_model(rule_base, "onnx", gaps=False)).run(None, {"X": X})
    np.testing.assert_array_equal(found, [[np.nan], [np.nan], [np.nan], [1.0]])


def number_rules(coefficients):
    sources = [NumberSource("a"), NumberSource("b"), GapSource("a")]
    variables = [
        Variable(name, FuzzyPartition([], (0.0, 1.0)), source=source)
        for name, source in zip(["a", "b", "a is missing"], sources, strict=True)
    ]
    rules = RuleBase(variables, [[[0, 0]] * 3], [coefficients])
    used = np.flatnonzero(rules.uses)
    n = len(used)
    return replace(rules, gaps=Gaps(used, np.arange(1.0, n + 1.0), 0.5 * (1.0 - np.eye(n))))


@pytest.mark.parametrize(
    "coefficients", [[1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 4.0], [1.0, 2.0, 0.0, 0.0], [7.0, 0, 0, 0]]
)
def test_a_table_of_numbers_with_gaps_is_one_input(coefficients):
    rule_base = number_rules(coefficients)
    rows = pd.DataFrame(list(product([1.5, np.nan], [-2.0, np.nan])), columns=["a", "b"])
    session = session_of(export_model(rule_base, "onnx"))
    assert [(one.name, one.shape) for one in session.get_inputs()] == [("X", ["n_rows", 2])]
    (found,) = session.run(None, {"X": rows.to_numpy()})
    np.testing.assert_allclose(found[:, 0], rule_base.predict(rows), rtol=1e-12)


@pytest.mark.parametrize("coefficient", [0.0, 2.0])
def test_columns_may_have_the_names_of_tables_in_the_graph(coefficient):
    names = ["slopes", "total", "zero", "column 0", "answer", "answer_"]
    variables = [Variable(name, FuzzyPartition([0.5], (0.0, 1.0)), source=NumberSource(name)) for name in names]
    variables.append(Variable("values", FuzzyPartition([], (0.0, 5.0)), source=LevelSource("values", "ab", [1.0, 5.0])))
    whole = [[0, 1]] * 5 + [[0, 0]]
    rule_base = RuleBase(
        variables, [[[0, 0], *whole], [[1, 1], *whole]], [[1.0, *[coefficient] * 7], [2.0, *[coefficient] * 7]]
    )
    rows = pd.DataFrame(np.random.default_rng(0).random((4, 6)), columns=names).assign(values=list("abba"))
    session = session_of(export_model(rule_base, "onnx"))
    assert [one.name for one in session.get_inputs()] == [*names, "values"]
    assert_same(session.run(None, fed(rule_base, rows))[0], rule_base.predict(rows))


def test_no_column_may_be_called_like_the_output():
    x = Variable("prediction", FuzzyPartition([], (0.0, 5.0)), source=LevelSource("prediction", "ab", [1.0, 5.0]))
    with pytest.raises(ValueError, match="'prediction' has the name of an output"):
        export_model(RuleBase([x], [[[0, 0]]], [[1.0, 2.0]]), "onnx")


def test_truth_values_are_known_in_the_usual_cases_of_their_letters():
    rule_base, rows = mixed_model("growth"), mixed_rows().iloc[:1]
    session = session_of(export_model(rule_base, "onnx"))
    found = [session.run(None, fed(rule_base, rows.assign(sold=text)))[0][0, 0] for text in ("True", "true", "TRUE")]
    assert found == [pytest.approx(rule_base.predict(rows.assign(sold=True))[0])] * 3


def test_gaps_in_the_numbers_of_a_pipeline_are_filled_in():
    data = load_example("friedman")
    X, y = data.data.to_numpy()[:200].copy(), np.asarray(data.target)[:200]
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    pipeline = make_pipeline(StandardScaler(), FuzzyRuleRegressor(random_state=0)).fit(X, y)
    (found,) = session_of(pipeline_to_onnx(pipeline)).run(["prediction"], {"X": X})
    assert_same(found, pipeline.predict(X))


def test_a_pipeline_with_categories_is_refused():
    with pytest.raises(ValueError, match="categories cannot be converted; export the rules themselves"):
        build_graph(mixed_model("growth"), np.dtype(float), "X", "prediction")


def test_a_constant_over_categories_needs_no_value():
    levels = LevelSource("a", ["x", "y"], [1.0, 2.0])
    rule_base = RuleBase([Variable("a", FuzzyPartition([], (0.0, 2.0)), source=levels)], [[[0, 0]]], [[42.0, 0.0]])
    (found,) = session_of(export_model(rule_base, "onnx")).run(
        None, {"a": np.array([["x"], [""], ["z"]], dtype=object)}
    )
    np.testing.assert_array_equal(found, [[42.0]] * 3)
