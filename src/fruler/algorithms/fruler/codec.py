"""The state of an evolution as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.fruler.chromosome import Chromosome, used_genes
from fruler.algorithms.fruler.fitness import Evaluation
from fruler.algorithms.fruler.state import EvolutionState, Generation, Individual, Snapshot
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.learning.algorithm import Arrays
from fruler.stages.discretization import NestedSplits


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
    """Return the state that a document and arrays say."""
    fit, snapshot, sizes = document["fit"], document["snapshot"], document["nested"]
    nested = None
    if sizes is not None:
        found = _split(arrays["found"], [size for size, _ in sizes])
        criteria = _split(arrays["criteria"], [size for _, size in sizes])
        nested = [NestedSplits(*pair) for pair in zip(found, criteria, strict=True)]
    return EvolutionState(
        arrays.get("selected"),
        nested,
        None if fit is None else ElasticNetSettings(**fit),
        document["rng"],
        None if snapshot is None else _unpack_snapshot(snapshot, arrays),
    )


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
    granularities = arrays["granularities"].astype(np.intc, copy=False)
    genes = _split(arrays["genes"], (granularities - 1).sum(axis=1).tolist())
    individuals = []
    for row, used, worth in zip(granularities, genes, arrays["evaluations"].tolist(), strict=True):
        displacements = np.zeros((len(row), document["stride"]))
        displacements[used_genes(row, document["stride"])] = used
        evaluation = Evaluation(worth[0], worth[1], *(int(count) for count in worth[2:]))
        individuals.append(Individual(Chromosome(row.copy(), displacements), evaluation))
    n_population = document["n_population"]
    by_rules = dict(zip(document["sizes"], individuals[n_population + 1 :], strict=True))
    seen = dict.fromkeys(row.tobytes() for row in arrays["seen"].astype(np.intc, copy=False))
    history = [_generation(row) for row in arrays["history"].tolist()]
    return Snapshot(
        individuals[:n_population],
        individuals[n_population],
        by_rules,
        seen,
        len(seen),
        history,
        len(history),
        float(document["threshold"]),
        int(document["n_restarts"]),
        int(document["n_asked"]),
        document["rng"],
    )


def _generation(row: Sequence[float]) -> Generation:
    generation, evaluations, fitness, error, n_rules, n_coefficients, *rest = row
    return Generation(int(generation), int(evaluations), fitness, error, int(n_rules), int(n_coefficients), *rest)


def _split(values: Floats, sizes: Sequence[int]) -> list[Floats]:
    if sum(sizes) != len(values):
        raise ValueError("parts that do not fit the whole")
    return np.split(values, np.cumsum(sizes)[:-1])
