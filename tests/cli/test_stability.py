"""``fruler report --stability``."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line
from helpers.frog_files import FROG_TEXT

from fruler import load_model
from fruler._model_file.file import Model, write_model

pytest.importorskip("jinja2")


def assert_last_line(result, said):
    """Check the error of a command; a line before it tells of the row without a price."""
    *before, last = result.stderr.splitlines(keepends=True)
    assert "".join(before) in ("", "fruler: 1 of 200 rows lacks a value of price and is not in the report\n")
    assert_one_line(subprocess.CompletedProcess(result.args, result.returncode, result.stdout, last), said)


@pytest.fixture(scope="module")
def asked(houses, fitted, tmp_path_factory):
    """Run it once, on the table that the model was learned from."""
    path = tmp_path_factory.mktemp("report") / "r.html"
    command = [sys.executable, "-m", "fruler._cli", "report", houses.with_name("m.json"), houses, "--stability", "3"]
    result = subprocess.run([*command, "-o", path, "--jobs", "2"], capture_output=True, text=True, check=True)
    return result, path


@pytest.mark.slow
def test_it_is_told_and_shown(asked):
    result, path = asked
    assert result.stdout.startswith("3 refits, each on 159 of 199 rows (80%).\n")
    assert re.search(r"The split of smoker into .* came back in 3 of 3 refits\.", result.stdout)
    assert result.stdout.endswith(f"Report written to {path}\n")
    page = path.read_text("utf-8")
    assert "came back in 3 of 3 refits" in page
    assert 'class="band"' in page


def test_refits_are_those_of_the_estimator_on_the_same_rows(asked, model, houses):
    table = pd.read_csv(houses)
    table = table[table["price"].notna()].reset_index(drop=True)
    regressor = load_model(model)
    X = table[list(regressor.feature_names_in_)].astype({"heated": object})
    stability = regressor.stability(X, table["price"], 3)
    # Terminals differ in width.
    said, expected = (" ".join(text.split()) for text in (asked[0].stdout, str(stability)))
    assert said.startswith(expected)


def test_without_it_the_page_is_as_ever(fruler, model, houses, tmp_path):
    fruler("report", model, houses, "-o", tmp_path / "r.html")
    assert "refit" not in (tmp_path / "r.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--stability", "3"], "give its training table as DATA"),
        (["DATA", "--stability", "1"], "--stability"),
        (["DATA", "--stability", "3", "--jobs", "0"], "--jobs must be at least 1"),
        (["DATA", "--stability", "3", "--time-limit", "0"], "--time-limit must be a number of seconds above 0"),
        (["DATA", "--stability", "3", "--time-limit", "1e-9"], "Only 0 refits of 3 finished"),
        (["DATA", "--jobs", "2"], "--jobs is for --stability"),
        (["DATA", "--time-limit", "2"], "--time-limit is for --stability"),
    ],
)
def test_what_does_not_fit_together(fruler, model, houses, tmp_path, arguments, said):
    arguments = [houses if argument == "DATA" else argument for argument in arguments]
    assert_last_line(fruler("report", model, *arguments, "-o", tmp_path / "r.html"), said)
    assert not (tmp_path / "r.html").exists()


def test_rules_that_were_not_learned_cannot_be_learned_again(fruler, model, houses, tmp_path):
    write_model(tmp_path / "rules.json", Model(load_model(model).rule_base_))
    (tmp_path / "frog.yml").write_text(FROG_TEXT)
    for name in ("rules.json", "frog.yml"):
        result = fruler("report", tmp_path / name, houses, "--stability", "3", "-o", tmp_path / "r.html")
        assert_one_line(result, f"{name} has rules, but no settings of a fit")


def test_all_columns_are_needed(fruler, houses, tmp_path):
    table, model = pd.read_csv(houses), tmp_path / "m.json"
    table.assign(noise=np.random.default_rng(0).normal(size=len(table))).to_csv(tmp_path / "more.csv", index=False)
    fruler("fit", tmp_path / "more.csv", "--target", "price", "--model", model, "--no-test", "--max-rules", "1")
    rule_base = load_model(model).rule_base_
    assert not rule_base.uses[rule_base.names.index("noise")]
    result = fruler("report", model, houses, "--stability", "3", "-o", tmp_path / "r.html")
    assert_last_line(result, "houses.csv lacks training columns of the model, which --stability needs: 'noise'")


def test_another_number_of_rows_is_told(fruler, model, houses, tmp_path):
    pd.read_csv(houses)[:100].to_csv(tmp_path / "some.csv", index=False)
    result = fruler("report", model, tmp_path / "some.csv", "--stability", "2", "-o", tmp_path / "r.html")
    assert result.returncode == 0
    assert "some.csv has 99 rows with a value of price, but the model was learned from 199" in result.stderr


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_it(model, houses, tmp_path):
    command = [sys.executable, "-m", "fruler._cli", "report", model, houses, "--stability", "10000"]
    process = subprocess.Popen(
        [*command, "-o", tmp_path / "r.html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # The first line of progress comes after five seconds, by when some refits are done.
    process.stderr.readline()
    first = process.stderr.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert "learning again" in first
    assert "Ctrl-C ended the run after" in err
    assert process.returncode == 0
    assert "refits, each on" in out
    assert (tmp_path / "r.html").exists()
