"""MLflow: models as files that run no code, loaded and served."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pandas as pd
import pytest
from helpers.mixed_tables import mixed_table

from fruler import FuzzyRuleRegressor

pytest.importorskip("mlflow", reason="MLflow is not installed; run: make test-engines")
# MLflow's own use of other packages.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def mlflow():
    import fruler.mlflow

    return fruler.mlflow


@pytest.fixture(scope="module")
def table():
    X, y = mixed_table(400)
    # Whole numbers, and dates, as a column may have them.
    X["floor"] = np.arange(400) % 7
    X["day"] = pd.date_range("2024-01-01", periods=400)
    return X, pd.Series(y + X["floor"], name="price")


@pytest.fixture(scope="module")
def model(table):
    return FuzzyRuleRegressor(max_evaluations=200, random_state=0, warn_outside=False).fit(*table)


@pytest.mark.parametrize("with_example", [False, True])
def test_a_model_comes_back_from_a_folder(mlflow, model, table, tmp_path, with_example):
    from mlflow import pyfunc

    X = table[0]
    folder = tmp_path / "model"
    mlflow.save_model(model, folder, input_example=X[:3] if with_example else None, metadata={"team": "prices"})
    loaded = mlflow.load_model(folder)
    assert type(loaded) is FuzzyRuleRegressor
    assert loaded.rule_base_ == model.rule_base_
    served = pyfunc.load_model(str(folder))
    np.testing.assert_array_equal(served.predict(X), model.predict(X))
    ends = served.predict(X, params={"coverage": 0.8})
    expected = model.predict_interval(X, 0.8)
    np.testing.assert_array_equal(ends, np.column_stack([model.predict(X), expected.lower, expected.upper]))
    assert [column.name for column in served.metadata.signature.inputs] == list(model.rule_base_.columns)
    assert served.metadata.metadata == {"team": "prices"}
    assert (served.input_example is not None) == with_example
    assert (folder / "rules.txt").read_text() == f"{model.rule_base_}\n"
    assert "<html" in (folder / "report.html").read_text()
    with pytest.raises(FileExistsError, match="is not empty; choose another"):
        mlflow.save_model(model, folder)


def test_no_file_of_a_model_runs_code(mlflow, model, tmp_path):
    mlflow.save_model(model, tmp_path / "model")
    assert {path.suffix for path in (tmp_path / "model").iterdir()} <= {"", ".json", ".yaml", ".txt", ".html"}
    (tmp_path / "model" / "model.json").write_text('{"__reduce__": "os.system"}')
    with pytest.raises(ValueError, match="model"):
        mlflow.load_model(tmp_path / "model")


def test_a_model_is_logged_and_registered(mlflow, model, table, tmp_path, monkeypatch):
    import mlflow as package

    monkeypatch.chdir(tmp_path)
    package.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    try:
        with package.start_run():
            logged = mlflow.log_model(model, input_example=table[0][:3], registered_model_name="prices")
        for address in (logged.model_uri, "models:/prices/1"):
            assert mlflow.load_model(address).rule_base_ == model.rule_base_
    finally:
        package.set_tracking_uri("")


def test_the_flavor_of_scikit_learn_takes_the_model_with_its_types(mlflow, model, table, tmp_path):
    import skops.io
    from mlflow import sklearn
    from mlflow.exceptions import MlflowException

    with pytest.raises(MlflowException, match="skops_trusted_types"):
        sklearn.save_model(model, str(tmp_path / "refused"))
    types = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    sklearn.save_model(model, str(tmp_path / "model"), skops_trusted_types=types)
    loaded = sklearn.load_model(str(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.predict(table[0]), model.predict(table[0]))


@pytest.fixture
def address(mlflow, model, tmp_path):
    """The address of a server of the model, on this machine."""
    mlflow.save_model(model, tmp_path / "model")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = "--env-manager", "local", "--host", "127.0.0.1", "--port", str(port)
    command = [sys.executable, "-m", "mlflow", "models", "serve", "--model-uri", str(tmp_path / "model"), *options]
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, env={**os.environ, "PATH": path}, start_new_session=True, **quiet)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def answer(address, document=None):
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return reply.read()


def test_a_model_is_served(address, model, table):
    end = time.monotonic() + 120
    while True:
        try:
            answer(f"{address}/ping")
            break
        except OSError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.5)
    X = table[0][:5]
    split = json.loads(X.to_json(orient="split", index=False, date_format="iso"))
    found = json.loads(answer(f"{address}/invocations", {"dataframe_split": split, "params": {"coverage": 0.9}}))
    expected = model.predict_interval(X, 0.9)
    got = pd.DataFrame(found["predictions"])
    np.testing.assert_allclose(got["prediction"], model.predict(X), rtol=1e-9)
    np.testing.assert_allclose(got[["lower", "upper"]].T, [expected.lower, expected.upper], rtol=1e-9)
