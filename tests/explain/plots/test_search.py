import numpy as np
import pytest

from fruler import load_model
from fruler.explain.plots import (
    FrontDisplay,
    ProgressDisplay,
)

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, words_of


class TestProgress:
    def test_growth(self, model):
        display = ProgressDisplay.from_estimator(model)
        history = model.history_
        np.testing.assert_array_equal(display.line_.get_xdata(), history["evaluations"])
        np.testing.assert_allclose(display.line_.get_ydata(), np.sqrt(2 * history["best_error"]))
        np.testing.assert_array_equal(display.rules_line_.get_ydata(), history["n_rules"])
        (ring,) = (line for line in display.axes_[0].lines if line.get_markersize() > 10)
        assert ring.get_ydata()[0] == display.line_.get_ydata()[model.n_rules_ - 1]
        assert f"chosen: {model.n_rules_} rules" in words_of(display.figure_)
        assert display.axes_[0].get_ylabel() == "training RMSE (°C)"
        assert_readable(display.figure_)

    def test_evolution(self, paper):
        display = ProgressDisplay.from_estimator(paper, measure="fitness")
        np.testing.assert_array_equal(display.line_.get_ydata(), paper.history_["best_fitness"])
        assert display.line_.get_drawstyle() == "steps-post"
        assert not any(word.startswith("chosen") for word in words_of(display.figure_))
        assert_readable(display.figure_)

    def test_one_rule(self, one_rule):
        display = ProgressDisplay.from_estimator(one_rule)
        assert display.line_.get_marker() == "o"
        assert_readable(display.figure_)

    def test_refusals(self, model, tmp_path):
        model.save(tmp_path / "m.json")
        with pytest.raises(ValueError, match=r"no history of its search \(history_\).*fit it again"):
            ProgressDisplay.from_estimator(load_model(tmp_path / "m.json"))
        with pytest.raises(ValueError, match="measure must be one of error, fitness"):
            ProgressDisplay.from_estimator(model, measure="speed")
        with pytest.raises(ValueError, match="no column 'n_rules'"):
            ProgressDisplay(model.history_.drop(columns="n_rules")).plot()


class TestFront:
    def test_both_errors_and_the_choice(self, model):
        display = FrontDisplay.from_estimator(model)
        np.testing.assert_array_equal(display.line_.get_xdata(), model.pareto_["rules"])
        np.testing.assert_allclose(display.line_.get_ydata(), np.sqrt(2 * model.pareto_["error"]))
        np.testing.assert_allclose(display.cv_line_.get_ydata(), np.sqrt(2 * model.pareto_["cv_error"]))
        assert display.chosen_.get_xdata().tolist() == [model.n_rules_]
        assert display.chosen_.get_ydata()[0] == display.cv_line_.get_ydata()[model.n_rules_ - 1]
        assert display.ax_.get_ylabel() == "RMSE (°C)"
        assert_readable(display.figure_)

    def test_without_cross_validation(self, paper):
        display = FrontDisplay.from_estimator(paper)
        assert display.cv_line_ is None
        assert display.chosen_.get_ydata()[0] == display.line_.get_ydata()[-1]
        assert_readable(display.figure_)

    def test_a_loaded_model_has_a_front(self, model, tmp_path):
        model.save(tmp_path / "m.json")
        display = FrontDisplay.from_estimator(load_model(tmp_path / "m.json"))
        np.testing.assert_allclose(display.line_.get_ydata(), np.sqrt(2 * model.pareto_["error"]))

    def test_another_choice_is_marked(self, model):
        assert FrontDisplay.from_estimator(model.with_rules(2)).chosen_.get_xdata().tolist() == [2]

    def test_ticks_are_whole_numbers(self, one_rule, model):
        for fitted in (one_rule, model):
            display = FrontDisplay.from_estimator(fitted)
            ticks = display.ax_.get_xticks()
            np.testing.assert_array_equal(ticks, np.round(ticks))
            low, high = display.ax_.get_xlim()
            assert ((low <= ticks) & (ticks <= high)).sum() >= min(2, len(fitted.pareto_))

    def test_refusals(self, model):
        with pytest.raises(ValueError, match="estimator of rules or its rule base is needed; got a RuleBase"):
            FrontDisplay.from_estimator(model.rule_base_)
        with pytest.raises(ValueError, match="no column 'error'"):
            FrontDisplay(model.pareto_.drop(columns="error")).plot()
