"""fruler: a handful of readable fuzzy rules for regression."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from fruler._algorithms.fruler.discretization import MultiGranularityDiscretizer
    from fruler._algorithms.fruler.instance_selection import ClassConditionalSelector
    from fruler._algorithms.fruler.reading import Reading
    from fruler.data import load_keel
    from fruler.estimators._ametsk import AMETSKRegressor
    from fruler.estimators._fruler import FRULERRegressor
    from fruler.estimators._fsmogfs import FSMOGFSRegressor
    from fruler.estimators._growth import FuzzyRuleRegressor
    from fruler.estimators._lmetsk import LMETSKRegressor
    from fruler.estimators._saved_model import load_model
    from fruler.rules import FuzzyPartition, RuleBase

# Loaded on first use: the command line prints `--help` without waiting for scikit-learn and pandas.
_HOMES = {
    "AMETSKRegressor": "fruler.estimators._ametsk",
    "ClassConditionalSelector": "fruler._algorithms.fruler.instance_selection",
    "FRULERRegressor": "fruler.estimators._fruler",
    "FSMOGFSRegressor": "fruler.estimators._fsmogfs",
    "FuzzyPartition": "fruler.rules",
    "FuzzyRuleRegressor": "fruler.estimators._growth",
    "LMETSKRegressor": "fruler.estimators._lmetsk",
    "MultiGranularityDiscretizer": "fruler._algorithms.fruler.discretization",
    "Reading": "fruler._algorithms.fruler.reading",
    "RuleBase": "fruler.rules",
    "load_keel": "fruler.data",
    "load_model": "fruler.estimators._saved_model",
}

__all__ = [
    "AMETSKRegressor",
    "ClassConditionalSelector",
    "FRULERRegressor",
    "FSMOGFSRegressor",
    "FuzzyPartition",
    "FuzzyRuleRegressor",
    "LMETSKRegressor",
    "MultiGranularityDiscretizer",
    "Reading",
    "RuleBase",
    "__version__",
    "load_keel",
    "load_model",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # slower to import than everything else here

        globals()[name] = version("fruler")
        return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module 'fruler' has no attribute {name!r}")
    value = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
