"""The columns of a table, as the first schema of model files has them: beside the rules."""

from __future__ import annotations

from fruler._table.sources import LevelSource, NumberSource, Source
from fruler.rules._json.checked import Checked
from fruler.rules._rule_base import RuleBase


def with_columns(rule_base: RuleBase, written: Checked) -> RuleBase:
    """Return a rule base whose inputs come from the columns that a list describes.

    Two categories became one input of 0 and 1, more of them an input each, "colour=red".

    Raises
    ------
    ValueError
        If it describes none, or not those of the rules.
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
            raise ValueError(f"{item.place} must have two categories or more, each once")
        two = len(levels) == 2
        names += [column] if two else [f"{column}={level}" for level in levels]
        sources += [LevelSource.indicator(column, levels, level) for level in (levels[1:] if two else levels)]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{written.place} has a name twice")
    if tuple(names) != rule_base.names:
        raise ValueError("its columns do not give the inputs of its rules")
    return rule_base.with_sources(sources)
