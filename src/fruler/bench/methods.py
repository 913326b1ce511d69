"""The methods that the benchmark compares: what each is called, its settings, and how one fit of it is measured."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch

from fruler._wording import suggest
from fruler.bench.peers import PEERS, Peer, Size
from fruler.bench.systems import capped, is_capped, uncapped
from fruler.estimators.registry import algorithm_names, find_estimator
from fruler.rules.measurement import measure_truth
from fruler.stages.discretization import MultiGranularityDiscretizer
from fruler.stages.instance_selection import ClassConditionalSelector

Settings = Mapping[str, Any]
Figures = dict[str, Any]

# Parameters that are no part of what is compared: the seed is the run's, and threads, and those who watch or keep a
# run, change nothing but the time.
_NOT_SETTINGS = ("random_state", "n_jobs", "callbacks", "verbose", "checkpoint", "warm_start")


@dataclass(frozen=True)
class Method:
    """One method of the benchmark.

    Attributes
    ----------
    name : str
        The name in the results.
    settings : mapping
        Everything that makes its fits what they are, as JSON can hold it.
    measure : callable
        Takes settings, training data, test data and seed; returns figures, by name.
    seeded : bool
        Whether its result depends on the seed. One that does not is run with seed 0 only.
    package : str
        The distribution whose version is noted with each result.
    """

    name: str
    settings: Settings
    measure: Callable[[Settings, Bunch, Bunch, int], Figures]
    seeded: bool
    package: str


def find_method(name: str, max_evaluations: int | None = None) -> Method:
    """Return the method of a name.

    Parameters
    ----------
    name : str
        The name of an algorithm, perhaps with ``"-capped"``, ``"preprocessing"`` or the name of a peer.
    max_evaluations : int, optional
        The evaluations that a fit of a capped algorithm may ask for.

    Examples
    --------
    >>> find_method("fruler").settings["t_norm"]
    'minimum'
    >>> find_method("linear").seeded
    False
    """
    if name == "preprocessing":
        settings = {
            "selection": ClassConditionalSelector().get_params(),
            "discretization": MultiGranularityDiscretizer().get_params(),
        }
        return Method(name, settings, _measure_preprocessing, False, "fruler")
    if name in PEERS:
        peer = PEERS[name]
        return Method(name, peer.settings, _PeerMeasure(peer), peer.seeded, peer.package)
    changes: dict[str, Any] = (
        {"max_evaluations": max_evaluations} if is_capped(name) and max_evaluations is not None else {}
    )
    parameters = find_estimator(uncapped(name))(**changes).get_params()
    settings = {key: value for key, value in parameters.items() if key not in _NOT_SETTINGS}
    return Method(name, settings, _RulesMeasure(uncapped(name)), True, "fruler")


def own_methods(names: Sequence[str], max_evaluations: int | None) -> list[str]:
    """Check the names of algorithms; a cap on evaluations makes another method of each.

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
        if "max_evaluations" not in find_estimator(name)._get_param_names():
            raise ValueError(
                f"--max-evaluations: the algorithm {name} does not count evaluations; leave the option out"
            )
    return [capped(name) for name in names]


def finite_or_none(value: Any) -> Any:
    """Make a figure one that JSON can hold: plain Python, and None for what is no finite number.

    Examples
    --------
    >>> finite_or_none(np.float64(0.5)), finite_or_none(float("inf"))
    (0.5, None)
    """
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class _RulesMeasure:
    """Measures one of our own algorithms."""

    algorithm: str

    def __call__(self, settings: Settings, train: Bunch, test: Bunch, seed: int) -> Figures:
        model = find_estimator(self.algorithm)(**settings, random_state=seed, n_jobs=1)
        figures = _measure_estimator(model, train, test)
        rule_base, stages = model.rule_base_, dict(model.stage_seconds_)
        test_rows = np.asarray(test.data, dtype=np.float64)
        return figures | {
            "rules": model.n_rules_,
            "coefficients": rule_base.n_coefficients,
            "conditions": float(rule_base.looks_at.sum(axis=1).mean()),
            "curves": len(rule_base.curves),
            "alone_error": measure_truth(rule_base, test_rows, test.target, held_out=True).alone ** 2 / 2.0,
            "truth": None if model.truth_ is None else model.truth_.ratio,
            "possible_coefficients": model.n_rules_ * train.data.shape[1],
            "evaluations": model.n_evaluations_,
            "regularization": model.regularization_,
            "uncovered": model.n_uncovered_,
            **{f"{stage}_seconds": stages.pop(stage, None) for stage in ("selection", "discretization")},
            "search_seconds": sum(stages.values()),
        }


@dataclass(frozen=True)
class _PeerMeasure:
    """Measures a peer; what it must import is imported before the clock starts."""

    peer: Peer

    def __call__(self, settings: Settings, train: Bunch, test: Bunch, seed: int) -> Figures:
        model = self.peer.build(settings, seed)
        figures = _measure_estimator(model, train, test)
        size: Size = self.peer.size(model)
        return figures | size._asdict()


def _measure_estimator(model: Any, train: Bunch, test: Bunch) -> Figures:
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


def _measure_preprocessing(settings: Settings, train: Bunch, test: Bunch, seed: int) -> Figures:
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
