"""The models of other sizes as a table, `pareto_`: of a search that has ended, and of a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fruler.learning.learned import FrontPoint
from fruler.model_file.learning_json import FRONT_COUNTS, FRONT_FIGURES, FRONT_OPTIONAL, Learning

# What a model file holds of each model; the other columns follow from it.
_WRITTEN = (*FRONT_COUNTS, *FRONT_FIGURES, *FRONT_OPTIONAL)
_COLUMNS = ("rules", "curves", "coefficients", "criterion", "error", "cv_error", "rmse", "cv_rmse", "truth")


def front_table(front: Sequence[FrontPoint]) -> pd.DataFrame:
    """Return `pareto_` of what a search has found."""
    return _table(
        [
            {
                "rules": point.rule_base.n_rules,
                "curves": point.rule_base.n_curves,
                "coefficients": point.rule_base.n_coefficients,
                "criterion": point.criterion,
                "error": point.error,
                "cv_error": point.cv_error,
                "truth": np.nan if point.truth is None else point.truth.ratio,
            }
            for point in front
        ]
    )


def front_of(learning: Learning) -> pd.DataFrame:
    """Return what was `pareto_` of the estimator that was saved."""
    return _table(learning.front)


def written_front(pareto: pd.DataFrame) -> tuple[dict[str, float], ...]:
    """Return what a model file holds of `pareto_`."""
    records = pareto[list(_WRITTEN)].to_dict("records")
    return tuple({str(name): value for name, value in point.items()} for point in records)


def _table(points: Sequence[Mapping[str, float]]) -> pd.DataFrame:
    columns = {name: np.array([point.get(name, np.nan) for point in points], dtype=np.float64) for name in _WRITTEN}
    # Half the mean squared error is what the paper prints; people compare errors in the target's own unit.
    for half, root in (("error", "rmse"), ("cv_error", "cv_rmse")):
        # A file can say anything: the double of a large number may overflow, and a negative one has no root.
        columns[root] = np.sqrt(2.0) * np.sqrt(np.where(columns[half] >= 0.0, columns[half], np.nan))
    # Files of the time before curves were counted leave them unknown, and of these there is no whole number.
    counts = [name for name in (*FRONT_COUNTS, "curves") if np.isfinite(columns[name]).all()]
    return pd.DataFrame(columns, columns=list(_COLUMNS)).astype(dict.fromkeys(counts, np.int64))
