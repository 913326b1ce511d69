"""Stage 2: split points for every granularity of every input (multi-granularity fuzzy discretization)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from fruler._algorithms.fruler.reading import CALIBRATED, Reading
from fruler._arrays import Floats
from fruler._kernels import discretization
from fruler._table.reading import check_table, check_training_table, column_names
from fruler._table.rows import measure_scale
from fruler.rules._partitions import FuzzyPartition

Splits = Literal["printed", "gain"]
SPLITS: tuple[Splits, ...] = ("printed", "gain")

# A total error below this share of the output's squares is rounding, and its logarithm would dominate the criterion.
_ERROR_FLOOR = 1e-12


@dataclass(frozen=True)
class NestedSplits:
    """The nested split points of one input.

    Attributes
    ----------
    found : ndarray
        The split points in the order in which they were found; granularity g has the first g - 1 of them.
    criteria : ndarray
        The BIC of every granularity that was tried, from 1 on; its minimum ends `found`.
    """

    found: Floats
    criteria: Floats

    @property
    def granularity(self) -> int:
        """The largest granularity that BIC allows."""
        return len(self.found) + 1

    def at(self, granularity: int) -> Floats:
        """Return the split points of one granularity, in increasing order."""
        return np.sort(self.found[: granularity - 1])


def nested_splits(
    X: Floats,
    y: Floats,
    sample_weight: Floats | None = None,
    *,
    splits: Splits = "printed",
    reading: Reading = CALIBRATED,
) -> list[NestedSplits]:
    """Find the nested split points of every input; `MultiGranularityDiscretizer` and `Reading` document the parameters.

    Returns
    -------
    list of NestedSplits
        One for each column of `X`.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    if not weight.all():
        counted = weight > 0.0
        X, y, weight = X[counted], y[counted], weight[counted]
    y = measure_scale(y).apply(y)
    floor = max(_ERROR_FLOOR * float((weight * np.square(y)).sum()), np.finfo(float).tiny)
    columns = np.ascontiguousarray(X.T)
    orders = np.argsort(columns, axis=1)
    printed = splits == "printed"
    charges = reading.min_samples, float(reading.first_split_free), floor, printed
    errors = printed and reading.linear_error == "weighted", reading.bic_error == "summed"
    found = discretization.split_columns(columns, orders, y, weight, *charges, *errors)
    return [
        NestedSplits(_split_points(column[order[right - 1]], column[order[right]], splits), criteria)
        for column, order, (right, criteria) in zip(columns, orders, found, strict=True)
    ]


def _split_points(below: Floats, above: Floats, splits: Splits) -> Floats:
    """Return the split points between the values below and the values on them or above."""
    if splits == "printed":
        return above
    middle = below / 2.0 + above / 2.0
    # If the middle is rounded down to the lower value, take the upper one, so that the lower value stays below.
    return np.asarray(np.where(middle > below, middle, above))


class MultiGranularityDiscretizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut each input into nested fuzzy partitions, as fine as its relation to the target warrants.

    An input with a straight relation to the target needs few labels; each bend needs one more. Starting from one
    interval, the best split of an interval into two straight lines is added, again and again; the Bayesian information
    criterion decides how many are kept. A coarser granularity is always a finer one with a split removed. This is the
    second stage of FRULER.

    Parameters
    ----------
    splits : {"printed", "gain"}, default="printed"
        Where splits may lie, and which interval is split next. "printed" follows the paper's pseudocode: splits lie on
        observed values, rows on a split and at the ends of the domain count in no interval, and the interval with the
        smallest mean squared error after its split is split next. It comes closest to the paper's granularities.
        "gain" is sounder: splits lie between observed values, every row counts, and the interval whose squared error
        falls most is split next.
    min_samples : int, default=30
        Minimum number of rows on each side of a split; each side also has at least two distinct values.
    first_split_free : bool, default=True
        Whether the first split is free in the criterion, as in the paper's printed formula. Otherwise an input that by
        itself has a straight relation to the target never gets a second label, even if it matters in combination with
        others.
    fuzziness : float, default=1.0
        How much neighbouring labels overlap, from 0 (crisp) to 1.

    Attributes
    ----------
    granularities_ : ndarray of shape (n_features_in_,)
        The largest number of labels of each input; 1 if it is not split.
    split_points_ : list of list of ndarray
        ``split_points_[j][g - 1]`` are the g - 1 increasing split points of input j at granularity g.
    domains_ : ndarray of shape (n_features_in_, 2)
        The smallest and the largest value of each input.
    nested_splits_ : list of NestedSplits
        The splits of each input in the order in which they were found, and the criterion of every granularity tried.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names.

    See Also
    --------
    FRULERRegressor : The whole algorithm.
    ClassConditionalSelector : Its first stage.
    fruler.explain.plots.GranularitiesDisplay : A plot of the partitions.

    Notes
    -----
    An input costs one sort and a few passes over its distinct values. Constant and binary inputs are not split. With
    ``splits="printed"`` an input needs seven distinct values for a split: two at each side, the ends, and the split
    itself.

    The printed criterion adds up mean errors of intervals of different sizes and, taken literally, splits hardly any
    input. Here it uses the mean squared error over the rows in all intervals: n·log(MSE) + max(1, g - 1)·2·log n. With
    one interval that is the error over all rows. Rows on a split do not count in the error, so with
    ``splits="printed"`` an input with repeated values gets more labels than its relation to the target warrants.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler import MultiGranularityDiscretizer
    >>> x = np.linspace(0, 10, 500)
    >>> y = np.abs(x - 4)
    >>> discretizer = MultiGranularityDiscretizer().fit(x[:, None], y)
    >>> discretizer.granularities_.tolist(), discretizer.split_points_[0][1].round(1).tolist()
    ([2], [4.0])
    >>> discretizer.transform([[0.0], [4.0], [10.0]]).round(1).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    >>> discretizer.get_feature_names_out().tolist()
    ['x0 is low', 'x0 is high']

    >>> discretizer.partition("x0", granularity=2).labels
    ('low', 'high')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "splits": [StrOptions(set(SPLITS))],
        "min_samples": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "first_split_free": ["boolean"],
        "fuzziness": [Interval(Real, 0, 1, closed="both")],
    }

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    granularities_: npt.NDArray[np.intp]
    split_points_: list[list[Floats]]
    domains_: Floats
    nested_splits_: list[NestedSplits]

    def __init__(
        self,
        *,
        splits: Splits = "printed",
        min_samples: int = 30,
        first_split_free: bool = True,
        fuzziness: float = 1.0,
    ) -> None:
        self.splits = splits
        self.min_samples = min_samples
        self.first_split_free = first_split_free
        self.fuzziness = fuzziness

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the split points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows in the squared errors.

        Returns
        -------
        self
            The fitted discretizer.
        """
        self._validate_params()
        X_checked, y_checked, weight = check_training_table(self, X, y, sample_weight=sample_weight)
        self.nested_splits_ = nested_splits(
            X_checked,
            y_checked,
            weight,
            splits=self.splits,
            reading=Reading(min_samples=self.min_samples, first_split_free=self.first_split_free),
        )
        self.granularities_ = np.array([nested.granularity for nested in self.nested_splits_], dtype=np.intp)
        self.split_points_ = [
            [nested.at(g) for g in range(1, nested.granularity + 1)] for nested in self.nested_splits_
        ]
        self.domains_ = np.column_stack([X_checked.min(axis=0), X_checked.max(axis=0)])
        return self

    def partition(self, feature: int | str, granularity: int | None = None) -> FuzzyPartition:
        """Return the fuzzy partition of one input.

        Parameters
        ----------
        feature : int or str
            The index of the input, or its name.
        granularity : int, optional
            The number of labels, from 1 to the input's largest granularity, which is the default.

        Returns
        -------
        FuzzyPartition
            The partition.

        Raises
        ------
        ValueError
            If there is no such input, or it has no such granularity.
        """
        check_is_fitted(self)
        names = column_names(self, len(self.granularities_))
        j = names.index(feature) if isinstance(feature, str) and feature in names else feature
        if j not in range(len(names)):
            raise ValueError(
                f"There is no input {feature!r}; the inputs are 0 to {len(names) - 1}: {', '.join(names)}."
            )
        j = int(j)
        largest = int(self.granularities_[j])
        chosen = largest if granularity is None else granularity
        if chosen not in range(1, largest + 1):
            raise ValueError(f"Input {feature!r} has the granularities 1 to {largest}, not {chosen}.")
        return FuzzyPartition(self.split_points_[j][chosen - 1], self.domains_[j], self.fuzziness)

    def transform(self, X: Any) -> Floats:
        """Return the membership degrees of each row in the labels of every input's finest partition.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        ndarray of shape (n_samples, sum of granularities_)
            The degrees; those of one input sum to one.
        """
        check_is_fitted(self)
        values = check_table(self, X)
        return np.hstack([self.partition(j).degrees(values[:, j]) for j in range(values.shape[1])])

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each column of `transform`, such as ``"age is low"``.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the inputs; those of `fit` by default.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        columns = [f"{name} is {label}" for j, name in enumerate(names) for label in self.partition(j).labels]
        return np.asarray(columns, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
