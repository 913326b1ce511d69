"""The methods of a fitted estimator: predictions, explanations, tables, reports and model files."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fruler._algorithms.growth.growth import DEFAULT_RIDGE, SEARCH_LOCALITY
from fruler._arrays import Floats
from fruler._model_file.file import Model, write_model
from fruler._model_file.learning_json import FRONT_COUNTS, FRONT_FIGURES, FRONT_OPTIONAL, Learning
from fruler._table.reading import check_table, input_table, is_numeric, known_columns
from fruler._table.training import frame_of
from fruler.callbacks import Callback, ProgressBar, check_callbacks
from fruler.explain.explanation import Explanation, explain_rows
from fruler.explain.importance import column_shares
from fruler.learning._control import RunControl
from fruler.learning.algorithm import Algorithm
from fruler.learning.learned import Baselines, FrontPoint
from fruler.rules._background import warn_of_outside
from fruler.rules._refit import Objective, RowSums
from fruler.rules._rule_base import RuleBase
from fruler.rules._tables import curves_table, rules_table
from fruler.rules.edits import Change, Edit
from fruler.rules.intervals import PredictionIntervals, prediction_intervals
from fruler.rules.truth import Truth

if TYPE_CHECKING:
    from fruler.estimators._editing import Update
    from fruler.explain.report import Origin
    from fruler.explain.stability import Stability

_TABLES = ("pareto_", "history_")
# Parameters that do not affect the model, or that a file cannot hold.
_NOT_WRITTEN = ("callbacks", "checkpoint", "verbose", "warm_start")
# The columns of pareto_ that are saved in a model file; the others follow from these.
_WRITTEN = (*FRONT_COUNTS, *FRONT_FIGURES, *FRONT_OPTIONAL)
_COUNTS = ("rules", "curves", "coefficients", "terms", "numbers")
_COLUMNS = (*_COUNTS, "criterion", "error", "cv_error", "rmse", "cv_rmse", "truth")


def front_table(front: Sequence[FrontPoint]) -> pd.DataFrame:
    """Return the table `pareto_` of the models that a search found."""
    return _table(
        [
            {
                "rules": point.rule_base.n_rules,
                "curves": point.rule_base.n_curves,
                "coefficients": point.rule_base.n_coefficients,
                "terms": point.rule_base.n_terms,
                "numbers": point.rule_base.numbers_to_read,
                "criterion": point.criterion,
                "error": point.error,
                "cv_error": point.cv_error,
                "truth": np.nan if point.truth is None else point.truth.ratio,
            }
            for point in front
        ],
        squared=not any(point.rule_base.output.loss.reweighted for point in front),
    )


def _table(points: Sequence[Mapping[str, float]], *, squared: bool) -> pd.DataFrame:
    columns = {name: np.array([point.get(name, np.nan) for point in points], dtype=np.float64) for name in _WRITTEN}
    # The paper prints half the mean squared error; people compare errors in the target's own unit.
    for half, root in (("error", "rmse"), ("cv_error", "cv_rmse")):
        # A file may hold any number: twice a large one may overflow, and a negative one has no root.
        # Means of another loss are no squared errors.
        columns[root] = np.sqrt(2.0) * np.sqrt(np.where((columns[half] >= 0.0) & squared, columns[half], np.nan))
    # Old files do not count all of these; a column is then NaN and cannot be of integers.
    counts = [name for name in _COUNTS if np.isfinite(columns[name]).all()]
    return pd.DataFrame(columns, columns=list(_COLUMNS)).astype(dict.fromkeys(counts, np.int64))


class MadeByFit:
    """A descriptor that explains why an attribute is missing; an attribute of the instance takes precedence.

    Examples
    --------
    >>> class Model:
    ...     history_ = MadeByFit()
    >>> Model().history_
    Traceback (most recent call last):
    AttributeError: history_ is set by fit; this Model was not fitted, or was read from a file without it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self
        raise AttributeError(
            f"{self._name} is set by fit; this {owner.__name__} was not fitted, or was read from a file without it."
        )


class RuleModel(BaseEstimator):  # type: ignore[misc]
    """The methods of a fitted estimator; only `stability` fits models."""

    algorithm: ClassVar[Algorithm]
    warn_outside: bool

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    rule_base_: RuleBase
    n_rules_: int
    granularities_: npt.NDArray[np.intp]
    resumed_: int = MadeByFit()  # type: ignore[assignment]
    ended_early_: bool = MadeByFit()  # type: ignore[assignment]
    pareto_: pd.DataFrame = MadeByFit()  # type: ignore[assignment]
    baselines_: Baselines | None = MadeByFit()  # type: ignore[assignment]
    n_evaluations_: int = MadeByFit()  # type: ignore[assignment]
    history_: pd.DataFrame = MadeByFit()  # type: ignore[assignment]
    regularization_: float = MadeByFit()  # type: ignore[assignment]
    sample_indices_: npt.NDArray[np.intp] = MadeByFit()  # type: ignore[assignment]
    n_uncovered_: int = MadeByFit()  # type: ignore[assignment]
    stage_seconds_: dict[str, float] = MadeByFit()  # type: ignore[assignment]
    # The edits and refits of the model, in their order.
    changes_: tuple[Change, ...] = ()
    # Whether the structure still held in the last call of `updated`, if there was one.
    update_: Update | None = None
    # The maximum numbers of rules and of terms given to `with_rules`.
    _rules_asked: int | None = None
    _terms_asked: int | None = None
    # The share of the local error in the fit, if it is known, and the sums over the rows, if they are kept.
    _locality: float | None = None
    _sums: RowSums | None = None
    # The models of other sizes, and the held-out rows for prediction intervals, if there are any.
    _front: tuple[FrontPoint, ...] = ()
    _calibration: Any = None

    def predict(self, X: Any) -> Floats:
        """Predict the target.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs. Other columns of a data frame are ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> model = FuzzyRuleRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        >>> model.predict([[1.5]]).round(1).tolist()
        [2.5]
        """
        check_is_fitted(self, "rule_base_")
        values = self._used_inputs(X)
        if self.warn_outside:
            warn_of_outside(self.rule_base_, values)
        return self.rule_base_.inference.predict(self.rule_base_.inputs.filled(values))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> PredictionIntervals:
        """Return for each row an interval that contains its target with a given probability.

        The interval lies around the prediction, and is wider where the fired rules have larger errors. It is computed
        from errors on held-out rows: those of the fit's own cross-validation, or of calibration rows (`calibration`, or
        `with_intervals`). Intervals from calibration rows are guaranteed to cover at least the given share of new rows
        like these; those from cross-validation cover about that share, without a guarantee. Outside the training data
        there is no guarantee, and intervals are wider, by their own width per range of an input that the row is away.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs.
        coverage : float, default=0.9
            The share of rows whose target lies in their interval.

        Returns
        -------
        PredictionIntervals
            ``lower`` and ``upper``, the ends, and ``outside``, whether each row lies outside the training data.

        Raises
        ------
        ValueError
            If the model has no held-out errors, or too few for the coverage.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
        >>> lower, upper, outside = model.predict_interval(weather.data, coverage=0.9)
        >>> covered = (lower <= weather.target) & (weather.target <= upper)
        >>> bool(0.88 < covered.mean() < 0.94)
        True
        """
        check_is_fitted(self, "rule_base_")
        return prediction_intervals(self.rule_base_, self.rule_base_.inputs.filled(self._used_inputs(X)), coverage)

    def explain(self, X: Any) -> Explanation:
        """Explain each prediction: the fired rules, and the contribution and the labels of each input.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        Explanation
            The explanation of all rows: `base` and `contributions`, which sum to the prediction, the `activations` of
            the rules, `labels`, and whether a row lies `outside` the training data. Printing it shows it as text.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> model = FuzzyRuleRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        >>> bool(abs(model.explain([[1.5]]).base - 2.5) < 0.01)
        True
        """
        check_is_fitted(self, "rule_base_")
        checked = self._checked(X)
        return explain_rows(self.rule_base_, self._numbers(checked), checked)

    def report(
        self,
        X: Any = None,
        y: Any = None,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        origin: Origin | None = None,
        stability: Stability | None = None,
    ) -> str | Path:
        """Write the model as an HTML page: its rules as pictures, importances, errors, and sliders to try it.

        The page is one file that works offline. Writing it requires Jinja2 (the extra `report`).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows on which errors are shown; four of them become part of the page as examples.
        y : array-like of shape (n_samples,), optional
            The target of these rows.
        path : path, optional
            The file to write; without it the page is returned as text.
        title : str, optional
            The title of the page.
        origin : Origin, optional
            The origin of the data, such as ``Origin(data="houses.csv")`` of `fruler.explain.report`. The page shows it
            with the algorithm, its settings, the seed, the version and the date.
        stability : Stability, optional
            The result of `stability` for this model: the page then shows how often each rule and split came back, and
            draws bands around effects.

        Returns
        -------
        Path or str
            The file, or the HTML itself if no path is given.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
        >>> page = model.report(weather.data, weather.target)
        >>> "Try it" in page
        True
        """
        from fruler.explain.report import Origin, report_html, write_report
        from fruler.explain.report._origin import told_settings

        check_is_fitted(self, "rule_base_")
        rows = None if X is None else self._inputs(X)
        # Models of other sizes were not edited, and the errors there are not those of this model.
        front = None if self.changes_ else getattr(self, "pareto_", None)
        known = replace(origin or Origin(), changes=tuple(map(str, self.changes_)))
        if self.was_learned:
            settings = told_settings(self.get_params(deep=False))
            call = " ".join(f"{type(self)(**settings)!r}.fit(X, y)".split())
            known = known.learned_by(self.algorithm.title, settings, call)
        if path is None:
            return report_html(self.rule_base_, rows, y, front, title, known, stability, X)
        return write_report(path, self.rule_base_, rows, y, front, title, known, stability, X)

    def stability(
        self,
        X: Any,
        y: Any,
        n: int = 20,
        *,
        sample_weight: Any = None,
        subsample: float = 0.8,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
    ) -> Stability:
        """Fit the model again on samples of its rows, and report which splits, rules and effects come back.

        A fitted model does not keep its training rows, so pass the same rows again. Each refit has the parameters and
        the seed of the model (0 if it has none); only the rows differ. It takes about `n` times as long as the fit.

        A split came back if a refit splits the same input, and few rows lie between the two split points: at most a
        tenth of all rows, and at most half of those on the smaller side of the split. A rule came back if its weights
        in the rows overlap with those of a rule of the refit by at least two thirds: the sum of the smaller weights
        over the sum of the larger ones. A rule that comes back need not be right, and one that does not may be one of
        several equally good ways to describe the data; the error of the refits shows how much it matters.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs of the training rows.
        y : array-like of shape (n_samples,)
            The target of the training rows.
        n : int, default=20
            The number of refits.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, as in `fit`.
        subsample : float, default=0.8
            The share of the rows that a refit learns from, drawn without replacement. Equal rows stay together.
        random_state : int, RandomState instance or None, default=0
            The seed of the draws.
        n_jobs : int, default=None
            The number of refits at a time, in threads; the result does not depend on it.
        time_limit : float, default=None
            The number of seconds after which the run ends with the refits that are done, at least two.
        callbacks : Callback or sequence of Callback, default=None
            Callbacks whose ``on_generation`` is called after every refit, with the stage ``"refits"``; a callback that
            returns True ends the run.
        verbose : int, default=0
            With 1, the progress is shown.

        Returns
        -------
        Stability
            Tables (`splits`, `rules`, `inputs`), bands of effects, and the refits themselves. Printing it shows it as
            text; `StabilityDisplay` of `fruler.explain.plots` draws it.

        Raises
        ------
        ValueError
            If the model was written by hand, or there are too few rows.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(weather.data, weather.target)
        >>> stability = model.stability(weather.data, weather.target, n=3)
        >>> stability.n_refits, stability.rules["came_back"].between(0, 3).all()
        (3, np.True_)
        """
        from fruler.estimators._refits import TrainingRows, refitted_stability

        check_is_fitted(self, "rule_base_")
        if not self.was_learned:
            raise ValueError(
                "stability needs a model that was fitted, but the rules of this one were written by hand; fit an "
                "estimator, or load the file of a fitted one."
            )
        if time_limit is not None and not time_limit > 0.0:
            raise ValueError(f"time_limit must be a number of seconds above 0; got {time_limit!r}.")
        limit = np.inf if time_limit is None else time_limit
        control = RunControl([*check_callbacks(callbacks), *([ProgressBar()] if verbose else [])], limit=limit)
        rows = TrainingRows.checked(X, y, sample_weight)
        return refitted_stability(self, rows, n, subsample, random_state, n_jobs, control)

    def with_names(
        self,
        *,
        units: Mapping[str, str] | None = None,
        labels: Mapping[str, Mapping[str, str] | Sequence[str]] | None = None,
    ) -> Self:
        """Return the model with other units and label names; its predictions stay the same.

        The names are saved with the model, and kept by `with_rules` and by a fit with `warm_start`. `fit` reads the
        units of a pandas data frame from ``X.attrs["units"]``, a dict by column.

        Parameters
        ----------
        units : dict of str to str, optional
            Units of some inputs, or of the target, by name.
        labels : dict of str to dict or sequence of str, optional
            For some inputs, a dict from old to new names of labels, or the names of all labels in order.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with these names.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
        >>> named = model.with_names(units=weather.units, labels={"max_temperature_before": {"low": "cool"}})
        >>> named.rule_base_.target_unit, named.rules_["if max_temperature_before"].iloc[0]
        ('°C', 'cool')
        """
        check_is_fitted(self, "rule_base_")
        return self._with_rule_base(self.rule_base_.with_units(units or {}).with_labels(labels or {}))

    def with_intervals(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return the model with prediction intervals from held-out rows.

        At least a share `coverage` of new rows like these then lies in its interval.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with these intervals.

        Examples
        --------
        >>> from fruler import FRULERRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> X, y = weather.data, weather.target
        >>> model = FRULERRegressor(random_state=0, max_evaluations=100).fit(X[::2], y[::2])
        >>> calibrated = model.with_intervals(X[1::2], y[1::2])
        >>> calibrated.rule_base_.intervals.n_rows
        365
        """
        check_is_fitted(self, "rule_base_")
        return self._with_rule_base(self.rule_base_.with_intervals(self._inputs(X), y, sample_weight))

    def edited(
        self,
        edits: Edit | Sequence[Edit],
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        *,
        by: str = "",
    ) -> Self:
        """Return the model as a person changed it; everything else is fitted again to rows, or left as it is.

        Split points, dropped terms and fixed numbers stay so in every later `refit` and `updated`, in the model file
        and in exports. `changes_` lists them. With rows, errors and prediction intervals are measured again by
        cross-validation, with the rules kept and their outputs fitted without the held-out rows. Without rows, the
        model has no errors and intervals until it is refitted.

        Parameters
        ----------
        edits : Edit or sequence of Edit
            The changes, applied in this order; see `fruler.rules.edits`.
        X : array-like or data frame of shape (n_samples, n_features), optional
            The rows to fit all other numbers to.
        y : array-like of shape (n_samples,), optional
            Their target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as a patient; errors are then those of new groups.
        by : str, optional
            Who made the change, for `changes_`.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with the changes.

        Raises
        ------
        ValueError
            If there is nothing to change: no such input, rule, term, split point or label.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> from fruler.rules.edits import DropTerm, FixSlope
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(weather.data, weather.target)
        >>> edits = [FixSlope("max_temperature_before", 0.5), DropTerm("wind_speed")]
        >>> edited = model.edited(edits, weather.data, weather.target, by="Ann")
        >>> edited.rules_["coef max_temperature_before"].tolist(), edited.rules_["coef wind_speed"].tolist()
        ([0.5, 0.5], [0.0, 0.0])
        """
        from fruler.estimators._editing import GivenRows, edited_model

        check_is_fitted(self, "rule_base_")
        rows = None if X is None and y is None else GivenRows.checked(self, X, y, sample_weight, groups)
        return edited_model(self, [edits] if isinstance(edits, Edit) else list(edits), rows, by)

    def refit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, by: str = "") -> Self:
        """Return the model with its outputs fitted to other rows; its structure stays.

        Conditions, split points, which terms there are, and what `edited` fixed stay as they are. All other numbers of
        rules and curves minimise the same error as in the fit. Categories keep their numbers, and missing values are
        filled as before. Errors and prediction intervals are measured again, as for `edited`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as a patient; errors are then those of new groups.
        by : str, optional
            Who refitted the model, for `changes_`.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with the new outputs.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> X, y = weather.data, weather.target
        >>> model = FuzzyRuleRegressor(random_state=0).fit(X[:500], y[:500])
        >>> print(model.refit(X[500:], y[500:]).changes_[-1].fit)
        refit
        """
        from fruler.estimators._editing import GivenRows, refitted_model

        check_is_fitted(self, "rule_base_")
        return refitted_model(self, GivenRows.checked(self, X, y, sample_weight, groups), by)

    def updated(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, by: str = "") -> Self:
        """Return the model with its outputs fitted to its earlier rows and to new ones.

        The model keeps sums over its earlier rows (`keep_sums`), so these rows are not needed. The result is that of
        `refit` on all rows. Its `update_` compares the errors on earlier and new rows, lists the split points that the
        new rows would move, and concludes whether the structure still holds; printing it shows it as text. Errors and
        prediction intervals are measured on the new rows, as for `edited`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs of the new rows.
        y : array-like of shape (n_samples,)
            Their target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as a patient; errors are then those of new groups.
        by : str, optional
            Who updated the model, for `changes_`.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with the new outputs.

        Raises
        ------
        ValueError
            If the model keeps no sums.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> X, y = weather.data, weather.target
        >>> model = FuzzyRuleRegressor(keep_sums=True, random_state=0).fit(X[:500], y[:500])
        >>> later = model.updated(X[500:], y[500:])
        >>> later.rule_base_.training.n_rows, later.update_.rmse.index.tolist()
        (730, ['earlier rows', 'new rows'])
        """
        from fruler.estimators._editing import GivenRows, updated_model

        check_is_fitted(self, "rule_base_")
        return updated_model(self, GivenRows.checked(self, X, y, sample_weight, groups), by)

    def _objective(self) -> Objective:
        """Return what a refit minimises: what the fit did, or what the growth does before it knows better."""
        if self._locality is None:
            return Objective(DEFAULT_RIDGE, SEARCH_LOCALITY)
        return Objective(self.regularization_, self._locality)

    def _directions(self, rules: RuleBase) -> Floats:
        """Return the direction that each input must have: 1, -1 or 0."""
        return np.zeros(len(rules.variables))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file for `load_model`; if writing fails, an existing file stays as it was.

        Parameters
        ----------
        path : path
            The file to write.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from fruler import FuzzyRuleRegressor, load_model
        >>> model = FuzzyRuleRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(pathlib.Path(folder) / "m.json")
        ...     load_model(pathlib.Path(folder) / "m.json").n_rules_
        1
        """
        check_is_fitted(self, "rule_base_")
        write_model(path, self._to_model())

    @property
    def feature_importances_(self) -> Floats:
        """How much each column of `X` moves predictions, as shares that sum to one."""
        check_is_fitted(self, "rule_base_")
        return column_shares(self.rule_base_)

    @property
    def rules_(self) -> pd.DataFrame:
        """The rules as a table: one row per rule, with its labels, support, errors and coefficients.

        Curves (`curves_`) are added to the output of every rule.
        """
        check_is_fitted(self, "rule_base_")
        return rules_table(self.rule_base_)

    @property
    def truth_(self) -> Truth | None:
        """Whether the rules hold one by one; None if unknown."""
        check_is_fitted(self, "rule_base_")
        return self.rule_base_.background.truth

    @property
    def curves_(self) -> pd.DataFrame:
        """The curves that are added to every rule: one row per bend; empty without curves."""
        check_is_fitted(self, "rule_base_")
        return curves_table(self.rule_base_)

    @classmethod
    def parameter_names(cls) -> list[str]:
        """Return the names of the parameters of the constructor, in alphabetical order.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> "max_rules" in FuzzyRuleRegressor.parameter_names()
        True
        """
        names: list[str] = cls._get_param_names()
        return names

    @property
    def was_learned(self) -> bool:
        """Whether the rules were learned by an estimator, now or before they were saved, and not written by hand."""
        return hasattr(self, "pareto_")

    def _set_rule_base(self, rule_base: RuleBase) -> None:
        """Set the rule base and the attributes that follow from it."""
        self.rule_base_ = rule_base
        self.n_rules_ = rule_base.n_rules
        self.granularities_ = rule_base.granularities.astype(np.intp)

    def _with_rule_base(self, rule_base: RuleBase) -> Self:
        other = copy.copy(self)
        other._set_rule_base(rule_base)
        return other

    def _to_model(self) -> Model:
        """Return the content of the model's file."""
        if not self.was_learned:
            return Model(self.rule_base_, None, self.changes_, self._sums)
        parameters = {name: value for name, value in self.get_params().items() if name not in _NOT_WRITTEN}
        front = self.pareto_[list(_WRITTEN)].to_dict("records")
        learning = Learning(
            {"algorithm": self.algorithm.name, **parameters},
            named_inputs=hasattr(self, "feature_names_in_"),
            n_evaluations=int(self.n_evaluations_),
            n_uncovered=int(self.n_uncovered_),
            regularization=float(self.regularization_),
            front=tuple({str(name): value for name, value in point.items()} for point in front),
            rules_asked=self._rules_asked,
            locality=self._locality,
        )
        return Model(self.rule_base_, learning, self.changes_, self._sums)

    def _restore(self, model: Model) -> None:
        """Set the fitted attributes from the content of a file."""
        rule_base, learning = model.rule_base, model.learning
        self._set_rule_base(rule_base)
        self.changes_, self._sums = model.changes, model.sums
        self.n_features_in_ = len(rule_base.columns)
        if learning is None or learning.named_inputs:
            self.feature_names_in_ = np.array(rule_base.columns, dtype=object)
        if learning is not None:
            self.n_evaluations_ = learning.n_evaluations
            self.n_uncovered_ = learning.n_uncovered
            self.regularization_ = learning.regularization
            self.pareto_ = _table(learning.front, squared=not self.rule_base_.output.loss.reweighted)
            self._rules_asked, self._locality = learning.rules_asked, learning.locality

    def _inputs(self, X: Any) -> Floats:
        """Check a table and return its inputs, with NaN for missing values."""
        return self._numbers(self._checked(X))

    def _used_inputs(self, X: Any) -> Floats:
        """Check a table and return its inputs, with NaN for missing values and for inputs that no rule uses."""
        checked = self._checked(X)
        return checked if isinstance(checked, np.ndarray) else self.rule_base_.inputs.used_numbers(checked)

    def _numbers(self, checked: Floats | pd.DataFrame) -> Floats:
        """Return the inputs of a checked table, with NaN for missing values."""
        return checked if isinstance(checked, np.ndarray) else input_table(checked, self.rule_base_.variables)

    def _checked(self, X: Any) -> Floats | pd.DataFrame:
        """Check a table and return it, as an array if all its columns are numeric."""
        rules = self.rule_base_
        X = known_columns(X, getattr(self, "feature_names_in_", None))
        if all(one.is_plain for one in rules.variables) and is_numeric(X):
            return check_table(self, X, allow_nan=True)
        return frame_of(self, X, rules.columns)

    def __str__(self) -> str:
        rule_base = getattr(self, "rule_base_", None)
        return str(rule_base) if isinstance(rule_base, RuleBase) else repr(self)

    def _repr_html_inner(self) -> str:
        return self._with_rules_below(super()._repr_html_inner())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._with_rules_below(bundle["text/html"])
        return bundle

    def _with_rules_below(self, box: str) -> str:
        rule_base = getattr(self, "rule_base_", None)
        return box + rule_base._repr_html_() if isinstance(rule_base, RuleBase) else box

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # Tables become arrays, which formats other than pickle support as well.
        state: dict[str, Any] = super().__getstate__()
        tables = {name: state[name] for name in _TABLES if name in state}
        return state | {name: {key: one.to_numpy() for key, one in table.items()} for name, table in tables.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state | {name: pd.DataFrame(state[name]) for name in _TABLES if name in state})
