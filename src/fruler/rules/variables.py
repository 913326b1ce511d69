"""The inputs of a rule base: names, units and partitions."""

from __future__ import annotations

from dataclasses import dataclass

from fruler.rules.partitions import Partition


@dataclass(frozen=True)
class Variable:
    """An input: its name, its unit if any, and its partition into labels."""

    name: str
    partition: Partition
    unit: str = ""
