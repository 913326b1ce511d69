"""Callbacks, which follow a search and can end it; one of them shows the progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from fruler._wording import counted, duration, readable_number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_SECONDS_ON_A_TERMINAL, _SECONDS_IN_A_LOG = 0.1, 5.0
# The spinner, the blank after it, and the last column, at which some terminals wrap.
_COLUMNS_AROUND = 3
# 100% is never shown: the end of the line shows that the search is done.
_LARGEST_SHARE = 0.99


@dataclass(frozen=True)
class Progress:
    """The progress of a search.

    Parameters
    ----------
    stage : str
        The step that just ended: ``"growth"``, a rule was added; ``"cross-validation"``, a fold is finished;
        ``"selection"`` and ``"discretization"``, the stage is finished; ``"evolution"``, a generation is finished, or
        ``"grid"`` and ``"tuning"`` in searches of one or two such stages; ``"fit"``, a model of the Pareto front was
        fitted on all rows.
    generation : int
        The number of the generation (0 is the first population), or the number of rules, folds or models so far.
    n_evaluations : int
        The number of candidates evaluated so far.
    n_rules : int
        The number of rules of the best model so far; 0 while there is none.
    error : float
        Half the mean squared error of that model, in the target's unit squared: on the training rows, in
        cross-validation on held-out rows. NaN while there is no model.
    seconds : float
        The time since `fit` was called.
    seconds_left : float or None
        An estimate of the time to the end; None while it is unknown.

    See Also
    --------
    Callback : Receives the progress of a search.

    Examples
    --------
    >>> Progress("growth", 3, 250, 4, 0.52, 0.8).n_rules
    4
    """

    stage: str
    generation: int
    n_evaluations: int
    n_rules: int
    error: float
    seconds: float
    seconds_left: float | None = None


class Callback:
    """Base class of callbacks, which an estimator calls during `fit`.

    Derive a class and override any of the methods, which do nothing here. An exception in a method ends the fit and
    leaves the estimator as it was before.

    See Also
    --------
    Progress : The argument of `on_generation`.
    ProgressBar : A callback that shows the progress of the search.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.callbacks import Callback
    >>> from fruler.data import load_example
    >>> class FourRules(Callback):
    ...     def on_generation(self, progress):
    ...         return progress.stage == "growth" and progress.n_rules == 4
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(callbacks=[FourRules()], random_state=0).fit(weather.data, weather.target)
    >>> int(model.history_.n_rules.max())
    4
    """

    def on_start(self, estimator: Any) -> None:
        """Handle the start of a fit: the data are checked, and nothing is learned yet.

        Parameters
        ----------
        estimator : estimator
            The estimator that is fitted.

        Examples
        --------
        >>> Callback().on_start(None)
        """

    def on_generation(self, progress: Progress) -> bool | None:
        """Handle the progress of the search.

        Parameters
        ----------
        progress : Progress
            The progress so far.

        Returns
        -------
        bool or None
            True to end the search with the best model so far.
        """
        return None

    def on_end(self, estimator: Any) -> None:
        """Handle the end of a fit, also of one that failed and left the estimator as it was before.

        Parameters
        ----------
        estimator : estimator
            The estimator that was fitted.

        Examples
        --------
        >>> Callback().on_end(None)
        """


def check_callbacks(callbacks: Callback | Iterable[Callback] | None) -> list[Callback]:
    """Return callbacks as a list.

    Raises
    ------
    ValueError
        If one of them is not a `Callback`.
    """
    if callbacks is None:
        return []
    given = [callbacks] if isinstance(callbacks, Callback) else list(callbacks)
    for callback in given:
        if not isinstance(callback, Callback):
            raise ValueError(
                f"callbacks must be instances of fruler.callbacks.Callback; got {callback!r}. Derive its class from it."
            )
    return given


class ProgressBar(Callback):
    """The progress on standard error: a line that changes on a terminal, elsewhere a line at most every five seconds.

    ``verbose=1`` adds one to any estimator.

    Parameters
    ----------
    console : rich Console, optional
        The console to use instead of standard error.
    title : str, optional
        The name of the work, shown instead of the stage of the search. Without it, a last line stays at the end.

    See Also
    --------
    fruler.explain.plots.ProgressDisplay : A plot of a finished search.

    Examples
    --------
    >>> from rich.console import Console
    >>> bar = ProgressBar(Console(stderr=True), title="learning the rules")
    """

    def __init__(self, console: Console | None = None, *, title: str | None = None) -> None:
        self.console, self.title = console, title
        self._console: Console | None = None
        self._status: Status | None = None
        self._latest: Progress | None = None
        self._shown_at, self._share = -math.inf, 0.0

    def on_start(self, estimator: Any) -> None:
        """Show the title on a terminal."""
        from rich.console import Console
        from rich.text import Text

        self._console = self.console or Console(stderr=True)
        self._shown_at, self._share = time.monotonic(), 0.0
        if self._console.is_terminal:
            self._status = self._console.status(Text(self.title or "fit"))
            self._status.start()

    def on_generation(self, progress: Progress) -> bool | None:
        """Show the progress if the last update is long enough ago."""
        self._latest, now = progress, time.monotonic()
        if now - self._shown_at >= (_SECONDS_IN_A_LOG if self._status is None else _SECONDS_ON_A_TERMINAL):
            self._shown_at = now
            self._show(f"{self.title or progress.stage}: {_in_brief(progress, self._share_done(progress))}")
        return None

    def on_end(self, estimator: Any) -> None:
        """Take the line away, and write the last one if there is no title."""
        if self._status is not None:
            self._status.stop()
        self._status = None
        if self.title is None and self._latest is not None:
            self._show(f"{self._latest.stage}: {_in_brief(replace(self._latest, seconds_left=None))}")
        self._console = self._latest = None

    def _share_done(self, progress: Progress) -> float | None:
        """Return the share of the search that is done; it never falls, even if it was estimated too high before."""
        if progress.seconds_left is None:
            return None
        total = progress.seconds + progress.seconds_left
        share = progress.seconds / total if total > 0.0 else 0.0
        self._share = max(self._share, min(share, _LARGEST_SHARE))
        return self._share

    def _show(self, line: str) -> None:
        from rich.text import Text

        text = Text(line)
        if self._console is not None and self._status is not None:
            text.truncate(max(self._console.width - _COLUMNS_AROUND, 1), overflow="ellipsis")
            self._status.update(text)
        elif self._console is not None:
            self._console.print(text, soft_wrap=True)


def _in_brief(progress: Progress, share: float | None = None) -> str:
    """Describe the progress of a search in a few words: percent, error, rules, and the time left or so far.

    Examples
    --------
    >>> _in_brief(Progress("evolution", 7, 1234, 3, 0.5, 4.2, 61.0), 0.064)
    '6%, RMSE 1, 3 rules, 61 s left'
    >>> _in_brief(Progress("selection", 0, 0, 0, math.nan, 0.5))
    '0 s'
    """
    parts = [] if share is None else [f"{math.floor(100.0 * share)}%"]
    if math.isfinite(progress.error):
        # The paper reports half the mean squared error; people compare errors in the target's own unit.
        parts.append(f"RMSE {readable_number(math.sqrt(2.0 * progress.error), 4)}")
    if progress.n_rules:
        parts.append(counted(progress.n_rules, "rule"))
    left = progress.seconds_left
    parts.append(duration(progress.seconds) if left is None else f"{duration(left)} left")
    return ", ".join(parts)


try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the class of scikit-learn in versions without callbacks."""

    _with_callbacks = None

_P = ParamSpec("_P")
_T = TypeVar("_T")


def with_callbacks(method: Callable[_P, _T]) -> Callable[_P, _T]:
    """Make a method of an estimator tear down its scikit-learn callbacks at the end, even after an error."""
    if _with_callbacks is None:
        return method
    wrapped: Callable[_P, _T] = _with_callbacks(method)
    return wrapped


def sklearn_callbacks(estimator: Any, X: Any, y: Any) -> list[Callback]:
    """Return a callback that forwards everything to the callbacks of ``set_callbacks``; an empty list without these."""
    if _with_callbacks is None:
        return []
    # Inside a meta-estimator with callbacks, the tasks of this fit belong to one of its tasks.
    if not getattr(estimator, "_skl_callbacks", None) and not hasattr(estimator, "_parent_callback_ctx"):
        return []
    return [_Bridge(X, y)]


class _Bridge(Callback):
    """Reports a fit to scikit-learn as a task, and every step of the search as a subtask."""

    def __init__(self, X: Any, y: Any) -> None:
        self._data = {"X": X, "y": y}
        self._estimator: Any = None
        self._context: Any = None
        self._model_before: Any = None

    def on_start(self, estimator: Any) -> None:
        """Begin the task of the fit."""
        self._estimator, self._model_before = estimator, getattr(estimator, "rule_base_", None)
        self._context = estimator._init_callback_context(max_subtasks=None)
        self._context.call_on_fit_task_begin(estimator=estimator, **self._data)

    def on_generation(self, progress: Progress) -> bool | None:
        """Begin and end a subtask; return whether a callback asks to end the search."""
        task = self._context.subcontext(task_name=progress.stage)
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        return bool(task.call_on_fit_task_end(estimator=self._estimator, **self._data))

    def on_end(self, estimator: Any) -> None:
        """End the task of the fit with the model; the task of a failed fit is not ended."""
        model = getattr(estimator, "rule_base_", None)
        if self._context is not None and model is not self._model_before:
            fitted = {name: value for name, value in vars(estimator).items() if name.endswith("_") and name[0] != "_"}
            self._context.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=fitted, **self._data)
