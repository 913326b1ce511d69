from dataclasses import replace

import numpy as np
import pytest

from fruler import FuzzyPartition, RuleBase
from fruler.data import load_example
from fruler.explain.plots import CurveDisplay, EffectDisplay, RuleBaseDisplay
from fruler.rules import Variable

matplotlib = pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, with_curves, with_long_names, words_of  # noqa: E402

WEATHER = load_example("weather")


def assert_follows(line, curve):
    """The line goes through what the curve adds, but for the places of jumps."""
    x, y = line.get_data()
    places, counts = np.unique(x, return_counts=True)
    once = np.isin(x, places[counts == 1])
    np.testing.assert_allclose(y[once], curve.values(x[once]), atol=1e-9)


@pytest.mark.parametrize("n_curves", [1, 2, 3, 4, 7])
def test_a_panel_for_each_curve(model, n_curves):
    curved = with_curves(model, n_curves).rule_base_
    display = CurveDisplay.from_estimator(curved)
    assert len(display.axes_) == len(display.lines_) == len(display.bars_) == n_curves
    for panel, line, curve in zip(display.axes_, display.lines_, curved.curves, strict=True):
        assert_follows(line, curve)
        variable = curved.variables[curve.input]
        assert panel.get_xlabel().replace("\n", "").startswith(variable.name)
    assert_readable(display.figure_)


def test_all_panels_have_one_scale_with_zero_in_it(model):
    curved = with_curves(model, 4).rule_base_
    raised = [replace(curve, coefficients=curve.coefficients + np.array([100.0, 0.0])) for curve in curved.curves[:2]]
    display = CurveDisplay.from_estimator(replace(curved, curves=raised))
    limits = {panel.get_ylim() for panel in display.axes_}
    assert len(limits) == 1
    low, high = limits.pop()
    assert low < 0.0
    assert high > max(line.get_ydata().max() for line in display.lines_)


def test_dots_are_the_bends(model):
    curved = with_curves(model, 1).rule_base_
    display = CurveDisplay.from_estimator(curved)
    (dots,) = [line for line in display.axes_[0].lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(dots.get_data(), curved.curves[0].bends())


def test_bars_are_the_rows_that_are_given(model):
    curved = with_curves(model, 1)
    training, some = (CurveDisplay.from_estimator(curved, X).bars_[0] for X in (None, WEATHER.data[:9]))
    heights = np.array([bar.get_height() for bar in training])
    counts = curved.rule_base_.training.histograms[0]
    np.testing.assert_allclose(heights / heights.max(), counts / counts.max())
    assert [bar.get_height() for bar in some] != heights.tolist()


def test_rules_without_training_data_have_no_bars():
    x = Variable("x", FuzzyPartition([], (0.0, 4.0)), "m")
    rules = with_curves(RuleBase([x], [[[0, 0]]], [[1.0, 0.0]], target_name="cost", target_unit="EUR"), 1)
    display = CurveDisplay.from_estimator(rules)
    assert display.bars_ == []
    assert {"x (m)", "adds to cost (EUR)"} <= set(words_of(display.figure_))
    assert_readable(display.figure_)


def test_a_curve_of_nothing_can_be_drawn():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    flat = with_curves(RuleBase([x], [[[0, 0]]], [[1.0, 0.0]]), 1)
    flat = replace(flat, curves=[replace(flat.curves[0], coefficients=np.zeros((3, 2)))])
    assert_readable(CurveDisplay.from_estimator(flat).figure_)


def test_long_names_are_readable(model):
    assert_readable(CurveDisplay.from_estimator(with_long_names(with_curves(model, 5).rule_base_)).figure_)


def test_without_curves_there_is_nothing_to_draw(model):
    with pytest.raises(ValueError, match=r"These rules have no curves to draw\.$"):
        CurveDisplay.from_estimator(with_curves(model, 0))


def test_an_effect_includes_the_curve(model):
    curved, straight = with_curves(model, 2), with_curves(model, 0)
    display, plain = EffectDisplay.from_estimator(curved, 1), EffectDisplay.from_estimator(straight, 1)
    curve = curved.rule_base_.curves[1]
    typical = model.rule_base_.training.typical
    grid = display.along.grid
    assert set(curve.bends()[0]) <= set(grid)
    added = curve.values(grid) + curved.rule_base_.curves[0].values(typical[:1])
    without = np.interp(grid, plain.along.grid, plain.predictions[0])
    np.testing.assert_allclose(display.predictions[0], without + added, atol=0.01)
    # A jump of the curve is one of the line.
    jump = curve.partition.split_points[1]
    place = int(np.flatnonzero(grid == jump)[0])
    assert grid[place] - grid[place - 1] < 1e-9
    assert abs(display.predictions[0, place] - display.predictions[0, place - 1]) > 0.1


def test_rules_name_their_curves(model):
    names = model.rule_base_.names
    for n_curves, words in (
        (1, f"curve of {names[0]}"),
        (2, f"curve of {names[0]} and of {names[1]}"),
        (4, "4 curves"),
    ):
        display = RuleBaseDisplay.from_estimator(with_curves(model, n_curves))
        note = display.axes_[-1].get_xlabel().replace("\n", "")
        assert f"ontopofeveryrule:{words}".replace(" ", "") in note.replace(" ", "")
        assert_readable(display.figure_)
    assert "curve" not in RuleBaseDisplay.from_estimator(with_curves(model, 0)).axes_[-1].get_xlabel()
