"""A rule base as a JSON object, and back: inputs with their sources and partitions, rules, curves, gaps and output.

The page of a report reads the same object.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any, get_args

import numpy as np

from fruler._table.date_sources import PERIODS, SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource
from fruler._table.dates import DateFormat, Order
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler.rules._antecedents import T_NORMS, Antecedents, LabelRanges, LabelTriangles, OwnTriangles
from fruler.rules._consequents import Consequents, LabelConsequents, LinearConsequents
from fruler.rules._curves import Curve
from fruler.rules._inputs import EXTRAPOLATIONS, Extrapolation, Variable
from fruler.rules._json.checked import Checked
from fruler.rules._json.measured import intervals_from_json, intervals_to_json, summary_from_json, summary_to_json
from fruler.rules._losses import LOSS_NAMES, LOSS_PARAMETERS, SQUARED, Loss, loss_from
from fruler.rules._output import LINK_NAMES, PLAIN, Output
from fruler.rules._partitions import FuzzyPartition, NominalPartition, Partition, TrianglePartition
from fruler.rules._rule_base import RuleBase

Members = dict[str, Checked]


def _kind(written: Checked, required: tuple[str, ...], kinds: Collection[str]) -> str:
    """Return the kind of an object, which must be one of `kinds`."""
    if not isinstance(written.value, dict) or "kind" not in written.value:
        written.keys(required)
    kind: str = Checked(written.value["kind"], "kind", written).one_of(*kinds)
    return kind


def source_to_json(source: Source) -> dict[str, Any]:
    """Return the source of an input as a JSON object.

    Examples
    --------
    >>> source_to_json(LevelSource("origin", ["usa", "japan"], [-1.3, 2.1]))
    {'column': 'origin', 'kind': 'category', 'categories': {'usa': -1.3, 'japan': 2.1}}
    """
    written: dict[str, Any] = {"column": source.column, "kind": source.kind}
    match source:
        case LevelSource():
            written["categories"] = dict(source.choices)
        case TrendSource():
            written |= {"start": source.start.isoformat(), "unit": source.unit}
        case CycleSource():
            written |= {"cycle": source.cycle, "start": source.start}
    if isinstance(source, DateSource):
        # Only the settings that differ from the defaults.
        usual = DateFormat()
        dates = {"zone": source.dates.zone, "order": source.dates.order}
        written |= {key: value for key, value in dates.items() if value != getattr(usual, key)}
    return written


def source_from_json(written: Checked) -> Source:
    """Return the source in a JSON object.

    Raises
    ------
    ValueError
        If the object is not a source.
    """
    source, own, read = _SOURCES[_kind(written, ("column", "kind"), _SOURCES)]
    dated = issubclass(source, DateSource)
    members = written.keys(("column", "kind", *own), ("zone", "order") if dated else ())
    parts = [members["column"].text(), *read(members), *([_dates(members)] if dated else [])]
    try:
        return source(*parts)
    except ValueError as error:
        raise ValueError(f"{written.place}: {error}") from None


def _categories(members: Members) -> tuple[list[str], list[float]]:
    numbers = members["categories"].named_numbers()
    return list(numbers), list(numbers.values())


def _trend(members: Members) -> tuple[datetime.datetime, str]:
    try:
        start = datetime.datetime.fromisoformat(members["start"].text())
    except ValueError:
        start = None
    if start is None or start.tzinfo is not None:
        raise members["start"].wrong("a date and a time without a zone")
    return start, members["unit"].one_of(*SECONDS)


def _cycle(members: Members) -> tuple[str, float]:
    cycle, start = members["cycle"].one_of(*PERIODS), members["start"].number()
    if not 0.0 <= start < PERIODS[cycle]:
        raise members["start"].wrong(f"a number from 0 to below {PERIODS[cycle]:g}")
    return cycle, start


# The sources by kind: the members of each, besides its column and the format of its dates, and how they are read.
_SOURCES: dict[str, tuple[type[Source], tuple[str, ...], Callable[[Members], tuple[Any, ...]]]] = {
    source.kind: (source, own, read)
    for source, own, read in (
        (NumberSource, (), lambda _: ()),
        (GapSource, (), lambda _: ()),
        (LevelSource, ("categories",), _categories),
        (WeekdaySource, ("categories",), _categories),
        (TrendSource, ("start", "unit"), _trend),
        (CycleSource, ("cycle", "start"), _cycle),
    )
}


def _dates(members: Members) -> DateFormat:
    zone = members["zone"].text() if "zone" in members else ""
    order: Order = members["order"].one_of(*get_args(Order)) if "order" in members else "ymd"
    try:
        return DateFormat(zone, order)
    except ValueError:
        raise members["zone"].wrong("a time zone") from None


# The partitions by kind, and the members of each besides its labels.
_PARTITIONS: dict[str, tuple[type[Partition], tuple[str, ...]]] = {
    "fuzzy": (FuzzyPartition, ("domain", "split_points", "fuzziness")),
    "nominal": (NominalPartition, ("groups",)),
    "triangles": (TrianglePartition, ("domain", "points")),
}


def partition_to_json(partition: Partition) -> dict[str, Any]:
    """Return a partition as a JSON object."""
    kind = next(kind for kind, (made, _) in _PARTITIONS.items() if isinstance(partition, made))
    parts = {key: _lists(getattr(partition, key)) for key in _PARTITIONS[kind][1]}
    return {"kind": kind, **parts, "labels": list(partition.labels)}


def _lists(numbers: Any) -> Any:
    """Return tuples of numbers as lists, with null for an infinite point of a triangle."""
    if isinstance(numbers, tuple):
        return [_lists(one) for one in numbers]
    return numbers if math.isfinite(numbers) else None


def _numbers(written: Checked) -> list[float]:
    numbers: list[float] = written.numbers().tolist()
    return numbers


def _groups(written: Checked) -> list[list[float]]:
    return [_numbers(group) for group in written.items()]


def _triangles(written: Checked) -> list[list[float]]:
    points = [_triangle(item) for item in written.items()]
    if not points:
        raise written.wrong("a list of triangles")
    return points


def _triangle(written: Checked) -> list[float]:
    """Return three points; null stands for infinity."""
    points = list(written.items())
    if len(points) != 3:
        raise written.wrong("a list of three points")
    first, second, third = points
    a = -math.inf if first.value is None else first.number()
    b = second.number()
    c = math.inf if third.value is None else third.number()
    if not a <= b <= c:
        raise written.wrong(f"three points that do not decrease, unlike {a:g}, {b:g} and {c:g}")
    return [a, b, c]


# How each member of a partition is read.
_PARTS: dict[str, Callable[[Checked], Any]] = {
    **dict.fromkeys(("domain", "split_points", "fuzziness"), _numbers),
    "groups": _groups,
    "points": _triangles,
}


def partition_from_json(
    written: Checked, kinds: tuple[str, ...], required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> tuple[Any, Members]:
    """Return the partition in a JSON object, and the members of the object.

    Parameters
    ----------
    written : Checked
        The object.
    kinds : tuple of str
        The kinds of partition that are accepted.
    required, optional : tuple of str
        The other members of the object; "kind" is one of the required members.
    """
    made, own = _PARTITIONS[_kind(written, required, kinds)]
    members = written.keys((*required, *own, "labels"), optional)
    parts = {key: _PARTS[key](members[key]) for key in own}
    return written.made("is not a partition", made, **parts, labels=members["labels"].texts()), members


def rule_to_json(rule_base: RuleBase, rule: int) -> dict[str, Any]:
    """Return the antecedent and the consequent of a rule as a JSON object."""
    antecedents, consequents, names = rule_base.antecedents, rule_base.consequents, rule_base.names
    when: dict[str, Any] = {}
    for j, first, last in antecedents.conditions(rule):
        partition = antecedents.condition_inputs[j].partition
        own = partition.labels[first : last + 1] if antecedents.shares_labels else partition.triangles[first].tolist()
        when[names[j]] = [None if one in (-math.inf, math.inf) else one for one in own]
    label = consequents.label(rule)
    if label is not None:
        return {"if": when, "then": {"label": label}}
    slopes = {names[j]: slope for j, slope in consequents.terms(rule).items()}
    return {"if": when, "then": {"intercept": float(consequents.intercepts[rule]), "slopes": slopes}}


def antecedents_from_json(kind: str, rules: list[Members], variables: tuple[Variable, ...]) -> Antecedents:
    """Return the antecedents of the rules of a file; `kind` is an `Antecedents.kind`."""
    places = {variable.name: j for j, variable in enumerate(variables)}
    if kind == OwnTriangles.kind:
        points = np.full((len(rules), len(variables), 3), np.nan)
        for number, j, written in _parts(rules, places):
            points[number, j] = _triangle(written)
        return OwnTriangles(points, variables)
    labels = [{label: k for k, label in enumerate(variable.partition.labels)} for variable in variables]
    if kind == LabelTriangles.kind:
        accepted = np.full((len(rules), len(variables)), -1, dtype=np.intc)
        for number, j, written in _parts(rules, places):
            first, last = _range_of(labels[j], written)
            if first < last:
                raise written.wrong("a list of one label")
            accepted[number, j] = first
        return LabelTriangles(accepted, variables)
    ranges = np.zeros((len(rules), len(variables), 2), dtype=np.intc)
    ranges[:, :, 1] = [len(known) - 1 for known in labels]
    for number, j, written in _parts(rules, places):
        ranges[number, j] = _range_of(labels[j], written)
    return LabelRanges(ranges, variables)


def consequents_from_json(
    partition: TrianglePartition | None, rules: list[Members], variables: tuple[Variable, ...]
) -> Consequents:
    """Return the consequents of the rules of a file: labels if the target has a partition."""
    if partition is not None:
        labels = {label: k for k, label in enumerate(partition.labels)}
        return LabelConsequents([_label(labels, rule["then"]) for rule in rules], partition)
    places = {variable.name: j for j, variable in enumerate(variables)}
    coefficients = [[0.0] * (len(variables) + 1) for _ in rules]
    for rule, own in zip(rules, coefficients, strict=True):
        then = rule["then"].keys(("intercept", "slopes"))
        own[0] = then["intercept"].number()
        for name, slope in then["slopes"].named_numbers().items():
            own[1 + _place(places, name, then["slopes"])] = slope
    return LinearConsequents(np.array(coefficients, dtype=np.float64))


def _parts(rules: list[Members], places: dict[str, int]) -> Iterator[tuple[int, int, Checked]]:
    """Yield the number of the rule, the number of the input and the accepted labels of each condition."""
    for number, rule in enumerate(rules):
        for name, accepted in rule["if"].members().items():
            yield number, _place(places, name, rule["if"]), accepted


def _place(places: dict[str, int], name: str, parent: Checked) -> int:
    place = places.get(name)
    if place is None:
        raise ValueError(f"{Checked(None, name, parent).place} is not an input")
    return place


def _label(labels: dict[str, int], written: Checked) -> int:
    label = written.keys(("label",))["label"]
    number = labels.get(label.text())
    if number is None:
        raise label.wrong("a label of the target")
    return number


def _range_of(labels: dict[str, int], written: Checked) -> tuple[int, int]:
    numbers = [labels.get(label, -1) for label in written.texts()]
    if not numbers or -1 in numbers:
        raise written.wrong("a list of labels of the input")
    first, last = numbers[0], numbers[-1]
    if numbers != list(range(first, first + len(numbers))):
        raise written.wrong("a list of neighbouring labels, in their order")
    return first, last


def gaps_to_json(gaps: Gaps, names: list[str]) -> dict[str, Any]:
    """Return a JSON object with the mean of each input, its slopes on the others, and how often it was missing.

    Examples
    --------
    >>> gaps_to_json(Gaps([0], [0.25], [[0.0]]), ["x"])
    {'x': {'mean': 0.25, 'slopes': {}}}
    """
    own = [names[j] for j in gaps.inputs]
    written: dict[str, Any] = {
        name: {"mean": mean, "slopes": {own[k]: slope for k, slope in enumerate(slopes) if slope != 0.0}}
        for name, mean, slopes in zip(own, gaps.means.tolist(), gaps.slopes.tolist(), strict=True)
    }
    if gaps.shares is not None:
        for name, share in zip(own, gaps.shares.tolist(), strict=True):
            written[name]["missing"] = share
    return written


def _gaps(written: Checked, places: dict[str, int]) -> Gaps:
    """Return the gaps in a JSON object, for inputs at these places."""
    items = written.members()
    inputs = [_place(places, name, written) for name in items]
    own = {name: k for k, name in enumerate(items)}
    means, slopes = np.zeros(len(own)), np.zeros((len(own), len(own)))
    shares: list[float] = []
    for name, item in items.items():
        members = item.keys(("mean", "slopes"), ("missing",))
        if "missing" in members:
            shares.append(members["missing"].number())
        means[own[name]] = members["mean"].number()
        for other, slope in members["slopes"].named_numbers().items():
            if other not in own or other == name:
                raise ValueError(f"{members['slopes'].place} has an input that fills no gaps: {other!r}")
            slopes[own[name], own[other]] = slope
    return Gaps(inputs, means, slopes, shares if len(shares) == len(own) else None)


def _output_to_json(output: Output) -> dict[str, Any]:
    loss = {"loss": output.loss.to_json()} if output.loss != SQUARED else {}
    return {"link": output.link, "bounds": list(output.bounds), **loss}


def _output(written: Checked) -> Output:
    """Return the output in a JSON object."""
    members = written.keys(("link", "bounds"), ("loss",))
    link = members["link"].one_of(*LINK_NAMES)
    ends = [end.number_or_none() for end in members["bounds"].items()]
    if len(ends) != 2:
        raise members["bounds"].wrong("a list of the smallest and the largest prediction, with null for no bound")
    low, high = (None if math.isnan(end) else end for end in ends)
    loss = _loss(members["loss"]) if "loss" in members else SQUARED
    return written.made("is not valid", Output, link, (low, high), loss)


def _loss(written: Checked) -> Loss:
    """Return the loss in a JSON object."""
    members = written.keys(("name",), LOSS_PARAMETERS)
    name = members["name"].one_of(*LOSS_NAMES)
    given = [members[one].number() if one in members else None for one in LOSS_PARAMETERS]
    return written.made("is not valid", loss_from, name, *given)


# Rules times inputs. A file names only the inputs that a rule uses, but a rule base has room for all of them: a file of
# some megabytes could need terabytes.
MAX_CELLS = 4_000_000
# The default of a file without this member.
_AS_EVER: Extrapolation = "linear"


def rule_base_to_json(rule_base: RuleBase) -> dict[str, Any]:
    """Return a rule base as a JSON object of plain lists, texts and numbers.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)), unit="m")
    >>> written = rule_base_to_json(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]]))
    >>> written["rules"][0]
    {'if': {'x': ['low']}, 'then': {'intercept': 1.0, 'slopes': {'x': 2.0}}}
    """
    names = list(rule_base.names)
    rules = [rule_to_json(rule_base, rule) for rule in range(rule_base.n_rules)]
    training = rule_base.training
    for key, figures in (
        ("support", rule_base.support),
        ("importance", None if training is None else training.rule_importance),
    ):
        if figures is not None:
            for rule, figure in zip(rules, figures.tolist(), strict=True):
                rule[key] = figure
    curves = [_curve_to_json(curve, names) for curve in rule_base.curves]
    target, kind, output = rule_base.consequents.partition, rule_base.antecedents.kind, rule_base.output
    return {
        "target": {
            "name": rule_base.target_name,
            "unit": rule_base.target_unit,
            **({} if target is None else partition_to_json(target)),
        },
        "t_norm": rule_base.t_norm,
        "inputs": [
            {
                "name": variable.name,
                "unit": variable.unit,
                **partition_to_json(variable.partition),
                **({} if variable.is_plain else {"source": source_to_json(variable.source)}),
                **({} if variable.limits is None else {"limits": list(variable.limits)}),
            }
            for variable in rule_base.variables
        ],
        # Optional members are left out if they are not needed, so that older versions can read the file.
        **({} if kind == LabelRanges.kind else {"antecedents": kind}),
        "rules": rules,
        **({"curves": curves} if curves else {}),
        **({} if rule_base.gaps is None else {"gaps": gaps_to_json(rule_base.gaps, names)}),
        **({} if rule_base.intervals is None else {"intervals": intervals_to_json(rule_base.intervals)}),
        **({} if rule_base.extrapolation == _AS_EVER else {"extrapolation": rule_base.extrapolation}),
        **({} if output == PLAIN else {"output": _output_to_json(output)}),
        "training": None if training is None else summary_to_json(training, names),
    }


def needs_triangles(rule_base: RuleBase) -> bool:
    """Return whether a rule base has triangles in its antecedents, or output labels."""
    return rule_base.antecedents.kind != LabelRanges.kind or rule_base.consequents.partition is not None


def rule_base_from_json(written: Checked, *, triangles: bool = True) -> RuleBase:
    """Return the rule base in a JSON object.

    Parameters
    ----------
    written : Checked
        The object.
    triangles : bool, default=True
        Whether triangles in antecedents, and output labels, are accepted.

    Raises
    ------
    ValueError
        If the object is not a rule base.
    """
    new = ("antecedents",) if triangles else ()
    optional = ("curves", "gaps", "intervals", "extrapolation", "output", *new)
    members = written.keys(("target", "t_norm", "inputs", "rules", "training"), optional)
    said, target = _target(members["target"], triangles)
    kinds = ("fuzzy", "nominal", "triangles") if triangles else ("fuzzy", "nominal")
    variables = tuple(_variable(item, kinds) for item in members["inputs"].items())
    places = {variable.name: j for j, variable in enumerate(variables)}
    if len(places) < len(variables):
        raise ValueError(f"{members['inputs'].place} has a name twice")
    has_training = members["training"].value is not None
    required = ("if", "then", "importance") if has_training else ("if", "then")
    rules = [item.keys(required, ("support",)) for item in members["rules"].items()]
    if not rules or not variables:
        raise ValueError(f"{written.place} must have at least one input and one rule")
    require_cells(len(rules), len(variables))
    with_support = sum("support" in rule for rule in rules)
    if with_support not in (0, len(rules)):
        raise ValueError(f"{members['rules'].place} must all have a support, or none")
    kind = members["antecedents"].one_of(LabelTriangles.kind, OwnTriangles.kind) if "antecedents" in members else ""
    antecedents = antecedents_from_json(kind or LabelRanges.kind, rules, variables)
    consequents = consequents_from_json(said, rules, variables)
    importance = np.array([rule["importance"].number() for rule in rules]) if has_training else None
    return RuleBase(
        variables,
        antecedents,
        consequents,
        members["t_norm"].one_of(*T_NORMS),
        target["name"].text(),
        target["unit"].text(),
        np.array([rule["support"].number() for rule in rules]) if with_support else None,
        None if importance is None else summary_from_json(members["training"], list(places), importance),
        _curves(members["curves"], variables, places) if "curves" in members else (),
        gaps=_gaps(members["gaps"], places) if "gaps" in members else None,
        intervals=intervals_from_json(members["intervals"]) if "intervals" in members else None,
        extrapolation=members["extrapolation"].one_of(*EXTRAPOLATIONS) if "extrapolation" in members else _AS_EVER,
        output=_output(members["output"]) if "output" in members else PLAIN,
    )


def require_cells(n_rules: int, n_inputs: int) -> None:
    """Refuse more rules and inputs than a file can hold."""
    if n_rules * n_inputs > MAX_CELLS:
        raise ValueError(f"{n_rules:,} rules over {n_inputs:,} inputs are more than a file can hold")


def _curve_to_json(curve: Curve, names: list[str]) -> dict[str, Any]:
    pieces = [{"intercept": intercept, "slope": slope} for intercept, slope in curve.coefficients.tolist()]
    return {"input": names[curve.input], **partition_to_json(curve.partition), "pieces": pieces}


def _curves(written: Checked, variables: tuple[Variable, ...], places: dict[str, int]) -> list[Curve]:
    curves: dict[int, Curve] = {}
    for item in written.items():
        partition, members = partition_from_json(item, ("fuzzy",), ("input", "kind", "pieces"))
        j = places.get(members["input"].text())
        if j is None or not variables[j].partition.ordered:
            raise ValueError(f"{members['input'].place} is not an input{'' if j is None else ' with an order'}")
        if j in curves:
            raise ValueError(f"{written.place} has an input twice")
        pieces = [piece.keys(("intercept", "slope")) for piece in members["pieces"].items()]
        lines = [[piece["intercept"].number(), piece["slope"].number()] for piece in pieces]
        curves[j] = item.made("is not a curve", Curve, j, partition, np.array(lines).reshape(-1, 2))
    return list(curves.values())


def _target(written: Checked, triangles: bool) -> tuple[TrianglePartition | None, Members]:
    """Return the labels of the target, if it has any, and its members."""
    if triangles and "kind" in written.members():
        return partition_from_json(written, ("triangles",), ("name", "unit", "kind"))
    return None, written.keys(("name", "unit"))


def _variable(written: Checked, kinds: tuple[str, ...]) -> Variable:
    partition, members = partition_from_json(written, kinds, ("name", "unit", "kind"), ("source", "limits"))
    source = source_from_json(members["source"]) if "source" in members else None
    limits = members["limits"].numbers().tolist() if "limits" in members else None
    if limits is not None and len(limits) != 2:
        raise ValueError(f"{members['limits'].place} must have two numbers")
    names = members["name"].text(), partition, members["unit"].text()
    return written.made("is not an input", Variable, *names, source, limits)
