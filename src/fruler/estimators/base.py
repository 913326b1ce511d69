"""The base class of the estimators: it validates the data, runs the search and stores the model."""

from __future__ import annotations

import copy
import operator
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import _safe_indexing, check_array, check_consistent_length
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from fruler._arrays import Floats, Indices
from fruler._table.gaps import Moments
from fruler._table.reading import equal_rows, units_in
from fruler._table.sources import Source
from fruler._table.training import TrainingInputs, training_inputs
from fruler._wording import require_printable
from fruler.callbacks import (
    Callback,
    CallbackSupportMixin,
    ProgressBar,
    check_callbacks,
    sklearn_callbacks,
    with_callbacks,
)
from fruler.estimators._editing import sums_of_fit
from fruler.estimators._fitted import RuleModel, front_table
from fruler.learning._control import RunControl
from fruler.learning._folds import Folds, fold_seed, group_numbers
from fruler.learning._run import n_threads, run_search
from fruler.learning._training_table import LocalTable, TrainingSample, TrainingTable
from fruler.learning.algorithm import Algorithm
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules._antecedents import T_NORMS
from fruler.rules._inputs import EXTRAPOLATIONS, Extrapolation
from fruler.rules._output import LINK_NAMES, PLAIN, LinkName, Output


class CalibrationRows(NamedTuple):
    """Held-out rows for prediction intervals.

    Attributes
    ----------
    X, y, sample_weight
        The held-out rows, as passed to `fit`.
    others : ndarray of int
        The indices of all other rows, which the rules are learned from.
    """

    X: Any
    y: Floats
    sample_weight: Any
    others: Indices


def split_rows(
    X: Any, y: Any, sample_weight: Any, groups: Any, share: float, random_state: Any
) -> tuple[tuple[Any, Any, Any, Any], CalibrationRows]:
    """Return the rows to learn from (inputs, target, weights and groups) and the held-out rows.

    Rows of a group are held out together. Without groups, equal rows are one: otherwise the model would have seen the
    targets of held-out rows.

    Raises
    ------
    ValueError
        If there are too few rows.
    """
    check_consistent_length(X, y, sample_weight)
    n_rows = _num_samples(X)
    n_kept = max(1, round(share * n_rows))
    drawn = fold_seed(random_state, n_rows).permutation(n_rows)
    numbers = equal_rows(X, y) if groups is None else group_numbers(groups, n_rows)
    _, first = np.unique(numbers[drawn], return_index=True)
    order = numbers[drawn[np.sort(first)]]
    n_groups = np.searchsorted(np.cumsum(np.bincount(numbers)[order]), n_kept) + 1
    is_kept = np.isin(numbers, order[:n_groups])
    kept, others = np.flatnonzero(is_kept), np.flatnonzero(~is_kept)
    if not len(others):
        raise ValueError(f"calibration={share:g} leaves none of the {n_rows} rows to learn from; give more rows.")
    target = check_array(_safe_indexing(y, kept), ensure_2d=False, input_name="y").reshape(-1)
    weight = None if sample_weight is None else _safe_indexing(sample_weight, kept)
    learned = tuple(None if part is None else _safe_indexing(part, others) for part in (X, y, sample_weight, groups))
    return learned, CalibrationRows(_safe_indexing(X, kept), target, weight, others)  # type: ignore[return-value]


_PARAMETERS = """categorical_features : array-like of str, int or bool, or "from_dtype", default="from_dtype"
        The categorical columns: their names, their indices, or a boolean mask. "from_dtype" selects columns of text, of
        booleans, and of the categorical types of pandas and polars.
    link : {{"identity", "log"}}, default="identity"
        The output of the rules: the target, or with "log" its natural logarithm, for positive targets such as prices.
        With "log", the terms of a rule multiply the prediction, sentences show them in percent, and predictions are
        positive. The rules are fitted to logarithms: a prediction is the exponential of a mean of logarithms, which is
        closer to the median of similar rows than to their mean.
    bounds : (float or None, float or None), default=None
        The smallest and largest possible target, such as ``(0, None)``. Predictions and the ends of intervals are
        clipped to these bounds.
    calibration : float, default=None
        The share of the rows to hold out for prediction intervals. The rules are not learned from these rows, so at
        least a share `coverage` of new rows like them lies in its interval. `None` uses the errors of the fit's own
        cross-validation instead; only `FuzzyRuleRegressor` cross-validates, other estimators then have no intervals.
    extrapolation : {{"linear", "clip"}}, default="linear"
        How `predict` treats values outside the range of the training data: "linear" continues the formulas of the
        rules, "clip" replaces each value with the nearest value in the range.
    warn_outside : bool, default=True
        Whether `predict` warns about rows outside the training data.
    keep_sums : bool, default=False
        Whether the model keeps sums over its rows, but no rows, so that `updated` can add new rows to them. They are
        saved with the model.
    time_limit : float, default=None
        The number of seconds after which the search ends with the best model so far.
    n_jobs : int, default=None
        The number of threads; -1 for one per processor. The model does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same model: on one machine to the last bit, on another processor up to
        rounding error.
    callbacks : Callback or list of Callback, default=None
        Callbacks to call during the search; a callback can end the search. See `fruler.callbacks`.
    verbose : int, default=0
        With 1, progress is shown on standard error: as a line that changes in a terminal, else every five seconds.
    checkpoint : path, default=None
        A folder to which the search is saved every few seconds. If a fit is interrupted, the same call resumes it and
        gives the same model. If the search was complete, its model is returned at once.
    warm_start : bool, default=False
        Whether the next call of `fit` on the same data resumes the search. {limits} may be raised in between; the
        model is the same as that of one longer fit."""

_ATTRIBUTES = """rule_base_ : RuleBase
        The model.
    n_rules_ : int
        The number of rules.
    rules_ : DataFrame
        One row per rule, numbered from 1: its labels, support, errors and coefficients. Errors are taken over the rows
        in which the rule is the strongest: `rmse` is the error of the prediction, `rmse alone` the error of the rule by
        itself. With ``link="log"``, coefficients and errors are on the scale of the logarithm.
    truth_ : Truth or None
        Whether the rules hold one by one: the root mean squared error of all rules `together` and that of the strongest
        rule `alone`, for the model and for each rule, and their `ratio`. Measured on held-out rows if the algorithm
        cross-validates (`held_out`), else on the training rows. With ``link="log"`` these are errors of the logarithm.
        None if unknown, as for older model files.
    curves_ : DataFrame
        The curves, each a function of one input that is added to the output of every rule: one row per bend, with the
        input, its value and the amount added there. Empty without curves.
    pareto_ : DataFrame
        The Pareto front of accuracy and size, one row per model: the numbers of rules, of curves and of non-zero
        coefficients, of terms and of numbers to read (see `RuleBase.n_terms` and `numbers_to_read`), the criterion,
        half the mean squared error on the training rows (`error`) and the root mean squared error in the target's unit
        (`rmse`). If the algorithm cross-validates, also both errors on held-out rows (`cv_error`, `cv_rmse`) and the
        ratio of `truth_`. `with_rules` returns any of these models. With ``link="log"`` the errors are errors of the
        target, and the criterion is that of its logarithm. With another loss than the squared error, the errors are its
        means, and `rmse` and `cv_rmse` are missing.
    baselines_ : Baselines or None
        The root mean squared errors of a linear regression (`linear_regression`) and of always predicting the mean
        (`mean`) on the held-out rows that `cv_rmse` was measured on. None if the algorithm does not cross-validate.
    n_evaluations_ : int
        The number of candidates evaluated, including repeated ones.
    resumed_ : int
        The number of evaluations taken over from an earlier fit; 0 if the search started from scratch.
    ended_early_ : bool
        Whether the time limit, a callback or Ctrl-C ended the search.
    history_ : DataFrame
        The course of the search: {history}. With ``link="log"``, its errors are errors of the logarithm.
    regularization_ : float
        The penalty that was used.
    sample_indices_ : ndarray
        The indices of the training rows that the rules were made from.
    granularities_ : ndarray of shape (n_features_in_,)
        The number of labels of each input.
    stage_seconds_ : dict of str to float
        The duration of each stage of the fit, without the time before it was resumed.
    changes_ : tuple of Change
        The edits and refits of the model since its fit, with date and name; see `edited`.
    update_ : Update or None
        Whether the structure still held in the last call of `updated`: errors on earlier and new rows (`rmse`), split
        points that the new rows would move (`splits`), and the conclusion (`holds`).
    n_uncovered_ : int
        The number of training rows in which no rule fires; the nearest rule predicts these rows.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much each column of `X` moves predictions, as shares that sum to one.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if `X` has string column names."""

_Class = TypeVar("_Class", bound=type)


def documented(limits: str, history: str) -> Callable[[_Class], _Class]:
    """Return a decorator that writes the shared parameters and attributes into the docstring of an estimator.

    It replaces the placeholders ``{shared parameters}`` and ``{shared attributes}``.

    Parameters
    ----------
    limits : str
        The parameters that may be raised between two fits with `warm_start`.
    history : str
        The meaning of a row of `history_`.

    Returns
    -------
    callable
        The decorator.
    """

    def write(estimator: _Class) -> _Class:
        if estimator.__doc__ is not None:  # Python may run without docstrings
            text = estimator.__doc__.replace("{shared parameters}", _PARAMETERS.format(limits=limits))
            estimator.__doc__ = text.replace("{shared attributes}", _ATTRIBUTES.format(history=history))
        return estimator

    return write


class BaseRuleRegressor(CallbackSupportMixin, RuleModel, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The base class of all estimators; each algorithm has a subclass.

    A subclass sets `algorithm`, takes the options of the algorithm as parameters of its constructor, and has its own
    docstring. `fit` is a template: it validates the data, runs the search and stores the result; a subclass may
    override any of these steps.

    Parameters
    ----------
    categorical_features, time_limit, n_jobs, random_state, callbacks, verbose, checkpoint, warm_start
        The categorical columns, and how the search is run; see `FuzzyRuleRegressor`.
    link, bounds
        The link function and the bounds of predictions; see `FuzzyRuleRegressor`.
    calibration, extrapolation, warn_outside, keep_sums
        Held-out rows for prediction intervals, the treatment of values outside the training data, and sums for
        `updated`; see `FuzzyRuleRegressor`.

    Attributes
    ----------
    algorithm : Algorithm
        The algorithm, an attribute of the class.
    split_points : mapping or None
        The known split points, for estimators with this parameter.
    """

    algorithm: ClassVar[Algorithm]
    split_points: Mapping[str | int, Any] | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "split_points": [Mapping, None],
        "fuzziness": [Interval(Real, 0, 1, closed="both")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "link": [StrOptions(set(LINK_NAMES))],
        "bounds": [tuple, list, np.ndarray, None],
        "calibration": [Interval(Real, 0, 1, closed="neither"), None],
        "cv": ["cv_object"],
        "extrapolation": [StrOptions(set(EXTRAPOLATIONS))],
        "warn_outside": ["boolean"],
        "keep_sums": ["boolean"],
        "regularization": [Interval(Real, 0, None, closed="left"), None],
        "t_norm": [StrOptions(set(T_NORMS))],
        "population_size": [Interval(Integral, 2, None, closed="left")],
        "mutation_probability": [Interval(Real, 0, 1, closed="both")],
        "max_evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "callbacks": [Callback, list, tuple, None],
        "verbose": ["verbose"],
        "checkpoint": [str, os.PathLike, None],
        "warm_start": ["boolean"],
    }

    # How settings in model files become parameters, where these are neither numbers nor text.
    _setting_readers: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    # The source column of each input, and how missing values are filled in; None in a model from a file.
    _sources: Sequence[Source] | None = None
    _moments: Moments | None = None
    # The ends that some inputs are clipped to, by number.
    _limits: Mapping[int, tuple[float, float]] | None = None
    # Marks of the training rows; None if they are not all in memory, and in a model from a file.
    _marks: Floats | None = None
    # How sentences name the held-out rows of the cross-validation.
    _held_out: str = ""

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        link: LinkName = "identity",
        bounds: Sequence[float | None] | None = None,
        calibration: float | None = None,
        extrapolation: Extrapolation = "linear",
        warn_outside: bool = True,
        keep_sums: bool = False,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
    ) -> None:
        self._keep_parameters(locals())

    def _keep_parameters(self, given: Mapping[str, Any]) -> None:
        """Store the arguments of the constructor as attributes of the same names, as scikit-learn requires."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs: numbers and categories. Values may be missing.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts. Rows of weight zero are left out.
        groups : array-like of shape (n_samples,), optional
            The group of each row, such as a patient. Rows of a group are held out together, by `calibration` and in
            cross-validation.

        Returns
        -------
        self
            The fitted regressor.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> FuzzyRuleRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        FuzzyRuleRegressor()
        """
        return self._fitted(X, y, sample_weight, groups)

    def _fitted(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Do the work of `fit`, which calls it."""
        start = time.monotonic()
        self._validate_params()
        limit = np.inf if self.time_limit is None else self.time_limit
        watching = [*check_callbacks(self.callbacks), *sklearn_callbacks(self, X, y)]
        control = RunControl(watching + ([ProgressBar()] if self.verbose else []), limit=limit, start=start)
        with _unchanged_by_failure(self):
            with_callbacks(type(self)._fit)(self, X, y, sample_weight, groups, control)
        if control.interrupted:
            warnings.warn(
                f"Ctrl-C ended the search after {self.n_evaluations_:,} evaluations; the model is the best so far.",
                RuntimeWarning,
                stacklevel=3,
            )
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, control: RunControl) -> None:
        n_jobs = n_threads(self.n_jobs)
        rows = self._rows_to_learn_from(X, y, sample_weight, groups)
        table = self._training_table(*rows)
        # A model file could not hold such names, and a printed rule could be a false one.
        require_printable([*table.names, _name_of(y)], "name")
        require_printable(units_in(X, y).values(), "unit")
        with control.watched(self):
            found = run_search(
                self.algorithm,
                self._options(table),
                table,
                self.random_state,
                control,
                n_jobs=n_jobs,
                checkpoint=self.checkpoint,
                warm_start=self.warm_start,
                kept=self.__dict__.pop("_kept", None),
                calibration=self.calibration,
            )
            self.resumed_ = found.resumed
            before = getattr(self, "rule_base_", None) if self.warm_start else None
            if self.warm_start:
                self._kept = found.kept
            self._take_learned(found.learned, table, _name_of(y))
            if self.keep_sums:
                if not isinstance(table, LocalTable) or table.n_all > table.n_rows:
                    raise ValueError("keep_sums needs rows in memory; leave it out, or call refit with such rows.")
                self._sums = sums_of_fit(self, *rows[:3])
            rule_base = self.rule_base_ if before is None else self.rule_base_.named_like(before)
            own = {one.name for one in rule_base.variables if one.is_plain} | {rule_base.target_name}
            units = {name: unit for name, unit in units_in(X, y).items() if name in own}
            self._set_rule_base(rule_base.with_units(units))

    def _rows_to_learn_from(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
        """Hold out the rows for calibration, and return the others."""
        self._calibration = None
        if self.calibration is None:
            if groups is not None and "cv" not in self.parameter_names():
                raise ValueError(
                    f"{type(self).__name__} does not cross-validate, and needs groups only to hold out rows with "
                    "calibration; set calibration, or leave groups out."
                )
            return X, y, sample_weight, groups
        # The held-out rows are only used after the search, which would be late to find a bad target.
        self._output().learned(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y").reshape(-1))
        learned, self._calibration = split_rows(X, y, sample_weight, groups, self.calibration, self.random_state)
        return learned

    def _training_table(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingTable:
        """Check the arguments of `fit` and return the training table."""
        made = self._training_inputs(X, y, sample_weight)
        table = self._table_of(made, self._folds(X, y, groups))
        self._marks = made.marks
        return table

    def _folds(self, X: Any, y: Any, groups: Any) -> Folds | None:
        """Return the folds of the cross-validation that the user asked for."""
        return None

    def _table_of(self, made: TrainingInputs, folds: Folds | None) -> LocalTable:
        """Return the training table of rows in memory."""
        self._sources, self._moments, self._limits = made.sources, made.moments, made.limits
        self._marks = None
        return LocalTable.from_arrays(
            made.values,
            made.target,
            made.weight,
            made.names,
            self.split_points,
            made.levels,
            made.terms,
            self.algorithm.weighted_scale,
            self._output(),
            made.observed,
            folds,
        )

    def _training_inputs(self, X: Any, y: Any, sample_weight: Any) -> TrainingInputs:
        """Check rows in memory and convert their columns to numbers."""
        return training_inputs(
            self,
            X,
            y,
            sample_weight,
            self.categorical_features,
            self.algorithm.one_hot,
            self._fillers,
            self._output().learned,
            self._output().loss.evidence,
            self.algorithm.mends_faults,
        )

    def _fillers(self, names: Sequence[str], sources: Sequence[Source]) -> npt.NDArray[np.bool_] | None:
        """Return a mask of the inputs (columns) that may fill gaps of each input (rows); None: all of them."""
        return None

    def _output(self) -> Output:
        """Return the mapping from the output of the rules to predictions."""
        return Output.given(self.link, self.bounds)

    def _options(self, table: TrainingTable) -> Any:
        """Return the parameters that determine the model as the options of the algorithm."""
        kind = self.algorithm.options
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})

    def _take_learned(self, learned: Learned, table: TrainingTable, target_name: str) -> None:
        """Set the fitted attributes from the result of a search."""
        self._front = tuple(_in_units(point, table, target_name) for point in learned.front)
        self.changes_, self._sums = (), None
        # with_rules summarises another model of the front by these rows.
        self._sample = table.sample
        self._held_out = "" if table.folds is None else table.folds.told
        self._rules_asked = self._terms_asked = None
        self._take(self._front[learned.chosen], table)
        self.pareto_ = front_table(self._front)
        numbers = table.given_numbers(learned.sample_indices)
        self.sample_indices_ = numbers if self._calibration is None else self._calibration.others[numbers]
        self.n_evaluations_ = learned.n_evaluations
        self.baselines_ = learned.baselines
        self.ended_early_ = not learned.exact
        self.history_ = learned.history
        self.stage_seconds_ = learned.seconds

    def _take(self, point: FrontPoint, rows: TrainingTable | TrainingSample) -> None:
        """Take a model of the front as the model, with a summary of the rows."""
        rule_base = point.rule_base
        if self._moments is not None and self._sources is not None:
            gaps = self._moments.gaps(np.flatnonzero(rule_base.uses))
            variables = rule_base.inputs.with_sources(self._sources, self._limits)
            rule_base = replace(rule_base, gaps=gaps, variables=variables)
        # The summary counts the rows of each category.
        training = replace(rows.summarise(rule_base, point.cv_error, point.truth), marks=self._marks)
        if not np.isnan(point.cv_error):
            training = replace(training, held_out=self._held_out)
        rule_base = replace(rule_base, training=training, extrapolation=self.extrapolation)
        self._set_rule_base(rule_base)
        if self._calibration is not None:
            kept = self._calibration
            self._set_rule_base(rule_base.with_intervals(self._inputs(kept.X), kept.y, kept.sample_weight))
        self.regularization_, self._locality = point.regularization, point.locality
        self.n_uncovered_ = point.n_uncovered

    def with_rules(self, n_rules: int | None = None, *, max_terms: int | None = None) -> Self:
        """Return the best model in `pareto_` with at most a given number of rules or terms, without another search.

        Parameters
        ----------
        n_rules : int, optional
            Maximum number of rules. With this limit alone the model is the largest that keeps to it.
        max_terms : int, optional
            Maximum number of terms: slopes, of which one that several rules share counts once, and lines of curves.
            The model is the one with the smallest error, on held-out rows if it is known there. A fit with `max_terms`
            finds models with fewer and fewer terms for every number of rules.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with that model. Units and label names are kept.

        Raises
        ------
        ValueError
            If no model is that small, or the model was read from a file, which has no models of other sizes.
        TypeError
            If a limit is not an integer, or both are left out.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
        >>> model.with_rules(2).n_rules_
        2
        """
        check_is_fitted(self, "rule_base_")
        if self.changes_:
            raise ValueError(
                "with_rules returns models as they were learned; call it on the model before it was edited or refitted."
            )
        if not self._front:
            raise ValueError(
                "This model was read from a file, which has no models of other sizes; call with_rules before "
                "saving it, or fit again with max_rules."
            )
        if n_rules is None and max_terms is None:
            raise TypeError("with_rules needs n_rules, max_terms or both.")
        rules, terms = _limit("n_rules", n_rules), _limit("max_terms", max_terms)
        fitting = [point for point in self._front if point.rule_base.n_rules <= rules]
        if not fitting:
            smallest = self._front[0].rule_base.n_rules
            raise ValueError(f"No model in pareto_ has {n_rules} rules or fewer; the smallest has {smallest}.")
        few = [point for point in fitting if point.rule_base.n_terms <= terms]
        if not few:
            fewest = min(point.rule_base.n_terms for point in fitting)
            raise ValueError(
                f"No model in pareto_ with so many rules has {max_terms} terms or fewer; the smallest has {fewest}. "
                f"Fit again with max_terms={max_terms}."
            )
        other = copy.copy(self)
        other._sums = None
        other._take(few[-1] if max_terms is None else min(few, key=_known_error), self._sample)
        # The largest integer that a model file can hold; no model has that many rules.
        other._rules_asked, other._terms_asked = None if n_rules is None else min(rules, 2**53 - 1), max_terms
        other._set_rule_base(other.rule_base_.named_like(self.rule_base_))
        return other

    def _of_same_size(self, other: Self) -> Self:
        """Return another model reduced to the size that this model was limited to by `with_rules`, if it was."""
        if self._rules_asked is None and self._terms_asked is None:
            return other
        rules = other._front[0].rule_base.n_rules if self._rules_asked is None else self._rules_asked
        n_rules = None if self._rules_asked is None else max(rules, other._front[0].rule_base.n_rules)
        if self._terms_asked is None:
            return other.with_rules(n_rules)
        fewest = min(point.rule_base.n_terms for point in other._front)
        return other.with_rules(n_rules, max_terms=max(self._terms_asked, fewest))


def _limit(name: str, value: int | None) -> int:
    """Return a limit of sizes, a large number for none."""
    try:
        return 2**62 if value is None else operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer; got {value!r}.") from None


def _known_error(point: FrontPoint) -> float:
    return point.error if np.isnan(point.cv_error) else point.cv_error


@contextmanager
def _unchanged_by_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Restore all attributes if an exception is raised."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _in_units(point: FrontPoint, table: TrainingTable, target_name: str) -> FrontPoint:
    """Return a model that predicts the target itself; the search may have been fitted to its logarithm."""
    rule_base = replace(point.rule_base, target_name=target_name, output=table.output)
    error = point.error if table.output == PLAIN else table.mean_loss(rule_base)
    return replace(point, rule_base=rule_base, error=error)


def _name_of(y: Any) -> str:
    name = y if isinstance(y, str) else getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else "y"
