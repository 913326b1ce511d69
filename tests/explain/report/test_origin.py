"""Where reports come from, and on which rows their figures were measured."""

import datetime
import re
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest
from helpers.commands import run_process
from helpers.report_models import handmade_rows, handmade_rules

import fruler
from fruler import FuzzyRuleRegressor, load_model
from fruler._table.faults import FaultyValuesWarning
from fruler.callbacks import Callback
from fruler.explain.report import Origin, report_html

DATE = datetime.datetime(2024, 12, 29, 18, 5)


def facts(page):
    """Return what a page says of its origin, by name."""
    (part,) = re.findall(r'<section id="origin".*?</section>', page, re.DOTALL)
    found = re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", part)
    return {unescape(name): unescape(text) for name, text in found}


def figures(page):
    """Return the figures that stand out, by name, and the notes below them."""
    found = re.findall(r'<dd class="figure">(.*?)</dd><dt>(.*?)</dt><dd class="note">(.*?)</dd>', page)
    return {unescape(name): (unescape(figure), unescape(note)) for figure, name, note in found}


def test_a_report_tells_where_it_comes_from(weather_model, weather):
    page = weather_model.report(weather.data, weather.target, origin=Origin(data="weather.csv", date=DATE))
    told = facts(page)
    assert told["Report made"] == f"29 December 2024, 18:05 UTC, with fruler {fruler.__version__}"
    assert told["Data file"] == "weather.csv"
    assert told["Training rows"] == "730, with 8 columns"
    assert told["Rows given to the report"] == "730, the training rows"
    assert told["Algorithm"] == "Growth"
    assert told["Seed"] == "0"
    assert told["Made by"] == "FuzzyRuleRegressor(random_state=0).fit(X, y)"
    assert told["max_rules"] == str(weather_model.max_rules)
    assert "n_jobs" not in told


def test_the_same_origin_gives_the_same_page(weather_model):
    pages = {weather_model.report(origin=Origin(date=DATE)) for _ in range(2)}
    assert len(pages) == 1


def test_the_date_can_be_set_from_outside(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    assert Origin().moment == "1 January 1970, 23:59 UTC"
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert Origin(date=DATE.replace(tzinfo=zone)).moment == "29 December 2024, 16:05 UTC"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert Origin().moment.endswith(f"{datetime.datetime.now(datetime.UTC).year}, " + Origin().moment[-9:])


def test_what_watched_the_fit_is_not_told(weather):
    model = FuzzyRuleRegressor(max_rules=2, random_state=0, callbacks=[Callback()], n_jobs=1)
    told = facts(model.fit(weather.data[:60], weather.target[:60]).report())
    assert told["Made by"] == "FuzzyRuleRegressor(max_rules=2, random_state=0).fit(X, y)"
    assert "callbacks" not in told


def test_rules_by_hand_tell_what_is_known():
    assert list(facts(report_html(handmade_rules()))) == ["Report made"]
    X, y = handmade_rows(50)
    told = facts(report_html(handmade_rules(), X, y))
    assert told["Rows given to the report"] == "50, whether the model was learned from them is not known"
    assert "Training rows" not in told


def test_texts_of_an_origin_are_never_markup():
    page = report_html(
        handmade_rules(), origin=Origin(data="<b>x</b>.csv", command="<script>", settings={"<a>": "<b>"})
    )
    (part,) = re.findall(r'<section id="origin".*?</section>', page, re.DOTALL)
    assert "<b>" not in part
    assert "<script>" not in part


def test_commands_tell_their_data_and_themselves(weather, tmp_path):
    table = weather.data.assign(mean_temperature=weather.target)[:80]
    table.to_csv(tmp_path / "days.csv", index=False)
    fitted = run_process(
        *("fit", "days.csv", "--target", "mean_temperature", "--seed", "3", "--max-rules", "2", "--no-test"),
        *("--model", "m.json", "--report", "r.html"),
        cwd=tmp_path,
    )
    assert fitted.returncode == 0, fitted.stderr
    told = facts((tmp_path / "r.html").read_text("utf-8"))
    assert re.fullmatch(r"days\.csv \(SHA-256 [0-9a-f]{64}\)", told["Data file"])
    assert told["Made by"].startswith("fruler fit days.csv --target mean_temperature --seed 3")
    assert (told["Seed"], told["max_rules"], told["Algorithm"]) == ("3", "2", "Growth")
    reported = run_process("report", "m.json", "-o", "again.html", cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr
    told = facts((tmp_path / "again.html").read_text("utf-8"))
    assert told["Model file"].startswith("m.json (SHA-256 ")
    assert told["Made by"] == "fruler report m.json -o again.html"
    assert (told["Seed"], told["max_rules"], told["Algorithm"]) == ("3", "2", "Growth")
    assert "Data file" not in told
    assert sys.argv


def test_figures_say_on_which_rows_they_were_measured(weather_model, weather):
    training = weather_model.rule_base_.training
    held_out = "on held-out rows (cross-validation)"
    for page in (weather_model.report(), weather_model.report(weather.data, weather.target)):
        found = figures(page)
        assert found["root mean squared error (RMSE)"] == (f"{training.cv_rmse:.2f}", held_out)
        explained = 1.0 - (training.cv_rmse / training.target_spread) ** 2
        assert found["of the variance explained (R²)"] == (f"{explained:.1%}", held_out)
        assert found["half of the predictions miss by less"][1] == held_out
    assert "Measured on the 730 training rows, from which the model was learned" in page
    X, y = weather.data[:90] + 0.01, weather.target[:90]
    page = weather_model.report(X, y)
    assert figures(page)["of the variance explained (R²)"][1] == "on 90 given rows"
    explained = 1.0 - np.mean((y - weather_model.predict(X)) ** 2) / np.var(y)
    assert figures(page)["of the variance explained (R²)"][0] == f"{explained:.1%}"
    assert "Measured on the 90 rows given to the report." in page


def test_without_cross_validation_figures_are_of_the_training_rows(paper_model):
    assert np.isnan(paper_model.rule_base_.training.cv_rmse)
    found = figures(paper_model.report())
    assert {note for _, note in (found["root mean squared error (RMSE)"], found["of the variance explained (R²)"])} == {
        "on the training rows"
    }


@pytest.mark.parametrize("with_rows", [False, True])
def test_rules_without_training_data_have_figures_of_given_rows_only(with_rows):
    X, y = handmade_rows(50)
    found = figures(report_html(handmade_rules(), *((X, y) if with_rows else ())))
    assert ("root mean squared error (RMSE)" in found) == with_rows
    if with_rows:
        assert found["root mean squared error (RMSE)"][1] == "on 50 given rows"


def test_training_rows_with_gaps_and_categories_are_never_new_rows(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(100.0, 20.0, 900), "rooms": rng.integers(1, 6, 900).astype(float)})
    frame["zone"] = rng.choice(["a", "b", "c"], 900)
    frame["sold"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 2000, 900), unit="D")
    y = frame["size"] + 20.0 * (frame["zone"] == "a") + rng.normal(size=900)
    frame = frame.mask(rng.random(frame.shape) < 0.15)
    # A value that looks like a fault counts as missing in the fit.
    frame.loc[7, "size"] = 1e5
    half = slice(0, 600)
    with pytest.warns(FaultyValuesWarning):
        model = FuzzyRuleRegressor(random_state=0, warn_outside=False).fit(frame[half], y[half])
    model.save(tmp_path / "m.json")
    for own in (model, load_model(tmp_path / "m.json"), model.with_rules(1)):
        assert facts(own.report(frame[half], y[half]))["Rows given to the report"] == "600, the training rows"
        # In another order, as text, and some of them twice.
        rows = frame[half].sample(frac=1.0, random_state=0).astype({"sold": str}).replace("NaT", None)
        assert facts(own.report(rows, y[rows.index]))["Rows given to the report"] == "600, the training rows"
        assert facts(own.report(frame[600:], y[600:]))["Rows given to the report"] == "300, none of them a training row"
    share = re.search(r"900, about (\d+)% of them", facts(model.report(frame, y))["Rows given to the report"])
    assert abs(int(share[1]) - 67) < 12
