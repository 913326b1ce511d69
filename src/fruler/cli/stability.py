"""``fruler report --stability``: a model learned again from parts of its table."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler._wording import counted, quote_names
from fruler.cli.failures import say
from fruler.cli.input import Table
from fruler.cli.progress import ProgressLine
from fruler.estimators.saved_model import regressor_of
from fruler.explain.stability.stability import Stability
from fruler.model_file.file import Model
from fruler.rules.rule_base import RuleBase
from fruler.table.preparation import bounded_numbers


@dataclass(frozen=True)
class RefitOptions:
    """What the user asks for; the command's help explains each.

    Attributes
    ----------
    n : int or None
        How many refits; None: the model is not learned again.
    jobs : int
        How many at a time.
    time_limit : float or None
        How many seconds they may take.
    """

    n: int | None = None
    jobs: int = 1
    time_limit: float | None = None

    def check(self, data: str | None) -> None:
        """Refuse what does not fit together."""
        if self.n is None:
            if self.jobs != 1 or self.time_limit is not None:
                raise ValueError(f"--{'jobs' if self.jobs != 1 else 'time-limit'} is for --stability; add that")
            return
        if data is None:
            raise ValueError("--stability learns the model again; name the table that it was learned from as DATA")
        if self.jobs < 1 and self.jobs != -1:
            raise ValueError(f"--jobs must be at least 1, or -1 for all processors; got {self.jobs}")
        if self.time_limit is not None and not 0.0 < self.time_limit < math.inf:
            raise ValueError(f"--time-limit must be a number of seconds above 0; got {self.time_limit:g}")

    def check_model(self, model: Model, path: Path) -> None:
        """Refuse a model that cannot be learned again."""
        if self.n is not None and model.learning is None:
            raise ValueError(
                f"--stability: {path.name} has rules, but not how they were learned; use a model file of fruler fit"
            )

    def stability(self, model: Model, table: Table, answers: Floats) -> Stability | None:
        """Learn the model again, if that is asked for.

        Parameters
        ----------
        model : Model
            The model.
        table : Table
            The table that it was learned from.
        answers : ndarray of shape (n_rows,)
            The target in each row, NaN where it is missing.
        """
        if self.n is None:
            return None
        known = np.isfinite(answers)
        _compare_rows(model.rule_base, table, int(known.sum()))
        X = _training_columns(model.rule_base, table).loc[known]
        y = pd.Series(answers[known], name=model.rule_base.target_name)
        with warnings.catch_warnings(record=True) as caught, ProgressLine("learning again") as progress:
            warnings.simplefilter("always", RuntimeWarning)
            warnings.simplefilter("ignore", UserWarning)
            found = regressor_of(model).stability(
                X, y, self.n, n_jobs=self.jobs, time_limit=self.time_limit, callbacks=[progress]
            )
        for warning in caught:
            say(str(warning.message))
        return found


def _compare_rows(rule_base: RuleBase, table: Table, n_rows: int) -> None:
    """Say so where a table is not the one that rules were learned from."""
    training = rule_base.training
    if training is not None and training.n_rows != n_rows:
        rows = counted(n_rows, "row")
        say(
            f"{table.name} has {rows} with a value of {rule_base.target_name}, and the model was learned from "
            f"{training.n_rows:,}: stability is that of learning from these rows"
        )


def _training_columns(rule_base: RuleBase, table: Table) -> pd.DataFrame:
    """Return the columns that rules were learned from, with numbers as a table to be learned from has them."""
    absent = [name for name in rule_base.columns if name not in table.frame.columns]
    if absent:
        raise ValueError(
            f"{table.name} has no column {quote_names(absent)}, which the model was learned from; --stability needs all"
        )
    numbers = {variable.column for variable in rule_base.variables if variable.is_number}
    frame = table.frame[list(rule_base.columns)]
    table.refuse_doubts([name for name in frame.columns if name in numbers])
    return frame.assign(**{name: bounded_numbers(frame[name]) for name in frame.columns if name in numbers})
