"""What every instance selector shares: the estimator, and what it finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _safe_indexing

from fruler._typing import Floats, Indices
from fruler.table.scaling import Scale, measure_scale
from fruler.table.validation import check_training_table


@dataclass(frozen=True)
class Selection:
    """What instance selection found.

    Attributes
    ----------
    indices : ndarray
        The selected rows, in the order of the table.
    class_borders : ndarray
        The outputs at which one class ends and the next begins.
    scores : ndarray of shape (n_samples,)
        How well a row represents its class; rows are taken in decreasing order.
    error_all, error_selected : float
        Mean squared error of predicting every row's output from its nearest other row: among all rows, and among
        the selected ones.
    criterion_all, criterion_selected : float
        The error that decided on the selection, where that is another one: of all rows, and of the selected ones.
    thinned : bool
        Whether the set was thinned out.
    """

    indices: Indices
    class_borders: Floats
    scores: Floats
    error_all: float
    error_selected: float
    criterion_all: float
    criterion_selected: float
    thinned: bool


class InstanceSelector(ABC, BaseEstimator):  # type: ignore[misc]
    """An estimator that selects the rows of a regression table that represent the others.

    A subclass has its parameters, and `_select`.
    """

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    sample_indices_: Indices
    scores_: Floats
    class_borders_: Floats
    error_all_: float
    error_selected_: float
    thinned_: bool
    reduction_: float

    @abstractmethod
    def _select(self, X: Floats, y: Floats) -> Selection:
        """Select rows of standardised inputs and output."""

    def _keep_criterion(self, selection: Selection, unit: float) -> None:
        """Set the attributes of the error that decided on the selection, if it has any of its own.

        Parameters
        ----------
        selection : Selection
            What was found for a standardised output.
        unit : float
            The output's standard deviation.
        """

    def fit(self, X: Any, y: Any) -> Self:
        """Select the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        self
            The fitted selector.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from fruler import ClassConditionalSelector
        >>> X, y = load_diabetes(return_X_y=True)
        >>> ClassConditionalSelector().fit(X, y).sample_indices_.shape
        (106,)
        """
        self._validate_params()
        X_checked, y_checked, _ = check_training_table(self, X, y)
        scaled = measure_scale(X_checked).apply(X_checked)
        # The unit of the output does not matter to the selection, but its square must not overflow.
        scale = measure_scale(y_checked)
        self._keep(self._select(scaled, scale.apply(y_checked)), scale)
        return self

    def _keep(self, selection: Selection, scale: Scale) -> None:
        unit = float(scale.spread)
        self.sample_indices_ = selection.indices
        self.scores_ = selection.scores
        self.class_borders_ = selection.class_borders * unit + float(scale.centre)
        self.error_all_ = float(selection.error_all * unit * unit)
        self.error_selected_ = float(selection.error_selected * unit * unit)
        self.thinned_ = selection.thinned
        self.reduction_ = 1.0 - len(selection.indices) / len(selection.scores)
        self._keep_criterion(selection, unit)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Select the rows and return them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        X_selected : array-like or data frame
            The selected rows, in their order and in the container that was given.
        y_selected : array-like or series
            Their target.
        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
