"""A workbook whose formulas predict: one row that a person types, and a table that is pasted.

The sheets "Predict" and "Table" are for users. "Steps" has the formulas, one column per step and one row per row to
predict; its first row is the one that is typed. "Lists" has the categories and the estimates for missing values. All
formulas are of the kind that every version of Excel and LibreOffice calculates.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from fruler._table.date_sources import SECONDS, TrendSource
from fruler._table.sources import LevelSource, NumberSource
from fruler._table.texts import WHITE_SPACE, spellings
from fruler._wording import counted_rules, install_advice, percent, printable
from fruler.explain._scales import bounds_sentence, scale_of
from fruler.explain._told import told
from fruler.export._phrases import rule_title
from fruler.export._plan import ColumnPlan, Filling, ModelPlan, make_model_plan
from fruler.export._steps import MISSING, Argument, Formula, ModelSteps, call, is_missing, name, when
from fruler.rules._rule_base import RuleBase

# What Excel allows.
_LONGEST_FORMULA, _LONGEST_TEXT, _MOST_COLUMNS = 8_192, 32_000, 16_384
# Rows of the sheets: "Steps" has names and titles above; the columns of "Table" begin after the predictions.
_FIRST_STEP, _FIRST_ROW, _HEADER = 3, 4, 3
_FIRST_INPUT = 5
# Excel counts days from 1900, and takes it for a leap year.
_DAYS_BEFORE_1970 = 25_569.0
_LAST_COLUMN = "ZZ"
_FUNCTIONS = {"floor": "INT"}
# CLEAN and TRIM remove the others.
_SPACES = [own for own in WHITE_SPACE if ord(own) > 127]


def export(rule_base: RuleBase, *, interval: float | None = None, rows: int = 200) -> bytes:
    """Write a rule base as a workbook with live formulas, for Excel and LibreOffice.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9.
    rows : int, default=200
        The number of rows of a pasted table that the formulas predict; further rows are filled down.

    Returns
    -------
    bytes
        The content of an xlsx file. Empty cells and unknown categories are missing values, which are filled in as in
        `RuleBase.predict`; dates are Excel's dates, on the clock of the training table.

    Raises
    ------
    ImportError
        If openpyxl is not installed.
    ValueError
        If the model is too large for a sheet.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> export(rules)[:2]
    b'PK'
    """
    if not isinstance(rows, int) or rows < 1:
        raise ValueError(f"rows must be a positive integer; got {rows!r}.")
    return _Workbook(rule_base, make_model_plan(rule_base, interval), rows).content()


@dataclass(frozen=True)
class _Row:
    """A row of the sheet "Steps", on which formulas are written: the cell of each step in it."""

    columns: Mapping[str, str]
    number: int
    sheet: str = ""

    def cell(self, step: str) -> str:
        return f"{self.sheet}${self.columns[step]}{self.number}"

    def written(self, term: Argument, *, inner: bool = False) -> str:
        """Return a term in the syntax of Excel, in parentheses if it is part of an operation and needs them."""
        if isinstance(term, str):
            return term
        if not isinstance(term, Formula):
            return f"({_number(term)})" if inner and term < 0.0 else _number(term)
        match term.function, term.arguments:
            case "name", (str(step),):
                return self.cell(step)
            case "window", (str(first), str(last)):
                return f"{self.cell(first)}:{self.cell(last)}"
            case "missing", _:
                return '""'
            case "is missing", (value,):
                return f'{self.written(value, inner=True)}=""'
            case (("+" | "*"), (one,)):
                return self.written(one, inner=inner)
            case ("+" | "-" | "*" | "/" | "&" | "<" | "<=" | ">" | ">=" | "=") as operator, arguments:
                joined = operator.join(self.written(one, inner=True) for one in arguments)
                return f"({joined})" if inner else joined
            case "if", (condition, value):
                return f'IF({self.written(condition)},{self.written(value)},"")'
            case function, arguments:
                own = _FUNCTIONS.get(function, function.upper())
                return f"{own}({','.join(self.written(one) for one in arguments)})"
        raise AssertionError


def _number(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value)).upper()


class _Live(str):
    """A formula, where another text is only a text."""


class _Workbook(ModelSteps):
    """A writer of the workbook, sheet by sheet."""

    def __init__(self, rule_base: RuleBase, plan: ModelPlan, rows: int) -> None:
        try:
            import openpyxl
            from openpyxl.styles import Alignment, Font, PatternFill
            from openpyxl.utils import get_column_letter
        except ImportError as error:
            raise ImportError(f"A workbook needs openpyxl; {install_advice('excel')}") from error
        super().__init__(rule_base, plan)
        self.rows, self.step_rows = rows, range(_FIRST_STEP, _FIRST_STEP + rows + 1)
        self.ends = ["prediction"] if plan.interval is None else ["prediction", "lower", "upper"]
        self.first_input, self.first_column = 5 + len(self.ends), 2 + len(self.ends)
        self.letter = get_column_letter
        self.book = openpyxl.Workbook()
        self.book.remove(self.book.active)
        self.predict, self.table, self.rules, self.formulas, self.lists, self.numbers = (
            self.book.create_sheet(title) for title in ("Predict", "Table", "Rules", "Steps", "Lists", "Numbers")
        )
        font = partial(Font, name="Calibri", size=11)
        grey, yellow = (PatternFill("solid", fgColor=colour) for colour in ("E4E9F0", "FFF6C8"))
        self.looks = {
            "line": (font(), PatternFill()),
            "": (font(), PatternFill()),
            "title": (font(bold=True, size=14), PatternFill()),
            "head": (font(bold=True), grey),
            "note": (font(italic=True, color="666666"), PatternFill()),
            "typed": (font(), yellow),
        }
        self.loose, self.wrapped = Alignment(vertical="top"), Alignment(vertical="top", wrap_text=True)
        # The columns of "Lists" and rows of "Numbers" that are taken, and the range of the categories of each column.
        self.n_lists, self.n_rows = 0, 0
        self.levels: dict[int, str] = {}
        self.spelled: dict[int, dict[str, str]] = {}
        background = rule_base.background
        self.format, self.raw_format = (_number_format(own) for own in (background.target_spread, background.spread))

    def content(self) -> bytes:
        """Return the file."""
        self.add_steps()
        if len(self.steps) > _MOST_COLUMNS:
            raise ValueError(f"The model needs more than {_MOST_COLUMNS:,} columns in a sheet; choose another format.")
        self.letters = {step: self.letter(number) for number, step in enumerate(self.steps, 1)}
        self.fill_steps()
        self.fill_table()
        self.fill_predict()
        self.fill_rules()
        file = io.BytesIO()
        self.book.save(file)
        return file.getvalue()

    # The steps from cells to inputs.

    def read(self, place: int, column: ColumnPlan) -> None:
        title, value = column.name, name(f"value_{place}")
        # The cell itself is another formula in each part of the sheet.
        self.add(f"value_{place}", title, MISSING)
        text = call("&", value, '""')
        if column.levels is not None:
            truth = call("if", value, '"true"', '"false"')
            dotted = when(call("isnumber", value), call("substitute", text, '","', '"."'), text)
            text = self.add(f"text_{place}", f"{title}, as text", when(call("islogical", value), truth, dotted))
        blank = self.add(f"blank_{place}", f"{title} is empty", call("=", call("len", _stripped(text)), 0.0))
        if column.levels is None:
            seconds = call("round", (value - _DAYS_BEFORE_1970) * 86_400.0, 3.0)
            number = value if column.dates is None else seconds
            found = when(call("isnumber", value), number, when(blank, MISSING, call("na")))
            self.add(f"read_{place}", f"{title}{', in seconds from 1970' if column.dates else ''}", found)
            return
        texts, places = self.level_ranges(place, column)
        # A category is what leaves nothing but white space when it is taken out of the text.
        rest = call("substitute", call("lower", text) if column.holds_truth else text, texts, '""', 1.0)
        position = call("sumproduct", call("*", call("=", call("len", _stripped(rest)), 0.0), places))
        self.add(f"read_{place}", f"{title}, place in its list", when(blank, 0.0, position))

    def number(self, place: int) -> Formula:
        return name(f"read_{place}")

    def gap(self, place: int) -> Formula:
        return when(name(f"blank_{place}"), 1.0, 0.0)

    def level(self, place: int, source: LevelSource) -> Formula:
        read, known = name(f"read_{place}"), dict(source.choices)
        numbers = self.new_list(source.column, [known.get(level, "") for level in self.spelled[place].values()])
        return when(call("=", read, 0.0), MISSING, call("index", numbers, read))

    def level_ranges(self, place: int, column: ColumnPlan) -> tuple[str, str]:
        """Write the categories of a column into "Lists"; return the ranges of their spellings and of the places."""
        levels = column.levels or ()
        self.levels[place] = self.new_list(column.name, levels)
        self.spelled[place] = {text: level for level in levels for text in spellings(level, levels)}
        texts = self.new_list(f"{column.name}, as written", [*self.spelled[place]])
        return texts, self.new_list("place", range(1, len(self.spelled[place]) + 1))

    def new_list(self, title: str, values: Sequence[str | float]) -> str:
        """Write values below a title into the next column of "Lists", and return their range."""
        self.n_lists += 1
        for row, value in enumerate([title, *values], 1):
            self.put(self.lists, row, self.n_lists, value, "" if row > 1 else "head")
        letter = self.letter(self.n_lists)
        return f"Lists!${letter}$2:${letter}${len(values) + 1}"

    def fill(self, filling: Filling) -> None:
        # Each value depends on all inputs, of which those before it have been improved in the same round: these are the
        # cells to its left, beginning with the value itself, since each round has all inputs.
        n, names, means = len(filling.inputs), self.rule_base.names, filling.means
        taken = [f"apart_0_{j + 1}" for j in filling.inputs]
        for j, mean, step in zip(filling.inputs, filling.centres, taken, strict=True):
            apart = self.inputs[j] - mean
            start = when(is_missing(self.inputs[j]), 0.0, apart) if j in means else apart
            self.add(step, f"{names[j]}, from its mean", start)
        slopes = [
            self.numbers_row(f"{names[j]}: slopes on the others", [*own[place:], *own[:place]])
            for place, (j, own) in enumerate(zip(filling.inputs, filling.slopes, strict=True))
        ]
        for turn in range(1, filling.n_rounds + 1):
            for j, own in zip(filling.inputs, slopes, strict=True):
                value, before = call("sumproduct", call("window", taken[-n], taken[-1]), own), name(taken[-n])
                found = when(is_missing(self.inputs[j]), value, before) if j in means else before
                taken.append(f"apart_{turn}_{j + 1}")
                self.add(taken[-1], f"{names[j]}, estimate {turn}", found)
        for j, step in zip(filling.inputs, taken[-n:], strict=True):
            if j in means:
                filled = when(is_missing(self.inputs[j]), name(step) + means[j], self.inputs[j])
                self.inputs[j] = self.add(f"filled_{j + 1}", f"{names[j]}, filled in", filled)

    def numbers_row(self, title: str, values: Sequence[float]) -> str:
        """Write numbers into the next row of "Numbers", and return their range."""
        self.n_rows += 1
        self.put_row(self.numbers, self.n_rows, title, *values)
        return f"Numbers!$B${self.n_rows}:${self.letter(len(values) + 1)}${self.n_rows}"

    # The sheets.

    def fill_steps(self) -> None:
        """Write the sheet "Steps"."""
        for number, step in enumerate(self.steps.values(), 1):
            self.put(self.formulas, 1, number, step.title, "head")
            if step.name.startswith("value_"):
                formulas = self.values(list(self.columns).index(int(step.name.removeprefix("value_"))), number)
            else:
                self.put(self.formulas, 2, number, step.name, "note")
                formulas = [_Live(_Row(self.letters, row).written(step.formula)) for row in self.step_rows]
            for row, formula in zip(self.step_rows, formulas, strict=True):
                self.put(self.formulas, row, number, _Live(formula))
        self.finish(self.formulas, "A4", [14.0] * len(self.steps))

    def values(self, place: int, number: int) -> list[_Live]:
        """Return the formulas of a column's cells; those of the table are found by the column's name."""
        typed = self.first_input + place
        first = self.letter(self.first_column)
        header = f"Table!${first}${_HEADER}:${_LAST_COLUMN}${_HEADER}"
        found = f"SUMPRODUCT(MAX(EXACT({header},Predict!$A${typed})*(COLUMN({header})-{self.first_column - 1})))"
        # The step before a column that is not found is an error, which the predictions tell.
        self.put(self.formulas, 2, number, _Live(f"IF({found}=0,NA(),{found})"))
        cells = [
            f"INDEX(Table!${first}{row}:${_LAST_COLUMN}{row},1,{self.letter(number)}$2)" for row in self.step_rows[1:]
        ]
        return [_Live(f'IF(ISBLANK({cell}),"",{cell})') for cell in (f"Predict!$B${typed}", *cells)]

    def fill_table(self) -> None:
        """Write the sheet "Table"."""
        sheet, first = self.table, self.first_column
        title = f"Paste a table with its header at {self.letter(first)}{_HEADER}; predictions are on the left."
        self.put(sheet, 1, 1, title, "title")
        note = f"Its columns may be in any order. {self.rows} rows are prepared; for more, fill down here and in Steps."
        self.put(sheet, 2, 1, note, "note")
        for number, end in enumerate(self.ends, 1):
            self.put(sheet, _HEADER, number, self.rule_base.target_name if end == "prediction" else end, "head")
            for row in self.step_rows[1:]:
                pasted = f"COUNTA(${self.letter(first)}{row}:${_LAST_COLUMN}{row})=0"
                answer = _Live(f'IF({pasted},"",{self.answer(end, row)})')
                self.put(sheet, row, number, answer, shown=self.format)
        for number, place in enumerate(self.columns, first):
            self.put(sheet, _HEADER, number, self.columns[place].name, "head")
            letter = self.letter(number)
            self.validate(sheet, place, f"{letter}{_FIRST_ROW}:{letter}{self.step_rows[-1]}")
        self.finish(sheet, f"A{_FIRST_ROW}", [14.0] * (first - 2) + [3.0] + [20.0] * len(self.columns))

    def answer(self, end: str, row: int) -> str:
        """Return the formula of a prediction, or what is wrong with the row."""
        cell = _Row(self.letters, row, "Steps!").cell(end)
        return f'IF(ISERROR({cell}),"cannot be read",IF({cell}="","missing value",{cell}))'

    def fill_predict(self) -> None:
        """Write the sheet "Predict"."""
        sheet, rule_base = self.predict, self.rule_base
        title = f"{rule_base.target_name}: {counted_rules(rule_base.n_rules, rule_base.n_curves)}"
        self.put(sheet, 1, 1, title, "title")
        self.put(sheet, 2, 1, "Type values into the yellow cells. An empty cell is a missing value.", "note")
        share = "" if self.plan.interval is None else f" of the interval ({percent(self.plan.interval.coverage)})"
        for row, end in enumerate(self.ends, 3):
            self.put(sheet, row, 1, f"{end.capitalize()} end{share}" if row > 3 else "Prediction", "title")
            self.put(sheet, row, 2, _Live(self.answer(end, _FIRST_STEP)), "title", self.format)
            self.put(sheet, row, 3, rule_base.target_unit)
        self.put_row(sheet, self.first_input - 1, "Input", "Value", "Unit", "In training", style="head")
        for row, place in enumerate(self.columns, self.first_input):
            unit, hint, example = self.about(place)
            dated = self.columns[place].dates is not None
            self.put(sheet, row, 1, self.columns[place].name)
            self.put(sheet, row, 2, example, "typed", "yyyy-mm-dd hh:mm" if dated else "General")
            self.put(sheet, row, 3, unit)
            self.put(sheet, row, 4, hint, "note")
            self.validate(sheet, place, f"B{row}")
        self.add_parts(self.first_input + len(self.columns) + 1)
        self.finish(sheet, f"C{self.first_input}", [60.0, 18.0, 14.0, 14.0, 14.0])

    def add_parts(self, row: int) -> None:
        """Write what the prediction is made of: rules and curves, labels, and what adds up."""
        rule_base, digits = self.rule_base, self.raw_format
        titles = [rule_title(rule_base, rule) for rule in range(rule_base.n_rules)]
        rules = zip(titles, self.weights, self.shares, self.outputs, self.added, strict=True)
        names = [f"The curve of {rule_base.names[curve.input]}" for curve in self.plan.curves]
        curves = [(title, "", "", "", value) for title, value in zip(names, self.curves, strict=True)]
        labels = [(self.condition_title(number), own) for number, own in enumerate(self.conditions)]
        sums = [*self.parts().items(), ("Together", name("raw"))]
        blocks: list[tuple[tuple[str, ...], Sequence[tuple[Any, ...]], tuple[str, ...]]] = [
            (("Rules", "Weight", "Share", "Output", "Adds"), [*rules, *curves], ("0.00", "0%", digits, digits)),
            (("Labels", "From 0 to 1"), labels, ("0.00",)),
            (("What adds up", "Adds"), sums, (digits,)),
        ]
        for heads, lines, shown in blocks:
            live = [(title, *map(self.typed, values)) for title, *values in lines]
            row = self.put_block(self.predict, row, heads, live, shown)
        notes = [scale_of(rule_base).table_note(rule_base.target_name), bounds_sentence(rule_base)]
        self.put(self.predict, row - 1, 1, " ".join(filter(None, notes)), "note")

    def parts(self) -> dict[str, Formula]:
        """Return what each feature adds to the output of all rules, with the weights of the rules in this row."""
        rule_base = self.rule_base
        if self.plan.said:
            return {}
        shares = call("window", "share_1", f"share_{rule_base.n_rules}")
        consequents = rule_base.consequents
        start = call("sumproduct", shares, self.numbers_row("intercepts of the rules", consequents.intercepts.tolist()))
        parts = {"Intercepts of the rules": start}
        curves = dict(zip((curve.input for curve in self.plan.curves), self.curves, strict=True))
        for feature in rule_base.features:
            terms: list[Formula] = [curves[j] for j in feature.inputs if j in curves]
            for j in feature.inputs:
                slopes = rule_base.slopes[:, j].tolist()
                if any(slopes):
                    mean = call("sumproduct", shares, self.numbers_row(f"{rule_base.names[j]}: slopes", slopes))
                    terms.append(self.inputs[j] * mean)
            if terms:
                parts[feature.name] = call("+", *terms)
        return parts

    def typed(self, step: Formula | str) -> str:
        """Return a formula of steps of the typed row; empty if it cannot be calculated."""
        return _Live(f'IFERROR({_Row(self.letters, _FIRST_STEP, "Steps!").written(step)},"")') if step else ""

    def about(self, place: int) -> tuple[str, str, Any]:
        """Return the unit of a column, its values in the training data in words, and one of them."""
        column = self.columns[place]
        own = [one for one in self.rule_base.variables if one.column == column.name]
        if column.levels is not None:
            return "", "one of the list; others count as missing", column.levels[0]
        variable = next((one for one in own if isinstance(one.source, (NumberSource, TrendSource))), None)
        if variable is None or not variable.partition.ordered:
            return "", "a date" if column.dates else "a number", None
        low, high = variable.partition.domain
        if isinstance(variable.source, TrendSource):
            days = (variable.source.start_seconds + (low + high) / 2.0 * SECONDS[variable.source.unit]) // 86_400.0
            return "", f"{variable.written(low)} to {variable.written(high)}", days + _DAYS_BEFORE_1970
        return variable.unit, f"{low:.4g} to {high:.4g}", float(f"{(low + high) / 2.0:.3g}")

    def fill_rules(self) -> None:
        """Write the sheet "Rules": what holds for all rows, the rules side by side, and how to compute with them."""
        page, row = told(self.rule_base), 1
        lists = [f"{head}: {text}" for head, text in page.lists.items()]
        rules = [] if page.is_formula else [(head, *cells) for head, cells in page.rows]
        blocks: list[tuple[tuple[str, ...], Sequence[tuple[str, ...]]]] = [
            ((page.title,), list(zip(page.story))),
            (("For all rows",), list(zip(page.always))),
            (("Rules", *(f"Rule {rule.number}" for rule in page.rules)), rules),
            (("Notes",), list(zip([*lists, *page.notes]))),
        ]
        for heads, lines in blocks:
            row = self.put_block(self.rules, row, heads, lines)
        self.finish(self.rules, "B1", [40.0, *[24.0] * len(page.rules)])

    # Cells.

    def validate(self, sheet: Any, place: int, cells: str) -> None:
        """Offer the categories of a column in some cells, or refuse what is not a number or a date."""
        from openpyxl.worksheet.datavalidation import DataValidation

        column = self.columns[place]
        if column.levels is not None:
            rule = DataValidation("list", formula1=self.levels[place], errorStyle="warning")
            rule.error = "This category is not one of the training data; it counts as a missing value."
        else:
            kind, least = ("decimal", "-1E+300") if column.dates is None else ("date", "0")
            rule = DataValidation(kind, operator="greaterThan", formula1=least)
            rule.error = f"This must be a {'number' if column.dates is None else 'date'}, or empty."
        rule.add(cells)
        sheet.add_data_validation(rule)

    def put_block(
        self, sheet: Any, row: int, heads: Sequence[str], lines: Sequence[Sequence[Any]], shown: Sequence[str] = ()
    ) -> int:
        """Write lines below their heads, if there are any, and return the row for what follows."""
        if not lines:
            return row
        self.put_row(sheet, row, *heads, style="head")
        for place, line in enumerate(lines, row + 1):
            self.put_row(sheet, place, *line, style="" if len(line) > 1 else "line", shown=("General", *shown))
        return row + len(lines) + 2

    def put_row(self, sheet: Any, row: int, *values: Any, style: str = "", shown: Sequence[str] = ()) -> None:
        """Write texts, numbers and formulas into a row."""
        for column, (value, own) in enumerate(zip_longest(values, shown[: len(values)], fillvalue="General"), 1):
            self.put(sheet, row, column, value, style, own)

    def put(self, sheet: Any, row: int, column: int, value: Any, style: str = "", shown: str = "General") -> None:
        """Write a text, a number or a formula; other texts are never formulas."""
        cell = sheet.cell(row, column)
        cell.font, cell.fill = self.looks[style]
        cell.alignment = self.loose if style in ("title", "note", "line") else self.wrapped
        cell.number_format = shown
        if isinstance(value, _Live):
            if len(value) >= _LONGEST_FORMULA:
                raise ValueError("The model needs a formula that is too long for Excel; choose another format.")
            cell.value = f"={value}"
        elif isinstance(value, str) and value:
            cell.value = printable(value, keep="\n\t")[:_LONGEST_TEXT]
            cell.data_type, cell.quotePrefix = "s", True
        elif not isinstance(value, str) and value == value:
            cell.value = value

    def finish(self, sheet: Any, frozen: str, widths: Sequence[float]) -> None:
        """Set the widths of the columns of a sheet, and what stays in view."""
        sheet.freeze_panes = frozen
        # Printed on pages of the sheet's width.
        sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        for number, width in enumerate(widths, 1):
            sheet.column_dimensions[self.letter(number)].width = width


def _number_format(spread: float) -> str:
    """Return the format of numbers with three digits of their spread."""
    decimals = max(0, min(9, 2 - math.floor(math.log10(spread or 1.0))))
    return f"#,##0.{'0' * decimals}" if decimals else "#,##0"


def _stripped(text: Argument) -> Formula:
    """Return a text that is empty if it was only white space."""
    found = call("clean", text)
    for space in _SPACES:
        found = call("substitute", found, f'"{space}"', '""')
    return call("trim", found)
