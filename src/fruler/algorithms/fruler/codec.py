"""The state of an evolution as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.fruler.chromosome import Chromosome, used_genes
from fruler.algorithms.fruler.fitness import Evaluation
from fruler.algorithms.fruler.state import EvolutionState, Generation, Individual, Snapshot
from fruler.consequents.elastic_net import SOLVERS, ElasticNetSettings
from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import (
    checked_count,
    checked_floats,
    checked_generator,
    checked_integers,
    checked_number,
    checked_parts,
    checked_rows,
    whole_number,
)
from fruler.stages.discretization import NestedSplits
from fruler.table.known_splits import MAX_LABELS

# The numbers of the Elastic Net's settings that are no counts.
_NUMBERS = ("regularization", "l1_ratio", "rate", "tolerance", "progress")


def pack_evolution(state: EvolutionState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_evolution` makes the state of."""
    document: dict[str, Any] = {
        "fit": None if state.fit is None else asdict(state.fit),
        "rng": state.rng,
        "nested": None if state.nested is None else [[len(one.found), len(one.criteria)] for one in state.nested],
        "snapshot": None,
    }
    arrays: dict[str, npt.NDArray[Any]] = {}
    if state.selected is not None:
        arrays["selected"] = state.selected
    if state.nested is not None:
        arrays["found"] = np.concatenate([one.found for one in state.nested])
        arrays["criteria"] = np.concatenate([one.criteria for one in state.nested])
    if state.snapshot is not None:
        document["snapshot"] = _pack_snapshot(state.snapshot, arrays)
    return document, arrays


def unpack_evolution(document: Mapping[str, Any], arrays: Arrays) -> EvolutionState:
    """Return the state that a document and arrays say.

    Raises
    ------
    KeyError, TypeError, ValueError
        If they are damaged.
    """
    fit, snapshot, sizes, rng = (document[name] for name in ("fit", "snapshot", "nested", "rng"))
    nested = None
    if sizes is not None:
        found = checked_parts(arrays, "found", [size for size, _ in sizes])
        criteria = checked_parts(arrays, "criteria", [size for _, size in sizes])
        nested = [
            NestedSplits(checked_floats(points, (None,), "found"), checked_floats(one, (None,), "criteria"))
            for points, one in zip(found, criteria, strict=True)
        ]
    return EvolutionState(
        checked_rows(arrays.get("selected")),
        nested,
        None if fit is None else _settings(fit),
        None if rng is None else checked_generator(rng),
        None if snapshot is None else _unpack_snapshot(snapshot, arrays),
    )


def _settings(written: Mapping[str, Any]) -> ElasticNetSettings:
    settings = ElasticNetSettings(**written)
    plain = {name: checked_number(written, name, finite=True) for name in _NUMBERS}
    if min(plain["regularization"], plain["l1_ratio"]) < 0.0 or plain["l1_ratio"] > 1.0 or plain["rate"] <= 0.0:
        raise ValueError("the Elastic Net has no such settings")
    if settings.solver not in SOLVERS or type(settings.shrink_intercepts) is not bool:
        raise ValueError("there is no such Elastic Net")
    for name in ("seed", "max_rounds"):
        checked_count(written, name)
    return settings


def _pack_snapshot(snapshot: Snapshot, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    by_rules = [Individual(*found) for found in snapshot.best_by_rules.values()]
    individuals = [*snapshot.population, snapshot.best, *by_rules]
    chromosomes = [one.chromosome for one in individuals]
    arrays["granularities"] = np.array([one.granularities for one in chromosomes])
    # Displacements that no split uses are zero, and most of them are such.
    arrays["genes"] = np.concatenate([one.genes for one in chromosomes])
    arrays["evaluations"] = np.array([list(asdict(one.evaluation).values()) for one in individuals], dtype=np.float64)
    arrays["seen"] = np.frombuffer(b"".join(snapshot.seen), dtype=np.intc).reshape(snapshot.n_seen, -1)
    arrays["history"] = np.array(snapshot.history, dtype=np.float64)
    return {
        "stride": chromosomes[0].displacements.shape[1],
        "n_population": len(snapshot.population),
        "sizes": list(snapshot.best_by_rules),
        "threshold": snapshot.threshold,
        "n_restarts": snapshot.n_restarts,
        "n_asked": snapshot.n_asked,
        "rng": snapshot.rng,
    }


def _unpack_snapshot(document: Mapping[str, Any], arrays: Arrays) -> Snapshot:
    granularities = checked_integers(arrays["granularities"], (None, None), "granularities", 1, MAX_LABELS + 1)
    stride = checked_count(document, "stride", 1)
    if stride >= max(2, MAX_LABELS) or (granularities > stride + 1).any():
        raise ValueError("granularities are out of their range")
    genes = checked_parts(arrays, "genes", (granularities - 1).sum(axis=1).tolist())
    worths = checked_floats(arrays["evaluations"], (None, len(fields(Evaluation))), "evaluations")
    individuals = []
    for row, used, worth in zip(granularities, genes, worths.tolist(), strict=True):
        displacements = np.zeros((len(row), stride))
        displacements[used_genes(row, stride)] = checked_floats(used, (None,), "genes", finite=True)
        evaluation = Evaluation(worth[0], worth[1], *(whole_number(count, "a count") for count in worth[2:]))
        individuals.append(Individual(Chromosome(row.copy(), displacements), evaluation))
    n_population = checked_count(document, "n_population", 1)
    by_rules = dict(zip(map(_size, document["sizes"]), individuals[n_population + 1 :], strict=True))
    if any(size != one.evaluation.n_rules or np.isinf(one.evaluation.fitness) for size, one in by_rules.items()):
        raise ValueError("models are not of their sizes")
    seen = checked_integers(arrays["seen"], (None, granularities.shape[1]), "seen", 1, MAX_LABELS + 1)
    written = checked_floats(arrays["history"], (None, len(Generation._fields)), "history")
    history = [_generation(row) for row in written.tolist()]
    if not history or not len(seen):
        raise ValueError("no history")
    met = dict.fromkeys(row.tobytes() for row in seen)
    return Snapshot(
        individuals[:n_population],
        individuals[n_population],
        by_rules,
        met,
        len(met),
        history,
        len(history),
        checked_number(document, "threshold", finite=True),
        checked_count(document, "n_restarts"),
        checked_count(document, "n_asked"),
        checked_generator(document["rng"]),
    )


def _size(written: Any) -> int:
    return whole_number(written, "a number of rules", 1)


def _generation(row: Sequence[float]) -> Generation:
    generation, evaluations, fitness, error, n_rules, n_coefficients, *rest = row
    counts = [whole_number(value, "a count") for value in (generation, evaluations, n_rules, n_coefficients)]
    return Generation(counts[0], counts[1], fitness, error, counts[2], counts[3], *rest)
