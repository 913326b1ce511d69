"""Rows that are kept from learning, for prediction intervals alone."""

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

from fruler._parallel import n_threads
from fruler._table.gaps import Moments
from fruler._table.sources import Source
from fruler._table.training import TrainingInputs, training_inputs
from fruler._typing import Floats, Indices
from fruler.callbacks import (
    Callback,
    CallbackSupportMixin,
    ProgressBar,
    check_callbacks,
    sklearn_callbacks,
    with_callbacks,
)
from fruler.estimators._fitted import RuleModel, front_table
from fruler.learning._control import RunControl
from fruler.learning._run import run_search
from fruler.learning._training_table import LocalTable, TrainingSample, TrainingTable
from fruler.learning.algorithm import Algorithm
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules._antecedents import T_NORMS
from fruler.rules._inputs import EXTRAPOLATIONS, Extrapolation
from fruler.rules._output import LINK_NAMES, LinkName, Output
from fruler.rules._units import units_in, with_known_units


class CalibrationRows(NamedTuple):
    """Rows that were not learned from.

    Attributes
    ----------
    X, y, sample_weight
        As `fit` was given them.
    others : ndarray of int
        The numbers of all other rows.
    """

    X: Any
    y: Floats
    sample_weight: Any
    others: Indices


def split_rows(
    X: Any, y: Any, sample_weight: Any, share: float, random_state: Any
) -> tuple[tuple[Any, Any, Any], CalibrationRows]:
    """Return the rows to learn from (inputs, target and weights), and those that are kept.

    The rows are drawn with the seed, where that is a number; any other source of chance gives others every time, and
    then a search could not resume.

    Raises
    ------
    ValueError
        If there are too few.
    """
    check_consistent_length(X, y, sample_weight)
    n_rows = _num_samples(X)
    n_kept = max(1, round(share * n_rows))
    if n_kept >= n_rows:
        raise ValueError(f"calibration={share:g} of {n_rows} rows leaves none to learn from; give more rows.")
    seed = int(random_state) if isinstance(random_state, int | np.integer) else 0
    drawn = np.random.default_rng([seed, n_rows]).permutation(n_rows)
    kept, others = np.sort(drawn[:n_kept]), np.sort(drawn[n_kept:])
    target = check_array(_safe_indexing(y, kept), ensure_2d=False, input_name="y").reshape(-1)
    weight = None if sample_weight is None else _safe_indexing(sample_weight, kept)
    learned = tuple(None if part is None else _safe_indexing(part, others) for part in (X, y, sample_weight))
    return learned, CalibrationRows(_safe_indexing(X, kept), target, weight, others)  # type: ignore[return-value]


_PARAMETERS = """categorical_features : array-like of str, int or bool, or "from_dtype", default="from_dtype"
        The columns that are categories: their names, their numbers, or a boolean mask. "from_dtype" takes columns of
        text, of booleans, and of the categorical types of pandas and polars.
    link : {{"identity", "log"}}, default="identity"
        What rules say: the target, or with "log" its natural logarithm, for targets above 0 such as prices. Then what
        a rule adds multiplies the prediction, sentences give it in percent, and predictions are above 0. The rules are
        fitted to logarithms: a prediction is the exponential of a mean of logarithms, and nearer to the median of such
        rows than to their mean.
    bounds : (float or None, float or None), default=None
        The least and the greatest possible target, such as ``(0, None)``. Predictions and the ends of intervals are
        clipped to them.
    calibration : float, default=None
        The share of the rows to set aside for prediction intervals. The rules are not learned from them, so that at
        least a share `coverage` of new rows like them lies in their interval. `None` takes the errors of the fit's own
        cross-validation instead. Only `FuzzyRuleRegressor` has one; other estimators then have no intervals.
    extrapolation : {{"linear", "clip"}}, default="linear"
        How `predict` treats values outside the range of the training data: "linear" continues the formulas of the
        rules, "clip" replaces each value by the nearest one in the range.
    warn_outside : bool, default=True
        Whether `predict` warns about rows outside the training data.
    time_limit : float, default=None
        The number of seconds after which the search ends with the best model so far.
    n_jobs : int, default=None
        The number of threads; -1 for one per processor. The model does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed. The same seed gives the same model: on one machine to the last bit, on another processor up to
        rounding error.
    callbacks : Callback or list of Callback, default=None
        Called during the search; they can end it. See `fruler.callbacks`.
    verbose : int, default=0
        With 1, progress is shown on standard error: as a bar in a terminal, else as a line every two seconds.
    checkpoint : path, default=None
        A folder to which the search is saved every few seconds. If a fit is interrupted, the same call resumes it
        there and gives the same model. If it was complete, its model is returned at once.
    warm_start : bool, default=False
        Whether the next call of `fit` on the same data resumes the search. {limits} may be raised in between; the
        model is that of one longer fit."""

_ATTRIBUTES = """rule_base_ : RuleBase
        The model.
    n_rules_ : int
        The number of rules.
    rules_ : DataFrame
        One row per rule, numbered from 1: its labels, support, errors and coefficients. Errors are taken over the rows
        in which the rule is the strongest: `rmse` is that of the prediction, `rmse alone` that of the rule by itself.
        With ``link="log"`` coefficients and errors are those of the logarithm.
    truth_ : Truth or None
        Whether the rules hold one by one: the root mean squared error of all rules `together` and that of the strongest
        rule `alone`, for the model and for each rule, and their `ratio`. Measured on held-out rows where the algorithm
        cross-validates (`held_out`), else on the training rows. With ``link="log"`` these are errors of the logarithm.
        None if unknown, as for older model files.
    curves_ : DataFrame
        What single inputs add to the output of every rule: one row per bend of a curve, with the input, its value and
        what is added there. Empty without curves.
    pareto_ : DataFrame
        The Pareto front of accuracy and size, one row per model: the numbers of rules, of curves and of non-zero
        coefficients, the criterion, half the mean squared error on the training rows (`error`) and the root mean
        squared error in the target's unit (`rmse`). Where the algorithm cross-validates, also both errors on held-out
        rows (`cv_error`, `cv_rmse`) and the ratio of `truth_`. `with_rules` returns any of these models. With
        ``link="log"`` the errors are of the target, and the criterion is of its logarithm.
    n_evaluations_ : int
        The number of candidates evaluated, repeated ones included.
    resumed_ : int
        The number of evaluations taken over from an earlier fit; 0 if it started afresh.
    ended_early_ : bool
        Whether the time limit, a callback or Ctrl-C ended the search.
    history_ : DataFrame
        How the search went: {history}. With ``link="log"`` its errors are those of the logarithm.
    regularization_ : float
        The penalty that was used.
    sample_indices_ : ndarray
        The rows that the rules were made from.
    granularities_ : ndarray of shape (n_features_in_,)
        The number of labels of each input.
    stage_seconds_ : dict of str to float
        The duration of each stage of the fit, without what was resumed.
    n_uncovered_ : int
        The number of training rows in which no rule fires, so that the nearest rule predicts them.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How far each input moves predictions, as shares that sum to one.
    n_features_in_ : int
        The number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the inputs, if `X` has string column names."""

_Class = TypeVar("_Class", bound=type)


def documented(limits: str, history: str) -> Callable[[_Class], _Class]:
    """Return a decorator that writes the shared parameters and attributes into the docstring of an estimator.

    They stand in the place of ``{shared parameters}`` and ``{shared attributes}``.

    Parameters
    ----------
    limits : str
        What `warm_start` may raise.
    history : str
        What a row of `history_` is.

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
    """What all estimators of rules share; each algorithm has a subclass.

    A subclass names its `algorithm`, whose options are parameters of its constructor, and documents itself. `fit` is a
    template: it validates, runs the search and takes what was found, and a subclass may override any of its steps.

    Parameters
    ----------
    categorical_features, time_limit, n_jobs, random_state, callbacks, verbose, checkpoint, warm_start
        What the table is and how the search is run; every estimator has them, see `FuzzyRuleRegressor`.
    link, bounds
        What rules say, and within what bounds predictions lie; see there, too.
    calibration, extrapolation, warn_outside
        Rows for prediction intervals, and what is done outside the training data; see there, too.

    Attributes
    ----------
    algorithm : Algorithm
        Of the class: how it learns.
    split_points : mapping or None
        Of an estimator that takes known split points.
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
        "extrapolation": [StrOptions(set(EXTRAPOLATIONS))],
        "warn_outside": ["boolean"],
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

    # The models that the search found, by size; empty in a model from a file.
    _front: tuple[FrontPoint, ...] = ()
    # Where the inputs come from, and how their gaps are filled in; None in a model from a file.
    _sources: Sequence[Source] | None = None
    _moments: Moments | None = None
    # Rows that were kept from learning.
    _calibration: CalibrationRows | None = None

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        link: LinkName = "identity",
        bounds: Sequence[float | None] | None = None,
        calibration: float | None = None,
        extrapolation: Extrapolation = "linear",
        warn_outside: bool = True,
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
        """Make the arguments of the constructor attributes of the same names, as scikit-learn wants it."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs: numbers and categories. Values may be missing.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts. Rows of weight zero are left out.

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
        start = time.monotonic()
        self._validate_params()
        limit = np.inf if self.time_limit is None else self.time_limit
        watching = [*check_callbacks(self.callbacks), *sklearn_callbacks(self, X, y)]
        control = RunControl(watching + ([ProgressBar()] if self.verbose else []), limit=limit, start=start)
        with _unchanged_by_failure(self):
            with_callbacks(type(self)._fit)(self, X, y, sample_weight, control)
        if control.interrupted:
            warnings.warn(
                f"Ctrl-C ended the search after {self.n_evaluations_:,} evaluations; the model is the best so far.",
                RuntimeWarning,
                stacklevel=2,
            )
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, control: RunControl) -> None:
        n_jobs = n_threads(self.n_jobs)
        rows = self._rows_to_learn_from(X, y, sample_weight)
        table = self._training_table(*rows)
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
            )
            self.resumed_ = found.resumed
            before = getattr(self, "rule_base_", None) if self.warm_start else None
            if self.warm_start:
                self._kept = found.kept
            self._take_learned(found.learned, table, _name_of(y))
            rule_base = self.rule_base_ if before is None else self.rule_base_.named_like(before)
            self._set_rule_base(with_known_units(rule_base, units_in(X, y)))

    def _rows_to_learn_from(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Return the rows without those that are kept for calibration, which are put aside."""
        self._calibration = None
        if self.calibration is None:
            return X, y, sample_weight
        # Those that are kept are looked at when the search has ended, which would be late.
        self._output().raw_of(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y").reshape(-1))
        learned, self._calibration = split_rows(X, y, sample_weight, self.calibration, self.random_state)
        return learned

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> TrainingTable:
        """Check what `fit` was given."""
        made = self._training_inputs(X, y, sample_weight)
        self._sources, self._moments = made.sources, made.moments
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
        )

    def _training_inputs(self, X: Any, y: Any, sample_weight: Any) -> TrainingInputs:
        """Check rows in memory, and make numbers of their columns."""
        return training_inputs(
            self,
            X,
            y,
            sample_weight,
            self.categorical_features,
            self.algorithm.one_hot,
            self._fillers,
            self._output().raw_of,
        )

    def _fillers(self, names: Sequence[str], sources: Sequence[Source]) -> npt.NDArray[np.bool_] | None:
        """Return from which inputs (columns) gaps of each (rows) may be filled in; None: from all."""
        return None

    def _output(self) -> Output:
        """Return how predictions follow from what rules say."""
        return Output.given(self.link, self.bounds)

    def _options(self, table: TrainingTable) -> Any:
        """Return the parameters that decide on the model, as the algorithm reads them."""
        kind = self.algorithm.options
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})

    def _take_learned(self, learned: Learned, table: TrainingTable, target_name: str) -> None:
        """Make what a search found the attributes of the estimator."""
        self._front = tuple(_in_units(point, table, target_name) for point in learned.front)
        # What another model of the front is summarised by, once it is asked for.
        self._sample = table.sample
        self._rules_asked = None
        self._take(self._front[learned.chosen], table)
        self.pareto_ = front_table(self._front)
        numbers = table.given_numbers(learned.sample_indices)
        self.sample_indices_ = numbers if self._calibration is None else self._calibration.others[numbers]
        self.n_evaluations_ = learned.n_evaluations
        self.ended_early_ = not learned.exact
        self.history_ = learned.history
        self.stage_seconds_ = learned.seconds

    def _take(self, point: FrontPoint, rows: TrainingTable | TrainingSample) -> None:
        """Make a model of the front the model, with a summary of the rows."""
        training = rows.summarise(point.rule_base, point.cv_error, point.truth)
        rule_base = replace(point.rule_base, training=training, extrapolation=self.extrapolation)
        if self._moments is not None and self._sources is not None:
            gaps = self._moments.gaps(np.flatnonzero(rule_base.uses))
            rule_base = replace(rule_base, gaps=gaps).with_sources(self._sources)
        self._set_rule_base(rule_base)
        if self._calibration is not None:
            kept = self._calibration
            self._set_rule_base(rule_base.with_intervals(self._inputs(kept.X), kept.y, kept.sample_weight))
        self.regularization_ = point.regularization
        self.n_uncovered_ = point.n_uncovered

    def with_rules(self, n_rules: int) -> Self:
        """Return the model with at most a given number of rules, fitted and ready, without another search.

        Parameters
        ----------
        n_rules : int
            Maximum number of rules. Of the models in `pareto_` the largest with no more is taken.

        Returns
        -------
        BaseRuleRegressor
            A copy of this estimator with that model. Units and label names stay.

        Raises
        ------
        ValueError
            If there is no model that small, or the model was read from a file, which holds no other sizes.
        TypeError
            If `n_rules` is not a whole number.

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
        if not self._front:
            raise ValueError(
                "This model was read from a file, which holds no model of another size; call with_rules before "
                "you save it, or learn again with max_rules."
            )
        try:
            limit = operator.index(n_rules)
        except TypeError:
            raise TypeError(f"n_rules must be a whole number; got {n_rules!r}.") from None
        fitting = [point for point in self._front if point.rule_base.n_rules <= limit]
        if not fitting:
            smallest = self._front[0].rule_base.n_rules
            raise ValueError(f"No model in pareto_ has {n_rules} rules or fewer; the smallest has {smallest}.")
        other = copy.copy(self)
        other._take(fitting[-1], self._sample)
        # Models of 2**53 rules there are not, and a file has no larger whole number.
        other._rules_asked = min(limit, 2**53 - 1)
        other._set_rule_base(other.rule_base_.named_like(self.rule_base_))
        return other

    def _of_same_size(self, other: Self) -> Self:
        """Return another model with as many rules as this one may have, where `with_rules` has chosen them."""
        if self._rules_asked is None:
            return other
        return other.with_rules(max(self._rules_asked, other._front[0].rule_base.n_rules))


@contextmanager
def _unchanged_by_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Take every attribute back to what it was, if an exception comes."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _in_units(point: FrontPoint, table: TrainingTable, target_name: str) -> FrontPoint:
    """Return a model that predicts the target itself; a search knows only what stands for it."""
    rule_base = replace(point.rule_base, target_name=target_name, output=table.output)
    error = point.error if table.output.is_plain else table.half_mse(rule_base)
    return replace(point, rule_base=rule_base, error=error)


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"
