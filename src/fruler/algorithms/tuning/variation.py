"""How tuned chromosomes come about: drawn at random, crossed, and mutated."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fruler.algorithms.genetic.gray_code import BITS, gray_distance
from fruler.algorithms.genetic.operators import blx, hux, pcblx
from fruler.algorithms.tuning.chromosome import Selection, TunedChromosome
from fruler.algorithms.tuning.space import TuningSpace

Crossover = Literal["blx", "pcblx"]
CROSSOVERS: tuple[Crossover, ...] = ("blx", "pcblx")
# How often a mutation brings a rule back that it meets unselected.
_RETURNS = 0.5


def untouched(space: TuningSpace) -> TunedChromosome:
    """Return the chromosome of the triangles as they are, with all rules."""
    return TunedChromosome(space.start, np.ones(space.n_rules, dtype=np.bool_))


def drawn(space: TuningSpace, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
    """Draw chromosomes: points anywhere in their intervals; half of them with all rules, half with random ones."""
    found = []
    for number in range(size):
        genes = rng.random(space.n_genes)
        selected = np.ones(space.n_rules, dtype=np.bool_) if number % 2 == 0 else random_rules(space, rng)
        found.append(TunedChromosome(genes, selected))
    return found


def redrawn(space: TuningSpace, best: TunedChromosome, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
    """Draw chromosomes around one: with its rules, and points anywhere in their intervals."""
    return [TunedChromosome(rng.random(space.n_genes), best.selected) for _ in range(size)]


def random_rules(space: TuningSpace, rng: np.random.Generator) -> Selection:
    """Draw a selection of rules, each with probability one half, but at least one."""
    selected = rng.random(space.n_rules) < 0.5
    if not selected.any():
        selected[rng.integers(space.n_rules)] = True
    return selected


def cross(
    space: TuningSpace, first: TunedChromosome, second: TunedChromosome, crossover: Crossover, rng: np.random.Generator
) -> tuple[TunedChromosome, TunedChromosome]:
    """Cross both parts: the points by BLX-0.5 or its parent-centric form, the selection by HUX."""
    operator = blx if crossover == "blx" else pcblx
    genes = operator(first.genes, second.genes, 0.0, 1.0, rng)
    selected = hux(first.selected, second.selected, rng)
    return TunedChromosome(genes[0], selected[0]), TunedChromosome(genes[1], selected[1])


def mutated(space: TuningSpace, chromosome: TunedChromosome, rng: np.random.Generator) -> TunedChromosome:
    """Draw one point anew and drop one rule; a rule that is dropped already comes back in half of the cases."""
    genes, selected = chromosome.genes.copy(), chromosome.selected.copy()
    if space.n_genes:
        gene = int(rng.integers(space.n_genes))
        genes[gene] = rng.random()
    rule = int(rng.integers(space.n_rules))
    # Drawn whether it is needed or not, so that what follows does not depend on it.
    returns = bool(rng.random() < _RETURNS)
    selected[rule] = not selected[rule] and returns
    return TunedChromosome(genes, selected)


def distance(space: TuningSpace, first: TunedChromosome, second: TunedChromosome) -> int:
    """Return in how many bits two chromosomes differ: Gray codes of their points, and their selections."""
    points = gray_distance(first.genes, second.genes, 0.0, 1.0)
    return points + int(np.count_nonzero(first.selected != second.selected))


def n_bits(space: TuningSpace) -> int:
    """Return how many bits a chromosome has."""
    return BITS * space.n_genes + space.n_rules
