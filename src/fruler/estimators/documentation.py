"""The parameters and attributes that every estimator shares: documented once."""

from __future__ import annotations

from typing import TypeVar

_PARAMETERS = """categorical_features : array-like of str, int or bool, or "from_dtype", default="from_dtype"
        The columns that hold categories: by name, by number, or as a mask. "from_dtype": text, truth values, and
        what pandas or polars call a category.
    link : {{"identity", "log"}}, default="identity"
        What rules say: the target, or with "log" its natural logarithm, for targets above 0 such as prices. Then what
        a rule adds multiplies the prediction, sentences tell it in percent, and predictions are above 0. The search
        sees logarithms alone: a prediction is the exponential of a mean of logarithms, which is more like the median
        of such rows than like their mean.
    bounds : (float or None, float or None), default=None
        The least and the greatest target that there can be, such as ``(0, None)``; predictions and the ends of
        intervals are clipped to them.
    calibration : float, default=None
        The share of the rows that is kept from learning, for prediction intervals alone: then a share of at least
        `coverage` of new rows like these lies in its interval. `None`: intervals come from the cross-validation of the
        fit, where it has one, as that of `FuzzyRuleRegressor`; other estimators then have none.
    extrapolation : {{"linear", "clip"}}, default="linear"
        What `predict` does with values outside the range of the training data: "linear" goes on with the formulas of
        the rules, and "clip" takes the nearest value in the range.
    warn_outside : bool, default=True
        Whether `predict` warns of rows that lie outside the training data.
    time_limit : float, default=None
        Seconds after which the search ends with the best model so far.
    n_jobs : int, default=None
        Threads that evaluate candidates; -1 for all processors. The model does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The only source of chance: the same seed gives the same model, on one machine to the last bit, and on another
        processor to rounding.
    callbacks : Callback or list of Callback, default=None
        Informed of the progress of the search, able to end it; see `fruler.callbacks`.
    verbose : int, default=0
        1 shows the progress of the search on standard error: a bar on a terminal, elsewhere a line every two seconds.
    checkpoint : path, default=None
        A folder in which the search is kept every few seconds. A fit that was stopped or killed resumes from there when
        it is repeated, and gives the model of one that was not; one that was finished gives its model at once.
    warm_start : bool, default=False
        Whether another fit on the same data resumes the search of the last one. In between,
        {limits} may be raised; the model is that of one longer fit."""

_ATTRIBUTES = """rule_base_ : RuleBase
        The model.
    n_rules_ : int
        Number of rules.
    rules_ : DataFrame
        One row per rule, numbered from 1: its labels, its support, its errors and its coefficients. Over the rows in
        which the rule is the strongest, `rmse` is the error of the prediction, and `rmse alone` that of the rule by
        itself. With ``link="log"`` coefficients and errors are those of the logarithm.
    truth_ : Truth or None
        How true the rules are one by one: the root mean squared error of all rules `together` and of the strongest rule
        `alone`, of the model and of each rule, and their `ratio`. On held-out rows where the algorithm cross-validates
        (`held_out`), else on the training rows. With ``link="log"`` these are errors of the logarithm. None where it is
        not known, as for older model files.
    curves_ : DataFrame
        What single inputs add to the output of every rule: one row per bend of a curve, with its input, the value and
        what it adds there. Empty where there are no curves.
    pareto_ : DataFrame
        The trade-off between accuracy and size that the search met, one row per model: rules, curves, non-zero
        coefficients, the criterion, half the mean squared error on the training rows (`error`) and its root mean
        squared error in the target's unit (`rmse`); where the algorithm cross-validates, the same two on held-out rows
        (`cv_error`, `cv_rmse`) and the ratio of `truth_`. `with_rules` makes a model of each. With ``link="log"`` the
        errors are of the target, and the criterion is of its logarithm.
    n_evaluations_ : int
        Candidates that were evaluated, repeated ones included.
    resumed_ : int
        The evaluations of an earlier fit that this one resumed; 0 if it started afresh.
    ended_early_ : bool
        Whether the time limit, a callback or Ctrl-C cut the search short.
    history_ : DataFrame
        How the search went: {history}. With ``link="log"`` its errors are those of the logarithm.
    regularization_ : float
        The penalty that was used.
    sample_indices_ : ndarray
        The rows that rules were made from.
    granularities_ : ndarray of shape (n_features_in_,)
        The number of labels of each input in the model.
    stage_seconds_ : dict of str to float
        How long each stage of the fit took, without what was resumed.
    n_uncovered_ : int
        Training rows that fit no rule and are answered by the nearest.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much each input moves predictions, as shares that sum to one.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names."""

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
