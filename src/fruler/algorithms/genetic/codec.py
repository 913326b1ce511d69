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

from fruler._typing import Floats
from fruler.algorithms.genetic.evaluation import Individual, Worth
from fruler.algorithms.genetic.problem import C
from fruler.algorithms.genetic.state import Generation, Snapshot
from fruler.learning.algorithm import Arrays

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
    worths = checked_floats(named["worths"], (None, 3), "worths")
    chromosomes = codec.unpack(named)
    individuals = [
        Individual(one, Worth(error, _whole(n_rules, "rules")), sampled)
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
        checked_number(document, "threshold"),
        checked_count(document, "fall"),
        checked_count(document, "n_restarts"),
        checked_count(document, "n_stale"),
        checked_number(document, "cycle_error"),
        checked_count(document, "n_asked"),
        checked_generator(document["rng"]),
        rows,
        len(rows),
    )


def checked_count(document: Mapping[str, Any], name: str) -> int:
    """Return a whole number of a document that is not negative."""
    value = document[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} is {value!r}")
    return value


def checked_number(document: Mapping[str, Any], name: str) -> float:
    """Return a number of a document; infinity is one."""
    value = document[name]
    if not isinstance(value, int | float) or isinstance(value, bool) or np.isnan(value):
        raise ValueError(f"{name} is {value!r}")
    return float(value)


def checked_floats(array: npt.NDArray[Any], shape: tuple[int | None, ...], name: str) -> Floats:
    """Return an array of numbers, none of them NaN, of a shape; None: any length."""
    if array.dtype != np.float64 or array.ndim != len(shape) or np.isnan(array).any():
        raise ValueError(f"{name} are no numbers")
    if any(length is not None and length != there for length, there in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} have the shape {array.shape}")
    return np.ascontiguousarray(array)


def checked_rows(array: npt.NDArray[Any] | None) -> npt.NDArray[np.intp] | None:
    """Return increasing numbers of rows, or None."""
    if array is None:
        return None
    if array.ndim != 1 or array.dtype.kind != "i" or not len(array) or array[0] < 0 or (np.diff(array) <= 0).any():
        raise ValueError("sample rows are no increasing numbers")
    return array.astype(np.intp, copy=False)


def checked_generator(state: Any) -> dict[str, Any]:
    """Return the state of a generator of random numbers that NumPy takes."""
    np.random.default_rng(0).bit_generator.state = state
    return dict(state)


def _generation(row: Sequence[float]) -> Generation:
    whole = Generation(*row)._asdict()  # type: ignore[arg-type]
    return Generation(**whole | {name: _whole(whole[name], name) for name in _WHOLE})


def _whole(value: float, name: str) -> int:
    if not value.is_integer() or value < 0:
        raise ValueError(f"{name} is {value!r}")
    return int(value)
