"""FRULERRegressor: validates, runs the three stages, holds the rule base."""

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
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from fruler._parallel import n_threads
from fruler._typing import Floats
from fruler.algorithms.fruler.fitness import CRITERIA, Criterion
from fruler.algorithms.fruler.learner import EvolutionOptions
from fruler.algorithms.growth.learner import GrowthOptions
from fruler.callbacks import Callback, ProgressBar, check_callbacks
from fruler.consequents.elastic_net import SOLVERS, Solver
from fruler.estimators.fitted_attributes import MadeByFit, with_plain_tables, with_tables
from fruler.estimators.sklearn_callbacks import CallbackSupportMixin, sklearn_callbacks, with_callbacks
from fruler.explain.explanation import Explanation
from fruler.explain.importance import input_shares
from fruler.learning.control import RunControl
from fruler.learning.run import Learners, run_search
from fruler.learning.table import FrontPoint, TrainingData, TrainingSample
from fruler.rules.measurement import MOST_ROWS_EXPLAINED, summarise
from fruler.rules.rule_base import T_NORMS, RuleBase, TNorm
from fruler.rules.summary import TrainingSummary
from fruler.rules.tables import rules_table
from fruler.table.encoding import TableEncoding
from fruler.table.validation import check_table, check_training_table, column_names

Search = Literal["growth", "evolution"]
SEARCHES: tuple[Search, ...] = ("growth", "evolution")
# From the numbers of rows that count to their numbers among all that were given.
Numbering = Callable[[npt.NDArray[np.intp]], npt.NDArray[np.intp]]
_TABLES = ("pareto_", "history_")
_Options = TypeVar("_Options", GrowthOptions, EvolutionOptions)


def paper_settings() -> dict[str, Any]:
    """Return the parameters with which `FRULERRegressor` follows the paper.

    Consequents are fitted on the selected rows while the search goes on, and on all rows at its end; what is minimised
    is the error on all training rows.

    The solver is the paper's stochastic gradient descent: over ten of its data sets (five folds, two seeds) the test
    errors are 1.02 times the paper's in the geometric mean and 1.08 times at the most; with coordinate descent
    (``solver="coordinate_descent"``), which is three times as fast, 1.05 and 1.27. The paper contradicts itself on the
    meaning of α = 0.95; read as the share of the ridge, as its formula has it (``l1_ratio=0.05``), the errors agree;
    read as the share of ℓ1 they come out a quarter larger.

    Examples
    --------
    >>> from fruler import FRULERRegressor, paper_settings
    >>> model = FRULERRegressor(**paper_settings(), random_state=0)
    >>> model.criterion, model.t_norm
    ('error', 'minimum')
    """
    return {
        "search": "evolution",
        "instance_selection": True,
        "fit_rows": "selected",
        "t_norm": "minimum",
        "criterion": "error",
        "solver": "sgd",
        "l1_ratio": 0.05,
        "population_size": 61,
        "max_evaluations": 100_000,
        "mutation_probability": 0.2,
        "n_local_search": 5,
        "n_restarts": 1,
    }


class FRULERRegressor(CallbackSupportMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Regression with a handful of readable fuzzy rules.

    Learns TSK-1 rules, "if temperature is low and humidity is high then y = a + b·x1 + ...", whose labels meet where
    the data bend and whose linear consequents have few terms. The result is `rule_base_`, in the data's own names and
    units.

    There are two ways to the rules. ``search="growth"``, the default, starts from one linear rule and splits one rule
    after the other where that pays most; how many rules there are, and how much their consequents are shrunk, is chosen
    by cross-validation. ``search="evolution"`` is the paper's: instance selection, multi-granularity fuzzy
    discretization, and a genetic algorithm over the number of labels of each input and the places of their borders,
    with the Elastic Net for the consequents; `paper_settings` has its parameters.

    Parameters
    ----------
    search : {"growth", "evolution"}, default="growth"
        How rules are searched for.
    max_rules : int, default=None
        The most rules that a model may have; `None`: 20 for the growth, as many as fit for the evolution.
    regularization : float, default=None
        The penalty on slopes, for standardised data: the ridge of the growth, the Elastic Net's λ of the evolution.
        `None` chooses it.
    fuzziness : float, default=1.0
        How much neighbouring labels overlap, from 0 (crisp) to 1.
    split_points : dict of str or int to sequence of float, default=None
        Known split points of some inputs, by name or number. They are taken as they are: such an input has all of
        these labels or is in no antecedent.
    max_evaluations : int, default=None
        The most candidates that are evaluated; `None`: as many as the growth needs; for the evolution 400 for each
        input, at least 2,000.
    time_limit : float, default=None
        Seconds after which the search ends with the best model so far.
    early_stopping : int, default=None
        The search ends when nothing has become better for so long: generations of the evolution, splits of the growth.
        `None`: the evolution goes on until it converges, the growth ends after three splits that did not pay.
    instance_selection : bool, default=True
        For the evolution: whether rules are made from representative rows only.
    fit_rows : {"all", "selected"}, default="all"
        For the evolution: the rows on which consequents are fitted during the search. At its end they are always fitted
        on all.
    t_norm : {"product", "minimum"}, default="product"
        How the parts of an antecedent are joined. The growth needs the product, under which rules share every row.
    criterion : {"bic", "error"}, default="bic"
        What the evolution minimises: the Bayesian information criterion, which charges for every coefficient, or the
        mean squared error alone.
    solver : {"coordinate_descent", "sgd"}, default="coordinate_descent"
        How the evolution fits consequents: coordinate descent on the Gram matrix, or the paper's stochastic gradient
        descent.
    l1_ratio : float, default=0.5
        For the evolution: the share of the ℓ1 penalty; the paper's α is 1 - l1_ratio.
    population_size : int, default=61
        For the evolution: individuals in the population.
    mutation_probability : float, default=0.2
        For the evolution: how many of the offspring are mutated.
    n_local_search : int, default=5
        For the evolution: relatives that are tried of each individual with a new structure.
    n_restarts : int, default=1
        For the evolution: how often the search starts again around the best individual.
    n_jobs : int, default=None
        Threads that evaluate candidates; -1 for all processors. The model does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The only source of chance: the same seed gives the same model.
    callbacks : Callback or list of Callback, default=None
        Told how the search goes, able to end it; see `fruler.callbacks`.
    verbose : int, default=0
        1 shows how the search goes, on standard error: a bar on a terminal, elsewhere a line every two seconds.
    checkpoint : path, default=None
        A folder in which the search is kept every few seconds. A fit that was ended there, in whatever way, goes on
        when it is repeated, to the model of one that was not; one that was finished gives its model at once.
    warm_start : bool, default=False
        Whether another fit on the same data goes on with the search of the last one: `max_evaluations`, `max_rules`
        (growth), `n_restarts` (evolution) and `early_stopping` may be raised. The model is that of one longer fit.

    Attributes
    ----------
    rule_base_ : RuleBase
        The model.
    n_rules_ : int
        Number of rules.
    rules_ : DataFrame
        A row a rule: its labels, its support, its coefficients.
    pareto_ : DataFrame
        The trade-off between accuracy and size that the search met, a row a model: rules, coefficients that are not
        zero, the criterion, half the mean squared error on the training rows, and on rows that were left out (with
        growth). `with_rules` makes a model of each.
    n_evaluations_ : int
        Candidates that the search looked at, repeated ones included.
    resumed_ : int
        The evaluations that were made by an earlier fit, from which this one went on; 0 if it began afresh.
    ended_early_ : bool
        Whether the time limit, a callback or Ctrl-C has cut the search short.
    history_ : DataFrame
        How the search went: for the growth a row a rule added, for the evolution a row a generation.
    regularization_ : float
        The penalty that was used.
    sample_indices_ : ndarray
        The rows that rules were made from.
    granularities_ : ndarray of shape (n_features_in_,)
        The number of labels of each input in the model.
    stage_seconds_ : dict of str to float
        How long each stage of the fit took, without what an earlier one had done.
    n_uncovered_ : int
        Training rows that fit no rule and are answered by the nearest.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names.

    References
    ----------
    I. Rodríguez-Fdez, M. Mucientes, A. Bugarín. FRULER: Fuzzy Rule Learning through Evolution for Regression.
    Information Sciences, 2016; arXiv:1507.04997.

    Examples
    --------
    >>> from fruler import FRULERRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FRULERRegressor(random_state=0).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.98
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "search": [StrOptions(set(SEARCHES))],
        "instance_selection": ["boolean"],
        "fit_rows": [StrOptions({"all", "selected"})],
        "split_points": [Mapping, None],
        "fuzziness": [Interval(Real, 0, 1, closed="both")],
        "t_norm": [StrOptions(set(T_NORMS))],
        "criterion": [StrOptions(set(CRITERIA))],
        "solver": [StrOptions(set(SOLVERS))],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "regularization": [Interval(Real, 0, None, closed="left"), None],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "population_size": [Interval(Integral, 2, None, closed="left")],
        "max_evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "mutation_probability": [Interval(Real, 0, 1, closed="both")],
        "n_local_search": [Interval(Integral, 0, None, closed="left")],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "callbacks": [Callback, list, tuple, None],
        "verbose": ["verbose"],
        "checkpoint": [str, os.PathLike, None],
        "warm_start": ["boolean"],
    }

    _learners: ClassVar[Learners] = Learners()

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
    # Of a model that was read from a file: it has no front but its figures, and may know a table's columns.
    _front: tuple[FrontPoint, ...] = ()
    _encoding: TableEncoding | None = None

    def __init__(
        self,
        *,
        search: Search = "growth",
        instance_selection: bool = True,
        fit_rows: Literal["all", "selected"] = "all",
        split_points: Mapping[str | int, Any] | None = None,
        fuzziness: float = 1.0,
        t_norm: TNorm = "product",
        criterion: Criterion = "bic",
        solver: Solver = "coordinate_descent",
        l1_ratio: float = 0.5,
        regularization: float | None = None,
        max_rules: int | None = None,
        population_size: int = 61,
        max_evaluations: int | None = None,
        mutation_probability: float = 0.2,
        n_local_search: int = 5,
        n_restarts: int = 1,
        time_limit: float | None = None,
        early_stopping: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
    ) -> None:
        self.search = search
        self.instance_selection = instance_selection
        self.fit_rows = fit_rows
        self.split_points = split_points
        self.fuzziness = fuzziness
        self.t_norm = t_norm
        self.criterion = criterion
        self.solver = solver
        self.l1_ratio = l1_ratio
        self.regularization = regularization
        self.max_rules = max_rules
        self.population_size = population_size
        self.max_evaluations = max_evaluations
        self.mutation_probability = mutation_probability
        self.n_local_search = n_local_search
        self.n_restarts = n_restarts
        self.time_limit = time_limit
        self.early_stopping = early_stopping
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
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts in the discretization, the consequents and the fitness. Instance selection
            does not know weights, but leaves rows of weight zero out.

        Returns
        -------
        self
            The fitted regressor.
        """
        start = time.monotonic()
        self._validate_params()
        limit = np.inf if self.time_limit is None else self.time_limit
        watching = [*check_callbacks(self.callbacks), *sklearn_callbacks(self, X, y)]
        control = RunControl(watching + ([ProgressBar()] if self.verbose else []), limit=limit, start=start)
        with _unchanged_by_failure(self):
            with_callbacks(FRULERRegressor._fit)(self, X, y, sample_weight, control)
        if control.interrupted:
            warnings.warn(
                f"Ctrl-C ended the search after {self.n_evaluations_:,} evaluations; the model is the best so far.",
                RuntimeWarning,
                stacklevel=2,
            )
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, control: RunControl) -> None:
        n_jobs = n_threads(self.n_jobs)
        data, given_numbers = self._training_data(X, y, sample_weight)
        with control.watched(self):
            learned, self.resumed_, kept = run_search(
                self._search_options(),
                data,
                self.random_state,
                control,
                n_jobs=n_jobs,
                checkpoint=self.checkpoint,
                warm_start=self.warm_start,
                kept=self.__dict__.pop("_kept", None),
                learners=self._learners,
            )
            if self.warm_start:
                self._kept = kept
            target_name = _name_of(y)
            self._front = tuple(
                replace(point, rule_base=replace(point.rule_base, target_name=target_name)) for point in learned.front
            )
            self._encoding = None
            # What another model of the front is summarised by, once it is asked for.
            self._sample = data.sample(MOST_ROWS_EXPLAINED)
            self._take(self._front[learned.chosen], data)
            self.pareto_ = _front_table(self._front)
            self.sample_indices_ = given_numbers(learned.sample_indices)
            self.n_evaluations_ = learned.n_evaluations
            self.ended_early_ = not learned.exact
            self.history_ = learned.history
            self.stage_seconds_ = learned.seconds

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, Numbering]:
        """Check the table; tell too how its rows that count are numbered among all that were given."""
        values, target, weight = check_training_table(self, X, y, sample_weight=sample_weight)
        counted = np.arange(len(target))
        if weight is not None:
            counted = np.flatnonzero(weight)
            values, target, weight = values[counted], target[counted], weight[counted] / weight.max()
            weight /= weight.mean()
        names = column_names(self, values.shape[1])
        return TrainingData.from_arrays(values, target, weight, names, self.split_points), counted.__getitem__

    def _search_options(self) -> GrowthOptions | EvolutionOptions:
        if self.search == "evolution":
            return self._options(EvolutionOptions)
        if self.t_norm != "product":
            raise ValueError(
                f"search='growth' joins conditions by the product; got t_norm={self.t_norm!r}, which is for "
                "search='evolution'."
            )
        return self._options(GrowthOptions)

    def _options(self, kind: type[_Options]) -> _Options:
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})

    def _take(self, point: FrontPoint, rows: TrainingData | TrainingSample) -> None:
        """Make a model of the front the model, with a summary of the rows."""
        self.rule_base_ = replace(point.rule_base, training=self._summary(point, rows))
        self.n_rules_ = point.rule_base.n_rules
        self.granularities_ = point.rule_base.granularities.astype(np.intp)
        self.regularization_ = point.regularization
        self.n_uncovered_ = point.n_uncovered

    def _summary(self, point: FrontPoint, rows: TrainingData | TrainingSample) -> TrainingSummary:
        return summarise(point.rule_base, rows.values, rows.target, rows.weight, cv_error=point.cv_error)

    def with_rules(self, n_rules: int) -> Self:
        """Return the model of the front with so many rules, fitted and ready, without another search.

        Parameters
        ----------
        n_rules : int
            The most rules that it may have; of the models in `pareto_` the largest of these is taken.

        Returns
        -------
        FRULERRegressor
            A copy of this one with that model.

        Examples
        --------
        >>> from fruler import FRULERRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FRULERRegressor(random_state=0).fit(weather.data, weather.target)
        >>> model.with_rules(2).n_rules_
        2
        """
        check_is_fitted(self, "rule_base_")
        if not self._front:
            raise ValueError(
                "This model was read from a file, which holds no other model of the front; call with_rules after fit, "
                "and save what it gives."
            )
        try:
            most = operator.index(n_rules)
        except TypeError:
            raise TypeError(f"n_rules must be a whole number; got {n_rules!r}.") from None
        fitting = [point for point in self._front if point.rule_base.n_rules <= most]
        if not fitting:
            least = self._front[0].rule_base.n_rules
            raise ValueError(f"No model of the front has {n_rules} rules or fewer; the smallest has {least}.")
        other = copy.copy(self)
        other._take(fitting[-1], self._sample)
        return other

    def predict(self, X: Any) -> Floats:
        """Predict the target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        check_is_fitted(self, "rule_base_")
        return self.rule_base_.predict(check_table(self, X))

    def explain(self, X: Any) -> Explanation:
        """Tell why each row is predicted as it is: the rules that fired, what each input adds, and its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        Explanation
            Of all rows: `base` and `contributions`, which sum to the prediction, `activations` of the rules, `labels`,
            and whether a row lies `outside` the training data. Printing it gives sentences.
        """
        check_is_fitted(self, "rule_base_")
        return self.rule_base_.explain(check_table(self, X))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `load_model` reads; it is written whole or not at all.

        Parameters
        ----------
        path : path
            Where to.
        """
        from fruler.model_file.estimator import save_regressor

        check_is_fitted(self, "rule_base_")
        save_regressor(path, self)

    def __getstate__(self) -> dict[str, Any]:
        return with_plain_tables(super().__getstate__(), _TABLES)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_tables(state, _TABLES))

    def report(
        self,
        X: Any = None,
        y: Any = None,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
    ) -> str | Path:
        """Make an HTML page of the model: its rules as pictures, its errors, and sliders to try it.

        The page is one file that needs no network. It needs Jinja2: ``pip install "fruler[report]"``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows on which errors are shown; four of them become part of the page as examples.
        y : array-like of shape (n_samples,), optional
            Their target.
        path : path, optional
            Where to write it, whole or not at all.
        title : str, optional
            The title of the page.

        Returns
        -------
        Path or str
            The file; without a path the HTML itself.

        Examples
        --------
        >>> from fruler import FRULERRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FRULERRegressor(random_state=0).fit(weather.data, weather.target)
        >>> page = model.report(weather.data, weather.target)
        >>> "Try it" in page
        True
        """
        from fruler.explain.report import report_html, write_report

        check_is_fitted(self, "rule_base_")
        rows = None if X is None else check_table(self, X)
        front = getattr(self, "pareto_", None)
        alternatives = [] if self._encoding is None else self._encoding.alternatives()
        if path is None:
            return report_html(self.rule_base_, rows, y, front, title, alternatives)
        return write_report(path, self.rule_base_, rows, y, front, title, alternatives)

    @property
    def feature_importances_(self) -> Floats:
        """How much each input moves predictions, as shares that sum to one."""
        check_is_fitted(self, "rule_base_")
        return input_shares(self.rule_base_)

    @property
    def rules_(self) -> pd.DataFrame:
        """The rules as a table: a row a rule, with its labels, its support and its coefficients."""
        check_is_fitted(self, "rule_base_")
        return rules_table(self.rule_base_)


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


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def _front_table(front: tuple[FrontPoint, ...]) -> pd.DataFrame:
    rows: list[dict[str, float]] = [
        {
            "rules": point.rule_base.n_rules,
            "coefficients": int(np.count_nonzero(point.rule_base.consequents[:, 1:])),
            "criterion": point.criterion,
            "error": point.error,
            "cv_error": point.cv_error,
        }
        for point in front
    ]
    return pd.DataFrame(rows)
