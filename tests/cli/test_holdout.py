"""Which rows are held out: random ones, or the last ones of a table in order of time."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line

from fruler import FuzzyRuleRegressor
from fruler._cli.holdout import last_rows, random_rows

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
    rules = FuzzyRuleRegressor(random_state=0).fit(X[:-n_test], y[:-n_test])
    held_out = document["held_out"]
    assert (held_out["rows"], held_out["learned_from"], held_out["chosen"]) == (n_test, 59 - n_test, "last")
    error = np.sqrt(np.square(rules.predict(X[-n_test:]) - y[-n_test:]).mean())
    assert held_out["rmse"]["rules"] == pytest.approx(error)
    mean = np.sqrt(np.square(y[:-n_test].mean() - y[-n_test:]).mean())
    assert held_out["rmse"]["mean"] == pytest.approx(mean)


def test_the_text_says_which_rows(fruler, series):
    said = fruler("fit", series, "--target", "y", "--test-last", "20%").stdout
    assert "Test on the last 11 rows: root mean squared error of models learned from the 48 before\n" in said
    assert re.search(r" rules above, with \d+ numbers to read, were learned from all 59 rows", said)
    assert "to predict later rows, trust the test." in said
    said = fruler("fit", series, "--target", "y", "--test-last", "1").stdout
    assert "Test on the last row: root mean squared error of models learned from the 58 before\n" in said


def test_random_rows_are_the_default(fruler, series):
    document = json.loads(fruler("fit", series, "--target", "y", "--json").stdout)
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
