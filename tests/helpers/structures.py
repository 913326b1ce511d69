"""Random structures and tables for the tests of the growth, and dense algebra to hold it against."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import GrowthProblem
from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._table.rows import Rows, measure_scale
from fruler.rules._partitions import half_widths


def problem_of(rows, domains, known=None, *, nominal=None, knowledge=None, **options):
    """Return rows as a growth is given them; nothing is known of the inputs where nothing is said."""
    points = [np.empty(0)] * len(domains) if known is None else known
    return GrowthProblem(rows, domains, points, GrowthOptions(**options), nominal=nominal, knowledge=knowledge)


def standardised(X, y, weight=None):
    """Return rows and domains, as the growth reads them."""
    X = measure_scale(X).apply(X)
    rows = Rows.from_arrays(X, measure_scale(y).apply(y), weight)
    return rows, np.column_stack([X.min(axis=0), X.max(axis=0)])


def random_rows(rng, n_rows, n_inputs):
    """Return rows with weights, and domains."""
    X = rng.normal(size=(n_rows, n_inputs))
    rows = Rows.from_arrays(X, rng.normal(size=n_rows), rng.uniform(0.1, 2.0, n_rows))
    return rows, np.column_stack([X.min(axis=0), X.max(axis=0)])


def grow_at_random(rng, domains, n_splits, n_bends=0):
    """Split random rules at random places, then bend random curves; return the structure after every step."""
    structures = [Structure.undivided(len(domains))]
    for _ in range(n_splits):
        last = structures[-1]
        rule, j = int(rng.integers(last.n_rules)), int(rng.integers(len(domains)))
        low, high = ends_of(last, rule, j, domains)
        places = last.splits.places
        shared = [s for s in last.splits.of(j).tolist() if low < places[s] < high]
        if shared and rng.uniform() < 0.4:
            structures.append(last.divided(rule, int(rng.choice(shared))))
        else:
            split, number = last.with_split(j, low + (high - low) * rng.uniform(0.05, 0.95), 1.0)
            structures.append(split.divided(rule, number))
    for _ in range(n_bends):
        j = int(rng.integers(len(domains)))
        structures.append(structures[-1].with_bend(j, float(domains[j] @ rng.dirichlet([2.0, 2.0])), 1.0))
    return [
        replace(one, splits=_stretched(rng, one.splits, domains), bends=_stretched(rng, one.bends, domains))
        for one in structures
    ]


def _stretched(rng, points, domains):
    """Give split points reaches for which there is room."""
    reaches = points.reaches.copy()
    for j in np.unique(points.inputs):
        own = points.of(j)
        reaches[own] = half_widths(points.places[own], tuple(domains[j]), rng.uniform(0.05, 0.95, len(own)))
    return replace(points, reaches=reaches)


def ends_of(structure, rule, feature, domains):
    """Return between which places a rule holds on an input."""
    lower, upper = structure.bounds[rule, feature]
    places, (low, high) = structure.splits.places, domains[feature]
    return (low if lower < 0 else places[lower]), (high if upper < 0 else places[upper])


def flat_place(structure, rule, feature, domains):
    """Return a place on a rule's input that neither of its bounds reaches."""
    low, high = ends_of(structure, rule, feature, domains)
    lower, upper = structure.bounds[rule, feature]
    reaches = np.append(structure.splits.reaches, 0.0)
    return (low + reaches[lower] + high - reaches[upper]) / 2.0


def make_ramps(*points):
    """Return split points of tuples (input, place, reach)."""
    inputs, places, reaches = zip(*points, strict=True)
    return Ramps(np.array(inputs, dtype=np.intc), np.array(places, dtype=float), np.array(reaches, dtype=float))


def dense_ramps(points, X):
    """Return how far every row has passed every split point, shape (n_rows, n_points)."""
    return np.clip(0.5 + 0.5 * (X[:, points.inputs] - points.places) / points.reaches, 0.0, 1.0)


def dense_weights(structure, X):
    """Return the weight of every rule in every row, shape (n_rows, n_rules)."""
    ramps = dense_ramps(structure.splits, X)
    # The last columns are for -1: nothing below, nothing above.
    passed = np.column_stack([ramps, np.ones(len(X))])[:, structure.bounds[:, :, 0]]
    left = np.column_stack([ramps, np.zeros(len(X))])[:, structure.bounds[:, :, 1]]
    return np.prod(passed - left, axis=2)


def dense_curves(structure, X):
    """Return the terms of the curves, shape (n_rows, 2 n_bends)."""
    bends, ramps = structure.bends, dense_ramps(structure.bends, X)
    return np.stack([ramps, ramps * (X[:, bends.inputs] - bends.places)], axis=2).reshape(len(X), -1)


def dense_terms(structure, X):
    """Return the terms that each rule says what it says with, curves included, shape (n_rules, n_rows, n_terms)."""
    of_rules = []
    for blocks in structure.blocks:
        parts = []
        for has, opener in zip(blocks, structure.openers, strict=True):
            plain = np.column_stack([np.ones(len(X)), X])
            if opener >= 0:
                plain[:, 1 + structure.splits.inputs[opener]] -= structure.splits.places[opener]
            parts.append(has * plain)
        of_rules.append(np.column_stack([*parts, dense_curves(structure, X)]))
    return np.array(of_rules)


class MixedProblem(NamedTuple):
    """A least-squares problem: `terms @ coefficients` is to be near `goal`; `total` is the weight of all rows."""

    terms: np.ndarray
    goal: np.ndarray
    total: float

    @property
    def gram(self):
        return self.terms.T @ self.terms / self.total

    @property
    def moment(self):
        return self.terms.T @ self.goal / self.total

    def error(self, coefficients):
        return np.square(self.goal - self.terms @ coefficients).sum() / self.total


def mixed_problem(structure, rows, locality):
    """Return the problem of the mixed error: what all rules say together, and what each says by itself."""
    X = rows.rows[:, 1:]
    weights, terms = dense_weights(structure, X), dense_terms(structure, X)
    together = np.einsum("nk,knt->nt", weights, terms)
    shares = [(1.0 - locality) * rows.weight, *(locality * rows.weight[:, None] * weights).T]
    roots = np.sqrt(np.array(shares))
    parts = [root[:, None] * part for root, part in zip(roots, [together, *terms], strict=True)]
    return MixedProblem(np.concatenate(parts), np.concatenate([root * rows.y for root in roots]), rows.weight.sum())


def n_accepting(structure, domains):
    """Return how many rules accept each cell between the split points of all inputs."""
    middles = []
    for j, (low, high) in enumerate(domains):
        edges = np.concatenate([[low], structure.splits.places[structure.splits.of(j)], [high]])
        middles.append((edges[1:] + edges[:-1]) / 2.0)
    cells = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, len(domains))
    ends = [[ends_of(structure, rule, j, domains) for j in range(len(domains))] for rule in range(structure.n_rules)]
    return sum(((np.array(one)[:, 0] < cells) & (cells < np.array(one)[:, 1])).all(axis=1).astype(int) for one in ends)


def same_structure(one, other):
    """Return whether two structures are the same to the last bit."""
    return all(np.array_equal(a, b) for a, b in zip(_arrays(one), _arrays(other), strict=True))


def _arrays(structure):
    return *structure.splits.arrays, structure.bounds, structure.blocks, structure.openers, *structure.bends.arrays


def same_steps(path, other):
    """Return whether two growths went through the same, to the last bit."""
    return len(path) == len(other) and all(
        same_structure(one.structure, two.structure)
        and one.n_evaluations == two.n_evaluations
        and (one.fit.criterion, one.fit.error) == (two.fit.criterion, two.fit.error)
        and np.array_equal(one.fit.coefficients, two.fit.coefficients)
        for one, two in zip(path, other, strict=True)
    )
