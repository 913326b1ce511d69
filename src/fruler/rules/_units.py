"""Units that a pandas data frame knows of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fruler.rules._rule_base import RuleBase

_ATTRIBUTE = "units"


def units_in(*tables: Any) -> dict[str, str]:
    """Return the units that stand in ``attrs["units"]`` of data frames and series, by column.

    Other things than a dict of texts are none of ours, and left alone.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [1.0], "price": [2.0]})
    >>> table.attrs["units"] = {"age": "years", "price": "k€"}
    >>> units_in(table[["age"]], table["price"]), units_in([[1.0]])
    ({'age': 'years', 'price': 'k€'}, {})
    """
    found: dict[str, str] = {}
    for table in tables:
        attributes = getattr(table, "attrs", None)
        units = attributes.get(_ATTRIBUTE) if isinstance(attributes, Mapping) else None
        if isinstance(units, Mapping):
            found |= {name: unit for name, unit in units.items() if isinstance(name, str) and isinstance(unit, str)}
    return found


def with_known_units(rule_base: RuleBase, units: Mapping[str, str]) -> RuleBase:
    """Return a rule base with those of some units that are of its inputs or of its target; the others are left out."""
    own = {one.name for one in rule_base.variables if one.is_plain} | {rule_base.target_name}
    return rule_base.with_units({name: unit for name, unit in units.items() if name in own})
