"""The rule bases of FRULER's authors: YAML files of FROG."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler._files import read_at_most
from fruler._table.rows import Standardization, in_data_units
from fruler._wording import install_advice
from fruler.data._file_content import one_line
from fruler.rules._inputs import Variable
from fruler.rules._json.checked import Checked, text_of
from fruler.rules._partitions import FuzzyPartition, half_widths
from fruler.rules._rule_base import RuleBase

# The parser is written in Python: a larger file would take minutes, and no rule base needs one.
MAX_BYTES = 4_000_000
# The key of the class name in a mapping; the name has no ``!!``.
CLASS = "!!"
_TAG = "tag:yaml.org,2002:"
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Longer ones are read as floats: integers of any length could take any time.
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
        If the content is not such a document.
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
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes, which is too large for a rule base")
    text = text_of(raw)
    try:
        # Only the tree of the document: no object is constructed.
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
    """Return the value of a node of the tree."""
    if node is None:
        return None
    place = f"line {node.start_mark.line + 1}"
    if id(node) in seen:
        raise ValueError(f"it repeats {place} with an alias, and aliases are not supported")
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
            raise ValueError(f"a key in {place} is not text")
        if key.value in found:
            raise ValueError(f"the key {key.value[:40]!r} occurs twice in the mapping that begins in {place}")
        found[key.value] = _plain(item, seen)
    return found


def _scalar(text: str) -> str | float | int:
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


_KNOWLEDGE_BASE = "frog.rulebase.KnowledgeBase"
_RULE = "frog.rulebase.TSKRule"
_PROPOSITION = "frog.proposition.LinguisticLabelProposition"
_TRAPEZIUM, _RECTANGLE = "frog.fuzzyset.Trapezium", "frog.fuzzyset.Rectangle"
# Share of an input's range up to which two corners are the same but for rounding.
_ROUNDING = 1e-9


def load_frog(path: str | os.PathLike[str]) -> RuleBase:
    """Read a rule base from a YAML file of FROG, the inference library of FRULER's authors.

    Its predictions are those of FROG's inference in original units: the t-norm is the minimum, and the consequents,
    which the file stores for standardised inputs and output, are converted to the data's units. A file has no
    information on the training rows, so there is no `training` summary and no `support`; `RuleBase.with_training` adds
    them.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    RuleBase
        The rules; they can be printed, explained, plotted, saved and exported like any others.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file does not hold such a rule base; the message names the place.
    ImportError
        If PyYAML is not installed.

    See Also
    --------
    fruler.load_model : Reads a model of this package.

    Notes
    -----
    Labels must be trapezia whose neighbours add up to one, as FROG makes them. A split point is where two of them
    cross; its fuzziness is the share of the room around it in which they overlap. FROG differs in three cases. Beyond
    the domain FROG has no prediction (its outer labels end a thousandth of a standard deviation outside); here the
    outer labels continue. On a split point without overlap both labels apply; here only the upper one does. If no rule
    fires, FROG returns NaN; here the nearest rule predicts.

    Nothing in a file is executed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fruler.data import load_frog
    >>> text = '''!!frog.rulebase.KnowledgeBase
    ... name: heating
    ... database:
    ...   inputs:
    ...   - name: temperature
    ...     min: 0.0
    ...     max: 30.0
    ...     normMean: 10.0
    ...     normStd: 5.0
    ...     partition:
    ...     - !!frog.fuzzyset.Trapezium {a: -0.005, b: 0.0, c: 5.0, d: 25.0, height: 1.0}
    ...     - !!frog.fuzzyset.Trapezium {a: 5.0, b: 25.0, c: 30.0, d: 30.005, height: 1.0}
    ...   outputs:
    ...   - {name: demand, min: 0.0, max: 9.0, normMean: 4.0, normStd: 2.0, partition: []}
    ... rulebase:
    ... - !!frog.rulebase.TSKRule
    ...   antecedent: [!!frog.proposition.LinguisticLabelProposition {label: 0, var: 0}]
    ...   consequent: [[-1.0, 0.5]]
    ... - !!frog.rulebase.TSKRule
    ...   antecedent: [!!frog.proposition.LinguisticLabelProposition {label: 1, var: 0}]
    ...   consequent: [[0.0, -2.0]]
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "heating.yml"
    ...     _ = file.write_text(text)
    ...     rules = load_frog(file)
    >>> rules.rules[0]
    Rule(antecedent={'temperature': ('low',)}, intercept=9.0, coefficients={'temperature': -0.4})
    >>> rules.predict([[0.0], [15.0], [30.0]]).tolist()
    [9.0, 1.5, 0.0]
    """
    where = Path(path)
    raw = read_at_most(where, MAX_BYTES)
    try:
        return _rule_base(parse_yaml(raw))
    except ValueError as error:
        raise ValueError(f"{str(where)!r} can't be read as a rule base of FROG: {error}") from None


def _rule_base(document: Checked) -> RuleBase:
    if not isinstance(document.value, dict) or document.value.get(CLASS) != _KNOWLEDGE_BASE:
        raise ValueError(f"it is YAML but not a !!{_KNOWLEDGE_BASE}")
    members = document.keys((CLASS, "database", "rulebase"), ("name", "type"))
    database = members["database"].keys(("inputs", "outputs"), (CLASS,))
    read = [_input(item) for item in database["inputs"].items()]
    if not read:
        raise ValueError("it has no inputs")
    variables, scales = [variable for variable, _ in read], np.array([scale for _, scale in read])
    outputs = list(database["outputs"].items())
    if len(outputs) != 1:
        raise ValueError(f"it has {len(outputs)} outputs, and a rule base has one")
    target_name, target_scale = _described(outputs[0])
    rules = [_rule(item) for item in members["rulebase"].items()]
    if not rules:
        raise ValueError("it has no rules")
    ranges = np.array([_ranges(rule["antecedent"], variables) for rule in rules])
    intercepts_last = np.array([_weights(rule["consequent"], len(variables)) for rule in rules])
    consequents = in_data_units(
        np.roll(intercepts_last, 1, axis=1), Standardization(*scales.T), Standardization(*np.array(target_scale))
    )
    return RuleBase(variables, ranges, consequents, t_norm="minimum", target_name=target_name)


def _described(item: Checked) -> tuple[str, tuple[float, float]]:
    """Return the name of an input or output, and the mean and the spread with which it was standardised."""
    members = item.members()
    # The names of the fields differ between versions of the library.
    underscored = {"norm_mean", "norm_std"} & set(members)
    mean, spread = ("norm_mean", "norm_std") if underscored else ("normMean", "normStd")
    members = item.keys(("name", "min", "max", mean, spread, "partition"), (CLASS,))
    if not members[spread].number() > 0.0:
        raise members[spread].wrong("a positive number")
    return members["name"].text(), (members[mean].number(), members[spread].number())


def _input(item: Checked) -> tuple[Variable, tuple[float, float]]:
    name, scale = _described(item)
    members = item.members()
    domain = members["min"].number(), members["max"].number()
    if not domain[0] < domain[1]:
        raise members["max"].wrong(f"more than the minimum, {domain[0]}")
    return Variable(name, _partition(members["partition"], domain)), scale


def _partition(item: Checked, domain: tuple[float, float]) -> FuzzyPartition:
    """Return the partition whose labels have the corners of a list of trapezia."""
    corners = np.array([_corners(label) for label in item.items()]).reshape(-1, 4)
    if not len(corners):
        raise ValueError(f"{item.place} has no labels")
    rounding = _ROUNDING * (domain[1] - domain[0])
    if corners[0, 1] > domain[0] + rounding or corners[-1, 2] < domain[1] - rounding:
        raise ValueError(f"{item.place} leaves an end of the domain, {domain[0]} to {domain[1]}, without a label")
    if not (np.abs(corners[:-1, 2:] - corners[1:, :2]) <= rounding).all():
        raise ValueError(f"{item.place} has neighbouring labels whose degrees do not add up to one")
    falls, ends = corners[:-1, 2], corners[:-1, 3]
    splits, widths = (falls + ends) / 2.0, (ends - falls) / 2.0
    edges = (domain[0], *splits.tolist(), domain[1])
    if not all(a < b for a, b in itertools.pairwise(edges)):
        raise ValueError(f"{item.place} has labels that do not follow each other inside the domain")
    return FuzzyPartition(splits, domain, _shares(widths, half_widths(splits, domain, 1.0), item.place))


def _shares(widths: Floats, room: Floats, place: str) -> Floats:
    """Return the fuzziness of each split point: the share of its room in which two labels overlap."""
    shares = widths / room
    if (shares > 1.0 + _ROUNDING).any():
        raise ValueError(f"{place} has labels that overlap beyond the middle of another")
    return np.where(np.abs(shares - 1.0) <= _ROUNDING, 1.0, shares)


def _corners(label: Checked) -> list[float]:
    members = label.members()
    kind = members[CLASS].text() if CLASS in members else ""
    if kind not in (_TRAPEZIUM, _RECTANGLE):
        raise ValueError(f"{label.place} must be a !!{_TRAPEZIUM} or a !!{_RECTANGLE}; got {kind[:40] or 'no class'}")
    letters = "abcd" if kind == _TRAPEZIUM else "ab"
    members = label.keys((CLASS, *letters, "height"), ("points",))
    if members["height"].number() != 1.0:
        raise members["height"].wrong("1")
    corners = [members[letter].number() for letter in letters]
    if corners != sorted(corners):
        raise ValueError(f"{label.place} has corners that do not increase: {', '.join(map(str, corners))}")
    return corners if len(corners) == 4 else [corners[0], *corners, corners[1]]


def _rule(item: Checked) -> dict[str, Checked]:
    members = item.members()
    if CLASS not in members or members[CLASS].value != _RULE:
        raise ValueError(f"{item.place} must be a !!{_RULE}")
    return item.keys((CLASS, "antecedent", "consequent"))


def _ranges(antecedent: Checked, variables: list[Variable]) -> list[tuple[int, int]]:
    """Return the first and the last label that a rule accepts of each input."""
    ranges = [(0, variable.partition.n_labels - 1) for variable in variables]
    known: set[int] = set()
    for item in antecedent.items():
        members = item.members()
        if CLASS not in members or members[CLASS].value != _PROPOSITION:
            raise ValueError(f"{item.place} must be a !!{_PROPOSITION}")
        members = item.keys((CLASS, "label", "var"))
        var, label = members["var"].count(), members["label"].count()
        if var >= len(variables) or var in known:
            raise members["var"].wrong(f"one of the {len(variables)} inputs (counted from 0), each at most once")
        known.add(var)
        if label >= variables[var].partition.n_labels:
            raise members["label"].wrong(f"one of the {variables[var].partition.n_labels} labels (counted from 0)")
        ranges[var] = (label, label)
    return ranges


def _weights(consequent: Checked, n_inputs: int) -> Floats:
    """Return a rule's slopes and, last, its intercept, all standardised."""
    lists = list(consequent.items())
    if len(lists) != 1:
        raise ValueError(f"{consequent.place} must be one list of numbers; got {len(lists)}")
    weights = lists[0].numbers()
    if len(weights) != n_inputs + 1:
        raise ValueError(
            f"{lists[0].place} must have {n_inputs + 1} numbers, one per input and the intercept; got {len(weights)}"
        )
    return weights
