"""Units and label names that are given to ``fruler fit``."""

import json

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line

from fruler import load_model
from fruler._cli.column_options import parse_labels, parse_units


@pytest.fixture
def bent(tmp_path):
    """A table whose target bends where x is 5, so that rules divide x."""
    x, z = np.meshgrid(np.arange(0.0, 10.0, 0.25), [0.0, 1.0])
    table = pd.DataFrame({"x": x.ravel(), "z": z.ravel()})
    noise = np.random.default_rng(0).normal(0, 0.01, len(table))
    # What z does depends on x, which no curve of x can say.
    table["y"] = np.where(table["x"] < 5, 3.0 * table["z"], -3.0 * table["z"]) + table["x"] + noise
    table.to_csv(tmp_path / "bent.csv", index=False)
    return tmp_path / "bent.csv"


def test_labels_and_units_are_printed_and_saved(fruler, bent, tmp_path):
    options = ("--label", "x:low=cold", "--label", "x:high=hot", "--unit", "x=°C", "--unit", "y=kW")
    result = fruler("fit", bent, "--target", "y", "--no-test", *options, "--model", tmp_path / "m.json")
    assert result.returncode == 0
    assert result.stderr == ""
    assert "x is cold" in result.stdout
    assert "kW" in result.stdout
    rules = load_model(tmp_path / "m.json").rule_base_
    assert rules.variables[0].partition.labels == ("cold", "hot")
    assert (rules.variables[0].unit, rules.target_unit) == ("°C", "kW")
    assert "x is hot" in fruler("rules", tmp_path / "m.json").stdout


def test_labels_that_the_rules_do_not_have_are_said_and_left_out(fruler, bent):
    options = ("--label", "x:very low=icy", "--label", "x:low=cold", "--label", "z:medium=off", "--label", "x:low=high")
    result = fruler("fit", bent, "--target", "y", "--no-test", *options[:6], "--json")
    assert result.returncode == 0
    said = [line for line in result.stderr.splitlines() if "--label" in line]
    assert said[0] == "fruler: --label: 'x' has no label 'very low' in these rules; its labels are 'low', 'high'"
    assert said[1].startswith("fruler: --label: 'z' has no label 'medium' in these rules; ")
    assert len(said) == 2
    assert "cold" in json.dumps(json.loads(result.stdout)["rule_base"])
    result = fruler("fit", bent, "--target", "y", "--no-test", *options[6:])
    assert result.returncode == 0
    assert "--label: the labels of 'x' keep their names: Label names must be distinct" in result.stderr


@pytest.mark.parametrize(
    ("option", "parts"),
    [
        ("--label=x", ("--label must be an input, a label and its new name: age:low=young", "'x'")),
        ("--label=x:low", ("--label must be",)),
        ("--label=x:=cold", ("--label must be",)),
        ("--label=x:low= ", ("--label must be",)),
        ("--label=w:low=cold", ("--label: there is no input 'w'", "'x', 'z', 'y'")),
        ("--unit=x", ("--unit must be a name and a unit",)),
        ("--unit=w=m", ("--unit: there is no input 'w'",)),
    ],
)
def test_what_is_no_name_is_refused_before_anything_is_learned(fruler, bent, option, parts):
    result = fruler("fit", bent, "--target", "y", option)
    assert_one_line(result, *parts)
    assert result.stdout == ""


def test_two_labels_of_one_name(fruler, bent):
    result = fruler("fit", bent, "--target", "y", "--label", "x:low=a", "--label", "x:high=a")
    assert_one_line(result, "two labels of 'x' have the name 'a'")


def test_names_may_hold_colons_and_equal_signs():
    assert parse_labels(["a:b:low=c"], ["a", "a:b"]) == {"a:b": {"low": "c"}}
    assert parse_labels(["a=b:low=c"], ["a=b"]) == {"a=b": {"low": "c"}}
    assert parse_units(["a=b=m"], ["a=b"]) == {"a=b": "m"}
