"""``fruler edit`` and ``fruler refit``."""

import numpy as np
import pandas as pd
import pytest

from fruler import FuzzyRuleRegressor, load_model


@pytest.fixture(scope="module")
def model(houses, tmp_path_factory):
    """Return the paths of a model with sums, and of its table."""
    folder = tmp_path_factory.mktemp("edited")
    table = pd.read_csv(houses).dropna()
    table.to_csv(folder / "houses.csv", index=False)
    inputs = table[["size", "smoker", "colour", "age"]]
    FuzzyRuleRegressor(random_state=0, keep_sums=True).fit(inputs, table["price"]).save(folder / "m.json")
    return folder / "m.json", folder / "houses.csv"


def test_a_model_is_edited_and_refitted(fruler, model, tmp_path):
    path, table = model
    out = tmp_path / "edited.json"
    done = fruler("edit", path, "--drop", "age", "--slope", "size@2=1.5", "--data", table, "-o", out, "--by", "Ann")
    assert done.returncode == 0, done.stderr
    assert "Changed: the slopes and the curve of 'age' dropped from all rules" in done.stdout
    assert "fitted to the same rows without these changes" in done.stdout
    edited = load_model(out)
    assert edited.changes_[0].by == "Ann"
    assert edited.rules_["coef size"].iloc[1] == 1.5
    again = tmp_path / "again.json"
    done = fruler("refit", out, table, "-o", again, "--keep-sums")
    assert done.returncode == 0, done.stderr
    assert load_model(again).rules_["coef size"].iloc[1] == 1.5
    done = fruler("refit", again, table, "--update", "-o", again)
    assert "The structure of the model still holds" in done.stdout
    assert [change.fit for change in load_model(again).changes_] == ["refit", "refit", "update"]


def test_every_edit_has_an_option(fruler, model, tmp_path):
    path, _ = model
    out = tmp_path / "edited.json"
    rules = load_model(path).rule_base_
    label = next(
        one for one in rules.variables if (one.partition.n_labels > 1 and one.levels is None) or one.name == "smoker"
    )
    options = ["--flat", "size=,150"] if not rules.slopes[:, 0].any() else ["--level", "1=100"]
    done = fruler("edit", path, *options, "--label", f"{label.name}:{label.partition.labels[0]}=first", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "All other numbers are as they were" in done.stdout
    assert "'first'" in str(load_model(out).rule_base_.rules)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "there is nothing to change"),
        (["--drop", "wind"], "There is no input 'wind'"),
        (["--drop", "size@9"], "There is no rule 9"),
        (["--slope", "size"], "--slope must be written like rain@2=0.3; got 'size'"),
        (["--slope", "size=much"], "--slope needs a number; got 'much'"),
        (["--split", "size=5"], "--split must be written like rain:303=250; got 'size'"),
        (["--split", "wind:5=6"], "--split: there is no input 'wind'"),
        (["--flat", "size=100"], "--flat must have two ends"),
        (["--level", "first=3"], "--level must be the number of a rule"),
        (["--amount", "colour:pink=3"], "no category 'pink'"),
        (["--label", "size=big"], "--label must be an input, a label and its new name"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused_in_one_line(fruler, model, tmp_path, options, message):
    done = fruler("edit", model[0], *options, "-o", tmp_path / "edited.json")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert not (tmp_path / "edited.json").exists()


def test_rows_without_a_target_and_models_without_sums_are_refused(fruler, model, tmp_path):
    path, table = model
    frame = pd.read_csv(table)
    frame.drop(columns="price").to_csv(tmp_path / "new.csv", index=False)
    done = fruler("refit", path, tmp_path / "new.csv", "-o", tmp_path / "m.json")
    assert (done.returncode, "has no column 'price'" in done.stderr) == (2, True)
    frame.assign(price=np.where(frame.index < 5, np.nan, frame["price"])).to_csv(tmp_path / "new.csv", index=False)
    done = fruler("refit", path, tmp_path / "new.csv", "-o", tmp_path / "m.json")
    assert "5 of" in done.stderr
    assert load_model(tmp_path / "m.json").changes_[0].n_rows == len(frame) - 5
    done = fruler("edit", path, "--drop", "size", "-o", tmp_path / "n.json")
    done = fruler("refit", tmp_path / "n.json", table, "--update", "-o", tmp_path / "n.json")
    assert (done.returncode, "keeps no sums over its rows" in done.stderr) in ((2, True), (0, False))


def test_fit_keeps_sums(fruler, model, tmp_path):
    done = fruler("fit", model[1], "--target", "price", "--keep-sums", "--no-test", "--model", tmp_path / "m.json")
    assert done.returncode == 0, done.stderr
    assert load_model(tmp_path / "m.json")._sums is not None
