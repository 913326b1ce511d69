"""The ``@attribute`` family of text files: KEEL's ``.dat`` and Weka's ARFF, read by one parser.

Both begin with a header of ``@`` lines and end with rows of values separated by commas. KEEL adds declared ranges
(``real[0,1]``) and the roles ``@inputs`` and ``@outputs``; ARFF adds ``numeric`` and quoted values. What the header
declares as a range, and whether it says ``real`` or ``integer``, is kept but not enforced: published files break both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import pandas as pd

from fruler._wording import quoted, suggest
from fruler.data.attribute_rows import Attribute, excerpt, parse_number, read_rows, split_items, unescape
from fruler.data.column_names import check_printable
from fruler.data.sources import Origin, decode_text, read_bytes

_UNSUPPORTED_TYPES = ("string", "date", "relational")

_KEYWORD_LINE = re.compile(r"@([A-Za-z]+)\s*(.*)")
_ATTRIBUTE = re.compile(
    r"""(?: '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<bare>[^\s{,'"][^\s{,]*) )
        \s* (?P<type>.*)""",
    re.VERBOSE,
)
_NOMINAL_TYPE = re.compile(r"\{(.*)\}\s*(?:%.*)?")
_NUMBER_TYPE = re.compile(r"([A-Za-z]+)\s*(?:\[([^\[\],]*),([^\[\],]*)\])?\s*(?:%.*)?")


@dataclass(frozen=True, eq=False)
class AttributeFile:
    """The content of one file.

    Parameters
    ----------
    relation : str
        The name after ``@relation``, empty if there is none.
    attributes : tuple of Attribute
        The columns, in the order of the file.
    inputs, outputs : tuple of str
        The roles. Without ``@outputs`` the last attribute is the output, without ``@inputs`` all others are inputs.
    frame : DataFrame
        One column an attribute: float64 for numbers, categorical in the declared order for nominal values; missing
        values are NaN.
    origin : Origin
        The line of each row.
    """

    relation: str
    attributes: tuple[Attribute, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frame: pd.DataFrame
    origin: Origin

    def attribute(self, name: str) -> Attribute:
        """Look up an attribute by its name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)


def read_attribute_file(path: str | os.PathLike[str]) -> AttributeFile:
    """Read a KEEL ``.dat`` or ARFF file; see `parse_attribute_file`."""
    return parse_attribute_file(*read_bytes(path))


def parse_attribute_file(raw: bytes, name: str) -> AttributeFile:
    r"""Parse the bytes of a KEEL ``.dat`` or ARFF file.

    Parameters
    ----------
    raw : bytes
        The content, in UTF-8.
    name : str
        The file's name, for messages.

    Returns
    -------
    AttributeFile
        The header and the data.

    Raises
    ------
    ValueError
        If the content is malformed; the message names the file, the line and, where there is one, the column.

    Examples
    --------
    >>> text = b"@relation r\n@attribute x real[0, 1]\n@attribute y integer\n@data\n0.5, 3\n?, 4\n"
    >>> parsed = parse_attribute_file(text, "r.dat")
    >>> parsed.inputs, parsed.outputs
    (('x',), ('y',))
    >>> parsed.frame
         x    y
    0  0.5  3.0
    1  NaN  4.0
    """
    lines = [line.strip() for line in decode_text(raw, name).split("\n")]
    if not any(lines):
        raise ValueError(f"{name}: the file is empty; a KEEL or ARFF file begins with '@relation'")
    header, n_header_lines = _parse_header(lines, name)
    inputs, outputs = header.roles()
    rows: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[n_header_lines:], n_header_lines + 1):
        if line and line[0] != "%":
            rows.append(line)
            numbers.append(number)
    if not rows:
        raise ValueError(f"{name}: there are no rows after '@data'; add at least one")
    attributes = tuple(header.attributes)
    origin = Origin(name, "line", np.array(numbers, dtype=np.int64))
    frame = read_rows(rows, attributes, origin)
    return AttributeFile(header.relation, attributes, inputs, outputs, frame, origin)


@dataclass
class _Header:
    """The header while it is being read; the line of each declaration is kept for messages."""

    name: str
    relation: str = ""
    attributes: list[Attribute] = field(default_factory=list)
    declared_at: dict[str, int] = field(default_factory=dict)
    declared_roles: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def fail(self, line: int, problem: str) -> NoReturn:
        raise ValueError(f"{self.name}, line {line}: {problem}")

    def declare_once(self, what: str, line: int) -> None:
        if what in self.declared_at:
            self.fail(line, f"{what} is already declared in line {self.declared_at[what]}; keep one of the two")
        self.declared_at[what] = line

    def roles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Settle inputs and outputs from what is declared and what is not."""
        names = [attribute.name for attribute in self.attributes]
        for role, members in self.declared_roles.items():
            for member in members:
                if member not in names:
                    self.fail(
                        self.declared_at[role],
                        f"{role} names {quoted(member)}, which is no @attribute; {suggest(member, names)}",
                    )
        outputs = self.declared_roles.get("@outputs", tuple(names[-1:]))
        inputs = self.declared_roles.get("@inputs", tuple(name for name in names if name not in outputs))
        for output in outputs:
            if output in inputs:
                self.fail(
                    self.declared_at["@inputs"],
                    f"{quoted(output)} is both an input and an output; correct the @inputs and @outputs lines",
                )
        return inputs, outputs


def _parse_header(lines: Sequence[str], name: str) -> tuple[_Header, int]:
    """Read the header; return it and how many lines it takes, ``@data`` included."""
    header = _Header(name)
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("%"):
            continue
        match = _KEYWORD_LINE.fullmatch(line)
        if match is None:
            header.fail(
                number,
                f"expected a header line such as '@attribute', found {excerpt(line)}; "
                "a KEEL or ARFF file has its rows after an '@data' line",
            )
        keyword, rest = match[1].lower(), match[2]
        if keyword == "data":
            if rest and not rest.startswith("%"):
                header.fail(number, f"unexpected {excerpt(rest)} after '@data'; begin the rows on the next line")
            if not header.attributes:
                header.fail(number, "there is no '@attribute' line before '@data'; declare the columns")
            return header, number
        if keyword == "relation":
            header.declare_once("@relation", number)
            header.relation = _names_in(rest, header, number)[0] if rest.startswith(("'", '"')) else rest
        elif keyword == "attribute":
            attribute = _parse_attribute(rest, header, number)
            header.declare_once(f"the attribute {quoted(attribute.name)}", number)
            header.attributes.append(attribute)
        elif keyword in ("input", "inputs", "output", "outputs"):
            role = "@" + keyword.removesuffix("s") + "s"
            header.declare_once(role, number)
            header.declared_roles[role] = _names_in(rest, header, number)
        else:
            header.fail(
                number,
                f"unknown keyword {excerpt('@' + match[1])}; known are @relation, @attribute, @inputs, @outputs and "
                "@data",
            )
    raise ValueError(f"{name}: there is no '@data' line; the file may be cut off")


def _parse_attribute(declaration: str, header: _Header, line: int) -> Attribute:
    match = _ATTRIBUTE.fullmatch(declaration)
    if match is None:
        header.fail(line, f"cannot read the attribute {excerpt(declaration)}; write '@attribute name type'")
    name = match["bare"] if match["bare"] is not None else unescape(match["single"] or match["double"] or "")
    type_text = match["type"]
    if not name:
        header.fail(line, "the attribute has an empty name; give it one")
    check_printable(name, f"{header.name}, line {line}")
    if type_text.startswith("{"):
        return Attribute(name, "nominal", categories=_parse_categories(name, type_text, header, line))
    number_type = _NUMBER_TYPE.fullmatch(type_text)
    type_word = re.match(r"[A-Za-z]*", type_text)[0].lower()  # type: ignore[index]  # matches any text
    if type_word in _UNSUPPORTED_TYPES:
        header.fail(line, f"attribute {quoted(name)}: the type {quoted(type_word)} is not supported; remove the column")
    if not type_text or type_text.startswith("%"):
        header.fail(line, f"attribute {quoted(name)} has no type; add 'real', 'integer' or '{{category, category}}'")
    if type_word not in ("real", "numeric", "integer"):
        header.fail(
            line,
            f"attribute {quoted(name)}: unknown type {excerpt(type_text)}; use 'real', 'integer' or "
            "'{category, category}'",
        )
    if number_type is None:
        header.fail(
            line, f"attribute {quoted(name)}: cannot read the range in {excerpt(type_text)}; write e.g. 'real [0, 1]'"
        )
    bounds = None
    if number_type[2] is not None:
        low, high = parse_number(number_type[2].strip()), parse_number(number_type[3].strip())
        if low is None or high is None or low > high:
            header.fail(
                line, f"attribute {quoted(name)}: {excerpt(type_text)} needs two ascending numbers, e.g. 'real [0, 1]'"
            )
        bounds = (low, high)
    return Attribute(name, "integer" if type_word == "integer" else "real", bounds=bounds)


def _parse_categories(name: str, type_text: str, header: _Header, line: int) -> tuple[str, ...]:
    match = _NOMINAL_TYPE.fullmatch(type_text)
    items = None if match is None else split_items(match[1])
    if items is None:
        header.fail(
            line, f"attribute {quoted(name)}: cannot read the categories {excerpt(type_text)}; write '{{a, b}}'"
        )
    categories = tuple(value for value, _ in items)
    if "" in categories:
        header.fail(line, f"attribute {quoted(name)} has an empty category; name or remove it")
    if len(set(categories)) < len(categories):
        header.fail(line, f"attribute {quoted(name)} declares a category twice; keep one of the two")
    return categories


def _names_in(text: str, header: _Header, line: int) -> tuple[str, ...]:
    items = split_items(text)
    if items is None or any(not value for value, _ in items):
        header.fail(line, f"cannot read the list of names {excerpt(text)}; separate the names by single commas")
    names = tuple(value for value, _ in items)
    if len(set(names)) < len(names):
        header.fail(line, "the list names an attribute twice; keep one of the two")
    return names
