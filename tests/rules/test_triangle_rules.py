"""Rules over triangles: what they predict, say and refuse."""

import copy
import pickle

import numpy as np
import pytest
from helpers import brute_force
from helpers.triangle_rules import (
    KINDS,
    mamdani,
    mpg_labels,
    own_inputs,
    own_sets,
    rows_around,
    trained,
    triangle_inputs,
)

from fruler._table.sources import GapSource, LevelSource
from fruler.explain.text import rules_text
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
from fruler.rules._tables import rules_table


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("t_norm", ["product", "minimum"])
def test_the_kernel_and_numpy_predict_the_same(kind, t_norm):
    rules, rows = KINDS[kind](t_norm), rows_around()
    np.testing.assert_allclose(rules.predict(rows), brute_force.predictions(rules, rows), rtol=1e-12)
    weights, fired = rules.activations(rows)
    plain, plain_fired = brute_force.activations(rules, rows)
    np.testing.assert_allclose(weights, plain, atol=1e-14)
    np.testing.assert_array_equal(fired, plain_fired)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose((weights * rules.rule_outputs(rows)).sum(axis=1), rules.predict(rows), rtol=1e-12)
    assert not fired.all()
    assert fired.any()


def test_a_mandani_prediction_by_hand():
    """One row in which two rules fire by 0.5 and 0.25."""
    x = Variable("x", TrianglePartition([(0.0, 2.0, 4.0), (2.5, 4.5, 8.0)], (0.0, 8.0)))
    output = TrianglePartition([(0.0, 10.0, 40.0), (30.0, 50.0, 60.0)], (0.0, 60.0))
    rules = RuleBase([x], LabelTriangles([[0], [1]], [x]), LabelConsequents([0, 1], output), "minimum")

    def clipped(a, b, c, h):
        x1, x2 = a + (b - a) * h, c - (c - b) * h
        return ((c * c + c * x2 + x2 * x2) - (a * a + a * x1 + x1 * x1)) / (3.0 * ((c + x2) - (a + x1)))

    low, high = clipped(0.0, 10.0, 40.0, 0.5), clipped(30.0, 50.0, 60.0, 0.25)
    assert rules.rule_outputs([[3.0]])[0] == pytest.approx([low, high])
    assert rules.predict([[3.0]])[0] == pytest.approx((0.5 * low + 0.25 * high) / 0.75)
    # Where a rule fires fully it says the centre of its whole triangle.
    assert rules.predict([[2.0]])[0] == pytest.approx(50.0 / 3.0)


def test_equal_triangles_predict_as_ranges_of_labels_do():
    rng = np.random.default_rng(0)
    domains, granularities = [(0.0, 10.0), (-5.0, 5.0)], [3, 4]
    labels = [[0, 1], [1, 3], [2, 0], [1, 1]]
    shared = [
        Variable(n, TrianglePartition.uniform(d, g)) for n, d, g in zip("ab", domains, granularities, strict=True)
    ]
    strong = []
    for variable in shared:
        middles = variable.partition.triangles[:, 1]
        strong.append(
            Variable(variable.name, FuzzyPartition((middles[1:] + middles[:-1]) / 2, variable.partition.domain))
        )
    said = LabelConsequents([0, 1, 2, 1], mpg_labels())
    rows = rng.uniform(-12.0, 12.0, (500, 2))
    one = RuleBase(shared, LabelTriangles(labels, shared), said, "minimum")
    other = RuleBase(strong, np.repeat(np.array(labels)[:, :, None], 2, axis=2), said, "minimum")
    fired = one.activations(rows)[1]
    np.testing.assert_array_equal(fired, other.activations(rows)[1])
    np.testing.assert_allclose(one.predict(rows)[fired], other.predict(rows)[fired], rtol=1e-12)


def test_symmetric_labels_of_the_output_are_numbers():
    inputs = triangle_inputs()
    labels = [[0, 0, -1], [1, -1, 1], [2, 1, 0]]
    output = TrianglePartition.uniform((10.0, 40.0), 4, 0.05, shoulders=False)
    said = RuleBase(inputs, LabelTriangles(labels, inputs), LabelConsequents([3, 1, 0], output), "minimum")
    numbers = np.zeros((3, 4))
    numbers[:, 0] = output.triangles[[3, 1, 0], 1]
    plain = RuleBase(inputs, LabelTriangles(labels, inputs), numbers, "minimum")
    np.testing.assert_allclose(said.predict(rows_around()), plain.predict(rows_around()), rtol=1e-12)


def test_rules_of_their_own_with_the_shared_points_predict_the_same():
    shared = mamdani()
    own = RuleBase(own_inputs(), OwnTriangles(shared.antecedents.points, own_inputs()), shared.consequents, "minimum")
    np.testing.assert_array_equal(own.predict(rows_around()), shared.predict(rows_around()))


def test_where_no_rule_fires_the_nearest_answers_with_its_whole_triangle():
    x = Variable("x", TrianglePartition([(0.0, 1.0, 2.0), (6.0, 7.0, 8.0)], (0.0, 10.0)))
    y = Variable("y", TrianglePartition([(0.0, 100.0, 200.0), (300.0, 400.0, 500.0)], (0.0, 1000.0)))
    said = LabelConsequents([0, 1, 2], mpg_labels())
    rules = RuleBase([x, y], LabelTriangles([[0, 0], [1, 1], [1, -1]], [x, y]), said, "minimum")
    # Of the first rule 0.3 and 0.15 away, of the second 0.3 and 0.15, of the third 0.3 alone.
    assert rules.predict([[4.0, 250.0]])[0] == pytest.approx(said.intercepts[2])
    two = RuleBase([x, y], LabelTriangles([[0, 0], [1, 1]], [x, y]), LabelConsequents([0, 1], mpg_labels()), "minimum")
    weights, fired = two.activations([[4.0, 250.0], [4.0, 260.0], [4.0, 1e9]])
    assert weights.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    assert not fired.any()


def test_a_single_rule_says_more_of_a_row_that_it_fits_better():
    rules = KINDS["a single label"]()
    far, near = rules.predict([[2200.0, 170.0, 0.0], [2800.0, 170.0, 0.0]])
    assert far != near
    assert near == pytest.approx(rules.consequents.intercepts[0])


def test_rules_are_spelled_out():
    rule = mamdani().rules[1]
    assert rule.antecedent == {"weight": ("low",), "power": ("low",), "year": ("high",)}
    assert (rule.label, rule.coefficients) == ("high", {})
    assert rule.intercept == pytest.approx((17.0 + 27.0 + 45.0) / 3.0)
    assert own_sets().rules[1].antecedent == {
        "weight": ("about 2,800 (2,100 to 3,400)",),
        "power": ("about 95 (60 to 140)",),
    }


def test_sets_that_print_alike_get_more_digits():
    x = Variable("x", FuzzyPartition([], (0.0, 100.0)))
    near = np.nextafter(50.0, 51.0)
    rules = OwnTriangles([[[10.0, 50.0, 90.0]], [[10.0, 50.001, 90.0]], [[10.0, near, 90.0]]], [x])
    labels = rules.condition_inputs[0].partition.labels
    assert len(set(labels)) == 3
    assert labels == ("about 50 (10 to 90), set 1", "about 50 (10 to 90), set 2", "about 50.001 (10 to 90)")


def test_rules_as_a_table():
    table = rules_table(mamdani())
    assert table["then mpg"].tolist() == ["medium", "high", "medium", "medium", "low"]
    assert table["if year"].tolist() == ["any", "high", "medium", "any", "low"]
    assert not [name for name in table if name.startswith(("coef", "intercept"))]
    own = rules_table(own_sets())
    assert own["if weight"].tolist()[1] == "about 2,800 (2,100 to 3,400)"
    assert own["coef year"].tolist() == [0.08, 0.12, 0.0, 0.0]


def test_names_units_and_labels_of_the_output():
    rules = mamdani().with_labels({"mpg": {"high": "thrifty"}, "weight": ["light", "middling", "heavy"]})
    assert rules.target.partition.labels == ("low", "medium", "thrifty")
    assert rules.variables[0].partition.labels == ("light", "middling", "heavy")
    assert rules.antecedents.variables[0].partition.labels == ("light", "middling", "heavy")
    again = mamdani().with_units({"mpg": "km/l", "power": "kW"})
    assert (again.target.unit, again.target_unit, again.variables[1].unit) == ("km/l", "km/l", "kW")
    assert mamdani().named_like(rules) == rules
    np.testing.assert_array_equal(rules.predict(rows_around()), mamdani().predict(rows_around()))
    with pytest.raises(ValueError, match="There is no label 'highest'; the labels are low, medium, high"):
        mamdani().with_labels({"mpg": {"highest": "best"}})
    with pytest.raises(ValueError, match="There is no input 'mpg'"):
        own_sets().with_labels({"mpg": {"low": "bad"}})


@pytest.mark.parametrize("kind", KINDS)
def test_copies_are_equal(kind):
    rules = trained(KINDS[kind]())
    for other in (copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert other == rules
        assert hash(other) == hash(rules)
        assert not other.antecedents.points.flags.writeable if kind != "strong labels" else True
    assert rules != own_sets()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_sum_to_the_prediction(kind):
    rules, rows = trained(KINDS[kind]()), rows_around(30)
    why = rules.explain(rows)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), rules.predict(rows), rtol=1e-9, atol=1e-9)
    assert why.to_frame()["fired"].tolist() == rules.activations(rows)[1].tolist()
    assert str(why)
    assert rules.training.rule_importance.shape == (rules.n_rules,)


def test_categories_and_gaps_over_triangles():
    levels = LevelSource("origin", ["usa", "europe", "japan"], [-1.0, 0.5, 1.0])
    origin = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=levels)
    gap = Variable("size is missing", FuzzyPartition([], (0.0, 1.0)), source=GapSource("size"))
    points = [
        [(-np.inf, -1.0, 0.4), (np.nan,) * 3],
        [(-0.5, 0.75, np.inf), (0.2, 1.0, np.inf)],
        [(-0.4, -0.2, 0.1), (-np.inf, 0.0, 0.7)],
        [(np.nan,) * 3, (-np.inf, 0.0, 0.5)],
    ]
    rules = RuleBase([origin, gap], OwnTriangles(points, [origin, gap]), np.arange(12.0).reshape(4, 3), target_name="y")
    text = rules_text(rules, width=120, table=False)
    assert "if origin is usa\n" in text
    assert "if origin is europe or japan and size is missing\n" in text
    # A set between the numbers of all categories is written by its points.
    assert "if origin is about -0.2 (-0.4 to 0.1) and size is present\n" in text
    assert "size is present" in text
    assert rules.antecedents.levels(3, 0) == ["usa", "europe", "japan"]
    assert rules.antecedents.levels(2, 0) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda x, n: LabelTriangles([[3, -1]], [x, n]),
            "Rule 0 accepts the label 3 of 'x', which has the labels 0 to 2",
        ),
        (lambda x, n: LabelTriangles([[-2, -1]], [x, n]), "-1 stands for all"),
        (lambda x, n: LabelTriangles([[0.5, -1]], [x, n]), "antecedents must be whole numbers: the label accepted"),
        (lambda x, n: LabelTriangles([0, 1], [x, n]), r"shape \(rules, 2\); got \(2,\)"),
        (
            lambda x, n: LabelTriangles([[0, 0]], [x, n]),
            "needs inputs with a TrianglePartition; 'n' has a Nominal",
        ),
        (lambda x, n: OwnTriangles([[(0, 1, 2)]], [x, n]), r"shape \(rules, 2, 3\); got \(1, 1, 3\)"),
        (lambda x, n: OwnTriangles([[(0, 1, 2), (0, 1, 2)]], [x, n]), "'n' has categories"),
        (lambda x, n: OwnTriangles([[(0, 1, 2), (0, np.nan, 2)]], [x, n]), r"three numbers.*at index \(0, 1\)"),
        (
            lambda x, n: RuleBase([x, n], [[[0, 1], [0, 1]]], [[0, 0, 0]]),
            "'x' has triangles; use LabelTriangles",
        ),
        (lambda x, n: LabelConsequents([0], x.partition), "The triangles of an output need finite points"),
        (lambda x, n: LabelConsequents([0], n.partition), "need a TrianglePartition"),
        (
            lambda x, n: LabelConsequents([3], mpg_labels()),
            "Rule 0 has the label 3 as its output, but the output has the labels 0 to",
        ),
        (lambda x, n: LabelConsequents([[0]], mpg_labels()), r"shape \(rules,\); got \(1, 1\)"),
        (lambda x, n: LabelConsequents([0.5], mpg_labels()), "consequents must be whole numbers"),
        (
            lambda x, n: RuleBase([x, n], LabelTriangles([[0, -1]], [x, n]), LabelConsequents([0, 1], mpg_labels())),
            "1 rules need one output label each; got 2 labels",
        ),
        (
            lambda x, n: RuleBase(
                [x, n],
                LabelTriangles([[0, -1]], [x, n]),
                LabelConsequents([0], mpg_labels()),
                curves=[Curve(0, FuzzyPartition([], (0.0, 1.0)), [[0.0, 1.0]])],
            ),
            "Curves need rules with numbers",
        ),
    ],
)
def test_bad_rules_are_refused(make, message):
    x = Variable("x", TrianglePartition.uniform((0.0, 1.0), 3))
    with pytest.raises(ValueError, match=message):
        make(x, Variable("n", NominalPartition([[0], [1]])))
