"""Reading a fitted estimator from a model file."""

from __future__ import annotations

import os
from typing import Any

from fruler._model_file.file import Model, read_model, unreadable
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import DEFAULT, find_estimator

# Files from before every algorithm had an estimator name a search instead.
_SEARCHES = {"growth": "growth", "evolution": "fruler"}
# In such files, null stands for the default of the growth in these settings.
_NULL_FOR_DEFAULT = ("max_rules", "early_stopping")


def load_model(path: str | os.PathLike[str]) -> BaseRuleRegressor:
    """Read a model written by `save` or ``fruler fit``.

    Nothing in the file is executed. The file has the metrics of the models of other sizes, but not these models, and
    nothing about the search itself (`history_`, `stage_seconds_`, `sample_indices_`).

    Parameters
    ----------
    path : path
        The file to read.

    Returns
    -------
    FuzzyRuleRegressor, FRULERRegressor or another estimator
        The fitted estimator, of the same class and with the same predictions and explanations as the saved one.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not a model file; the message says where it is wrong.

    See Also
    --------
    FuzzyRuleRegressor.save : Writes the file.
    fruler.export.export_model : Write the rules in other languages.

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


def regressor_of(model: Model) -> BaseRuleRegressor:
    """Return the fitted regressor of a model; the default estimator for rules written by hand.

    Raises
    ------
    ValueError
        If the algorithm is not known, or a setting is not valid for its estimator.
    """
    regressor = _with_settings({} if model.learning is None else model.learning.settings)
    regressor._restore(model)
    return regressor


def _with_settings(settings: dict[str, Any]) -> BaseRuleRegressor:
    settings = _in_todays_words(settings)
    try:
        kind = find_estimator(str(settings.pop("algorithm", DEFAULT)))
        known = kind.parameter_names()
        read = kind._setting_readers
        now = {name: read[name](one) if name in read else one for name, one in settings.items() if name in known}
        regressor = kind(**now)
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
