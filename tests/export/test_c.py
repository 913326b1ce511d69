import math

import numpy as np
import pandas as pd
import pytest
from helpers.exported import compiled
from helpers.mixed_tables import MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows, without_gaps

from fruler._table.gaps import Gaps
from fruler._table.sources import LevelSource
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable


@pytest.fixture(scope="module")
def libraries(kinds, tmp_path_factory):
    """Compile the rules of every kind, learned from mixed tables too, in one run."""
    rules = {**kinds, **{f"mixed {kind}": mixed_model(kind) for kind in MIXED_MODELS}}
    rules |= {f"{kind} without gaps": without_gaps(mixed_model(kind)) for kind in ("growth", "one-hot")}
    sources = [export_model(own, "c") for own in rules.values()]
    return dict(zip(rules, compiled(sources, tmp_path_factory.mktemp("c")), strict=True))


def test_the_compiled_file_predicts_the_same(rule_base, kind, rows, check, libraries):
    X, library = rows(rule_base), libraries[kind]
    check(rule_base, X, library.predict(X))
    assert library.inputs(len(rule_base.variables)) == list(rule_base.names)
    assert library.target == rule_base.target_name


def test_a_number_that_is_not_finite_gives_nan_where_it_is_used(libraries):
    library = libraries["mixed fuzziness"]
    used, unused = library.predict([[math.nan, 1.0, 0.0], [0.5, 1.0, math.nan]])
    assert math.isnan(used)
    assert math.isfinite(unused)
    assert math.isnan(library.predict([[0.5, math.inf, 0.0]])[0])


def codes(library, rule_base, rows):
    """Make numbers of all columns: those of categories by the function of the file itself."""
    texts = {variable.column for variable in rule_base.variables if variable.levels is not None}
    columns = []
    for place, name in enumerate(rule_base.columns):
        if name not in texts:
            columns.append(rows[name].to_numpy(float))
            continue
        written = [None if pd.isna(value) else str(value).encode() for value in rows[name]]
        columns.append([library.code(place, text) for text in written])
    return np.column_stack(columns)


@pytest.mark.parametrize("table_kind", MIXED_MODELS)
def test_a_row_has_the_columns_of_the_user(table_kind, libraries):
    rule_base, rows, library = mixed_model(table_kind), mixed_rows(), libraries[f"mixed {table_kind}"]
    assert library.inputs(len(rule_base.columns)) == list(rule_base.columns)
    X = codes(library, rule_base, rows)
    assert_same(library.predict(X), rule_base.predict(rows))
    X[:, 0] = math.inf
    assert np.isnan(library.predict(X)).all() == (table_kind in ("growth", "one-hot") or rule_base.uses[0])


@pytest.mark.parametrize("table_kind", ["growth", "one-hot"])
def test_what_cannot_be_filled_in_gives_nan(table_kind, libraries):
    rule_base, rows = without_gaps(mixed_model(table_kind)), mixed_rows()
    library = libraries[f"{table_kind} without gaps"]
    found = np.array(library.predict(codes(library, rule_base, rows)))
    np.testing.assert_array_equal(np.isnan(found), ~complete(rows))
    assert_same(found[complete(rows)], rule_base.predict(rows[complete(rows)]))


def test_the_codes_of_categories_are_constants(libraries):
    rule_base, library = mixed_model("growth"), libraries["mixed growth"]
    levels = rule_base.variables[1].levels.levels
    given = codes(library, rule_base, mixed_rows().assign(origin="usa"))[0, 1]
    assert given == levels.index("usa")
    assert f"    fruler_origin_usa = {levels.index('usa')}, /* origin is usa */\n" in export_model(rule_base, "c")
    assert library.code(1, b"mars") == library.code(0, b"usa") == -1.0
    assert math.isnan(library.code(1, None))


def test_infinity_gives_nan_where_only_conditions_look_at_it_and_a_constant_needs_no_value(tmp_path):
    variable = Variable("a", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    steps = RuleBase([variable], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]], gaps=Gaps([0], [0.7], [[0.0]]))
    levels = LevelSource("a", ["x", "y"], [1.0, 2.0])
    constant = RuleBase([Variable("a", FuzzyPartition([], (0.0, 2.0)), source=levels)], [[[0, 0]]], [[42.0, 0.0]])
    stepped, fixed = compiled([export_model(rules, "c") for rules in (steps, constant)], tmp_path)
    found = stepped.predict([[math.inf], [-math.inf], [math.nan], [0.2]])
    np.testing.assert_array_equal(found, [math.nan, math.nan, 2.0, 1.0])
    assert fixed.predict([[math.nan]]) == [42.0]
