"""The registry of algorithms, the only place that lists them.

The command line, the benchmark, model files and the conformance tests use it. Estimators are imported on demand, so
listing the names takes no time.
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from fruler._wording import quote_names, suggest

if TYPE_CHECKING:
    from fruler.estimators.base import BaseRuleRegressor

DEFAULT = "growth"
# Other packages list their estimators in this group of entry points, so that the command line finds them.
ENTRY_POINTS = "fruler.algorithms"

_HOMES = {
    "growth": ("fruler.estimators._growth", "FuzzyRuleRegressor"),
    "fruler": ("fruler.estimators._fruler", "FRULERRegressor"),
    "fs-mogfs": ("fruler.estimators._fsmogfs", "FSMOGFSRegressor"),
    "l-metsk": ("fruler.estimators._lmetsk", "LMETSKRegressor"),
    "a-metsk": ("fruler.estimators._ametsk", "AMETSKRegressor"),
}

_Estimator = TypeVar("_Estimator", bound="type[Any]")
_registered: dict[str, type[Any]] = {}


def algorithm_names() -> tuple[str, ...]:
    """Return the names of all registered algorithms, the default first; other packages are not searched.

    Examples
    --------
    >>> algorithm_names()[:2]
    ('growth', 'fruler')
    """
    return (*_HOMES, *_registered)


def find_estimator(name: str) -> type[BaseRuleRegressor]:
    """Return the estimator of an algorithm, from this package or another that is installed.

    Raises
    ------
    ValueError
        If there is no such algorithm.

    Examples
    --------
    >>> find_estimator("fruler").__name__
    'FRULERRegressor'
    """
    if name in _HOMES:
        module, attribute = _HOMES[name]
        estimator: type[BaseRuleRegressor] = getattr(import_module(module), attribute)
        return estimator
    if name not in _registered:
        _register_installed(name)
    if name not in _registered:
        known = suggest(name, algorithm_names())
        raise ValueError(f"there is no algorithm {name!r}; {known} (if it is from another package, install that)")
    return _registered[name]


def _register_installed(name: str) -> None:
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    for found in entry_points(group=ENTRY_POINTS, name=name):
        register(found.load())


def register(estimator: _Estimator) -> _Estimator:
    """Add the estimator of another package to the registry; usable as a decorator of its class.

    Parameters
    ----------
    estimator : type
        The class of the estimator, with an attribute `algorithm`.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    ValueError
        If the name of its algorithm is taken, or an option of the algorithm is missing in its constructor.

    See Also
    --------
    fruler.FuzzyRuleRegressor : An estimator that is registered from the start.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fruler import FuzzyRuleRegressor
    >>> class MyRegressor(FuzzyRuleRegressor):
    ...     algorithm = replace(FuzzyRuleRegressor.algorithm, name="mine", title="Mine")
    >>> register(MyRegressor)  # doctest: +SKIP
    """
    algorithm = getattr(estimator, "algorithm", None)
    if algorithm is None:
        raise ValueError(f"{estimator.__name__} has no attribute algorithm; set it to an Algorithm")
    if algorithm.name in _HOMES or _registered.get(algorithm.name, estimator) is not estimator:
        raise ValueError(f"there already is an algorithm {algorithm.name!r}; choose another name")
    options = [field.name for field in fields(algorithm.options)]
    absent = [option for option in options if option not in estimator.parameter_names()]
    if absent:
        raise ValueError(
            f"the constructor of {estimator.__name__} lacks options of its algorithm: {quote_names(absent)}"
        )
    _registered[algorithm.name] = estimator
    return estimator
