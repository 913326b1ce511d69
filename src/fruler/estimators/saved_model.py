"""A fitted estimator as a model file, and back."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.front import front_of, written_front
from fruler.estimators.registry import DEFAULT, find_estimator
from fruler.model_file.file import Model, read_model, unreadable, write_model
from fruler.model_file.learning_json import Learning

# Parameters that say nothing about the model, or nothing that a file could hold.
_NOT_WRITTEN = ("callbacks", "checkpoint", "verbose", "warm_start")
# Files written before every algorithm had an estimator name a search instead.
_SEARCHES = {"growth": "growth", "evolution": "fruler"}
# Of these null stood for the default of the growth.
_NULL_FOR_DEFAULT = ("max_rules", "early_stopping")


def save_regressor(path: str | os.PathLike[str], regressor: BaseRuleRegressor) -> None:
    """Write a fitted regressor to a file."""
    write_model(path, model_of(regressor))


def load_model(path: str | os.PathLike[str]) -> BaseRuleRegressor:
    """Read a model that `save` or ``fruler fit`` has written.

    Nothing in the file is executed. The models of other sizes are not in it, only their metrics; nor is how the
    search went (`history_`, `stage_seconds_`, `sample_indices_`).

    Parameters
    ----------
    path : path
        The file to read.

    Returns
    -------
    FuzzyRuleRegressor, FRULERRegressor or another estimator
        The fitted estimator, of the class that was saved. It predicts and explains as the one that was saved.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds no model; the message says where.

    See Also
    --------
    FuzzyRuleRegressor.save : Writes the file.
    fruler.export.export_model : The rules in other languages.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fruler import FuzzyRuleRegressor, load_model
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "m.json")
    ...     again = load_model(pathlib.Path(folder) / "m.json")
    >>> again
    FuzzyRuleRegressor(random_state=0)
    >>> bool((again.predict(weather.data) == model.predict(weather.data)).all())
    True
    """
    model = read_model(path)
    try:
        return regressor_of(model)
    except ValueError as error:
        raise unreadable(path, error) from None


def model_of(regressor: BaseRuleRegressor) -> Model:
    """Return what the file of a fitted regressor holds."""
    if not hasattr(regressor, "pareto_"):
        return Model(regressor.rule_base_)
    parameters = {name: value for name, value in regressor.get_params().items() if name not in _NOT_WRITTEN}
    learning = Learning(
        {"algorithm": regressor.algorithm.name, **parameters},
        hasattr(regressor, "feature_names_in_"),
        int(regressor.n_evaluations_),
        int(regressor.n_uncovered_),
        float(regressor.regularization_),
        written_front(regressor.pareto_),
        regressor._rules_asked,
    )
    return Model(regressor.rule_base_, learning)


def regressor_of(model: Model) -> BaseRuleRegressor:
    """Return the fitted regressor that a model was; rules by hand are those of the default estimator.

    Raises
    ------
    ValueError
        If the algorithm is not known, or a setting is none of its estimator's.
    """
    learning, rule_base = model.learning, model.rule_base
    regressor = _with_settings({} if learning is None else learning.settings)
    regressor.rule_base_ = rule_base
    regressor.n_rules_ = rule_base.n_rules
    regressor.granularities_ = rule_base.granularities.astype(np.intp)
    regressor.n_features_in_ = len(rule_base.columns)
    if learning is None or learning.named_inputs:
        regressor.feature_names_in_ = np.array(rule_base.columns, dtype=object)
    if learning is not None:
        regressor.n_evaluations_ = learning.n_evaluations
        regressor.n_uncovered_ = learning.n_uncovered
        regressor.regularization_ = learning.regularization
        regressor.pareto_ = front_of(learning)
        regressor._rules_asked = learning.rules_asked
    return regressor


def _with_settings(settings: dict[str, Any]) -> BaseRuleRegressor:
    settings = _in_todays_words(settings)
    try:
        kind = find_estimator(str(settings.pop("algorithm", DEFAULT)))
        known = kind._get_param_names()
        regressor = kind(**{name: value for name, value in settings.items() if name in known})
        regressor._validate_params()
    except (TypeError, ValueError) as error:
        raise ValueError(f"learning.settings: {error}") from None
    return regressor


def _in_todays_words(settings: dict[str, Any]) -> dict[str, Any]:
    search = settings.get("search")
    if "algorithm" in settings or search is None:
        return dict(settings)
    now = {"algorithm": _SEARCHES.get(str(search), search), **settings}
    if search == "growth":
        now = {name: value for name, value in now.items() if name not in _NULL_FOR_DEFAULT or value is not None}
    return now
