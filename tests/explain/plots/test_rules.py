import numpy as np
import pytest

from fruler import FuzzyPartition, RuleBase
from fruler.explain._conditions import accepted_labels
from fruler.explain._effects import signed_effects
from fruler.explain.plots import RuleBaseDisplay
from fruler.rules import NominalPartition, Variable

matplotlib = pytest.importorskip("matplotlib")
from helpers.pictures import LONG, assert_readable, with_long_names, words_of  # noqa: E402


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


class TestRuleBase:
    def test_a_bar_for_every_weight(self, model):
        rules = model.rule_base_
        display = RuleBaseDisplay.from_estimator(model)
        effects = signed_effects(rules)
        assert sum(len(bars) for bars in display.bars_) == rules.n_coefficients
        assert [len(bars) for bars in display.bars_] == np.count_nonzero(effects, axis=1).tolist()
        np.testing.assert_allclose(display.weights_, effects[:, display.inputs_] / np.abs(effects).max())
        for bars, weights in zip(display.bars_, display.weights_, strict=True):
            # The y axis points down: what falls has a positive height there.
            heights = np.array([-bar.get_height() for bar in bars])
            np.testing.assert_allclose(heights / heights[0], weights[weights != 0.0] / weights[weights != 0.0][0])
            assert (np.sign(heights) == np.sign(weights[weights != 0.0])).all()

    def test_what_falls_points_down_inside_its_own_row(self):
        x, z = (Variable(name, FuzzyPartition([1.0], (0.0, 2.0))) for name in "xz")
        both = [[0, 1], [0, 1]]
        display = RuleBaseDisplay.from_estimator(RuleBase([x, z], [both, both], [[0.0, 1.0, -2.0], [0.0, -1.0, 0.5]]))
        (rises, falls), (down, up) = ([bar.get_height() for bar in bars] for bars in display.bars_)
        assert rises < 0.0 < falls
        assert up < 0.0 < down
        assert falls == pytest.approx(-2.0 * rises)
        for rule, bars in enumerate(display.bars_):
            ends = [y for bar in bars for y in (bar.get_y(), bar.get_y() + bar.get_height())]
            assert rule < min(ends) < max(ends) < rule + 1
        for line in display.axes_[-1].lines:
            if line.get_marker() in ("+", "_"):
                assert len({int(y) for y in line.get_ydata()}) <= 1

    def test_weights_count_by_the_change_where_the_rule_applies(self, model):
        training = model.rule_base_.training
        change = model.rule_base_.consequents.coefficients[0, 1] * 2.0 * training.spreads[0, 0]
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
        words = [
            accepted_labels(rules.variables[j].partition, *rules.antecedents.accepted(rule, j))
            for j in rules.antecedent_inputs
            for rule in range(rules.n_rules)
            if rules.looks_at[rule, j]
        ]
        assert [text for text in said if text in words] == words

    def test_the_area_is_where_the_labels_are(self):
        x = Variable("x", FuzzyPartition([1.0, 2.0, 3.0], (0.0, 4.0)))
        display = RuleBaseDisplay.from_estimator(RuleBase([x], [[[1, 2]], [[0, 0]]], [[0.0, 1.0], [1.0, 0.0]]))
        area = display.axes_[0].collections[0].get_paths()[0].vertices
        np.testing.assert_allclose(area[:, 0].min() / 0.86, 0.5 / 4, atol=1e-9)
        np.testing.assert_allclose(area[:, 0].max() / 0.86, 3.5 / 4, atol=1e-9)

    def test_inputs_without_weight_are_left_out(self, model):
        display = RuleBaseDisplay.from_estimator(model)
        assert display.inputs_.tolist() == np.flatnonzero(model.rule_base_.consequents.slopes.any(axis=0)).tolist()
        assert "without weight" in display.axes_[-1].get_xlabel()
        assert len(display.axes_[-1].get_xticklabels()) == len(display.inputs_)

    def test_the_largest_weights_are_kept(self):
        rules = many_rules()
        display = RuleBaseDisplay.from_estimator(rules, max_inputs=5)
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
        display = RuleBaseDisplay.from_estimator(many_rules(name=name))
        assert sum(len(bars) for bars in display.bars_) == many_rules().n_coefficients
        assert sum(word.startswith("Rule ") for word in words_of(display.figure_)) == 12
        assert_readable(display.figure_)

    def test_all_rules_of_the_paper_mode_are_readable(self, paper):
        for rule_base in (paper.rule_base_, with_long_names(paper.rule_base_)):
            assert_readable(RuleBaseDisplay.from_estimator(rule_base).figure_)

    def test_constant_rules(self):
        x = Variable("x", FuzzyPartition([1.0], (0.0, 2.0)))
        display = RuleBaseDisplay.from_estimator(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]]))
        assert [len(bars) for bars in display.bars_] == [0, 0]
        assert "constant" in display.axes_[-1].get_xlabel()

    def test_categories(self):
        colour = Variable("colour", NominalPartition([[0], [1], [2]], ["brown", "red", "green"]))
        rules = RuleBase([colour], [[[0, 0]], [[1, 2]]], [[1.0, 0.0], [2.0, 1.0]])
        display = RuleBaseDisplay.from_estimator(rules)
        assert {"brown", "red or green"} <= set(words_of(display.figure_))
        assert_readable(display.figure_)


def twenty_rules():
    """Twenty rules over ten inputs, each with three conditions."""
    rng = np.random.default_rng(0)
    splits = [np.sort(rng.uniform(5.0, 95.0, rng.integers(1, 4))) for _ in range(10)]
    variables = [Variable(f"input {j}", FuzzyPartition(own, (0.0, 100.0))) for j, own in enumerate(splits)]
    antecedents = np.zeros((20, 10, 2), dtype=int)
    antecedents[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
    for own in antecedents:
        for j in rng.choice(10, 3, replace=False):
            own[j] = rng.integers(variables[j].partition.n_labels)
    rules = RuleBase(variables, antecedents, rng.normal(size=(20, 11)), target_name="yield")
    X = rng.uniform(0.0, 100.0, (300, 10))
    return rules.with_training(X, rules.predict(X))


@pytest.mark.parametrize("named", [lambda rules: rules, with_long_names])
def test_twenty_rules_over_ten_inputs_fit_on_a_page(named):
    display = RuleBaseDisplay.from_estimator(named(twenty_rules()))
    assert_readable(display.figure_)
    width, height = display.figure_.get_size_inches()
    assert width < 15.0
    assert height < 17.0
    for bars, weights in zip(display.bars_, display.weights_, strict=True):
        # The y axis points down, and so do the bars of what falls.
        for bar, weight in zip(bars, weights[weights != 0.0], strict=True):
            assert np.sign(bar.get_height()) == -np.sign(weight)
