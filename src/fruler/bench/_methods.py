"""The methods of the benchmark: their names, their settings, and the measurement of a fit."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch

from fruler._algorithms.fruler.discretization import MultiGranularityDiscretizer
from fruler._algorithms.fruler.instance_selection import ClassConditionalSelector
from fruler._wording import suggest
from fruler.bench._peers import PEERS, Peer
from fruler.bench._results import PREPROCESSING
from fruler.bench.paper import PAPER_SYSTEMS
from fruler.estimators.registry import algorithm_names, find_estimator
from fruler.rules._measurement import measure_truth

Settings = Mapping[str, Any]
Measures = dict[str, Any]

# Runs with a limit on the number of evaluations; they replace full runs if there are none.
_CAPPED = "-capped"
# Our methods that are no longer in the package; their results are kept for comparison.
EARLIER = {"second_growth": "Second growth"}
# Parameters that are not settings: the seed belongs to the run; threads, callbacks and checkpoints change only the
# time.
_NOT_SETTINGS = ("random_state", "n_jobs", "callbacks", "verbose", "checkpoint", "warm_start")


@dataclass(frozen=True)
class Method:
    """One method of the benchmark.

    Attributes
    ----------
    name : str
        The name in the results.
    settings : mapping
        All parameters that a fit depends on, in a form that JSON can hold.
    measure : callable
        A function of settings, training data, test data and seed that returns measures by name.
    seeded : bool
        Whether the result depends on the seed; if not, the method is run with seed 0 only.
    package : str
        The distribution whose version is recorded with each result.
    """

    name: str
    settings: Settings
    measure: Callable[[Settings, Bunch, Bunch, int], Measures]
    seeded: bool
    package: str


def own_systems() -> dict[str, str]:
    """Return the titles of our own algorithms by name, in the order of the registry.

    Examples
    --------
    >>> own_systems()["fruler"]
    'FRULER'
    """
    return {name: find_estimator(name).algorithm.title for name in algorithm_names()}


def capped(algorithm: str) -> str:
    """Return the name of the method with capped runs of an algorithm."""
    return algorithm + _CAPPED


def is_capped(method: str) -> bool:
    """Return whether the runs of a method are capped."""
    return method.endswith(_CAPPED)


def uncapped(method: str) -> str:
    """Return the name of the method that capped runs replace; other methods keep their name.

    Examples
    --------
    >>> uncapped("growth-capped"), uncapped("growth")
    ('growth', 'growth')
    """
    return method.removesuffix(_CAPPED)


def title_of(system: str) -> str:
    """Return the name of a system in tables and pictures; unknown systems keep their name."""
    if is_capped(system):
        return f"{title_of(uncapped(system))}, capped"
    if system in PEERS:
        return PEERS[system].title
    return {**PAPER_SYSTEMS, **own_systems(), **EARLIER, PREPROCESSING: "Preprocessing"}.get(system, system)


def order_methods(names: set[str]) -> list[str]:
    """Return methods in the order of the tables: ours, the peers, unknown methods."""
    known = [*own_systems(), *EARLIER, *PEERS]
    return [name for name in known if name in names] + sorted(names.difference(known))


def find_method(name: str, max_evaluations: int | None = None) -> Method:
    """Return the method with a given name.

    Parameters
    ----------
    name : str
        The name of an algorithm, optionally with ``"-capped"``; ``"preprocessing"``; or the name of a peer.
    max_evaluations : int, optional
        Maximum number of evaluations of a capped algorithm.

    Examples
    --------
    >>> find_method("fruler").settings["t_norm"]
    'minimum'
    >>> find_method("linear").seeded
    False
    """
    if name == PREPROCESSING:
        settings = {
            "selection": ClassConditionalSelector().get_params(),
            "discretization": MultiGranularityDiscretizer().get_params(),
        }
        return Method(name, settings, _measure_preprocessing, False, "fruler")
    if name in PEERS:
        peer = PEERS[name]
        return Method(name, peer.settings, partial(_measure_peer, peer), peer.seeded, peer.package)
    limited = is_capped(name) and max_evaluations is not None
    changes: dict[str, Any] = {"max_evaluations": max_evaluations} if limited else {}
    parameters = find_estimator(uncapped(name))(**changes).get_params()
    settings = {key: value for key, value in parameters.items() if key not in _NOT_SETTINGS}
    return Method(name, settings, partial(_measure_rules, uncapped(name)), True, "fruler")


def own_methods(names: Sequence[str], max_evaluations: int | None) -> list[str]:
    """Check the names of algorithms and return those of their methods, which are capped with a limit on evaluations.

    Examples
    --------
    >>> own_methods(["growth", "fruler"], None), own_methods(["fruler"], 500)
    (['growth', 'fruler'], ['fruler-capped'])
    """
    for name in names:
        if name not in algorithm_names():
            raise ValueError(f"--methods: there is no algorithm {name!r}; {suggest(name, algorithm_names())}")
    if max_evaluations is None:
        return list(names)
    for name in names:
        if "max_evaluations" not in find_estimator(name).parameter_names():
            raise ValueError(
                f"--max-evaluations: the algorithm {name} does not count evaluations; leave out the option"
            )
    return [capped(name) for name in names]


def finite_or_none(value: Any) -> Any:
    """Return a measure that JSON can represent: a plain Python number, or None if it is not finite.

    Examples
    --------
    >>> finite_or_none(np.float64(0.5)), finite_or_none(float("inf"))
    (0.5, None)
    """
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _measure_rules(algorithm: str, settings: Settings, train: Bunch, test: Bunch, seed: int) -> Measures:
    """Measure one of our own algorithms."""
    model = find_estimator(algorithm)(**settings, random_state=seed, n_jobs=1)
    measures = _measure_estimator(model, train, test)
    rule_base, stages = model.rule_base_, dict(model.stage_seconds_)
    test_rows = np.asarray(test.data, dtype=np.float64)
    return measures | {
        "rules": model.n_rules_,
        "coefficients": rule_base.n_coefficients,
        "conditions": float(rule_base.looks_at.sum(axis=1).mean()),
        "curves": len(rule_base.curves),
        "numbers": rule_base.numbers_to_read,
        "alone_error": measure_truth(rule_base, test_rows, test.target, held_out=True).alone ** 2 / 2.0,
        "truth": None if model.truth_ is None else model.truth_.ratio,
        "possible_coefficients": model.n_rules_ * train.data.shape[1],
        "evaluations": model.n_evaluations_,
        "regularization": model.regularization_,
        "uncovered": model.n_uncovered_,
        **{f"{stage}_seconds": stages.pop(stage, None) for stage in ("selection", "discretization")},
        "search_seconds": sum(stages.values()),
    }


def _measure_peer(peer: Peer, settings: Settings, train: Bunch, test: Bunch, seed: int) -> Measures:
    """Measure a peer; its package is imported before the clock starts."""
    model = peer.build(settings, seed)
    measures = _measure_estimator(model, train, test)
    return measures | peer.size(model)._asdict()


def _measure_estimator(model: Any, train: Bunch, test: Bunch) -> Measures:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model.fit(train.data, train.target)
        fitted = time.perf_counter()
        predicted = _predict(model, test.data)
        seconds = time.perf_counter() - fitted
        train_predicted = _predict(model, train.data)
    doubts = [str(warning.message) for warning in caught if issubclass(warning.category, ConvergenceWarning)]
    return {
        "message": " ".join(doubts[0].split())[:300] if doubts else None,
        "error": _half_mse(predicted, test.target),
        "train_error": _half_mse(train_predicted, train.target),
        "seconds": fitted - start,
        "predict_seconds": seconds,
    }


def _predict(model: Any, data: Any) -> Any:
    return np.asarray(model.predict(data), dtype=np.float64).reshape(-1)


def _half_mse(predicted: Any, target: Any) -> float:
    return float(np.square(predicted - target).mean() / 2.0)


def _measure_preprocessing(settings: Settings, train: Bunch, test: Bunch, seed: int) -> Measures:
    """Measure the first two stages alone, as in the paper's Tables 2 and 3."""
    start = time.perf_counter()
    selector = ClassConditionalSelector(**settings["selection"]).fit(train.data, train.target)
    selected = time.perf_counter()
    discretizer = MultiGranularityDiscretizer(**settings["discretization"]).fit(train.data, train.target)
    granularities = discretizer.granularities_
    end = time.perf_counter()
    return {
        "reduction": 100.0 * selector.reduction_,
        "increase": selector.error_selected_ / selector.error_all_ if selector.error_all_ > 0.0 else None,
        "thinned": float(selector.thinned_),
        "selection_s": selected - start,
        "average": float(granularities.mean()),
        "largest": float(granularities.max()),
        "unused": float((granularities == 1).sum()),
        "discretization_s": end - selected,
        "seconds": end - start,
    }
