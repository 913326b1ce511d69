import numpy as np
import pytest
from helpers.triangle_rules import KINDS, mamdani, own_sets, trained

from fruler.explain.plots import EffectDisplay, PartitionDisplay, RuleBaseDisplay
from fruler.rules import TrianglePartition

plt = pytest.importorskip("matplotlib.pyplot")
from helpers.pictures import assert_readable, words_of  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("feature", ["weight", "power", "year", "mpg"])
def test_lines_are_the_memberships_of_inputs_and_output(feature):
    rules = trained(mamdani())
    display = PartitionDisplay.from_estimator(rules, feature)
    partition = rules.target.partition if feature == "mpg" else rules.variables[rules.names.index(feature)].partition
    assert len(display.lines_) == partition.n_labels
    for label, line in enumerate(display.lines_):
        x, y = line.get_data()
        between = np.linspace(x[0], x[-1], 500)
        np.testing.assert_allclose(partition.degrees(between)[:, label], np.interp(between, x, y), atol=1e-9)
    assert set(partition.labels) <= set(words_of(display.figure_))
    assert display.ax_.get_xlabel().startswith(feature)
    assert_readable(display.figure_)


def test_triangles_beyond_the_domain_end_with_it():
    partition = TrianglePartition([(-9.0, 1.0, 30.0), (2.0, 4.0, 99.0)], (0.0, 5.0))
    display = PartitionDisplay(partition, histogram=(np.array([-2.0, 8.0]), np.array([3.0]))).plot()
    for label, line in enumerate(display.lines_):
        x, y = line.get_data()
        between = np.linspace(-2.0, 8.0, 301)
        seen = (between >= x[0]) & (between <= x[-1])
        expected = partition.degrees(between)[:, label]
        np.testing.assert_allclose(np.interp(between[seen], x, y), expected[seen], atol=1e-9)
        assert not expected[~seen].any()


def test_a_label_outside_of_the_domain_is_not_drawn():
    display = PartitionDisplay(TrianglePartition([(0.0, 1.0, 2.0), (7.0, 8.0, 9.0)], (0.0, 5.0))).plot()
    assert len(display.lines_[1].get_xdata()) == 0


def test_sets_of_rules_are_drawn_for_an_input():
    display = PartitionDisplay.from_estimator(own_sets(), "weight")
    assert len(display.lines_) == 3
    listed = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "about 2,800 (2,100 to 3,400)" in listed


@pytest.mark.parametrize("kind", KINDS)
def test_all_rules_at_a_glance(kind):
    rules = trained(KINDS[kind]())
    display = RuleBaseDisplay.from_estimator(rules)
    words = set(words_of(display.figure_))
    if rules.target is None:
        assert sum(len(bars) for bars in display.bars_) == rules.n_coefficients
    else:
        assert {rules.consequents.label(rule) for rule in range(rules.n_rules)} <= words
        assert display.bars_ == []
        assert display.weights_.shape == (rules.n_rules, 0)
    assert_readable(display.figure_)


def test_what_a_rule_says_is_filled():
    rules = mamdani()
    display = RuleBaseDisplay.from_estimator(rules)
    said = display.axes_[-1]
    assert len([area for area in said.collections if area.get_alpha() == 0.35]) == rules.n_rules
    low, high = rules.target.partition.range
    a, _, c = rules.consequents.triangle(1)
    outline = said.collections[1].get_paths()[0].vertices[:, 0]
    assert outline.max() == pytest.approx(0.86 * (c - low) / (high - low))
    assert outline.min() == pytest.approx(0.86 * (a - low) / (high - low))


@pytest.mark.parametrize("kind", ["mamdani", "own sets"])
def test_an_effect_bends_where_sets_do(kind):
    rules = trained(KINDS[kind]())
    display = EffectDisplay.from_estimator(rules, "weight")
    points = rules.antecedents.points[:, 0].ravel()
    assert set(points[np.isfinite(points)]) <= set(display.along.grid)
    rows = np.repeat(rules.training.typical[None], len(display.along.grid), axis=0)
    rows[:, 0] = display.along.grid
    np.testing.assert_allclose(display.line_.get_ydata(), rules.predict(rows))
