"""What is written in a picture, and whether it can be read."""

import itertools
from copy import copy
from dataclasses import replace

import matplotlib as mpl
import matplotlib.text
import numpy as np

from fruler.rules import Curve, FuzzyPartition, RuleBase

LONG = "a_name_of_forty_characters_for_any_input"


def with_long_names(rule_base):
    variables = [
        replace(variable, name=f"{LONG[:-2]}{j:02d}", unit="km/h") for j, variable in enumerate(rule_base.variables)
    ]
    return replace(rule_base, variables=variables, target_name=LONG, target_unit="kWh per day")


def with_curves(model, n_curves=2):
    """Return a model or a rule base with curves of its first inputs; one that is not fitted as it is."""
    rule_base = getattr(model, "rule_base_", model)
    if not isinstance(rule_base, RuleBase):
        return model
    curves = []
    for j in range(n_curves):
        low, high = rule_base.variables[j].partition.domain
        partition = FuzzyPartition([0.7 * low + 0.3 * high, low / 2 + high / 2], (low, high), [0.5, 0.0])
        slopes = np.array([6.0, -3.0, 1.0 + j]) / (high - low)
        curves.append(Curve(j, partition, np.column_stack([-slopes * (low + 0.2 * j * (high - low)), slopes])))
    curved = replace(rule_base, curves=curves)
    if model is rule_base:
        return curved
    other = copy(model)
    other.rule_base_ = curved
    return other


def texts_of(figure):
    """The texts that are seen, with their places in pixels."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = []
    for axes in figure.axes:
        if axes.axison:
            ticks = [tick for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_major_ticks()]
            of_ticks = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
            texts += [text for text in axes.findobj(mpl.text.Text) if id(text) not in of_ticks]
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
