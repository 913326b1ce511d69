"""The pictures hold what the model says, and their texts can be read."""

import builtins
import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from fruler import FRULERRegressor, FuzzyPartition, MultiGranularityDiscretizer, RuleBase, load_model, paper_settings
from fruler.data import load_example
from fruler.explain.plots import (
    DisplacementDisplay,
    EffectDisplay,
    FrontDisplay,
    GranularitiesDisplay,
    PartitionDisplay,
    PredictionDisplay,
    ProgressDisplay,
    RuleBaseDisplay,
)
from fruler.explain.plots.subjects import signed_effects
from fruler.rules import NominalPartition, Variable

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

LONG = "a_name_of_forty_characters_for_any_input"
WEATHER = load_example("weather")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    fitted = FRULERRegressor(random_state=0).fit(WEATHER.data, WEATHER.target)
    fitted.rule_base_ = fitted.rule_base_.with_units(WEATHER.units)
    return fitted


@pytest.fixture(scope="module")
def one_rule():
    return FRULERRegressor(max_rules=1, random_state=0).fit(WEATHER.data, WEATHER.target)


@pytest.fixture(scope="module")
def paper():
    settings = {**paper_settings(), "max_evaluations": 150, "solver": "coordinate_descent"}
    return FRULERRegressor(**settings, random_state=0).fit(WEATHER.data, WEATHER.target)


@pytest.fixture(scope="module")
def discretizer():
    return MultiGranularityDiscretizer().fit(WEATHER.data, WEATHER.target)


def many_rules(n_rules=12, n_inputs=20, name="input"):
    rng = np.random.default_rng(0)
    variables = [
        Variable(f"{name[: 40 - len(str(j))]}{j}", FuzzyPartition(np.arange(1, 2 + j % 5), (0, 6)), "km/h")
        for j in range(n_inputs)
    ]
    antecedents = np.zeros((n_rules, n_inputs, 2), dtype=int)
    antecedents[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
    for rule in range(n_rules):
        for j in rng.choice(6, 2, replace=False):
            antecedents[rule, j] = rng.integers(variables[j].partition.n_labels)
    consequents = rng.normal(size=(n_rules, n_inputs + 1)) * (rng.random((n_rules, n_inputs + 1)) < 0.6)
    return RuleBase(
        *(variables, antecedents, consequents),
        target_name="yield",
        support=np.full(n_rules, 1 / n_rules),
        target_unit="t",
    )


def with_long_names(rule_base):
    variables = [
        replace(variable, name=f"{LONG[:-2]}{j:02d}", unit="km/h") for j, variable in enumerate(rule_base.variables)
    ]
    return replace(rule_base, variables=variables, target_name=LONG, target_unit="kWh per day")


def texts_of(figure):
    """The texts that are seen, with their places in pixels."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = []
    for axes in figure.axes:
        if axes.axison:
            ticks = [tick for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_major_ticks()]
            of_ticks = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
            texts += [text for text in axes.findobj(matplotlib.text.Text) if id(text) not in of_ticks]
            texts += tick_labels(axes)
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [(text, text.get_window_extent(renderer)) for text in shown]


def tick_labels(axes):
    """The labels of the ticks within the limits; matplotlib keeps others that it does not draw."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        room = 1e-6 * (high - low)
        yield from (tick.label1 for tick in axis.get_major_ticks() if low - room <= tick.get_loc() <= high + room)


def assert_readable(figure):
    """No text is cut at the figure's border, covers another, or is tiny."""
    texts = texts_of(figure)
    assert texts
    for text, box in texts:
        inside = box.x0 > -1 and box.y0 > -1 and box.x1 < figure.bbox.width + 1 and box.y1 < figure.bbox.height + 1
        assert inside, f"{text.get_text()!r} is cut"
        assert text.get_fontsize() >= 8, f"{text.get_text()!r} is tiny"
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        apart = min(a.x1, b.x1) - max(a.x0, b.x0) < 1 or min(a.y1, b.y1) - max(a.y0, b.y0) < 1
        assert apart, f"{one.get_text()!r} covers {other.get_text()!r}"


def words_of(figure):
    return [text.get_text() for text, _ in texts_of(figure)]


class TestPartition:
    def test_lines_are_the_memberships(self, model):
        display = PartitionDisplay.from_estimator(model, "max_temperature_before")
        partition = model.rule_base_.variables[0].partition
        assert len(display.lines_) == partition.n_labels
        for label, line in enumerate(display.lines_):
            x, y = line.get_data()
            np.testing.assert_allclose(partition.degrees(x)[:, label], y, atol=1e-12)
            assert y.max() == 1.0
        assert display.ax_.get_xlabel() == "max_temperature_before (°C)"
        assert set(partition.labels) <= set(words_of(display.figure_))
        assert_readable(display.figure_)

    def test_the_histogram_is_that_of_the_training_rows(self, model):
        display = PartitionDisplay.from_estimator(model, 0)
        heights = np.array([bar.get_height() for bar in display.bars_])
        counts = model.rule_base_.training.histograms[0]
        np.testing.assert_allclose(heights / heights.max(), counts / counts.max())
        assert display.bars_[0].get_x() == model.rule_base_.training.low[0]

    def test_the_histogram_is_that_of_rows_that_are_given(self, model):
        rows = WEATHER.data[WEATHER.data["pressure"] > 1015]
        display = PartitionDisplay.from_estimator(model, "pressure", rows)
        assert display.histogram[1].sum() == len(rows)
        assert display.bars_[0].get_x() == rows["pressure"].min()

    def test_without_training_rows_there_is_no_histogram(self, model):
        display = PartitionDisplay.from_rule_base(replace(model.rule_base_, training=None), 0)
        assert display.bars_ is None
        assert len(display.lines_) == 2

    @pytest.mark.parametrize("n_labels", [5, 9, 12])
    def test_names_without_room_stand_beside(self, n_labels):
        partition = FuzzyPartition(np.arange(1.0, n_labels), (0, 60))
        display = PartitionDisplay(partition, name="x").plot()
        listed = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert listed == list(partition.labels)[::-1]
        assert_readable(display.figure_)

    def test_of_very_many_names_the_ends_are_shown(self):
        partition = FuzzyPartition(np.arange(1.0, 40.0), (0, 40))
        display = PartitionDisplay(partition, name="x").plot()
        listed = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert listed == [partition.labels[-1], "… 38 more", partition.labels[0]]

    def test_categories_are_bars(self):
        colour = Variable("colour", NominalPartition([[0], [1, 2]], ["brown", "red or green"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
        display = PartitionDisplay.from_rule_base(rules, "colour", [[0.0], [0.0], [0.0], [1.0], [2.0]])
        assert [bar.get_height() for bar in display.bars_] == [3.0, 2.0]
        assert {"brown", "red or green"} <= set(words_of(display.figure_))

    def test_a_constant_input(self):
        display = PartitionDisplay(FuzzyPartition([], (3, 3)), name="x").plot()
        assert display.ax_.get_xlim() == (2.5, 3.5)


class TestRuleBase:
    def test_a_bar_for_every_weight(self, model):
        rules = model.rule_base_
        display = RuleBaseDisplay.from_estimator(model)
        effects = signed_effects(rules)
        assert sum(len(bars) for bars in display.bars_) == np.count_nonzero(rules.consequents[:, 1:])
        assert [len(bars) for bars in display.bars_] == np.count_nonzero(effects, axis=1).tolist()
        np.testing.assert_allclose(display.weights_, effects[:, display.inputs_] / np.abs(effects).max())
        for bars, weights in zip(display.bars_, display.weights_, strict=True):
            shown = np.abs(weights[weights != 0.0])
            np.testing.assert_allclose([-bar.get_height() for bar in bars], 0.68 * shown)

    def test_weights_count_by_the_change_over_the_range(self, model):
        training = model.rule_base_.training
        change = model.rule_base_.consequents[0, 1] * (training.high[0] - training.low[0])
        assert signed_effects(model.rule_base_)[0, 0] == pytest.approx(change)

    def test_signs_have_a_colour_and_a_mark(self, model):
        display = RuleBaseDisplay.from_estimator(model)
        marks = {"+": 0, "_": 0}
        for line in display.axes_[-1].lines:
            if line.get_marker() in marks:
                marks[line.get_marker()] += len(line.get_xdata())
        assert marks == {"+": (display.weights_ > 0).sum(), "_": (display.weights_ < 0).sum()}
        colours = {
            (matplotlib.colors.to_hex(bar.get_facecolor()), weight > 0)
            for bars, weights in zip(display.bars_, display.weights_, strict=True)
            for bar, weight in zip(bars, weights[weights != 0.0], strict=True)
        }
        assert len(colours) == 2
        assert len({colour for colour, _ in colours}) == 2

    def test_accepted_labels_are_an_area_and_the_others_nothing(self, model):
        display = RuleBaseDisplay.from_estimator(model)
        rules = model.rule_base_
        left = display.axes_[0]
        areas = [one for one in left.collections if isinstance(one, matplotlib.collections.PolyCollection)]
        assert len(areas) == rules.looks_at.sum()
        said = [text.get_text() for text in left.texts if "(" not in text.get_text()]
        assert [text for text in said if text in ("low", "high")] == [
            label
            for j in rules.antecedent_inputs
            for rule in rules.rules
            if rules.variables[j].name in rule.antecedent
            for label in rule.antecedent[rules.variables[j].name]
        ]

    def test_the_area_is_where_the_labels_are(self):
        x = Variable("x", FuzzyPartition([1.0, 2.0, 3.0], (0.0, 4.0)))
        display = RuleBaseDisplay.from_rule_base(RuleBase([x], [[[1, 2]], [[0, 0]]], [[0.0, 1.0], [1.0, 0.0]]))
        area = display.axes_[0].collections[0].get_paths()[0].vertices
        np.testing.assert_allclose(area[:, 0].min() / 0.86, 0.5 / 4, atol=1e-9)
        np.testing.assert_allclose(area[:, 0].max() / 0.86, 3.5 / 4, atol=1e-9)

    def test_inputs_without_weight_are_left_out(self, model):
        display = RuleBaseDisplay.from_estimator(model)
        assert display.inputs_.tolist() == np.flatnonzero(model.rule_base_.consequents[:, 1:].any(axis=0)).tolist()
        assert "without weight" in display.axes_[-1].get_xlabel()
        assert len(display.axes_[-1].get_xticklabels()) == len(display.inputs_)

    def test_the_largest_weights_are_kept(self):
        rules = many_rules()
        display = RuleBaseDisplay.from_rule_base(rules, max_inputs=5)
        largest = np.argsort(-np.abs(signed_effects(rules)).max(axis=0))[:5]
        assert display.inputs_.tolist() == sorted(largest)
        assert "15 inputs of less weight" in display.axes_[-1].get_xlabel().replace("\n", " ")

    def test_one_rule_has_no_sets(self, one_rule):
        display = RuleBaseDisplay.from_estimator(one_rule)
        assert len(display.axes_) == 1
        assert "Rule 1\n100%" in words_of(display.figure_)
        assert_readable(display.figure_)

    @pytest.mark.parametrize("name", ["input", LONG])
    def test_many_rules_are_readable(self, name):
        display = RuleBaseDisplay.from_rule_base(many_rules(name=name))
        assert sum(len(bars) for bars in display.bars_) == np.count_nonzero(many_rules().consequents[:, 1:])
        assert sum(word.startswith("Rule ") for word in words_of(display.figure_)) == 12
        assert_readable(display.figure_)

    def test_all_rules_of_the_paper_mode_are_readable(self, paper):
        for rule_base in (paper.rule_base_, with_long_names(paper.rule_base_)):
            assert_readable(RuleBaseDisplay.from_rule_base(rule_base).figure_)

    def test_constant_rules(self):
        x = Variable("x", FuzzyPartition([1.0], (0.0, 2.0)))
        display = RuleBaseDisplay.from_rule_base(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]]))
        assert [len(bars) for bars in display.bars_] == [0, 0]
        assert "constant" in display.axes_[-1].get_xlabel()

    def test_categories(self):
        colour = Variable("colour", NominalPartition([[0], [1], [2]], ["brown", "red", "green"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 2]]], [[1.0, 0.0], [2.0, 1.0]])
        display = RuleBaseDisplay.from_rule_base(rules)
        assert {"brown", "red or green"} <= set(words_of(display.figure_))
        assert_readable(display.figure_)


class TestGranularities:
    def test_a_row_a_granularity(self, discretizer):
        display = GranularitiesDisplay.from_estimator(discretizer, "humidity", unit="%")
        j = WEATHER.data.columns.get_loc("humidity")
        assert [len(lines) for lines in display.lines_] == list(range(1, discretizer.granularities_[j] + 1))
        assert display.new_splits_ == [[], *([split] for split in discretizer.nested_splits_[j].found)]
        assert display.ax_.get_xlabel() == "humidity (%)"
        assert_readable(display.figure_)

    def test_rows_stand_below_each_other(self, discretizer):
        display = GranularitiesDisplay.from_estimator(discretizer, "day_of_year", granularities=[2, 3])
        tops = [max(line.get_ydata().max() for line in lines) for lines in display.lines_]
        assert tops[0] > tops[1] + 0.9
        x, y = display.lines_[1][0].get_data()
        np.testing.assert_allclose(discretizer.partition("day_of_year", 3).degrees(x)[:, 0], y / 0.6, atol=1e-9)

    def test_of_very_many_the_finest_is_kept(self):
        x = np.linspace(0, 20, 1500)
        waves = MultiGranularityDiscretizer().fit(x[:, None], np.sin(x))
        display = GranularitiesDisplay.from_estimator(waves, 0)
        assert [len(lines) for lines in display.lines_] == [1, 2, 3, 4, 5, 6, 7, waves.granularities_[0]]
        assert_readable(display.figure_)

    def test_refusals(self, discretizer):
        with pytest.raises(ValueError, match="no input 'sun'; the inputs are 0 to 7: max_temp"):
            GranularitiesDisplay.from_estimator(discretizer, "sun")
        with pytest.raises(NotFittedError):
            GranularitiesDisplay.from_estimator(MultiGranularityDiscretizer(), 0)
        with pytest.raises(ValueError, match="MultiGranularityDiscretizer is needed; got a LinearRegression"):
            GranularitiesDisplay.from_estimator(LinearRegression(), 0)
        with pytest.raises(ValueError, match="granularities 1 to"):
            GranularitiesDisplay.from_estimator(discretizer, 0, granularities=[99])


class TestDisplacement:
    partition = FuzzyPartition([8, 14, 22, 25], (0, 40))
    displacements = (-0.3, 0.4, 0.1, 0.45)

    def test_before_and_after(self):
        display = DisplacementDisplay.from_partition(self.partition, self.displacements, name="t", unit="°C")
        moved = self.partition.displaced(self.displacements)
        assert display.displaced_ == moved
        for lines, partition in ((display.before_, self.partition), (display.after_, moved)):
            for label, line in enumerate(lines):
                x, y = line.get_data()
                np.testing.assert_allclose(partition.degrees(x)[:, label], y, atol=1e-9)
        assert display.before_[0].get_linestyle() != display.after_[0].get_linestyle()
        assert {"−0.3", "+0.4", "+0.1", "+0.45"} <= set(words_of(display.figure_))
        assert_readable(display.figure_)

    def test_ranges_reach_half_of_the_gaps(self):
        display = DisplacementDisplay.from_partition(self.partition, self.displacements)
        assert display.limits_.tolist() == [[4, 11], [11, 18], [18, 23.5], [23.5, 32.5]]
        drawn = [line.get_xdata() for line in display.ax_.lines if line.get_marker() == "|"]
        np.testing.assert_allclose(drawn, display.limits_)
        for (low, high), split in zip(display.limits_, display.displaced_.split_points, strict=True):
            assert low <= split <= high

    def test_crowded_splits(self):
        display = DisplacementDisplay.from_partition(FuzzyPartition(np.arange(1, 9), (0, 40)), [0.2] * 8)
        assert {"extremely low", "extremely high", "displacement"} <= set(words_of(display.figure_))
        assert_readable(display.figure_)

    def test_refusals(self):
        with pytest.raises(ValueError, match="with split points"):
            DisplacementDisplay.from_partition(FuzzyPartition([], (0, 1)), [])
        with pytest.raises(ValueError, match="4 displacements are needed"):
            DisplacementDisplay.from_partition(self.partition, [0.1])


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
        display = PredictionDisplay.from_rule_base(
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
            assert_readable(PredictionDisplay.from_rule_base(rules, X, WEATHER.target, kind=kind).figure_)

    def test_refusals(self):
        with pytest.raises(ValueError, match="3 observed and 2 predicted"):
            PredictionDisplay([1, 2, 3], [1, 2]).plot()
        with pytest.raises(ValueError, match="must be finite"):
            PredictionDisplay([1, np.nan], [1, 2]).plot()
        with pytest.raises(ValueError, match="kind must be one of actual_vs_predicted, residual"):
            PredictionDisplay([1, 2], [1, 2]).plot(kind="both")


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
        with pytest.raises(ValueError, match="FRULERRegressor or its rule base is needed; got a RuleBase"):
            FrontDisplay.from_estimator(model.rule_base_)
        with pytest.raises(ValueError, match="no column 'error'"):
            FrontDisplay(model.pareto_.drop(columns="error")).plot()


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
        assert len(strip.lines) == 2
        assert len(strip.patches) == 24
        assert len(EffectDisplay.from_estimator(one_rule, 0).axes_[1].lines) == 0

    def test_categories_are_points(self):
        colour = Variable("colour", NominalPartition([[0], [1]], ["brown", "red"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [5.0, 0.0]])
        display = EffectDisplay.from_rule_base(rules, 0, [[0.0], [1.0], [1.0]])
        assert display.line_.get_ydata().tolist() == [1.0, 5.0]
        assert display.line_.get_linestyle() == "None"
        assert [bar.get_height() for bar in display.axes_[1].patches] == [1.0, 2.0]
        assert {"brown", "red"} <= set(words_of(display.figure_))

    def test_long_names_are_readable(self, model, paper):
        for fitted in (model, paper):
            for j in range(len(WEATHER.data.columns)):
                display = EffectDisplay.from_rule_base(with_long_names(fitted.rule_base_), j)
                assert_readable(display.figure_)
                plt.close(display.figure_)

    def test_without_typical_values_rows_are_needed(self, model):
        with pytest.raises(ValueError, match="give rows X, or use"):
            EffectDisplay.from_rule_base(replace(model.rule_base_, training=None), 0)


DISPLAYS = {
    "partition": lambda model, ax: PartitionDisplay.from_estimator(model, 0, ax=ax),
    "rules": lambda model, ax: RuleBaseDisplay.from_estimator(model, ax=ax),
    "prediction": lambda model, ax: PredictionDisplay.from_estimator(model, WEATHER.data, WEATHER.target, ax=ax),
    "progress": lambda model, ax: ProgressDisplay.from_estimator(model, ax=ax),
    "front": lambda model, ax: FrontDisplay.from_estimator(model, ax=ax),
    "effect": lambda model, ax: EffectDisplay.from_estimator(model, 0, ax=ax),
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
        with pytest.raises(NotFittedError, match=r"This FRULERRegressor has no rules to draw yet; call fit\(X, y\)"):
            DISPLAYS[name](FRULERRegressor(), None)

    def test_other_models_are_refused(self, name):
        other = LinearRegression().fit(WEATHER.data, WEATHER.target)
        with pytest.raises(ValueError, match="FRULERRegressor or its rule base is needed; got a LinearRegression"):
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
        with pytest.raises(ImportError, match=r'plots need matplotlib; run: pip install "fruler\[plot\]"'):
            DISPLAYS[name](model, None)


@pytest.mark.parametrize("display", [PartitionDisplay, EffectDisplay])
@pytest.mark.parametrize("feature", ["sun", 8, -1, True, 0.5])
def test_unknown_inputs_are_refused(model, display, feature):
    with pytest.raises(ValueError, match=r"There is no input .*; the inputs are 0 to 7: max_temperature_before, "):
        display.from_estimator(model, feature)


def test_matplotlib_is_loaded_on_use():
    code = "import sys, fruler.explain.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
