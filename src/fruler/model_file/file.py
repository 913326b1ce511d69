"""The file of a model: its layout, written and read."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fruler.data.encoding import TableEncoding
from fruler.files import write_whole
from fruler.model_file.checked import MOST_BYTES, Checked, parse_document
from fruler.model_file.rule_base_json import rule_base_from_json, rule_base_to_json
from fruler.rules.rule_base import RuleBase

FORMAT, SCHEMA = "fruler-model", 1
# Values below this many levels stand in one line each: a person reads a rule a line.
_LEVELS_APART = 4


@dataclass(frozen=True, eq=False)
class Model:
    """What a model file holds.

    Attributes
    ----------
    rule_base : RuleBase
        The rules.
    encoding : TableEncoding or None
        How the columns of a table become the inputs of the rules; None: they are the inputs.
    learning : dict
        How the rules were learned: settings, evaluations, the front. For information; nothing predicts with it.
    """

    rule_base: RuleBase
    encoding: TableEncoding | None = None
    learning: dict[str, Any] = field(default_factory=dict)


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model to a file, whole or not at all.

    Raises
    ------
    OSError
        If it cannot be written; an old file is then as it was.
    """
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "written_by": f"fruler {version('fruler')}",
        "missing_values": "refuse",
        "columns": None if model.encoding is None else model.encoding.to_json(),
        "rule_bases": [rule_base_to_json(model.rule_base)],
        "learning": model.learning,
    }
    write_whole(Path(path), _in_lines(document, _LEVELS_APART) + "\n")


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file holds anything else.
    """
    where = Path(path)
    if where.is_dir():
        raise ValueError(f"{str(where)!r} is a folder; give the path of a model file")
    try:
        with where.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"there is no file {str(where)!r}; check the path") from None
    try:
        return parse_model(raw)
    except ValueError as error:
        raise ValueError(
            f"{str(where)!r} is no model that can be read: {error}; make it with save or fruler fit"
        ) from None


def parse_model(raw: bytes) -> Model:
    """Return the model that the bytes of a file say.

    Raises
    ------
    ValueError
        If they say none.
    """
    document = parse_document(raw)
    head = document.members()
    if "format" not in head or head["format"].value != FORMAT or "schema" not in head:
        raise ValueError(f"it does not begin as a {FORMAT} does")
    if head["schema"].count(1) > SCHEMA:
        raise ValueError(
            f"its schema is {head['schema'].value}, and this version knows {SCHEMA}; install a newer fruler"
        )
    members = document.keys(("format", "schema", "written_by", "missing_values", "columns", "rule_bases", "learning"))
    members["written_by"].text()
    members["missing_values"].one_of("refuse")
    bases = list(members["rule_bases"].items())
    if len(bases) != 1:
        raise ValueError(f"it has {len(bases)} rule bases, and this version reads one")
    rule_base = rule_base_from_json(bases[0])
    encoding = None
    if members["columns"].value is not None:
        encoding = TableEncoding.from_json(members["columns"])
        if list(encoding.input_names) != [variable.name for variable in rule_base.variables]:
            raise ValueError("its columns do not give the inputs of its rules")
    learning: Checked = members["learning"]
    learning.members()
    return Model(rule_base, encoding, learning.value)


def _in_lines(value: Any, levels: int, indent: str = "") -> str:
    """Write JSON with a line for each value down to some level."""
    if levels == 0 or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = indent + " "
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_in_lines(item, levels - 1, inner)}"
            for key, item in value.items()
        ]
    else:
        opening, closing = "[", "]"
        parts = [_in_lines(item, levels - 1, inner) for item in value]
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"
