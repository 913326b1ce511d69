"""Effects with the bands of refits."""

import numpy as np
import pandas as pd
import pytest

from fruler import FuzzyRuleRegressor
from fruler.explain.plots import StabilityDisplay

plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import assert_readable  # noqa: E402


@pytest.fixture(scope="module")
def stability():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(["red", "green", "blue"], 200), "x": rng.random(200), "z": rng.random(200)})
    y = np.where(X["x"] < 0.4, 4.0 * X["z"], 6.0 + X["z"]) + (X["kind"] == "red") + 0.1 * rng.standard_normal(200)
    return FuzzyRuleRegressor(random_state=0).fit(X, y).stability(X, y, 4)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_it_draws_what_it_is_given(stability):
    display = StabilityDisplay.from_stability(stability, coverage=0.5)
    names = [effect.curve.feature.name for effect in display.effects_]
    assert sorted(names) == ["kind", "x", "z"]
    display.figure_.canvas.draw()
    assert_readable(display.figure_)
    assert display.axes_[0].get_title(loc="left") == "bands: 50% of 4 refits"
    for effect, line, band in zip(display.effects_, display.lines_, display.bands_, strict=True):
        lower, upper = effect.band(0.5)
        if effect.curve.feature.options:
            order = np.argsort(effect.curve.predictions, kind="stable")
            assert np.array_equal(line.get_ydata(), effect.curve.predictions[order])
            ends = np.array([segment[:, 1] for segment in band.get_segments()])
            assert np.array_equal(ends, np.column_stack([lower[order], upper[order]]))
            ticks = [text.get_text() for text in line.axes.get_xticklabels()]
            assert ticks == [effect.curve.feature.options[k].text for k in order]
        else:
            assert np.array_equal(line.get_ydata(), effect.curve.predictions)
            drawn = band.get_paths()[0].vertices
            assert drawn[:, 1].min() == lower.min()
            assert drawn[:, 1].max() == upper.max()


def test_splits_that_came_back_are_marked(stability):
    display = StabilityDisplay.from_stability(stability)
    panel = display.axes_[[effect.curve.feature.name for effect in display.effects_].index("x")]
    (split,) = [one for one in stability.split_stabilities if one.input == "x"]
    marks = [part for part in panel.collections if part.get_transform() != panel.transData and part.get_paths()]
    places = {segment[0][0] for part in marks if hasattr(part, "get_segments") for segment in part.get_segments()}
    assert places == set(split.places.tolist())


def test_it_draws_where_it_is_told(stability):
    figure, (left, right) = plt.subplots(1, 2, figsize=(22, 5), layout="constrained")
    display = StabilityDisplay.from_stability(stability, max_inputs=2, ax=right)
    assert display.figure_ is figure
    assert len(display.axes_) == 2
    assert not left.lines
    assert "1 input with less effect left out" in display.axes_[0].get_title(loc="left")


def test_wrong_arguments_are_named(stability):
    with pytest.raises(ValueError, match="max_inputs must be 1 or more"):
        StabilityDisplay.from_stability(stability, max_inputs=0)
    with pytest.raises(ValueError, match="coverage must be a share above 0"):
        StabilityDisplay.from_stability(stability, coverage=1.5)
