"""FRULER: a handful of readable fuzzy rules for regression, learned by evolution."""

from importlib.metadata import version as _version

from fruler.data import load_keel
from fruler.discretization import MultiGranularityDiscretizer
from fruler.instance_selection import ClassConditionalSelector
from fruler.regressor import FRULERRegressor, paper_settings
from fruler.rules import FuzzyPartition, RuleBase

__version__ = _version("fruler")

__all__ = [
    "ClassConditionalSelector",
    "FRULERRegressor",
    "FuzzyPartition",
    "MultiGranularityDiscretizer",
    "RuleBase",
    "__version__",
    "load_keel",
    "paper_settings",
]
