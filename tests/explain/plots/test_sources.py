"""Pictures name what inputs stand for: dates on axes, categories by name, no and yes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.dated_rules import NAMES, dated_rules, dated_table

from fruler import FuzzyPartition, RuleBase
from fruler._table.sources import LevelSource
from fruler.explain._dependence import rows_with
from fruler.explain._effects import signed_effects
from fruler.explain.plots import CurveDisplay, EffectDisplay, PartitionDisplay, RuleBaseDisplay
from fruler.rules import Variable

pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import assert_readable, words_of  # noqa: E402

RULES, TABLE = dated_rules(), dated_table()
MONTHS = ["1 Nov", "1 Jan", "1 Mar", "1 May", "1 Jul", "1 Sep"]
HOURS = ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"]
YEARS = ["2016", "2017", "2018", "2019", "2020", "2021"]


def ticks_of(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def coloured(n_categories=3, name="kind {}"):
    names = [name.format(k) for k in range(n_categories)]
    numbers = np.random.default_rng(0).permutation(n_categories) / 3.0
    kind = Variable("kind", FuzzyPartition([], (0.0, n_categories)), source=LevelSource("kind", names, numbers))
    return RuleBase([kind], [[[0, 0]]], [[1.0, -2.0]]), pd.DataFrame({"kind": names})


@pytest.mark.parametrize("display", [EffectDisplay, PartitionDisplay])
@pytest.mark.parametrize(("name", "ticks"), [("day of year", MONTHS), ("hour", HOURS), ("sold", YEARS)])
def test_axes_of_dates_have_dates_and_no_unit(display, name, ticks):
    drawn = display.from_estimator(RULES, name)
    axis = drawn.axes_[-1] if hasattr(drawn, "axes_") else drawn.ax_
    assert ticks_of(axis) == ticks
    assert axis.get_xlabel() == name
    assert_readable(drawn.figure_)


def test_dates_stand_where_they_are():
    display = EffectDisplay.from_estimator(RULES, "day of year")
    source = RULES.variables[1].source
    places = source.numbers(pd.Series([f"2019-{month}-01" for month in ("11", "01", "03", "05", "07", "09")]))
    np.testing.assert_allclose(display.axes_[-1].get_xticks(), places)


def test_a_curve_over_the_day_has_hours():
    display = CurveDisplay.from_estimator(RULES)
    assert set(ticks_of(display.axes_[0])) <= {f"{hour:02d}:00" for hour in range(24)}
    assert display.axes_[0].get_xlabel() == "hour"
    assert_readable(display.figure_)


class TestEffects:
    def test_categories_are_points_in_the_order_of_their_predictions(self):
        display = EffectDisplay.from_estimator(RULES, "origin", TABLE)
        y = display.line_.get_ydata()
        assert display.line_.get_linestyle() == "None"
        assert np.all(np.diff(y) >= 0.0)
        names = ticks_of(display.axes_[-1])
        assert sorted(names) == ["europe", "japan", "usa"]
        for name, found in zip(names, y, strict=True):
            assert found == pytest.approx(RULES.predict(TABLE.assign(origin=name)).mean())
        counts = [bar.get_height() for bar in display.axes_[-1].patches]
        assert counts == [(TABLE["origin"] == name).sum() for name in names]
        assert display.axes_[-1].get_xlabel() == "origin"
        assert_readable(display.figure_)

    def test_a_weekday_is_a_point(self):
        display = EffectDisplay.from_estimator(RULES, "weekday")
        assert ticks_of(display.axes_[-1])[0] == "Sunday"
        # Of six weekdays, whose numbers are near one another, the training data do not tell how many rows they have.
        assert not display.axes_[-1].patches
        assert len(EffectDisplay.from_estimator(RULES, "weekday", TABLE).axes_[-1].patches) == 7
        assert_readable(display.figure_)

    @pytest.mark.parametrize("name", ["fuel=gas", "size is missing"])
    def test_inputs_of_0_and_1_are_no_and_yes(self, name):
        display = EffectDisplay.from_estimator(RULES, name, TABLE, individual=True)
        assert set(ticks_of(display.axes_[-1])) == {"no", "yes"}
        assert len(display.rows_) == 50

    def test_every_input_is_readable(self):
        for name in NAMES:
            display = EffectDisplay.from_estimator(RULES, name, TABLE)
            assert_readable(display.figure_)
            plt.close(display.figure_)


@pytest.mark.slow
@pytest.mark.parametrize("display", [EffectDisplay, PartitionDisplay])
@pytest.mark.parametrize("n_categories", [1, 3, 12, 100])
@pytest.mark.parametrize("name", ["kind {}", "a_category_with_a_very_long_name_{}"])
def test_many_categories_are_readable(display, n_categories, name):
    rules, table = coloured(n_categories, name)
    assert_readable(display.from_estimator(rules, 0, table).figure_)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    display.from_estimator(rules, 0, table, ax=axes[0])
    assert_readable(figure)


class TestPartitions:
    def test_categories_are_bars_in_the_colours_of_their_labels(self):
        display = PartitionDisplay.from_estimator(RULES, "origin", TABLE)
        assert ticks_of(display.ax_) == ["usa", "europe", "japan"]
        assert [bar.get_height() for bar in display.bars_] == [
            (TABLE["origin"] == name).sum() for name in ("usa", "europe", "japan")
        ]
        first, second, third = [bar.get_facecolor() for bar in display.bars_]
        assert first != second
        assert second == third
        assert "europe or japan" in words_of(display.figure_)
        assert display.ax_.get_xlabel() == "origin"

    def test_categories_whose_rows_are_not_known_have_no_scale(self):
        display = PartitionDisplay.from_estimator(RULES, "weekday")
        assert len(display.bars_) == 7
        assert not display.ax_.spines["left"].get_visible()
        assert display.ax_.get_ylabel() == ""

    def test_every_input_is_readable(self):
        for name in NAMES:
            display = PartitionDisplay.from_estimator(RULES, name)
            assert_readable(display.figure_)
            plt.close(display.figure_)


class TestRules:
    def test_conditions_are_in_words(self):
        display = RuleBaseDisplay.from_estimator(RULES)
        words = {text.replace("\n", " ") for text in words_of(display.figure_)}
        assert {"1 Nov to 20 Feb", "20 Feb to 1 Nov", "not Sunday", "europe or japan", "usa", "yes", "no"} <= words
        assert {"1 Nov", "31 Oct", "day of year", "size (m)"} <= words
        assert not any("since" in text for text in words)
        assert_readable(display.figure_)

    def test_outputs_differ_by_category_and_neither_rise_nor_fall(self):
        display = RuleBaseDisplay.from_estimator(RULES)
        legend = [text.get_text() for text in display.axes_[-1].get_legend().get_texts()]
        assert legend == ["rises with the input", "falls with the input", "differs by category"]
        # Of europe and japan, which the first rule holds for, the second adds 1 more.
        place = [RULES.names[j] for j in display.inputs_].index("origin")
        largest = np.abs(signed_effects(RULES)).max()
        assert display.weights_[0, place] == pytest.approx(1.0 / largest, rel=1e-6)
        assert display.weights_[1, place] == 0.0

    def test_without_categories_the_legend_has_two_signs(self, model):
        legend = RuleBaseDisplay.from_estimator(model).axes_[-1].get_legend()
        assert len(legend.get_texts()) == 2


def test_rows_may_have_text_dates_and_gaps():
    text = TABLE.assign(sold=TABLE["sold"].dt.strftime("%Y-%m-%d %H:%M:%S"))
    histogram = PartitionDisplay.from_estimator(RULES, "sold", text).histogram
    assert histogram[1].sum() == len(text)
    years = (TABLE["sold"].min() - pd.Timestamp("2015-01-01")).total_seconds() / 86_400 / 365.2425
    assert histogram[0][0] == pytest.approx(years)
    bare = replace(RULES, gaps=None)
    with pytest.raises(ValueError, match="size"):
        PartitionDisplay.from_estimator(bare, "sold", text)


def test_rows_in_one_bar_are_not_told_apart():
    edges, counts = np.linspace(0.0, 1.0, 5), np.array([4.0, 0.0, 0.0, 6.0])
    assert rows_with(np.array([0.0, 1.0]), (edges, counts)).tolist() == [4.0, 6.0]
    assert rows_with(np.array([0.0, 0.2]), (edges, counts)) is None
    assert rows_with(np.array([0.0, 2.0]), (edges, counts)).tolist() == [4.0, 0.0]
    assert rows_with(np.array([0.0]), None) is None
