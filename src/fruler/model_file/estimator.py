"""A fitted `FRULERRegressor` as a model file, and back."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fruler.data.encoding import TableEncoding
from fruler.model_file.checked import Checked
from fruler.model_file.file import Model, read_model, write_model
from fruler.regressor import FRULERRegressor

# Parameters that say nothing about the model, or nothing that a file could hold.
_NOT_WRITTEN = ("callbacks", "checkpoint", "verbose", "warm_start")


def save_regressor(
    path: str | os.PathLike[str], regressor: FRULERRegressor, encoding: TableEncoding | None = None
) -> None:
    """Write a fitted regressor to a file, with the way from a table's columns to its inputs."""
    write_model(path, Model(regressor.rule_base_, encoding, _learning(regressor)))


def load_model(path: str | os.PathLike[str]) -> FRULERRegressor:
    """Read a model that `FRULERRegressor.save` or ``fruler fit`` has written.

    Nothing in the file is executed. The other models of the front are not in it, only their figures.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    FRULERRegressor
        Fitted: it predicts and explains as the one that was saved.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fruler import FRULERRegressor, load_model
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FRULERRegressor(random_state=0).fit(weather.data, weather.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "m.json")
    ...     again = load_model(pathlib.Path(folder) / "m.json")
    >>> bool((again.predict(weather.data) == model.predict(weather.data)).all())
    True
    """
    model = read_model(path)
    try:
        return regressor_of(model)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no model that can be read: {error}") from None


def regressor_of(model: Model) -> FRULERRegressor:
    """Return the fitted regressor that a model was."""
    learning = Checked(model.learning, "'learning' of the document").members()
    settings = learning["settings"].members() if "settings" in learning else {}
    known = FRULERRegressor().get_params()
    regressor = FRULERRegressor(**{name: value.value for name, value in settings.items() if name in known})
    regressor._validate_params()
    rule_base = model.rule_base
    regressor.rule_base_ = rule_base
    regressor.n_rules_ = rule_base.n_rules
    regressor.granularities_ = rule_base.granularities.astype(np.intp)
    regressor.n_features_in_ = len(rule_base.variables)
    if "named" in learning and learning["named"].one_of(True, False):
        regressor.feature_names_in_ = np.array([variable.name for variable in rule_base.variables], dtype=object)
    for name in ("n_evaluations", "n_uncovered"):
        if name in learning:
            setattr(regressor, f"{name}_", learning[name].count())
    if "regularization" in learning:
        regressor.regularization_ = learning["regularization"].number()
    if "front" in learning:
        rows = [item.members() for item in learning["front"].items()]
        columns = ["rules", "coefficients", "criterion", "error", "cv_error"]
        table = [[row[name].number_or_none() if name in row else math.nan for name in columns] for row in rows]
        regressor.pareto_ = pd.DataFrame(table, columns=columns).astype({"rules": "int64", "coefficients": "int64"})
    return regressor


def _learning(regressor: FRULERRegressor) -> dict[str, Any]:
    settings = {name: _plain(value) for name, value in regressor.get_params().items() if name not in _NOT_WRITTEN}
    return {
        "settings": settings,
        "named": hasattr(regressor, "feature_names_in_"),
        "n_evaluations": regressor.n_evaluations_,
        "n_uncovered": regressor.n_uncovered_,
        "regularization": regressor.regularization_,
        "front": [
            {str(name): _plain(value) for name, value in row.items()} for row in regressor.pareto_.to_dict("records")
        ],
    }


def _plain(value: Any) -> Any:
    """Return what JSON can say of a value; null for a number that is not finite or a generator of random numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | bool | int | float) else None
