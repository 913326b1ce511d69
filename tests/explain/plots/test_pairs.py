import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table

from fruler._table.sources import LevelSource
from fruler.data import load_example
from fruler.explain.plots import PairEffectDisplay
from fruler.rules import FuzzyPartition, RuleBase, Variable

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, with_long_names

WEATHER = load_example("weather")
RULES, TABLE = dated_rules(), dated_table()


def crossing_rules():
    """Two rules: where b is low the output rises with a, where it is high it falls; c adds to both."""
    a = Variable("a", FuzzyPartition([], (0.0, 1.0)), "m")
    b = Variable("b", FuzzyPartition([5.0], (0.0, 10.0)), "s")
    c = Variable("c", FuzzyPartition([], (0.0, 1.0)))
    antecedents = [[[0, 0], [0, 0], [0, 0]], [[0, 0], [1, 1], [0, 0]]]
    rules = RuleBase([a, b, c], antecedents, [[0.0, 1.0, 0.0, 2.0], [3.0, -3.0, 0.0, 2.0]], target_unit="kg")
    X = np.random.default_rng(0).uniform(size=(200, 3)) * [1.0, 10.0, 1.0]
    return rules.with_training(X, rules.predict(X))


def legend_of(display):
    legend = display.ax_.get_legend()
    return legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]


def test_a_line_is_the_prediction_at_a_value_of_the_second_input():
    rules = crossing_rules()
    display = PairEffectDisplay.from_estimator(rules, ("a", "b"))
    low, high = display.lines_
    typical = rules.training.typical
    for line, value in zip(display.lines_, display.second.grid, strict=True):
        for x, y in line.get_xydata()[::20]:
            assert y == pytest.approx(rules.predict([[x, value, typical[2]]])[0])
    assert (np.diff(low.get_ydata()) > 0.0).all()
    assert (np.diff(high.get_ydata()) < 0.0).all()
    title, names = legend_of(display)
    assert title == "b"
    # The line that ends topmost is named first.
    assert [name.split(" (")[0] for name in names] == ["low", "high"]
    assert names[0].endswith(" s)")
    assert low.get_ydata()[-1] > high.get_ydata()[-1]


def test_the_interaction_is_what_goes_beyond_the_sum():
    rules = crossing_rules()
    crossing = PairEffectDisplay.from_estimator(rules, ("a", "b"))
    f = crossing.predictions
    expected = f - f.mean(axis=0) - f.mean(axis=1, keepdims=True) + f.mean()
    np.testing.assert_allclose(crossing.interaction_, expected)
    note = crossing.ax_.get_title(loc="left").replace("\n", " ")
    assert "more or less than the sum of both effects" in note
    assert " kg more" in note
    parallel = PairEffectDisplay.from_estimator(rules, ("a", "c"))
    assert np.abs(parallel.interaction_).max() < 1e-12
    assert "simply add up" in parallel.ax_.get_title(loc="left")


def test_an_input_without_labels_has_lines_where_the_rows_are(model):
    display = PairEffectDisplay.from_estimator(model, ("max_temperature_before", "pressure"), WEATHER.data)
    quantiles = WEATHER.data["pressure"].quantile([0.1, 0.5, 0.9])
    np.testing.assert_allclose(display.second.grid, quantiles, atol=np.ptp(WEATHER.data["pressure"]) / 24.0)
    assert all(name.endswith("hPa") for name in legend_of(display)[1])


def test_lines_are_faint_where_no_row_is(model):
    pair = ("day_of_year", "max_temperature_before")
    display = PairEffectDisplay.from_estimator(model, pair, WEATHER.data)
    place = int(np.argmax(display.second.grid))
    near = np.abs(WEATHER.data["max_temperature_before"].to_numpy()[:, None] - display.second.grid).argmin(axis=1)
    days = WEATHER.data["day_of_year"][near == place]
    grid = display.first.grid
    np.testing.assert_array_equal(display.covered[place], (days.min() <= grid) & (grid <= days.max()))
    assert not display.covered[place].all()
    assert display.lines_[place].get_alpha() < 0.5
    assert PairEffectDisplay.from_estimator(model, pair).lines_[place].get_alpha() == 1.0


def test_categories_are_points_or_lines():
    display = PairEffectDisplay.from_estimator(RULES, ("origin", "fuel"), TABLE)
    names = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert sorted(names) == ["europe", "japan", "usa"]
    assert sorted(legend_of(display)[1]) == ["gas", "oil", "sun"]
    rows = TABLE[::4]
    for fuel, line in zip(display.second.names, display.lines_, strict=True):
        for name, y in zip(names, line.get_ydata(), strict=True):
            expected = RULES.predict(rows.assign(origin=name, fuel=fuel)).mean()
            assert y == pytest.approx(expected)
    assert_readable(display.figure_)


def test_of_many_categories_the_ends_are_drawn():
    display = PairEffectDisplay.from_estimator(RULES, ("size", "weekday"))
    assert len(display.lines_) == 6
    assert "Sunday" in legend_of(display)[1]
    assert "1 category between left out" in display.ax_.get_title(loc="left").replace("\n", " ")
    names = [f"kind {k}" for k in range(12)]
    kind = Variable("kind", FuzzyPartition([], (0.0, 11.0)), source=LevelSource("kind", names, range(12)))
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    rules = RuleBase([x, kind], [[[0, 0], [0, 0]]], [[0.0, 1.0, -1.0]])
    X = np.random.default_rng(0).uniform(size=(100, 2)).round() * [1.0, 11.0]
    display = PairEffectDisplay.from_estimator(rules.with_training(X, rules.predict(X)), ("x", "kind"))
    assert legend_of(display)[1] == [f"kind {k}" for k in (0, 1, 2, 9, 10, 11)]


@pytest.mark.parametrize("pair", [("day of year", "hour"), ("weekday", "size"), ("sold", "size is missing")])
def test_dates_and_gaps_are_readable(pair):
    assert_readable(PairEffectDisplay.from_estimator(RULES, pair, TABLE).figure_)


def test_long_names_are_readable(model):
    assert_readable(PairEffectDisplay.from_estimator(with_long_names(model.rule_base_), (0, 7)).figure_)


@pytest.mark.parametrize("features", ["ab", ["a"], ["a", "b", "c"]])
def test_a_pair_is_two_inputs(features):
    with pytest.raises(ValueError, match="features must be two inputs, by their names or their numbers; got"):
        PairEffectDisplay.from_estimator(crossing_rules(), features)


def test_a_pair_is_two_different_known_inputs():
    with pytest.raises(ValueError, match="features must be two different inputs; got 'a' and 0"):
        PairEffectDisplay.from_estimator(crossing_rules(), ("a", 0))
    with pytest.raises(ValueError, match="There is no input 'z'"):
        PairEffectDisplay.from_estimator(crossing_rules(), ("a", "z"))
