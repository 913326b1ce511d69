"""The inputs of rules in C: from the columns of a table, with gaps filled in."""

from __future__ import annotations

from collections.abc import Iterable

from fruler.export.c_dates import date_functions, date_value
from fruler.export.c_literals import comment, string
from fruler.export.input_plan import Column, Filling, InputPlan
from fruler.export.names import Identifiers
from fruler.table.date_sources import DateSource
from fruler.table.sources import GapSource, LevelSource

_CODE = """
/* Return the code of a category of a column (counted from 0): -1 if it is not known, NAN for no text at all. */
double fruler_code(int column, const char *text)
{
    const int n_levels = (int)(sizeof levels / sizeof levels[0]);
    if (!text)
        return NAN;
    for (int place = 0; place < n_levels; ++place)
        if (levels[place].column == column && strcmp(levels[place].text, text) == 0)
            return levels[place].code;
    return -1.0;
}
"""

_NUMBER_OF = """
/* The number that stands for a category, NAN if its code is not known. */
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


def declared_functions(plan: InputPlan) -> list[str]:
    """Return the declarations of what a caller may use besides the prediction."""
    return [] if plan.numeric else ["double fruler_code(int column, const char *text);"]


def input_parts(plan: InputPlan) -> Iterable[str]:
    """Return what the file has besides the prediction to make inputs of values; nothing where they are the inputs."""
    if plan.plain:
        return
    if not plan.numeric:
        yield _levels(plan)
        yield _CODE
    sources = [(j, plan.sources[j]) for j in plan.needed]
    yield from date_functions(sources)
    coded = [(j, source) for j, source in sources if isinstance(source, LevelSource) and plan.date_of(j) is None]
    numbers = [_numbers(plan, j, source) for j, source in coded]
    if numbers:
        yield "\n" + "".join(numbers)
        yield _NUMBER_OF
    if plan.filling is not None:
        yield _regressions(plan.filling)
        rounds = _FILL.replace("{n}", str(len(plan.filling.inputs)))
        yield rounds.replace("{n_rounds}", str(plan.filling.n_rounds))


def input_lines(plan: InputPlan) -> list[str]:
    """Return the lines of the function that fill an array with the inputs; those that are not needed are left out."""
    lines = [f"    double values[{len(plan.needed)}];"]
    lines += [f"    values[{place}] = {_value(plan, j)};" for place, j in enumerate(plan.needed)]
    return lines + (["    fill(values);"] if plan.filling is not None else [])


def _value(plan: InputPlan, feature: int) -> str:
    source, value = plan.sources[feature], f"x[{plan.place_of(feature)}]"
    if isinstance(source, DateSource):
        return date_value(source, value, feature)
    if isinstance(source, GapSource):
        return f"isnan({value}) ? 1.0 : 0.0"
    if not isinstance(source, LevelSource):
        return value
    return f"number_of({value}, numbers_{feature}, {len(_of(plan.column_of(feature)))})"


def _of(column: Column) -> tuple[str, ...]:
    return column.levels or ()


def _levels(plan: InputPlan) -> str:
    """Write the codes of all categories, as constants and as a table of their texts."""
    names, constants, rows = Identifiers(), [], []
    for place, column in enumerate(plan.columns):
        for code, level in enumerate(_of(column)):
            name = names.new(f"fruler {column.name} {level}", "fruler_level")
            constants.append(f"    {name} = {code}, {comment(f'{column.name} is {level}')}")
            rows.append(f"    {{{place}, {string(level)}, {code}.0}},")
    texts = [
        "/* The codes of categories. NAN is one that is missing, any other code one that is unknown. */",
        *("enum {", *constants, "};"),
        *("", "static const struct {", "    int column;", "    const char *text;", "    double code;"),
        *("} levels[] = {", *rows, "};"),
    ]
    return "\n" + "\n".join(texts) + "\n"


def _numbers(plan: InputPlan, feature: int, source: LevelSource) -> str:
    """Write the number of each category of a column for one input."""
    own = dict(zip(source.levels, source.values, strict=True))
    numbers = ", ".join(repr(own[level]) if level in own else "NAN" for level in _of(plan.column_of(feature)))
    return f"static const double numbers_{feature}[] = {{{numbers}}};\n"


def _regressions(filling: Filling) -> str:
    n = len(filling.inputs)
    rows = "".join(f"    {{{', '.join(map(repr, row))}}},\n" for row in filling.slopes)
    return (
        "\n/* What is taken for missing values: means, and slopes on all values that the rules use. */\n"
        f"static const double means[{n}] = {{{', '.join(map(repr, filling.centres))}}};\n"
        f"static const double slopes[{n}][{n}] = {{\n{rows}}};\n"
    )
