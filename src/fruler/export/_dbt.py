"""A query as a model of dbt, and the YAML file that describes the model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from fruler._wording import printable


def relation(table: str) -> str:
    """Return the table that a dbt model reads: another model, or with a dot a table of a source.

    Examples
    --------
    >>> relation("houses"), relation("shop.houses")
    ("{{ ref('houses') }}", "{{ source('shop', 'houses') }}")
    """
    names = table.split(".", 1)
    return f"{{{{ {'ref' if len(names) == 1 else 'source'}({', '.join(map(repr, names))}) }}}}"


def without_templates(text: str) -> str:
    """Return a text that dbt's templates turn into the text itself.

    Examples
    --------
    >>> without_templates("a {{ name }}")
    "a {{ '{{' }} name }}"
    """
    return re.sub(r"\{[{%#]", lambda found: f"{{{{ '{found[0]}' }}}}", text)


def schema(name: str, description: str, columns: Mapping[str, str], never_null: Sequence[str]) -> str:
    """Return the YAML file of a model: its columns with their descriptions, and tests.

    Parameters
    ----------
    name, description : str
        The model.
    columns : mapping of str to str
        The description of each column.
    never_null : sequence of str
        The columns that dbt should test for NULL.
    """
    lines = [
        "version: 2",
        "models:",
        f"  - name: {_text(name)}",
        f"    description: {_text(without_templates(description))}",
        "    columns:",
    ]
    for column, own in columns.items():
        lines += [f"      - name: {_text(column)}", f"        description: {_text(without_templates(own))}"]
        lines += ["        data_tests: [not_null]"] if column in never_null else []
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """Return a text as JSON has it, which is also YAML."""
    return json.dumps(printable(value), ensure_ascii=False)
