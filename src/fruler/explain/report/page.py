"""The report of a model: gathered here, laid out by the template."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fruler._files import write_whole
from fruler._wording import counted, counted_rules, install_advice
from fruler.explain.report.charts import error_pictures, front_picture
from fruler.explain.report.curves import curve_views
from fruler.explain.report.measurement import Measured, checked_rows, error_table, measure
from fruler.explain.report.numbers import TARGET_SHARE, fixed, shown, with_unit
from fruler.explain.report.reference import Reference, reference_of
from fruler.explain.report.rule_views import rule_views
from fruler.explain.report.views import drawn_once, input_groups, input_views, meeting
from fruler.rules.json.rule_base import rule_base_to_json
from fruler.rules.rule_base import RuleBase
from fruler.rules.truth import Truth

if TYPE_CHECKING:
    import pandas as pd

# Rules beyond this many are folded, so that the page can be leafed through.
_MAX_RULES_OPEN = 12


def write_report(
    path: str | os.PathLike[str],
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    alternatives: Sequence[Sequence[str]] = (),
) -> Path:
    """Write the report of a model to an HTML file, whole or not at all.

    Parameters
    ----------
    path : path
        Where to; the folder must exist.
    rule_base, X, y, front, title, alternatives
        As for `report_html`.

    Returns
    -------
    Path
        The file.
    """
    where = Path(path)
    if where.is_dir():
        raise ValueError(f"{str(where)!r} is a folder; give the path of the HTML file to write.")
    if not where.parent.is_dir():
        raise ValueError(f"There is no folder {str(where.parent)!r}; make it, or choose another path for the report.")
    return write_whole(where, report_html(rule_base, X, y, front, title, alternatives))


def report_html(
    rule_base: RuleBase,
    X: Any = None,
    y: Any = None,
    front: pd.DataFrame | None = None,
    title: str | None = None,
    alternatives: Sequence[Sequence[str]] = (),
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
        The models of other sizes that the search met, `pareto_` of the regressor.
    title : str, optional
        The title of the page.
    alternatives : sequence of sequences of str, optional
        Inputs that stand for the categories of one column: one of them is 1 and the others are 0, and so the sliders
        keep them.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)), unit="m")
    >>> page = report_html(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]], target_name="price"))
    >>> "<h1>2 rules for price</h1>" in page
    True
    """
    rows = checked_rows(rule_base, X, y)
    measured = None if rows is None else measure(rule_base, *rows)
    if rows is not None and rule_base.training is None:
        summarised = rule_base.with_training(*rows)
        return _rendered(summarised, measured, front, title, alternatives, learned_elsewhere=True)
    return _rendered(rule_base, measured, front, title, alternatives)


def _rendered(
    rule_base: RuleBase,
    measured: Measured | None,
    front: pd.DataFrame | None,
    title: str | None,
    alternatives: Sequence[Sequence[str]],
    *,
    learned_elsewhere: bool = False,
) -> str:
    reference = reference_of(rule_base)
    inputs, rules = input_views(rule_base, reference), rule_views(rule_base, reference)
    errors = error_table(rule_base, measured)
    folder = resources.files("fruler.explain.report")
    page: str = _template().render(
        title=title or f"{counted_rules(rule_base.n_rules, rule_base.n_curves)} for {rule_base.target_name}",
        target={"name": rule_base.target_name, "unit": rule_base.target_unit},
        target_labels="" if rule_base.target is None else meeting(rule_base.target, TARGET_SHARE * reference.spread),
        labels_title=_labels_title(rule_base),
        style=folder.joinpath("report.css").read_text("utf-8"),
        scripts=[folder.joinpath(name).read_text("utf-8") for name in ("inference.js", "dates.js", "what_if.js")],
        data=_embedded(rule_base, reference, measured, alternatives),
        glance=_glance(rule_base, reference, measured, inputs_used=sum(view.used for view in inputs)),
        errors=_error_rows(rule_base, reference, errors),
        about=_about(rule_base, reference, measured, learned_elsewhere),
        join="multiplied" if rule_base.t_norm == "product" else "joined by taking the smallest",
        inputs=inputs,
        groups=input_groups(inputs),
        drawn_once=drawn_once(rule_base, reference),
        rules=rules,
        has_offsets=any(rule.offsets for rule in rules),
        has_places=all(rule.sentence is not None for rule in rules),
        rule_errors=_rows_of_rule_errors(rule_base, learned_elsewhere),
        rules_open=_MAX_RULES_OPEN,
        curves=curve_views(rule_base, reference),
        is_formula=rule_base.is_formula,
        reference=reference,
        base=with_unit(shown(reference.base, TARGET_SHARE * reference.spread), rule_base.target_unit),
        examples=[] if measured is None else measured.examples,
        pictures=None if measured is None else error_pictures(measured, rule_base.target_unit),
        front=None if front is None or not len(front) else front_picture(front, rule_base),
    )
    return page


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
    rule_base: RuleBase, reference: Reference, measured: Measured | None, alternatives: Sequence[Sequence[str]]
) -> str:
    """Return what the scripts read, as JSON that can stand in a script element."""
    places = {variable.name: j for j, variable in enumerate(rule_base.variables)}
    data = {
        "model": rule_base_to_json(rule_base),
        "reference": reference.to_json(),
        "examples": []
        if measured is None
        else [{"row": example.row, "observed": example.observed} for example in measured.examples],
        "alternatives": [_by_frequency([places[name] for name in names], reference) for names in alternatives],
    }
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _by_frequency(inputs: list[int], reference: Reference) -> list[int]:
    """Return inputs that are 0 or 1, the one that is 1 most often first."""
    if reference.histograms is None:
        return inputs
    ones = reference.histograms[:, -1]
    return sorted(inputs, key=lambda j: -ones[j])


def _glance(
    rule_base: RuleBase, reference: Reference, measured: Measured | None, inputs_used: int
) -> list[tuple[str, str, str]]:
    """Return the figures that stand out: each with its name, and what to compare it with."""
    unit, tolerance = rule_base.target_unit, TARGET_SHARE * reference.spread
    with_what = f"with {counted(rule_base.n_coefficients, 'slope')}"
    if rule_base.target is not None:
        with_what = f"with {counted(rule_base.target.partition.n_labels, 'label')} of {rule_base.target_name}"
    if rule_base.curves:
        with_what += f" and {counted(rule_base.n_curves, 'curve')}"
    figures = [
        (str(rule_base.n_rules), "rule" if rule_base.n_rules == 1 else "rules", with_what),
        (str(inputs_used), "input used" if inputs_used == 1 else "inputs used", f"of {len(rule_base.variables)}"),
    ]
    training = rule_base.training
    if measured is not None and not measured.are_training:
        error, where = measured.rmse, f"on {counted(len(measured.observed), 'given row')}"
        truth: Truth | None = measured.truth
    elif training is None:
        return figures
    elif np.isfinite(training.cv_rmse):
        error, where, truth = training.cv_rmse, "on held-out rows (cross-validation)", training.truth
    else:
        error, where, truth = training.rmse, "on the training rows", training.truth
    figures.append((with_unit(fixed(error, tolerance), unit), "typical error", f"{where} (RMSE)"))
    if truth is not None and rule_base.n_rules > 1:
        holds = truth.holds(reference.spread if training is None else training.target_spread)
        advice = "rules can be read one by one" if holds else "read the rules together, not one by one"
        figures.append((with_unit(fixed(truth.alone, tolerance), unit), "strongest rule alone", advice))
    if measured is not None and measured.explained is not None:
        spread = "of the variance on these rows (R²)"
        figures.append((_share_text(measured.explained), "explained", spread))
    elif training is not None and training.target_spread > 0.0:
        explained = 1.0 - (error / training.target_spread) ** 2
        figures.append((_share_text(explained), "explained", "of the variance (R²)"))
    return figures


def _rows_of_rule_errors(rule_base: RuleBase, learned_elsewhere: bool) -> str:
    """Name the rows that the errors of single rules are of; "" where these are not shown."""
    truth = None if rule_base.training is None else rule_base.training.truth
    if truth is None or rule_base.n_rules == 1:
        return ""
    return "held-out rows" if truth.held_out else "given rows" if learned_elsewhere else "training rows"


def _share_text(share: float) -> str:
    return f"{share:.1%}".replace("-", "−") if share > 0.9 else f"{share:.0%}".replace("-", "−")


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
    tolerance = TARGET_SHARE * reference.spread
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
    unit, tolerance = rule_base.target_unit, TARGET_SHARE * reference.spread
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
    facts.append(("A rule's degree", f"{product} ({rule_base.t_norm} t-norm)"))
    return facts
