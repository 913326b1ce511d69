"""The parameters and attributes that every estimator shares: documented once."""

from __future__ import annotations

from typing import TypeVar

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


def documented(limits: str, history: str) -> _Documenter:
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
    return _Documenter(limits, history)


class _Documenter:
    def __init__(self, limits: str, history: str) -> None:
        self.parameters = _PARAMETERS.format(limits=limits)
        self.attributes = _ATTRIBUTES.format(history=history)

    def __call__(self, estimator: _Class) -> _Class:
        if estimator.__doc__ is not None:  # Python may run without docstrings
            text = estimator.__doc__.replace("{shared parameters}", self.parameters)
            estimator.__doc__ = text.replace("{shared attributes}", self.attributes)
        return estimator
