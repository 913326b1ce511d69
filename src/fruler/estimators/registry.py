"""The registry of algorithms: the one place that lists them.

The command line, the benchmark, model files and the conformance tests learn the algorithms from here. Estimators are
imported when they are asked for, so that listing the names takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from fruler._wording import suggest

if TYPE_CHECKING:
    from fruler.estimators.base import BaseRuleRegressor

DEFAULT = "growth"

_HOMES = {
    "growth": ("fruler.estimators.growth", "FuzzyRuleRegressor"),
    "fruler": ("fruler.estimators.fruler", "FRULERRegressor"),
}

_Estimator = TypeVar("_Estimator", bound="type[Any]")
_registered: dict[str, type[Any]] = {}


def algorithm_names() -> tuple[str, ...]:
    """Return the names of all algorithms, the default first.

    Examples
    --------
    >>> algorithm_names()[:2]
    ('growth', 'fruler')
    """
    return (*_HOMES, *_registered)


def find_estimator(name: str) -> type[BaseRuleRegressor]:
    """Return the estimator of an algorithm.

    Raises
    ------
    ValueError
        If there is no such algorithm.

    Examples
    --------
    >>> find_estimator("fruler").__name__
    'FRULERRegressor'
    """
    if name in _registered:
        return _registered[name]
    if name not in _HOMES:
        raise ValueError(f"there is no algorithm {name!r}; {suggest(name, algorithm_names())}")
    module, attribute = _HOMES[name]
    estimator: type[BaseRuleRegressor] = getattr(import_module(module), attribute)
    return estimator


def register(estimator: _Estimator) -> _Estimator:
    """Add the estimator of another package to the registry; usable as a decorator of its class.

    Raises
    ------
    ValueError
        If the name of its algorithm is taken.
    """
    name = estimator.algorithm.name
    if name in _HOMES or _registered.get(name, estimator) is not estimator:
        raise ValueError(f"there is an algorithm {name!r} already; choose another name")
    _registered[name] = estimator
    return estimator


def unregister(name: str) -> None:
    """Remove an estimator that `register` added."""
    _registered.pop(name, None)
