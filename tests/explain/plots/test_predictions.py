from dataclasses import replace

import numpy as np
import pytest

from fruler import RuleBase
from fruler.data import load_example
from fruler.explain.plots import (
    EffectDisplay,
    PredictionDisplay,
)
from fruler.rules import NominalPartition, Variable

pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import assert_readable, texts_of, with_long_names, words_of  # noqa: E402

WEATHER = load_example("weather")


class TestPrediction:
    def test_points_and_figures(self, model):
        display = PredictionDisplay.from_estimator(model, WEATHER.data, WEATHER.target)
        points = np.asarray(display.scatter_.get_offsets())
        predicted = model.predict(WEATHER.data)
        order = np.argsort(predicted, kind="stable")
        np.testing.assert_allclose(points, np.column_stack([predicted, WEATHER.target])[order])
        assert display.r2_ == pytest.approx(model.score(WEATHER.data, WEATHER.target))
        assert f"R² {display.r2_:.3g}\nRMSE {display.rmse_:.3g} °C" in words_of(display.figure_)
        assert display.ax_.get_xlabel() == "predicted mean_temperature (°C)"
        assert_readable(display.figure_)

    def test_residuals(self, model):
        display = PredictionDisplay.from_estimator(
            model.rule_base_, WEATHER.data, WEATHER.target, kind="residual_vs_predicted"
        )
        points = np.asarray(display.scatter_.get_offsets())
        errors = (WEATHER.target - model.predict(WEATHER.data)).to_numpy()
        np.testing.assert_allclose(np.sort(points[:, 1]), np.sort(errors))
        assert display.rmse_ == pytest.approx(np.sqrt(np.square(errors).mean()))
        assert set(display.line_.get_ydata()) == {0}
        assert "observed − predicted" in display.ax_.get_ylabel()

    @pytest.mark.parametrize("kind", ["actual_vs_predicted", "residual_vs_predicted"])
    def test_the_figures_cover_no_point(self, kind):
        rng = np.random.default_rng(0)
        predicted = rng.uniform(size=400)
        display = PredictionDisplay.from_predictions(predicted + rng.normal(size=400), predicted, kind=kind)
        (corner,) = (box for text, box in texts_of(display.figure_) if text.get_text().startswith("R²"))
        points = display.ax_.transData.transform(np.asarray(display.scatter_.get_offsets()))
        assert not any(corner.contains(x, y) for x, y in points)

    def test_of_many_rows_some_are_drawn(self):
        y = np.linspace(0, 1, 10_000)
        display = PredictionDisplay.from_predictions(y, y)
        assert len(display.scatter_.get_offsets()) == 2_000
        assert display.r2_ == 1.0

    def test_long_names_are_readable(self, model):
        rules = with_long_names(model.rule_base_)
        for kind in ("actual_vs_predicted", "residual_vs_predicted"):
            X = WEATHER.data.to_numpy()
            assert_readable(PredictionDisplay.from_estimator(rules, X, WEATHER.target, kind=kind).figure_)

    def test_refusals(self):
        with pytest.raises(ValueError, match="3 observed and 2 predicted"):
            PredictionDisplay([1, 2, 3], [1, 2]).plot()
        with pytest.raises(ValueError, match="must be finite"):
            PredictionDisplay([1, np.nan], [1, 2]).plot()
        with pytest.raises(ValueError, match="kind must be one of actual_vs_predicted, residual"):
            PredictionDisplay([1, 2], [1, 2]).plot(kind="both")


class TestEffect:
    def test_others_stay_typical(self, model):
        display = EffectDisplay.from_estimator(model, "pressure")
        x, y = display.line_.get_data()
        rows = np.tile(model.rule_base_.training.typical, (len(x), 1))
        rows[:, WEATHER.data.columns.get_loc("pressure")] = x
        np.testing.assert_allclose(y, model.rule_base_.predict(rows))
        assert (x[0], x[-1]) == (WEATHER.data["pressure"].min(), WEATHER.data["pressure"].max())
        assert display.axes_[-1].get_xlabel() == "pressure (hPa)"
        assert "other inputs at their typical values" in words_of(display.figure_)
        assert_readable(display.figure_)

    def test_the_mean_over_rows(self, model):
        rows = WEATHER.data[:80]
        display = EffectDisplay.from_estimator(model, "dew_point", rows, individual=True)
        x, y = display.line_.get_data()
        at = rows.assign(dew_point=x[40])
        assert y[40] == pytest.approx(model.predict(at).mean())
        assert len(display.rows_) == 50
        assert display.rows_[0].get_ydata()[40] == pytest.approx(model.predict(at)[0])
        assert display.rows_[-1].get_ydata()[40] == pytest.approx(model.predict(at)[-1])
        assert "mean over 80 rows" in words_of(display.figure_)

    def test_lines_of_rows_are_asked_for(self, model):
        assert EffectDisplay.from_estimator(model, 0, WEATHER.data[:80]).rows_ == []

    def test_the_line_bends_where_labels_do(self, model):
        display = EffectDisplay.from_estimator(model, "max_temperature_before")
        partition = model.rule_base_.variables[0].partition
        bends = np.array(partition.split_points) + partition.half_widths
        assert set(bends) <= set(display.line_.get_xdata())

    def test_the_strip_has_sets_and_histogram(self, model, one_rule):
        strip = EffectDisplay.from_estimator(model, 0).axes_[1]
        assert len(strip.lines) == model.rule_base_.variables[0].partition.n_labels
        assert len(strip.patches) == 24
        assert len(EffectDisplay.from_estimator(one_rule, 0).axes_[1].lines) == 0

    def test_categories_are_points(self):
        colour = Variable("colour", NominalPartition([[0], [1]], ["brown", "red"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [5.0, 0.0]])
        display = EffectDisplay.from_estimator(rules, 0, [[0.0], [1.0], [1.0]])
        assert display.line_.get_ydata().tolist() == [1.0, 5.0]
        assert display.line_.get_linestyle() == "None"
        assert [bar.get_height() for bar in display.axes_[1].patches] == [1.0, 2.0]
        assert {"brown", "red"} <= set(words_of(display.figure_))

    def test_long_names_are_readable(self, model, paper):
        for fitted in (model, paper):
            for j in range(len(WEATHER.data.columns)):
                display = EffectDisplay.from_estimator(with_long_names(fitted.rule_base_), j)
                assert_readable(display.figure_)
                plt.close(display.figure_)

    def test_without_typical_values_rows_are_needed(self, model):
        with pytest.raises(ValueError, match="give rows X, or use"):
            EffectDisplay.from_estimator(replace(model.rule_base_, training=None), 0)
