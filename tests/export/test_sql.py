import math
import re
from dataclasses import replace

import numpy as np
import pytest
from helpers.exported import TABLE, in_duckdb, in_sqlite, quoted

from fruler.export import export_model
from fruler.rules import FuzzyPartition, OwnTriangles, RuleBase, Variable


def check_query(run, rule_base, rows, check):
    """Compare the predictions of a database, by a key whose name must be quoted."""
    X, key = rows(rule_base), "k'1\""
    query = export_model(rule_base, "sql", table=TABLE, keep=[key], prediction='"y"')
    found = np.array(sorted(run([key, *rule_base.names], np.column_stack([np.arange(len(X)), X]).tolist(), query)))
    np.testing.assert_array_equal(found[:, 0], np.arange(len(X)))
    check(rule_base, X, found[:, 1])


def test_sqlite_predicts_the_same(rule_base, rows, check):
    check_query(in_sqlite, rule_base, rows, check)


def test_duckdb_predicts_the_same(some_kinds, rows, check):
    for rule_base in some_kinds.values():
        check_query(in_duckdb, rule_base, rows, check)


@pytest.mark.parametrize(
    "name", ["mixed fuzziness", "gaps", "nominal", "grown on weather", "two curves", "crisp curve"]
)
@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
def test_what_is_no_number_in_a_column_that_is_used_gives_null(make_rules, rows, run, name):
    rule_base = make_rules(name)
    X, names = rows(rule_base, 1), [variable.name for variable in rule_base.variables]
    used = rule_base.looks_at.any(axis=0) | (rule_base.slopes != 0.0).any(axis=0)
    used[[curve.input for curve in rule_base.curves]] = True
    query = export_model(rule_base, "sql", table=TABLE, gaps=False)
    for j in range(len(names)):
        # SQLite has no NaN; as a parameter it becomes NULL.
        for nothing in (None, math.nan, math.inf, -math.inf, 1e200):
            row = X[0].tolist()
            row[j] = nothing
            ((prediction,),) = run(names, [row], query)
            assert (prediction is None) == used[j]


@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
@pytest.mark.parametrize("values", ["1 AS a, 12 AS b", "'1' AS a, '12' AS b"])
def test_columns_of_whole_numbers_and_of_text_are_read_as_real_numbers(make_rules, run, values):
    rule_base = make_rules("mixed fuzziness")
    query = export_model(rule_base, "sql", table=TABLE).replace(quoted(TABLE), f"(SELECT {values})")
    ((prediction,),) = run(["a", "b"], [[0.0, 0.0]], query)
    assert prediction == pytest.approx(rule_base.predict([[1.0, 12.0, 0.0]])[0])


def test_numbers_are_floats_and_read_to_the_last_bit(make_rules):
    query = export_model(make_rules("mixed fuzziness"), "sql", table=TABLE)
    assert not re.search(r"\d\.\d+(?![\de])", query)  # a decimal number, to some databases
    for value in (0.1, -1 / 3, 1.2345678901234567e-5):
        constant = replace(make_rules("constant"), consequents=[[value, 0.0]])
        ((prediction,),) = in_duckdb(["a"], [[0.0]], export_model(constant, "sql", table=TABLE))
        assert prediction == value


def test_columns_of_the_result_must_differ(make_rules):
    with pytest.raises(ValueError, match="distinct names"):
        export_model(make_rules("crisp"), "sql", keep=["prediction"])


def test_rules_with_many_sets_of_their_own_do_not_need_more_columns_than_sqlite_has(check):
    rng = np.random.default_rng(0)
    inputs = [Variable(f"x{j}", FuzzyPartition([], (0.0, 1.0))) for j in range(15)]
    points = np.sort(rng.uniform(-0.5, 1.5, (100, 15, 3)), axis=2)
    rule_base = RuleBase(inputs, OwnTriangles(points, inputs), rng.normal(size=(100, 16)), "minimum")
    X = rng.uniform(size=(20, 15))
    assert 0 < rule_base.activations(X)[1].sum() < 20
    found = in_sqlite(rule_base.names, X.tolist(), export_model(rule_base, "sql", table=TABLE))
    check(rule_base, X, [prediction for (prediction,) in found])


def test_a_query_grows_with_the_rules_and_not_faster(check):
    rng = np.random.default_rng(0)
    variables = [Variable(f"v{j}", FuzzyPartition([1.0, 2.0, 3.0], (0.0, 4.0))) for j in range(10)]
    labels = np.sort(rng.integers(0, 4, (60, 10, 2)), axis=2)
    half, rule_base = (RuleBase(variables, labels[:m], rng.normal(size=(m, 11)), "minimum") for m in (30, 60))
    query = export_model(rule_base, "sql", table=TABLE)
    assert len(query) < 2.5 * len(export_model(half, "sql", table=TABLE))
    X = rng.uniform(0, 4, (20, 10))
    found = in_sqlite([variable.name for variable in variables], X.tolist(), query)
    check(rule_base, X, found)
