"""FuzzyRuleRegressor: rules grown split by split."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

from fruler._algorithms.growth.learner import GROWTH
from fruler._arrays import Floats
from fruler._table.constraints import NO_INTERACTIONS, PAIRWISE, InputConstraints, input_constraints
from fruler._table.sources import Source
from fruler._table.training import are_declared
from fruler.callbacks import Callback
from fruler.data._scan import TableScan, scan_table
from fruler.estimators.base import BaseRuleRegressor, documented
from fruler.learning._folds import LATER, Folds, own_folds
from fruler.learning._sampled_table import SampledTable, learn_columns, sample_table
from fruler.learning._training_table import TrainingTable
from fruler.learning.algorithm import Algorithm
from fruler.rules._inputs import Extrapolation
from fruler.rules._losses import LOSS_NAMES, LossName, loss_given
from fruler.rules._output import LinkName, Output
from fruler.rules._rule_base import RuleBase


@documented("`max_evaluations`, `max_rules` and `early_stopping`", "one row per rule added")
class FuzzyRuleRegressor(BaseRuleRegressor):
    """Regression with a handful of readable fuzzy rules.

    Learns TSK-1 rules, "if temperature is low and humidity is high then y = a + b·x1 + ...", with labels that meet
    where the data bend and linear outputs of few terms. `rule_base_` is the model, in the data's own names and units.

    The rules are grown: starting from one linear rule, each step splits one rule in two or gives one input a curve that
    all rules share, whichever reduces the error most. Cross-validation chooses when to stop and how much to shrink
    the terms. Each rule is fitted to be right by itself where it applies, not only together with the others; `truth_`
    measures how well this succeeds.

    Parameters
    ----------
    loss : str, default="squared_error"
        What is minimised, and so what is predicted: the mean with "squared_error"; the median with "absolute_error";
        values near the mean that rows far out hardly move with "huber"; a quantile with "quantile". "poisson" (counts,
        rates), "gamma" (amounts above zero) and "tweedie" (amounts of which many are zero) predict means on the log
        scale: `link` is then "log".
    quantile : float, default=None
        The quantile to predict, between 0 and 1; only for ``loss="quantile"``, which needs it.
    power : float, default=None
        The power of the mean that the variance grows with, from 1 (Poisson) to 3, where 2 is gamma; only for
        ``loss="tweedie"``. `None` is 1.5.
    max_rules : int, default=20
        Maximum number of rules.
    max_curves : int, default=20
        Maximum number of inputs with a curve, which is added to the output of every rule; 0 for no curves.
    max_terms : int, default=None
        Maximum number of terms: slopes in rules, of which one that several rules share counts once, and lines of
        curves. With 0 every rule is a constant. `pareto_` then also has models with fewer terms. `None` keeps the terms
        that are clearly there.
    locality : float, default=None
        How much each rule must be right by itself, from 0 to 1. With 0, only the prediction counts, in which errors of
        rules may cancel; with 1, every rule is fitted only to its own rows. `None` chooses as much as the rules need to
        hold one by one, as long as that costs little accuracy.
    fuzziness : float, default=1.0
        The maximum overlap of neighbouring labels, from 0 (none) to 1 (as much as fits). The overlap itself is learned.
    regularization : float, default=None
        The ridge penalty on the terms of rules and curves, in rows: it counts as much as this number of rows in which
        the terms are zero. `None` chooses it by cross-validation.
    split_points : dict of str or int to sequence of float, default=None
        Known split points of some inputs, by name or index. Such an input is split at these points or not at all.
    monotonic_constraints : dict of str or int to int, or array-like of shape (n_features,), default=None
        The direction of the effect of numeric columns: 1 (predictions never fall as the column rises), -1 (they never
        rise) or 0 (no constraint); by name or index, or one per column. The constraint holds for every row, inside and
        outside the training data, with all other values of the row fixed. Rules are not split on such a column; it may
        have slopes and a curve.
    interaction_constraints : sequence of sequences of str or int, {"no_interactions", "pairwise"}, default=None
        Groups of columns that may interact: the model is a sum of functions, each of the columns of one group. All
        columns in no group form one more group. With "no_interactions" no columns interact; with "pairwise" any two
        may interact, but not three.
    max_evaluations : int, default=None
        Maximum number of candidates to evaluate; `None`: no limit.
    early_stopping : int, default=3
        The number of splits in a row without a gain after which the growth ends.
    cv : int, splitter of scikit-learn, or iterable of index pairs, default=None
        The folds of the fit's own cross-validation, which chooses the size and the penalty, and measures `truth_`, the
        typical error and prediction intervals. `None` draws five folds at random, an integer that many; with `groups`,
        whole groups. A splitter such as ``TimeSeriesSplit()``, or pairs of the numbers of rows to learn from and to
        hold out, are used as they are. Folds that are asked for are all used, the default's only until the choice is
        clear.
    {shared parameters}

    Attributes
    ----------
    {shared attributes}

    See Also
    --------
    FRULERRegressor : The paper's algorithm: instance selection, discretization and a genetic algorithm.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.98
    True
    """

    algorithm: ClassVar[Algorithm] = GROWTH

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRuleRegressor._parameter_constraints,
        "loss": [StrOptions(set(LOSS_NAMES))],
        "quantile": [Real, None],
        "power": [Real, None],
        "max_rules": [Interval(Integral, 1, None, closed="left")],
        "max_curves": [Interval(Integral, 0, None, closed="left")],
        "max_terms": [Interval(Integral, 0, None, closed="left"), None],
        "locality": [Interval(Real, 0, 1, closed="both"), None],
        "monotonic_constraints": ["array-like", Mapping, None],
        "interaction_constraints": ["array-like", Sequence, StrOptions({NO_INTERACTIONS, PAIRWISE}), None],
        "early_stopping": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        loss: LossName = "squared_error",
        quantile: float | None = None,
        power: float | None = None,
        max_rules: int = 20,
        max_curves: int = 20,
        max_terms: int | None = None,
        locality: float | None = None,
        fuzziness: float = 1.0,
        regularization: float | None = None,
        split_points: Mapping[str | int, Any] | None = None,
        monotonic_constraints: Mapping[str | int, int] | Sequence[int] | None = None,
        interaction_constraints: Sequence[Sequence[str | int]] | str | None = None,
        max_evaluations: int | None = None,
        early_stopping: int = 3,
        cv: Any = None,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or TableScan
            The inputs: numbers and categories. Values may be missing. A table that may be larger than memory is a
            `fruler.data.TableScan`, or anything that `fruler.data.scan_table` opens, with the target among its columns.
        y : array-like of shape (n_samples,), or str
            The target; for a scan, the name of its column.
        sample_weight : array-like of shape (n_samples,), or str, optional
            How much each row counts; for a scan, the name of its column. Rows of weight zero are left out.
        groups : array-like of shape (n_samples,), or str, optional
            The group of each row, such as a patient; for a scan, the name of its column. Rows of a group are held out
            together: the typical error and intervals are then those of new groups.

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
        return self._fitted(
            scan_table(X) if isinstance(y, str) and not isinstance(X, TableScan) else X, y, sample_weight, groups
        )

    def _output(self) -> Output:
        return Output.given(self.link, self.bounds, loss_given(self.loss, self.quantile, self.power))

    def _rows_to_learn_from(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
        loss = self._output().loss
        if self.calibration is not None and not loss.has_intervals:
            raise ValueError(
                f"calibration is for prediction intervals, which a model with loss={loss.name!r} does not have; leave "
                "it out."
            )
        if isinstance(X, TableScan) and self.calibration is not None:
            raise ValueError(
                "calibration needs rows in memory; for a table in batches leave it out, and pass rows that were not "
                "used for the fit to model.with_intervals(X, y)."
            )
        if self._has_pairs and (isinstance(X, TableScan) or self.calibration is not None):
            why = "needs rows in memory" if isinstance(X, TableScan) else "leaves no rows to calibration"
            raise ValueError(f"cv as pairs of row numbers {why}; pass a number of folds or a splitter.")
        return super()._rows_to_learn_from(X, y, sample_weight, groups)

    @property
    def _has_pairs(self) -> bool:
        """Whether the folds are given as pairs of row numbers, which belong to one table only."""
        return not (self.cv is None or isinstance(self.cv, Integral) or hasattr(self.cv, "split"))

    def _folds(self, X: Any, y: Any, groups: Any) -> Folds | None:
        folds = own_folds(self.cv, X, y, groups, self.random_state)
        if folds is not None and folds.told == LATER and self.calibration is not None:
            raise ValueError(
                "calibration holds out random rows, but the folds of cv go forward in time; leave calibration out: "
                "intervals then come from these folds."
            )
        return folds

    def _training_table(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingTable:
        if not isinstance(X, TableScan):
            return super()._training_table(X, y, sample_weight, groups)
        split = X.roles(y, sample_weight, groups)
        found, rows = sample_table(X, split, self._output(), declared=are_declared(self.categorical_features))
        made, folds = learn_columns(X, found, rows, self._training_inputs, self._folds)
        sample = self._table_of(made, folds)
        if len(rows) == found.n_rows:
            self._marks = made.marks
            return sample
        return SampledTable.around(sample, rows, made, X, split, found)

    def _input_constraints(self, names: Sequence[str], sources: Sequence[Source]) -> InputConstraints:
        return input_constraints(self.monotonic_constraints, self.interaction_constraints, names, sources)

    def _directions(self, rules: RuleBase) -> Floats:
        given = self._input_constraints(rules.names, [variable.source for variable in rules.variables]).monotonic or {}
        return np.array([given.get(name, 0) for name in rules.names], dtype=np.float64)

    def _fillers(self, names: Sequence[str], sources: Sequence[Source]) -> npt.NDArray[np.bool_] | None:
        return self._input_constraints(names, sources).fillers(names)

    def _options(self, table: TrainingTable) -> Any:
        constraints = self._input_constraints(table.names, self._sources or ())
        return replace(
            super()._options(table),
            monotonic_constraints=constraints.monotonic,
            interaction_constraints=constraints.interactions,
        )
