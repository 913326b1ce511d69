"""`make lint` holds the docstrings of public names against numpydoc's checks: it finds all names, and what is wrong."""

import importlib.util
import sys
from pathlib import Path

import pytest

from fruler import FuzzyPartition, RuleBase
from fruler.rules import Antecedents, LabelRanges

pytest.importorskip("numpydoc", reason="part of the extra dev")

SCRIPT = Path(__file__).parents[1] / "release" / "docstring_validation.py"


@pytest.fixture(scope="module")
def script():
    with pytest.MonkeyPatch.context() as patch:
        spec = importlib.util.spec_from_file_location("docstring_validation", SCRIPT)
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        yield module


def faults(script, name):
    names = script.public_names()
    (one,) = [one for one in names if one.name == name]
    checks = script.chosen_checks() - script.waived(one, {one.value for one in names})
    return list(script.faults(one, checks))


def test_methods_and_properties_are_public_names(script):
    names = {one.name for one in script.public_names()}
    assert {"fruler.RuleBase", "fruler.RuleBase.predict", "fruler.RuleBase.n_rules", "fruler.load_model"} <= names
    assert not [name for name in names if "._" in name]


def test_a_parameter_that_is_not_described_is_found(script, monkeypatch):
    assert faults(script, "fruler.RuleBase.predict") == []
    monkeypatch.setattr(RuleBase.predict, "__doc__", "Predict the output of each row.\n")
    assert any(fault.startswith("PR01") for fault in faults(script, "fruler.RuleBase.predict"))


def test_an_exception_that_is_not_described_is_found(script, monkeypatch):
    doc = FuzzyPartition.displaced.__doc__
    monkeypatch.setattr(FuzzyPartition.displaced, "__doc__", doc.replace("ValueError", "TypeError"))
    assert faults(script, "fruler.FuzzyPartition.displaced") == ["ValueError is not under Raises"]


def test_a_method_shares_the_sections_of_the_one_that_it_overrides(script, monkeypatch):
    assert "Parameters" not in LabelRanges.degrees.__doc__
    assert faults(script, "fruler.rules.LabelRanges.degrees") == []
    monkeypatch.setattr(Antecedents.degrees, "__doc__", "Return the degrees.\n")
    assert any(fault.startswith("PR01") for fault in faults(script, "fruler.rules.Antecedents.degrees"))
