"""``fruler fit``: from a table to rules, their error, a model file and a report."""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from fruler._cli.column_options import constraint_settings, parse_labels, parse_units, with_names
from fruler._cli.failures import recorded_warnings, said_of, say
from fruler._cli.holdout import (
    MIN_ROWS_FOR_TEST,
    Folding,
    HeldOut,
    Rows,
    Split,
    by_name,
    error_table,
    folded,
    held_out_errors,
    last_rows,
    n_last_rows,
    random_rows,
    verdict,
)
from fruler._cli.input import GivenTable, is_large, joined_name, open_batches, read_frame, read_whole, same_file
from fruler._cli.options import FitOptions, check_effort
from fruler._cli.output import STDOUT, as_json, check_destination, show, write_output
from fruler._cli.preparation import PreparedTable, prepare_table
from fruler._cli.report import command_origin, require_jinja
from fruler._table.constraints import INTERACTIONS, MONOTONIC
from fruler._table.dates import DateFormat
from fruler._table.faults import FaultyValuesWarning
from fruler._wording import counted, either, quote_names
from fruler.callbacks import ProgressBar
from fruler.data._scan import FileScan
from fruler.estimators._growth import FuzzyRuleRegressor
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import find_estimator
from fruler.learning._folds import LATER, forward_folds
from fruler.learning._sampled_table import sample_frame
from fruler.rules._inputs import EXTRAPOLATIONS
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._losses import LOSS_NAMES, loss_given
from fruler.rules._output import LINK_NAMES, PLAIN, Bounds, Output

# Options that not every algorithm has: the parameter of each, and what the message says of an algorithm without it.
_PARAMETERS = {
    "max_rules": ("max_rules", "has no such limit"),
    "max_terms": ("max_terms", "has no such limit"),
    "category": ("categorical_features", "takes no such names"),
    "increasing": (MONOTONIC, "takes no constraints"),
    "decreasing": (MONOTONIC, "takes no constraints"),
    "interactions": (INTERACTIONS, "takes no constraints"),
    "calibration": ("calibration", "has no such choice"),
    "extrapolation": ("extrapolation", "has no such choice"),
    "link": ("link", "has no such choice"),
    "loss": ("loss", "has no such choice"),
    "quantile": ("quantile", "has no such choice"),
    "power": ("power", "has no such choice"),
    "bounds": ("bounds", "has no such choice"),
}
# Options that are passed to the parameter unchanged.
_AS_GIVEN = ("max_rules", "max_terms", "calibration", "extrapolation", "link", "loss", "quantile", "power", "keep_sums")
# The columns of a table in batches are judged by this number of rows.
_ROWS_JUDGED = 50_000
# The share of the rows that is tested if they are in order of time.
_LAST = "20%"
# Rows are few if there are fewer than this for each input.
_FEW_ROWS = 10
# Errors of rows that follow each other are alike if their correlation exceeds this, and this many standard errors.
_ALIKE, _SURE = 0.2, 5.0


def learn_rules(options: FitOptions) -> None:
    """Run ``fruler fit``."""
    _check(options)
    scan = open_batches(options.data, options.reading, options.max_memory)
    if scan is not None and is_large(options.data, options.max_memory):
        _learn_in_batches(options, scan)
        return
    if scan is None:
        table = read_frame(options.data[0], options.reading, options.target)
    else:
        table = read_whole(scan, joined_name(options.data))
    target = _target_of(table, options)
    table.refuse_doubts([target])
    with said_of(table.name):
        prepared = prepare_table(
            table.frame, target, drop=options.drop, categories=options.category, group=options.group
        )
        prepared, folding = folded(table.frame, prepared, options)
    names = [*prepared.inputs.columns, str(prepared.target.name)]
    units, labels = parse_units(options.unit, names), parse_labels(options.label, names)
    settings = _settings(options, prepared)

    def tell(text: str) -> None:
        # With --json, standard output has only the document.
        show(text, err=options.json)

    split = _split(options, len(prepared.inputs), folding)
    tell("\n".join(_what_was_read(options, table, prepared)))
    start = time.monotonic()
    regressor = _learned(options, prepared, settings, folding, tested=split is not None)
    seconds = time.monotonic() - start
    tested = None if split is None else _tested(options, prepared, settings, folding, split, regressor, seconds)
    seconds = time.monotonic() - start
    regressor = with_names(regressor, units, labels)
    if not options.json:
        tell("\n".join(["", *_verdict(prepared, tested, regressor), f"{regressor.rule_base_}\n"]))
    tell("\n".join([*_errors(options, prepared, tested, regressor), *_time_hint(options, prepared, regressor)]))
    if options.model is not None:
        regressor.save(options.model)
    if options.report is not None:
        regressor.report(
            prepared.inputs, prepared.target, options.report, origin=command_origin(", ".join(options.data))
        )
    tell("\n".join(_what_was_written(options, seconds)))
    if options.json:
        write_output(STDOUT, as_json(_document(options, table, prepared, tested, regressor, seconds)))


def _learn_in_batches(options: FitOptions, scan: FileScan) -> None:
    """Learn from files that are too large for memory; columns are judged by a sample of the rows."""
    for option in ("calibration", "test_last", "time"):
        if option in _given(options):
            said = option.replace("_", "-")
            raise ValueError(f"--{said} needs a table in memory; leave it out, or raise --max-memory")
    estimator = _estimator(options)
    if not issubclass(estimator, FuzzyRuleRegressor):
        raise ValueError(f"the algorithm {options.algorithm} needs a table in memory; raise --max-memory")
    name = joined_name(options.data)
    target = _target_of(GivenTable(name, pd.DataFrame(columns=list(scan.names))), options)
    with said_of(name):
        scan.roles(target)
    known = scan.narrowed(scan.names, target)
    sample = GivenTable(name, sample_frame(known, _ROWS_JUDGED))
    with said_of(name):
        prepared = prepare_table(
            sample.frame, target, drop=options.drop, categories=options.category, group=options.group
        )
    names = [*prepared.inputs.columns, target]
    units, labels = parse_units(options.unit, names), parse_labels(options.label, names)
    settings = _settings(options, prepared) | {"time_limit": options.time_limit, "checkpoint": options.checkpoint}

    def tell(text: str) -> None:
        show(text, err=options.json)

    inputs, rows = counted(len(names) - 1, "input"), counted(known.n_rows, "row")
    tell(f"{name}: {counted(scan.n_rows, 'row')}, {counted(len(scan.names), 'column')}, read in batches")
    tell("\n".join([f"predicting {target} from {inputs}", *(f"  {note}" for note in prepared.notes())]))
    start = time.monotonic()
    with said_of(name), recorded_warnings() as caught:
        regressor: BaseRuleRegressor = estimator(**settings, callbacks=ProgressBar(title="learning the rules"))
        given = names if options.group is None else [*names, options.group]
        regressor.fit(known.narrowed(given, target), target, groups=options.group)
    for warning in caught:
        say(str(warning.message))
    seconds = time.monotonic() - start
    regressor = with_names(regressor, units, labels)
    if not options.json:
        tell(f"\n{regressor.rule_base_}\n")
    errors = _validated_lines(prepared, regressor)
    tell("\n".join([*errors, f"Learned from {rows}{'; the errors are of a sample' if errors else ''}."]))
    if options.model is not None:
        regressor.save(options.model)
    if options.report is not None:
        origin = command_origin(", ".join(options.data))
        regressor.report(prepared.inputs, prepared.target, options.report, origin=origin)
    tell("\n".join(_what_was_written(options, seconds)))
    if options.json:
        document = _document(options, sample, prepared, None, regressor, seconds)
        write_output(STDOUT, as_json(document | {"rows": scan.n_rows, "rows_used": known.n_rows}))


def _check(options: FitOptions) -> None:
    check_effort(options)
    if options.test_last is not None:
        if options.no_test:
            raise ValueError("--no-test and --test-last exclude each other; choose one")
        n_last_rows(options.test_last, 1)
    if options.time is not None:
        for other in ("group", "calibration"):
            if getattr(options, other) is not None:
                raise ValueError(f"--time and --{other} exclude each other; choose one")
    known, given = _estimator(options).parameter_names(), _given(options)
    for option, (parameter, lack) in _PARAMETERS.items():
        if option in given and parameter not in known:
            said = option.replace("_", "-")
            raise ValueError(f"--{said}: the algorithm {options.algorithm} {lack}; leave out the option")
    if options.calibration is not None and not 0.0 < options.calibration < 1.0:
        raise ValueError(f"--calibration must be a share between 0 and 1, such as 0.2; got {options.calibration:g}")
    if options.extrapolation not in EXTRAPOLATIONS:
        raise ValueError(f"--extrapolation must be {either(EXTRAPOLATIONS)}; got {options.extrapolation!r}")
    if options.link not in LINK_NAMES:
        raise ValueError(f"--link must be {either(LINK_NAMES)}; got {options.link!r}")
    bounds = _bounds(options)
    known_loss = next((name for name in LOSS_NAMES if name == options.loss), None)
    if known_loss is None:
        raise ValueError(f"--loss must be {either(LOSS_NAMES)}; got {options.loss!r}")
    loss_given(known_loss, options.quantile, options.power)
    with said_of("--bounds"):
        Output(options.link, bounds or PLAIN.bounds)
    for path in (options.model, options.report):
        check_destination(path, *options.data)
    if options.report is not None:
        if options.model is not None and (options.model == options.report or same_file(options.model, options.report)):
            raise ValueError("--model and --report name the same file; choose another name for one of them")
        require_jinja()


def _given(options: FitOptions) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    values = {one.name: getattr(options, one.name) for one in fields(options)}
    return {one.name: values[one.name] for one in fields(options) if values[one.name] not in (one.default, [])}


def _estimator(options: FitOptions) -> type[BaseRuleRegressor]:
    with said_of("--algorithm"):
        return find_estimator(options.algorithm)


def _target_of(table: GivenTable, options: FitOptions) -> str:
    target = options.target or table.output
    if target is None:
        names = list(table.frame.columns)
        last = next((name for name in reversed(names) if is_numeric_dtype(table.frame[name].dtype)), names[-1])
        raise ValueError(
            f"{table.name}: name the column to predict, for example --target {shlex.quote(str(last))}; "
            f"the columns are {quote_names(names)}"
        )
    return target


def _settings(options: FitOptions, prepared: PreparedTable) -> dict[str, Any]:
    """Return the parameters of the estimator that both fits share."""
    settings = {name: value for name, value in _given(options).items() if name in _AS_GIVEN}
    settings |= constraint_settings(options.increasing, options.decreasing, options.interactions, prepared)
    if options.bounds is not None:
        settings["bounds"] = _bounds(options)
    if prepared.categories and "categorical_features" in _estimator(options).parameter_names():
        # The kind of a column is determined from all rows, since a part of the table may look different.
        settings["categorical_features"] = prepared.categories
    return settings | {"n_jobs": options.jobs, "random_state": options.seed}


def _bounds(options: FitOptions) -> Bounds | None:
    """Parse the bounds of the target, such as "0,100" or "0,"."""
    if options.bounds is None:
        return None
    ends = [end.strip() for end in options.bounds.split(",")]
    try:
        low, high = (float(end) if end else None for end in ends)
    except ValueError:
        raise ValueError(
            "--bounds must be two numbers separated by a comma, of which one may be left out: 0,100 or 0, or ,100; "
            f"got {options.bounds!r}"
        ) from None
    return low, high


def _split(options: FitOptions, n_rows: int, folding: Folding) -> Split | None:
    """Split the rows into training and held-out rows; None without a test.

    Rules that are cross-validated have an error of their own, and need no test of others unless it was asked for.
    """
    if options.test_last is not None:
        return last_rows(n_rows, options.test_last, folding.numbers)
    measured = "cv" in _estimator(options).parameter_names() and options.loss == FitOptions.loss
    if options.no_test or n_rows < MIN_ROWS_FOR_TEST or measured:
        return None
    if options.time is not None:
        return last_rows(n_rows, _LAST, folding.numbers)
    return random_rows(n_rows, options.seed, folding.numbers)


def _tested(
    options: FitOptions,
    prepared: PreparedTable,
    settings: dict[str, Any],
    folding: Folding,
    split: Split,
    kept: BaseRuleRegressor,
    seconds: float,
) -> HeldOut | None:
    """Measure the error on held-out rows of a model of the same size, which was fitted to the others."""
    learned, held_out = ((prepared.inputs.iloc[rows], prepared.target.iloc[rows]) for rows in split)
    limit = None if options.time_limit is None else max(options.time_limit - seconds, options.time_limit / 2.0)
    settings = settings | {"time_limit": limit}
    rules, ended = _fitted(options, settings, learned, folding.take(split[0]), "testing (2 of 2)", "error")
    if ended:
        say("the test was interrupted; the rules are complete")
        return None
    return held_out_errors(rules.with_rules(max(kept.n_rules_, int(rules.pareto_["rules"].min()))), learned, held_out)


def _learned(
    options: FitOptions, prepared: PreparedTable, settings: dict[str, Any], folding: Folding, *, tested: bool
) -> BaseRuleRegressor:
    """Fit the model to all rows; `tested` is whether a test comes after it."""
    limit = options.time_limit
    if limit is not None and tested:
        limit /= 2.0
    title = "learning the rules (1 of 2)" if tested else "learning the rules"
    settings = settings | {"time_limit": limit}
    rules, ended = _fitted(options, settings, (prepared.inputs, prepared.target), folding, title, "rules")
    if ended:
        say(ended)
    elif rules.ended_early_ and limit is not None:
        say("the time limit ended the search; with more time the rules may be better")
    if rules.resumed_:
        say(f"resumed from evaluation {rules.resumed_:,} in {options.checkpoint}")
    return rules


def _fitted(
    options: FitOptions, settings: dict[str, Any], rows: Rows, folding: Folding, title: str, search: str
) -> tuple[BaseRuleRegressor, str]:
    """Return a fitted regressor, and the warning of the search if it was interrupted."""
    if options.checkpoint is not None:
        # The two fits have different rows, so each has a folder of its own.
        folder = options.checkpoint / search
        folder.mkdir(parents=True, exist_ok=True)
        settings = settings | {"checkpoint": folder}
    estimator = _estimator(options)(**settings, callbacks=ProgressBar(title=title))
    groups = None
    if "cv" in estimator.parameter_names():
        groups = folding.groups
        if folding.times is not None:
            estimator.set_params(cv=forward_folds(folding.times))
    elif options.calibration is not None:
        groups = folding.groups
    with recorded_warnings() as caught:
        rules = estimator.fit(*rows, groups=groups)
    for warning in caught:
        if isinstance(warning.message, FaultyValuesWarning) and search == "rules":
            # Rows without a target are not counted, so the numbers of the others may not be those of the file.
            say(warning.message.text(first_row=None))
    return rules, " ".join(str(warning.message) for warning in caught if warning.category is RuntimeWarning)


def _what_was_read(options: FitOptions, table: GivenTable, prepared: PreparedTable) -> list[str]:
    names = list(prepared.inputs.columns)
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return [
        f"{table.name}: {counted(prepared.n_rows, 'row')}, {counted(table.frame.shape[1], 'column')}",
        f"predicting {prepared.target.name} from {counted(len(names), 'input')}: {shown}",
        *(f"  read      {note}" for note in table.notes(without=options.drop)),
        *(f"  {note}" for note in prepared.notes()),
    ]


def _errors(
    options: FitOptions, prepared: PreparedTable, tested: HeldOut | None, regressor: BaseRuleRegressor
) -> list[str]:
    rules, n_rows = regressor.rule_base_, len(prepared.inputs)
    above = "rule above" if rules.n_rules == 1 else f"{rules.n_rules} rules above"
    learned = f"The {above} {'was' if rules.n_rules == 1 else 'were'} learned from all {counted(n_rows, 'row')}"
    lines = [] if options.no_test else _validated_lines(prepared, regressor)
    if tested is not None:
        lines.append(tested.title(in_order=options.test_last is not None or options.time is not None))
        lines += error_table(tested.by_name(), rules.target_unit if tested.has_unit else "")
        lines.append(f"{learned}, also from those of the test.")
    few = f"; {n_rows} are too few to hold some out for a test" if n_rows < MIN_ROWS_FOR_TEST else ""
    return lines or [f"{learned}{'' if options.no_test else few}."]


def _validated_lines(prepared: PreparedTable, regressor: BaseRuleRegressor) -> list[str]:
    """Return the errors of the rules and of simpler models in cross-validation as a table, if there are any."""
    rules, errors = regressor.rule_base_, _validated(prepared, regressor)
    if errors is None:
        return []
    above = "rule above" if rules.n_rules == 1 else f"{rules.n_rules} rules above"
    title = f"Root mean squared error of the {above} on {rules.background.held_out}, by cross-validation"
    return [title, *error_table(by_name(counted(rules.n_rules, "rule"), *errors), rules.target_unit)]


def _validated(prepared: PreparedTable, regressor: BaseRuleRegressor) -> tuple[float, float | None, float] | None:
    """Return the errors in cross-validation of the rules, of linear regression and of the mean."""
    cv_rmse, baselines = regressor.rule_base_.background.cv_rmse, regressor.baselines_
    if baselines is None or not math.isfinite(cv_rmse) or len(prepared.inputs) < MIN_ROWS_FOR_TEST:
        return None
    return cv_rmse, baselines.linear_regression, baselines.mean


def _verdict(prepared: PreparedTable, tested: HeldOut | None, regressor: BaseRuleRegressor) -> list[str]:
    """Return a line that says that the rules are no better than a simpler model, and why, if that is so."""
    errors = _validated(prepared, regressor)
    rows = regressor.rule_base_.background.held_out
    if errors is None and tested is not None:
        errors = tested.rules, tested.linear, tested.mean
    said = "" if errors is None else verdict(*errors)
    if not said:
        return []
    n_rows, n_inputs = prepared.inputs.shape
    reasons = {
        "the search was ended early": regressor.ended_early_,
        f"{counted(n_rows, 'row')} {'are' if n_rows > 1 else 'is'} few for {counted(n_inputs, 'input')}": (
            n_rows < _FEW_ROWS * n_inputs
        ),
        "later rows are unlike those before": rows == LATER,
        "groups differ in what the inputs do not say": rows.startswith("held-out groups"),
        f"the inputs say little about {prepared.target.name}": "always" in said,
    }
    why = next((f": {reason}" for reason, holds in reasons.items() if holds), "")
    return [f"Note: on {rows} these rules are {said}{why}.\n"]


def _time_hint(options: FitOptions, prepared: PreparedTable, regressor: BaseRuleRegressor) -> list[str]:
    """Return a hint if the errors of rows that follow each other in time are alike, and nobody said so."""
    dates = [name for name, kind in prepared.kinds.items() if kind == "date"]
    if options.group is not None or options.time is not None or not dates:
        return []
    with recorded_warnings():
        errors = prepared.target.to_numpy() - regressor.predict(prepared.inputs)
    for name in dates:
        ordered = errors[np.argsort(DateFormat.of(prepared.inputs[name]).seconds(prepared.inputs[name]), kind="stable")]
        alike = float(np.corrcoef(ordered[:-1], ordered[1:])[0, 1])
        if alike > max(_ALIKE, _SURE / math.sqrt(len(ordered))):
            return [
                f"hint: rows near in {name} have like errors; --time {shlex.quote(name)} measures them on later rows"
            ]
    return []


def _what_was_written(options: FitOptions, seconds: float) -> list[str]:
    lines = [f"Learned in {seconds:.1f} s."]
    if options.model is None:
        lines.append("To save the rules and predict with them, add --model m.json")
    else:
        lines.append(
            f"Model written to {options.model}; use it: fruler predict {shlex.quote(str(options.model))} NEW.csv"
        )
    if options.report is not None:
        lines.append(f"Report written to {options.report}")
    return lines


def _document(
    options: FitOptions,
    table: GivenTable,
    prepared: PreparedTable,
    tested: HeldOut | None,
    regressor: BaseRuleRegressor,
    seconds: float,
) -> dict[str, Any]:
    errors = None
    if tested is not None:
        errors = {
            "learned_from": tested.n_learned,
            "rows": tested.n_tested,
            "chosen": "random" if options.test_last is None and options.time is None else "last",
            "n_rules": tested.n_rules,
            tested.key: tested.for_json(),
        }
    front = pd.DataFrame(regressor.pareto_)
    cv_error = regressor.rule_base_.background.cv_rmse
    cross_validation = None
    if math.isfinite(cv_error):
        simpler = {} if regressor.baselines_ is None else regressor.baselines_._asdict()
        rows = regressor.rule_base_.background.held_out
        cross_validation = {"n_rules": regressor.n_rules_, "rmse": cv_error, **simpler, "rows": rows}
    return {
        "data": table.name,
        "recognised": table.notes(without=options.drop),
        "rows": prepared.n_rows,
        "rows_used": len(prepared.inputs),
        "rows_missing": prepared.missing,
        "columns": [{"name": name, "kind": kind} for name, kind in prepared.kinds.items()],
        "columns_left_out": prepared.left_out,
        "target": str(prepared.target.name),
        "algorithm": options.algorithm,
        "seed": options.seed,
        "seconds": seconds,
        "held_out": errors,
        "cross_validation": cross_validation,
        "front": front.astype(object).where(front.notna(), None).to_dict("records"),
        "model": None if options.model is None else str(options.model),
        "report": None if options.report is None else str(options.report),
        "rule_base": rule_base_to_json(regressor.rule_base_),
    }
