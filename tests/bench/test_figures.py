import pandas as pd
import pytest
from helpers.runs import make_line, write_lines

from fruler.bench._measurements import read_measurements
from fruler.bench._methods import own_systems, title_of
from fruler.bench._peers import PEERS
from fruler.bench.paper import PAPER_SYSTEMS

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.text import Text

from fruler.bench import _figures as figures
from fruler.bench._figures import draw_pictures, draw_ranks, look_of, place_labels

METHODS = ("growth", "fruler", "cubist", "ebm")
SETS = ("dee", "stock", "wankara")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    lines = [make_line(method, name) for method in METHODS for name in SETS]
    return read_measurements(write_lines(tmp_path_factory.mktemp("bench") / "runs.jsonl", lines))


@pytest.fixture(scope="module")
def drawn(measured):
    return {picture.name: picture for picture in draw_pictures(measured)}


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def test_every_picture_is_drawn_in_both_formats(drawn):
    assert list(drawn) == ["ranks_error", "ranks_rules", "error_rules", "error_rules_sets", "time_rows"]
    for picture in drawn.values():
        assert picture.files["png"].startswith(b"\x89PNG")
        assert b"<svg" in picture.files["svg"]
        assert picture.title
        assert picture.caption


def test_the_same_runs_give_the_same_pictures(drawn, measured):
    assert draw_pictures(measured)[0] == drawn["ranks_error"]


def test_systems_look_different():
    systems = [*own_systems(), *PAPER_SYSTEMS, *PEERS]
    assert len({(look_of(system).colour, look_of(system).marker) for system in systems}) == len(systems)
    assert look_of("somebody_else").marker


def test_critical_differences():
    values = pd.DataFrame({"growth": [1.0] * 30, "cubist": [1.1] * 15 + [1.2] * 15, "tree": [1.2] * 15 + [1.1] * 15})
    figure = draw_ranks({"some": values})
    texts = texts_of(figure)
    assert "Growth  1.00 " in texts
    assert " 2.50  Regression tree" in texts
    # q is 2.344 for three systems.
    assert " CD 0.61" in texts
    bars = [line.get_xdata() for line in figure.axes[0].lines if line.get_linewidth() > 3]
    assert [list(bar) for bar in bars] == [pytest.approx([2.46, 2.54])]


def test_names_cover_neither_each_other_nor_points():
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    points = [(title_of(name), 5 + 0.1 * n, 5 + 0.15 * n) for n, name in enumerate(list(PEERS)[:7])]
    for _, x, y in points:
        axes.plot([x], [y], "o")
    place_labels(axes, points, level=4.9)
    figure.canvas.draw()
    assert [text.get_text() for text in axes.texts] == [name for name, _, _ in points]
    # Of the letters alone, without the line from a name to its point.
    boxes = [Text.get_window_extent(text) for text in axes.texts]
    centres = [axes.transData.transform((x, y)) for _, x, y in points]
    line = axes.transData.transform((0, 4.9))[1]
    for position, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:position])
        assert not any(box.contains(*centre) for centre in centres)
        assert not box.y0 < line < box.y1
        assert axes.get_window_extent().y0 <= box.y0
        assert box.y1 <= axes.get_window_extent().y1


def test_a_single_run_is_enough_for_pictures_but_not_for_ranks(tmp_path):
    measured = read_measurements(write_lines(tmp_path / "runs.jsonl", [make_line()]))
    assert [picture.name for picture in draw_pictures(measured)] == ["error_rules", "error_rules_sets", "time_rows"]


def test_every_column_of_panels_has_its_scale(tmp_path):
    names = ["ele-1", "plastic", "quake", "ele-2", "friedman", "autoMPG6", "delta_ail", "dee"]
    measured = read_measurements(write_lines(tmp_path / "runs.jsonl", [make_line(name=name) for name in names]))
    panels = figures._error_against_rules_by_set(measured)[2].axes
    shown = [axes for axes in panels if axes.get_visible()]
    labelled = [axes.get_title() for axes in shown if axes.xaxis.get_tick_params()["labelbottom"]]
    assert labelled == names[1:]
