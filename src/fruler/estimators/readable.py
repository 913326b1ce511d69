"""What a fitted estimator tells of its model: explanations, tables, stability, and a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fruler._typing import Floats
from fruler.callbacks import Callback, ProgressBar, check_callbacks
from fruler.explain.explanation import Explanation
from fruler.explain.importance import input_shares
from fruler.learning.control import RunControl
from fruler.rules.curves_table import curves_table
from fruler.rules.rule_base import RuleBase
from fruler.rules.rules_table import rules_table
from fruler.rules.truth import Truth

if TYPE_CHECKING:
    from fruler.explain.report import Origin
    from fruler.explain.stability.stability import Stability


class ReadableMixin(BaseEstimator):  # type: ignore[misc]
    """Everything of an estimator that reads its rules, and changes nothing."""

    rule_base_: RuleBase

    def explain(self, X: Any) -> Explanation:
        """Explain each prediction: the rules that fired, what each input adds, and its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        Explanation
            The explanation of all rows: `base` and `contributions`, which sum to the prediction, `activations` of the
            rules, `labels`, and whether a row lies `outside` the training data. Print it to read it.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> model = FuzzyRuleRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
        >>> bool(abs(model.explain([[1.5]]).base - 2.5) < 0.01)
        True
        """
        check_is_fitted(self, "rule_base_")
        return self.rule_base_.explain(self._checked(X))

    def stability(
        self,
        X: Any,
        y: Any,
        n: int = 20,
        *,
        sample_weight: Any = None,
        subsample: float = 0.8,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
    ) -> Stability:
        """Learn the model again from parts of its rows, and report which splits, rules and effects come back.

        A fitted model does not keep its rows: give those that it was learned from. Each refit has the parameters and
        the seed of the model (0 where it has none), so that only the rows differ. It takes about `n` times as long as
        the fit.

        A split came back if a refit splits the same input, and the rows between the two places are few: at most a
        tenth of all rows, and at most half of those at the smaller side of the split. A rule came back if its weights
        in the rows overlap with those of a rule of the refit by at least two thirds: the sum of the smaller weights
        over the sum of the larger ones. What comes back need not be right, and what does not may be one of several
        equally good ways to describe the data; the error of the refits shows how much it matters.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The inputs of the training rows.
        y : array-like of shape (n_samples,)
            Their target.
        n : int, default=20
            The number of refits.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, as in `fit`.
        subsample : float, default=0.8
            The share of the rows that a refit learns from, drawn without replacement. Equal rows stay together.
        random_state : int, RandomState instance or None, default=0
            The seed of the draws.
        n_jobs : int, default=None
            The number of refits at a time, in threads; the result does not depend on it.
        time_limit : float, default=None
            The number of seconds after which it ends with the refits that are done, at least two.
        callbacks : Callback or sequence of Callback, default=None
            Called after every refit, by ``on_generation`` with the stage ``"refits"``; one that returns True ends the
            run.
        verbose : int, default=0
            With 1 a progress bar is shown.

        Returns
        -------
        Stability
            Tables (`splits`, `rules`, `inputs`), bands of effects, and the refits themselves; print it to read
            it. `StabilityDisplay` of `fruler.explain.plots` draws it.

        Raises
        ------
        ValueError
            If the model was not learned, or the rows are not enough.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(weather.data, weather.target)
        >>> stability = model.stability(weather.data, weather.target, n=3)
        >>> stability.n_refits, stability.rules["came_back"].between(0, 3).all()
        (3, np.True_)
        """
        from fruler.estimators.refits import TrainingRows, refitted_stability

        check_is_fitted(self, "rule_base_")
        if not hasattr(self, "pareto_"):
            raise ValueError(
                "The rules of this model were not learned by an estimator, so that it can't be learned again; fit one, "
                "or load the file of one that was fitted."
            )
        if time_limit is not None and not time_limit > 0.0:
            raise ValueError(f"time_limit must be a number of seconds above 0; got {time_limit!r}.")
        limit = np.inf if time_limit is None else time_limit
        control = RunControl([*check_callbacks(callbacks), *([ProgressBar()] if verbose else [])], limit=limit)
        rows = TrainingRows.checked(X, y, sample_weight)
        return refitted_stability(self, rows, n, subsample, random_state, n_jobs, control)

    def report(
        self,
        X: Any = None,
        y: Any = None,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        origin: Origin | None = None,
        stability: Stability | None = None,
    ) -> str | Path:
        """Write the model as an HTML page: its rules as pictures, what matters, its errors, and sliders to try it.

        The page is one file that needs no network. It needs Jinja2, the extra `report`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows on which errors are shown; four of them become part of the page as examples.
        y : array-like of shape (n_samples,), optional
            Their target.
        path : path, optional
            The file to write; without it the page is returned as text.
        title : str, optional
            The title of the page.
        origin : Origin, optional
            Where the data come from, such as ``Origin(data="houses.csv")`` of `fruler.explain.report`. The page shows
            it with the algorithm, its settings, the seed, the version and the date.
        stability : Stability, optional
            What `stability` found for this model: the page then shows how often each rule and split came back, and
            draws bands around effects.

        Returns
        -------
        Path or str
            The file; without a path the HTML itself.

        Examples
        --------
        >>> from fruler import FuzzyRuleRegressor
        >>> from fruler.data import load_example
        >>> weather = load_example("weather")
        >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
        >>> page = model.report(weather.data, weather.target)
        >>> "Try it" in page
        True
        """
        from fruler.explain.report import Origin, report_html, write_report
        from fruler.explain.report.origin import told_settings

        check_is_fitted(self, "rule_base_")
        rows = None if X is None else self.rule_base_.filled(self._inputs(X))
        front = getattr(self, "pareto_", None)
        settings = told_settings(self.get_params(deep=False))
        call = " ".join(f"{type(self)(**settings)!r}.fit(X, y)".split())
        known = (origin or Origin()).learned_by(self.algorithm.title, settings, call)
        if path is None:
            return report_html(self.rule_base_, rows, y, front, title, origin=known, stability=stability)
        return write_report(path, self.rule_base_, rows, y, front, title, origin=known, stability=stability)

    @property
    def feature_importances_(self) -> Floats:
        """How much each input moves predictions, as shares that sum to one."""
        check_is_fitted(self, "rule_base_")
        shares = pd.Series(input_shares(self.rule_base_)).groupby(
            [variable.column for variable in self.rule_base_.variables], sort=False
        )
        return np.asarray(shares.sum().reindex(list(self.rule_base_.columns)), dtype=np.float64)

    @property
    def rules_(self) -> pd.DataFrame:
        """The rules as a table: one row per rule, with its labels, its support, its errors and its coefficients.

        What curves add comes on top of the output of every rule; `curves_` has it.
        """
        check_is_fitted(self, "rule_base_")
        return rules_table(self.rule_base_)

    @property
    def truth_(self) -> Truth | None:
        """How true the rules are one by one; None where it is not known."""
        check_is_fitted(self, "rule_base_")
        training = self.rule_base_.training
        return None if training is None else training.truth

    @property
    def curves_(self) -> pd.DataFrame:
        """What single inputs add to every rule: one row per bend of a curve; empty where there are no curves."""
        check_is_fitted(self, "rule_base_")
        return curves_table(self.rule_base_)
