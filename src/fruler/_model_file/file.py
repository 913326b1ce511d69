"""The layout of a model file, written and read."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fruler._files import read_at_most, write_whole
from fruler._model_file.changes_json import changes_from_json, changes_to_json, sums_from_json, sums_to_json
from fruler._model_file.columns_json import with_columns
from fruler._model_file.learning_json import Learning, learning_from_json, learning_to_json
from fruler.rules._json.checked import MAX_BYTES, parse_document, require_readable
from fruler.rules._json.document import needs_triangles, require_cells, rule_base_from_json, rule_base_to_json
from fruler.rules._refit import RowSums
from fruler.rules._rule_base import RuleBase
from fruler.rules.edits import Change

FORMAT, SCHEMA = "fruler-model", 4
# Members of the first schema only: its columns are the inputs, and rows with gaps are refused.
_FIRST: dict[str, Any] = {"missing_values": "refuse", "columns": None}
# The members written one per line, so that people can read one input per line and one rule per line.
_LINES: dict[str, Any] = {
    "rule_bases": {"*": {"inputs": {}, "rules": {}, "curves": {}, "training": {"inputs": {}}}},
    "learning": {"settings": {}, "front": {}},
    "changes": {"*": {"edits": {}}},
    "sums": {"products": {}},
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_LONGEST_MESSAGE = 300


@dataclass(frozen=True, eq=False)
class Model:
    """The content of a model file.

    Attributes
    ----------
    rule_base : RuleBase
        The rules.
    learning : Learning or None
        How the rules were learned. For information only; predictions do not use it.
    changes : tuple of Change
        What was changed since then, by whom and when.
    sums : RowSums or None
        The sums over the rows, if they are kept.
    """

    rule_base: RuleBase
    learning: Learning | None = None
    changes: tuple[Change, ...] = ()
    sums: RowSums | None = None


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model to a file, all of it or nothing.

    Raises
    ------
    ValueError
        If a file can't hold the model, e.g. because of control characters in a name.
    OSError
        If the file cannot be written; an existing file then stays unchanged.
    """
    write_whole(Path(path), model_bytes(model))


def model_bytes(model: Model) -> bytes:
    """Return the bytes of a model file.

    Raises
    ------
    ValueError
        If a file can't hold the model.
    """
    from fruler import __version__

    schema = _oldest_schema(model)
    try:
        require_cells(model.rule_base.n_rules, len(model.rule_base.variables))
        document = {
            "format": FORMAT,
            "schema": schema,
            "written_by": f"fruler {__version__}",
            **(_FIRST if schema == 1 else {}),
            "rule_bases": [rule_base_to_json(model.rule_base)],
            "learning": None if model.learning is None else learning_to_json(model.learning),
            **({"changes": changes_to_json(model.changes)} if model.changes else {}),
            **({} if model.sums is None else {"sums": sums_to_json(model.sums, model.rule_base)}),
        }
        text = _in_lines(document, _LINES) + "\n"
        require_readable(text)
    except ValueError as error:
        raise ValueError(f"this model can't be written to a file: {_short(error)}") from None
    return text.encode()


def _oldest_schema(model: Model) -> int:
    """Return the oldest schema that can express a model, so that older versions can read it."""
    rules = model.rule_base
    if model.changes or model.sums is not None:
        return 4
    if needs_triangles(rules):
        return 3
    return 2 if rules.gaps is not None or not all(variable.is_plain for variable in rules.variables) else 1


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file does not hold a model.
    """
    where = Path(path)
    raw = read_at_most(where, MAX_BYTES, "model file")
    try:
        return parse_model(raw)
    except ValueError as error:
        raise unreadable(where, error) from None


def unreadable(path: str | os.PathLike[str], error: Exception) -> ValueError:
    """Return the error for a file that does not hold a model."""
    return ValueError(f"{str(path)!r} can't be read as a model: {_short(error)}")


def parse_model(raw: bytes) -> Model:
    """Return the model in the bytes of a file.

    Raises
    ------
    ValueError
        If the bytes do not hold a model.
    """
    document = parse_document(raw)
    head = document.value if isinstance(document.value, dict) else {}
    if head.get("format") != FORMAT or "schema" not in head:
        raise ValueError(f"it is JSON but not a {FORMAT}, which an estimator's save and fruler fit write")
    schema = document.members()["schema"].count(1)
    if schema > SCHEMA:
        raise ValueError(f"its schema is {schema}, and this version reads up to {SCHEMA}; install a newer fruler")
    first = ("missing_values", "columns") if schema == 1 else ()
    new = ("changes", "sums") if schema >= 4 else ()
    members = document.keys(("format", "schema", "written_by", *first, "rule_bases", "learning"), new)
    members["written_by"].text()
    bases = list(members["rule_bases"].items())
    if len(bases) != 1:
        raise ValueError(f"it has {len(bases)} rule bases, and this version reads one")
    rule_base = rule_base_from_json(bases[0], triangles=schema >= 3)
    if schema == 1:
        members["missing_values"].one_of("refuse")
        if members["columns"].value is not None:
            rule_base = with_columns(rule_base, members["columns"])
    learning = None if members["learning"].value is None else learning_from_json(members["learning"])
    changes = changes_from_json(members["changes"], rule_base) if "changes" in members else ()
    sums = sums_from_json(members["sums"], rule_base) if "sums" in members else None
    return Model(rule_base, learning, changes, sums)


def _in_lines(value: Any, lines: dict[str, Any] | None, indent: str = "") -> str:
    """Return JSON text: one line per member where `lines` has an entry, and a single line elsewhere."""
    if lines is None or not value:
        return _ENCODER.encode(value)
    inner = indent + " "
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [f"{_ENCODER.encode(key)}: {_in_lines(item, lines.get(key), inner)}" for key, item in value.items()]
    else:
        opening, closing = "[", "]"
        parts = [_in_lines(item, lines.get("*"), inner) for item in value]
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"


def _short(error: Exception) -> str:
    message = str(error)
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 3] + "..."
