"""Refits of a model on samples of its rows, to measure its stability."""

from __future__ import annotations

import operator
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_array, check_consistent_length, check_random_state

from fruler._arrays import Floats, Indices
from fruler._wording import counted
from fruler.callbacks import Callback, Progress
from fruler.explain._refit_comparison import Comparison, Original
from fruler.explain.stability import Stability, stability_of
from fruler.learning._control import RunControl
from fruler.learning._run import n_threads
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from fruler.estimators.base import BaseRuleRegressor

# A spread needs at least two refits.
MIN_REFITS = 2
# Parameters that refits do not share with the model: their progress is reported as a whole, and there is nothing to
# resume.
_OWN = {"callbacks": None, "verbose": 0, "checkpoint": None, "warm_start": False, "n_jobs": None}


class Refit(NamedTuple):
    """A refit, compared with the model.

    Attributes
    ----------
    comparison : Comparison
        What the refit and the model have in common.
    rmse : float
        The error of the refit on held-out rows.
    n_evaluations : int
        The number of candidates that its search evaluated.
    """

    comparison: Comparison
    rmse: float
    n_evaluations: int


class _Watch(Callback):
    """Ends a refit when the run as a whole is over."""

    def __init__(self, control: RunControl) -> None:
        self.control = control
        self.ended = False

    def on_generation(self, progress: Progress) -> bool | None:
        self.ended |= self.control.over()
        return self.ended


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The training rows of a model, as its user has them, without rows of weight zero."""

    X: Any
    y: Any
    sample_weight: Any
    target: Floats
    weight: Floats

    @classmethod
    def checked(cls, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Check rows and leave out those of weight zero."""
        check_consistent_length(X, y, sample_weight)
        target = check_array(y, ensure_2d=False, input_name="y", dtype=np.float64).reshape(-1)
        if len(target) < 2 * MIN_REFITS:
            raise ValueError(f"stability needs at least {2 * MIN_REFITS} rows; got {len(target)}.")
        if sample_weight is None:
            return cls(X, y, None, target, np.ones(len(target)))
        weight = check_array(sample_weight, ensure_2d=False, input_name="sample_weight", dtype=np.float64).reshape(-1)
        whole = cls(X, y, sample_weight, target, weight)
        return whole if (weight > 0.0).all() else whole.take(np.flatnonzero(weight > 0.0))

    def take(self, rows: Indices) -> TrainingRows:
        """Return some of the rows."""
        X, y = _safe_indexing(self.X, rows), _safe_indexing(self.y, rows)
        weight = None if self.sample_weight is None else _safe_indexing(self.sample_weight, rows)
        return TrainingRows(X, y, weight, self.target[rows], self.weight[rows])


def refitted_stability(
    model: BaseRuleRegressor,
    rows: TrainingRows,
    n: int,
    subsample: float,
    random_state: Any,
    n_jobs: int | None,
    control: RunControl,
) -> Stability:
    """Fit a model again on samples of its rows and return what came back.

    `BaseRuleRegressor.stability` documents the parameters; `control` has the clock and the callbacks.
    """
    n, subsample = _checked(n, subsample)
    inputs = model._inputs(rows.X)
    draws = _draws(_groups(inputs, rows.target), n, subsample, random_state)
    original = Original.of(model.rule_base_, _taken(model.rule_base_, inputs), rows.weight)

    def refit(drawn: Indices) -> Refit | None:
        return None if control.over() else _refit(model, original, rows, drawn, control)

    with control.watched(model):
        refits = _run(refit, draws, n_threads(n_jobs), control)
    if len(refits) < MIN_REFITS:
        raise ValueError(
            f"Only {counted(len(refits), 'refit')} of {n} finished before the run ended, and stability needs "
            f"{MIN_REFITS}; give it more time."
        )
    if len(refits) < n:
        why = "Ctrl-C ended the run" if control.interrupted else "The run ended"
        warnings.warn(f"{why} after {len(refits)} of {n} refits.", RuntimeWarning, stacklevel=3)
    n_drawn = round(float(np.mean([len(drawn) for drawn in draws])))
    return stability_of(original, [one.comparison for one in refits], [one.rmse for one in refits], n_drawn)


def _checked(n: Any, subsample: Any) -> tuple[int, float]:
    try:
        number = operator.index(n)
    except TypeError:
        raise ValueError(f"n, the number of refits, must be an integer; got {n!r}.") from None
    if number < MIN_REFITS:
        raise ValueError(f"n, the number of refits, must be at least {MIN_REFITS}; got {number}.")
    if not isinstance(subsample, int | float | np.number) or not 0.0 < subsample < 1.0:
        raise ValueError(f"subsample must be a share of the rows between 0 and 1, such as 0.8; got {subsample!r}.")
    return number, float(subsample)


def _groups(inputs: Floats, target: Floats) -> Indices:
    """Return the group of each row: equal rows form one group, so that no copy of a drawn row is held out."""
    whole = np.column_stack([np.where(np.isnan(inputs), np.inf, inputs), target]) + 0.0
    return np.asarray(np.unique(whole, axis=0, return_inverse=True)[1], dtype=np.intp).reshape(-1)


def _draws(groups: Indices, n: int, subsample: float, random_state: Any) -> list[Indices]:
    """Draw the rows of all refits without replacement, before the first fit."""
    n_groups = int(groups.max()) + 1
    n_drawn = min(max(round(subsample * n_groups), MIN_REFITS), n_groups - 1)
    if n_drawn < MIN_REFITS:
        raise ValueError(f"stability needs at least {MIN_REFITS + 1} different rows; got {n_groups}.")
    rng = check_random_state(random_state)
    return [np.flatnonzero(np.isin(groups, rng.permutation(n_groups)[:n_drawn])) for _ in range(n)]


def _refit(
    model: BaseRuleRegressor, original: Original, rows: TrainingRows, drawn: Indices, control: RunControl
) -> Refit | None:
    """Fit the model on the drawn rows; return None if the run ended meanwhile."""
    watch = _Watch(control)
    part = rows.take(drawn)
    fitted = _unfitted(model, watch).fit(part.X, part.y, part.sample_weight)
    if watch.ended:
        return None
    fitted = model._of_same_size(fitted)
    values = _taken(fitted.rule_base_, fitted._inputs(rows.X))
    held_out = np.ones(len(values), dtype=np.bool_)
    held_out[drawn] = False
    errors = np.square(rows.target[held_out] - fitted.rule_base_.inference.predict(values[held_out]))
    rmse = float(np.sqrt(np.average(errors, weights=rows.weight[held_out])))
    return Refit(original.compare(fitted.rule_base_, values), rmse, int(fitted.n_evaluations_))


def _taken(rules: RuleBase, inputs: Floats) -> Floats:
    """Return inputs as the rules use them, with gaps filled in and values clipped."""
    return rules.inference.clipped(rules.inputs.filled(inputs))


def _unfitted(model: BaseRuleRegressor, watch: Callback) -> BaseRuleRegressor:
    """Return an estimator with the parameters of the model and a fixed seed, so that only the rows differ."""
    seed = model.random_state if isinstance(model.random_state, int | np.integer) else 0
    fresh: BaseRuleRegressor = clone(model)
    fresh.set_params(**{**_OWN, "callbacks": [watch], "random_state": seed})
    if getattr(fresh, "_has_pairs", False):
        fresh.set_params(cv=None)
    return fresh


def _run(refit: Any, draws: Sequence[Indices], n_jobs: int, control: RunControl) -> list[Refit]:
    """Run the refits, report each, and return those that finished before the run ended, in the order of the draws."""
    # The main thread waits for Ctrl-C. In the main thread a search would take Ctrl-C as its own end, so refits always
    # run in other threads.
    found: dict[int, Refit] = {}
    with control.interruptible(), ThreadPoolExecutor(n_jobs) as pool:
        try:
            futures: dict[Future[Refit | None], int] = {pool.submit(refit, rows): k for k, rows in enumerate(draws)}
            for future in as_completed(futures):
                made = future.result()
                if made is not None:
                    found[futures[future]] = made
                    _report(control, found, len(draws))
                if control.is_stopped():
                    # Other refits may have finished meanwhile, but their number would depend on the clock.
                    break
        finally:
            # After an exception, too, the remaining threads must end.
            if len(found) < len(draws):
                control.stopped = True
    return [found[k] for k in sorted(found)]


def _report(control: RunControl, found: dict[int, Refit], n: int) -> None:
    seconds = time.monotonic() - control.start
    latest = next(reversed(found.values()))
    control.report(
        "refits",
        len(found),
        sum(one.n_evaluations for one in found.values()),
        latest.comparison.rule_base.n_rules,
        latest.rmse**2 / 2.0,
        seconds_left=seconds / len(found) * (n - len(found)),
    )
