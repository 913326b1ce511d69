"""Rule bases of every kind that can be exported, and rows that try their corners."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from helpers import triangle_rules

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.data import load_example
from fruler.rules import (
    Curve,
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    NominalPartition,
    OwnTriangles,
    RuleBase,
    TrianglePartition,
    Variable,
)

# Each would break out of a comment, a string, an identifier or a cell that does not escape it.
NASTY = (
    'a"b',
    "it's; drop table x --",
    "end */ int x; /*",
    "line\nbreak\r\u2028raise SystemExit",
    "back\\slash\\",
    "<tag> & | pipe",
    "100% of $x_1^2$ #{~}",
    "??/ ??)",
    '"""',
    "класс °C",
    "\u202eright to left",
    "class",
    "a  b",
    "a b",
)


def learned(name: str, step: int = 1, estimator: type = FuzzyRuleRegressor, **settings: object) -> RuleBase:
    data = load_example(name)
    return estimator(**settings, random_state=0).fit(data.data[::step], data.target[::step]).rule_base_


def crisp() -> RuleBase:
    a = Variable("a", FuzzyPartition([1.0, 2.5], (0.0, 4.0), fuzziness=0.0))
    b = Variable("b", FuzzyPartition([0.1], (-1.0, 1.0), fuzziness=0.0))
    antecedents = [[[0, 0], [0, 1]], [[1, 1], [0, 0]], [[1, 2], [1, 1]], [[2, 2], [0, 0]]]
    return RuleBase([a, b], antecedents, [[1.0, 2.0, 3.0], [-1.0, 0.0, 5.0], [10.0, -3.0, 0.0], [0.1, 0.2, 0.3]])


def mixed_fuzziness(t_norm: str = "product") -> RuleBase:
    a = Variable("a", FuzzyPartition([0.1, 0.3, 0.7], (0.0, 1.0), fuzziness=[0.0, 0.4, 1.0]), "m")
    b = Variable("b", FuzzyPartition([10.0, 20.0], (0.0, 30.0), fuzziness=[1.0, 1.0]))
    unused = Variable("unused", FuzzyPartition([], (0.0, 1.0)))
    antecedents = [
        [[0, 1], [0, 0], [0, 0]],
        [[2, 3], [0, 1], [0, 0]],
        [[1, 2], [1, 2], [0, 0]],
        [[3, 3], [2, 2], [0, 0]],
        [[0, 0], [2, 2], [0, 0]],
    ]
    consequents = np.random.default_rng(1).normal(size=(5, 4))
    consequents[:, 3] = 0.0
    return RuleBase([a, b, unused], antecedents, consequents, t_norm, "höhe", "km", [0.1, 0.2, 0.3, 0.3, 0.1])


def nominal(t_norm: str = "product") -> RuleBase:
    colour = Variable("colour", NominalPartition([[0], [1, 2], [3.5], [7]], ["brown", "red or green", "blue", "grey"]))
    a = Variable("a", FuzzyPartition([1.0, 2.0], (0.0, 3.0)))
    antecedents = [[[0, 0], [0, 1]], [[1, 2], [0, 0]], [[1, 1], [1, 2]], [[3, 3], [0, 2]]]
    return RuleBase(
        [colour, a], antecedents, [[1.0, 2.0, 3.0], [4.0, 0.0, 1.0], [-5.0, 1.0, 0.0], [9.0, 0.0, 0.0]], t_norm
    )


def with_gaps(t_norm: str = "minimum") -> RuleBase:
    variables = [Variable(name, FuzzyPartition([1.0, 2.0, 3.0], (0.0, 4.0), fuzziness=0.5)) for name in "abc"]
    antecedents = [[[0, 0], [0, 0], [0, 3]], [[3, 3], [1, 3], [2, 3]], [[0, 1], [3, 3], [0, 1]]]
    return RuleBase(variables, antecedents, np.arange(12.0).reshape(3, 4) - 5.0, t_norm)


def one_rule() -> RuleBase:
    a = Variable("a", FuzzyPartition([1.0], (0.0, 2.0)))
    return RuleBase([a], [[[0, 0]]], [[3.0, -0.1]])


def formula() -> RuleBase:
    variables = [Variable("a", FuzzyPartition([1.0], (0.0, 2.0))), Variable("b", FuzzyPartition([], (0.0, 2.0)))]
    return RuleBase(variables, [[[0, 1], [0, 0]]], [[1e-7, 1e20, -1 / 3]])


def constant() -> RuleBase:
    return RuleBase([Variable("a", FuzzyPartition([1.0], (0.0, 2.0)))], [[[0, 1]]], [[42.0, 0.0]])


def fallback_rule() -> RuleBase:
    a = Variable("a", FuzzyPartition([1.0], (0.0, 2.0)))
    return RuleBase([a], [[[0, 1]], [[1, 1]]], [[1.0, 0.0], [5.0, 2.0]], "minimum")


def nasty_names() -> RuleBase:
    rng = np.random.default_rng(2)
    labels = ["*/ low", "hi|gh & <b>", "x\ny"]
    variables = [Variable(name, FuzzyPartition([1.0, 2.0], (0.0, 3.0), 0.5, labels), unit='"\n*/') for name in NASTY]
    codes = NominalPartition([[0, 1], [2]], ["--", "'; \n"])
    variables.append(Variable("null \t tab", codes))
    granularities = np.array([variable.partition.n_labels for variable in variables])
    antecedents = np.zeros((4, len(variables), 2), dtype=int)
    antecedents[:, :, 1] = granularities - 1
    antecedents[0, 0], antecedents[1, 1], antecedents[2, 2], antecedents[3, -1] = (0, 1), (1, 2), (1, 1), (0, 0)
    antecedents[1, 0] = antecedents[2, 0] = antecedents[3, 0] = (2, 2)
    consequents = rng.normal(size=(4, len(variables) + 1))
    return RuleBase(variables, antecedents, consequents, target_name="a\n*/ | b", target_unit='"$')


def random_rules(seed: int) -> RuleBase:
    rng = np.random.default_rng(seed)
    variables = []
    for j in range(rng.integers(1, 5)):
        splits = np.sort(rng.uniform(-1, 1, rng.integers(0, 4)))
        ordered = FuzzyPartition(splits, (-2.0, 2.0), rng.choice([0.0, 0.5, 1.0], len(splits)))
        variables.append(Variable(f"v{j}", NominalPartition([[0], [1, 2], [3]]) if rng.integers(4) == 0 else ordered))
    granularities = np.array([variable.partition.n_labels for variable in variables])
    m = rng.integers(2, 7)
    antecedents = np.sort(rng.integers(0, granularities[None, :, None], (m, len(variables), 2)), axis=2)
    return RuleBase(
        variables, antecedents, rng.normal(size=(m, len(variables) + 1)), rng.choice(["product", "minimum"])
    )


def curve(feature: int, partition: FuzzyPartition, seed: int = 0) -> Curve:
    return Curve(feature, partition, np.random.default_rng(seed).normal(size=(partition.n_labels, 2)))


def with_curve(rule_base: RuleBase, feature: int, splits: list[float], fuzziness: object = 0.6) -> RuleBase:
    """Add a curve over the domain of an input, which need not have its labels."""
    partition = FuzzyPartition(splits, rule_base.variables[feature].partition.range, fuzziness)
    training = rule_base.training and replace(rule_base.training, curve_means=None)
    return replace(rule_base, curves=[*rule_base.curves, curve(feature, partition, feature)], training=training)


def two_curves() -> RuleBase:
    """Of an input that antecedents look at, with split points of every kind, and of one that nothing else uses."""
    rule_base = with_curve(mixed_fuzziness(), 0, [0.2, 0.3, 0.35, 0.9], [0.0, 1.0, 1.0, 0.3])
    return with_curve(rule_base, 2, [0.5])


def nasty_curves() -> RuleBase:
    rule_base = nasty_names()
    for feature in (0, 3, 6):
        rule_base = with_curve(rule_base, feature, [0.5 + feature / 4])
    return rule_base


def one_line_curve() -> RuleBase:
    return with_curve(with_curve(with_gaps("product"), 2, []), 0, [2.2])


def nasty_triangles() -> RuleBase:
    """Rules over triangles and labels of the output with names of all kinds."""
    labels = ["*/ low", "hi|gh & <b>", "x\ny"]
    variables = [
        Variable(name, TrianglePartition.uniform((0.0, 3.0), 3, 0.05, labels=labels), unit='"\n*/') for name in NASTY
    ]
    antecedents = np.full((4, len(variables)), -1)
    antecedents[np.arange(4), np.arange(4)] = [0, 1, 2, 1]
    antecedents[:, 5] = [0, 1, 1, 2]
    said = LabelConsequents([0, 1, 2, 1], TrianglePartition([(0, 1, 3), (1, 2, 9), (5, 6, 6)], (0.0, 6.0), labels))
    where = LabelTriangles(antecedents, variables)
    return RuleBase(variables, where, said, target_name="a\n*/ | b", target_unit='"$')


def crisp_triangles() -> RuleBase:
    """Triangles without one side or without both, one that always holds, and an input that never changes."""
    inputs = [Variable(name, FuzzyPartition([], (0.0, width))) for name, width in (("a", 4.0), ("b", 0.0))]
    inf, nothing = np.inf, (np.nan,) * 3
    points = [
        [(1.0, 1.0, 3.0), nothing],
        [(0.0, 2.0, 2.0), (-inf, 0.0, inf)],
        [(2.0, 2.0, 2.0), (-1.0, 1.0, 2.0)],
        [(3.5, 4.0, inf), (0.0, 0.0, 1.0)],
        [(3.2, 3.2, 3.2), (-1.0, 0.0, 1.0)],
    ]
    coefficients = np.arange(15.0).reshape(5, 3) - 7.0
    return RuleBase(inputs, OwnTriangles(points, inputs), coefficients, "minimum")


def covered_triangles(labels=((0, 1), (2, -1), (-1, -1)), said=(0, 2, 1)) -> RuleBase:
    """Rules of which the last one always applies."""
    inputs = [Variable(name, TrianglePartition.uniform((0.0, 1.0), 3, -0.1)) for name in "ab"]
    output = TrianglePartition([(0.0, 1.0, 1.5), (1.0, 1.2, 4.0), (2.0, 5.0, 5.0)], (0.0, 5.0))
    return RuleBase(inputs, LabelTriangles(labels, inputs), LabelConsequents(said, output), "minimum")


MAKERS: dict[str, Callable[[], RuleBase]] = {
    "grown on weather": lambda: learned("weather"),
    "grown on friedman": lambda: learned("friedman"),
    "paper mode": lambda: learned("weather", 3, FRULERRegressor, max_evaluations=60),
    "crisp": crisp,
    "mixed fuzziness": mixed_fuzziness,
    "mixed fuzziness, minimum": lambda: mixed_fuzziness("minimum"),
    "nominal": nominal,
    "nominal, minimum": lambda: nominal("minimum"),
    "gaps": with_gaps,
    "gaps, product": lambda: with_gaps("product"),
    "one rule": one_rule,
    "formula": formula,
    "constant": constant,
    "a rule for everything": fallback_rule,
    "nasty names": nasty_names,
    "a curve": lambda: with_curve(learned("friedman"), 3, [0.2, 0.7]),
    "two curves": two_curves,
    "a curve of an input that rules look at": lambda: with_curve(fallback_rule(), 0, [0.3, 1.2]),
    "one rule with a curve": lambda: with_curve(one_rule(), 0, [0.5, 1.5], 1.0),
    "formula with a curve": lambda: with_curve(replace(formula(), consequents=[[1.0, 0.0, 2.0]]), 0, [0.9]),
    "gaps and a curve": lambda: with_curve(with_gaps("product"), 1, [0.5, 2.0]),
    "nominal with a curve": lambda: with_curve(nominal(), 1, [1.5]),
    "crisp curve": lambda: with_curve(crisp(), 1, [-0.3, 0.1], 0.0),
    "crisp curve, minimum": lambda: with_curve(with_gaps(), 1, [0.5, 2.0], 0.0),
    "curve of one line": one_line_curve,
    "nasty names with curves": nasty_curves,
    **triangle_rules.KINDS,
    "mamdani, product": lambda: triangle_rules.mamdani("product"),
    "own sets, product": lambda: triangle_rules.own_sets("product"),
    "nasty triangles": nasty_triangles,
    "a curve over triangles": lambda: with_curve(triangle_rules.own_sets(), 1, [90.0, 150.0]),
    "crisp triangles": crisp_triangles,
    "triangles with a rule for everything": covered_triangles,
    "a label for everything": lambda: covered_triangles([[-1, -1]], [1]),
    "labels for everything": lambda: covered_triangles([[-1, -1], [-1, -1]], [0, 1]),
} | {f"random {seed}": lambda seed=seed: random_rules(seed) for seed in range(12)}

# One of each sort, where the step that is tested is the same whatever comes before it.
SOME = [
    *("grown on weather", "gaps", "constant", "formula", "nominal, minimum", "nasty names with curves"),
    *("mamdani, product", "own sets, product", "crisp triangles"),
]

made = lru_cache(maxsize=None)(lambda name: MAKERS[name]())


@pytest.fixture(params=MAKERS)
def rule_base(request: pytest.FixtureRequest) -> RuleBase:
    return made(request.param)


@pytest.fixture
def kind(rule_base: RuleBase, request: pytest.FixtureRequest) -> str:
    """Name the kind of the rule base."""
    return request.node.callspec.params["rule_base"]


@pytest.fixture(scope="session")
def kinds() -> dict[str, RuleBase]:
    """Make a rule base of every kind."""
    return {name: made(name) for name in MAKERS}


@pytest.fixture(scope="session")
def some_kinds() -> dict[str, RuleBase]:
    """Make a rule base of some kinds."""
    return {name: made(name) for name in SOME}


@pytest.fixture
def make_rules() -> Callable[[str], RuleBase]:
    return made


def corner_values(partition: FuzzyPartition | TrianglePartition) -> list[float]:
    values = [*partition.domain, *partition.split_points]
    values += [point for point in partition.triangles.ravel().tolist() if np.isfinite(point)]
    for split, half in zip(partition.split_points, partition.half_widths, strict=True):
        values += [split - half, split + half]
    return values + [float(np.nextafter(value, way)) for value in values for way in (-np.inf, np.inf)]


def make_rows(rule_base: RuleBase, n_rows: int = 300, *, corners: bool = True) -> np.ndarray:
    """Rows inside the domain, outside, far outside, and with values exactly on split points or next to them."""
    rng = np.random.default_rng(0)
    X = np.empty((n_rows, len(rule_base.variables)))
    curves = {curve.input: corner_values(curve.partition) for curve in rule_base.curves}
    kind = rng.integers(0, 4 if corners else 3, n_rows)
    for j, variable in enumerate(rule_base.variables):
        partition = variable.partition
        if isinstance(partition, NominalPartition):
            codes = [code for group in partition.groups for code in group]
            X[:, j] = rng.choice([*codes, 99.0, -1.0, 0.5], n_rows)
            continue
        low, high = partition.domain
        width = (high - low) or 1.0
        inside, near = rng.uniform(low, high, n_rows), rng.uniform(low - width, high + width, n_rows)
        far = rng.choice([-1e6, 1e6], n_rows) * width * rng.uniform(size=n_rows)
        corner = corner_values(rule_base.antecedents.condition_inputs[j].partition) + curves.get(j, [])
        X[:, j] = np.choose(kind, [inside, near, far, rng.choice(corner, n_rows)])
    return X


@pytest.fixture(scope="session")
def rows() -> Callable[..., np.ndarray]:
    return make_rows


def assert_close(
    rule_base: RuleBase, X: np.ndarray, found: object, tolerance: float = 1e-9, rounding: float = 0.0
) -> None:
    """Compare with the rule base itself, in units of the spread of its predictions inside the domain.

    Outside the domain the unit is the size of what is added up there. Every prediction may be off by a share of itself,
    the rounding.
    """
    expected = rule_base.predict(X)
    inside = np.column_stack([column_inside(variable.partition) for variable in rule_base.variables])
    spread = np.std(rule_base.predict(inside))
    outside = (np.abs(X) > np.abs(inside).max(axis=0)).any(axis=1)
    terms = (np.abs(X) @ np.abs(rule_base.slopes.T)).max(axis=1)
    for curve in rule_base.curves:
        terms += np.abs(X[:, curve.input]) * np.abs(curve.coefficients[:, 1]).sum()
    allowed = tolerance * np.where(outside, np.maximum(spread, terms), spread) if spread else np.zeros(len(X))
    allowed += rounding * np.abs(expected)
    error = np.abs(np.asarray(found, dtype=float).reshape(-1) - expected)
    assert error.shape == expected.shape
    worst = int(np.argmax(error - allowed))
    assert (error <= allowed).all(), (X[worst].tolist(), expected[worst], error[worst])


def column_inside(partition: FuzzyPartition | NominalPartition) -> np.ndarray:
    if isinstance(partition, NominalPartition):
        return np.resize([code for group in partition.groups for code in group], 200)
    return np.random.default_rng(partition.n_labels).uniform(*partition.domain, 200)


@pytest.fixture
def check() -> Callable[..., None]:
    return assert_close
