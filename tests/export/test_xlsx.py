"""Workbooks: the formulas predict as the rules do, in LibreOffice; whatever a name is, it is a text."""

import io
import re
import sys

import numpy as np
import openpyxl
import pandas as pd
import pytest
from fuzz_models import make_case
from helpers.mixed_tables import mixed_model, mixed_rows
from helpers.spreadsheet import calculated, filled, predictions

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain._told import told
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable

# Functions that Excel has had since 2007, and LibreOffice too.
FUNCTIONS = re.compile(
    r"(IF|AND|OR|NOT|MIN|MAX|INT|EXP|ISNUMBER|ISLOGICAL|ISBLANK|ISERROR|IFERROR|NA|LEN|TRIM|CLEAN|SUBSTITUTE|LOWER|"
    r"SUMPRODUCT|EXACT|COLUMN|INDEX|ROUND|COUNTA)$"
)


def book_of(rules, **options):
    return openpyxl.load_workbook(io.BytesIO(export_model(rules, "xlsx", **options)))


def formulas(book):
    return [cell.value for sheet in book for row in sheet for cell in row if cell.data_type == "f"]


def test_formulas_are_such_as_every_spreadsheet_has(kinds):
    for rules in [*kinds.values(), mixed_model("one-hot")]:
        for formula in formulas(book_of(rules, rows=2)):
            plain = re.sub(r'"[^"]*"', "", formula)
            assert all(map(FUNCTIONS.match, re.findall(r"([A-Z][A-Z.]*)\(", plain)))
            assert len(formula) <= 8_192
            assert depth(plain) < 60
            assert formula.count(",") < 255


def depth(formula):
    deepest = level = 0
    for sign in formula:
        level += (sign == "(") - (sign == ")")
        deepest = max(deepest, level)
    return deepest


def test_names_are_texts_and_never_formulas():
    names = ['=HYPERLINK("http://a")', "+1+1", "-2", "@SUM(1)", "=1", 'it\'s "q"']
    frame = pd.DataFrame({name: np.tile([*np.linspace(0.0, 1.0, 20)], 5) for name in names})
    frame["=cat"] = ["=1+1", "@b", "+c", "-d"] * 25
    y = pd.Series(frame.iloc[:, 0] * 3.0 + frame["=cat"].map({"=1+1": 0, "@b": 2, "+c": 4, "-d": 6}), name="=target")
    rules = FuzzyRuleRegressor(random_state=0).fit(frame, y).rule_base_
    book = book_of(rules, rows=3)
    assert "=cat" in [cell.value for cell in book["Predict"]["A"]]
    for sheet in book:
        for row in sheet:
            for cell in row:
                if isinstance(cell.value, str) and cell.value[:1] in "=+-@":
                    assert cell.data_type == "f" or cell.quotePrefix
    own = [formula for formula in formulas(book) if not re.match(r"=(IF|Predict!|Table!|[$(A-Z0-9.-])", formula)]
    assert not own
    assert not [formula for formula in formulas(book) if "HYPERLINK" in formula or "1+1" in formula]


def test_a_workbook_is_ready_to_be_used():
    book = book_of(mixed_model("one-hot"))
    predict, table = book["Predict"], book["Table"]
    assert predict.freeze_panes
    assert table.freeze_panes == "A4"
    kinds = {str(rule.sqref): rule.type for rule in table.data_validations.dataValidation}
    assert set(kinds.values()) >= {"decimal", "list"}
    (lists,) = {rule.formula1.split("!")[0] for rule in table.data_validations.dataValidation if rule.type == "list"}
    assert lists == "Lists"
    assert "Rule 1" in [cell.value for cell in book["Rules"]["B"]]
    assert book["Rules"]["A1"].value == told(mixed_model("one-hot")).title


def test_without_openpyxl_the_error_says_what_to_install(make_rules, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"A workbook needs openpyxl; .*fruler\[excel\]"):
        export_model(make_rules("crisp"), "xlsx")


@pytest.mark.parametrize("rows", [0, -1, 2.5])
def test_rows_are_a_positive_number(make_rules, rows):
    with pytest.raises(ValueError, match="rows must be a positive integer"):
        export_model(make_rules("crisp"), "xlsx", rows=rows)


def test_a_model_that_does_not_fit_into_a_sheet_is_refused():
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]] * 2_500, [[1.0, 2.0]] * 5_000)
    with pytest.raises(ValueError, match="more than 16,384 columns in a sheet; choose another format"):
        export_model(rules, "xlsx", rows=1)


@pytest.mark.process
def test_random_mixed_models_predict_in_a_spreadsheet(tmp_path):
    wanted, books = [], []
    for number in range(20_000, 20_020):
        case = make_case(number, quick=True)
        try:
            model = case.model.fit(case.frame, case.y)
        except ValueError:
            # Texts among the numbers of a random column are refused.
            continue
        rows = case.rows.assign(**{"row number": np.arange(len(case.rows))})
        held_out = case.model.calibration is not None
        ends = model.predict_interval(case.rows, 0.8)[:2] if held_out else []
        wanted.append(np.column_stack([model.predict(case.rows), *ends]))
        own = rows[[*model.rule_base_.columns, "row number"]]
        books.append(filled(model.rule_base_, own, **({"interval": 0.8} if held_out else {})))
    rows = mixed_rows()[::9].reset_index(drop=True)
    rows["sold"] = rows["sold"].map({True: "TRUE", False: " false"})
    wanted.append(mixed_model("one-hot").predict(rows)[:, None])
    books.append(filled(mixed_model("one-hot"), rows))
    assert len(books) > 15
    for expected, book in zip(wanted, calculated(books, tmp_path), strict=True):
        table, typed = predictions(book, *expected.shape)
        np.testing.assert_allclose(np.array(table, dtype=float), expected, rtol=1e-9, atol=1e-9 * np.ptp(expected))
        np.testing.assert_allclose(typed, table[0], rtol=1e-12, atol=1e-12)


@pytest.mark.process
def test_rules_of_all_sorts_predict_in_a_spreadsheet(kinds, some_kinds, rows, tmp_path):
    others = ("two curves", "labels for everything", "crisp", "paper mode", *(f"random {seed}" for seed in range(4)))
    models = {name: rules for name, rules in some_kinds.items() if "nasty" not in name}
    models |= {name: kinds[name] for name in others}
    tables = {name: rows(rules, 10, corners=False) for name, rules in models.items()}
    books = [filled(rules, pd.DataFrame(tables[name], columns=list(rules.columns))) for name, rules in models.items()]
    for (name, rules), book in zip(models.items(), calculated(books, tmp_path), strict=True):
        expected = rules.predict(tables[name])
        table, typed = predictions(book, len(expected), 1)
        unit = 1.0 + np.abs(tables[name]).max() * np.abs(rules.slopes).max()
        np.testing.assert_allclose(np.array(table, dtype=float)[:, 0], expected, atol=1e-9 * unit, err_msg=name)
        assert typed[0] == pytest.approx(expected[0], abs=1e-9 * unit)


@pytest.mark.process
def test_what_adds_up_and_what_cannot_be_read(tmp_path):
    weather = load_example("weather")
    model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    rows = weather.data[:4]
    book = filled(model.rule_base_, rows)
    unread = filled(model.rule_base_, rows)
    name = [cell.value for cell in unread["Table"][3]].index(model.rule_base_.columns[0])
    unread["Table"].cell(5, name + 1).value = "much"
    done, failed = calculated([book, unread], tmp_path)
    parts = [(cell.value, cell.offset(0, 1).value) for cell in done["Predict"]["A"]]
    start = [title for title, _ in parts].index("What adds up")
    own = dict(parts[start + 1 : [title for title, _ in parts].index("Together")])
    assert sum(own.values()) == pytest.approx(model.predict(rows)[0])
    shares = [row[2].value for row in done["Predict"].iter_rows() if str(row[0].value).startswith("Rule ")]
    assert sum(shares) == pytest.approx(1.0)
    (found, _) = predictions(failed, 4, 1)
    assert found[1] == ["cannot be read"]
    assert found[0][0] == pytest.approx(model.predict(rows)[0])
