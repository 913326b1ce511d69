"""The report of a model: its content is gathered here, and laid out by the template."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fruler._files import write_whole
from fruler._table.reading import as_frame
from fruler._wording import counted_rules, install_advice, percent, with_minus
from fruler.explain._engine import engine_code, engine_data, engine_json
from fruler.explain._told import Told, told
from fruler.explain.explanation import COVERAGE
from fruler.explain.report import _error_views as error_views
from fruler.explain.report._error_views import Measured
from fruler.explain.report._group_views import group_views
from fruler.explain.report._influence_views import influence_view, ordered_features
from fruler.explain.report._input_views import control_groups, date_columns, drawn_once, input_views
from fruler.explain.report._origin import Origin, origin_facts, origin_settings
from fruler.explain.report._reference import Reference, View
from fruler.explain.report._rule_views import RuleView, rule_views
from fruler.explain.report._stability_views import stability_view
from fruler.explain.text import MAX_COLUMNS
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    import pandas as pd

    from fruler.explain.stability import Stability

# More lists of amounts than this are folded away; a short print-out has only the first inputs.
_MAX_LISTS_OPEN, _MAX_INPUTS_PRINTED = 12, 12
# More rules than this can be searched, sorted and grouped.
_MAX_RULES_LISTED = 8
# Comments in scripts are for readers of the package, and left out of the page.
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_SCRIPTS = (
    "scale.js",
    "dates.js",
    "numbers.js",
    "controls.js",
    "date_controls.js",
    "what_if.js",
    "rule_list.js",
    "groups.js",
    "printing.js",
)


def write_report(
    path: str | os.PathLike[str],
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    origin: Origin | None = None,
    stability: Stability | None = None,
    columns: Any = None,
) -> Path:
    """Write the report of a model to an HTML file; if this fails, no partial file is left.

    Parameters
    ----------
    path : path
        The file to write; its folder must exist.
    rule_base : RuleBase
        The rules.
    X : array-like of shape (n_samples, n_inputs), optional
        Rows to measure errors on: the training rows, or better, other rows.
    y : array-like of shape (n_samples,), optional
        The target of the rows.
    front : DataFrame, optional
        The models of other sizes that the search found, `pareto_` of the estimator.
    title : str, optional
        The title of the page.
    origin : Origin, optional
        The origin of the model, as for `report_html`.
    stability : Stability, optional
        The stability of the model, as for `report_html`.
    columns : data frame, optional
        The columns of the rows, as for `report_html`.

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
    report_html : Return the report as a string.
    fruler.FuzzyRuleRegressor.report : Write the report of an estimator.

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
        raise ValueError(f"There is no folder {str(where.parent)!r}; create it, or choose another path for the report.")
    return write_whole(where, report_html(rule_base, X, y, front, title, origin, stability, columns))


def report_html(
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    origin: Origin | None = None,
    stability: Stability | None = None,
    columns: Any = None,
) -> str:
    """Return the report of a model as a self-contained HTML page, which needs no other files and no network.

    Without rows, the report uses the training summary of the rule base. With rows, it also shows the errors on them;
    the page then contains at most 500 pairs of observed and predicted values, and four whole rows to try.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    X : array-like of shape (n_samples, n_inputs), optional
        Rows to measure errors on: the training rows, or better, other rows.
    y : array-like of shape (n_samples,), optional
        The target of the rows.
    front : DataFrame, optional
        The models of other sizes that the search found, `pareto_` of the estimator.
    title : str, optional
        The title of the page.
    origin : Origin, optional
        The origin of the model, shown on the page; by default only the date and the version.
    stability : Stability, optional
        The stability of the model. The page shows how often every rule and split came back in refits, and draws bands
        around effects.
    columns : data frame, optional
        The columns by whose groups errors are shown, also those that the model does not use; by default those of `X`.

    Returns
    -------
    str
        The page as HTML.

    Raises
    ------
    ValueError
        If `stability` is of another model.

    See Also
    --------
    write_report : Write the report to a file.
    fruler.FuzzyRuleRegressor.report : Write the report of an estimator.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)), unit="m")
    >>> page = report_html(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]], target_name="price"))
    >>> "<h1>2 rules for price</h1>" in page
    True
    """
    if stability is not None and stability.rule_base.consequents != rule_base.consequents:
        raise ValueError("stability must be of this model; compute it with model.stability(X, y).")
    rows = error_views.checked_rows(rule_base, X, y)
    measured = None if rows is None else error_views.measure_rows(rule_base, rows)
    if rows is not None and not rule_base.background.known:
        rule_base = rule_base.with_training(rows.values, rows.target)
    reference, page = Reference(rule_base), told(rule_base)
    features = ordered_features(rule_base)
    html: str = _template().render(
        title=title or f"{counted_rules(rule_base.n_rules, rule_base.n_curves)} for {rule_base.target_name}",
        # Rules without training data are measured on the given rows.
        story=[text.replace("training rows", _learned_from(measured)) for text in page.story],
        reference=reference,
        scale=reference.scale,
        percent=percent,
        is_formula=rule_base.is_formula,
        target={"name": rule_base.target_name, "unit": rule_base.target_unit},
        inputs=input_views(reference, [feature for feature in features if rule_base.uses[feature.index].any()]),
        inputs_printed=_MAX_INPUTS_PRINTED,
        groups=control_groups(reference, features),
        stability=None if stability is None else stability_view(stability),
        front=None if front is None or not len(front) else error_views.front_view(front, reference),
        origin=origin_facts(origin or Origin(), rule_base, measured),
        settings=origin_settings(origin or Origin()),
        drawn_once=drawn_once(reference),
        data=_embedded(reference, measured),
        **_files(["report.css"] if stability is None else ["report.css", "stability.css"]),
        **_rules(reference, page, measured),
        **_errors(reference, measured, X if columns is None else columns),
        **influence_view(reference, features, measured, stability),
    )
    # Indentation makes up a tenth of a large page.
    return re.sub(r"\n\s*", "\n", html)


def _files(styles: Sequence[str]) -> View:
    folder = resources.files("fruler.explain.report")
    scripts = [folder.joinpath(name).read_text("utf-8") for name in _SCRIPTS]
    return {
        "style": "".join(folder.joinpath(name).read_text("utf-8") for name in styles),
        "scripts": [_COMMENT.sub("", code) for code in (engine_code(), *scripts)],
    }


def _rules(reference: Reference, page: Told, measured: Measured | None) -> View:
    """Return the rules: what holds in all of them, a table with a column per rule, lists, and each by itself."""
    rule_base = reference.rule_base
    has_table = 1 < len(page.rules) <= MAX_COLUMNS
    rules = rule_views(reference, page, measured, with_lines=len(page.rules) > MAX_COLUMNS)
    lists = page.lists if has_table else page.strengths
    truth = rule_base.background.truth
    return {
        "start": page.rules[0].start,
        "rules": rules,
        "shared": [(effect.head, with_minus(effect.cells[0])) for effect in page.shared],
        "side_by_side": [(head, [with_minus(cell) for cell in cells]) for head, cells in page.rows * has_table],
        "lists": [(head, with_minus(text)) for head, text in lists.items()],
        "lists_open": _MAX_LISTS_OPEN,
        "notes": [with_minus(f"{text.rstrip('.')}.") for text in page.notes],
        "scale_note": reference.scale.reading(rule_base.target_name),
        "rule_orders": _rule_orders(rules),
        "rule_subjects": list(dict.fromkeys(part["name"] for rule in rules for part in rule.conditions)),
        "rule_errors": f"on {rule_base.background.held_out if truth and truth.held_out else _learned_from(measured)}",
        "loss_title": rule_base.output.loss.title if rule_base.output.loss.reweighted else "RMSE",
        "rules_listed": _MAX_RULES_LISTED,
    }


def _errors(reference: Reference, measured: Measured | None, table: Any) -> View:
    rules = reference.rule_base
    view: View = {
        "glance": error_views.headlines(reference, measured),
        "errors": error_views.error_rows(reference, error_views.model_errors(rules, measured)),
        "examples": [],
        "pictures": [],
        "by_group": [],
        "pictured": _pictured(measured),
    }
    if measured is not None:
        view["examples"] = measured.examples
        view["pictures"] = error_views.error_pictures(measured, rules.target_unit)
        frame = as_frame(table, rules.columns if np.shape(table)[1:] == (len(rules.columns),) else None)
        view["by_group"] = group_views(reference, frame, measured.observed, measured.predicted)
    return view


def _learned_from(measured: Measured | None) -> str:
    """Name the rows behind the training summary."""
    return "given rows" if measured is not None and measured.stand_in else "training rows"


def _pictured(measured: Measured | None) -> str:
    """Write on which rows the plotted errors were measured."""
    if measured is None:
        return ""
    rows = f"{len(measured.observed):,}"
    if measured.are_training:
        said = "from which the model was learned: on new rows expect larger misses."
        return f"Measured on the {rows} training rows, {said}"
    return f"Measured on the {rows} rows given to the report."


def _rule_orders(rules: Sequence[RuleView]) -> list[tuple[str, str]]:
    """Return the orders in which rules can be listed: their keys in the page, and their names."""
    orders = [("number", "number"), ("output", "output, highest first")]
    if all(rule.support is not None for rule in rules):
        orders.append(("support", "rows, most first"))
    if all(rule.importance is not None for rule in rules):
        orders.append(("importance", "importance, most first"))
    if any(rule.error is not None for rule in rules):
        orders.append(("error", "error alone, largest first"))
    return orders


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


def _embedded(reference: Reference, measured: Measured | None) -> str:
    """Return the data for the scripts, as JSON that is safe in a script element."""
    rules, examples = reference.rule_base, [] if measured is None else measured.examples
    data = {
        **engine_data(rules, COVERAGE if reference.has_intervals else None),
        "page": reference.to_json(),
        "examples": [{"row": example.row, "observed": example.observed} for example in examples],
        "features": [_feature_json(reference, feature, measured) for feature in rules.features],
        "dates": list(date_columns(rules).values()),
    }
    return engine_json(data, separators=(",", ":"))


def _feature_json(reference: Reference, feature: Feature, measured: Measured | None) -> dict[str, Any]:
    """Return the data of a feature for its control: the values of its options, and the most common option."""
    plain: dict[str, Any] = {"name": feature.name, "inputs": list(feature.inputs)}
    if feature.options:
        plain["options"] = [list(option.values) for option in feature.options]
        plain["common"] = reference.commonest(feature, None if measured is None else measured.values)
    return plain
