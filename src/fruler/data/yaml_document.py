"""YAML documents as plain values: nothing in them is executed, and nothing in them is made into an object."""

from __future__ import annotations

import re
from typing import Any

from fruler._wording import install_advice
from fruler.data.sources import one_line
from fruler.rules.json.checked import Checked, text_of

# The parser is written in Python: more than this would take minutes, and no rule base needs it.
MAX_BYTES = 4_000_000
# The key under which a mapping has the name of its class, without the ``!!``.
CLASS = "!!"
_TAG = "tag:yaml.org,2002:"
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Longer ones are read as floats: whole numbers of any length would take any time.
_WHOLE = re.compile(r"[-+]?\d{1,15}")


def parse_yaml(raw: bytes) -> Checked:
    """Parse one YAML document to mappings, lists, numbers and texts.

    A class is kept as a name: ``!!frog.fuzzyset.Trapezium {a: 1}`` is ``{"!!": "frog.fuzzyset.Trapezium", "a": 1}``.
    Aliases are refused, since a few of them may stand for any number of values.

    Parameters
    ----------
    raw : bytes
        The content of a file.

    Raises
    ------
    ValueError
        If it is no such document.
    ImportError
        If PyYAML is not installed.

    Examples
    --------
    >>> parse_yaml(b"!!any.Shape {name: box, sides: [1, 2.5]}").value
    {'!!': 'any.Shape', 'name': 'box', 'sides': [1, 2.5]}
    """
    try:
        import yaml
    except ImportError:
        raise ImportError(f"YAML files need PyYAML; {install_advice('yaml')}") from None
    if len(raw) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes, and no rule base is so large")
    text = text_of(raw)
    try:
        # The tree of the document, of which no object is constructed.
        return Checked(_plain(yaml.compose(text, Loader=yaml.BaseLoader), set()))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        raise ValueError(f"it is not YAML ({where}{error.problem or error.context})") from None
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML ({one_line(error)})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _plain(node: Any, seen: set[int]) -> Any:
    """Return what a node of the tree stands for."""
    if node is None:
        return None
    place = f"line {node.start_mark.line + 1}"
    if id(node) in seen:
        raise ValueError(f"it repeats what is in {place} by an alias, which is not read")
    seen.add(id(node))
    if node.id == "scalar":
        return node.value if node.style in ("'", '"') else _scalar(node.value)
    if node.id == "sequence":
        return [_plain(item, seen) for item in node.value]
    found: dict[str, Any] = {}
    if node.tag.startswith(_TAG) and node.tag != f"{_TAG}map":
        found[CLASS] = node.tag.removeprefix(_TAG)
    for key, item in node.value:
        if key.id != "scalar":
            raise ValueError(f"a key in {place} is no text")
        if key.value in found:
            raise ValueError(f"the key {key.value[:40]!r} occurs twice in the mapping that begins in {place}")
        found[key.value] = _plain(item, seen)
    return found


def _scalar(text: str) -> str | float | int:
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
