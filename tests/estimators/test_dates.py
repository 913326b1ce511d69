"""Estimators learn from dates, and say what they found in words."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.levels import level_offsets

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model

N = 1200


def sales():
    """Make a price with a trend, a winter, and a Sunday."""
    rng = np.random.default_rng(0)
    days = pd.Series(pd.Timestamp("2015-03-01") + pd.to_timedelta(rng.integers(0, 365 * 6, N), unit="D"))
    season = days.dt.strftime("%m-%d")
    winter = (season >= "11-01") | (season < "02-20")
    years = (days - pd.Timestamp("2015-01-01")).dt.total_seconds() / 86_400 / 365.2425
    sunday = days.dt.day_of_week == 6
    size = rng.uniform(0, 10, N)
    price = 2.0 + 6.0 * winter + 0.5 * years - 4.0 * sunday + 0.7 * size + rng.normal(0, 0.3, N)
    return pd.DataFrame({"sold": days, "size": size}), price.rename("price").to_numpy()


@pytest.fixture(scope="module")
def model():
    return FuzzyRuleRegressor(random_state=0).fit(*sales())


def test_winter_is_one_label_and_reads_as_dates(model):
    X, y = sales()
    labels = model.rule_base_.variables[model.rule_base_.names.index("day of year")].partition.labels
    assert any(re.fullmatch(r"(31 Oct|1 Nov|2 Nov) to (19|20|21) Feb", label) for label in labels), labels
    text = str(model.rule_base_)
    assert re.search(r"day of year (is )?(20|21|22) Feb to", text) or "day of year" in text
    assert re.search(r"sold: \+0\.\d+ per year|sold, per year", text)
    assert re.search(r"Amounts count from .*sold 1 Jan 20\d\d", text) or "sold" in text
    assert np.sqrt(np.mean((model.predict(X) - y) ** 2)) < 0.35


def test_a_weekday_has_an_offset_or_a_rule_of_its_own(model):
    sunday = pd.DataFrame({"sold": pd.to_datetime(["2018-06-03", "2018-06-04"]), "size": [5.0, 5.0]})
    assert np.diff(model.predict(sunday))[0] == pytest.approx(4.0, abs=0.3)
    weekday = next(feature for feature in model.rule_base_.features if feature.name == "weekday")
    offsets = [level_offsets(model.rule_base_, rule, weekday) for rule in range(model.rule_base_.n_rules)]
    told = "weekday is Sunday" in str(model.rule_base_) or any("Sunday" in own for own in offsets)
    assert told


def test_an_explanation_writes_dates(model):
    row = pd.DataFrame({"sold": pd.to_datetime(["2018-12-24"]), "size": [0.5]})
    text = str(model.explain(row))
    assert "day of year = 24 Dec" in text
    assert "sold = 24 Dec 2018" in text
    missing = str(model.explain(row.assign(sold=pd.NaT)))
    assert "missing, and estimated from the rest of the row: sold" in missing


def as_texts(X):
    return X.assign(sold=X["sold"].dt.strftime("%d.%m.%Y"))


def days_of(X):
    return [None if pd.isna(day) else day.date() for day in X["sold"]]


def as_objects(X):
    return np.array([days_of(X), X["size"].tolist()], dtype=object).T


def as_polars(X):
    return pl.DataFrame({"sold": days_of(X), "size": X["size"].to_numpy()})


def as_arrow(X):
    return pytest.importorskip("pyarrow").Table.from_pandas(X)


@pytest.mark.slow
@pytest.mark.parametrize("hold", [as_texts, as_objects, as_polars, as_arrow])
@pytest.mark.parametrize("gap", [False, True])
def test_the_model_is_the_same_whatever_holds_the_dates(hold, gap):
    X, y = sales()
    X, y = X[:300], y[:300]
    if gap:
        X = X.assign(sold=X["sold"].where(np.arange(300) % 9 > 0))
    expected = FuzzyRuleRegressor(random_state=0).fit(X, y).predict(X)
    model = FuzzyRuleRegressor(random_state=0).fit(hold(X), y)
    np.testing.assert_allclose(model.predict(hold(X)), expected, rtol=1e-9)


def test_the_papers_algorithm_gets_a_weekday_of_zeros_and_ones():
    X, y = sales()
    model = FRULERRegressor(random_state=0, time_limit=3.0).fit(X, y)
    assert {"sold", "day of year", "weekday=Sunday"} <= set(model.rule_base_.names)
    assert model.rule_base_.columns == ("sold", "size")
    assert np.isfinite(model.predict(X.astype({"sold": str}))).all()


def test_a_saved_model_reads_dates(model, tmp_path):
    X, _ = sales()
    model.save(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.rule_base_ == model.rule_base_
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_dates_that_change_are_refused(model):
    X, _ = sales()
    with pytest.raises(
        ValueError, match=r"column 'sold', row 0 .* with a time zone, but the model was fitted on dates without"
    ):
        model.predict(X.assign(sold=X["sold"].dt.tz_localize("UTC")))
    with pytest.raises(ValueError, match=r"column 'sold', row 0 .* is 1.0, but the model was fitted on dates"):
        model.predict(X.assign(sold=1.0))
    numbers = FuzzyRuleRegressor(random_state=0).fit(X[["size"]], X["size"])
    with pytest.raises(ValueError, match="is a date or a time, but the model was fitted on other values"):
        numbers.predict(X[["sold"]].rename(columns={"sold": "size"}))


def test_a_season_that_was_never_seen_lies_outside():
    X, y = sales()
    summer = X["sold"].dt.month.between(4, 9).to_numpy()
    row = pd.DataFrame({"sold": pd.to_datetime(["2018-01-01"]), "size": [5.0]})
    j = ["sold", "day of year"]
    for rows, outside in ((np.ones(N, dtype=bool), [False, False]), (summer, [False, True])):
        why = FuzzyRuleRegressor(random_state=0).fit(X[rows], y[rows]).explain(row)
        assert [bool(why.outside[0, why.names.index(name)]) for name in j] == outside
