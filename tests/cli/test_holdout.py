"""Which rows are held out: random ones, or the last ones of a table in order of time."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line

from fruler import FuzzyRuleRegressor, load_model
from fruler._cli.holdout import last_rows, random_rows
from fruler.learning._folds import forward_folds

N = 60


@pytest.fixture
def series(tmp_path):
    """A table in order of time, whose last rows are unlike the others, where one of the first has no target."""
    day = np.arange(N)
    table = pd.DataFrame({"day": day, "load": (day * 7) % 13, "y": np.where(day < 45, day, 5 * day) + (day * 7) % 13})
    table = table.astype(float)
    table.loc[2, "y"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.parametrize(("asked", "n_test"), [("20%", 11), ("12", 12), ("12.5%", 7), ("1", 1)])
def test_the_errors_are_those_of_the_last_rows(fruler, series, asked, n_test):
    document = json.loads(fruler("fit", series, "--target", "y", "--test-last", asked, "--json").stdout)
    table = pd.read_csv(series).dropna()
    X, y = table[["day", "load"]].to_numpy(), table["y"].to_numpy()
    # No larger than the rules that are kept.
    rules = FuzzyRuleRegressor(random_state=0).fit(X[:-n_test], y[:-n_test])
    rules = rules.with_rules(len(document["rule_base"]["rules"]))
    held_out = document["held_out"]
    assert (held_out["rows"], held_out["learned_from"], held_out["chosen"]) == (n_test, 59 - n_test, "last")
    error = np.sqrt(np.square(rules.predict(X[-n_test:]) - y[-n_test:]).mean())
    assert held_out["rmse"]["rules"] == pytest.approx(error)
    mean = np.sqrt(np.square(y[:-n_test].mean() - y[-n_test:]).mean())
    assert held_out["rmse"]["mean"] == pytest.approx(mean)


def test_the_text_says_which_rows(fruler, series):
    said = fruler("fit", series, "--target", "y", "--test-last", "20%").stdout
    test = "Test on the last {}: root mean squared error of models learned from the {} before, which are not kept\n"
    assert test.format("11 rows", 48) in said
    assert re.search(r"\n  \d+ other rules? ", said)
    assert re.search(r"\nThe \d+ rules above were learned from all 59 rows, also from those of the test\.\n", said)
    said = fruler("fit", series, "--target", "y", "--test-last", "1").stdout
    assert test.format("row", 58) in said


def test_rules_that_are_cross_validated_need_no_test_of_others(fruler, series):
    document = json.loads(fruler("fit", series, "--target", "y", "--json").stdout)
    assert document["held_out"] is None
    assert document["cross_validation"]["rows"] == "held-out rows"


def test_random_rows_are_the_default_of_the_others(fruler, series):
    document = json.loads(fruler("fit", series, "--target", "y", "--algorithm", "l-metsk", "--json").stdout)
    assert document["held_out"]["chosen"] == "random"
    assert document["held_out"]["rows"] == 11


def test_few_rows_are_held_out_if_asked_for(fruler, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i},{2 * i}\n" for i in range(6)))
    document = json.loads(fruler("fit", tmp_path / "t.csv", "--target", "y", "--test-last", "2", "--json").stdout)
    assert (document["held_out"]["rows"], document["held_out"]["learned_from"]) == (2, 4)


@pytest.mark.parametrize("asked", ["0", "0%", "100%", "-5", "20 percent", "x", "", "1.5", "1e3", "9" * 20, "nan%"])
def test_what_is_no_number_of_rows_is_refused_before_anything_is_read(fruler, series, asked):
    result = fruler("fit", series, "--target", "y", f"--test-last={asked}")
    assert_one_line(result, "--test-last must be a share such as 20%, or a number of rows above 0", repr(asked))
    assert result.stdout == ""


@pytest.mark.parametrize("asked", ["58", "59", "1000", "99%"])
def test_something_must_be_left_to_learn_from(fruler, series, asked):
    result = fruler("fit", series, "--target", "y", "--test-last", asked)
    assert_one_line(result, f"--test-last {asked} holds out", "of 59 rows", "hold out fewer")
    assert result.stdout == ""


def test_no_test_and_the_last_rows_exclude_each_other(fruler, series):
    result = fruler("fit", series, "--target", "y", "--no-test", "--test-last", "20%")
    assert_one_line(result, "--no-test and --test-last exclude each other; choose one")
    assert result.stdout == ""


def test_every_row_is_on_one_side():
    for train, test in (random_rows(23, 1), last_rows(23, "20%")):
        assert sorted([*train, *test]) == list(range(23))
        assert len(test) == 4
    assert last_rows(23, " 4 ")[1].tolist() == [19, 20, 21, 22]


def test_groups_are_held_out_whole():
    groups = np.repeat(np.arange(10), [1, 2, 3, 4, 5, 5, 4, 3, 2, 1])
    for train, test in (random_rows(30, 1, groups), last_rows(30, "20%", groups)):
        assert sorted([*train, *test]) == list(range(30))
        assert not set(groups[train]) & set(groups[test])
        assert 2 <= len(test) <= 6
    assert last_rows(30, "2", groups)[1].tolist() == [27, 28, 29]


@pytest.fixture
def visits(tmp_path):
    """Rows of patients with levels of their own, on days that are not in order."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 10)
    table = pd.DataFrame({"patient": [f"P{k:02}" for k in patient], "dose": rng.uniform(size=300).round(3)})
    table["day"] = pd.Series(pd.date_range("2024-01-01", periods=300).astype(str)).sample(frac=1, random_state=0).values
    table["y"] = (3 * table.dose + 3 * rng.normal(size=30)[patient] + 0.1 * rng.normal(size=300)).round(3)
    table.loc[4, "y"] = np.nan
    table.to_csv(tmp_path / "v.csv", index=False)
    return tmp_path / "v.csv"


def test_a_group_is_no_input_and_is_held_out_whole(fruler, visits, tmp_path):
    result = fruler("fit", visits, "--target", "y", "--group", "patient", "--model", tmp_path / "m.json")
    assert "  left out  patient: names the groups of rows\n" in result.stdout
    assert "hint      patient" not in result.stdout
    assert " on held-out groups (patient), by cross-validation\n" in result.stdout
    table = pd.read_csv(visits).dropna()
    model = FuzzyRuleRegressor(random_state=0).fit(table[["dose", "day"]], table["y"], groups=table["patient"])
    assert load_model(tmp_path / "m.json").rule_base_ == model.rule_base_
    said = fruler("fit", visits, "--target", "y").stdout
    assert "hint      patient has about 10 rows for each of 30 values; to predict new ones, say --group patient" in said


def test_time_puts_rows_in_order_and_goes_forward(fruler, visits, tmp_path):
    options = ("--target", "y", "--time", "day", "--test-last", "20%")
    result = fruler("fit", visits, *options, "--model", tmp_path / "m.json")
    assert " on later rows, by cross-validation\n" in result.stdout
    assert "Test on the last 59 rows: " in result.stdout
    table = pd.read_csv(visits).dropna().sort_values("day")
    model = FuzzyRuleRegressor(random_state=0, cv=forward_folds(table["day"]))
    model.fit(table[["patient", "dose", "day"]], table["y"])
    assert load_model(tmp_path / "m.json").rule_base_ == model.rule_base_


def test_the_other_algorithms_are_tested_on_whole_groups_and_on_later_rows(fruler, visits):
    options = ("--target", "y", "--algorithm", "l-metsk", "--json")
    found = json.loads(fruler("fit", visits, *options, "--group", "patient").stdout)["held_out"]
    assert (found["chosen"], found["rows"] in (59, 60, 50, 49)) == ("random", True)
    found = json.loads(fruler("fit", visits, *options, "--time", "day").stdout)["held_out"]
    assert (found["chosen"], found["rows"]) == ("last", 59)


def test_like_errors_of_near_days_give_one_hint(fruler, tmp_path):
    rng, noise = np.random.default_rng(0), np.zeros(300)
    for t in range(1, 300):
        noise[t] = 0.9 * noise[t - 1] + rng.normal()
    table = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=300).astype(str), "x": rng.uniform(size=300)})
    for y, hints in ((noise + table.x, 1), (rng.normal(size=300) + table.x, 0)):
        table.assign(y=y).sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv", index=False)
        said = fruler("fit", tmp_path / "t.csv", "--target", "y").stdout
        assert said.count("\nhint: rows near in date have like errors; --time date measures them on") == hints


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group", "patent"), "there is no column 'patent'; did you mean 'patient'"),
        (("--time", "dy"), "there is no column 'dy'; did you mean 'day'"),
        (("--group", "y"), "'y' is the target and cannot name the groups; choose another column"),
        (("--group", "hole"), "--group: 'hole' has no value in row 3; fill it in, or remove the row"),
        (("--time", "hole"), "--time: 'hole' has no value in row 3; fill it in, or remove the row"),
        (("--group", "same"), "--group: 'same' is the same in every row, and folds need at least two values"),
        (("--time", "patient"), "--time: 'patient' has neither numbers nor dates; choose another column"),
        (("--time", "day", "--group", "patient"), "--time and --group exclude each other; choose one"),
        (("--time", "day", "--calibration", "0.2"), "--time and --calibration exclude each other; choose one"),
    ],
)
def test_bad_groups_and_times_are_refused_in_a_line(fruler, visits, options, message):
    table = pd.read_csv(visits).assign(same=1, hole=np.arange(300.0))
    table.loc[2, "hole"] = np.nan
    table.to_csv(visits, index=False)
    assert_one_line(fruler("fit", visits, "--target", "y", *options), message)
