"""The inputs of rules in SQL: from the columns of a table, with gaps filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fruler.export.expressions import linear
from fruler.export.input_plan import Filling, InputPlan
from fruler.export.sql_dates import date_columns, date_input
from fruler.export.sql_literals import literal, quoted, real
from fruler.table.date_formats import AS_WRITTEN
from fruler.table.date_sources import DateSource
from fruler.table.sources import GapSource, LevelSource
from fruler.table.validation import LARGEST_VALUE

# What SQLite and others without truth values have instead of them.
_TRUTH_NUMBERS = {"False": "0", "True": "1"}


def is_usable(name: str) -> str:
    """Return the condition that a number is one to calculate with; NULL, NaN and infinity are not.

    A database may sort NaN above every number; it never sorts it below one.
    """
    return f"ABS({name}) <= {real(LARGEST_VALUE)}"


def fence(n_columns: int) -> str:
    """Return a union with no rows, which keeps SQLite from putting the expressions of two steps into one."""
    return f"\n  UNION ALL SELECT {', '.join(['NULL'] * n_columns)} WHERE 1 = 0"


def input_columns(plan: InputPlan) -> list[str]:
    """Return a column x1, x2, ... for each input that is needed, from the table t."""
    return [f"{_input(plan, j)} AS x{j + 1}" for j in plan.needed]


def filled_tables(plan: InputPlan, filling: Filling, inner: str, kept: Sequence[str], prefix: str) -> tuple[str, str]:
    """Return the tables of a WITH in which gaps are filled in one after the other, and the name of the last.

    Each step is a table of its own: it needs the results of all steps before, and inside one another they would be
    nested deeper than some parsers go.
    """
    inputs = [f"x{j + 1}" for j in filling.inputs]
    flags = {j: f"m{place}" for place, group in enumerate(filling.groups, 1) for j in group}
    missing = [f"{_missing(plan, group[0])} AS {flags[group[0]]}" for group in filling.groups]
    carried = [*kept, *dict.fromkeys(flags.values())]
    begun = {j: real(mean) for j, mean in filling.means.items()}
    tables = [(f"{prefix}_inputs", inner), (f"{prefix}_found", ", ".join([*kept, *inputs, *missing]))]
    tables.append((f"{prefix}_0", _filled(inputs, carried, begun, flags)))
    for turn in range(filling.n_rounds):
        for place, step in enumerate(filling.steps, 1):
            taken = {
                j: linear(intercept, {f"x{k + 1}": slope for k, slope in slopes.items()}, real)
                for j, intercept, slopes in zip(step.inputs, step.intercepts, step.slopes, strict=True)
            }
            name = f"{prefix}_{turn * len(filling.steps) + place}"
            tables.append((name, _filled(inputs, carried, taken, flags)))
    first, *others = tables
    texts = [f"{first[0]} AS (\n  {first[1]}\n)"]
    n_columns = [0, len(kept) + len(inputs) + len(missing), *[len(carried) + len(inputs)] * (len(tables) - 2)]
    for (before, _), (name, columns), count in zip(tables[:-1], others, n_columns[1:], strict=True):
        texts.append(f"{name} AS (\n  SELECT {columns}\n  FROM {before}{fence(count)}\n)")
    return "WITH " + ",\n".join(texts), tables[-1][0]


def input_table(plan: InputPlan, table: str) -> str:
    """Return the table t that the inputs come from: with dates that are read, where there are any."""
    read = []
    for place in sorted({plan.place_of(j) for j in plan.needed if plan.date_of(j) is not None}):
        column = plan.columns[place]
        if column.dates is None:
            continue
        if column.dates.zone not in ("", AS_WRITTEN):
            raise ValueError(
                f"The dates of {column.name!r} have a time zone, which databases write in ways of their own; to export "
                "to SQL, learn from dates without one."
            )
        read += date_columns(f"t.{quoted(column.name)}", column.dates.order, place + 1)
    return f"(SELECT t.*, {', '.join(read)} FROM {quoted(table)} AS t) AS t" if read else f"{quoted(table)} AS t"


def _input(plan: InputPlan, feature: int) -> str:
    source, column = plan.sources[feature], plan.column_of(feature)
    name = f"t.{quoted(source.column)}"
    if isinstance(source, DateSource):
        return date_input(source, plan.place_of(feature) + 1)
    if isinstance(source, LevelSource):
        return _level(source, f"TRIM(CAST({name} AS VARCHAR))", truth=column.holds_truth)
    if isinstance(source, GapSource):
        is_text = column.levels is not None or column.dates is not None
        return _is_gap(name if is_text else _as_real(name), text=is_text)
    return _as_real(name)


def _as_real(name: str) -> str:
    return f"CAST({name} AS DOUBLE PRECISION)"


def _level(source: LevelSource, text: str, *, truth: bool) -> str:
    """Return the number of a category, NULL where it is not known."""
    spelled: dict[float, list[str]] = {}
    for level, value in zip(source.levels, source.values, strict=True):
        own = [level.lower(), _TRUTH_NUMBERS[level]] if truth else _spellings(level, source.levels)
        spelled.setdefault(value, []).extend(own)
    text = f"LOWER({text})" if truth else text
    cases = [
        f"WHEN {text} = {literal(texts[0])} THEN {real(value)}"
        if len(texts) == 1
        else f"WHEN {text} IN ({', '.join(map(literal, texts))}) THEN {real(value)}"
        for value, texts in spelled.items()
    ]
    return f"CASE {' '.join(cases)} END"


def _spellings(level: str, levels: Sequence[str]) -> list[str]:
    """Return how a database writes a category: one that is a number may come from a column of real numbers."""
    try:
        value = float(level)
    except ValueError:
        return [level]
    if not math.isfinite(value) or f"{value:.15g}" != level or repr(value) in levels:
        return [level]
    return [level, repr(value)]


def _missing(plan: InputPlan, feature: int) -> str:
    return _is_gap(f"x{feature + 1}", text=isinstance(plan.sources[feature], LevelSource))


def _is_gap(name: str, *, text: bool) -> str:
    """Return 1 where there is no value and 0 where there is one; NaN is none, infinity is one."""
    if text:
        return f"CASE WHEN {name} IS NULL THEN 1e0 ELSE 0e0 END"
    # Only of infinity, and of what comes near it, is the inverse next to nothing.
    return f"CASE WHEN {is_usable(name)} THEN 0e0 WHEN ABS(1e0 / {name}) < 1e0 THEN 0e0 ELSE 1e0 END"


def _filled(inputs: Sequence[str], carried: Sequence[str], taken: dict[int, str], flags: dict[int, str]) -> str:
    """Return the columns of a table in which some inputs are replaced where they are missing."""
    new = {f"x{j + 1}": f"CASE WHEN {flags[j]} = 1e0 THEN {value} ELSE x{j + 1} END" for j, value in taken.items()}
    columns = [f"{new[name]} AS {name}" if name in new else name for name in inputs]
    return ", ".join([*carried, *columns])
