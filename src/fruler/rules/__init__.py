"""The learned model: partitions with named labels, and the rules over them."""

from fruler.rules._antecedents import Antecedents, LabelRanges, LabelTriangles, OwnTriangles
from fruler.rules._background import OutsideTrainingWarning
from fruler.rules._consequents import Consequents, LabelConsequents, LinearConsequents
from fruler.rules._curves import Curve
from fruler.rules._inputs import Variable
from fruler.rules._output import Output
from fruler.rules._partitions import FuzzyPartition, NominalPartition, Partition, TrianglePartition, label_names
from fruler.rules._rule_base import Rule, RuleBase

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
    "OutsideTrainingWarning",
    "OwnTriangles",
    "Partition",
    "Rule",
    "RuleBase",
    "TrianglePartition",
    "Variable",
    "label_names",
]
