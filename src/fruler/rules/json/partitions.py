"""Partitions as JSON objects, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fruler.rules.json.checked import Checked
from fruler.rules.partitions import FuzzyPartition, NominalPartition, Partition
from fruler.rules.triangle_partition import TrianglePartition

# What a partition of each kind says besides its labels.
FUZZY, NOMINAL, TRIANGLES = ("domain", "split_points", "fuzziness"), ("groups",), ("domain", "points")

_Made = TypeVar("_Made")


def partition_to_json(partition: Partition) -> dict[str, Any]:
    """Return the members of an object that say all of a partition."""
    labels = list(partition.labels)
    if not partition.ordered:
        return {"kind": "nominal", "groups": [list(group) for group in partition.groups], "labels": labels}
    domain = list(partition.range)
    if partition.of_triangles:
        points = [triangle_to_json(triangle) for triangle in partition.triangles.tolist()]
        return {"kind": "triangles", "domain": domain, "points": points, "labels": labels}
    return {
        "kind": "fuzzy",
        "domain": domain,
        "split_points": list(partition.split_points),
        "fuzziness": list(partition.fuzziness),
        "labels": labels,
    }


def triangle_to_json(triangle: Sequence[float]) -> list[float | None]:
    """Return the points of a triangle; null where one is infinite."""
    return [point if math.isfinite(point) else None for point in triangle]


def triangle_from_json(written: Checked) -> list[float]:
    """Return the points of a triangle."""
    points = list(written.items())
    if len(points) != 3:
        raise written.wrong("a list of three points")
    first, second, third = points
    a = -math.inf if first.value is None else first.number()
    b = second.number()
    c = math.inf if third.value is None else third.number()
    if not a <= b <= c:
        raise written.wrong(f"three points, none less than the one before it, unlike {a:g}, {b:g} and {c:g}")
    return [a, b, c]


def partition_from_json(
    written: Checked, kinds: tuple[str, ...], required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> tuple[Partition, dict[str, Checked]]:
    """Return the partition that an object says, and all its members.

    Parameters
    ----------
    written : Checked
        The object.
    kinds : tuple of str
        The kinds of partitions that are known here.
    required, optional : tuple of str
        What it has besides the partition.
    """
    kind = written.members().get("kind")
    if kind is None:
        raise ValueError(f"{written.place} has no 'kind'")
    own = {"fuzzy": FUZZY, "nominal": NOMINAL, "triangles": TRIANGLES}[kind.one_of(*kinds)]
    members = written.keys((*required, "kind", *own, "labels"), optional)
    return _READERS[kind.value](written, members), members


def fuzzy_partition(written: Checked, members: dict[str, Checked]) -> FuzzyPartition:
    """Return the fuzzy partition that an object's members say."""
    domain, splits, fuzziness = (members[key].numbers().tolist() for key in FUZZY)
    return made(written, "partition", FuzzyPartition, splits, domain, fuzziness, members["labels"].texts())


def _nominal_partition(written: Checked, members: dict[str, Checked]) -> NominalPartition:
    groups = [group.numbers().tolist() for group in members["groups"].items()]
    return made(written, "partition", NominalPartition, groups, members["labels"].texts())


def triangle_partition(written: Checked, members: dict[str, Checked]) -> TrianglePartition:
    """Return the partition into triangles that an object's members say."""
    points = [triangle_from_json(item) for item in members["points"].items()]
    if not points:
        raise members["points"].wrong("a list of triangles")
    domain, labels = members["domain"].numbers().tolist(), members["labels"].texts()
    return made(written, "partition", TrianglePartition, points, domain, labels)


_READERS: dict[str, Callable[[Checked, dict[str, Checked]], Partition]] = {
    "fuzzy": fuzzy_partition,
    "nominal": _nominal_partition,
    "triangles": triangle_partition,
}


def made(written: Checked, what: str, kind: Callable[..., _Made], *parts: Any) -> _Made:
    """Make a partition, a curve or rules; what their constructor finds wrong gets a place."""
    try:
        return kind(*parts)
    except ValueError as error:
        raise ValueError(f"{written.place} is no {what}: {error}") from None
