import ctypes
import math
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from helpers.mixed_tables import MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows, without_gaps

from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.table.gaps import Gaps
from fruler.table.sources import LevelSource

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


def codes(library, rule_base, rows):
    """Make numbers of all columns: those of categories by the function of the file itself."""
    library.fruler_code.restype = ctypes.c_double
    library.fruler_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
    texts = {variable.column for variable in rule_base.variables if variable.levels is not None}
    columns = []
    for place, name in enumerate(rule_base.columns):
        if name not in texts:
            columns.append(rows[name].to_numpy(float))
            continue
        written = [None if pd.isna(value) else str(value).encode() for value in rows[name]]
        columns.append([library.fruler_code(place, text) for text in written])
    return np.column_stack(columns)


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_a_row_has_the_columns_of_the_user(kind, tmp_path):
    rule_base, rows = mixed_model(kind), mixed_rows()
    library = compiled(export_model(rule_base, "c"), tmp_path)
    names = (ctypes.c_char_p * len(rule_base.columns)).in_dll(library, "fruler_inputs")
    assert [name.decode() for name in names] == list(rule_base.columns)
    X = codes(library, rule_base, rows)
    assert_same(predict(library, X), rule_base.predict(rows))
    X[:, 0] = math.inf
    assert np.isnan(predict(library, X)).all() == (kind in ("growth", "one-hot") or rule_base.uses[0])


@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_what_cannot_be_filled_in_gives_nan(kind, tmp_path):
    rule_base, rows = without_gaps(mixed_model(kind)), mixed_rows()
    library = compiled(export_model(rule_base, "c"), tmp_path)
    found = np.array(predict(library, codes(library, rule_base, rows)))
    np.testing.assert_array_equal(np.isnan(found), ~complete(rows))
    assert_same(found[complete(rows)], rule_base.predict(rows[complete(rows)]))


def test_the_codes_of_categories_are_constants(tmp_path):
    rule_base = mixed_model("growth")
    source = export_model(rule_base, "c")
    levels = rule_base.variables[1].levels.levels
    library = compiled(source, tmp_path)
    given = codes(library, rule_base, mixed_rows().assign(origin="usa"))[0, 1]
    assert given == levels.index("usa")
    assert f"    fruler_origin_usa = {levels.index('usa')}, /* origin is usa */\n" in source
    assert library.fruler_code(1, b"mars") == library.fruler_code(0, b"usa") == -1.0
    assert math.isnan(library.fruler_code(1, None))


def test_infinity_gives_nan_where_only_conditions_look_at_it(tmp_path):
    variable = Variable("a", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    rule_base = RuleBase([variable], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]], gaps=Gaps([0], [0.7], [[0.0]]))
    library = compiled(export_model(rule_base, "c"), tmp_path)
    found = predict(library, [[math.inf], [-math.inf], [math.nan], [0.2]])
    np.testing.assert_array_equal(found, [math.nan, math.nan, 2.0, 1.0])


def test_a_constant_over_categories_needs_no_value(tmp_path):
    levels = LevelSource("a", ["x", "y"], [1.0, 2.0])
    rule_base = RuleBase([Variable("a", FuzzyPartition([], (0.0, 2.0)), source=levels)], [[[0, 0]]], [[42.0, 0.0]])
    library = compiled(export_model(rule_base, "c"), tmp_path)
    assert predict(library, [[math.nan]]) == [42.0]
