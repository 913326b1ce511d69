import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.export import export_model
from fruler.export.onnx import pipeline_to_onnx
from fruler.rules import FuzzyPartition, RuleBase, Variable


def session_of(content):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def test_the_runtime_predicts_the_same(rule_base, rows, check):
    X = rows(rule_base)
    (found,) = session_of(export_model(rule_base, "onnx")).run(["prediction"], {"X": X})
    assert found.shape == (len(X), 1)
    assert found.dtype == np.float64
    check(rule_base, X, found)


def test_numbers_of_32_bits_predict_nearly_the_same(rule_base, rows, check):
    X = rows(rule_base, corners=False).astype(np.float32)
    (found,) = session_of(export_model(rule_base, "onnx", float32=True)).run(None, {"X": X})
    assert found.dtype == np.float32
    check(rule_base, X.astype(float), found, 1e-5)


@pytest.mark.parametrize("split", [0.1, 0.7])  # one is rounded up, the other down
def test_crisp_borders_are_exact_in_32_bits(check, split):
    variable = Variable("a", FuzzyPartition([split], (0.0, 1.0), fuzziness=0.0))
    rule_base = RuleBase([variable], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
    border = np.float32(split)
    X = np.array([[np.nextafter(border, way)] for way in (np.float32(0), border, np.float32(1))], dtype=np.float32)
    (found,) = session_of(export_model(rule_base, "onnx", float32=True)).run(None, {"X": X})
    check(rule_base, X.astype(float), found, 1e-5)


def operators(content):
    return {node.op_type for node in onnx.load_from_string(content).graph.node}


def test_operators_are_standard(rule_base):
    model = onnx.load_from_string(export_model(rule_base, "onnx"))
    assert {node.domain for node in model.graph.node} == {""}
    assert [opset.domain for opset in model.opset_import] == [""]
    assert model.graph.output[0].name == "prediction"


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
    with pytest.raises(ImportError, match=r'^ONNX export needs onnx; run: pip install "fruler\[onnx\]"$'):
        export_model(make_rules("crisp"), "onnx")


def test_without_skl2onnx_a_pipeline_says_what_to_install(make_rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match="pip install skl2onnx"):
        pipeline_to_onnx(make_pipeline(StandardScaler()))
