"""The report of a model: gathered here, laid out by the template."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fruler._files import write_whole
from fruler._typing import Floats
from fruler._wording import counted, counted_rules, install_advice
from fruler.explain.background import MAX_ROWS, background_rows
from fruler.explain.features import Feature, features_of
from fruler.explain.report.charts import error_pictures, front_picture
from fruler.explain.report.control_views import control_groups, date_columns
from fruler.explain.report.curves import curve_views
from fruler.explain.report.effect_views import effect_views
from fruler.explain.report.headline import headlines
from fruler.explain.report.influence_views import MAX_BARS, importance_views, ordered_features, pair_views
from fruler.explain.report.measurement import Measured, checked_rows, error_table, measure
from fruler.explain.report.numbers import TARGET_SHARE, fixed, shown, with_unit
from fruler.explain.report.origin import Origin, origin_facts, origin_settings
from fruler.explain.report.reference import Reference, reference_of
from fruler.explain.report.rule_views import RuleView, rule_views
from fruler.explain.report.stability_views import stability_view
from fruler.explain.report.views import drawn_once, input_views, meeting
from fruler.explain.scales import bounds_sentence, scale_of
from fruler.rules.json.rule_base import rule_base_to_json
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    import pandas as pd

    from fruler.explain.stability.stability import Stability

# Rules beyond this many are folded, so that the page can be leafed through.
_MAX_RULES_OPEN = 12
# More rules than this can be searched, sorted and grouped.
_MAX_RULES_LISTED = 8
# A line of a script that says why, for those who read the package.
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_SCRIPTS = (
    "output.js",
    "inference.js",
    "dates.js",
    "numbers.js",
    "controls.js",
    "date_controls.js",
    "what_if.js",
    "rule_list.js",
    "printing.js",
)


def write_report(
    path: str | os.PathLike[str],
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    alternatives: Sequence[Sequence[str]] = (),
    origin: Origin | None = None,
    stability: Stability | None = None,
) -> Path:
    """Write the report of a model to an HTML file, whole or not at all.

    Parameters
    ----------
    path : path
        The file to write; its folder must exist.
    rule_base : RuleBase
        The rules.
    X : array-like of shape (n_samples, n_inputs), optional
        Rows: those it was learned from, or better others.
    y : array-like of shape (n_samples,), optional
        Their target.
    front : DataFrame, optional
        The models of other sizes that the search found, `pareto_` of the estimator.
    title : str, optional
        The title of the page.
    alternatives : sequence of sequences of str, optional
        Inputs that stand for the categories of one column, as for `report_html`.
    origin : Origin, optional
        Where the model comes from.
    stability : Stability, optional
        How often rules and splits came back, as for `report_html`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the path is a folder, or its folder does not exist.

    See Also
    --------
    report_html : The same as text.
    fruler.FuzzyRuleRegressor.report : The report of an estimator.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(pathlib.Path(folder) / "report.html", rules).name
    'report.html'
    """
    where = Path(path)
    if where.is_dir():
        raise ValueError(f"{str(where)!r} is a folder; give the path of the HTML file to write.")
    if not where.parent.is_dir():
        raise ValueError(f"There is no folder {str(where.parent)!r}; make it, or choose another path for the report.")
    return write_whole(where, report_html(rule_base, X, y, front, title, alternatives, origin, stability))


def report_html(
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    alternatives: Sequence[Sequence[str]] = (),
    origin: Origin | None = None,
    stability: Stability | None = None,
) -> str:
    """Return the report of a model as an HTML page that needs nothing but itself, not even a network.

    Without rows it shows what the rule base knows of its training data. With rows it also shows the errors on them:
    at most 500 of the pairs of observed and predicted values, and four whole rows to try, become part of the page.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    X : array-like of shape (n_samples, n_inputs), optional
        Rows: those it was learned from, or better others.
    y : array-like of shape (n_samples,), optional
        Their target.
    front : DataFrame, optional
        The models of other sizes that the search found, `pareto_` of the estimator.
    title : str, optional
        The title of the page.
    alternatives : sequence of sequences of str, optional
        Inputs that stand for the categories of one column: one of them is 1 and the others are 0. They have one
        control. Of inputs that come from columns of a table the rules know it themselves.
    origin : Origin, optional
        Where the model comes from, shown on the page; by default only the date and the version.
    stability : Stability, optional
        What came back when the model was learned from parts of its rows; the page shows it for every rule and split,
        and draws bands around effects.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    ValueError
        If `stability` is that of another model.

    See Also
    --------
    write_report : The same as a file.
    fruler.FuzzyRuleRegressor.report : The report of an estimator.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)), unit="m")
    >>> page = report_html(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]], target_name="price"))
    >>> "<h1>2 rules for price</h1>" in page
    True
    """
    if stability is not None and stability.rule_base.consequents != rule_base.consequents:
        raise ValueError("stability must be that of this model; make it with model.stability(X, y).")
    rows = checked_rows(rule_base, X, y)
    told = _Told(front, title, alternatives, origin or Origin(), stability)
    if rows is None:
        return _rendered(rule_base, None, None, told)
    measured = measure(rule_base, *rows)
    if rule_base.training is None:
        return _rendered(rule_base.with_training(*rows), rows[0], measured, told, learned_elsewhere=True)
    return _rendered(rule_base, rows[0], measured, told)


@dataclass(frozen=True, eq=False)
class _Told:
    """What a report is told beside the rules and the rows."""

    front: pd.DataFrame | None
    title: str | None
    alternatives: Sequence[Sequence[str]]
    origin: Origin
    stability: Stability | None


def _rendered(
    rule_base: RuleBase,
    given: Floats | None,
    measured: Measured | None,
    told: _Told,
    *,
    learned_elsewhere: bool = False,
) -> str:
    reference = reference_of(rule_base)
    inputs, rules = input_views(rule_base, reference), rule_views(rule_base, reference)
    features = features_of(rule_base, told.alternatives)
    places = [view.index for view in inputs]
    controls = sorted(features, key=lambda feature: min(map(places.index, feature.inputs)))
    if rule_base.training is not None:
        ordered = ordered_features(rule_base, features)
        controls = ordered + [feature for feature in controls if feature not in ordered]
    folder = resources.files("fruler.explain.report")
    page: str = _template().render(
        title=told.title or f"{counted_rules(rule_base.n_rules, rule_base.n_curves)} for {rule_base.target_name}",
        target={"name": rule_base.target_name, "unit": rule_base.target_unit},
        target_labels=_target_labels(rule_base, reference),
        labels_title=_labels_title(rule_base),
        style="".join(folder.joinpath(name).read_text("utf-8") for name in _styles(told)),
        scripts=[_COMMENT.sub("", folder.joinpath(name).read_text("utf-8")) for name in _SCRIPTS],
        data=_embedded(rule_base, reference, measured, features, given),
        glance=headlines(rule_base, reference, measured, inputs_used=sum(view.used for view in inputs)),
        errors=_error_rows(rule_base, reference, error_table(rule_base, measured)),
        about=_about(rule_base, reference, measured, learned_elsewhere),
        join="multiplied" if rule_base.t_norm == "product" else "joined by taking the smallest",
        inputs=inputs,
        groups=control_groups(rule_base, reference, controls),
        drawn_once=drawn_once(rule_base, reference),
        rules=rules,
        rule_orders=_rule_orders(rules),
        rule_subjects=list(dict.fromkeys(part.name for rule in rules for part in rule.conditions)),
        has_offsets=any(rule.offsets for rule in rules),
        has_places=all(rule.sentence is not None for rule in rules),
        rule_errors=_rows_of_rule_errors(rule_base, learned_elsewhere),
        rules_open=_MAX_RULES_OPEN,
        rules_listed=_MAX_RULES_LISTED,
        curves=curve_views(rule_base, reference),
        stability=None if told.stability is None else stability_view(told.stability),
        is_formula=rule_base.is_formula,
        reference=reference,
        base=_base(rule_base, reference),
        scale=scale_of(rule_base),
        bounds=bounds_sentence(rule_base),
        examples=[] if measured is None else measured.examples,
        pictures=None if measured is None else error_pictures(measured, rule_base.target_unit),
        pictured=_pictured(measured),
        front=None if told.front is None or not len(told.front) else front_picture(told.front, rule_base),
        origin=origin_facts(told.origin, rule_base, measured, learned_elsewhere=learned_elsewhere),
        settings=origin_settings(told.origin),
        **_influence(rule_base, reference, features, given, measured, told.stability),
    )
    # Indentation is a tenth of a large page.
    return re.sub(r"\n\s*", "\n", page)


def _target_labels(rule_base: RuleBase, reference: Reference) -> str:
    """Write where the labels of the target meet; "" where it has none."""
    return "" if rule_base.target is None else meeting(rule_base.target, TARGET_SHARE * reference.target_spread)


def _base(rule_base: RuleBase, reference: Reference) -> str:
    """Write the prediction that parts are measured against."""
    scale = scale_of(rule_base)
    base = scale.target(reference.base)
    return with_unit(shown(base, scale.tolerance(base, TARGET_SHARE * reference.spread)), rule_base.target_unit)


def _styles(told: _Told) -> list[str]:
    return ["report.css"] if told.stability is None else ["report.css", "stability.css"]


def _influence(
    rule_base: RuleBase,
    reference: Reference,
    features: Sequence[Feature],
    given: Floats | None,
    measured: Measured | None,
    stability: Stability | None,
) -> dict[str, Any]:
    """Return what the page shows of features: their importance, the pairs that interact, and their effects."""
    ordered = ordered_features(rule_base, features)
    rows = background_rows(rule_base, features, given)
    importance = importance_views(rule_base, reference, ordered)
    if stability is not None:
        n_rows = min(MAX_ROWS, stability.n_rows)
        over = f"{n_rows} of the training rows" if n_rows < stability.n_rows else "the training rows"
    elif given is None:
        over = (
            f"{len(rows)} rows made up from the summary of the training data"
            if reference.known
            else (f"{len(rows)} rows made up from the ranges of the inputs")
        )
    else:
        which = "training" if measured is not None and measured.are_training else "given"
        over = f"{len(rows):,} of the {which} rows" if len(rows) < len(given) else f"the {which} rows"
    return {
        "importance": importance[:MAX_BARS],
        "less_important": importance[MAX_BARS:],
        "pairs": pair_views(rule_base, reference, ordered, rows),
        "effects": effect_views(rule_base, reference, ordered, rows, given, stability),
        "averaged_over": over,
    }


def _pictured(measured: Measured | None) -> str:
    """Say on which rows the pictures of errors were measured."""
    if measured is None:
        return ""
    rows = f"{len(measured.observed):,}"
    if measured.are_training:
        return (
            f"Measured on the {rows} training rows, from which the model was learned: on new rows expect larger misses."
        )
    return f"Measured on the {rows} rows given to the report."


def _rule_orders(rules: Sequence[RuleView]) -> list[tuple[str, str]]:
    """Return the orders in which rules can be listed: what they are called in the page, and in words."""
    orders = [("number", "number"), ("output", "what they say, highest first")]
    if all(rule.support for rule in rules):
        orders.append(("support", "rows, most first"))
    if all(rule.importance for rule in rules):
        orders.append(("importance", "importance, most first"))
    if any(rule.error_alone for rule in rules):
        orders.append(("error", "error alone, largest first"))
    return orders


def _labels_title(rule_base: RuleBase) -> str:
    """Return the title of what the table of inputs says of labels."""
    if not rule_base.antecedents.shares_labels:
        return "labels"
    free = any(variable.partition.of_triangles for variable in rule_base.variables)
    return f"labels and {'what they stand for' if free else 'where they meet'}"


def _template() -> Any:
    try:
        import jinja2
    except ImportError:
        raise ImportError(f"A report needs Jinja2; {install_advice('report')}") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fruler.explain.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html.jinja")


def _embedded(
    rule_base: RuleBase,
    reference: Reference,
    measured: Measured | None,
    features: Sequence[Feature],
    given: Floats | None,
) -> str:
    """Return what the scripts read, as JSON that can stand in a script element."""
    data = {
        # Of the training data, of intervals and of clipping the scripts need no more than the reference has.
        "model": rule_base_to_json(replace(rule_base, training=None, intervals=None, extrapolation="linear")),
        "reference": reference.to_json(),
        "examples": []
        if measured is None
        else [{"row": example.row, "observed": example.observed} for example in measured.examples],
        "features": [_feature_json(reference, feature, given) for feature in features],
        "dates": list(date_columns(rule_base).values()),
    }
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _feature_json(reference: Reference, feature: Feature, given: Floats | None) -> dict[str, Any]:
    """Return what the controls need of a feature: the numbers of its options, and which of them is the commonest."""
    plain: dict[str, Any] = {"name": feature.name, "inputs": list(feature.inputs)}
    if feature.options:
        counts = reference.option_counts(feature, given)
        plain["options"] = [list(option.values) for option in feature.options]
        plain["common"] = 0 if counts is None else int(np.argmax(counts))
    return plain


def _rows_of_rule_errors(rule_base: RuleBase, learned_elsewhere: bool) -> str:
    """Name the rows that the errors of single rules are of; "" where these are not shown."""
    truth = None if rule_base.training is None else rule_base.training.truth
    if truth is None or rule_base.n_rules == 1:
        return ""
    return "held-out rows" if truth.held_out else "given rows" if learned_elsewhere else "training rows"


def _error_rows(rule_base: RuleBase, reference: Reference, errors: list[Any]) -> dict[str, Any] | None:
    """Return the table of errors: the columns of which anything is known, and a bar for the last figure of each row."""
    if not errors:
        return None
    titles = {
        "training": "on the training rows",
        "left_out": "on held-out rows (cross-validation)",
        "given": "on the given rows",
    }
    columns = [name for name in titles if any(getattr(row, name) is not None for row in errors)]
    figures = [[getattr(row, name) for name in columns] for row in errors]
    largest = max(value for row in figures for value in row if value is not None) or 1.0
    tolerance = TARGET_SHARE * reference.target_spread
    return {
        "columns": [titles[name] for name in columns],
        "rows": [
            {
                "name": row.name,
                "texts": ["" if value is None else fixed(value, tolerance) for value in values],
                "share": [value for value in values if value is not None][-1] / largest,
            }
            for row, values in zip(errors, figures, strict=True)
        ],
        "unit": rule_base.target_unit,
    }


def _about(
    rule_base: RuleBase, reference: Reference, measured: Measured | None, learned_elsewhere: bool
) -> list[tuple[str, str]]:
    """Return facts about the data and the model, each with its name."""
    unit, tolerance = rule_base.target_unit, TARGET_SHARE * reference.target_spread
    facts = []
    training = rule_base.training
    if training is not None and not learned_elsewhere:
        rows = f"{counted(training.n_rows, 'row')}, {counted(len(rule_base.variables), 'input')}"
        facts.append(("Training data", rows))
    if measured is not None and not measured.are_training:
        facts.append(("Given rows", f"{len(measured.observed):,}"))
    if training is not None:
        low, high = shown(training.target_low, tolerance), shown(training.target_high, tolerance)
        mean, spread = shown(training.target_mean, tolerance), shown(training.target_spread, tolerance)
        where = "the given rows" if learned_elsewhere else "the training rows"
        facts.append((rule_base.target_name, f"{low} to {with_unit(high, unit)} in {where}"))
        facts.append(("Mean and spread", f"{mean} and {with_unit(spread, unit)}"))
    product = "the product of its parts' degrees" if rule_base.t_norm == "product" else "the smallest of its parts'"
    facts.append(("A rule's degree", product))
    return facts
