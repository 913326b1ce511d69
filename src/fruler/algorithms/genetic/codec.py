"""A snapshot of a multi-objective search as a document and arrays, and back.

Chromosomes are packed by the problem's own codec; everything else is here. A stage has a name of its own, which is put
before those of its arrays, so that several stages fit into one checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from fruler.algorithms.genetic.evaluation import Individual, Worth
from fruler.algorithms.genetic.problem import C
from fruler.algorithms.genetic.state import Generation, Snapshot
from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import (
    checked_count,
    checked_floats,
    checked_generator,
    checked_number,
    checked_rows,
    whole_number,
)

# The fields of a generation that are whole numbers.
_WHOLE = ("generation", "evaluations", "n_rules", "n_archive", "n_restarts")


@dataclass(frozen=True)
class ChromosomeCodec(Generic[C]):
    """How chromosomes are written as arrays, and read back.

    Attributes
    ----------
    pack : callable
        Returns arrays by name, each with one row per chromosome.
    unpack : callable
        Returns the chromosomes of such arrays; raises ValueError if they are damaged.
    """

    pack: Callable[[Sequence[C]], dict[str, npt.NDArray[Any]]]
    unpack: Callable[[Arrays], list[C]]


def pack_snapshot(
    snapshot: Snapshot[C], codec: ChromosomeCodec[C], stage: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_snapshot` makes the snapshot of."""
    front = list(snapshot.front.values())
    individuals = [*snapshot.archive, *(Individual(one, worth, worth.error) for one, worth in front)]
    arrays: dict[str, npt.NDArray[Any]] = dict(codec.pack([one.chromosome for one in individuals]))
    arrays["worths"] = np.array([(*one.worth, one.sampled) for one in individuals], dtype=np.float64)
    arrays["fitness"] = snapshot.fitness
    arrays["history"] = np.array(snapshot.history, dtype=np.float64).reshape(-1, len(Generation._fields))
    if snapshot.rows is not None:
        arrays["sample rows"] = snapshot.rows
    numbers = ("threshold", "fall", "n_restarts", "n_stale", "cycle_error", "n_asked", "rng")
    document = {name: getattr(snapshot, name) for name in numbers} | {"n_archive": len(snapshot.archive)}
    return document, {f"{stage} {name}": array for name, array in arrays.items()}


def unpack_snapshot(document: Mapping[str, Any], arrays: Arrays, codec: ChromosomeCodec[C], stage: str) -> Snapshot[C]:
    """Return the snapshot that a document and arrays describe.

    Raises
    ------
    KeyError, TypeError, ValueError
        If they are damaged.
    """
    named = {name.removeprefix(f"{stage} "): array for name, array in arrays.items() if name.startswith(f"{stage} ")}
    worths = checked_floats(named["worths"], (None, 3), "worths", finite=True)
    chromosomes = codec.unpack(named)
    individuals = [
        Individual(one, Worth(error, whole_number(n_rules, "rules", 1)), sampled)
        for one, (error, n_rules, sampled) in zip(chromosomes, worths.tolist(), strict=True)
    ]
    n_archive = checked_count(document, "n_archive")
    if not 0 < n_archive < len(individuals):
        raise ValueError("an archive without individuals, or no front")
    front = individuals[n_archive:]
    fitness = checked_floats(named["fitness"], (n_archive,), "fitness")
    history = checked_floats(named["history"], (None, len(Generation._fields)), "history")
    rows = [_generation(row) for row in history.tolist()]
    if not rows:
        raise ValueError("no history")
    return Snapshot(
        individuals[:n_archive],
        fitness,
        {one.worth.n_rules: (one.chromosome, one.worth) for one in front},
        checked_rows(named.get("sample rows")),
        checked_number(document, "threshold", finite=True),
        checked_count(document, "fall"),
        checked_count(document, "n_restarts"),
        checked_count(document, "n_stale"),
        checked_number(document, "cycle_error"),
        checked_count(document, "n_asked"),
        checked_generator(document["rng"]),
        rows,
        len(rows),
    )


def _generation(row: Sequence[float]) -> Generation:
    whole = Generation(*row)._asdict()  # type: ignore[arg-type]
    return Generation(**whole | {name: whole_number(whole[name], name) for name in _WHOLE})
