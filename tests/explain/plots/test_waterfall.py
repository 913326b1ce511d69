import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table

from fruler._wording import with_minus
from fruler.data import load_example
from fruler.explain.plots import WaterfallDisplay
from fruler.rules import FuzzyPartition, RuleBase, Variable

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, texts_of, with_long_names, words_of

WEATHER = load_example("weather")
RULES, TABLE = dated_rules(), dated_table()


def line_rules():
    """One rule by which hours raise and staff lowers the cost."""
    X = np.column_stack([np.linspace(0.0, 10.0, 11), np.tile([1.0, 3.0], 6)[:11]])
    names = {"target_name": "cost", "target_unit": "€"}
    variables = [Variable("hours", FuzzyPartition([], (0, 10)), "h"), Variable("staff", FuzzyPartition([], (1, 3)))]
    return RuleBase(variables, [[[0, 0], [0, 0]]], [[1.0, 2.0, -1.0]], **names).with_training(X, X @ [2.0, -1.0] + 1.0)


def test_bars_lead_from_the_mean_to_the_prediction_and_falling_ones_point_left():
    display = WaterfallDisplay.from_estimator(line_rules(), [[8.0, 3.0]])
    rising, falling = display.bars_
    mean = line_rules().training.base
    assert rising.get_width() == pytest.approx(6.0)
    assert rising.get_x() == pytest.approx(mean)
    # A bar that points left begins where the one above ends, and ends below.
    assert falling.get_width() == pytest.approx(14.0 - mean - 6.0)
    assert falling.get_width() < 0.0
    assert falling.get_x() == pytest.approx(mean + 6.0)
    np.testing.assert_allclose(display.totals_, [mean, mean + 6.0, 14.0])
    assert rising.get_facecolor() != falling.get_facecolor()


def test_rows_are_named_from_above_and_numbers_stand_beyond_the_bars():
    display = WaterfallDisplay.from_estimator(line_rules(), [[8.0, 3.0]])
    ax = display.ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "mean prediction",
        "hours = 8 h",
        "staff = 3",
        "prediction",
    ]
    top, bottom = ax.get_ylim()
    assert top > bottom
    boxes = {text.get_text(): box for text, box in texts_of(display.figure_)}
    edge = ax.transData.transform
    assert boxes["+6.00"].x0 > edge((display.totals_[1], 1))[0]
    assert boxes["−1.09"].x1 < edge((display.totals_[2], 2))[0]
    assert {"9.09", "14", "cost (€)", "by rule 1 (100%)"} <= set(boxes)


def test_any_row_of_any_table_is_drawn(model):
    frame = WaterfallDisplay.from_estimator(model, WEATHER.data, 100)
    array = WaterfallDisplay.from_estimator(model, WEATHER.data.to_numpy(), 100)
    last = WaterfallDisplay.from_estimator(model, WEATHER.data[:101], -1)
    why = WaterfallDisplay.from_explanation(model.explain(WEATHER.data), 100)
    for other in (array, last, why):
        np.testing.assert_allclose(other.totals_, frame.totals_)
    assert frame.totals_[-1] == pytest.approx(model.predict(WEATHER.data[100:101])[0])
    with pytest.raises(ValueError, match=r"There are 730 rows; got row 730\."):
        WaterfallDisplay.from_estimator(model, WEATHER.data, 730)


def test_the_strongest_rule_alone_is_told(model):
    why = model.explain(WEATHER.data)
    row = int(np.argmin(why.activations.max(axis=1)))
    notes = why.notes(row)
    assert f"rule {why.strongest[row] + 1} alone says" in notes[1]
    title = WaterfallDisplay.from_explanation(why, row).ax_.get_title(loc="left")
    assert title.split("\n") == [with_minus(note) for note in notes]


def test_few_bars_and_the_rest(model):
    display = WaterfallDisplay.from_estimator(model, WEATHER.data, max_parts=2)
    assert len(display.bars_) == 3
    assert display.parts_[-1].text.endswith("other inputs")
    assert display.totals_[-1] == pytest.approx(model.predict(WEATHER.data[:1])[0])
    sizes = [abs(bar.get_width()) for bar in display.bars_[:2]]
    assert sizes == sorted(sizes, reverse=True)
    with pytest.raises(ValueError, match="max_parts must be 1 or more; got 0"):
        WaterfallDisplay.from_estimator(model, WEATHER.data, max_parts=0)


def test_categories_dates_and_gaps_are_told():
    gap = WaterfallDisplay.from_estimator(RULES, TABLE.assign(size=np.nan, fuel="mars"), 0)
    words = " ".join(words_of(gap.figure_)).replace("\n", " ")
    for said in ("weekday = ", "size, estimated", "fuel, estimated", "not known", "size is missing"):
        assert said in words
    assert_readable(gap.figure_)
    joined = WaterfallDisplay.from_estimator(RULES, TABLE.assign(fuel="sun"), 0)
    assert sum(part.subject == "fuel" for part in joined.parts_) == 1
    assert_readable(joined.figure_)


def test_long_names_and_a_flat_prediction_are_readable(model):
    rules = with_long_names(model.rule_base_)
    assert_readable(WaterfallDisplay.from_estimator(rules, WEATHER.data.to_numpy(), 5).figure_)
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    flat = RuleBase([x], [[[0, 0]]], [[5.0, 0.0]]).with_training([[0.0], [1.0]], [5.0, 5.0])
    display = WaterfallDisplay.from_estimator(flat, [[0.5]])
    assert not display.parts_
    assert_readable(display.figure_)
