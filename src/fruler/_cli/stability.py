"""``fruler report --stability``: refits of a model on samples of its table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fruler._arrays import Floats
from fruler._cli.failures import recorded_warnings, say
from fruler._cli.input import GivenTable
from fruler._cli.options import ReportOptions, check_effort
from fruler._cli.preparation import bounded_numbers
from fruler._wording import counted, quote_names
from fruler.callbacks import ProgressBar
from fruler.estimators.base import BaseRuleRegressor
from fruler.explain.stability import Stability
from fruler.rules._rule_base import RuleBase


def check_refits(options: ReportOptions) -> None:
    """Raise an error if options do not go together."""
    if options.stability is None:
        if options.jobs != 1 or options.time_limit is not None:
            raise ValueError(f"--{'jobs' if options.jobs != 1 else 'time-limit'} is for --stability; add --stability N")
        return
    if options.data is None:
        raise ValueError("--stability fits the model again; give its training table as DATA")
    check_effort(options)


def check_refitted(options: ReportOptions, model: BaseRuleRegressor) -> None:
    """Raise an error if the model cannot be fitted again."""
    if options.stability is not None and not model.was_learned:
        raise ValueError(
            f"--stability: {options.model.name} has rules, but no settings of a fit; use a model file of fruler fit"
        )


def refitted(options: ReportOptions, model: BaseRuleRegressor, table: GivenTable, answers: Floats) -> Stability | None:
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
