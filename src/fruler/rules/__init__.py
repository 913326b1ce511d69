"""The learned model: partitions with named labels, and the rules over them."""

from fruler.rules.antecedents import Antecedents, LabelRanges
from fruler.rules.consequents import Consequents, LinearConsequents
from fruler.rules.curves import Curve
from fruler.rules.label_consequents import LabelConsequents
from fruler.rules.labels import label_names
from fruler.rules.output import Output
from fruler.rules.partitions import FuzzyPartition, NominalPartition, Partition
from fruler.rules.rule import Rule
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_antecedents import LabelTriangles, OwnTriangles
from fruler.rules.triangle_partition import TrianglePartition
from fruler.rules.variables import Variable

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
