"""``fruler fit``: from a table to rules, their error, a model file and a report."""

from __future__ import annotations

import math
import shlex
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from fruler._wording import counted, either, number_within, quote_names
from fruler.cli.constraints import constraint_settings
from fruler.cli.failures import say
from fruler.cli.holdout import (
    MIN_ROWS_FOR_TEST,
    HeldOut,
    LastRows,
    Split,
    error_table,
    held_out_errors,
    last_rows,
    random_rows,
)
from fruler.cli.input import STDIN, Table, read_frame, same_file
from fruler.cli.names import parse_labels, parse_units, with_names
from fruler.cli.origin import command_origin
from fruler.cli.output import STDOUT, as_json, check_destination, require_jinja, show, write_output
from fruler.cli.progress import ProgressLine
from fruler.data.options import ReadOptions
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import DEFAULT, find_estimator
from fruler.estimators.saved_model import save_regressor
from fruler.rules.json.rule_base import rule_base_to_json
from fruler.rules.links import LINK_NAMES
from fruler.rules.output import PLAIN, Bounds, Output
from fruler.rules.row_reading import EXTRAPOLATIONS
from fruler.rules.rule_base import RuleBase
from fruler.table.input_constraints import INTERACTIONS, MONOTONIC
from fruler.table.preparation import PreparedTable, prepare_table

# What is done outside the training data unless the user says otherwise.
_AS_EVER = "linear"
# Options that say what is known of columns, and the parameters that they become.
_CONSTRAINTS = {"increasing": MONOTONIC, "decreasing": MONOTONIC, "interactions": INTERACTIONS}
# Errors are rounded to this share of the target's spread.
_SHARE_OF_ERROR = 0.002


@dataclass(frozen=True)
class FitOptions:
    """What the user asks for; the command's help explains each."""

    data: str
    reading: ReadOptions = field(default_factory=ReadOptions)
    target: str | None = None
    model: Path | None = None
    report: Path | None = None
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    increasing: tuple[str, ...] = ()
    decreasing: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()
    max_rules: int | None = None
    time_limit: float | None = None
    seed: int = 0
    jobs: int = 1
    calibration: float | None = None
    extrapolation: str = _AS_EVER
    link: str = PLAIN.link
    bounds: str | None = None
    algorithm: str = DEFAULT
    checkpoint: Path | None = None
    test: bool = True
    test_last: str | None = None
    json: bool = False


def learn_rules(options: FitOptions) -> None:
    """Do what ``fruler fit`` does."""
    _check(options)
    table = read_frame(options.data, options.reading, options.target)
    target = _target_of(table, options)
    table.refuse_doubts([target])
    prepared = _with_name(
        table.name, prepare_table, table.frame, target, drop=options.drop, categories=options.categories
    )
    names = [*prepared.inputs.columns, str(prepared.target.name)]
    units, labels = parse_units(options.units, names), parse_labels(options.labels, names)
    _constraints(options, prepared)

    def tell(text: str) -> None:
        # With --json standard output holds the document and nothing else.
        show(text, err=options.json)

    split = _split(options, len(prepared.inputs))
    tell("\n".join(_what_was_read(options, table, prepared)))
    start = time.monotonic()
    tested = None if split is None else _tested(options, prepared, split)
    regressor = _learned(options, prepared, time.monotonic() - start, tested=tested is not None)
    seconds = time.monotonic() - start
    regressor = with_names(regressor, units, labels)
    if not options.json:
        tell(f"\n{regressor.rule_base_}\n")
    tell("\n".join(_errors(options, prepared, tested, regressor)))
    if options.model is not None:
        save_regressor(options.model, regressor)
    if options.report is not None:
        regressor.report(prepared.inputs, prepared.target, options.report, origin=command_origin(options.data))
    tell("\n".join(_what_was_written(options, seconds)))
    if options.json:
        write_output(STDOUT, as_json(_document(options, table, prepared, tested, regressor, seconds)))


def _check(options: FitOptions) -> None:
    if options.time_limit is not None and not 0.0 < options.time_limit < math.inf:
        raise ValueError(f"--time-limit must be a number of seconds above 0; got {options.time_limit:g}")
    if options.jobs < 1 and options.jobs != -1:
        raise ValueError(f"--jobs must be at least 1, or -1 for all processors; got {options.jobs}")
    if options.test_last is not None:
        if not options.test:
            raise ValueError("--no-test and --test-last exclude each other; choose one")
        LastRows.parse(options.test_last)
    estimator = _estimator(options)
    if options.max_rules is not None and "max_rules" not in estimator._get_param_names():
        raise ValueError(f"--max-rules: the algorithm {options.algorithm} has no such limit; leave the option out")
    if options.categories and "categorical_features" not in estimator._get_param_names():
        raise ValueError(f"--category: the algorithm {options.algorithm} takes no such names; leave the option out")
    if options.calibration is not None and not 0.0 < options.calibration < 1.0:
        raise ValueError(f"--calibration must be a share between 0 and 1, as in 0.2; got {options.calibration:g}")
    if options.extrapolation not in EXTRAPOLATIONS:
        raise ValueError(f"--extrapolation must be {either(EXTRAPOLATIONS)}; got {options.extrapolation!r}")
    for option, parameter in _CONSTRAINTS.items():
        if getattr(options, option) and parameter not in estimator._get_param_names():
            raise ValueError(
                f"--{option}: the algorithm {options.algorithm} takes no constraints; leave the option out"
            )
    if options.link not in LINK_NAMES:
        raise ValueError(f"--link must be {either(LINK_NAMES)}; got {options.link!r}")
    try:
        Output(options.link, _bounds(options) or PLAIN.bounds)
    except ValueError as error:
        raise ValueError(f"--bounds: {error}") from None
    for name in _asked(options):
        if name not in estimator._get_param_names():
            raise ValueError(f"--{name}: the algorithm {options.algorithm} has no such choice; leave the option out")
    sources = [] if options.data == STDIN else [options.data]
    for path in (options.model, options.report):
        if path is not None:
            check_destination(path, sources)
    if options.report is not None:
        if options.model is not None and (options.model == options.report or same_file(options.model, options.report)):
            raise ValueError("--model and --report name the same file; choose another name for one of them")
        require_jinja()


def _estimator(options: FitOptions) -> type[BaseRuleRegressor]:
    try:
        return find_estimator(options.algorithm)
    except ValueError as error:
        raise ValueError(f"--algorithm: {error}") from None


def _with_name(name: str, function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function whose errors do not say which file they are about."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _target_of(table: Table, options: FitOptions) -> str:
    target = options.target or table.output
    if target is None:
        names = list(table.frame.columns)
        raise ValueError(
            f"{table.name}: say which column to predict, perhaps --target {shlex.quote(str(names[-1]))}; "
            f"the columns are {quote_names(names)}"
        )
    return target


def _settings(
    options: FitOptions, prepared: PreparedTable, time_limit: float | None, progress: ProgressLine, search: str
) -> dict[str, Any]:
    settings: dict[str, Any] = {} if options.max_rules is None else {"max_rules": options.max_rules}
    settings |= _asked(options) | _constraints(options, prepared)
    if prepared.categories and "categorical_features" in _estimator(options)._get_param_names():
        # A part of the table may look different: what a column is, all rows decide.
        settings["categorical_features"] = prepared.categories
    if options.checkpoint is not None:
        # The two searches see different rows: each has a folder of its own.
        folder = options.checkpoint / search
        folder.mkdir(parents=True, exist_ok=True)
        settings["checkpoint"] = folder
    return settings | {
        "time_limit": time_limit,
        "n_jobs": options.jobs,
        "random_state": options.seed,
        "callbacks": [progress],
    }


def _asked(options: FitOptions) -> dict[str, Any]:
    """Return what the user asks for of intervals, extrapolation and the output."""
    asked: dict[str, Any] = {} if options.calibration is None else {"calibration": options.calibration}
    asked |= {} if options.extrapolation == _AS_EVER else {"extrapolation": options.extrapolation}
    asked |= {} if options.link == PLAIN.link else {"link": options.link}
    bounds = _bounds(options)
    return asked | ({} if bounds is None else {"bounds": bounds})


def _bounds(options: FitOptions) -> Bounds | None:
    """Return the bounds of the target that the user gives, as in "0,100" or "0,"."""
    if options.bounds is None:
        return None
    ends = [end.strip() for end in options.bounds.split(",")]
    try:
        low, high = (float(end) if end else None for end in ends)
    except ValueError:
        raise ValueError(
            "--bounds must be two numbers with a comma between them, or just one of them, as in 0,100 or 0, or ,100; "
            f"got {options.bounds!r}"
        ) from None
    return low, high


def _constraints(options: FitOptions, prepared: PreparedTable) -> dict[str, Any]:
    """Return what the user knows of columns, as settings of the estimator."""
    return constraint_settings(options.increasing, options.decreasing, options.interactions, prepared)


def _split(options: FitOptions, n_rows: int) -> Split | None:
    """Choose the rows to measure the error on, if there are enough and it is asked for."""
    if options.test_last is not None:
        return last_rows(n_rows, LastRows.parse(options.test_last))
    return random_rows(n_rows, options.seed) if options.test and n_rows >= MIN_ROWS_FOR_TEST else None


def _tested(options: FitOptions, prepared: PreparedTable, split: Split) -> HeldOut:
    """Measure the error on rows that are held out; the model of the others is not kept."""
    train, test = split.train, split.test
    X, y = prepared.inputs.iloc[train], prepared.target.iloc[train]
    limit = None if options.time_limit is None else options.time_limit / 2.0
    with ProgressLine("measuring the error (1 of 2)") as progress:
        rules, ended = _fitted(options, _settings(options, prepared, limit, progress, "error"), X, y)
    if ended:
        # What was measured would be the error of other rules than those that are kept.
        raise KeyboardInterrupt
    return held_out_errors(
        rules, (X, y), (prepared.inputs.iloc[test], prepared.target.iloc[test]), in_order=split.in_order
    )


def _learned(options: FitOptions, prepared: PreparedTable, seconds: float, *, tested: bool) -> BaseRuleRegressor:
    """Learn from all rows, in the time that is left; `tested` says that others were learned before."""
    limit = options.time_limit
    if limit is not None:
        limit = max(limit - seconds, limit / 2.0)
    with ProgressLine("learning the rules (2 of 2)" if tested else "learning the rules") as progress:
        settings = _settings(options, prepared, limit, progress, "rules")
        rules, ended = _fitted(options, settings, prepared.inputs, prepared.target)
    if ended:
        say(ended)
    elif rules.ended_early_ and limit is not None:
        say("the time limit ended the search; with more time the rules may be better")
    if rules.resumed_:
        say(f"resumed from evaluation {rules.resumed_:,} in {options.checkpoint}")
    return rules


def _fitted(
    options: FitOptions, settings: dict[str, Any], X: pd.DataFrame, y: pd.Series[float]
) -> tuple[BaseRuleRegressor, str]:
    """Return a fitted regressor, and what the search said of its end if that was before its time."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        # Of categories that are alike a note has told already.
        warnings.simplefilter("ignore", UserWarning)
        rules = _estimator(options)(**settings).fit(X, y)
    return rules, " ".join(str(warning.message) for warning in caught if warning.category is RuntimeWarning)


def _what_was_read(options: FitOptions, table: Table, prepared: PreparedTable) -> list[str]:
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
    if tested is None:
        n_rows = len(prepared.inputs)
        why = "" if not options.test else f"; {n_rows} are too few to hold some out and measure the error"
        rules = "This rule was" if regressor.n_rules_ == 1 else "These rules were"
        return [f"{rules} learned from all {counted(n_rows, 'row')}{why}."]
    return [
        tested.title(),
        *error_table(tested.by_name(), regressor.rule_base_.target_unit),
        *_of_the_rules_above(tested, regressor.rule_base_),
    ]


def _of_the_rules_above(tested: HeldOut, rules: RuleBase) -> list[str]:
    """Say how the error of the rules that are printed and saved differs from that of the test."""
    training = rules.training
    above = "rule above was" if rules.n_rules == 1 else f"{rules.n_rules} rules above were"
    learned = (
        f"These models are not kept: the {above} learned from all {counted(tested.n_learned + tested.n_tested, 'row')}"
    )
    if training is None or not math.isfinite(training.cv_rmse):
        return [f"{learned}. Expect about this error on new ones."]
    error = f"{number_within(training.cv_rmse, _SHARE_OF_ERROR * training.target_spread)} {rules.target_unit}".rstrip()
    whose = "Its" if rules.n_rules == 1 else "Their"
    lines = [f"{learned}.", f"{whose} typical error, {error}, comes from cross-validation."]
    if tested.in_order:
        lines.append("Cross-validation holds out random rows: if later rows are to be predicted, trust the test.")
    return lines


def _what_was_written(options: FitOptions, seconds: float) -> list[str]:
    lines = [f"Learned in {seconds:.1f} s."]
    if options.model is None:
        lines.append("To keep the rules and predict with them, repeat this with --model m.json")
    else:
        lines.append(
            f"Model written to {options.model}; use it: fruler predict {shlex.quote(str(options.model))} NEW.csv"
        )
    if options.report is not None:
        lines.append(f"Report written to {options.report}")
    return lines


def _cross_validation(rules: RuleBase) -> dict[str, Any] | None:
    """Return the error of the rules that are kept, where the algorithm cross-validates."""
    if rules.training is None or not math.isfinite(rules.training.cv_rmse):
        return None
    return {"n_rules": rules.n_rules, "rmse": rules.training.cv_rmse}


def _document(
    options: FitOptions,
    table: Table,
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
            "chosen": "last" if tested.in_order else "random",
            "n_rules": tested.n_rules,
            "rmse": {"rules": tested.rules, "linear_regression": tested.linear, "mean": tested.mean},
        }
    front = pd.DataFrame(regressor.pareto_)
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
        "cross_validation": _cross_validation(regressor.rule_base_),
        "front": front.astype(object).where(front.notna(), None).to_dict("records"),
        "model": None if options.model is None else str(options.model),
        "report": None if options.report is None else str(options.report),
        "rule_base": rule_base_to_json(regressor.rule_base_),
    }
