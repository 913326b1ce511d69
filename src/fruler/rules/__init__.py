"""The learned model: partitions with named labels, and the rules over them."""

from fruler.rules.labels import label_names
from fruler.rules.partition import FuzzyPartition, NominalPartition, Partition
from fruler.rules.rule_base import Rule, RuleBase, Variable

__all__ = ["FuzzyPartition", "NominalPartition", "Partition", "Rule", "RuleBase", "Variable", "label_names"]
