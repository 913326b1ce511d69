"""DaskFRULERRegressor: the estimator for Dask collections."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import dask
import dask.array as da
import numpy as np
import pandas as pd
from distributed import Client
from sklearn.base import clone
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from fruler.distributed.cluster import check_workers, find_client
from fruler.distributed.describing import describe_all
from fruler.distributed.evolution import RemoteEvolutionLearner
from fruler.distributed.growth import RemoteGrowthLearner
from fruler.distributed.scoring import predict_block, predict_frame, r2_of
from fruler.distributed.source import Source, open_blocks, whole_rows
from fruler.distributed.table import RemoteTable
from fruler.estimators.base import FRULERRegressor, Numbering
from fruler.learning.run import Learners
from fruler.learning.table import FrontPoint, TrainingData, TrainingSample
from fruler.rules.summary import TrainingSummary

if TYPE_CHECKING:
    import os


class DaskFRULERRegressor(FRULERRegressor):
    """`FRULERRegressor` for tables that are larger than a machine: rows stay with the workers of a Dask cluster.

    The client leads the search. For ``search="growth"`` it fetches 4,000 rows and grows rules on them, as
    `FRULERRegressor` does; consequents are then fitted on all rows by the workers. For ``search="evolution"`` workers
    select representative rows of their own partitions, sum up every input in bins for the discretization, and evaluate
    each generation. Results are put together in the order of the partitions, so that the model does not depend on who
    computed what, nor on workers that are lost on the way. `FRULERRegressor` learns the same model from the same rows
    and seed, up to rounding; the evolution, if both are given the same representative rows and split points.

    Parameters
    ----------
    client : distributed.Client, default=None
        The way to the cluster; None: the client that was made last.
    keep_rows : bool, default=None
        Whether workers keep the rows in memory (Dask writes what is too much to disk), or read them again for every
        pass. None: they are kept where they take less than a third of the workers' memory, or can't be read again.
    timeout : float, default=60.0
        Seconds that the cluster may be without any worker before that is an error.
    **parameters
        Those of `FRULERRegressor`. `n_jobs` are threads of the client. With ``solver="sgd"`` consequents are fitted to
        the selected rows only (``fit_rows="selected"``), and at the end to all by coordinate descent. With
        ``instance_selection=False`` rules are made from 20,000 rows at most.

    Attributes
    ----------
    rule_base_ : RuleBase
        The model; all other attributes are those of `FRULERRegressor`, too.

    Examples
    --------
    >>> from dask.distributed import Client, LocalCluster
    >>> import dask.array as da
    >>> from fruler.data import load_example
    >>> from fruler.distributed import DaskFRULERRegressor
    >>> friedman = load_example("friedman")
    >>> X, y = da.from_array(friedman.data.to_numpy(), chunks=(400, -1)), da.from_array(friedman.target.to_numpy(), 400)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     model = DaskFRULERRegressor(client, random_state=0, max_evaluations=200).fit(X, y)
    ...     predictions = model.predict(X).compute()
    >>> predictions.shape == friedman.target.shape
    True
    >>> model.to_local()
    FRULERRegressor(max_evaluations=200, random_state=0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FRULERRegressor._parameter_constraints,
        "client": [object, None],
        "keep_rows": ["boolean", None],
        "timeout": [Interval(Real, 0, None, closed="neither")],
    }
    _learners: ClassVar[Learners] = Learners(RemoteGrowthLearner, RemoteEvolutionLearner)

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
            The inputs; sizes of chunks may be unknown.
        y : Dask array or series of shape (n_samples,)
            The target, with the partitions of `X`.
        sample_weight : Dask array or series of shape (n_samples,), optional
            How much each row counts, with the partitions of `X`.

        Returns
        -------
        self
            The fitted regressor.
        """
        return super().fit(X, y, sample_weight)

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, Numbering]:
        client = find_client(self.client)
        source = Source(self, X, y, sample_weight)
        check_workers(client, self.timeout)
        blocks = open_blocks(source, client, self.keep_rows, self.timeout)
        table = RemoteTable.measured(blocks, source.names, self.split_points)
        return cast(TrainingData, table), table.given_numbers

    def _summary(self, point: FrontPoint, rows: TrainingData | TrainingSample) -> TrainingSummary:
        table = cast(Any, rows)
        if isinstance(table, RemoteTable):
            return describe_all(table, point.rule_base, self._sample, cv_error=point.cv_error)
        return super()._summary(point, rows)

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
            model = self.to_local()
            return whole_rows(X).map_blocks(predict_block, model, drop_axis=1, dtype=np.float64, meta=np.empty(0))
        if hasattr(X, "map_partitions"):
            outline = pd.Series(np.empty(0), index=X._meta.index, name=self.rule_base_.target_name)
            return X.map_partitions(predict_frame, self.to_local(), meta=outline)
        return super().predict(X)

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
            return r2_of(self.to_local(), X, y, sample_weight)

    def to_local(self) -> FRULERRegressor:
        """Return the fitted model as an ordinary `FRULERRegressor`, which needs no cluster."""
        check_is_fitted(self, "rule_base_")
        local = FRULERRegressor(**{name: getattr(self, name) for name in FRULERRegressor._get_param_names()})
        parameters = self._get_param_names()
        for name, value in vars(self).items():
            if name not in parameters:
                setattr(local, name, value)
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `load_model` reads as an ordinary `FRULERRegressor`.

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


def _signature() -> inspect.Signature:
    """Return the parameters of `FRULERRegressor` and those of its own: what scikit-learn, and `help`, read."""
    own = inspect.signature(DaskFRULERRegressor.__init__).parameters.values()
    inherited = list(inspect.signature(FRULERRegressor.__init__).parameters.values())[1:]
    return inspect.Signature([*(one for one in own if one.kind != inspect.Parameter.VAR_KEYWORD), *inherited])


DaskFRULERRegressor.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
