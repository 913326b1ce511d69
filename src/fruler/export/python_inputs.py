"""The inputs of rules in plain Python: from the values of a row, with gaps filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fruler.export.input_plan import Filling, InputPlan
from fruler.export.python_dates import date_functions, date_value
from fruler.table.date_sources import DateSource
from fruler.table.sources import GapSource, LevelSource, NumberSource

_NUMBER = '''

def _number(value):
    """Return a value as a number, NaN where it is missing."""
    if value is None or isinstance(value, str) and not value.strip():
        return math.nan
    number = float(value)
    if math.isinf(number) or isinstance(value, str) and math.isnan(number):
        raise ValueError(f"the numbers of a row must be finite; got {value!r}")
    return number
'''

_LEVEL = '''

def _level(value, numbers, any_case=False):
    """Return the number of a category, NaN where it is missing or unknown."""
    if _is_missing(value):
        return math.nan
    text = f"{value:.15g}" if isinstance(value, float) else str(value).strip()
    return numbers.get(text.lower() if any_case else text, math.nan)
'''

_IS_MISSING = '''

def _is_missing(value):
    """Return whether there is no value: None, NaN or blank text."""
    return value is None or value != value or isinstance(value, str) and not value.strip()
'''

_FILL = '''

def _fill(values):
    """Fill in missing values by their regressions on the others."""
    missing = [place for place, value in enumerate(values) if math.isnan(value)]
    apart = [0.0 if math.isnan(value) else value - mean for value, mean in zip(values, MEANS)]
    for _ in range({n_rounds} if missing else 0):
        for place in missing:
            apart[place] = sum(slope * value for slope, value in zip(SLOPES[place], apart))
    for place in missing:
        values[place] = MEANS[place] + apart[place]
'''


def input_parts(plan: InputPlan) -> Iterable[str]:
    """Return what the module has besides ``predict`` to make inputs of values; nothing where they are the inputs."""
    if plan.plain:
        return
    if plan.filling is not None:
        yield _regressions(plan.filling)
    sources = [plan.sources[j] for j in plan.needed]
    if any(isinstance(source, LevelSource | GapSource | DateSource) for source in sources):
        yield _IS_MISSING
    if any(isinstance(source, NumberSource) for source in sources):
        yield _NUMBER
    if any(isinstance(source, LevelSource) and not isinstance(source, DateSource) for source in sources):
        yield _LEVEL
    yield from date_functions(sources)
    if plan.filling is not None:
        yield _FILL.replace("{n_rounds}", str(plan.filling.n_rounds))


def _regressions(filling: Filling) -> str:
    rows = "".join(f"    {row!r},\n" for row in filling.slopes)
    return (
        "\n# What is taken for missing values: means, and slopes on all values that the rules use.\n"
        f"MEANS = {filling.centres!r}\nSLOPES = (\n{rows})\n"
    )


def input_lines(plan: InputPlan, names: Sequence[str], what: str = "the prediction") -> list[str]:
    """Return the first lines of ``predict``: they check a row, and give names to the inputs."""
    if plan.plain:
        return [
            f'    """Return {what} for one row: finite numbers in the order of INPUTS."""',
            "    values = [float(value) for value in row]",
            "    if len(values) != len(INPUTS):",
            '        raise ValueError(f"a row has {len(INPUTS)} numbers; got {len(values)}")',
            "    if not all(map(math.isfinite, values)):",
            '        raise ValueError("the numbers of a row must be finite")',
            f"    {_unpacked(names)} = values",
        ]
    lines = [
        f'    """Return {what} for one row: numbers and texts in the order of INPUTS.',
        "",
        "    A missing value is None or NaN; a text that is not known counts as missing.",
        '    """',
        "    row = list(row)",
        "    if len(row) != len(INPUTS):",
        '        raise ValueError(f"a row has {len(INPUTS)} values; got {len(row)}")',
    ]
    if not plan.needed:
        return lines
    lines += ["    values = [", *(f"        {_value(plan, j)}," for j in plan.needed), "    ]"]
    if plan.filling is not None:
        lines.append("    _fill(values)")
    else:
        lines += [
            "    if any(map(math.isnan, values)):",
            '        raise ValueError("a value that the rules need is missing or unknown")',
        ]
    return [*lines, f"    {_unpacked([names[j] for j in plan.needed])} = values"]


def _unpacked(names: Sequence[str]) -> str:
    return ", ".join(names) + ("," if len(names) == 1 else "")


def _value(plan: InputPlan, feature: int) -> str:
    source, value = plan.sources[feature], f"row[{plan.place_of(feature)}]"
    if isinstance(source, DateSource):
        return date_value(source, value)
    if isinstance(source, GapSource):
        return f"float(_is_missing({value}))"
    if not isinstance(source, LevelSource):
        return f"_number({value})"
    truth = plan.column_of(feature).holds_truth
    levels = [level.lower() for level in source.levels] if truth else source.levels
    return f"_level({value}, {dict(zip(levels, source.values, strict=True))!r}{', any_case=True' if truth else ''})"
