import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table

from fruler.data import load_example
from fruler.explain.plots import EffectDisplay, EffectsDisplay
from fruler.rules import FuzzyPartition, RuleBase, Variable

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, with_curves, with_long_names

WEATHER = load_example("weather")
RULES, TABLE = dated_rules(), dated_table()


def ticks_of(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def names_of(display):
    return [effect.along.feature.name for effect in display.effects_]


def test_all_inputs_stand_on_one_scale_the_largest_effect_first(model):
    display = EffectsDisplay.from_estimator(model)
    assert len({axes.get_ylim() for axes in display.axes_}) == 1
    low, high = display.axes_[0].get_ylim()
    sizes = []
    for line in display.lines_:
        y = line.get_ydata()
        assert low < y.min()
        assert y.max() < high
        sizes.append(np.ptp(y))
    assert sizes == sorted(sizes, reverse=True)
    used = {name for name, uses in zip(model.rule_base_.names, model.rule_base_.uses, strict=True) if uses}
    assert set(names_of(display)) <= used


@pytest.mark.parametrize("X", [None, WEATHER.data])
def test_a_panel_is_the_effect_of_its_input(model, X):
    display = EffectsDisplay.from_estimator(model, X, max_inputs=3)
    for name, line in zip(names_of(display), display.lines_, strict=True):
        alone = EffectDisplay.from_estimator(model, name, X).line_
        np.testing.assert_allclose(line.get_xydata(), alone.get_xydata())


def test_what_falls_goes_down_and_what_rises_goes_up():
    up, down = (Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in ("up", "down"))
    rules = RuleBase([up, down], [[[0, 0], [0, 0]]], [[0.0, 1.0, -2.0]])
    X = np.random.default_rng(0).uniform(size=(50, 2))
    display = EffectsDisplay.from_estimator(rules.with_training(X, rules.predict(X)))
    assert names_of(display) == ["down", "up"]
    falling, rising = (np.diff(line.get_ydata()) for line in display.lines_)
    assert (falling < 0.0).all()
    assert (rising > 0.0).all()


def test_the_thin_line_is_the_prediction_of_the_typical_row(model):
    display = EffectsDisplay.from_estimator(model)
    typical = model.rule_base_.training.typical
    assert display.base == pytest.approx(model.rule_base_.predict(typical[None])[0])
    for effect in display.effects_:
        at_typical = np.interp(typical[effect.along.feature.inputs[0]], effect.along.grid, effect.predictions)
        assert at_typical == pytest.approx(display.base, abs=0.05)


def test_categories_of_a_column_are_points_of_one_panel():
    display = EffectsDisplay.from_estimator(RULES, TABLE)
    assert sorted(names_of(display)) == sorted(
        ["sold", "day of year", "hour", "weekday", "origin", "fuel", "size", "size is missing"]
    )
    panel = display.axes_[names_of(display).index("fuel")]
    line = display.lines_[names_of(display).index("fuel")]
    assert sorted(ticks_of(panel)) == ["gas", "oil", "sun"]
    for name, y in zip(ticks_of(panel), line.get_ydata(), strict=True):
        assert y == pytest.approx(RULES.predict(TABLE.assign(fuel=name)).mean())
    assert (np.diff(line.get_ydata()) >= 0.0).all()
    counts = np.array([bar.get_height() for bar in panel.patches])
    rows = np.array([(TABLE["fuel"] == name).sum() for name in ticks_of(panel)])
    np.testing.assert_allclose(counts / counts.max(), rows / rows.max())
    assert_readable(display.figure_)


def test_the_training_data_tell_how_many_rows_a_category_has():
    display = EffectDisplay.from_estimator(RULES, "fuel")
    names = ticks_of(display.axes_[-1])
    counts = [bar.get_height() for bar in display.axes_[-1].patches]
    assert counts == [(TABLE["fuel"] == name).sum() for name in names]
    # An input of its own can still be drawn.
    assert set(ticks_of(EffectDisplay.from_estimator(RULES, "fuel=gas").axes_[-1])) == {"no", "yes"}


def test_inputs_without_effect_are_counted_only(model):
    display = EffectsDisplay.from_estimator(model, max_inputs=2)
    hidden = len(display.effects) - 2
    title = display.axes_[0].get_title(loc="left").replace("\n", " ")
    assert title == f"other inputs at their typical values; {hidden} inputs with less effect left out"
    with pytest.raises(ValueError, match="max_inputs must be 1 or more, or None for all; got 0"):
        EffectsDisplay.from_estimator(model, max_inputs=0)
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    flat = RuleBase([x], [[[0, 0]]], [[5.0, 0.0]]).with_training([[0.0], [1.0]], [5.0, 5.0])
    with pytest.raises(ValueError, match="there is no effect to draw"):
        EffectsDisplay.from_estimator(flat)


def test_curves_and_long_names_are_readable(model):
    curved = EffectsDisplay.from_estimator(with_curves(model))
    assert_readable(curved.figure_)
    assert_readable(EffectsDisplay.from_estimator(with_long_names(model.rule_base_)).figure_)
    plain = EffectsDisplay.from_estimator(model)
    assert any(
        np.ptp(one.predictions) != np.ptp(other.predictions)
        for one, other in zip(curved.effects, plain.effects, strict=True)
    )


def test_rules_without_training_data_need_rows():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    line = RuleBase([x], [[[0, 0]]], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="give rows X"):
        EffectsDisplay.from_estimator(line)
    assert len(EffectsDisplay.from_estimator(line, [[0.0], [1.0]]).lines_) == 1
