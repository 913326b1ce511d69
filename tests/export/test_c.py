import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

from fruler.export import export_model

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


def compiled(source, folder):
    path = folder / "model.c"
    path.write_text(source, encoding="utf-8")
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wmissing-prototypes", "-Wshadow", "-O1"]
    command = ["gcc", *options, "-shared", "-fPIC", "-o", str(folder / "model.so"), str(path), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "model.so"))
    library.fruler_predict.restype = ctypes.c_double
    library.fruler_predict.argtypes = [ctypes.POINTER(ctypes.c_double)]
    return library


def predict(library, X):
    X = np.ascontiguousarray(X, dtype=float)
    return [library.fruler_predict(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in X]


def test_the_compiled_file_predicts_the_same(rule_base, rows, check, tmp_path):
    X = rows(rule_base)
    library = compiled(export_model(rule_base, "c"), tmp_path)
    check(rule_base, X, predict(library, X))
    names = (ctypes.c_char_p * len(rule_base.variables)).in_dll(library, "fruler_inputs")
    assert [name.decode() for name in names] == [variable.name for variable in rule_base.variables]
    assert ctypes.c_char_p.in_dll(library, "fruler_target").value.decode() == rule_base.target_name


def test_a_number_that_is_not_finite_gives_nan_where_it_is_used(make_rules, tmp_path):
    library = compiled(export_model(make_rules("mixed fuzziness"), "c"), tmp_path)
    used, unused = predict(library, [[math.nan, 1.0, 0.0], [0.5, 1.0, math.nan]])
    assert math.isnan(used)
    assert math.isfinite(unused)
    assert math.isnan(predict(library, [[0.5, math.inf, 0.0]])[0])
