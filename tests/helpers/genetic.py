"""A small problem for the multi-objective engine: hit a hidden point with as few genes switched on as possible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fruler._algorithms.genetic import pcblx
from fruler._algorithms.systems.genes import BITS, Bits, gray_distance, hux
from fruler._arrays import Floats


@dataclass(frozen=True, eq=False)
class Point:
    genes: Floats
    bits: Bits

    @cached_property
    def key(self):
        return self.genes.tobytes() + self.bits.tobytes()


class HiddenPoint:
    """The error is the mean over the rows of the distance to noisy copies of a hidden point."""

    def __init__(self, n_genes=6, n_rows=50, seed=0):
        rng = np.random.default_rng(seed)
        self.hidden = rng.uniform(0.2, 1.0, n_genes)
        self.rows = self.hidden + rng.normal(0.0, 0.05, (n_rows, n_genes))
        self.n_genes = n_genes
        self.n_evaluated = 0
        self.evaluated = []

    @property
    def initial_threshold(self):
        return (BITS * self.n_genes + self.n_genes) / 4.0

    def initial(self, size, rng):
        return [Point(rng.random(self.n_genes), rng.random(self.n_genes) < 0.5) for _ in range(size)]

    def simplest(self):
        return Point(np.zeros(self.n_genes), np.ones(self.n_genes, dtype=bool))

    def cross(self, first, second, threshold, rng):
        apart = gray_distance(first.genes, second.genes, 0.0, 1.0) + int((first.bits != second.bits).sum())
        if apart / 2.0 <= threshold:
            return None
        genes, bits = np.clip(pcblx(first.genes, second.genes, rng), 0.0, 1.0), hux(first.bits, second.bits, rng)
        return Point(genes[0], bits[0]), Point(genes[1], bits[1])

    def mutate(self, chromosome, rng):
        bits = chromosome.bits.copy()
        bits[rng.integers(self.n_genes)] ^= True
        return Point(chromosome.genes, bits)

    def restart(self, best, size, rng):
        return [Point(rng.random(self.n_genes), best.bits) for _ in range(size)]

    def take_sample(self, rows):
        return self.rows[rows]

    def evaluate(self, chromosomes, sample, limit):
        self.evaluated += [(one.key, sample is None) for one in chromosomes]
        rows = self.rows if sample is None else sample
        found = []
        for one in chromosomes:
            n_rules = int(one.bits.sum())
            error = float(np.square(rows - one.genes * one.bits).mean()) if n_rules else np.inf
            if n_rules >= limit.min_rules and error > limit.error:
                error = np.inf
            found.append((error, n_rules))
        return np.array(found)
