"""``fruler predict`` and ``fruler explain``: new rows in a table like the one that was learned from."""

import io
import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line, command, run_process

from fruler import FuzzyRuleRegressor, load_model
from fruler._table.gaps import Gaps
from fruler.data import load_example
from fruler.explain._story import errors_sentence
from fruler.rules import Output

ROWS = (
    "size,smoker,colour,heated,age\n70,yes,red,true,10\n80,no,teal,false,20\n90,no,blue,false,\n100,no,blue,False,3\n"
)


@pytest.fixture
def new_rows(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(ROWS)
    return path


def expected(model):
    """The predictions of the rows, by the model in Python; the unknown colour is a missing one."""
    table = pd.read_csv(io.StringIO(ROWS.replace("teal", "")))
    return load_model(model).predict(table)


def without_gaps(model):
    """The path of a model of an older version: it does not know what to take for a missing value."""
    regressor = load_model(model)
    regressor.rule_base_ = replace(regressor.rule_base_, gaps=None)
    regressor.save(model.with_name("older.json"))
    return model.with_name("older.json")


def test_a_header_and_a_line_a_row(fruler, model, new_rows, tmp_path):
    result = fruler("predict", model, new_rows, "-o", tmp_path / "out.csv")
    assert result.stdout == ""
    assert_says_why(result)
    assert (tmp_path / "out.csv").read_text() == "prediction\n" + "".join(f"{one}\n" for one in expected(model))


def test_intervals_are_two_more_columns(fruler, model, new_rows, tmp_path):
    fruler("predict", model, new_rows, "--interval", "0.9", "-o", tmp_path / "out.csv")
    out = pd.read_csv(tmp_path / "out.csv")
    assert list(out) == ["prediction", "lower", "upper"]
    table = pd.read_csv(io.StringIO(ROWS.replace("teal", "")))
    lower, upper, _ = load_model(model).predict_interval(table, 0.9)
    np.testing.assert_allclose(out, np.column_stack([expected(model), lower, upper]))
    document = json.loads(fruler("predict", model, new_rows, "--interval", "0.9", "--json").stdout)
    assert list(document) == ["target", "predictions", "lower", "upper"]
    assert document["upper"] == pytest.approx(upper.tolist())
    explained = fruler("explain", model, new_rows, "--row", "1").stdout
    assert "  90% of such rows lie between " in explained


def test_an_interval_that_cannot_be_given_is_refused(fruler, model, new_rows):
    regressor = load_model(model)
    regressor.rule_base_ = replace(regressor.rule_base_, intervals=None)
    regressor.save(model.with_name("plain.json"))
    result = fruler("predict", model.with_name("plain.json"), new_rows, "--interval", "0.9")
    assert_one_line(result, "--interval: the model has no held-out errors", "--calibration 0.2")
    result = fruler("predict", model, new_rows, "--interval", "90")
    assert_one_line(result, "--interval: coverage must be between 0 and 1, as in 0.9; got 90")
    kept = new_rows.with_name("kept.csv")
    kept.write_text("lower,size,smoker,colour,heated,age\n1,70,yes,red,true,10\n")
    result = fruler("predict", model, kept, "--interval", "0.9", "--keep")
    assert_one_line(result, "already has a column 'lower'")


def test_calibration_and_clipping_are_learned_and_exported(fruler, houses, tmp_path):
    path = tmp_path / "m.json"
    asked = ("--calibration", "0.3", "--extrapolation", "clip", "--no-test", "--model", path)
    assert fruler("fit", houses, "--target", "price", *asked).returncode == 0
    rules = load_model(path).rule_base_
    assert (rules.intervals.method, rules.extrapolation) == ("calibration", "clip")
    assert "predict_interval" in fruler("export", path, "--to", "python", "--interval", "0.9").stdout
    assert_one_line(
        fruler("export", path, "--to", "latex", "--interval", "0.9"), "--interval: latex has no such option"
    )
    assert_one_line(fruler("export", path, "--to", "fml"), "FML cannot clip values outside the training data")
    for wrong in (("--calibration", "2"), ("--extrapolation", "flat")):
        assert_one_line(fruler("fit", houses, "--target", "price", *wrong), f"{wrong[0]} must be")


def assert_says_why(result):
    assert result.returncode == 0
    assert result.stderr == (
        "fruler: missing or unknown values, estimated from the rest of the row: "
        "'colour' in 1 row (not known: 'teal'); 'age' in 1 row\n"
    )


def test_an_estimate_is_the_mean_of_what_was_learned_from_given_the_rest(model):
    rules = load_model(model).rule_base_
    known, lacking = rules.inputs_of(pd.read_csv(io.StringIO(ROWS)))[[1, 2]]
    levels = rules.variables[2].levels
    assert min(levels.values) < known[2] < max(levels.values)
    assert 30.0 < lacking[4] < 50.0


def test_a_model_that_knows_nothing_to_take_for_a_gap_leaves_the_row_empty(fruler, model, new_rows):
    older = without_gaps(model)
    first, _, _, last = expected(model)
    result = fruler("predict", older, new_rows)
    assert result.stdout == f'prediction\n{first}\n""\n""\n{last}\n'
    assert result.stderr == (
        "fruler: 2 of 4 rows cannot be predicted because of gaps: "
        "'colour' in 1 row (not known: 'teal'); 'age' in 1 row\n"
    )
    document = json.loads(fruler("predict", older, new_rows, "--json").stdout)
    assert document == {"target": "price", "predictions": [first, None, None, last]}
    said = fruler("explain", older, new_rows, "--rows", 2).stdout
    assert "Row 2\ncannot be predicted: colour missing or unknown\n" in said
    _, second = json.loads(fruler("explain", older, new_rows, "--rows", 2, "--json").stdout)
    assert second == {"row": 2, "prediction": None, "lacks": ["colour"]}


def test_columns_are_found_by_name_and_others_kept_if_asked_for(fruler, model, tmp_path):
    table = pd.read_csv(io.StringIO(ROWS))[["heated", "colour", "age", "smoker", "size"]]
    table.assign(note="é").to_csv(tmp_path / "new.csv", index=False)
    result = fruler("predict", model, tmp_path / "new.csv", "--keep")
    written = pd.read_csv(io.StringIO(result.stdout))
    assert list(written.columns) == [*table.columns, "note", "prediction"]
    assert written["note"].tolist() == ["é"] * 4
    np.testing.assert_allclose(written["prediction"], expected(model), rtol=1e-12)


def test_rows_outside_the_training_data_are_counted_on_standard_error(fruler, model, tmp_path):
    rules = load_model(model).rule_base_
    low, high = rules.training.low[0], rules.training.high[0]
    sizes = [low - 1, high, high + 1, low]
    rows = "".join(f"{size},yes,red,true,{age}\n" for size, age in zip(sizes, [10, 10, 500, ""], strict=True))
    (tmp_path / "new.csv").write_text(f"size,smoker,colour,heated,age\n{rows}")
    result = fruler("predict", model, tmp_path / "new.csv")
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 5
    missing, outside = result.stderr.splitlines()
    assert missing.endswith("'age' in 1 row")
    oldest = rules.training.high[rules.names.index("age")]
    assert outside == (
        f"fruler: 2 of 4 rows lie outside the training data: 'size' in 2 rows (learned from {low:g} to {high:g} m²); "
        f"'age' in 1 row (learned from 0 to {oldest:g})"
    )
    (tmp_path / "new.csv").write_text(f"size,smoker,colour,heated,age\n{high},yes,red,true,1\n")
    assert fruler("predict", model, tmp_path / "new.csv").stderr == ""
    (tmp_path / "new.csv").write_text(f"size,smoker,colour,heated,age\n{high + 1},yes,red,true,1\n")
    result = fruler("predict", model, tmp_path / "new.csv", "--json")
    assert result.stderr.startswith("fruler: 1 of 1 row lies outside the training data: 'size' in 1 row (")


def test_rows_with_values_that_their_rules_have_not_seen_are_counted(fruler, tmp_path):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=400), rng.uniform(0.0, 6.0, 400)
    z[x > 0.5] /= 3.0
    table = pd.DataFrame({"x": x, "z": z})
    y = np.where(x > 0.5, 4.0 * z, x + z) + rng.normal(0, 0.1, 400)
    FuzzyRuleRegressor(random_state=0).fit(table, y).save(tmp_path / "m.json")
    rows = "1.5,5\n-0.5,5\n,5\n"
    (tmp_path / "new.csv").write_text(f"x,z\n{rows}")
    said = fruler("predict", tmp_path / "m.json", tmp_path / "new.csv").stderr.splitlines()[-1]
    assert said.startswith("fruler: 1 of 3 rows has values that the rules for them have not seen: ")
    (tmp_path / "more.csv").write_text(f"x,z\n{rows}")
    both = fruler("predict", tmp_path / "m.json", tmp_path / "new.csv", tmp_path / "more.csv").stderr
    assert "2 of 6 rows have values that the rules for them have not seen" in both


def test_python_and_the_command_line_ignore_the_same_columns(fruler, model, houses, tmp_path):
    table = pd.read_csv(houses).drop(columns="price").assign(note="x")
    table.to_csv(tmp_path / "new.csv", index=False)
    predicted = pd.read_csv(io.StringIO(fruler("predict", model, tmp_path / "new.csv").stdout))["prediction"]
    np.testing.assert_allclose(load_model(model).predict(table), predicted)


def test_json_has_a_prediction_for_every_row(fruler, model, new_rows):
    document = json.loads(fruler("predict", model, new_rows, "--json").stdout)
    assert document == {"target": "price", "predictions": expected(model).tolist()}


def test_standard_input_to_standard_output(model, new_rows):
    with new_rows.open("rb") as file:
        result = run_process("predict", model, "-", stdin=file)
    assert_says_why(result)
    assert len(result.stdout.splitlines()) == 5


def test_missing_columns_are_named(fruler, model, tmp_path):
    pd.read_csv(io.StringIO(ROWS)).drop(columns=["age", "size"]).to_csv(tmp_path / "new.csv", index=False)
    assert_one_line(fruler("predict", model, tmp_path / "new.csv"), "new.csv", "'size', 'age'", "'smoker'")
    (tmp_path / "new.csv").write_text(ROWS.replace("size", "Sise"))
    assert_one_line(fruler("predict", model, tmp_path / "new.csv"), "'size'", "did you mean 'Sise'")


@pytest.fixture
def smaller_model(model, tmp_path):
    """The path of a model that was learned from all columns, whose rules do not use the size and the colour."""
    regressor = load_model(model)
    rules = regressor.rule_base_
    kept = np.array([variable.name in ("smoker", "heated", "age") for variable in rules.variables])
    consequents = rules.consequents.coefficients.copy()
    consequents[:, 1:][:, ~kept] = 0.0
    everything = np.stack([np.zeros_like(rules.granularities), rules.granularities - 1], axis=1)
    antecedents = np.where(kept[:, np.newaxis], rules.antecedents.ranges, everything)
    gaps = rules.gaps
    places = [gaps.inputs.index(j) for j in np.flatnonzero(kept & rules.uses)]
    fewer = Gaps([gaps.inputs[place] for place in places], gaps.means[places], gaps.slopes[np.ix_(places, places)])
    regressor.rule_base_ = replace(rules, antecedents=antecedents, consequents=consequents, gaps=fewer)
    regressor.save(tmp_path / "smaller.json")
    return tmp_path / "smaller.json"


@pytest.mark.parametrize("text", [ROWS, ROWS.replace("70,", ",").replace("80,", "big,").replace("red", "teal")])
def test_what_no_rule_uses_is_not_needed(fruler, smaller_model, tmp_path, text):
    table = pd.read_csv(io.StringIO(text))
    predictions = []
    for shown in (table, table.drop(columns=["size", "colour"])):
        shown.to_csv(tmp_path / "new.csv", index=False)
        result = fruler("predict", smaller_model, tmp_path / "new.csv")
        assert result.stderr == ("fruler: missing values, estimated from the rest of the row: 'age' in 1 row\n")
        predictions.append(result.stdout)
        assert fruler("explain", smaller_model, tmp_path / "new.csv", "--row", 1).stdout.startswith("Row 1\nprice = ")
    assert predictions[0] == predictions[1]
    others = table.assign(size=5.0, colour="blue")
    expected = load_model(smaller_model).rule_base_.predict(others)
    assert predictions[0].split() == ["prediction", *map(str, expected)]


def test_text_in_a_column_of_numbers(fruler, model, tmp_path):
    (tmp_path / "new.csv").write_text(ROWS.replace("80,", "big,"))
    result = fruler("predict", model, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert_one_line(result, "new.csv, line 3, column 'size': the value is 'big', but the model was fitted on numbers")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        (
            ("red", "teal", "blue"),
            "7",
            ["line 2, column 'colour'", "is 7", "was fitted on categories", "'blue', 'green'"],
        ),
        (("10", "20", "3"), "true", ["line 2, column 'age'", "a truth value", "write 0 or 1"]),
    ],
)
def test_columns_of_another_type(fruler, model, tmp_path, old, new, parts):
    table = pd.read_csv(io.StringIO(ROWS), dtype=str).dropna()
    table.replace(dict.fromkeys(old, new)).to_csv(tmp_path / "new.csv", index=False)
    assert_one_line(fruler("predict", model, tmp_path / "new.csv"), *parts)


def test_a_column_of_dates(fruler, model, tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.read_csv(io.StringIO(ROWS)).assign(age=pd.date_range("2020-01-01", periods=4))
    table.to_parquet(tmp_path / "new.parquet")
    result = fruler("predict", model, tmp_path / "new.parquet")
    assert_one_line(result, "new.parquet, row 1, column 'age'", "a date or a time")


def test_infinity_is_refused_as_in_python(fruler, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(ROWS.replace("false,\n", "false,inf\n"))
    with pytest.raises(ValueError, match="is infinity"):
        load_model(model).predict(pd.read_csv(path))
    place = "new.csv, line 4, column 'age': the value is infinity; correct it"
    for arguments in (("predict", model, path), ("explain", model, path)):
        assert_one_line(fruler(*arguments), place, "--na-values inf")
    assert_says_why(fruler("predict", model, path, "--na-values", "inf"))


def test_infinity_among_numbers_alone_is_refused(fruler, tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).uniform(size=(60, 2)), columns=["a", "b"])
    FuzzyRuleRegressor(random_state=0).fit(X, X["a"] - 3 * X["b"]).save(tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("a,b\n0.5,0.5\n-inf,0.5\n")
    result = fruler("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert_one_line(result, "new.csv, line 3, column 'a': the value is -infinity", "--na-values -inf")


def test_files_that_are_read_are_not_overwritten(fruler, model, new_rows):
    before = new_rows.read_text(), model.read_text()
    assert_one_line(fruler("predict", model, new_rows, "-o", new_rows), "overwritten")
    assert_one_line(fruler("predict", model, new_rows, "-o", model), "overwritten")
    assert (new_rows.read_text(), model.read_text()) == before


def test_a_column_that_would_be_there_twice(fruler, model, tmp_path):
    table = pd.read_csv(io.StringIO(ROWS)).assign(prediction=1)
    table.to_csv(tmp_path / "new.csv", index=False)
    assert_one_line(fruler("predict", model, tmp_path / "new.csv", "--keep"), "already has a column 'prediction'")
    assert fruler("predict", model, tmp_path / "new.csv").returncode == 0


def test_a_model_that_was_learned_without_names_takes_columns_by_order(fruler, tmp_path):
    X = np.random.default_rng(0).uniform(size=(60, 2))
    model = FuzzyRuleRegressor(random_state=0).fit(X, X[:, 0] - 3 * X[:, 1])
    model.save(tmp_path / "m.json")
    pd.DataFrame(X, columns=["a", "b"]).to_csv(tmp_path / "t.csv", index=False)
    result = fruler("predict", tmp_path / "m.json", tmp_path / "t.csv")
    assert "columns are taken in order" in result.stderr
    np.testing.assert_array_equal(pd.read_csv(io.StringIO(result.stdout))["prediction"], model.predict(X))
    pd.DataFrame(X[:, ::-1], columns=["x1", "x0"]).to_csv(tmp_path / "t.csv", index=False)
    result = fruler("predict", tmp_path / "m.json", tmp_path / "t.csv")
    assert result.stderr == ""
    np.testing.assert_array_equal(pd.read_csv(io.StringIO(result.stdout))["prediction"], model.predict(X))


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other pipes")
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_closed_pipe_ends_in_silence(model, tmp_path, buffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    table = pd.read_csv(io.StringIO(ROWS)).iloc[[0, 3] * 20_000]
    table.to_csv(tmp_path / "big.csv", index=False)
    arguments = command("predict", model, tmp_path / "big.csv")
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"prediction\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_explanations_in_sentences(fruler, model, new_rows):
    said = fruler("explain", model, new_rows, "--rows", 2).stdout
    first, second, *_ = expected(model)
    assert said.startswith(f"Row 1\nprice = {first:.1f} k€\n")
    assert "smoker = yes" in said
    assert f"Row 2\nprice = {second:.1f} k€\n" in said
    assert "not known, and estimated from the rest of the row: colour 'teal'\n" in said
    assert "\n2 more rows; --rows or --row shows them\n" in said
    assert "\n1 more row; " in fruler("explain", model, new_rows, "--rows", 3).stdout
    alone = fruler("explain", model, new_rows, "--row", 4)
    assert alone.stdout.startswith("Row 4\nprice = ")
    assert alone.stdout.count("Row") == 1
    assert alone.stderr == ""


def test_explanations_name_categories_that_are_not_known(fruler, model, new_rows):
    result = fruler("explain", model, new_rows, "--row", 2)
    assert result.stderr == "fruler: 'colour': unknown categories count as missing: 'teal'\n"


def test_explanations_end_with_how_true_the_rules_are(fruler, model, new_rows):
    sentence = errors_sentence(load_model(model).rule_base_).replace("\xa0", " ")
    assert sentence.startswith("On held-out rows, half of the predictions miss by less than ")
    assert " ".join(fruler("explain", model, new_rows, "--row", 4).stdout.split()).endswith(sentence)


def test_explanations_say_what_was_observed(fruler, model, tmp_path):
    table = pd.read_csv(io.StringIO(ROWS))
    table["price"] = [61.25, None, *range(100, 98 + len(table))]
    table.to_csv(tmp_path / "known.csv", index=False)
    told = fruler("explain", model, tmp_path / "known.csv", "--rows", 2).stdout
    first, second = told.split("Row 2")
    assert first.rstrip().endswith("\n  observed: 61.25 k€")
    assert "observed" not in second
    records = json.loads(fruler("explain", model, tmp_path / "known.csv", "--rows", 2, "--json").stdout)
    assert [record.get("observed") for record in records] == [61.25, None]


def test_explanations_for_machines(fruler, model, new_rows):
    first, second = json.loads(fruler("explain", model, new_rows, "--rows", 2, "--json").stdout)
    assert first["row"] == 1
    assert first["prediction"] == expected(model)[0]
    assert first["base"] + sum(first["adds"].values()) == pytest.approx(first["prediction"])
    assert second["row"] == 2
    assert second["prediction"] == expected(model)[1]
    assert second["missing"] == ["colour"]


def test_explanations_say_what_the_strongest_rule_says_alone(fruler, tmp_path):
    weather = load_example("weather")
    weather.data.assign(mean_temperature=weather.target).to_csv(tmp_path / "weather.csv", index=False)
    model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    model.save(tmp_path / "m.json")
    # Here a day is neither quite low nor quite high.
    rules = model.rule_base_
    weights, outputs = rules.activations(weather.data)[0][100], rules.rule_outputs(weather.data)[100]
    strongest = int(weights.argmax())
    said = fruler("explain", tmp_path / "m.json", tmp_path / "weather.csv", "--row", 101).stdout
    assert f"\n  rule {strongest + 1} alone says {outputs[strongest]:.3g}" in said
    [row] = json.loads(fruler("explain", tmp_path / "m.json", tmp_path / "weather.csv", "--row", 101, "--json").stdout)
    assert row["strongest"] == {"rule": strongest + 1, "says": pytest.approx(outputs[strongest])}
    assert row["prediction"] != row["strongest"]["says"]


def test_a_row_that_is_not_there(fruler, model, new_rows):
    assert_one_line(fruler("explain", model, new_rows, "--row", 5), "--row 5", "4 rows")
    assert_one_line(fruler("explain", model, new_rows, "--row", 0), "--row")


def test_a_link_and_bounds_are_learned_told_and_exported(fruler, houses, tmp_path):
    path = tmp_path / "m.json"
    learned = fruler("fit", houses, "--target", "price", "--link", "log", "--bounds", "1,", "--model", path)
    assert learned.returncode == 0
    rules = load_model(path).rule_base_
    assert rules.output == Output("log", (1.0, None))
    assert re.search(r"^age, per unit +-[\d.]+%", learned.stdout, re.MULTILINE)
    assert "Predictions are at least 1." in learned.stdout
    assert "math.exp(raw)" in fruler("export", path, "--to", "python").stdout
    assert_one_line(fruler("export", path, "--to", "fml"), "FML cannot express a link or bounds")
    assert "  ×" in fruler("explain", path, houses, "--row", "1").stdout
    for wrong, said in (
        (("--link", "root"), "--link must be identity or log; got 'root'"),
        (("--bounds", "5"), "--bounds must be two numbers separated by a comma"),
        (("--bounds", "low,9"), "--bounds must be two numbers separated by a comma"),
        (("--bounds", "9,5"), "--bounds: The lower bound must be below the upper bound"),
        (("--bounds", ",5"), "must hold for all targets"),
    ):
        assert_one_line(fruler("fit", houses, "--target", "price", *wrong), said)
