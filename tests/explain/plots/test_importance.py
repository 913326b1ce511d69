import numpy as np
import pytest
from helpers.dated_rules import dated_rules, dated_table

from fruler.data import load_example
from fruler.explain.importance import input_importance
from fruler.explain.plots import ImportanceDisplay
from fruler.rules import FuzzyPartition, RuleBase, Variable

pytest.importorskip("matplotlib")
from helpers.pictures import assert_readable, with_long_names, words_of

WEATHER = load_example("weather")
RULES, TABLE = dated_rules(), dated_table()


def names_of(display):
    return [label.get_text().replace("\n", "") for label in display.ax_.get_yticklabels()]


def test_the_most_important_input_is_topmost_and_longest(model):
    display = ImportanceDisplay.from_estimator(model)
    expected = input_importance(model.rule_base_)
    expected = expected[expected["moves"] > 0.0]
    assert names_of(display) == expected["input"].tolist()
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], expected["moves"])
    assert [bar.get_y() for bar in display.bars_] == sorted(bar.get_y() for bar in display.bars_)
    top, bottom = display.ax_.get_ylim()
    assert top > bottom
    assert any(word.endswith(f"({expected['share'].iloc[0]:.0%})") for word in words_of(display.figure_))


def test_rows_can_be_given_and_shares_sum_to_one(model):
    training, rows = (ImportanceDisplay.from_estimator(model, X) for X in (None, WEATHER.data))
    np.testing.assert_allclose(training.importance["moves"], rows.importance["moves"], rtol=1e-9)
    summer = ImportanceDisplay.from_estimator(model, WEATHER.data[180:200])
    assert abs(summer.importance["moves"] - rows.importance["moves"]).max() > 0.1
    assert summer.importance["share"].sum() == pytest.approx(1.0)


def test_categories_of_a_column_are_one_bar():
    display = ImportanceDisplay.from_estimator(RULES, TABLE)
    why = RULES.explain(TABLE)
    fuel = [RULES.names.index(name) for name in ("fuel=gas", "fuel=oil")]
    moves = dict(zip(display.importance["input"], display.importance["moves"], strict=True))
    assert moves["fuel"] == pytest.approx(np.abs(why.contributions[:, fuel].sum(axis=1)).mean())
    assert not any("=" in name for name in names_of(display))
    training = ImportanceDisplay.from_estimator(RULES).importance.set_index("input")["moves"]
    assert training["fuel"] == pytest.approx(RULES.training.input_importance[fuel].sum())
    assert_readable(display.figure_)


def test_few_bars_are_told(model):
    display = ImportanceDisplay.from_estimator(model, max_inputs=2)
    assert len(display.bars_) == 2
    assert "inputs of less importance left out" in display.ax_.get_xlabel().replace("\n", " ")
    with pytest.raises(ValueError, match="max_inputs must be 1 or more, or None for all; got 0"):
        ImportanceDisplay.from_estimator(model, max_inputs=0)


def test_long_names_and_rules_that_say_one_number(model):
    assert_readable(ImportanceDisplay.from_estimator(with_long_names(model.rule_base_)).figure_)
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    flat = RuleBase([x], [[[0, 0]]], [[5.0, 0.0]])
    display = ImportanceDisplay.from_estimator(flat.with_training([[0.0], [1.0]], [5.0, 5.0]))
    assert len(display.bars_) == 0
    assert_readable(display.figure_)
    with pytest.raises(ValueError, match="with_training"):
        ImportanceDisplay.from_estimator(flat)
