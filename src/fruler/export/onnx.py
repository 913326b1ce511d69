"""ONNX models of rule bases, and of pipelines that end with an estimator of this package.

Every table of the graph has one row per row of the data; its columns are split points, conditions or rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import zip_longest
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler._wording import install_advice
from fruler.export._onnx_graph import ML_DOMAIN, Graph, GraphTable
from fruler.export._onnx_inputs import add_inputs
from fruler.export._plan import (
    ConditionPlan,
    IntervalPlan,
    ModelPlan,
    SplitPoint,
    make_model_plan,
    make_output_plan,
)
from fruler.rules._output import Output
from fruler.rules._partitions import Triangle
from fruler.rules._rule_base import RuleBase

PREDICTION, ENDS = "prediction", ("lower", "upper")
# Old versions, for runtimes of some years ago.
OPSET, _ML_OPSET = 17, 2
_IR_VERSION = 8
# The exponential of this share of the logarithm of the largest float is always finite.
_SURE = 0.99
_ANYWHERE = (-math.inf, math.inf)
# A condition that always holds and has no distance, for rules with fewer conditions than others.
_ALWAYS: Triangle = (-math.inf, 0.0, math.inf)


def export(rule_base: RuleBase, *, float32: bool = False, gaps: bool = True, interval: float | None = None) -> bytes:
    """Write a rule base as an ONNX model.

    The input ``X`` is a table of numbers of shape (n_rows, n_columns), in the order of `RuleBase.columns`; the output
    ``prediction`` has shape (n_rows, 1). If there are categories, each column is a separate input of shape (n_rows, 1)
    with the name of the column, and categories are strings. Dates are seconds since the start of 1970, in the local
    time of the training data. NaN, empty strings and unknown categories are missing values, which are filled in as in
    `RuleBase.predict`. The prediction is NaN if the model has no estimates for missing values, or if a number is
    infinite.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    float32 : bool, default=False
        Whether numbers have 32 bits instead of 64, in the input, the output and everything between.
    gaps : bool, default=True
        Whether to fill in gaps. Without it the ONNX model is faster, and the prediction is NaN if a column that it
        needs has a gap.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds two outputs of shape (n_rows, 1), ``lower`` and
        ``upper``.

    Returns
    -------
    bytes
        The content of an .onnx file.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    ValueError
        If a column has the name of an output, or the rules have no prediction intervals with this coverage.

    See Also
    --------
    pipeline_to_onnx : A whole scikit-learn pipeline.
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> import onnxruntime  # doctest: +SKIP
    >>> session = onnxruntime.InferenceSession(export(rules))  # doctest: +SKIP
    >>> session.run(["prediction"], {"X": X})[0]  # doctest: +SKIP
    """
    try:
        import onnx
        from onnx import helper, numpy_helper
    except ImportError as error:
        raise ImportError(f"ONNX export needs onnx; {install_advice('onnx')}") from error
    dtype = np.dtype(np.float32 if float32 else np.float64)
    number, text = (helper.np_dtype_to_tensor_dtype(kind) for kind in (dtype, np.dtype(object)))
    plan = make_model_plan(rule_base, interval, gaps)
    outputs = [PREDICTION, *([] if interval is None else ENDS)]
    columns = plan.inputs.columns
    inputs = [("X", number, len(columns))]
    if not plan.inputs.numeric:
        inputs = [(column.name, number if column.levels is None else text, 1) for column in columns]
        for name in outputs:
            if name in rule_base.columns:
                raise ValueError(f"The column {name!r} has the name of an output of the ONNX model; rename it.")
    graph = _build(rule_base, plan, dtype, [name for name, _, _ in inputs], outputs)
    domains = {node.domain for node in graph.nodes}
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node(
                    node.operator, node.inputs, [node.output], domain=node.domain or None, **node.attributes
                )
                for node in graph.nodes
            ],
            "fruler",
            [helper.make_tensor_value_info(name, kind, ["n_rows", width]) for name, kind, width in inputs],
            [helper.make_tensor_value_info(name, number, ["n_rows", 1]) for name in outputs],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[
            helper.make_opsetid("", OPSET),
            *([helper.make_opsetid(ML_DOMAIN, _ML_OPSET)] if ML_DOMAIN in domains else []),
        ],
        ir_version=_IR_VERSION,
        producer_name="fruler",
        doc_string=plan.inputs.date_note,
    )
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


def pipeline_to_onnx(pipeline: Any, *, float32: bool = False) -> bytes:
    """Write a fitted scikit-learn pipeline that ends with an estimator of this package as an ONNX model.

    Parameters
    ----------
    pipeline : Pipeline or estimator
        The fitted pipeline. skl2onnx must support all other steps, such as the scalers of scikit-learn.
    float32 : bool, default=False
        Whether numbers have 32 bits instead of 64.

    Returns
    -------
    bytes
        The content of an .onnx file, with the input ``X`` and the output ``prediction`` of shape (n_rows, 1).

    See Also
    --------
    export : The rules alone.
    register_converter : For direct calls of skl2onnx.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline  # doctest: +SKIP
    >>> model = make_pipeline(StandardScaler(), FuzzyRuleRegressor()).fit(X, y)  # doctest: +SKIP
    >>> content = pipeline_to_onnx(model)  # doctest: +SKIP
    """
    register_converter()
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    kind = (FloatTensorType if float32 else DoubleTensorType)([None, pipeline.n_features_in_])
    model = convert_sklearn(
        pipeline, initial_types=[("X", kind)], final_types=[("prediction", None)], target_opset=OPSET
    )
    return bytes(model.SerializeToString())


def register_converter() -> None:
    """Register the estimators of this package with skl2onnx, so that it can convert pipelines with them.

    Raises
    ------
    ImportError
        If the package skl2onnx is not installed.

    See Also
    --------
    pipeline_to_onnx : Convert a pipeline; it calls this function.

    Examples
    --------
    >>> from skl2onnx import to_onnx  # doctest: +SKIP
    >>> register_converter()  # doctest: +SKIP
    >>> to_onnx(pipeline, X)  # doctest: +SKIP
    """
    try:
        from skl2onnx import update_registered_converter
        from skl2onnx.common.shape_calculator import calculate_linear_regressor_output_shapes
    except ImportError as error:
        raise ImportError("ONNX export of a pipeline needs skl2onnx; run: pip install skl2onnx") from error
    from fruler.estimators.registry import algorithm_names, find_estimator

    for name in algorithm_names():
        estimator, alias = find_estimator(name), f"Fruler_{name}"
        update_registered_converter(
            estimator, alias, calculate_linear_regressor_output_shapes, _convert, overwrite=True
        )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a regressor to the graph of skl2onnx."""
    from onnx import helper
    from skl2onnx.common.data_types import DoubleTensorType

    dtype = np.dtype(np.float64 if isinstance(operator.inputs[0].type, DoubleTensorType) else np.float32)
    source, target = operator.inputs[0].full_name, operator.outputs[0].full_name
    graph = build_graph(operator.raw_operator.rule_base_, dtype, source, target)
    own = [*graph.constants, *(node.output for node in graph.nodes)]
    names = {name: scope.get_unique_variable_name(name) for name in own} | {source: source, target: target}
    for name, value in graph.constants.items():
        kind = helper.np_dtype_to_tensor_dtype(value.dtype)
        container.add_initializer(names[name], kind, list(value.shape), value.ravel().tolist())
    for node in graph.nodes:
        container.add_node(
            node.operator,
            [names[name] for name in node.inputs],
            [names[node.output]],
            op_version=OPSET,
            name=scope.get_unique_operator_name(node.operator),
            **node.attributes,
        )


def build_graph(rule_base: RuleBase, dtype: np.dtype[Any], source: str, target: str) -> Graph:
    """Build the graph from a table of numbers (`source`) to the output (`target`), both given by name."""
    plan = make_model_plan(rule_base)
    if not plan.inputs.numeric:
        raise ValueError("A pipeline whose rules use categories cannot be converted; export the rules themselves.")
    return _build(rule_base, plan, dtype, [source], [target])


def _build(
    rule_base: RuleBase, plan: ModelPlan, dtype: np.dtype[Any], sources: Sequence[str], targets: Sequence[str]
) -> Graph:
    graph = Graph(dtype, [*sources, *targets])
    given, refused = GraphTable(graph, sources[0]), None
    # Columns that no rule uses may hold anything.
    if not plan.inputs.plain or rule_base.gaps is not None or len(plan.used) < len(rule_base.variables):
        given, refused = add_inputs(plan.inputs, [GraphTable(graph, name) for name in sources])
    source = _clipped(plan, given, len(rule_base.variables))
    said, radius = _rules(rule_base, plan, source)
    said = said + _curves(plan, source) if plan.curves else said
    said = said if refused is None else said + refused
    found = [said]
    if plan.interval is not None and radius is not None:
        reach = radius * (_beyond(plan.interval, given) + 1.0)
        found += [said - reach, said + reach]
    for raw, target in zip(found, targets, strict=True):
        graph.add("Identity", _linked(rule_base.output, raw), output=target)
    return graph


def _clipped(plan: ModelPlan, source: GraphTable, n_inputs: int) -> GraphTable:
    """Add the inputs, clipped to the range of the training data if the rules clip them."""
    if not plan.clips:
        return source
    low, high = np.array([plan.clips.get(j, _ANYWHERE) for j in range(n_inputs)]).T
    # Infinity must not become a finite number: its difference from itself is NaN.
    return source.bounded(low, high) + (source - source)


def _rules(rule_base: RuleBase, plan: ModelPlan, source: GraphTable) -> tuple[GraphTable, GraphTable | None]:
    """Add the output of the rules without curves, and the radius of intervals inside the training data."""
    graph = source.graph
    # Consequents that are labels have zero slopes, but the product still passes NaN on.
    alone = graph.add("Gemm", source, rule_base.slopes.T, rule_base.consequents.intercepts)
    radii = None if plan.interval is None else graph.constant(plan.interval.radii)
    if rule_base.n_rules == 1 and not plan.said:
        return alone, radii
    degrees, away = _triangle_degrees(plan, source) if plan.limits else _label_degrees(plan, source)
    weights = _joined(plan, degrees, "Mul" if rule_base.t_norm == "product" else "Min")
    total = weights.row_sums
    mean = (weights * (_centres(plan, alone, weights) if plan.said else alone)).row_sums / total
    radius = None if radii is None else (weights * radii).row_sums / total
    if away is None:
        return mean, radius
    fires = graph.add("Greater", total, 0.0)
    nearest = graph.add("ArgMin", _joined(plan, away, "Add"), axis=1, keepdims=1)
    if radii is not None and radius is not None:
        radius = graph.where(fires, radius, graph.add("Gather", radii, nearest, axis=0))
    return graph.where(fires, mean, graph.add("GatherElements", alone, nearest, axis=1)), radius


def _centres(plan: ModelPlan, whole: GraphTable, weights: GraphTable) -> GraphTable:
    """Add the centres of the rules' consequent triangles, cut off at the rules' weights."""
    rest = 1.0 - weights
    more = rest + 1.0
    lean = (more + rest * rest) / (more * 3.0)
    # The whole triangle leans by a third.
    return whole + (lean - 1.0 / 3.0) * [said.skew for said in plan.said]


def _curves(plan: ModelPlan, source: GraphTable) -> GraphTable:
    """Add the sum of all curves: one column per line, times the share of rows above its split point."""
    always = len(plan.curve_split_points)
    split_points = [number for curve in plan.curves for number in (always, *curve.split_points)]
    begun = _share_above(plan.curve_split_points, source).columns(split_points)
    values = source.columns([curve.input for curve in plan.curves for _ in curve.lines])
    intercepts, slopes = np.array([line for curve in plan.curves for line in curve.lines]).T
    added: GraphTable = begun * (values * slopes + intercepts)
    return added.row_sums


def _share_above(split_points: Sequence[SplitPoint], source: GraphTable) -> GraphTable:
    """Add the share of rows above each split point; the last two columns are always 1 and always 0."""
    far = [(0.0, -math.inf, -math.inf, 1.0), (math.inf, math.inf, -math.inf, 1.0)]
    low, high, start, width = np.array([(own.low, own.high, own.start, own.width) for own in split_points] + far).T
    values, graph = source.columns([*(own.input for own in split_points), 0, 0]), source.graph
    share = graph.add("Clip", (values - low) / width, 0.0, 1.0)
    if (start > low).any():
        share = graph.where(graph.add("Greater", values, start), share, 0.0)
    return graph.where(graph.add("GreaterOrEqual", values, _rounded(high, graph.dtype)), 1.0, share)


def _rounded(values: Floats, dtype: np.dtype[Any]) -> Floats:
    """Round values up to the next number of a type, so that ``x >= value`` holds for the same numbers x."""
    nearest = values.astype(dtype)
    return np.where(nearest.astype(np.float64) >= values, nearest, np.nextafter(nearest, dtype.type(math.inf)))


def _label_degrees(plan: ModelPlan, source: GraphTable) -> tuple[GraphTable, GraphTable | None]:
    """Add the degrees of all conditions and of one that always holds; unless rules cover everything, also distances.

    The position of a row among the labels of an input is the number of split points below it. A condition on codes is
    treated like a split point: a row that does not match is one label away.
    """
    graph, conditions = source.graph, plan.conditions
    always, never = len(plan.split_points), len(plan.split_points) + 1
    nominal = [number for number, condition in enumerate(conditions) if condition.codes is not None]
    places = {number: never + 1 + place for place, number in enumerate(nominal)}
    matches = [_matches(conditions[number], source) for number in nominal]
    shares = graph.add("Concat", _share_above(plan.split_points, source), *matches, axis=1)
    below = [places.get(number, always if own.below is None else own.below) for number, own in enumerate(conditions)]
    above = [never if condition.above is None else condition.above for condition in conditions]
    degrees = shares.columns([*below, always]) - shares.columns([*above, never])
    if plan.covered:
        return degrees, None
    counted = np.zeros((never + 1 + len(nominal), len(conditions) + 1))
    labels = np.zeros((2, len(conditions) + 1))
    for number, condition in enumerate(conditions):
        counted[places.get(number, plan.split_points_of(condition.input)), number] = 1.0
        labels[:, number] = 1.0 if number in places else (condition.first, condition.last)
    place = graph.add("MatMul", shares, counted)
    return degrees, graph.add("Max", labels[0] - place, place - labels[1], 0.0)


def _matches(condition: ConditionPlan, source: GraphTable) -> GraphTable:
    """Add 1 if an input has one of a condition's codes, else 0."""
    equal = source.graph.add("Equal", source.columns([condition.input]), np.array([condition.codes], dtype=np.float64))
    return source.graph.where(equal, 1.0, 0.0).row_sums


def _triangle_degrees(plan: ModelPlan, source: GraphTable) -> tuple[GraphTable, GraphTable | None]:
    """Add the degrees of all conditions and of one that always holds; unless rules cover everything, also distances.

    A degree is the minimum of two: the rise from the first point to the second, which is 1 from the second on, and the
    fall from the second to the third, which is 1 up to the second. Towards an infinite end it is 1.
    """
    graph, conditions = source.graph, plan.conditions
    a, b, c = np.array([*(condition.triangle or _ALWAYS for condition in conditions), _ALWAYS]).T
    low, high = np.array([*(plan.limits[condition.input] for condition in conditions), (0.0, 0.0)]).T
    values = source.columns([*(condition.input for condition in conditions), 0]).bounded(low, high)
    rise_ends, fall_starts = np.where(np.isinf(a), a, b), np.where(np.isinf(c), c, b)
    risen = (values - np.where(np.isinf(a), 0.0, a)) / _side_widths(a, b)
    left = (np.where(np.isinf(c), 0.0, c) - values) / _side_widths(b, c)
    below = graph.add("Less", values, rise_ends)
    above = graph.add("Greater", values, fall_starts)
    rise, fall = (
        graph.where(outside, graph.add("Clip", share, 0.0, 1.0), 1.0)
        for outside, share in ((below, risen), (above, left))
    )
    degrees = graph.add("Min", rise, fall)
    if plan.covered:
        return degrees, None
    off = graph.add("Abs", values - b) / [*(condition.width for condition in conditions), 1.0]
    return degrees, graph.where(graph.add("Or", below, above), off, 0.0)


def _side_widths(low: Floats, high: Floats) -> Floats:
    """Return the widths of the sides of triangles, as divisors; 1 for a side of width zero or without an end."""
    widths = high - low
    return np.where(np.isfinite(widths) & (widths > 0.0), widths, 1.0)


def _joined(plan: ModelPlan, conditions: GraphTable, operator: str) -> GraphTable:
    """Add one column per rule: its conditions, combined one by one in the order of the inputs."""
    always = len(plan.conditions)
    turns = zip_longest(*(rule or (always,) for rule in plan.rules), fillvalue=always)
    taken = [conditions.columns(turn) for turn in turns]
    return reduce(lambda joined, one: conditions.graph.add(operator, joined, one), taken)


def _beyond(plan: IntervalPlan, given: GraphTable) -> GraphTable:
    """Add the distance of the unclipped inputs from the training data, as a share of their ranges."""
    # Without any range, an infinite one gives a column of zeros.
    ranges = plan.ranges or {0: _ANYWHERE}
    low, high = np.array(list(ranges.values())).T
    values = given.columns(list(ranges))
    shares: GraphTable = given.graph.add("Max", low - values, values - high, 0.0) / (high - low)
    return shares.row_sums


def _linked(output: Output, raw: GraphTable) -> GraphTable:
    """Add the prediction for an output of the rules."""
    plan = make_output_plan(output, _SURE * math.log(float(np.finfo(raw.graph.dtype).max)))
    if plan is None:
        return raw
    inside = raw.bounded(*(end.raw if end else None for end in plan.ends))
    linked = raw.graph.add(plan.code["onnx"], inside) if plan.code["onnx"] else inside
    # NaN must stay NaN: Min and Max may drop it.
    return linked.bounded(*(end.target if end else None for end in plan.ends)) + (raw - raw)
