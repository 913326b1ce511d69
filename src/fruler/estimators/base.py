"""The base of every estimator: fit as a template, and what is done with rows and files."""

from __future__ import annotations

import copy
import operator
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from fruler._parallel import n_threads
from fruler._typing import Floats
from fruler.callbacks import Callback, ProgressBar, check_callbacks
from fruler.estimators.calibration import CalibrationRows, split_rows
from fruler.estimators.fitted_attributes import MadeByFit, with_plain_tables, with_tables
from fruler.estimators.front import front_table
from fruler.estimators.notebook import NotebookMixin
from fruler.estimators.readable import ReadableMixin
from fruler.estimators.sklearn_callbacks import CallbackSupportMixin, sklearn_callbacks, with_callbacks
from fruler.learning.algorithm import Algorithm
from fruler.learning.control import RunControl
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.run import Continuation, run_search
from fruler.learning.training_table import LocalTable, TrainingSample, TrainingTable
from fruler.rules.intervals import PredictionIntervals
from fruler.rules.links import LINK_NAMES, LinkName
from fruler.rules.output import Output
from fruler.rules.outside import warn_of_outside
from fruler.rules.row_reading import EXTRAPOLATIONS, Extrapolation
from fruler.rules.rule_base import RuleBase
from fruler.rules.units import units_in, with_known_units
from fruler.table.moments import Moments
from fruler.table.reading import input_table, is_numeric, known_columns
from fruler.table.sources import Source
from fruler.table.training import frame_of, training_inputs
from fruler.table.validation import check_table

if TYPE_CHECKING:
    pass

_TABLES = ("pareto_", "history_")


class BaseRuleRegressor(NotebookMixin, CallbackSupportMixin, ReadableMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
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
        "max_evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "callbacks": [Callback, list, tuple, None],
        "verbose": ["verbose"],
        "checkpoint": [str, os.PathLike, None],
        "warm_start": ["boolean"],
    }

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    rule_base_: RuleBase
    n_rules_: int
    granularities_: npt.NDArray[np.intp]
    resumed_: int = MadeByFit()  # type: ignore[assignment]
    ended_early_: bool = MadeByFit()  # type: ignore[assignment]
    pareto_: pd.DataFrame = MadeByFit()  # type: ignore[assignment]
    n_evaluations_: int = MadeByFit()  # type: ignore[assignment]
    history_: pd.DataFrame = MadeByFit()  # type: ignore[assignment]
    regularization_: float = MadeByFit()  # type: ignore[assignment]
    sample_indices_: npt.NDArray[np.intp] = MadeByFit()  # type: ignore[assignment]
    n_uncovered_: int = MadeByFit()  # type: ignore[assignment]
    stage_seconds_: dict[str, float] = MadeByFit()  # type: ignore[assignment]
    # Of a model that was read from a file: it has no front but its metrics.
    _front: tuple[FrontPoint, ...] = ()
    # Where the inputs come from, and how their gaps are filled in; None in a model from a file.
    _sources: Sequence[Source] | None = None
    _moments: Moments | None = None
    # Rows that were kept from learning.
    _calibration: CalibrationRows | None = None
    # The most rules that `with_rules` was asked for.
    _rules_asked: int | None = None

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
        self.categorical_features = categorical_features
        self.link = link
        self.bounds = bounds
        self.calibration = calibration
        self.extrapolation = extrapolation
        self.warn_outside = warn_outside
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callbacks = callbacks
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.warm_start = warm_start

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
                continuation=Continuation(self.checkpoint, self.warm_start, self.__dict__.pop("_kept", None)),
            )
            self.resumed_ = found.resumed
            before = getattr(self, "rule_base_", None) if self.warm_start else None
            if self.warm_start:
                self._kept = found.kept
            self._take_learned(found.learned, table, _name_of(y))
            if before is not None:
                self.rule_base_ = self.rule_base_.named_like(before)
            self.rule_base_ = with_known_units(self.rule_base_, units_in(X, y))

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
        output = self._output()
        made = training_inputs(
            self, X, y, sample_weight, self.categorical_features, self.algorithm.one_hot, self._fillers, output.raw_of
        )
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
            output,
            made.observed,
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
        self.rule_base_ = rule_base
        if self._calibration is not None:
            kept = self._calibration
            self.rule_base_ = rule_base.with_intervals(self._inputs(kept.X), kept.y, kept.sample_weight)
        self.n_rules_ = point.rule_base.n_rules
        self.granularities_ = point.rule_base.granularities.astype(np.intp)
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
        other.rule_base_ = other.rule_base_.named_like(self.rule_base_)
        return other

    def with_names(
        self,
        *,
        units: Mapping[str, str] | None = None,
        labels: Mapping[str, Mapping[str, str] | Sequence[str]] | None = None,
    ) -> Self:
        """Return the model with other units and label names; its predictions stay the same.

        They are saved with the model, and kept by `with_rules` and by a fit with `warm_start`. `fit` takes the units of
        a pandas data frame from ``X.attrs["units"]``, a dict by column.

        Parameters
        ----------
        units : dict of str to str, optional
            Units of some inputs, or of the target, by name.
        labels : dict of str to dict or sequence of str, optional
            For some inputs, the new names of some labels by their old ones, or the names of all labels in order.

        Returns
        -------
        BaseRuleRegressor
            A copy of this one with these names.

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
        other = copy.copy(self)
        other.rule_base_ = self.rule_base_.with_units(units or {}).with_labels(labels or {})
        return other

    def predict(self, X: Any) -> Floats:
        """Predict the target.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs. Columns of a frame that the model does not know are ignored.

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
        values = self._inputs(X)
        if self.warn_outside:
            warn_of_outside(self.rule_base_, values)
        return self.rule_base_.predict(values)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> PredictionIntervals:
        """Return for each row an interval that contains its target with a given probability.

        The interval lies around the prediction, and is wider where the rules that apply have larger errors. It is
        computed from errors on held-out rows: those of the fit's own cross-validation, or of rows that were kept for
        this (`calibration`, or `with_intervals`). The latter are guaranteed to cover at least the given share of new
        rows like them; the former cover about that share, without a guarantee. Outside the training data intervals are
        wider, by their width for every range of an input that a row is away, and nothing is guaranteed.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs.
        coverage : float, default=0.9
            The share of rows whose target lies in their interval.

        Returns
        -------
        PredictionIntervals
            ``lower`` and ``upper``, the ends, and ``outside``: which rows lie outside the training data.

        Raises
        ------
        ValueError
            If there are no errors on held-out rows, or too few for the coverage.

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
        return self.rule_base_.predict_interval(self._inputs(X), coverage)

    def with_intervals(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return the model with prediction intervals from rows that it was not learned from.

        At least a share `coverage` of new rows like these then lies in their interval.

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
            A copy of this one with these intervals.

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
        other = copy.copy(self)
        other.rule_base_ = self.rule_base_.with_intervals(self._inputs(X), y, sample_weight)
        return other

    def _inputs(self, X: Any) -> Floats:
        """Check a table, and return the inputs of its rows, NaN where there is a gap."""
        checked = self._checked(X)
        return checked if isinstance(checked, np.ndarray) else input_table(checked, self.rule_base_.variables)

    def _checked(self, X: Any) -> Floats | pd.DataFrame:
        """Check a table, and return it as numbers where it has nothing else."""
        rules = self.rule_base_
        X = known_columns(X, getattr(self, "feature_names_in_", None))
        if is_numeric(X) and all(one.source is None for one in rules.variables):
            return check_table(self, X, allow_nan=True)
        return frame_of(self, X, rules.columns)

    def _of_same_size(self, other: Self) -> Self:
        """Return another model with as many rules as this one may have, where `with_rules` has chosen them."""
        if self._rules_asked is None:
            return other
        return other.with_rules(max(self._rules_asked, other._front[0].rule_base.n_rules))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `load_model` reads; it is written whole or not at all.

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
        from fruler.estimators.saved_model import save_regressor

        check_is_fitted(self, "rule_base_")
        save_regressor(path, self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        return with_plain_tables(super().__getstate__(), _TABLES)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_tables(state, _TABLES))


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
