import re
from dataclasses import replace

import numpy as np
import pytest
from helpers.dated_rules import dated_rules
from helpers.triangle_rules import mamdani

from fruler.explain._effects import signed_effects, typical_rows
from fruler.explain._sentences import sentence_of
from fruler.explain.text import rules_text
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable


def cars(**options):
    """Return two rules, light and heavy cars, over weight, year and an input of 0 and 1."""
    inputs = [
        Variable("weight", FuzzyPartition([3000.0], (1600.0, 5200.0), 0.0), "lb"),
        Variable("year", FuzzyPartition([], (1970.0, 1982.0))),
        Variable("turbo", FuzzyPartition([], (0.0, 1.0))),
    ]
    light, heavy = [[0, 0], [0, 0], [0, 0]], [[1, 1], [0, 0], [0, 0]]
    consequents = [[-1440.0, -0.006, 0.75, 3.0], [-940.0, -0.002, 0.5, 0.001]]
    rules = RuleBase(inputs, [light, heavy], consequents, target_name="mpg", target_unit="mi/gal", **options)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(1600, 5200, 400), rng.integers(1970, 1983, 400), rng.random(400) < 0.2])
    return rules.with_training(X, rules.predict(X) + rng.normal(size=400)), X


class TestTypicalRow:
    def test_it_is_the_mean_of_the_rows_weighted_by_the_rule(self):
        rules, X = cars()
        light = X[:, 0] < 3000.0
        np.testing.assert_allclose(rules.training.centres, [X[light].mean(axis=0), X[~light].mean(axis=0)], rtol=1e-4)
        np.testing.assert_allclose(rules.training.spreads, [X[light].std(axis=0), X[~light].std(axis=0)], rtol=1e-4)
        np.testing.assert_allclose(rules.background.widths, 2.0 * rules.training.spreads)
        np.testing.assert_allclose(signed_effects(rules), rules.slopes * rules.background.widths)

    def test_an_input_of_zeros_and_ones_has_the_more_common_one(self):
        rules, _ = cars()
        assert 0.0 < rules.training.centres[0, 2] < 0.5
        assert typical_rows(rules)[:, 2].tolist() == [0.0, 0.0]

    def test_rows_count_by_their_overlap_and_a_rule_without_rows_by_all(self):
        x = Variable("x", FuzzyPartition([2.0, 50.0], (0.0, 100.0), 1.0))
        rules = RuleBase([x], [[[0, 0]], [[1, 1]], [[2, 2]]], [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
        X = np.array([[1.0], [2.0], [3.0]])
        trained = rules.with_training(X, X[:, 0])
        weights = rules.activations(X)[0]
        assert not weights[:, 2].any()
        means = (weights[:, :2] * X).sum(axis=0) / weights[:, :2].sum(axis=0)
        np.testing.assert_allclose(trained.training.centres[:, 0], [*means, 2.0], rtol=1e-4)

    @pytest.mark.parametrize("size", [1e-200, 1e100])
    def test_of_any_size(self, size):
        x = Variable("x", FuzzyPartition([], (-size, size)))
        X = np.array([[-size], [0.0], [size]])
        training = RuleBase([x], [[[0, 0]]], [[0.0, 1.0]]).with_training(X, [0.0, 1.0, 2.0]).training
        assert training.centres[0, 0] == pytest.approx(0.0, abs=1e-12 * size)
        assert training.spreads[0, 0] == pytest.approx(size * np.sqrt(2.0 / 3.0), rel=1e-4)


def test_the_value_is_what_the_rule_says_at_its_typical_row():
    rules, _ = cars()
    row = typical_rows(rules)
    for rule in range(2):
        said = float(str(sentence_of(rules, rule)).split()[1])
        # Two hundredths of the spread are how far an output may be off.
        assert said == pytest.approx(rules.rule_outputs(row)[rule, rule], abs=0.02 * rules.training.target_spread)


def test_a_sentence():
    rules, _ = cars()
    text = rules_text(rules, width=300)
    light, heavy = (line for line in text.splitlines() if "then" in line)
    assert light == (
        "  then mpg is about 28.7 mi/gal; +0.75 mi/gal per unit of year (from 1976.4), -6 mi/gal per 1,000 lb of "
        "weight (from 2,260), +3 mi/gal if turbo is 1"
    )
    assert heavy == (
        "  then mpg is about 39.7 mi/gal; +0.50 mi/gal per unit of year (from 1975.9), -2 mi/gal per 1,000 lb of "
        "weight (from 4,140); turbo hardly matters"
    )
    assert "if weight is low (below 3,000 lb)\n" in text
    assert "if weight is high (from 3,000 lb)\n" in text


def test_a_state_that_is_common_is_where_a_sentence_starts():
    rules, X = cars()
    X[:, 2] = 1.0 - X[:, 2]
    said = str(sentence_of(rules.with_training(X, rules.predict(X)), 0))
    assert "-3 mi/gal if turbo is 0" in said.replace("\xa0", " ")


def test_curves_count_by_what_they_add_on_average_and_not_at_the_average_row():
    # All cars are of the first or of the last years; their mean lies between, where the curve has its peak.
    peak = Curve(1, FuzzyPartition([1974.0, 1978.0], (1970.0, 1982.0), 0.0), [[0.0, 0.0], [40.0, 0.0], [1.0, 0.0]])
    rules, X = cars(curves=[peak])
    X[:, 1] = np.where(X[:, 1] < 1976.0, 1971.0, 1981.0)
    rules = rules.with_training(X, rules.predict(X))
    assert 1974.0 < typical_rows(rules)[0, 1] < 1978.0
    said = str(sentence_of(rules, 0)).replace("\xa0", " ")
    weights = rules.activations(X)[0]
    late = float(np.average(X[:, 1] == 1981.0, weights=weights[:, 0]))
    assert f", and along the curve of year (+{late:.1f} already in it)" in said
    mean = float(np.average(rules.rule_outputs(X)[:, 0], weights=weights[:, 0]))
    about = float(re.search("about ([0-9.]+)", said).group(1))
    # Turbo is told at its more common state, so the two may differ by what it adds.
    assert abs(about - mean) < 3.0


def test_terms_are_ordered_by_what_they_change_where_the_rule_applies():
    """Over the whole range the first input changes more, in the rows of the rule the second."""
    x, z = (Variable(name, FuzzyPartition([5.0], (0.0, 100.0), 0.0)) for name in "xz")
    rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 2.0, 1.0], [0.0, 2.0, 1.0]])
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 100.0, (500, 2))
    rules = rules.with_training(X, rules.predict(X))
    low, high = (str(sentence_of(rules, rule)) for rule in range(2))
    assert low.index(" of z") < low.index(" of x")
    assert high.index(" of x") < high.index(" of z")
    assert rules_text(rules, form="equation").count("= 0 + 1·z + 2·x") == 1


def test_numbers_can_be_typeset():
    rules, _ = cars()
    said = str(sentence_of(rules, 0, lambda number: number.replace("-", "−")))
    assert "−6" in said
    assert "-" not in said


def test_labels_are_told_with_what_they_stand_for():
    assert str(sentence_of(mamdani(), 4)).replace("\xa0", " ") == "low (about 11.3 mi/gal)"


def test_rules_that_know_no_rows_say_equations():
    rules, _ = cars()
    forgetful = replace(rules, training=replace(rules.training, centres=None, spreads=None))
    assert sentence_of(forgetful, 0) is None
    assert "then mpg = -1,440 - " in rules_text(forgetful)
    assert rules_text(replace(rules, training=None)).count("then mpg = ") == 2


def test_categories_are_told_from_the_mean_of_what_they_add():
    rules = dated_rules()
    said = str(sentence_of(rules, 0)).replace("\xa0", " ")
    assert "; origin: europe +0.6, japan +1.6" in said
    # Of one category there is nothing to tell: the rule's output is the one with it.
    assert "fuel" not in said


def test_a_form_that_there_is_none_of():
    rules, _ = cars()
    with pytest.raises(ValueError, match="form must be one of sentences, equation; got 'poem'"):
        rules_text(rules, form="poem")
    for write in (rules.to_markdown, rules.to_latex):
        with pytest.raises(ValueError, match="form must be one of"):
            write(form="poem")


def test_sentences_in_markdown_and_latex():
    rules, _ = cars()
    said = rules.to_markdown(form="sentences")
    assert said.count("\n") == 2
    start = "- Rule 1 (33% of the rows): if weight is low (below 3,000 lb), then mpg is about 28.7 mi/gal; "
    assert said.startswith(start)
    latex = rules.to_latex(form="sentences")
    assert r"\item[Rule 1 (33\% of the rows)] if weight is low (below 3,000 lb), then mpg is about 28.7" in latex
    assert "tabular" not in latex


def test_several_curves_are_one_list():
    steps = FuzzyPartition([], (0.0, 10.0))
    inputs = [Variable(name, steps) for name in "abc"]
    curves = [Curve(j, steps, [[0.0, slope]]) for j, slope in enumerate((1.0, -2.0, 3.0))]
    X = np.random.default_rng(0).uniform(0.0, 10.0, (50, 3))
    X += 5.0 - X.mean(axis=0)
    rules = RuleBase(inputs, [[[0, 0]] * 3], [[7.0, 0.0, 0.0, 0.0]], curves=curves)
    said = str(sentence_of(rules.with_training(X, rules.predict(X)), 0)).replace("\xa0", " ")
    assert said == "about 17.0; along the curves of a (+5.0 already in it), b (-10.0) and c (+15.0)"


def test_a_slope_besides_a_curve_is_told_to_be_one():
    curve = Curve(0, FuzzyPartition([], (1600.0, 5200.0)), [[0.0, 0.001]])
    rules, _ = cars(curves=[curve])
    said = str(sentence_of(rules, 0)).replace("\xa0", " ")
    assert re.search(r"of weight \(from [0-9,]+, besides its curve\)", said)
    assert "of year (from 1976" not in said or "besides" not in said.split("of year")[1].split(")")[0]
