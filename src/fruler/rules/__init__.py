"""The learned model: partitions with named labels, and the rules over them."""

from fruler.rules.antecedents import LabelRanges
from fruler.rules.consequents import LinearConsequents
from fruler.rules.curves import Curve
from fruler.rules.labels import label_names
from fruler.rules.partitions import FuzzyPartition, NominalPartition, Partition
from fruler.rules.rule_base import Rule, RuleBase
from fruler.rules.variables import Variable

__all__ = [
    "Curve",
    "FuzzyPartition",
    "LabelRanges",
    "LinearConsequents",
    "NominalPartition",
    "Partition",
    "Rule",
    "RuleBase",
    "Variable",
    "label_names",
]
