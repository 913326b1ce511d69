from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from fruler import FuzzyPartition, MultiGranularityDiscretizer, RuleBase
from fruler.data import load_example
from fruler.explain.plots import (
    DisplacementDisplay,
    GranularitiesDisplay,
    PartitionDisplay,
)
from fruler.rules import NominalPartition, Variable

pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import LONG, assert_readable, words_of  # noqa: E402

WEATHER = load_example("weather")


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
        display = PartitionDisplay.from_estimator(replace(model.rule_base_, training=None), 0)
        assert display.bars_ is None
        assert len(display.lines_) == model.rule_base_.variables[0].partition.n_labels

    @pytest.mark.parametrize("n_labels", [5, 9, 12])
    def test_names_without_room_stand_beside(self, n_labels):
        partition = FuzzyPartition(np.arange(1.0, n_labels), (0, 60))
        display = PartitionDisplay(partition, name="x").plot()
        listed = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert listed == list(partition.labels)[::-1]
        assert_readable(display.figure_)

    def test_a_name_wider_than_the_axes_stands_beside(self):
        figure, ax = plt.subplots(figsize=(9, 3), width_ratios=[1, 4], ncols=2, layout="constrained")
        display = PartitionDisplay(FuzzyPartition([], (0, 1), labels=[LONG]), name="x").plot(ax[0])
        assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [LONG]
        assert_readable(figure)

    def test_of_very_many_names_the_ends_are_shown(self):
        partition = FuzzyPartition(np.arange(1.0, 40.0), (0, 40))
        display = PartitionDisplay(partition, name="x").plot()
        listed = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert listed == [partition.labels[-1], "… 38 more", partition.labels[0]]

    def test_categories_are_bars(self):
        colour = Variable("colour", NominalPartition([[0], [1, 2]], ["brown", "red or green"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
        display = PartitionDisplay.from_estimator(rules, "colour", [[0.0], [0.0], [0.0], [1.0], [2.0]])
        assert [bar.get_height() for bar in display.bars_] == [3.0, 2.0]
        assert {"brown", "red or green"} <= set(words_of(display.figure_))

    def test_a_constant_input(self):
        display = PartitionDisplay(FuzzyPartition([], (3, 3)), name="x").plot()
        assert display.ax_.get_xlim() == (2.5, 3.5)


class TestGranularities:
    def test_a_row_a_granularity(self, discretizer):
        display = GranularitiesDisplay.from_estimator(discretizer, "day_of_year", granularities=[1, 2, 3, 4], unit="d")
        found = discretizer.nested_splits_[WEATHER.data.columns.get_loc("day_of_year")].found
        assert [len(lines) for lines in display.lines_] == [1, 2, 3, 4]
        assert display.new_splits_ == [[], *([split] for split in found[:3])]
        assert display.ax_.get_xlabel() == "day_of_year (d)"
        assert_readable(display.figure_)

    def test_all_granularities_are_drawn_by_default(self, discretizer):
        display = GranularitiesDisplay.from_estimator(discretizer, "humidity")
        largest = discretizer.granularities_[WEATHER.data.columns.get_loc("humidity")]
        assert [len(lines) for lines in display.lines_] == list(range(1, largest + 1))

    def test_rows_stand_below_each_other(self, discretizer):
        display = GranularitiesDisplay.from_estimator(discretizer, "day_of_year", granularities=[2, 3])
        tops = [max(line.get_ydata().max() for line in lines) for lines in display.lines_]
        assert tops[0] > tops[1] + 0.9
        x, y = display.lines_[1][0].get_data()
        np.testing.assert_allclose(discretizer.partition("day_of_year", 3).degrees(x)[:, 0], y / 0.6, atol=1e-9)

    def test_of_very_many_the_finest_is_kept(self):
        x = np.linspace(0, 20, 1500)
        waves = MultiGranularityDiscretizer(splits="gain").fit(x[:, None], np.sin(x))
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
