"""A single file of C99 with ``double fruler_predict(const double *x)``; it only needs the standard library."""

from __future__ import annotations

from collections.abc import Sequence

from fruler._table.date_sources import CycleSource, DateSource, WeekdaySource
from fruler._table.sources import LevelSource
from fruler._table.texts import WHITE_SPACE, spellings
from fruler._wording import name_with_unit, printable
from fruler.export._phrases import Identifiers
from fruler.export._plan import make_model_plan
from fruler.export._writer import CodeWriter, Declared, indented
from fruler.rules._rule_base import RuleBase

_MEAN = """
/* The mean of one number per rule, weighted by the degrees of the rules. */
static double mean(const double *weight, const double *numbers, double total)
{
    double sum = 0.0;
    for (int rule = 0; rule < N_RULES; ++rule)
        sum += weight[rule] * numbers[rule];
    return sum / total;
}
"""

_NEAREST_RULE = """
/* The rule with the smallest distance, the first one in case of ties. */
static int nearest_rule(const double *steps)
{
    int nearest = 0;
    for (int rule = 1; rule < N_RULES; ++rule)
        if (steps[rule] < steps[nearest])
            nearest = rule;
    return nearest;
}
"""

_CODE = """
/* The length of the white space at the start of a text, or at its end. */
static size_t white_space(const char *text, size_t length, int at_end)
{
    static const char *const signs[] = {SIGNS};
    for (size_t place = 0; place < sizeof signs / sizeof signs[0]; ++place) {
        const size_t own = strlen(signs[place]);
        if (own <= length && memcmp(at_end ? text + length - own : text, signs[place], own) == 0)
            return own;
    }
    return 0;
}

/* Return the code of a category of a column (counted from 0): -1 if it is unknown, NAN if text is blank or null. */
double fruler_code(int column, const char *text)
{
    const int n_levels = (int)(sizeof levels / sizeof levels[0]);
    size_t length = text ? strlen(text) : 0, own;
    while ((own = white_space(text, length, 0)) > 0)
        text += own, length -= own;
    while ((own = white_space(text, length, 1)) > 0)
        length -= own;
    if (length == 0)
        return NAN;
    for (int place = 0; place < n_levels; ++place) {
        const char *level = levels[place].text;
        size_t same = 0;
        while (same < length && (text[same] == level[same] || (levels[place].any_case && level[same] >= 'a'
                                                               && text[same] == level[same] - 'a' + 'A')))
            ++same;
        if (levels[place].column == column && same == length && !level[same])
            return levels[place].code;
    }
    return -1.0;
}
"""

_NUMBER_OF = """
/* The number of a category, NAN if its code is unknown. */
static double number_of(double code, const double *numbers, int n_codes)
{
    for (int place = 0; place < n_codes; ++place)
        if (code == place)
            return numbers[place];
    return NAN;
}
"""

_FILL = """
/* Fill in missing values by their regressions on the others. */
static void fill(double *values)
{
    double apart[{n}];
    int missing[{n}];
    for (int place = 0; place < {n}; ++place) {
        missing[place] = isnan(values[place]);
        apart[place] = missing[place] ? 0.0 : values[place] - means[place];
    }
    for (int turn = 0; turn < {n_rounds}; ++turn)
        for (int place = 0; place < {n}; ++place) {
            double sum = 0.0;
            if (!missing[place])
                continue;
            for (int other = 0; other < {n}; ++other)
                sum += slopes[place][other] * apart[other];
            apart[place] = sum;
        }
    for (int place = 0; place < {n}; ++place)
        if (missing[place])
            values[place] = means[place] + apart[place];
}
"""

_WITHIN = """
/* The position of a number in a cycle, from 0 to its length. */
static double within(double place, double period)
{
    return place - period * floor(place / period);
}
"""

_DAY_OF_YEAR = """
/* The days since 1 January, with a 29 February in every year. */
static double day_of_year(double seconds)
{
    /* Days since a 1 March in the calendar's cycle of 400 years. */
    const double day = within(floor(seconds / 86400.0) + 719468.0, 146097.0);
    const double leap = floor(day / 1460.0) - floor(day / 36524.0) + floor(day / 146096.0);
    const double year = floor((day - leap) / 365.0);
    const double of_year = day - (365.0 * year + floor(year / 4.0) - floor(year / 100.0));
    return within(of_year + 60.0, 366.0) + within(seconds, 86400.0) / 86400.0;
}
"""

_WEEKDAY = """
/* The number of a weekday, from Monday to Sunday, NAN if it is unknown. */
static double weekday(double seconds, const double *numbers)
{
    return isnan(seconds) ? NAN : numbers[(int)within(floor(seconds / 86400.0) + 3.0, 7.0)];
}
"""

_PREDICT = "double fruler_predict(const double *x)"
_PREDICT_INTERVAL = "double fruler_predict_interval(const double *x, double *lower, double *upper)"

_PREDICT_ALONE = """
/* Return the prediction for one row, as fruler_predict_interval does. */
double fruler_predict(const double *x)
{
    double lower, upper;
    return fruler_predict_interval(x, &lower, &upper);
}
"""


def export(rule_base: RuleBase, *, interval: float | None = None) -> str:
    r"""Write a rule base as a single file of C99.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds ``fruler_predict_interval``, which returns the
        prediction and writes the ends of its interval to two pointers.

    Returns
    -------
    str
        The source. ``fruler_predict`` takes the numbers of one row in the order of ``fruler_inputs``, the columns of
        the table, and returns the prediction. Categories are passed as codes: each has a constant, and
        ``fruler_code(column, text)`` looks it up. Dates are seconds since the start of 1970, in the local time of the
        training data. NAN and unknown codes are missing values, which are filled in as in `RuleBase.predict`. The
        prediction is NAN if the model has no estimates for missing values, or if a number that it needs is infinite.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[-13:]))
        /* Rule 1: if temperature is low */
        weight[0] = 1.0 - temperature_above_low;
        output[0] = 25.0 - 1.0 * x_temperature;
    <BLANKLINE>
        /* Rule 2: if temperature is high */
        weight[1] = temperature_above_low;
        output[1] = 5.25;
    <BLANKLINE>
        double total = 0.0;
        for (int rule = 0; rule < N_RULES; ++rule)
            total += weight[rule];
        return mean(weight, output, total);
    }
    """
    return _CWriter(rule_base, make_model_plan(rule_base, interval)).text()


class _CWriter(CodeWriter):
    MEAN = _MEAN
    NEAREST_RULE = _NEAREST_RULE
    # With a prefix, no name can be a keyword, a macro or another name in the file.
    INPUT_PREFIX = "x_"
    BLANK_LINES = 1
    LANGUAGE, ROW = "c", "x"
    TOTAL = ("double total = 0.0;", "for (int rule = 0; rule < N_RULES; ++rule)", "    total += weight[rule];")

    def new_identifiers(self) -> Identifiers:
        return Identifiers(["x"])

    def seconds(self, source: DateSource, x: str) -> str:
        return x

    def gap(self, x: str) -> str:
        return f"isnan({x}) ? 1.0 : 0.0"

    def level(self, source: LevelSource, x: str, feature: int) -> str:
        own, levels = dict(zip(source.levels, source.values, strict=True)), self.plan.inputs.column_of(feature).levels
        assert levels is not None
        self.add_numbers(f"numbers_{feature}", [own.get(level) for level in levels])
        self.require(_NUMBER_OF)
        return f"number_of({x}, numbers_{feature}, {len(levels)})"

    def cycle(self, source: CycleSource, seconds: str) -> str:
        self.require(_WITHIN)
        if source.cycle == "hour":
            return f"within({seconds} / 3600.0 - {source.start!r}, 24.0)"
        self.require(_DAY_OF_YEAR)
        return f"within(day_of_year({seconds}) - {source.start!r}, 366.0)"

    def weekday(self, source: WeekdaySource, seconds: str, feature: int) -> str:
        self.add_numbers(f"weekdays_{feature}", source.week)
        self.require(_WITHIN, _WEEKDAY)
        return f"weekday({seconds}, weekdays_{feature})"

    def add_numbers(self, name: str, numbers: Sequence[float | None]) -> None:
        """Add a table of numbers, NAN for None."""
        written = ", ".join("NAN" if number is None else repr(number) for number in numbers)
        self.tables.append(f"static const double {name}[] = {{{written}}};")

    def head(self) -> str:
        rule_base, inputs = self.rule_base, self.plan.inputs
        n_columns = len(rule_base.columns)
        self.add_levels()
        self.add_filling()
        lines = [
            self.title(),
            *([self.comment(inputs.date_note)] if inputs.date_note else []),
            "#include <math.h>",
            *([] if inputs.numeric else ["#include <string.h>"]),
            "",
            f"extern const char *const fruler_inputs[{n_columns}];",
            "extern const char *const fruler_target;",
            f"{_PREDICT};",
            *([] if self.plan.interval is None else [f"{_PREDICT_INTERVAL};"]),
            *([] if inputs.numeric else ["double fruler_code(int column, const char *text);"]),
            "",
            f"enum {{ N_RULES = {rule_base.n_rules} }};",
            "",
            f"const char *const fruler_inputs[{n_columns}] = {{",
            *(f"    {string(column)}," for column in rule_base.columns),
            "};",
            f"const char *const fruler_target = {string(rule_base.target_name)};",
        ]
        return "\n".join(lines)

    def add_levels(self) -> None:
        """Add the codes of all categories, as constants and as a lookup table."""
        if self.plan.inputs.numeric:
            return
        names, constants, rows = Identifiers(), [], []
        for place, column in enumerate(self.plan.inputs.columns):
            for code, level in enumerate(column.levels or ()):
                name = names.new(f"fruler {column.name} {level}", "fruler_level")
                constants.append(f"    {name} = {code}, {comment(f'{column.name} is {level}')}")
                spelled = map(string, spellings(level, column.levels or ()))
                rows += [f"    {{{place}, {text}, {int(column.holds_truth)}, {code}.0}}," for text in spelled]
        texts = [
            "/* The codes of categories. NAN means missing, any other code means unknown. */",
            *("enum {", *constants, "};"),
            *("", "static const struct {", "    int column;", "    const char *text;", "    int any_case;"),
            "    double code;",
            *("} levels[] = {", *rows, "};"),
        ]
        self.tables.insert(0, "\n".join(texts))
        self.functions.insert(0, _CODE.replace("SIGNS", ", ".join(map(string, WHITE_SPACE))))

    def add_filling(self) -> None:
        """Add the estimates for gaps, and the function that fills them in."""
        filling = self.plan.inputs.filling
        if filling is None:
            return
        n = len(filling.inputs)
        rows = "".join(f"    {{{', '.join(map(repr, row))}}},\n" for row in filling.slopes)
        self.tables.append(
            "/* Estimates for missing values: means, and slopes on all values that the rules use. */\n"
            f"static const double means[{n}] = {{{', '.join(map(repr, filling.centres))}}};\n"
            f"static const double slopes[{n}][{n}] = {{\n{rows}}};"
        )
        self.require(_FILL.replace("{n}", str(n)).replace("{n_rounds}", str(filling.n_rounds)))

    def predictions(self) -> list[str]:
        interval, n_columns = self.plan.interval, len(self.rule_base.columns)
        ends = "" if interval is None else f" and the ends of its interval ({interval.coverage:.10g} of rows lie in it)"
        lines = [
            self.comment(
                f"Return the prediction for one row{ends}: {n_columns} numbers in the order of fruler_inputs."
            ),
            _PREDICT if interval is None else _PREDICT_INTERVAL,
            "{",
            *indented([*self.opening(), *self.steps()]),
            "}",
        ]
        return [*([] if interval is None else [_PREDICT_ALONE]), "\n".join(lines)]

    def opening(self) -> list[str]:
        """Return the lines that read and check the inputs."""
        plan, lines = self.plan, []
        if self.values:
            lines.append(f"double values[{len(self.values)}];")
            lines += [f"values[{place}] = {value};" for place, value in enumerate(self.values)]
            lines += ["fill(values);"] if plan.inputs.filling is not None else []
        for j in plan.used:
            variable = self.rule_base.variables[j]
            value = f"values[{plan.inputs.needed.index(j)}]" if self.values else f"x[{j}]"
            declared = self.line(f"{self.inputs[j]} = {value}", "variable" if j in plan.clips else "constant")
            lines.append(f"{declared} {comment(name_with_unit(variable.name, variable.unit))}")
        if plan.used:
            finite = " && ".join(f"isfinite({self.inputs[j]})" for j in plan.used)
            lines += self.if_block(f"!({finite})", self.returned("NAN", *["NAN"] * (2 * (plan.interval is not None))))
        elif not self.values:
            lines.append("(void)x;")
        return lines

    def function(self, name: str, arguments: Sequence[str], description: str, lines: Sequence[str]) -> str:
        declared = ", ".join(f"double {argument}" for argument in arguments)
        return "\n".join([comment(description), f"static double {name}({declared})", "{", *indented(lines), "}"])

    def table(self, name: str, numbers: Sequence[float], description: str) -> str:
        return f"{comment(description)}\nstatic const double {name}[N_RULES] = {{{', '.join(map(repr, numbers))}}};"

    def comment(self, text: str) -> str:
        return comment(text)

    def line(self, assignment: str, declares: Declared | None = None) -> str:
        kinds = {"constant": "const double ", "variable": "double ", "whole number": "const int "}
        return f"{kinds[declares] if declares else ''}{assignment};"

    def arrays(self, *names: str) -> str:
        return f"double {', '.join(f'{name}[N_RULES]' for name in names)};"

    def if_block(self, condition: str, lines: Sequence[str]) -> list[str]:
        if len(lines) == 1:
            return [f"if ({condition})", *indented(lines)]
        return [f"if ({condition}) {{", *indented(lines), "}"]

    def returned(self, prediction: str, *ends: str) -> list[str]:
        pointers = zip(("*lower", "*upper"), ends, strict=False)
        return [*(f"{pointer} = {end};" for pointer, end in pointers), f"return {prediction};"]

    def call(self, function: str, *arguments: str) -> str:
        return f"{function}({', '.join(arguments)})"

    def one_of(self, name: str, codes: Sequence[float]) -> str:
        return f"({' || '.join(f'{name} == {code!r}' for code in codes)} ? 1.0 : 0.0)"

    def least(self, values: Sequence[str]) -> str:
        *others, last = values
        return f"fmin({self.least(others)}, {last})" if others else last

    def greatest(self, values: Sequence[str]) -> str:
        *others, last = values
        return f"fmax({self.greatest(others)}, {last})" if others else last


def comment(text: str) -> str:
    """Return a comment that no text can end; spaces also break up trigraphs and nested comments.

    Examples
    --------
    >>> comment("end */ here")
    '/* end * / here */'
    """
    plain = printable(text)
    for sign in ("*/", "/*", "??", "//"):
        while sign in plain:
            plain = plain.replace(sign, f"{sign[0]} {sign[1]}")
    return f"/* {plain} */"


def string(text: str) -> str:
    r"""Return a string literal; characters other than plain ASCII are written as octal bytes of UTF-8.

    Examples
    --------
    >>> print(string('5"'))
    "5\042"
    """
    data = text.encode("utf-8", "backslashreplace")
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in data)
    return '"' + "".join(plain) + '"'
