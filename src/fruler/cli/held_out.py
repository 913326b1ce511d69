"""The error on rows that took no part in the learning, with that of simpler methods beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from fruler.regressor import FRULERRegressor
from fruler.scaling import Floats


@dataclass(frozen=True)
class HeldOut:
    """Root mean squared errors on rows that were held out.

    Attributes
    ----------
    n_learned, n_tested : int
        How many rows were learned from, and how many were held out.
    n_rules : int
        The size of the model.
    rules, linear, mean : float
        The errors of the rules, of linear regression, and of always answering the mean.
    """

    n_learned: int
    n_tested: int
    n_rules: int
    rules: float
    linear: float
    mean: float

    def by_name(self) -> dict[str, float]:
        """Return the errors with the names that the user reads."""
        rules = f"{self.n_rules} rule{'' if self.n_rules == 1 else 's'}"
        return {rules: self.rules, "linear regression": self.linear, "always the mean": self.mean}


def held_out_errors(
    model: FRULERRegressor, learned: tuple[pd.DataFrame, pd.Series], held_out: tuple[pd.DataFrame, pd.Series]
) -> HeldOut:
    """Measure a model that was fitted on some rows on others, and fit the simpler methods on the same rows."""
    X, y = learned
    new_rows, answers = held_out[0], held_out[1].to_numpy()

    def error(predictions: Floats) -> float:
        return float(np.sqrt(np.square(predictions - answers).mean()))

    return HeldOut(
        n_learned=len(X),
        n_tested=len(new_rows),
        n_rules=model.n_rules_,
        rules=error(model.predict(new_rows)),
        linear=error(LinearRegression().fit(X, y).predict(new_rows)),
        mean=error(np.full(len(new_rows), y.mean())),
    )
