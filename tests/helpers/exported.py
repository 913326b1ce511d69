"""Engines that run exported rules: an interpreter and a compiler, each started once for many, databases, a runtime."""

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from fruler.export import export_model

TABLE = 'the "table"; --'

_RUN = """
import json, sys
answers = []
for source, function, rows in json.load(sys.stdin):
    module = {"__name__": "exported"}
    exec(compile(source, "exported", "exec"), module)
    found = [module[function](row) for row in rows]
    if function == "predict_interval":
        assert [prediction for prediction, _, _ in found] == [module["predict"](row) for row in rows]
    answers.append([found, module["INPUTS"], module["TARGET"]])
assert not {"numpy", "fruler"} & set(sys.modules)
print(json.dumps(answers))
"""


def run_python(sources, tables, function="predict"):
    """Return the answers, the names of the inputs and of the target of modules, from one interpreter without numpy."""
    calls = [[source, function, rows] for source, rows in zip(sources, tables, strict=True)]
    command = [sys.executable, "-I", "-W", "error", "-c", _RUN]
    done = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


_NUMBERS = ctypes.POINTER(ctypes.c_double)
_C_NAMES = ("fruler_predict", "fruler_predict_interval", "fruler_code", "fruler_inputs", "fruler_target")
_C_OPTIONS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wmissing-prototypes", "-Wshadow")


class CompiledModel:
    """One of the files in a library, whose names have its number."""

    def __init__(self, library, number):
        self._library, self._number = library, number
        self._predict = self._function("fruler_predict", [_NUMBERS])

    def _function(self, name, arguments):
        function = getattr(self._library, f"{name}_{self._number}")
        function.restype, function.argtypes = ctypes.c_double, arguments
        return function

    def predict(self, X):
        return [self._predict(row.ctypes.data_as(_NUMBERS)) for row in np.ascontiguousarray(X, dtype=float)]

    def predict_interval(self, X):
        function = self._function("fruler_predict_interval", [_NUMBERS] * 3)
        lower, upper, found = ctypes.c_double(), ctypes.c_double(), []
        for row, alone in zip(np.ascontiguousarray(X, dtype=float), self.predict(X), strict=True):
            prediction = function(row.ctypes.data_as(_NUMBERS), ctypes.byref(lower), ctypes.byref(upper))
            assert prediction == alone or (math.isnan(prediction) and math.isnan(alone))
            found.append((prediction, lower.value, upper.value))
        return np.array(found)

    def code(self, column, text):
        return self._function("fruler_code", [ctypes.c_int, ctypes.c_char_p])(column, text)

    def inputs(self, n_columns):
        names = (ctypes.c_char_p * n_columns).in_dll(self._library, f"fruler_inputs_{self._number}")
        return [name.decode() for name in names]

    @property
    def target(self):
        return ctypes.c_char_p.in_dll(self._library, f"fruler_target_{self._number}").value.decode()


def compiled(sources, folder, optimised="-O1"):
    """Compile files in one run of gcc; in each of them, names that others see are followed by its number."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    paths = []
    for number, source in enumerate(sources):
        names = "".join(f"#define {name} {name}_{number}\n" for name in _C_NAMES)
        paths.append(folder / f"model_{number}.c")
        paths[-1].write_text(names + source, encoding="utf-8")
    command = [
        "gcc",
        *_C_OPTIONS,
        optimised,
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "models.so"),
        *map(str, paths),
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "models.so"))
    return [CompiledModel(library, number) for number in range(len(paths))]


def run_js(sources, tables, folder, call):
    """Return the values of an expression of `model` and `rows` for each module, from one Node.js."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js: install the package nodejs")
    script = "import fs from 'fs'; const found = [];\n"
    for number, (source, rows) in enumerate(zip(sources, tables, strict=True)):
        (folder / f"model_{number}.mjs").write_text(source, encoding="utf-8")
        (folder / f"rows_{number}.json").write_text(json.dumps(rows), encoding="utf-8")
        script += (
            f"{{ const model = await import('./model_{number}.mjs');"
            f" const rows = JSON.parse(fs.readFileSync('rows_{number}.json')); found.push({call}); }}\n"
        )
    script += "console.log(JSON.stringify(found));"
    command = [node, "--input-type=module", "-e", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def in_sqlite(names, rows, query):
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE {quoted(TABLE)} ({', '.join(f'{quoted(name)} REAL' for name in names)})")
    database.executemany(f"INSERT INTO {quoted(TABLE)} VALUES ({', '.join('?' * len(names))})", rows)
    return database.execute(query).fetchall()


def in_duckdb(names, rows, query):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE {quoted(TABLE)} ({', '.join(f'{quoted(name)} DOUBLE' for name in names)})")
        frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(len(names))])  # noqa: F841
        database.execute(f"INSERT INTO {quoted(TABLE)} SELECT * FROM frame")
        return database.execute(query).fetchall()


def session_of(content):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # The optimiser leaves out products with a number that is 1 but for 1e-8: the radius of an interval may be such.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def python_intervals(models, tables, folder):
    sources = [export_model(rules, "python", interval=0.9) for rules in models]
    answers = run_python(sources, [X.tolist() for X in tables], "predict_interval")
    return [np.array(found) for found, _, _ in answers]


def c_intervals(models, tables, folder):
    libraries = compiled([export_model(rules, "c", interval=0.9) for rules in models], folder)
    return [library.predict_interval(X) for library, X in zip(libraries, tables, strict=True)]


def js_intervals(models, tables, folder):
    sources = [export_model(rules, "js", interval=0.9) for rules in models]
    return [
        np.array(own, dtype=float)
        for own in run_js(sources, [X.tolist() for X in tables], folder, "rows.map(model.predictInterval)")
    ]


def sqlite_intervals(models, tables, folder, run=in_sqlite):
    found = []
    for rules, X in zip(models, tables, strict=True):
        query = export_model(rules, "sql", table=TABLE, keep=["key"], interval=0.9)
        answers = run(["key", *rules.names], np.column_stack([np.arange(len(X)), X]).tolist(), query)
        found.append(np.array(sorted(answers), dtype=float)[:, 1:])
    return found


def duckdb_intervals(models, tables, folder):
    return sqlite_intervals(models, tables, folder, in_duckdb)


def onnx_intervals(models, tables, folder):
    sessions = [session_of(export_model(rules, "onnx", interval=0.9)) for rules in models]
    names = ["prediction", "lower", "upper"]
    return [np.column_stack(session.run(names, {"X": X})) for session, X in zip(sessions, tables, strict=True)]


# Each takes rule bases, a table of inputs for each, and a folder for its files; it returns predictions and the ends of
# intervals with a coverage of 0.9, as three columns for each rule base.
INTERVAL_ENGINES = {
    "python": python_intervals,
    "c": c_intervals,
    "js": js_intervals,
    "sqlite": sqlite_intervals,
    "duckdb": duckdb_intervals,
    "onnx": onnx_intervals,
}
