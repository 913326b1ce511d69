"""Every picture of a model suits every algorithm, and a table with dates, categories, gaps and units."""

import numpy as np
import pytest
from helpers.estimators import ALGORITHMS, make_quick_estimator
from helpers.mixed_table import mixed_table

from fruler.explain.plots import (
    EffectsDisplay,
    ImportanceDisplay,
    PairEffectDisplay,
    RuleBaseDisplay,
    WaterfallDisplay,
)

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable

X, Y = mixed_table()


@pytest.fixture(scope="module", params=ALGORITHMS)
def fitted(request):
    return make_quick_estimator(request.param, 150).fit(X, Y)


def test_a_waterfall_ends_at_the_prediction(fitted):
    for row in (0, 3):
        display = WaterfallDisplay.from_estimator(fitted, X, row)
        # Inputs that add next to nothing have no bar.
        assert display.totals_[-1] == pytest.approx(fitted.predict(X[row : row + 1])[0], abs=0.001)
        for part, bar in zip(display.parts_, display.bars_, strict=True):
            assert np.sign(bar.get_width()) == np.sign(part.adds)
        assert_readable(display.figure_)


def test_sundays_lower_the_price(fitted):
    sunday = int(np.argmax(X["sold"].dt.day_of_week == 6))
    display = WaterfallDisplay.from_estimator(fitted, X, sunday)
    [place] = [k for k, part in enumerate(display.parts_) if part.text == "weekday = Sunday"]
    assert display.bars_[place].get_width() < -0.5


def test_importance_is_drawn_for_columns(fitted):
    display = ImportanceDisplay.from_estimator(fitted, X)
    assert {"size", "weekday"} <= set(display.importance["input"][:3])
    assert display.ax_.get_xlabel().startswith("mean move of price (k€)")
    assert_readable(display.figure_)


def test_effects_have_units_and_dates(fitted):
    display = EffectsDisplay.from_estimator(fitted, X)
    names = [effect.along.title for effect in display.effects_]
    size = display.effects_[names.index("size (m²)")].predictions
    assert size[-1] > size[0] + 3.0
    weekday = display.axes_[names.index("weekday")]
    assert weekday.get_xticklabels()[0].get_text() == "Sunday"
    assert_readable(display.figure_)


@pytest.mark.parametrize("pair", [("size", "fuel"), ("fuel", "size"), ("weekday", "origin")])
def test_pairs_are_drawn(fitted, pair):
    display = PairEffectDisplay.from_estimator(fitted, pair, X)
    assert np.isfinite(display.predictions).all()
    assert_readable(display.figure_)


def test_rules_are_readable(fitted):
    assert_readable(RuleBaseDisplay.from_estimator(fitted).figure_)
