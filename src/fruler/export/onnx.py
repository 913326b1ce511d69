"""ONNX: a graph of standard operators, and a converter for scikit-learn pipelines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fruler._wording import install_advice
from fruler.export.input_plan import InputPlan, make_input_plan
from fruler.export.onnx_graph import ML_DOMAIN, Graph
from fruler.export.onnx_inputs import ML_OPSET, add_inputs
from fruler.export.onnx_intervals import add_ends, clipped, mean_radius, radius_or_nearest
from fruler.export.onnx_output import add_output
from fruler.export.onnx_triangles import triangle_degrees
from fruler.export.plan import Condition, Plan, SplitPoint, make_plan
from fruler.rules.rule_base import RuleBase

PREDICTION, ENDS = "prediction", ("lower", "upper")
# Old enough for runtimes of some years ago.
OPSET = 17
_IR_VERSION = 8


def export(rule_base: RuleBase, *, float32: bool = False, gaps: bool = True, interval: float | None = None) -> bytes:
    """Write a rule base as an ONNX model.

    Its input ``X`` is a table of numbers, shape (n_rows, n_columns), in the order of `RuleBase.columns`; its output
    ``prediction`` has the shape (n_rows, 1). If there are categories, each column is an input of its own by its name,
    of shape (n_rows, 1), and categories are strings. A date is the seconds from the start of 1970 to what the clock
    shows, in the zone that the model was learned in. A gap is NaN, or an empty string; it is filled in as
    `RuleBase.predict` does, and so is an unknown category. Where the rules do not know how, and where a number is
    infinite, the prediction is NaN.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    float32 : bool, default=False
        Whether numbers have 32 bits instead of 64, in the input, the output and everything between.
    gaps : bool, default=True
        Whether to fill in gaps. Without that the model is faster, and the prediction is NaN where a column that it
        needs has a gap.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. Their ends are two more outputs of shape (n_rows, 1),
        ``lower`` and ``upper``.

    Returns
    -------
    bytes
        The content of an .onnx file.

    Raises
    ------
    ImportError
        If the package onnx is not installed.

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
    plan = make_plan(rule_base, interval)
    outputs = [PREDICTION, *([] if interval is None else ENDS)]
    input_plan = make_input_plan(rule_base, plan, gaps)
    graph, inputs = _graph_of_columns(rule_base, plan, input_plan, dtype)
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    text = helper.np_dtype_to_tensor_dtype(np.dtype(object))
    opsets = [helper.make_opsetid("", OPSET)]
    opsets += [helper.make_opsetid(ML_DOMAIN, ML_OPSET)] if ML_DOMAIN in graph.domains else []
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node(
                    node.operator, node.inputs, node.outputs, domain=node.domain or None, **node.attributes
                )
                for node in graph.nodes
            ],
            "fruler",
            [
                helper.make_tensor_value_info(name, text if is_text else kind, ["n_rows", width])
                for name, width, is_text in inputs
            ],
            [helper.make_tensor_value_info(name, kind, ["n_rows", 1]) for name in outputs],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=opsets,
        ir_version=_IR_VERSION,
        producer_name="fruler",
        doc_string=input_plan.date_note,
    )
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


def _graph_of_columns(
    rule_base: RuleBase, plan: Plan, input_plan: InputPlan, dtype: np.dtype[Any]
) -> tuple[Graph, list[tuple[str, int, bool]]]:
    """Return the graph, and what goes in: names, numbers of columns, and whether they are text."""
    columns = input_plan.columns
    if input_plan.numeric:
        return _build(rule_base, plan, input_plan, dtype, ["X"], PREDICTION), [("X", len(columns), False)]
    for name in (PREDICTION, *(ENDS if plan.interval is not None else ())):
        if name in rule_base.columns:
            raise ValueError(f"The column {name!r} has the name of an output of the ONNX model; rename it.")
    names = [f"column {place}" for place in range(len(columns))]
    graph = _build(rule_base, plan, input_plan, dtype, names, PREDICTION)
    inputs = [(column.name, 1, column.levels is not None) for column in columns]
    return graph.renamed(dict(zip(names, rule_base.columns, strict=True))), inputs


def pipeline_to_onnx(pipeline: Any, *, float32: bool = False) -> bytes:
    """Write a fitted scikit-learn pipeline that ends with an estimator of rules as an ONNX model.

    Parameters
    ----------
    pipeline : Pipeline or estimator of rules
        Fitted. All other steps must be ones that skl2onnx knows, such as the scalers of scikit-learn.
    float32 : bool, default=False
        Whether numbers have 32 bits instead of 64.

    Returns
    -------
    bytes
        The content of an .onnx file, with the input ``X`` and the output ``prediction`` of shape (n_rows, 1).

    See Also
    --------
    export : The rules alone.
    register_converter : For calls of skl2onnx by yourself.

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
    """Teach skl2onnx to convert the estimators of this package, wherever they are in a pipeline.

    Raises
    ------
    ImportError
        If the package skl2onnx is not installed.

    See Also
    --------
    pipeline_to_onnx : Does it by itself.

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
    """Put the nodes of a regressor into the graph that skl2onnx builds."""
    from onnx import helper
    from skl2onnx.common.data_types import DoubleTensorType

    dtype = np.dtype(np.float64 if isinstance(operator.inputs[0].type, DoubleTensorType) else np.float32)
    source, target = operator.inputs[0].full_name, operator.outputs[0].full_name
    graph = build_graph(operator.raw_operator.rule_base_, dtype, source, target)
    names = {source: source, target: target}
    for name, value in graph.constants.items():
        names[name] = scope.get_unique_variable_name(name)
        kind = helper.np_dtype_to_tensor_dtype(value.dtype)
        container.add_initializer(names[name], kind, list(value.shape), value.ravel().tolist())
    for node in graph.nodes:
        for name in node.outputs:
            names.setdefault(name, scope.get_unique_variable_name(name))
        container.add_node(
            node.operator,
            [names[name] for name in node.inputs],
            [names[name] for name in node.outputs],
            op_version=OPSET,
            name=scope.get_unique_operator_name(node.operator),
            **node.attributes,
        )


def build_graph(rule_base: RuleBase, dtype: np.dtype[Any], source: str, target: str) -> Graph:
    """Build the graph from the name of a table of numbers to that of the output.

    A row is a row of every table in between: columns are split_points, then conditions, then rules.
    """
    plan = make_plan(rule_base)
    input_plan = make_input_plan(rule_base, plan)
    if not input_plan.numeric:
        raise ValueError("A pipeline whose rules have categories cannot be converted; export the rules themselves.")
    return _build(rule_base, plan, input_plan, dtype, [source], target)


def _build(
    rule_base: RuleBase,
    plan: Plan,
    input_plan: InputPlan,
    dtype: np.dtype[Any],
    sources: Sequence[str],
    target: str,
) -> Graph:
    graph = Graph(dtype)
    graph.indices("columns_axis", [1])
    graph.constant("zero", 0.0)
    graph.constant("one", 1.0)
    said, ends = (target, ENDS) if plan.output is None else ("said", ("said_lower", "said_upper"))
    if input_plan.plain and rule_base.gaps is None:
        given = sources[0]
        reach = _add_prediction(graph, rule_base, plan, clipped(graph, plan, given, len(rule_base.variables)), said)
    else:
        given, refused = add_inputs(graph, input_plan, sources)
        reach = _add_prediction(graph, rule_base, plan, clipped(graph, plan, given, len(rule_base.variables)), "answer")
        graph.add("Add", ["answer", refused], said)
    if plan.interval is not None:
        add_ends(graph, plan.interval, given, said, reach, ends)
    add_output(graph, rule_base.output, [said, *([] if plan.interval is None else ends)], [target, *ENDS])
    return graph


def _add_prediction(graph: Graph, rule_base: RuleBase, plan: Plan, source: str, target: str) -> str:
    """Add what the rules and the curves say together; return how far intervals reach inside the training data."""
    if not plan.curves:
        return _add_rules(graph, rule_base, plan, source, target)
    reach = _add_rules(graph, rule_base, plan, source, "rules")
    graph.add("Add", ["rules", _curves(graph, plan, source)], target)
    return reach


def _add_rules(graph: Graph, rule_base: RuleBase, plan: Plan, source: str, target: str) -> str:
    """Add what the rules say without curves; return how far intervals reach, nothing where there are none."""
    slopes = graph.constant("slopes", rule_base.slopes.T)
    intercepts = graph.constant("intercepts", rule_base.consequents.intercepts)
    radii = "" if plan.interval is None else graph.constant("radii", [plan.interval.radii])
    if rule_base.n_rules == 1 and not plan.said:
        graph.add("Gemm", [source, slopes, intercepts], target)
        return radii
    # Labels have no slopes, but a number that is none makes the product none as well.
    alone = graph.add("Gemm", [source, slopes, intercepts], "rule_outputs")
    share_above = _share_above(graph, plan.split_points, source)
    degrees, away = _degrees(graph, plan, source, share_above)
    join = "Mul" if rule_base.t_norm == "product" else "Min"
    weights = _joined(graph, plan, degrees, join, "weights")
    outputs = _centres(graph, plan, alone, weights) if plan.said else alone
    total = graph.add("ReduceSum", [weights, "columns_axis"], "total", keepdims=1)
    weighted = graph.add("Mul", [weights, outputs], "weighted_outputs")
    summed = graph.add("ReduceSum", [weighted, "columns_axis"], "weighted_sum", keepdims=1)
    reach = mean_radius(graph, radii, weights, total) if radii else ""
    if plan.covered:
        graph.add("Div", [summed, total], target)
        return reach
    mean = graph.add("Div", [summed, total], "weighted_mean")
    steps = _joined(graph, plan, away, "Add", "steps")
    best = graph.add("ArgMin", [steps], "nearest", axis=1, keepdims=1)
    answer = graph.add("GatherElements", [alone, best], "nearest_output", axis=1)
    fires = graph.add("Greater", [total, "zero"], "fires")
    graph.add("Where", [fires, mean, answer], target)
    return radius_or_nearest(graph, reach, best, fires) if radii else ""


def _centres(graph: Graph, plan: Plan, whole: str, weights: str) -> str:
    """Add the centres of the triangles that rules say, cut off at the rules' weights."""
    rest = graph.add("Sub", ["one", weights], "cut_off")
    squared = graph.add("Mul", [rest, rest], "cut_off_squared")
    more = graph.add("Add", ["one", rest], "one_and_cut_off")
    upper = graph.add("Add", [more, squared], "lean_above")
    three = graph.constant("three", 3.0)
    lean = graph.add("Div", [upper, graph.add("Mul", [three, more], "lean_below")], "lean")
    # The whole triangle leans by a third.
    less = graph.add("Sub", [lean, graph.constant("third", 1.0 / 3.0)], "leans_more")
    skews = graph.constant("skews", [said.skew for said in plan.said])
    return graph.add("Add", [whole, graph.add("Mul", [skews, less], "moved")], "centres")


def _curves(graph: Graph, plan: Plan, source: str) -> str:
    """Add the sum of all curves: a column for each line, times how far rows lie above its split point."""
    share_above = _share_above(graph, plan.curve_split_points, source, "curve_")
    always = len(plan.curve_split_points)
    lines = [line for curve in plan.curves for line in curve.lines]
    inputs = graph.indices("line_inputs", [curve.input for curve in plan.curves for _ in curve.lines])
    split_points = graph.indices(
        "line_split_points", [split_point for curve in plan.curves for split_point in (always, *curve.split_points)]
    )
    slopes = graph.constant("line_slopes", [slope for _, slope in lines])
    intercepts = graph.constant("line_intercepts", [intercept for intercept, _ in lines])
    values = graph.add("Gather", [source, inputs], "line_values", axis=1)
    said = graph.add("Add", [graph.add("Mul", [values, slopes], "line_terms"), intercepts], "line_outputs")
    begun = graph.add("Gather", [share_above, split_points], "lines_begun", axis=1)
    parts = graph.add("Mul", [begun, said], "line_parts")
    return graph.add("ReduceSum", [parts, "columns_axis"], "curves", keepdims=1)


def _share_above(graph: Graph, split_points: Sequence[SplitPoint], source: str, prefix: str = "") -> str:
    """Add how far rows lie above each split point; the last two columns are one far below and one far above."""
    columns = graph.indices(f"{prefix}split_point_inputs", [*(split_point.input for split_point in split_points), 0, 0])
    low = graph.constant(
        f"{prefix}split_point_low", [*(split_point.low for split_point in split_points), 0.0, math.inf]
    )
    width = graph.constant(
        f"{prefix}split_point_width", [*(split_point.width for split_point in split_points), 1.0, 1.0]
    )
    high = graph.constant(
        f"{prefix}split_point_high",
        [*_rounded([split_point.high for split_point in split_points], graph.dtype), -math.inf, math.inf],
    )
    values = graph.add("Gather", [source, columns], f"{prefix}split_point_values", axis=1)
    way = graph.add("Sub", [values, low], f"{prefix}way")
    part = graph.add("Div", [way, width], f"{prefix}share_of_way")
    share = graph.add("Clip", [part, "zero", "one"], f"{prefix}share")
    if any(split_point.start != split_point.low for split_point in split_points):
        starts = [*(split_point.start for split_point in split_points), -math.inf, -math.inf]
        start = graph.constant(f"{prefix}split_point_start", starts)
        begun = graph.add("Greater", [values, start], f"{prefix}begun")
        share = graph.add("Where", [begun, share, "zero"], f"{prefix}share_begun")
    done = graph.add("GreaterOrEqual", [values, high], f"{prefix}done")
    return graph.add("Where", [done, "one", share], f"{prefix}share_above")


def _rounded(values: Sequence[float], dtype: np.dtype[Any]) -> list[float]:
    """Return the least numbers of a type that are not below the values: those from a value on stay those."""
    found = []
    for value in values:
        nearest = dtype.type(value)
        found.append(float(nearest if float(nearest) >= value else np.nextafter(nearest, dtype.type(math.inf))))
    return found


def _degrees(graph: Graph, plan: Plan, source: str, share_above: str) -> tuple[str, str]:
    """Add the degrees of all conditions, and how far rows are away from each, if the nearest rule must be found."""
    if plan.limits:
        return triangle_degrees(graph, plan, source)
    degrees = _label_degrees(graph, plan, source, share_above)
    return degrees, "" if plan.covered else _away(graph, plan, share_above, degrees)


def _label_degrees(graph: Graph, plan: Plan, source: str, share_above: str) -> str:
    """Add the degrees of all conditions, ordered ones first; the last of the ordered ones always holds."""
    far_below, far_above = len(plan.split_points), len(plan.split_points) + 1
    ordered = [plan.conditions[number] for number in _ordered(plan)]
    below = [far_below if condition.below is None else condition.below for condition in ordered]
    above = [far_above if condition.above is None else condition.above for condition in ordered]
    entered = graph.add("Gather", [share_above, graph.indices("below", [*below, far_below])], "entered", axis=1)
    left = graph.add("Gather", [share_above, graph.indices("above", [*above, far_above])], "left", axis=1)
    degrees = [graph.add("Sub", [entered, left], "ordered_degrees")]
    for number, condition in enumerate(plan.conditions):
        if condition.codes is not None:
            degrees.append(_nominal_degree(graph, condition, number, source))
    return degrees[0] if len(degrees) == 1 else graph.add("Concat", degrees, "degrees", axis=1)


def _nominal_degree(graph: Graph, condition: Condition, number: int, source: str) -> str:
    column = graph.indices(f"nominal_input_{number}", [condition.input])
    codes = graph.constant(f"codes_{number}", [condition.codes])
    values = graph.add("Gather", [source, column], f"nominal_value_{number}", axis=1)
    equal = graph.add("Equal", [values, codes], f"equal_{number}")
    one_or_none = graph.add("Where", [equal, "one", "zero"], f"matches_{number}")
    return graph.add("ReduceSum", [one_or_none, "columns_axis"], f"nominal_degree_{number}", keepdims=1)


def _ordered(plan: Plan) -> list[int]:
    return [number for number, condition in enumerate(plan.conditions) if condition.codes is None]


def _joined(graph: Graph, plan: Plan, conditions: str, operator: str, name: str) -> str:
    """Add a column for each rule: its conditions, joined one after the other in the order of the inputs."""
    ordered = _ordered(plan)
    always = len(ordered)
    nominal = [number for number in range(len(plan.conditions)) if number not in ordered]
    places = {number: place for place, number in enumerate(ordered)}
    places |= {number: always + 1 + place for place, number in enumerate(nominal)}
    longest = max(1, *(len(rule) for rule in plan.rules))
    joined = ""
    for turn in range(longest):
        columns = [places[rule[turn]] if turn < len(rule) else always for rule in plan.rules]
        index = graph.indices(f"conditions_{turn}", columns)
        taken = graph.add("Gather", [conditions, index], f"{name}_taken_{turn}", axis=1)
        joined = taken if not turn else graph.add(operator, [joined, taken], f"{name}_joined_{turn}")
    return joined


def _away(graph: Graph, plan: Plan, share_above: str, degrees: str) -> str:
    """Add how many labels rows are away from each condition, in the columns of the degrees.

    A row's place among the labels of an input is the number of split points that it lies above.
    """
    ordered = [plan.conditions[number] for number in _ordered(plan)]
    counted = np.zeros((len(plan.split_points) + 2, len(ordered) + 1))
    for column, condition in enumerate(ordered):
        counted[plan.split_points_of(condition.input), column] = 1.0
    place = graph.add("MatMul", [share_above, graph.constant("counted", counted)], "place")
    first = graph.constant("first_label", [*(condition.first for condition in ordered), 0.0])
    last = graph.constant("last_label", [*(condition.last for condition in ordered), 0.0])
    under = graph.add("Sub", [first, place], "labels_under")
    over = graph.add("Sub", [place, last], "labels_over")
    parts = [graph.add("Max", [under, over, "zero"], "ordered_away")]
    if len(ordered) < len(plan.conditions):
        columns = graph.indices("nominal_columns", np.arange(len(ordered) + 1, len(plan.conditions) + 1))
        nominal = graph.add("Gather", [degrees, columns], "nominal_degrees", axis=1)
        parts.append(graph.add("Sub", ["one", nominal], "nominal_away"))
    return parts[0] if len(parts) == 1 else graph.add("Concat", parts, "away", axis=1)
