"""``fruler fit``: from a table to rules, errors and a model."""

import io
import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from helpers.commands import command, run_process
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

from fruler import FuzzyRuleRegressor, LMETSKRegressor, load_model
from fruler._cli.options import FitOptions
from fruler.data._examples import example_path


def test_the_output_says_what_was_read_left_out_and_learned(fitted, model):
    said = fitted.stdout.splitlines()
    assert said[0] == "houses.csv: 200 rows, 8 columns"
    assert said[1] == "predicting price from 5 inputs: size, smoker, colour, heated, age"
    assert said[2:10] == [
        "  category  smoker: no, yes",
        "  category  colour: blue, green, red",
        "  category  heated: False, True",
        "  left out  id: 199 categories in 199 rows, too few rows to learn from each",
        "  left out  country: always Spain",
        "  left out  1 row without a value of price",
        "  missing   2 of age, 1 of colour; each is estimated from the rest of its row",
        "",
    ]
    assert any("smoker" in line for line in said[said.index("") :])
    assert "On held-out rows, half of the predictions miss by less than " in " ".join(said)
    # The errors are those of the rules that are printed and saved, and of simpler models on the same rows.
    rules = load_model(model).rule_base_
    above = said.index(
        f"Root mean squared error of the {rules.n_rules} rules above on held-out rows, by cross-validation"
    )
    told = [float(re.fullmatch(r"  .*?  +([\d.]+) k€", line)[1]) for line in said[above + 1 : above + 4]]
    assert told[0] == pytest.approx(rules.training.cv_rmse, rel=0.01)
    assert told[0] < told[1] < told[2]
    assert not any("Note: " in line for line in said)
    assert any(line.startswith("Model written to ") for line in said)
    # A slow machine tells of its progress.
    assert all("RMSE " in line for line in fitted.stderr.splitlines())


def test_the_errors_are_those_of_simple_models_on_the_same_folds(fruler, houses):
    document = json.loads(fruler("fit", houses, "--target", "price", "--json", "--seed", 3).stdout)
    assert document["held_out"] is None
    table = pd.read_csv(houses).dropna(subset=["price"])
    X, y = table[["size", "smoker", "colour", "heated", "age"]], table["price"].to_numpy()
    model = FuzzyRuleRegressor(random_state=3).fit(X, y)
    found = document["cross_validation"]
    assert found == {"rmse": model.rule_base_.training.cv_rmse, "n_rules": model.n_rules_, "rows": "held-out rows"} | (
        model.baselines_._asdict()
    )
    columns = model.rule_base_.inputs_of(X)
    folds = KFold(5, shuffle=True, random_state=0)
    line = -cross_val_score(LinearRegression(), columns, y, cv=folds, scoring="neg_root_mean_squared_error").mean()
    assert found["linear_regression"] == pytest.approx(line, rel=0.15)
    assert found["mean"] == pytest.approx(y.std(), rel=0.1)


def test_an_algorithm_without_cross_validation_is_tested_on_held_out_rows(fruler, houses):
    options = ("--target", "price", "--seed", 3, "--algorithm", "l-metsk")
    document = json.loads(fruler("fit", houses, *options, "--json").stdout)
    assert document["cross_validation"] is None
    table = pd.read_csv(houses).dropna(subset=["price"])
    X, y = table[["size", "smoker", "colour", "heated", "age"]], table["price"].to_numpy()
    order = np.random.default_rng(3).permutation(len(y))
    test, train = order[:39], order[39:]
    n_rules = len(document["rule_base"]["rules"])
    rules = LMETSKRegressor(random_state=3).fit(X.iloc[train], y[train])
    rules = rules.with_rules(max(n_rules, rules.pareto_["rules"].min()))
    errors = document["held_out"]["rmse"]
    assert errors["rules"] == pytest.approx(np.sqrt(np.square(rules.predict(X.iloc[test]) - y[test]).mean()))
    assert errors["mean"] == pytest.approx(np.sqrt(np.square(y[train].mean() - y[test]).mean()))
    columns = np.c_[np.ones(len(y)), rules.rule_base_.inputs_of(X)]
    line = np.linalg.lstsq(columns[train], y[train], rcond=None)[0]
    assert errors["linear_regression"] == pytest.approx(np.sqrt(np.square(columns[test] @ line - y[test]).mean()))
    said = fruler("fit", houses, *options).stdout
    assert "Test on 39 held-out rows: root mean squared error of models learned from the other 160, which" in said
    assert f"\n  {rules.n_rules_} other rules " in said
    assert f"The {n_rules} rules above were learned from all 199 rows, also from those of the test.\n" in said


@pytest.mark.parametrize(
    ("told", "why"),
    [("noise", "the inputs say little about y"), ("wide", "20 rows are few for 8 inputs")],
)
def test_rules_that_are_no_better_than_a_simpler_model_say_so_first(fruler, tmp_path, told, why):
    rng = np.random.default_rng(0)
    shape = (200, 2) if told == "noise" else (20, 8)
    table = pd.DataFrame(rng.normal(size=shape), columns=list("abcdefgh")[: shape[1]])
    table["y"] = rng.normal(size=shape[0])
    table.to_csv(tmp_path / "t.csv", index=False)
    said = fruler("fit", tmp_path / "t.csv", "--target", "y").stdout.splitlines()
    note = next(place for place, line in enumerate(said) if line.startswith("Note: on held-out rows these rules are "))
    assert said[note].endswith(f"than always predicting the mean: {why}.")
    assert note < next(place for place, line in enumerate(said) if line.startswith("y: "))


def test_the_saved_model_is_that_of_all_rows_with_labels_units_and_categories(model):
    loaded = load_model(model)
    assert loaded.rule_base_.training.n_rows == 199
    # In the order of what they add to the price.
    assert loaded.rule_base_.variables[1].partition.labels == ("no", "yes")
    assert loaded.rule_base_.variables[0].unit == "m²"
    assert loaded.rule_base_.target_unit == "k€"
    assert [one.levels and one.levels.levels for one in loaded.rule_base_.variables] == [
        None,
        ("no", "yes"),
        ("blue", "green", "red"),
        ("False", "True"),
        None,
    ]


def test_json_is_one_document_and_messages_go_elsewhere(fruler, houses, model):
    result = fruler(
        "fit", houses, "--target", "price", "--json", "--no-test", "--unit", "size=m²", "--unit", "price=k€"
    )
    document = json.loads(result.stdout)
    assert document["held_out"] is None
    rules = load_model(model)
    validated = document["cross_validation"]
    assert (validated["n_rules"], validated["rmse"]) == (rules.n_rules_, rules.rule_base_.training.cv_rmse)
    assert [point["rmse"] for point in document["front"]] == pytest.approx(rules.pareto_["rmse"].tolist())
    assert document["columns_left_out"]["country"] == "always Spain"
    assert document["rule_base"] == json.loads(model.read_text())["rule_bases"][0]
    assert "left out" in result.stderr


def test_without_a_model_file_the_output_says_how_to_keep_the_rules(fruler, houses, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = fruler("fit", houses, "--target", "price", "--no-test", "--max-rules", 1)
    assert re.search(r"price: 1 rule\n\n(.*\n)*\nFor all rows\n  typical price ", result.stdout)
    assert "add --model m.json" in result.stdout
    assert "held out" not in result.stdout
    assert list(tmp_path.iterdir()) == []


def make_codes(n=120):
    """A table whose zones are numbers, and stand for categories: what they add is in no order."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"zone": np.arange(n) % 5 + 1, "x": rng.uniform(0, 1, n).round(3)})
    table["y"] = (table["zone"].map({1: 9, 2: 0, 3: 8, 4: 1, 5: 9}) + table["x"] + rng.normal(0, 0.1, n)).round(3)
    return table


@pytest.mark.parametrize("gap", [False, True])
def test_numbers_that_are_codes_of_categories(fruler, tmp_path, gap):
    table = make_codes()
    if gap:
        # A file with a gap makes decimals of whole numbers.
        table.loc[7, "zone"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("--target", "y", "--category", "zone", "--model", tmp_path / "m.json")
    result = fruler("fit", tmp_path / "t.csv", *options)
    assert result.returncode == 0, result.stderr
    # The rarest comes last.
    assert f"  category  zone: {'1, 2, 4, 5, 3' if gap else '1, 2, 3, 4, 5'}\n" in result.stdout
    by_name = FuzzyRuleRegressor(categorical_features=["zone"], random_state=0).fit(table[["zone", "x"]], table["y"])
    predicted = pd.read_csv(io.StringIO(fruler("predict", tmp_path / "m.json", tmp_path / "t.csv").stdout))
    np.testing.assert_allclose(predicted["prediction"], by_name.predict(table[["zone", "x"]]), rtol=1e-9)
    assert "category" not in fruler("fit", tmp_path / "t.csv", "--target", "y", "--no-test").stdout


def test_a_rare_category_may_be_missing_from_the_rows_that_the_error_is_measured_with(fruler, tmp_path):
    table = make_codes().drop(columns="zone").assign(k="usual")
    # One of the last rows, so that the others have one category.
    table.loc[110, "k"] = "rare"
    table.to_csv(tmp_path / "t.csv", index=False)
    result = fruler("fit", tmp_path / "t.csv", "--target", "y", "--test-last", "20%")
    assert result.returncode == 0, result.stderr
    assert "  category  k: usual, rare\n" in result.stdout
    assert "the last 24 rows" in result.stdout


def test_rows_enough_for_each_category_of_the_table_are_enough_for_the_test(fruler, tmp_path):
    # Three rows for each in the table, and fewer in four fifths of it.
    table = make_codes(90).assign(zone=[f"zone {i % 30}" for i in range(90)])
    table.to_csv(tmp_path / "t.csv", index=False)
    result = fruler("fit", tmp_path / "t.csv", "--target", "y", "--test-last", "20%")
    assert result.returncode == 0, result.stderr
    assert "the last 18 rows" in result.stdout


def test_categories_that_are_alike_are_hinted_at_once(fruler, tmp_path):
    table = make_codes().assign(zone=["North", "north", "south "] * 40)
    table.to_csv(tmp_path / "t.csv", index=False)
    result = fruler("fit", tmp_path / "t.csv", "--target", "y")
    hint = "  hint      zone has 'North', 'north', which differ only by case or spaces; write them the same way if"
    assert result.stdout.count(hint) == 1
    assert "alike" not in result.stderr


def test_few_rows_are_learned_from_without_a_test(fruler, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(f"{i},{2 * i}" for i in range(6)))
    result = fruler("fit", tmp_path / "t.csv", "--target", "y")
    assert result.returncode == 0, result.stderr
    assert "6 are too few to hold some out" in result.stdout


@pytest.mark.process
def test_a_table_on_standard_input(houses):
    with houses.open("rb") as file:
        result = run_process("fit", "-", "--target", "price", "--no-test", "--drop", "size", stdin=file)
    assert result.returncode == 0, result.stderr
    assert "standard input: 200 rows" in result.stdout
    assert "  left out  size: as asked\n" in result.stdout


def test_a_keel_file_names_its_own_target(fruler, tmp_path):
    header = (
        "@relation r\n@attribute a real\n@attribute k {no, yes}\n@attribute y real\n@inputs a, k\n@outputs y\n@data\n"
    )
    rows = "\n".join(f"{i}, {'yes' if i % 3 else 'no'}, {2 * i + i % 3}" for i in range(30))
    (tmp_path / "r.dat").write_text(header + rows)
    result = fruler("fit", tmp_path / "r.dat", "--model", tmp_path / "m.json")
    assert result.returncode == 0, result.stderr
    assert "predicting y from 2 inputs: a, k\n" in result.stdout
    again = fruler("predict", tmp_path / "m.json", tmp_path / "r.dat")
    assert len(again.stdout.splitlines()) == 31


@pytest.mark.parametrize("format", ["parquet", "arff"])
def test_other_formats(fruler, tmp_path, format):
    table = pd.DataFrame({"x": np.arange(30.0), "y": np.arange(30.0) ** 2})
    path = tmp_path / f"t.{format}"
    if format == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        header = "@relation t\n@attribute x numeric\n@attribute y numeric\n@data\n"
        path.write_text(header + table.to_csv(index=False, header=False))
    result = fruler("fit", path, "--target", "y", "--no-test")
    assert "predicting y from 1 input: x\n" in result.stdout, result.stderr


def test_options_reach_the_regressor(fruler, houses, tmp_path, clock):
    options = ("--max-rules", 2, "--jobs", 2, "--seed", 7, "--time-limit", 50, "--no-test")
    fruler("fit", houses, "--target", "price", *options, "--model", tmp_path / "m.json")
    settings = json.loads((tmp_path / "m.json").read_text())["learning"]["settings"]
    assert (settings["max_rules"], settings["n_jobs"], settings["random_state"]) == (2, 2, 7)
    assert settings["time_limit"] == 50.0
    assert settings["algorithm"] == "growth"


def test_the_paper_s_algorithm_and_a_time_limit_for_both_fits(fruler, tmp_path, clock):
    clock.tick = 0.001
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(f"{i},{i * i}" for i in range(200)))
    options = ("--target", "y", "--algorithm", "fruler", "--time-limit", 1, "--json", "--model", tmp_path / "m.json")
    document = json.loads(fruler("fit", tmp_path / "t.csv", *options).stdout)
    assert document["held_out"]["rows"] == 40
    settings = json.loads((tmp_path / "m.json").read_text())["learning"]["settings"]
    assert (settings["algorithm"], settings["solver"]) == ("fruler", "sgd")
    # What the first fit left of it, but no less than half.
    assert settings["time_limit"] == 0.5


def test_a_time_limit_that_ended_the_search_is_told_of(fruler, houses, clock):
    clock.tick = 0.001
    result = fruler("fit", houses, "--target", "price", "--no-test", "--time-limit", 0.01)
    assert result.returncode == 0
    assert "fruler: the time limit ended the search; with more time the rules may be better\n" in result.stderr
    assert "time limit" not in fruler("fit", houses, "--target", "price", "--no-test").stderr


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_ctrl_c_ends_with_one_line_and_no_file(tmp_path):
    arguments = command(
        "fit", example_path("mv"), "--target", "Y", "--algorithm", "fruler", "--model", tmp_path / "m.json"
    )
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert "rows" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (130, "fruler: stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_a_report_comes_with_the_model(fruler, houses, tmp_path):
    pytest.importorskip("jinja2")
    result = fruler("fit", houses, "--target", "price", "--no-test", "--report", tmp_path / "r.html")
    assert f"Report written to {tmp_path / 'r.html'}" in result.stdout, result.stderr
    assert "smoker" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_defaults_of_the_command_are_those_of_its_function(fruler, houses):
    by_command = json.loads(fruler("fit", houses, "--target", "price", "--json", "--no-test").stdout)
    assert by_command["seed"] == FitOptions(data="t.csv").seed == 0


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_ctrl_c_while_the_rules_to_keep_are_learned_keeps_the_best_so_far(tmp_path):
    options = ("--target", "Y", "--algorithm", "fruler", "--no-test", "--model", tmp_path / "m.json")
    # Tells of every generation, which saves waiting for the next line.
    code = "import fruler.callbacks as p; p._SECONDS_IN_A_LOG = 0.0; from fruler._cli import main; main()"
    arguments = [sys.executable, "-c", code, *command("fit", example_path("mv"), *options)[3:]]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        for line in process.stderr:
            if " rule" in line.partition(": ")[2]:
                process.send_signal(signal.SIGINT)
                break
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "fruler: Ctrl-C ended the search after" in said
    assert "RuntimeWarning" not in said
    assert (tmp_path / "m.json").exists()


@pytest.mark.process
def test_a_killed_fit_goes_on_from_its_checkpoint_to_the_same_rules(fruler, tmp_path):
    pd.read_csv(example_path("weather"))[::8].to_csv(tmp_path / "weather.csv", index=False)
    options = (
        "--target",
        "mean_temperature",
        "--json",
        "--model",
        tmp_path / "m.json",
        "--checkpoint",
        tmp_path / "kept",
    )
    plain = fruler("fit", tmp_path / "weather.csv", *options[:3]).stdout
    arguments = command("fit", tmp_path / "weather.csv", *options)
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not list((tmp_path / "kept").glob("rules/*")):
            time.sleep(0.01)
        process.kill()
    again = fruler("fit", tmp_path / "weather.csv", *options)
    assert json.loads(again.stdout)["rule_base"] == json.loads(plain)["rule_base"]
    finished = fruler("fit", tmp_path / "weather.csv", *options)
    assert "resumed from evaluation" in finished.stderr
    other = fruler("fit", tmp_path / "weather.csv", *options, "--seed", 1)
    assert other.returncode == 2
    assert "random_state" in other.stderr or "seed" in other.stderr
