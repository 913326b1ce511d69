import numpy as np
import pytest

from fruler.explain.text import rules_text
from fruler.rules import FuzzyPartition, RuleBase, Variable


def rules(consequents, antecedents=None, **options):
    variables = [
        Variable("temperature", FuzzyPartition([10.0, 20.0], (0.0, 30.0))),
        Variable("wind", FuzzyPartition([30.0], (0.0, 60.0))),
    ]
    return RuleBase(variables, antecedents or [[[0, 0], [0, 1]], [[1, 2], [1, 1]]], consequents, **options)


def test_rules_read_as_sentences():
    text = str(
        rules([[1.0, 2.0, 0.0], [0.0, -0.5, 12.3456]], target_name="power", target_unit="kW", support=[0.25, 0.75])
    )
    assert text == (
        "2 rules for power (kW)\n"
        "\n"
        "Rule 1 (weight 25%)\n"
        "  if temperature is low\n"
        "  then power = 1 + 2·temperature\n"
        "\n"
        "Rule 2 (weight 75%)\n"
        "  if temperature is medium or high and wind is high\n"
        "  then power = 0 + 12.3·wind - 0.5·temperature"
    )


def test_the_largest_effect_comes_first():
    assert "= 0 + 1·temperature - 0.4·wind" in rules_text(rules([[0.0, 1.0, -0.4], [0.0, 1.0, 0.6]]))
    assert "= 0 + 0.6·wind + 1·temperature" in rules_text(rules([[0.0, 1.0, -0.4], [0.0, 1.0, 0.6]]))


def test_one_rule_is_a_formula():
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, -2.5]], target_name="cost")
    assert str(line) == "1 rule for cost\n\ncost = 1 - 2.5·x"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (123456.0, "123000"),
        (0.00123456, "0.00123"),
        (1e-9, "1e-09"),
        (3.2e11, "3.2e+11"),
        (2.0, "2"),
        (0.1 + 0.2, "0.3"),
    ],
)
def test_numbers_are_rounded_to_what_matters(value, shown):
    assert f"= {shown}\n" in rules_text(rules([[value, 0.0, 0.0], [0.0, 0.0, 0.0]]))


def test_narrow_terminals():
    many = RuleBase(
        [Variable(f"input_{j}", FuzzyPartition([0.5], (0, 1))) for j in range(9)],
        np.zeros((2, 9, 2), dtype=int) + np.array([0, 1])[:, None, None],
        np.full((2, 10), -1.2345),
    )
    text = rules_text(many, width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "\u00a0" not in text
    assert not any(line.rstrip().endswith((" -", " +")) for line in text.splitlines())
