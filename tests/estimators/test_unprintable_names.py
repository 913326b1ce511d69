"""Names, units and labels that a terminal would obey instead of show: refused before a search, or escaped."""

import numpy as np
import pandas as pd
import pytest

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.estimators.base import BaseRuleRegressor
from fruler.explain.text import rules_text
from fruler.rules import FuzzyPartition, RuleBase, Variable

EVIL = ["a\x1b[31m", "a\x07", "a\x9b2J", "a\u202eb", "a\nRule 9 (100% of the rows)\n  if x", "a\rb", "a\tb"]


def rows(name="x", target="y", unit=""):
    x = np.linspace(0.0, 1.0, 40)
    frame = pd.DataFrame({name: x, "z": x[::-1] ** 2})
    frame.attrs["units"] = {name: unit} if unit else {}
    return frame, pd.Series(2.0 * x, name=target)


def searched(*_, **__):
    raise AssertionError("the search has begun")


@pytest.mark.parametrize("text", EVIL)
@pytest.mark.parametrize("where", ["name", "target", "unit"])
@pytest.mark.parametrize("estimator", [FuzzyRuleRegressor(), FRULERRegressor()], ids=["growth", "fruler"])
def test_fit_refuses_names_that_cannot_be_printed(estimator, where, text, monkeypatch):
    monkeypatch.setattr("fruler.estimators.base.run_search", searched)
    with pytest.raises(ValueError, match="has characters that cannot be printed; write it without them") as caught:
        estimator.fit(*rows(**{where: text}))
    assert str(caught.value).isprintable()


@pytest.fixture(scope="module")
def model():
    return FuzzyRuleRegressor(random_state=0).fit(*rows())


@pytest.mark.parametrize("text", EVIL)
def test_new_names_that_cannot_be_printed_are_refused(model: BaseRuleRegressor, text):
    for names in ({"units": {"x": text}}, {"units": {"y": text}}, {"labels": {"x": [text] * 9}}):
        with pytest.raises(ValueError, match="has characters that cannot be printed"):
            model.with_names(**names)
    with pytest.raises(ValueError, match="has characters that cannot be printed"):
        model.with_names(labels={"x": {"low": text}})


@pytest.mark.parametrize("text", EVIL)
def test_rules_with_such_names_print_no_line_of_their_own(text):
    plain = RuleBase([Variable("n", FuzzyPartition([1.0], (0.0, 2.0)))], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    for evil in (
        RuleBase(plain.variables, plain.antecedents, plain.consequents, target_name=text),
        RuleBase(plain.variables, plain.antecedents, plain.consequents, target_unit=text),
        RuleBase([Variable(text, plain.variables[0].partition, text)], plain.antecedents, plain.consequents),
    ):
        lines = rules_text(evil, table=False).splitlines()
        assert all(line.isprintable() or "\N{NO-BREAK SPACE}" in line for line in lines)
        assert sum(line.startswith("Rule ") for line in lines) == 2
        assert all(line.isprintable() for line in str(evil.with_training([[0.5]], [1.0]).explain([[0.2]])).splitlines())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"units": ["a"]}, "units must be a dict"),
        ({"units": {"x": 5}}, "The unit '5' is not text"),
        ({"labels": "a"}, "labels must be a dict"),
    ],
)
def test_names_of_the_wrong_type_are_refused_in_one_sentence(model, names, message):
    with pytest.raises(ValueError, match=message):
        model.with_names(**names)


def test_weights_of_text_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"sample_weight must hold numbers \(.*'a'\); give one weight per row"):
        FuzzyRuleRegressor().fit(*rows(), sample_weight=["a"] * 40)
