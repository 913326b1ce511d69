"""The columns of a table in the first schema of model files, which lists them apart from the rules."""

from __future__ import annotations

from fruler._table.sources import LevelSource, NumberSource, Source
from fruler.rules._json.checked import Checked
from fruler.rules._rule_base import RuleBase


def with_columns(rule_base: RuleBase, written: Checked) -> RuleBase:
    """Return a rule base whose inputs come from the columns in a list.

    A column of two categories is one input of 0 and 1; a column of more categories is one input per category, named
    like "colour=red".

    Raises
    ------
    ValueError
        If the list is not valid, or its columns are not the inputs of the rules.
    """
    names: list[str] = []
    sources: list[Source] = []
    columns: list[str] = []
    for item in written.items():
        members = item.keys(("name", "kind"), ("categories",))
        is_category = members["kind"].one_of("number", "category") == "category"
        if is_category != ("categories" in members):
            raise ValueError(f"{item.place} must have categories if its kind is category, and only then")
        column = members["name"].text()
        columns.append(column)
        if not is_category:
            names.append(column)
            sources.append(NumberSource(column))
            continue
        levels = members["categories"].texts()
        if len(levels) < 2 or len(set(levels)) < len(levels):
            raise ValueError(f"{item.place} must have at least two categories, each once")
        two = len(levels) == 2
        names += [column] if two else [f"{column}={level}" for level in levels]
        sources += [LevelSource.indicator(column, levels, level) for level in (levels[1:] if two else levels)]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{written.place} has a name twice")
    if tuple(names) != rule_base.names:
        raise ValueError("its columns do not match the inputs of its rules")
    return rule_base.with_sources(sources)
