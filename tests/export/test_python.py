import pandas as pd
import pytest
from helpers.exported import run_python
from helpers.mixed_tables import COLUMNS, MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows, without_gaps

from fruler.export import export_model


@pytest.fixture(scope="module")
def answers(kinds, rows):
    """Run the modules of every kind of rules, and one that fills in gaps, in one interpreter without numpy."""
    mixed = mixed_rows().iloc[::7]
    sources = [export_model(rules, "python") for rules in (*kinds.values(), mixed_model("one-hot"))]
    tables = [rows(rules).tolist() for rules in kinds.values()]
    tables.append(mixed.astype(object).where(mixed.notna(), None).values.tolist())
    return dict(zip([*kinds, "one-hot"], run_python(sources, tables), strict=True))


def test_a_fresh_interpreter_predicts_the_same(rule_base, kind, rows, check, answers):
    predictions, inputs, target = answers[kind]
    check(rule_base, rows(rule_base), predictions)
    assert inputs == list(rule_base.names)
    assert target == rule_base.target_name


def test_an_interpreter_without_numpy_fills_in_gaps(answers):
    predictions, inputs, _ = answers["one-hot"]
    assert inputs == list(COLUMNS)
    assert_same(predictions, mixed_model("one-hot").predict(mixed_rows().iloc[::7]))


def test_it_reads_like_the_rules(make_rules):
    rule_base = make_rules("mixed fuzziness")
    source = export_model(rule_base, "python")
    labels = rule_base.variables[0].partition.labels
    assert f"# Rule 2 (20% of the rows): if a is {labels[2]} or {labels[3]} and b is low or medium\n" in source
    assert "# in m\n" in source


def test_only_what_is_needed_is_in_it(make_rules):
    assert "nearest" in export_model(make_rules("gaps"), "python")
    for name in ("crisp", "grown on weather", "a rule for everything", "one rule"):
        assert "nearest" not in export_model(make_rules(name), "python")
    assert "_share_above" not in export_model(make_rules("one rule"), "python")
    assert "curves" not in export_model(make_rules("crisp"), "python")


@pytest.mark.parametrize(("row", "problem"), [([1.0], "a row has 2"), ([1.0, float("nan")], "finite")])
def test_a_bad_row_is_refused(make_rules, row, problem):
    with pytest.raises(ValueError, match=problem):
        functions_of(make_rules("crisp"))["predict"](row)


def functions_of(rule_base):
    module = {}
    exec(export_model(rule_base, "python"), module)  # noqa: S102
    return module


@pytest.mark.parametrize("table_kind", MIXED_MODELS)
def test_a_row_has_the_columns_of_the_user(table_kind):
    rule_base, rows = mixed_model(table_kind), mixed_rows()[list(mixed_model(table_kind).columns)]
    module = functions_of(rule_base)
    assert module["INPUTS"] == rule_base.columns
    found = [module["predict"](row) for row in rows.itertuples(index=False)]
    assert_same(found, rule_base.predict(rows))


@pytest.mark.parametrize("table_kind", ["growth", "one-hot"])
def test_rules_that_cannot_fill_in_gaps_refuse_them(table_kind):
    rule_base, rows = without_gaps(mixed_model(table_kind)), mixed_rows()
    predict = functions_of(rule_base)["predict"]
    for row, known in zip(rows.iloc[::3].itertuples(index=False), complete(rows)[::3], strict=True):
        if known:
            assert predict(row) == pytest.approx(rule_base.predict(pd.DataFrame([tuple(row)], columns=list(rows)))[0])
        else:
            with pytest.raises(ValueError, match="missing or unknown"):
                predict(row)


def test_values_are_read_like_those_of_a_table():
    rule_base = mixed_model("growth")
    predict = functions_of(rule_base)["predict"]
    written = ["0.5", " usa ", 100, "TRUE", 1.0]
    assert predict(written) == pytest.approx(predict([0.5, "usa", 100.0, True, "1"]), rel=1e-15)
    assert predict(written) == pytest.approx(rule_base.predict(pd.DataFrame([written], columns=list(COLUMNS)))[0])
    assert predict([" ", *written[1:]]) == pytest.approx(
        rule_base.predict(pd.DataFrame([[" ", *written[1:]]], columns=list(COLUMNS)))[0]
    )
    for number in (float("inf"), "-inf", "nan", "far"):
        with pytest.raises(ValueError, match=r"finite|could not convert"):
            predict([number, *written[1:]])
    with pytest.raises(ValueError, match="a row has 5 values; got 4"):
        predict(written[:4])


def test_the_inputs_of_a_complete_table_of_numbers_are_read_as_they_are(make_rules):
    source = export_model(make_rules("crisp"), "python")
    assert "    a, b = values\n" in source
    assert "_fill" not in source
