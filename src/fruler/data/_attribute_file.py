"""The ``@attribute`` family of text files: KEEL's ``.dat`` and Weka's ARFF, read by one parser.

Both begin with a header of ``@`` lines and end with rows of values separated by commas. KEEL adds declared ranges
(``real[0,1]``) and the roles ``@inputs`` and ``@outputs``; ARFF adds ``numeric`` and quoted values. Declared ranges
must be readable, but neither they nor ``integer`` are enforced: published files break both.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fruler._wording import quote_names, quoted, suggest
from fruler.data._file_content import RowPlaces, check_printable, decode_text, read_bytes, read_csv_exactly

Column: TypeAlias = NDArray[np.float64] | pd.Series

_MISSING = ("?", "<null>")
_ITEM = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Attribute:
    """One declared column: its name, and its categories if its values are nominal; otherwise they are numbers."""

    name: str
    categories: tuple[str, ...] | None = None


def split_items(text: str) -> list[tuple[str, bool]] | None:
    r"""Split at commas outside quotes; None if a quote is left open.

    Returns
    -------
    list of (str, bool) or None
        Each value without quotes and surrounding blanks, and whether it was quoted.

    Examples
    --------
    >>> split_items(r"1.5, 'it\'s, well', ?")
    [('1.5', False), ("it's, well", True), ('?', False)]
    >>> split_items("'open, 2") is None
    True
    """
    items: list[tuple[str, bool]] = []
    position = 0
    while True:
        match = _ITEM.match(text, position)
        if match is None:
            return None
        single, double, bare, separator = match.groups()
        if bare is None:
            items.append((unescape(single if single is not None else double), True))
        else:
            bare = bare.strip()
            if bare.startswith(("'", '"')):
                return None
            items.append((bare, False))
        if not separator:
            return items
        position = match.end()


def unescape(text: str) -> str:
    """Remove the backslashes of a quoted text."""
    return re.sub(r"\\(.)", r"\1", text)


def parse_number(text: str) -> float | None:
    """Read a finite number written in ASCII digits; None for anything else."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def excerpt(text: str) -> str:
    """Quote a text for a message, cut if it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _read_plain_rows(rows: Sequence[str], attributes: Sequence[Attribute]) -> list[Column] | None:
    """Read rows with pandas' C reader, or return None if any of them is doubtful.

    Doubtful are quotes, rows with too few or too many values (the reader silently fills short ones), numbers that are
    not finite, missing values without a mark, and values that the reader cannot convert.
    """
    text = "\n".join(rows)
    n_commas = len(attributes) - 1
    # pandas reads a column of truth values as numbers.
    odd = ("'", '"', "{", "true", "false")
    if any(mark in text.lower() for mark in odd) or any(row.count(",") != n_commas for row in rows):
        return None
    try:
        frame = read_csv_exactly(
            text,
            header=None,
            dtype={j: np.float64 if a.categories is None else object for j, a in enumerate(attributes)},
            na_values=list(_MISSING),
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
        )
    except ValueError:
        return None
    if frame.shape != (len(rows), len(attributes)):
        return None
    missing = frame.isna().to_numpy()
    if any(rows[i].split(",")[j].strip() not in _MISSING for i, j in np.argwhere(missing)):
        return None
    columns: list[Column] = []
    for j, attribute in enumerate(attributes):
        if attribute.categories is None:
            numbers = frame[j].to_numpy()
            if np.isinf(numbers).any():
                return None
            columns.append(numbers)
        else:
            codes = pd.Index(attribute.categories).get_indexer(pd.Index(frame[j].str.strip()))
            if (codes[~missing[:, j]] < 0).any():
                return None
            columns.append(_categorical(codes, attribute.categories))
    return columns


def _read_rows_one_by_one(rows: Sequence[str], attributes: Sequence[Attribute], places: RowPlaces) -> list[Column]:
    """Read rows value by value: slow, complete, and able to name the value that is wrong."""
    parsed = np.empty((len(rows), len(attributes)))
    code_of = [{category: code for code, category in enumerate(a.categories or ())} for a in attributes]
    for i, row in enumerate(rows):
        items = _split_row(row, i, attributes, places)
        for j, (attribute, (value, in_quotes)) in enumerate(zip(attributes, items, strict=True)):
            if not in_quotes and value.lower() in _MISSING:
                parsed[i, j] = np.nan
                continue
            number = parse_number(value) if attribute.categories is None else code_of[j].get(value)
            if number is None:
                _refuse_value(value, attribute, places.at(i, attribute.name))
            parsed[i, j] = number
    columns: list[Column] = []
    for j, attribute in enumerate(attributes):
        if attribute.categories is None:
            columns.append(parsed[:, j].copy())
        else:
            codes = np.nan_to_num(parsed[:, j], nan=-1).astype(np.int64)
            columns.append(_categorical(codes, attribute.categories))
    return columns


def _categorical(codes: NDArray[np.signedinteger], categories: Sequence[str]) -> pd.Series:
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(list(categories))))


def _split_row(row: str, i: int, attributes: Sequence[Attribute], places: RowPlaces) -> list[tuple[str, bool]]:
    place = f"{places.name}, line {places.numbers[i]}"
    if row.startswith("{"):
        raise ValueError(
            f"{place}: sparse rows ('{{index value, ...}}') are not supported; write every value of the row"
        )
    items = split_items(row)
    if items is None:
        raise ValueError(f"{place}: a quote in {excerpt(row)} is not closed or has text after it; correct the quotes")
    if len(items) < len(attributes):
        names = quote_names(attribute.name for attribute in attributes[len(items) :])
        hint = "the file may be cut off; " if i == len(places.numbers) - 1 else ""
        raise ValueError(
            f"{place}: {len(items)} values for {len(attributes)} attributes, nothing for {names}; "
            f"{hint}complete or remove the row"
        )
    if len(items) > len(attributes):
        raise ValueError(
            f"{place}: {len(items)} values for {len(attributes)} attributes; remove the extra values, "
            "and write decimals with a point"
        )
    return items


def _refuse_value(value: str, attribute: Attribute, place: str) -> NoReturn:
    remedy = "correct the value or mark it as missing with '?'"
    if not value:
        problem = "the value is empty"
    elif attribute.categories is not None:
        problem = f"{quoted(value)} is not among the declared categories {quote_names(attribute.categories)}"
    elif _NUMBER.fullmatch(value) or value.lower().lstrip("+-") in ("inf", "infinity"):
        problem = f"{quoted(value)} is not a finite number"
    else:
        problem = f"{quoted(value)} is not a number"
    raise ValueError(f"{place}: {problem}; {remedy}")


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
    attributes : tuple of Attribute
        The columns, in the order of the file.
    inputs, outputs : tuple of str
        The roles. Without ``@outputs`` the last attribute is the output, without ``@inputs`` all others are inputs.
    frame : DataFrame
        One column per attribute: float64 for numbers, categorical in the declared order for nominal values; missing
        values are NaN.
    places : RowPlaces
        The line of each row.
    """

    attributes: tuple[Attribute, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frame: pd.DataFrame
    places: RowPlaces

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
    places = RowPlaces(name, "line", np.array(numbers, dtype=np.int64))
    columns = _read_plain_rows(rows, attributes)
    if columns is None:
        columns = _read_rows_one_by_one(rows, attributes, places)
    frame = pd.DataFrame({attribute.name: column for attribute, column in zip(attributes, columns, strict=True)})
    return AttributeFile(attributes, inputs, outputs, frame, places)


@dataclass
class _Header:
    """The header while it is being read; the line of each declaration is kept for messages."""

    name: str
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
        """Return inputs and outputs: those that are declared, or the defaults."""
        names = [attribute.name for attribute in self.attributes]
        for role, members in self.declared_roles.items():
            for member in members:
                if member not in names:
                    self.fail(
                        self.declared_at[role],
                        f"{role} names {quoted(member)}, which is not an @attribute; {suggest(member, names)}",
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
            if rest.startswith(("'", '"')):
                _names_in(rest, header, number)
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
        return Attribute(name, _parse_categories(name, type_text, header, line))
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
    if number_type[2] is not None:
        low, high = parse_number(number_type[2].strip()), parse_number(number_type[3].strip())
        if low is None or high is None or low > high:
            header.fail(
                line, f"attribute {quoted(name)}: {excerpt(type_text)} needs two ascending numbers, e.g. 'real [0, 1]'"
            )
    return Attribute(name)


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
