"""DaskFuzzyRuleRegressor: rows stay on the workers of a Dask cluster, and the client runs the search."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from contextlib import nullcontext
from numbers import Real
from typing import Any, ClassVar, Self

import dask
import dask.array as da
import numpy as np
import pandas as pd
from distributed import Client
from sklearn.base import clone
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from fruler._arrays import Floats
from fruler.distributed._cluster import check_workers, find_client, losses_named
from fruler.distributed._dask_scan import DaskScan, partitions_of, whole_rows
from fruler.estimators._growth import FuzzyRuleRegressor
from fruler.explain.stability import Stability
from fruler.learning._training_table import TrainingTable
from fruler.rules.intervals import PredictionIntervals

# Parameters that `FuzzyRuleRegressor` does not have.
_OF_THE_CLUSTER = ("client", "keep_rows", "timeout")


def _with_inherited_parameters(constructor: Callable[..., None]) -> Callable[..., None]:
    """Add the parameters of `FuzzyRuleRegressor` to a signature, which scikit-learn and `help` read."""
    own = inspect.signature(constructor).parameters.values()
    inherited = inspect.signature(FuzzyRuleRegressor).parameters.values()
    named = [parameter for parameter in own if parameter.kind != inspect.Parameter.VAR_KEYWORD]
    constructor.__signature__ = inspect.Signature([*named, *inherited])  # type: ignore[attr-defined]
    return constructor


def _with_inherited_sections(estimator: type[DaskFuzzyRuleRegressor]) -> type[DaskFuzzyRuleRegressor]:
    """Copy the documented parameters and attributes of `FuzzyRuleRegressor` into a docstring."""
    inherited, text = FuzzyRuleRegressor.__doc__, estimator.__doc__
    if inherited is not None and text is not None:  # Python may run without docstrings
        for section in ("Parameters", "Attributes"):
            # Python 3.13 removes the indentation.
            [entries] = re.findall(rf"\n *{section}\n *-+\n *(.*?)\n\n", inherited, re.DOTALL)
            text = text.replace(f"{{{section.lower()}}}", entries)
        estimator.__doc__ = text
    return estimator


@_with_inherited_sections
class DaskFuzzyRuleRegressor(FuzzyRuleRegressor):
    """`FuzzyRuleRegressor` for tables larger than memory: rows stay on the workers of a Dask cluster.

    The client fetches a sample of at most 250,000 rows and grows rules on it, as `FuzzyRuleRegressor` does with a
    `fruler.data.TableScan`; the workers then sum up all rows for the outputs of the rules. Sums are added in the order
    of the partitions, so that the model does not depend on which worker computed what, nor on workers that are lost
    during the fit. `FuzzyRuleRegressor` learns the same model from the same rows and seed, up to rounding.

    Parameters
    ----------
    client : distributed.Client, default=None
        The client of the cluster; `None` takes the current client.
    keep_rows : bool, default=None
        Whether workers keep the rows in memory (Dask spills the excess to disk), or read them again for every pass.
        `None` keeps them if their numbers take less than a third of the workers' memory.
    timeout : float, default=60.0
        The number of seconds without any worker after which the fit fails.
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    fruler.FuzzyRuleRegressor : For data in memory.

    Notes
    -----
    `n_jobs` is the number of threads of the client.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FuzzyRuleRegressor._parameter_constraints,
        "client": [object, None],
        "keep_rows": ["boolean", None],
        "timeout": [Interval(Real, 0, None, closed="neither")],
    }

    @_with_inherited_parameters
    def __init__(
        self, client: Client | None = None, *, keep_rows: bool | None = None, timeout: float = 60.0, **parameters: Any
    ) -> None:
        super().__init__(**parameters)
        self.client = client
        self.keep_rows = keep_rows
        self.timeout = timeout

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : Dask array or data frame of shape (n_samples, n_features)
            The inputs: numbers and categories. Values may be missing. Sizes of chunks may be unknown.
        y : Dask array or series of shape (n_samples,)
            The target, with the partitions of `X`.
        sample_weight : Dask array or series of shape (n_samples,), optional
            How much each row counts, with the partitions of `X`.
        groups : Dask array or series of shape (n_samples,), optional
            The group of each row, with the partitions of `X`. Rows of a group are held out together.

        Returns
        -------
        self
            The fitted regressor.
        """
        with losses_named(find_client(self.client)):
            return super().fit(X, y, sample_weight, groups)

    def _rows_to_learn_from(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
        if self.calibration is not None:
            raise ValueError(
                "calibration needs rows in memory; on a cluster leave it out, and pass rows that were not used for the "
                "fit to model.to_local().with_intervals(X, y)."
            )
        if self._has_pairs:
            raise ValueError("cv as pairs of row numbers needs rows in memory; pass a number of folds or a splitter.")
        return X, y, sample_weight, groups

    def _training_table(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingTable:
        client = find_client(self.client)
        check_workers(client, self.timeout)
        scan = DaskScan(self, X, y, sample_weight, groups, client, self.keep_rows, self.timeout)
        return super()._training_table(scan, None, None, None)

    def predict(self, X: Any) -> Any:
        """Predict the target; Dask collections are predicted lazily, block by block.

        Parameters
        ----------
        X : Dask array or data frame, or array-like, of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        Dask array, Dask series or ndarray of shape (n_samples,)
            The predictions: an array for an array, a series for a data frame.
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
        """Return an interval for each row that contains its target with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs, in memory. For partitions on workers, call `predict_interval` of the model from `to_local`.
        coverage : float, default=0.9
            The share of rows whose target lies in their interval.

        Returns
        -------
        PredictionIntervals
            As `FuzzyRuleRegressor.predict_interval`.

        Raises
        ------
        ValueError
            If `X` is a Dask collection.
        """
        if dask.is_dask_collection(X):
            raise ValueError(
                "predict_interval needs rows in memory; for a Dask collection call it on partitions, as in "
                "X.map_partitions(lambda part, model: model.predict_interval(part).lower, model.to_local())."
            )
        return super().predict_interval(X, coverage)

    def stability(self, X: Any, y: Any, n: int = 20, **options: Any) -> Stability:
        """Refit the model in memory on parts of its rows, and return which splits, rules and effects recur.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs of training rows, in memory: all, or as many as fit.
        y : array-like of shape (n_samples,)
            Their target.
        n : int, default=20
            The number of refits.
        **options : any
            As for `FuzzyRuleRegressor.stability`.

        Returns
        -------
        Stability
            As `FuzzyRuleRegressor.stability`.

        Raises
        ------
        ValueError
            If `X` or `y` is a Dask collection.
        """
        if dask.is_dask_collection(X) or dask.is_dask_collection(y):
            raise ValueError(
                "stability needs rows in memory; pass a sample, as in X.sample(frac=0.01).compute(), and its y."
            )
        return self.to_local().stability(X, y, n, **options)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² of the predictions; Dask collections stay on the workers.

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
            One minus the ratio of the squared errors to the squared deviations from the mean.
        """
        if not dask.is_dask_collection(X):
            return float(super().score(X, y, sample_weight))
        with nullcontext() if self.client is None else self.client.as_current():
            return r2_of(self._quiet(), X, y, sample_weight)

    def _quiet(self) -> FuzzyRuleRegressor:
        """Return the model for data in memory, without warnings: nobody would see them on a worker."""
        model = self.to_local()
        model.warn_outside = False
        return model

    def to_local(self) -> FuzzyRuleRegressor:
        """Return the fitted model as a `FuzzyRuleRegressor`, which needs no cluster.

        Returns
        -------
        FuzzyRuleRegressor
            The fitted estimator.
        """
        check_is_fitted(self, "rule_base_")
        local = FuzzyRuleRegressor()
        local.__dict__.update({name: value for name, value in vars(self).items() if name not in _OF_THE_CLUSTER})
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a JSON file, which `load_model` reads as a `FuzzyRuleRegressor`.

        Parameters
        ----------
        path : path
            The file to write.
        """
        self.to_local().save(path)

    def __sklearn_clone__(self) -> Self:
        # A client cannot be copied; a clone uses the same client.
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(client, **{name: clone(value, safe=False) for name, value in parameters.items()})

    def __getstate__(self) -> dict[str, Any]:
        # A client cannot be pickled; an unpickled model uses the current client.
        return {**super().__getstate__(), "client": None}


def predict_block(X: Any, model: FuzzyRuleRegressor) -> Floats:
    """Predict a block of an array, which may have no rows."""
    return model.predict(X) if len(X) else np.empty(0)


def predict_frame(X: pd.DataFrame, model: FuzzyRuleRegressor) -> pd.Series:
    """Predict a partition of a data frame."""
    return pd.Series(predict_block(X, model), index=X.index, name=model.rule_base_.target_name)


def r2_of(model: FuzzyRuleRegressor, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return R² of the predictions for Dask collections, which stay on the workers."""
    tables = [X, y] if sample_weight is None else [X, y, sample_weight]
    parts = zip(*(partitions_of(table) for table in tables), strict=True)
    sums = dask.delayed(score_part, pure=False)
    found = dask.compute(*(sums(model, *part) for part in parts))
    error, total, deviation, square = np.sum(found, axis=0)
    spread = square - deviation * deviation / total
    return float(1.0 - error / spread) if spread > 0.0 else float(error == 0.0)


def score_part(model: FuzzyRuleRegressor, X: Any, y: Any, weight: Any = None) -> Floats:
    """Return sums over a partition: squared errors, weights, and deviations from a fixed value and their squares."""
    if len(X) == 0:
        return np.zeros(4)
    truth = np.asarray(y, dtype=np.float64).reshape(-1)
    weights = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=np.float64).reshape(-1)
    # Any value would do; with a value near the mean the squares lose no digits.
    deviation = truth - model.rule_base_.background.target_mean
    error = truth - model.predict(X)
    return np.array([weights @ (error * error), weights.sum(), weights @ deviation, weights @ (deviation * deviation)])
