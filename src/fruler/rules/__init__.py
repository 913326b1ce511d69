"""The learned model: partitions with named labels, and the rules over them."""

from fruler.rules.antecedents import Antecedents, LabelRanges, LabelTriangles, OwnTriangles
from fruler.rules.consequents import Consequents, LabelConsequents, LinearConsequents
from fruler.rules.curves import Curve
from fruler.rules.inputs import Variable
from fruler.rules.output import Output
from fruler.rules.partitions import FuzzyPartition, NominalPartition, Partition, TrianglePartition, label_names
from fruler.rules.rule_base import Rule, RuleBase

__all__ = [
    "Antecedents",
    "Consequents",
    "Curve",
    "FuzzyPartition",
    "LabelConsequents",
    "LabelRanges",
    "LabelTriangles",
    "LinearConsequents",
    "NominalPartition",
    "Output",
    "OwnTriangles",
    "Partition",
    "Rule",
    "RuleBase",
    "TrianglePartition",
    "Variable",
    "label_names",
]
