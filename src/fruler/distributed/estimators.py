"""The estimators for Dask collections."""

from __future__ import annotations

import inspect
import os
import re
from contextlib import nullcontext
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self, TypeVar

import dask
import dask.array as da
import numpy as np
import pandas as pd
from distributed import Client
from sklearn.base import clone
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from fruler.algorithms.fruler.algorithm import FRULER
from fruler.algorithms.growth.algorithm import GROWTH
from fruler.distributed.cluster import check_workers, find_client, losses_named
from fruler.distributed.fruler import RemoteFRULERLearner
from fruler.distributed.growth import RemoteGrowthLearner
from fruler.distributed.preparation import prepare_rows
from fruler.distributed.remote_table import RemoteTable
from fruler.distributed.scores import predict_block, predict_frame, r2_of
from fruler.distributed.source import Source, fits, open_rows, same_block, whole_rows
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.fruler import FRULERRegressor
from fruler.estimators.growth import FuzzyRuleRegressor
from fruler.explain.stability.stability import Stability
from fruler.learning.algorithm import Algorithm
from fruler.rules.intervals import PredictionIntervals

_PARAMETERS = """client : distributed.Client, default=None
        The client of the cluster; `None` takes the one that was made last.
    keep_rows : bool, default=None
        Whether workers keep the rows in memory (Dask writes what is too much to disk), or read them again for every
        pass. `None` keeps them if they take less than a third of the workers' memory, or cannot be read again. Rows are
        kept as numbers, whatever the columns hold.
    timeout : float, default=60.0
        The number of seconds without any worker after which the fit fails."""
# What the docstring of an estimator for data in memory says of its parameters, and of its attributes.
_SECTIONS = re.compile(r"^    (?:Parameters|Attributes)\n    -+\n    (.*?)\n\n", re.DOTALL | re.MULTILINE)


class DaskRuleRegressor(BaseRuleRegressor):
    """What the estimators for Dask collections share: rows stay with the workers, the client leads the search.

    A subclass inherits from this and from the estimator for data in memory, which it names in `local`.

    Attributes
    ----------
    local : type
        Of the class: the estimator for data in memory.
    """

    local: ClassVar[type[BaseRuleRegressor]]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "client": [object, None],
        "keep_rows": ["boolean", None],
        "timeout": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, client: Client | None = None, *, keep_rows: bool | None = None, timeout: float = 60.0, **parameters: Any
    ) -> None:
        super().__init__(**parameters)
        self.client = client
        self.keep_rows = keep_rows
        self.timeout = timeout

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : Dask array or data frame of shape (n_samples, n_features)
            The inputs: numbers and categories. Values may be missing. Sizes of chunks may be unknown.
        y : Dask array or series of shape (n_samples,)
            The target, with the partitions of `X`.
        sample_weight : Dask array or series of shape (n_samples,), optional
            How much each row counts, with the partitions of `X`.

        Returns
        -------
        self
            The fitted regressor.
        """
        with losses_named(find_client(self.client)):
            return super().fit(X, y, sample_weight)

    def _rows_to_learn_from(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        if self.calibration is not None:
            raise ValueError(
                "calibration needs rows in memory; on a cluster leave it out, and give rows that were not learned from "
                "to model.to_local().with_intervals(X, y)."
            )
        if not self._output().is_plain:
            raise ValueError(
                "link and bounds need rows in memory; on a cluster leave them out, fit the logarithm of y yourself, or "
                f"clip the predictions, or fit {self.local.__name__} on a sample."
            )
        return X, y, sample_weight

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> RemoteTable:
        client = find_client(self.client)
        source = Source(self, X, y, sample_weight)
        check_workers(client, self.timeout)
        raw = open_rows(source, client, self.keep_rows, self.timeout)
        blocks, made, n_numbers = prepare_rows(self, raw, source.names)
        self._sources, self._moments = made.sources, made.moments
        if self.keep_rows is None and not blocks.held and fits(client, n_numbers):
            blocks = blocks.kept(same_block, None)
        return RemoteTable.measured(blocks, made.names, self.split_points, made.levels, self.algorithm.weighted_scale)

    def predict(self, X: Any) -> Any:
        """Predict the target; of a Dask collection lazily, block by block.

        Parameters
        ----------
        X : Dask array or data frame, or array-like, of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        Dask array, Dask series or ndarray of shape (n_samples,)
            The predictions: an array of an array, a series of a data frame.
        """
        check_is_fitted(self, "rule_base_")
        if isinstance(X, da.Array):
            model = self._quiet()
            return whole_rows(X).map_blocks(predict_block, model, drop_axis=1, dtype=np.float64, meta=np.empty(0))
        if hasattr(X, "map_partitions"):
            outline = pd.Series(np.empty(0), index=X._meta.index, name=self.rule_base_.target_name)
            return X.map_partitions(predict_frame, self._quiet(), meta=outline)
        return super().predict(X)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> PredictionIntervals:
        """Return for each row an interval that contains its target with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs, in memory; `to_local` gives a model whose `predict_interval` workers can call on partitions.
        coverage : float, default=0.9
            The share of rows whose target lies in their interval.

        Returns
        -------
        PredictionIntervals
            As that of the estimator for data in memory.

        Raises
        ------
        ValueError
            If `X` is a Dask collection.
        """
        if dask.is_dask_collection(X):
            raise ValueError(
                "predict_interval takes rows in memory; for a Dask collection call it on partitions, as in "
                "X.map_partitions(lambda part, model: model.predict_interval(part).lower, model.to_local())."
            )
        return super().predict_interval(X, coverage)

    def stability(self, X: Any, y: Any, n: int = 20, **options: Any) -> Stability:
        """Learn the model again from parts of its rows, in memory: which splits, rules and effects come back.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs of training rows, in memory: those that fit into it.
        y : array-like of shape (n_samples,)
            Their target.
        n : int, default=20
            The number of refits.
        **options : any
            As for the estimator for data in memory, which makes the refits.

        Returns
        -------
        Stability
            As that of the estimator for data in memory.

        Raises
        ------
        ValueError
            If `X` or `y` is a Dask collection.
        """
        if dask.is_dask_collection(X) or dask.is_dask_collection(y):
            raise ValueError(
                "stability takes rows in memory; give it some, as in X.sample(frac=0.01).compute(), and their y."
            )
        return self.to_local().stability(X, y, n, **options)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² of the predictions; of Dask collections without bringing them to the client.

        Parameters
        ----------
        X : Dask array or data frame, or array-like, of shape (n_samples, n_features)
            The inputs.
        y : Dask array or series, or array-like, of shape (n_samples,)
            The target.
        sample_weight : Dask array or series, or array-like, of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        float
            One less the squared errors' share of the squared deviations from the mean.
        """
        if not dask.is_dask_collection(X):
            return float(super().score(X, y, sample_weight))
        with nullcontext() if self.client is None else self.client.as_current():
            return r2_of(self._quiet(), X, y, sample_weight)

    def _quiet(self) -> BaseRuleRegressor:
        """Return the model for data in memory, without warnings that nobody would see on a worker."""
        model = self.to_local()
        model.warn_outside = False
        return model

    def to_local(self) -> BaseRuleRegressor:
        """Return the fitted model as the estimator for data in memory, which needs no cluster.

        Returns
        -------
        FuzzyRuleRegressor or FRULERRegressor
            The fitted estimator.
        """
        check_is_fitted(self, "rule_base_")
        local = self.local(**{name: getattr(self, name) for name in self.local._get_param_names()})
        parameters = self._get_param_names()
        for name, value in vars(self).items():
            if name not in parameters:
                setattr(local, name, value)
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `load_model` reads as the estimator for data in memory.

        Parameters
        ----------
        path : path
            Where to.
        """
        self.to_local().save(path)

    def __sklearn_clone__(self) -> Self:
        # A client can't be copied; a clone works on the same cluster.
        parameters = {name: clone(value, safe=False) for name, value in self._without_client().items()}
        return type(self)(client=self.client, **parameters)

    def __getstate__(self) -> dict[str, Any]:
        # Nor can it be sent elsewhere: a copy takes the client that is there.
        return {**super().__getstate__(), "client": None}

    def _without_client(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params(deep=False).items() if name != "client"}


_Class = TypeVar("_Class", bound=type[DaskRuleRegressor])


def _on_dask(estimator: _Class) -> _Class:
    """Give an estimator a constructor of its own, whose signature scikit-learn and `help` read.

    It has the parameters of the estimator for data in memory, and those of the cluster.
    """

    def __init__(self: Any, client: Client | None = None, **parameters: Any) -> None:
        DaskRuleRegressor.__init__(self, client, **parameters)

    own = inspect.signature(DaskRuleRegressor.__init__).parameters.values()
    inherited = list(inspect.signature(estimator.local.__init__).parameters.values())[1:]
    signature = [*(one for one in own if one.kind != inspect.Parameter.VAR_KEYWORD), *inherited]
    __init__.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    estimator.__init__ = __init__  # type: ignore[method-assign]
    constraints = estimator.local._parameter_constraints | DaskRuleRegressor._parameter_constraints
    estimator._parameter_constraints = constraints
    if estimator.__doc__ is not None and estimator.local.__doc__ is not None:
        parameters, attributes = _SECTIONS.findall(estimator.local.__doc__)
        text = estimator.__doc__.replace("{parameters}", f"{_PARAMETERS}\n    {parameters}")
        estimator.__doc__ = text.replace("{attributes}", attributes)
    return estimator


@_on_dask
class DaskFuzzyRuleRegressor(DaskRuleRegressor, FuzzyRuleRegressor):
    """`FuzzyRuleRegressor` for tables that are larger than a machine: rows stay with the workers of a Dask cluster.

    The client fetches at most 10,000 rows and grows rules on them, as `FuzzyRuleRegressor` does; workers then fit the
    outputs of the rules on all rows. Results are put together in the order of the partitions, so that the model does
    not depend on who computed what, nor on workers that are lost on the way. `FuzzyRuleRegressor` learns the same model
    from the same rows and seed, up to rounding.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    fruler.FuzzyRuleRegressor : For data in memory.
    DaskFRULERRegressor : The paper's algorithm on a cluster.

    Notes
    -----
    `n_jobs` are threads of the client.

    Examples
    --------
    >>> from dask.distributed import Client, LocalCluster
    >>> import dask.array as da
    >>> from fruler.data import load_example
    >>> from fruler.distributed import DaskFuzzyRuleRegressor
    >>> friedman = load_example("friedman")
    >>> X, y = da.from_array(friedman.data.to_numpy(), chunks=(400, -1)), da.from_array(friedman.target.to_numpy(), 400)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     model = DaskFuzzyRuleRegressor(client, random_state=0, max_evaluations=200).fit(X, y)
    ...     predictions = model.predict(X).compute()
    ...     r2 = model.score(X, y)
    >>> predictions.shape == friedman.target.shape, r2 > 0.8
    (True, True)
    >>> model.to_local()
    FuzzyRuleRegressor(max_evaluations=200, random_state=0)
    """

    algorithm: ClassVar[Algorithm] = replace(GROWTH, learner=RemoteGrowthLearner)
    local: ClassVar[type[BaseRuleRegressor]] = FuzzyRuleRegressor


@_on_dask
class DaskFRULERRegressor(DaskRuleRegressor, FRULERRegressor):
    """`FRULERRegressor` for tables that are larger than a machine: rows stay with the workers of a Dask cluster.

    Workers select representative rows of their own partitions, sum up every input in bins for the discretization, and
    evaluate each generation; the population is on the client. Results are put together in the order of the partitions,
    so that the model does not depend on who computed what, nor on workers that are lost on the way. `FRULERRegressor`
    learns the same model from the same seed, representative rows and split points, up to rounding.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    fruler.FRULERRegressor : For data in memory.
    DaskFuzzyRuleRegressor : Rules that grow, on a cluster.

    Notes
    -----
    `n_jobs` are threads of the client. With ``solver="sgd"`` consequents are fitted to the selected rows only
    (``fit_rows="selected"``), and at the end to all, of which the client fetches at most 50,000. With
    ``instance_selection=False`` rules are made from at most 20,000 rows.

    Examples
    --------
    >>> from dask.distributed import Client, LocalCluster
    >>> import dask.array as da
    >>> from fruler.data import load_example
    >>> from fruler.distributed import DaskFRULERRegressor
    >>> friedman = load_example("friedman")
    >>> X, y = da.from_array(friedman.data.to_numpy(), chunks=(400, -1)), da.from_array(friedman.target.to_numpy(), 400)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     model = DaskFRULERRegressor(client, random_state=0, max_evaluations=100).fit(X, y)
    >>> model.to_local()
    FRULERRegressor(max_evaluations=100, random_state=0)
    """

    algorithm: ClassVar[Algorithm] = replace(FRULER, learner=RemoteFRULERLearner)
    local: ClassVar[type[BaseRuleRegressor]] = FRULERRegressor
