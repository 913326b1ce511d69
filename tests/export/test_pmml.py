"""PMML documents: valid by the schema of PMML 4.4, and scored by JPMML-Evaluator."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from fuzz_models import make_case, use
from helpers.pmml import backend, check_schema, evaluator_of, with_pmml

from fruler import FuzzyRuleRegressor
from fruler.export import export_model
from fruler.export._plan import make_model_plan
from fruler.rules import FuzzyPartition, RuleBase, Variable

NAMESPACE = {"p": "http://www.dmg.org/PMML-4_4"}


@pytest.fixture
def jpmml():
    return backend()


def test_names_of_all_kinds_stay_as_they_are(kinds):
    for name in ("nasty names", "nasty names with curves", "nasty triangles"):
        rules = kinds[name]
        root = ElementTree.fromstring(export_model(rules, "pmml"))
        fields = [field.get("name") for field in root.iterfind("p:DataDictionary/p:DataField", NAMESPACE)]
        used = {rules.variables[j].column for j in make_model_plan(rules).used}
        assert fields == [*(name for name in rules.columns if name in used), rules.target_name]
        assert len(fields) > 2


def test_a_name_that_xml_cannot_have_is_refused():
    rules = RuleBase([Variable("a\x01b", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="XML has no control characters"):
        export_model(rules, "pmml")


def test_every_field_is_defined_before_it_is_used(kinds):
    for rules in kinds.values():
        root = ElementTree.fromstring(export_model(rules, "pmml"))
        known = {field.get("name") for field in root.iterfind(".//p:DataField", NAMESPACE)}
        for field in root.iterfind(".//p:DerivedField", NAMESPACE):
            assert {own.get("field") for own in field.iterfind(".//p:FieldRef", NAMESPACE)} <= known
            assert field.get("name") not in known
            known.add(field.get("name"))


def test_names_of_fields_that_are_columns_too_get_another_end():
    frame = pd.DataFrame({name: np.linspace(0.0, 1.0, 60) for name in ("fruler_raw", "lower", "y")})
    frame["lower"] = frame["lower"] ** 2
    model = FuzzyRuleRegressor(calibration=0.3, random_state=0).fit(frame, pd.Series(frame.sum(axis=1), name="y"))
    root = ElementTree.fromstring(export_model(model.rule_base_, "pmml", interval=0.9))
    names = [own.get("name") for own in root.iter() if own.tag.endswith(("DataField", "DerivedField", "OutputField"))]
    assert len(set(names)) == len(names)


@pytest.mark.usefixtures("jpmml")
def test_random_mixed_models_are_scored_as_predict_does():
    for number in range(30_000, 30_030):
        use(make_case(number, quick=True), number, engines={"pmml": with_pmml}, refits=False)


@pytest.mark.usefixtures("jpmml")
def test_rules_of_all_kinds_are_scored_as_predict_does(kinds, rows, check):
    for name, rules in kinds.items():
        X = rows(rules, 40)
        document = export_model(rules, "pmml")
        check_schema(document)
        if "nasty" not in name:
            check(rules, X, with_pmml(rules, pd.DataFrame(X, columns=list(rules.columns))))


@pytest.mark.usefixtures("jpmml")
def test_without_estimates_a_gap_has_no_prediction(make_rules):
    rules = make_rules("mixed fuzziness")
    evaluator = evaluator_of(export_model(rules, "pmml"))
    assert evaluator.evaluate({"a": 0.2, "b": None})[rules.target_name] is None
    found = evaluator.evaluate({"a": 0.2, "b": 12.0})[rules.target_name]
    assert found == pytest.approx(rules.predict([[0.2, 12.0, 0.0]])[0])
