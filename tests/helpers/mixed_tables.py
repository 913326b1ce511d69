"""A table of numbers, categories, truth values and gaps, and rules over its columns: learned and random ones."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler.rules import (
    Curve,
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    RuleBase,
    TrianglePartition,
    Variable,
)

# Each would break out of a string that does not escape it.
ORIGINS = ("usa", "it's", 'a "b"\\', "new land")
COLUMNS = {"size": "number", "origin": "category", "a b": "number", "sold": "truth", "grade": "category"}


def mixed_table(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows)
    table = pd.DataFrame(
        {
            "size": size,
            "origin": rng.choice(ORIGINS, n_rows),
            "a b": 2.0 * size + rng.normal(size=n_rows) + 100.0,
            "sold": rng.random(n_rows) < 0.5,
            "grade": pd.Categorical(rng.choice(["1", "2.5", "none"], n_rows)),
        }
    )
    offsets = table["origin"].map(dict(zip(ORIGINS, (0.0, 5.0, -3.0, 1.0), strict=True)))
    y = 3.0 * size + 2.0 * np.maximum(table["a b"] - 100.0, 0.0) + offsets * (1 + (size > 0)) + 2.0 * table["sold"]
    y += np.where(table["grade"] == "none", 3.0, 0.0) + rng.normal(0.0, 0.1, n_rows)
    gaps = rng.random((n_rows, 2)) < 0.15
    # That a size is missing tells something, so that there is an input for it.
    y += np.where(gaps[:, 0], 6.0, 0.0)
    table.loc[gaps[:, 0], "size"] = np.nan
    table.loc[gaps[:, 1], "origin"] = None
    return table, y.to_numpy()


def mixed_rows():
    """Every combination of a value, a gap and an unknown category in every column."""
    options = [
        [-0.4, 1.3, np.nan],
        [*ORIGINS, "mars", None],
        [98.0, 101.5, np.nan],
        [True, False, None],
        ["1", "2.5", "none", "zero", None],
    ]
    return pd.DataFrame(list(product(*options)), columns=list(COLUMNS)).astype({"sold": object})


@cache
def mixed_model(kind):
    if kind.startswith("random"):
        return random_rules(int(kind.split()[1]))
    if kind.startswith("triangles"):
        return random_triangles(int(kind.split()[1]))
    estimator = {
        "growth": FuzzyRuleRegressor(random_state=0),
        "one-hot": FRULERRegressor(max_evaluations=200, random_state=0),
    }[kind]
    return estimator.fit(*mixed_table()).rule_base_


MIXED_MODELS = (
    "growth",
    "one-hot",
    *(f"random {seed}" for seed in range(8)),
    *(f"triangles {seed}" for seed in range(4)),
)


def random_rules(seed):
    """Rules over inputs of every source; some of the inputs are used, those of 0 and 1 beside one number for each."""
    rng = np.random.default_rng(seed)
    sources = {
        "size": NumberSource("size"),
        "origin": LevelSource("origin", ORIGINS, rng.normal(size=4)),
        "a b": NumberSource("a b"),
        "sold": LevelSource.indicator("sold", ["False", "True"], "True"),
        "size is missing": GapSource("size"),
        "origin is missing": GapSource("origin"),
    }
    sources |= {
        f"grade={level}": LevelSource.indicator("grade", ["1", "2.5", "none"], level) for level in ("1", "2.5", "none")
    }
    variables = []
    for name, source in sources.items():
        low, high = (97.0, 103.0) if name == "a b" else (-2.0, 2.0) if name in ("size", "origin") else (0.0, 1.0)
        splits = np.sort(rng.uniform(low, high, rng.integers(0, 3)))
        variables.append(Variable(name, FuzzyPartition(splits, (low, high), rng.choice([0.0, 1.0])), source=source))
    p, m = len(variables), int(rng.integers(1, 6))
    sizes = np.array([variable.partition.n_labels for variable in variables])
    antecedents = np.sort(rng.integers(0, sizes[None, :, None], (m, p, 2)), axis=2)
    indifferent = rng.random((m, p)) < 0.5
    antecedents[indifferent] = np.stack([np.zeros(p, dtype=int), sizes - 1], axis=1)[np.where(indifferent)[1]]
    consequents = rng.normal(size=(m, p + 1)) * (rng.random((m, p + 1)) < 0.6)
    curves = [Curve(0, FuzzyPartition([0.0], (-2.0, 2.0)), rng.normal(size=(2, 2)))] if seed % 2 else []
    rules = RuleBase(variables, antecedents, consequents, rng.choice(["product", "minimum"]), "price", curves=curves)
    used = np.flatnonzero(rules.uses)
    slopes = rng.normal(size=(len(used), len(used))) * 0.3
    np.fill_diagonal(slopes, 0.0)
    means = np.where(np.array(list(sources))[used] == "a b", 100.0, 0.3)
    return replace(rules, gaps=Gaps(np.flatnonzero(rules.uses), means, slopes))


def random_triangles(seed):
    """Random rules whose labels are triangles, with gaps between them; every other one says labels of the output."""
    rules, rng = random_rules(seed + 100), np.random.default_rng(seed)
    variables, labels = [], np.full(rules.looks_at.shape, -1)
    for j, variable in enumerate(rules.variables):
        low, high = variable.partition.domain
        points = np.sort(rng.uniform(low, high, (3, 3)), axis=1)
        points = points[np.argsort(points[:, 1])]
        points[0, 0], points[2, 2] = -np.inf, np.inf
        # Wide: what is estimated for a gap may lie outside of the data.
        variables.append(replace(variable, partition=TrianglePartition(points, (low - 99.0, high + 99.0))))
        looks_at = rng.random(rules.n_rules) < 0.4
        labels[looks_at, j] = rng.integers(0, 3, looks_at.sum())
    said = rules.consequents
    if seed % 2:
        points = TrianglePartition.uniform((0.0, 9.0), 4, shoulders=False).triangles + np.array([0.0, 0.5, 2.0])
        said = LabelConsequents(rng.integers(0, 4, rules.n_rules), TrianglePartition(points, (0.0, 9.0)))
    where = LabelTriangles(labels, variables)
    bare = RuleBase(variables, where, said, rules.t_norm, "price")
    used = np.flatnonzero(bare.uses)
    slopes = rng.normal(size=(len(used), len(used))) * 0.3
    np.fill_diagonal(slopes, 0.0)
    return replace(bare, gaps=Gaps(used, rng.normal(size=len(used)), slopes))


def without_gaps(rule_base):
    """The rules without knowledge of what to take for missing values."""
    return replace(rule_base, gaps=None)


def complete(rows, columns=None):
    """Which of the rows have no gap and no unknown category, in all or in some columns."""
    known = pd.DataFrame({name: rows[name].notna() for name in rows})
    known["origin"] &= rows["origin"] != "mars"
    known["grade"] &= rows["grade"] != "zero"
    return (known if columns is None else known[list(columns)]).all(axis=1).to_numpy()


def assert_same(found, expected, tolerance=1e-9):
    """Compare predictions, in units of the spread of those that are expected."""
    found, expected = np.asarray(found, dtype=float).reshape(-1), np.asarray(expected)
    np.testing.assert_allclose(
        found, expected, rtol=tolerance, atol=tolerance * (expected.std() if len(expected) else 0.0)
    )
