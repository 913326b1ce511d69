"""``fruler report``: a page about a model, and refits of the model for its stability."""

from __future__ import annotations

import hashlib
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from fruler._arrays import Floats
from fruler._cli.failures import recorded_warnings, say, without_warnings
from fruler._cli.input import STDIN, GivenTable, load_shown_model
from fruler._cli.options import ReportOptions, check_effort
from fruler._cli.output import check_destination, show
from fruler._cli.predict import rows_for, rows_with_target
from fruler._cli.preparation import bounded_numbers
from fruler._wording import counted, install_advice, quote_names
from fruler.callbacks import ProgressBar
from fruler.estimators.base import BaseRuleRegressor
from fruler.explain.report import Origin
from fruler.explain.stability import Stability
from fruler.rules._rule_base import RuleBase


def write_page(options: ReportOptions) -> None:
    """Run ``fruler report``."""
    _check_refits(options)
    check_destination(options.output, options.model, options.data)
    require_jinja()
    model = load_shown_model(options.model)
    _check_refitted(options, model)
    X = y = stability = None
    if options.data is not None:
        rows = rows_for(model, options.data, options.reading)
        needed = "which the report compares predictions with; add it, or leave out DATA"
        X, y, answers = rows_with_target(rows, needed, "not in the report")
        # Errors are shown by the other columns of the table, too.
        X = X.join(rows.table.frame.drop(columns=[*X.columns, rows.rule_base.target_name], errors="ignore"))
        stability = _refitted(options, model, rows.table, answers)
    with without_warnings():
        origin = command_origin(options.data, options.model)
        model.report(X, y, options.output, title=options.title, origin=origin, stability=stability)
    if stability is not None:
        show(f"{stability}\n")
    show(f"Report written to {options.output}")


def require_jinja() -> None:
    """Raise an error if Jinja2 is not installed, before any work is done."""
    if find_spec("jinja2") is None:
        raise ValueError(f"a report needs Jinja2; {install_advice('report')}")


def command_origin(data: str | None, model: Path | None = None) -> Origin:
    """Return the origin of a report: data, model and command.

    Parameters
    ----------
    data : str or None
        The file of the data, or ``-``.
    model : Path, optional
        The file of the model.
    """
    return Origin(
        data="" if data is None else _file_text(data),
        model="" if model is None else _file_text(str(model)),
        command=shlex.join(["fruler", *sys.argv[1:]]),
    )


def _file_text(path: str) -> str:
    """Return the name of a file with its checksum, to identify the file."""
    if path == STDIN:
        return "standard input"
    try:
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return Path(path).name
    return f"{Path(path).name} (SHA-256 {digest})"


def _check_refits(options: ReportOptions) -> None:
    """Raise an error if options do not go together."""
    if options.stability is None:
        if options.jobs != 1 or options.time_limit is not None:
            raise ValueError(f"--{'jobs' if options.jobs != 1 else 'time-limit'} is for --stability; add --stability N")
        return
    if options.data is None:
        raise ValueError("--stability fits the model again; give its training table as DATA")
    check_effort(options)


def _check_refitted(options: ReportOptions, model: BaseRuleRegressor) -> None:
    """Raise an error if the model cannot be fitted again."""
    if options.stability is not None and not model.was_learned:
        raise ValueError(
            f"--stability: {options.model.name} has rules, but no settings of a fit; use a model file of fruler fit"
        )


def _refitted(options: ReportOptions, model: BaseRuleRegressor, table: GivenTable, answers: Floats) -> Stability | None:
    """Return the stability of a model, or None without the option.

    Parameters
    ----------
    options : ReportOptions
        The number of refits, the number of threads and the time limit.
    model : BaseRuleRegressor
        The model.
    table : GivenTable
        Its training table.
    answers : ndarray of shape (n_rows,)
        The target of each row, with NaN for missing values.
    """
    if options.stability is None:
        return None
    known = np.isfinite(answers)
    _compare_rows(model.rule_base_, table, int(known.sum()))
    X = _training_columns(model.rule_base_, table).loc[known]
    y = pd.Series(answers[known], name=model.rule_base_.target_name)
    progress = ProgressBar(title="learning again")
    with recorded_warnings() as caught:
        found = model.stability(
            X, y, options.stability, n_jobs=options.jobs, time_limit=options.time_limit, callbacks=progress
        )
    for warning in caught:
        say(str(warning.message))
    return found


def _compare_rows(rule_base: RuleBase, table: GivenTable, n_rows: int) -> None:
    """Report a table that has another number of rows than the rules were learned from."""
    background = rule_base.background
    if background.known and background.n_rows != n_rows:
        rows = counted(n_rows, "row")
        say(
            f"{table.name} has {rows} with a value of {rule_base.target_name}, but the model was learned from "
            f"{background.n_rows:,}; stability is measured on the rows of this table"
        )


def _training_columns(rule_base: RuleBase, table: GivenTable) -> pd.DataFrame:
    """Return the columns that the rules were learned from, with numbers converted as for a fit."""
    absent = [name for name in rule_base.columns if name not in table.frame.columns]
    if absent:
        raise ValueError(
            f"{table.name} lacks training columns of the model, which --stability needs: {quote_names(absent)}"
        )
    numbers = {variable.column for variable in rule_base.variables if variable.is_number}
    frame = table.frame[list(rule_base.columns)]
    table.refuse_doubts([name for name in frame.columns if name in numbers])
    return frame.assign(**{name: bounded_numbers(frame[name]) for name in frame.columns if name in numbers})
