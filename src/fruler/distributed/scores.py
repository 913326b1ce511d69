"""Predictions, and how good they are, partition by partition."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler.distributed.source import partitions_of
from fruler.estimators.base import BaseRuleRegressor


def predict_block(X: Any, model: BaseRuleRegressor) -> Floats:
    """Predict a block of an array; one without rows, too."""
    return model.predict(X) if len(X) else np.empty(0)


def predict_frame(X: pd.DataFrame, model: BaseRuleRegressor) -> pd.Series:
    """Predict a partition of a data frame."""
    return pd.Series(predict_block(X, model), index=X.index, name=model.rule_base_.target_name)


def r2_of(model: BaseRuleRegressor, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return R² of the predictions of Dask collections, which stay where they are."""
    tables = [X, y] if sample_weight is None else [X, y, sample_weight]
    parts = zip(*(partitions_of(table) for table in tables), strict=True)
    sums = dask.delayed(score_part, pure=False)
    found = dask.compute(*(sums(model, *part) for part in parts))
    error, total, deviation, square = np.sum(found, axis=0)
    spread = square - deviation * deviation / total
    return float(1.0 - error / spread) if spread > 0.0 else float(error == 0.0)


def score_part(model: BaseRuleRegressor, X: Any, y: Any, weight: Any = None) -> Floats:
    """Return sums over a partition: squared errors, weights, and deviations from a fixed value and their squares."""
    if len(X) == 0:
        return np.zeros(4)
    truth = np.asarray(y, dtype=np.float64).reshape(-1)
    weights = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=np.float64).reshape(-1)
    training = model.rule_base_.training
    # Any value would do; from one in their midst the squares lose no digits.
    deviation = truth - (0.0 if training is None else training.target_mean)
    error = truth - model.predict(X)
    return np.array([weights @ (error * error), weights.sum(), weights @ deviation, weights @ (deviation * deviation)])
