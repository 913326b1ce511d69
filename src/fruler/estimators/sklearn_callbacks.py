"""scikit-learn's own callbacks, which are there from version 1.9 on and still experimental.

Where they are not there, nothing of this does anything, and the estimators have no ``set_callbacks``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from fruler.callbacks import Callback, Progress

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's."""

    _with_callbacks = None

_P = ParamSpec("_P")
_T = TypeVar("_T")


def with_callbacks(method: Callable[_P, _T]) -> Callable[_P, _T]:
    """Make a method of an estimator tear its scikit-learn callbacks down at its end, whatever comes."""
    if _with_callbacks is None:
        return method
    wrapped: Callable[_P, _T] = _with_callbacks(method)
    return wrapped


def sklearn_callbacks(estimator: Any, X: Any, y: Any) -> list[Callback]:
    """Return a callback that hands everything on to those that ``set_callbacks`` was given; none if there are none."""
    if _with_callbacks is None:
        return []
    # Below a meta-estimator with callbacks, the tasks of this fit hang on one of its own.
    if not getattr(estimator, "_skl_callbacks", None) and not hasattr(estimator, "_parent_callback_ctx"):
        return []
    return [_Bridge(X, y)]


class _Bridge(Callback):
    """A fit is a task for scikit-learn, and every step of the search one below it."""

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
        """Begin and end a task; some callback may ask for the end."""
        task = self._context.subcontext(task_name=progress.stage)
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        return bool(task.call_on_fit_task_end(estimator=self._estimator, **self._data))

    def on_end(self, estimator: Any) -> None:
        """End the task of the fit, with the model; one that failed has no end."""
        model = getattr(estimator, "rule_base_", None)
        if self._context is not None and model is not self._model_before:
            fitted = {name: value for name, value in vars(estimator).items() if name.endswith("_") and name[0] != "_"}
            self._context.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=fitted, **self._data)
