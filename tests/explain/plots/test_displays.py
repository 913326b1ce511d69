import builtins
import subprocess
import sys

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.plots import (
    CurveDisplay,
    EffectDisplay,
    EffectsDisplay,
    FrontDisplay,
    ImportanceDisplay,
    PairEffectDisplay,
    PartitionDisplay,
    PredictionDisplay,
    ProgressDisplay,
    RuleBaseDisplay,
    WaterfallDisplay,
)

matplotlib = pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import assert_readable, texts_of, with_curves  # noqa: E402

WEATHER = load_example("weather")


DISPLAYS = {
    "partition": lambda model, ax: PartitionDisplay.from_estimator(model, 0, ax=ax),
    "rules": lambda model, ax: RuleBaseDisplay.from_estimator(model, ax=ax),
    "prediction": lambda model, ax: PredictionDisplay.from_estimator(model, WEATHER.data, WEATHER.target, ax=ax),
    "progress": lambda model, ax: ProgressDisplay.from_estimator(model, ax=ax),
    "front": lambda model, ax: FrontDisplay.from_estimator(model, ax=ax),
    "curves": lambda model, ax: CurveDisplay.from_estimator(with_curves(model), ax=ax),
    "effect": lambda model, ax: EffectDisplay.from_estimator(model, 0, ax=ax),
    "effects": lambda model, ax: EffectsDisplay.from_estimator(model, ax=ax),
    "importance": lambda model, ax: ImportanceDisplay.from_estimator(model, ax=ax),
    "pair": lambda model, ax: PairEffectDisplay.from_estimator(model, (0, 7), ax=ax),
    "waterfall": lambda model, ax: WaterfallDisplay.from_estimator(model, WEATHER.data, ax=ax),
}


@pytest.mark.parametrize("name", DISPLAYS)
class TestEveryDisplay:
    def test_it_draws_where_it_is_told(self, model, name):
        figure, (left, right) = plt.subplots(1, 2, figsize=(22, 5), layout="constrained")
        display = DISPLAYS[name](model, right)
        drawn = display.axes_ if hasattr(display, "axes_") else [display.ax_]
        assert display.figure_ is figure
        assert plt.get_fignums() == [figure.number]
        figure.canvas.draw()
        assert all(axes.get_position().x0 > left.get_position().x1 for axes in drawn)
        assert not left.lines
        assert_readable(figure)

    def test_it_takes_axes_of_any_place(self, model, name):
        figure = plt.figure(figsize=(14, 8))
        display = DISPLAYS[name](model, figure.add_axes((0.1, 0.3, 0.8, 0.6)))
        assert display.figure_ is figure
        drawn = display.axes_ if hasattr(display, "axes_") else [display.ax_]
        for axes in drawn:
            box = axes.get_position()
            assert 0.09 < box.x0 < box.x1 < 0.91
            assert 0.29 < box.y0 < box.y1 < 0.91

    def test_it_can_be_drawn_again(self, model, name):
        display = DISPLAYS[name](model, None)
        first = display.figure_
        assert display.plot() is display
        assert display.figure_ is not first

    def test_texts_are_seen_on_dark(self, model, name):
        with plt.style.context("dark_background"):
            figure = DISPLAYS[name](model, None).figure_
            for text, _ in texts_of(figure):
                assert max(matplotlib.colors.to_rgb(text.get_color())) > 0.5

    def test_a_model_must_be_fitted(self, name):
        with pytest.raises(NotFittedError, match=r"This FuzzyRuleRegressor has no rules to draw yet; call fit\(X, y\)"):
            DISPLAYS[name](FuzzyRuleRegressor(), None)

    def test_other_models_are_refused(self, name):
        other = LinearRegression().fit(WEATHER.data, WEATHER.target)
        with pytest.raises(ValueError, match="estimator of rules or its rule base is needed; got a LinearRegression"):
            DISPLAYS[name](other, None)

    def test_axes_are_axes(self, model, name):
        with pytest.raises(ValueError, match="ax must be matplotlib axes, or None for a new figure; got a Figure"):
            DISPLAYS[name](model, plt.figure())

    def test_without_matplotlib_it_says_how_to_get_it(self, model, name, monkeypatch):
        load = builtins.__import__

        def refuse(module, *args, **options):
            if module.startswith("matplotlib"):
                raise ImportError(module)
            return load(module, *args, **options)

        monkeypatch.setattr(builtins, "__import__", refuse)
        with pytest.raises(ImportError, match=r'plots need matplotlib; run: pip install "matplotlib.* fruler\[plot\]'):
            DISPLAYS[name](model, None)


@pytest.mark.parametrize("display", [PartitionDisplay, EffectDisplay])
@pytest.mark.parametrize("feature", ["sun", 8, -1, True, 0.5])
def test_unknown_inputs_are_refused(model, display, feature):
    with pytest.raises(ValueError, match=r"There is no input .*; the inputs are 0 to 7: max_temperature_before, "):
        display.from_estimator(model, feature)


@pytest.mark.process
def test_matplotlib_is_loaded_on_use():
    code = "import sys, fruler.explain.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_main_colour_is_lighter_on_dark(model):
    light = matplotlib.colors.to_rgb(FrontDisplay.from_estimator(model).line_.get_color())
    with plt.style.context("dark_background"):
        dark = matplotlib.colors.to_rgb(FrontDisplay.from_estimator(model).line_.get_color())
    assert sum(dark) > sum(light) + 0.5
