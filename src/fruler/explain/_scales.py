"""Scales on which outputs are written: in the target's unit, or in percent and factors if they are logarithms.

Sentences, explanations, plots and reports take their numbers and words from the scale of a rule base. Each link has
its scale here; nothing else in this package depends on the link.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fruler._arrays import Floats
from fruler._wording import number_to_place, number_within
from fruler.rules._output import LinkName, link_of
from fruler.rules._rule_base import RuleBase

# A change that multiplies by more than this is written as a factor, not in percent.
_LARGEST_PERCENTAGE = 10.0
# Raw outputs are clipped here: their exponential would overflow, and larger factors do not matter to readers.
_FARTHEST = 300.0
_TEN = math.log(10.0)


class Amount(NamedTuple):
    """A change, ready to be written.

    Attributes
    ----------
    number : float
        The number to write.
    tolerance : float
        The rounding error that the written number may have.
    mark : {"", "%", "×"}
        The mark after the number, or before a factor.
    """

    number: float
    tolerance: float
    mark: str = ""

    def marked(self, text: str) -> str:
        """Return the written number with its mark.

        Examples
        --------
        >>> Amount(3.2, 0.1, "%").marked("+3.2"), Amount(12.0, 0.1, "×").marked("+12")
        ('+3.2%', '×12')
        """
        return f"×{text.removeprefix('+')}" if self.mark == "×" else f"{text}{self.mark}"

    def written(self, writer: Callable[[float, float], str]) -> str:
        """Return the number as formatted by `writer` within the tolerance, with its mark."""
        return self.marked(writer(self.number, self.tolerance))


class Scale:
    """The scale of the identity link: numbers and words for outputs, changes and errors in the target's unit.

    Attributes
    ----------
    link : str
        The link of the scale.
    base : str
        The name of the base from which contributions are counted.
    adds : str
        The word for the contribution of an input, in tables.
    changes_by : str
        The verb before a change.
    makes : str
        The verb before a part of a prediction.
    sums_up : str
        The heading above the parts of a prediction.

    Examples
    --------
    >>> Scale().part(-4.26, 0.1), Scale().subject("price")
    ('-4.3', 'price')
    """

    link: LinkName = "identity"
    base = "mean prediction"
    adds = "adds"
    changes_by = "adds"
    makes = "adds"
    sums_up = "What adds up to it"

    def target(self, raw: float) -> float:
        """Return the target for a raw output."""
        return float(link_of(self.link).target(np.array(raw)))

    def tolerance(self, target: float, tolerance: float) -> float:
        """Return the tolerance of a written target, given the tolerance of the raw output."""
        return tolerance

    def change(self, change: float, tolerance: float) -> Amount:
        """Return a change of the raw output as an amount to write."""
        return Amount(change, tolerance)

    def changes(self, changes: Floats) -> Floats:
        """Return changes for tables: the terms that are added, or the factors of the prediction."""
        return changes

    def part(self, change: float, tolerance: float) -> str:
        """Write the contribution of an input to one prediction, to the same place as the other contributions."""
        text = number_to_place(change, tolerance)
        if text == "0":
            text = number_within(change, tolerance)
        return text if text.startswith("-") else f"+{text}"

    def move(self, move: float, tolerance: float) -> str:
        """Write a mean absolute change of predictions."""
        return self.change(move, tolerance).written(number_within)

    def change_of(self, target: str) -> str:
        """Return the title of an axis of changes."""
        return f"adds to {target}"

    def reading(self, name: str) -> str:
        """Write how to read changes; "" for the identity link."""
        return ""

    def table_note(self, name: str) -> str:
        """Write a note on the scale of the coefficients of a table; "" for the identity link."""
        said = self.subject(name)
        return "" if said == name else f"Numbers are of {said}, the natural logarithm of {name}."

    def subject(self, name: str) -> str:
        """Return the left-hand side of a formula."""
        return name

    def unit(self, target_unit: str) -> str:
        """Return the unit of changes and errors."""
        return target_unit

    def round_places(self, low: float, high: float, most: int) -> list[float]:
        """Return ticks on the scale of the raw output at which targets are round numbers, between two ends.

        The list is empty for the identity link, which needs no special ticks.
        """
        return []

    def written(self, target: float, tolerance: float) -> str:
        """Write a target, to the place that a tolerance allows."""
        return number_to_place(target, self.tolerance(target, tolerance))


class LogScale(Scale):
    """The scale of the log link: outputs are logarithms of the target, so contributions multiply the target.

    Examples
    --------
    >>> scale = LogScale()
    >>> [scale.change(change, 0.001).mark for change in (0.03, -0.7, 2.5)], round(scale.change(0.03, 0.001).number, 3)
    (['%', '%', '×'], 3.045)
    >>> scale.part(0.277, 0.001), scale.move(0.095, 0.001), scale.subject("price")
    ('×1.319', '10%', 'log(price)')
    """

    link = "log"
    base = "typical prediction"
    adds = "times"
    changes_by = "changes it by"
    makes = "makes it"
    sums_up = "What multiplies to it"

    def tolerance(self, target: float, tolerance: float) -> float:
        """Return the tolerance of the target: a share of it."""
        return tolerance * abs(target)

    def change(self, change: float, tolerance: float) -> Amount:
        """Return a change in percent, or a large one as a factor."""
        factor = _factor(change)
        if factor > _LARGEST_PERCENTAGE:
            return Amount(factor, tolerance * factor, "×")
        return Amount(100.0 * math.expm1(max(change, -_FARTHEST)), 100.0 * tolerance * factor, "%")

    def changes(self, changes: Floats) -> Floats:
        """Return changes as factors."""
        return np.asarray(np.exp(np.clip(changes, -_FARTHEST, _FARTHEST)))

    def part(self, change: float, tolerance: float) -> str:
        """Write the contribution of an input as a factor."""
        factor = _factor(change)
        return f"×{number_within(factor, tolerance * factor)}"

    def change_of(self, target: str) -> str:
        """Return the title of an axis of changes."""
        return f"changes {target} by"

    def reading(self, name: str) -> str:
        """Write how to read changes that multiply."""
        return (
            f"The rules say the natural logarithm of {name}: what they add multiplies it, and is told in percent or as "
            "a factor."
        )

    def subject(self, name: str) -> str:
        """Return the left-hand side of a formula: the logarithm of the target."""
        return f"log({name})"

    def unit(self, target_unit: str) -> str:
        """Return an empty unit: percentages and factors have no unit."""
        return ""

    def round_places(self, low: float, high: float, most: int) -> list[float]:
        """Return the logarithms of round numbers: a few digits in every power of ten, or equal steps."""
        low, high = max(low, -_FARTHEST), min(high, _FARTHEST)
        decades = range(math.floor(low / _TEN), math.ceil(high / _TEN) + 1)
        for digits in ((1.0, 2.0, 3.0, 5.0, 7.0), (1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
            places = [math.log(digit) + power * _TEN for power in decades for digit in digits]
            places = [place for place in places if low <= place <= high]
            if len(places) <= most:
                break
        step = max(len(places) // most, 1)
        return places[::step] if len(places) > 2 else _even_places(low, high, most)


def _even_places(low: float, high: float, most: int) -> list[float]:
    """Return the logarithms of numbers in equal round steps."""
    ends = _factor(low), _factor(high)
    if not ends[1] > ends[0]:
        return [low]
    step, multiples = round_steps(*ends, most)
    return [math.log(number * step) for number in multiples if number > 0]


def round_steps(low: float, high: float, most: int) -> tuple[float, range]:
    """Return a round step that divides a range into at most `most` steps, and its multiples within the range.

    Examples
    --------
    >>> round_steps(-3.0, 21.0, 5)
    (5.0, range(0, 5))
    """
    extent = high - low
    power = 10.0 ** math.floor(math.log10(extent / most))
    step = next(size * power for size in (1.0, 2.0, 5.0, 10.0, 20.0) if extent / (size * power) <= most)
    return step, range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def _factor(change: float) -> float:
    return math.exp(min(max(change, -_FARTHEST), _FARTHEST))


SCALES: dict[LinkName, Scale] = {scale.link: scale for scale in (Scale(), LogScale())}


def scale_of(rule_base: RuleBase) -> Scale:
    """Return the scale of a rule base's outputs."""
    return SCALES[rule_base.output.link]


def error_scale_of(rule_base: RuleBase) -> Scale:
    """Return the scale of typical errors: deviances have neither a unit nor percent."""
    return SCALES["identity"] if rule_base.output.loss.of_log_mean else scale_of(rule_base)


def bounds_sentence(rule_base: RuleBase) -> str:
    """Write what predictions are if they are not about means, and their bounds; "" if there is nothing to say.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Output, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    >>> bounds_sentence(RuleBase([x], [[[0, 0]]], [[1.0, -2.0]], target_unit="%", output=Output(bounds=(0, 100))))
    'Predictions are kept within 0 and 100 %.'
    """
    output, unit = rule_base.output, rule_base.target_unit
    low, high = (None if end is None else number_within(end, abs(end) * 1e-6) for end in output.bounds)
    predicts = rule_base.output.loss.predicts
    what = f"Predictions are {predicts} of {rule_base.target_name}. " if predicts else ""
    if low is None and high is None:
        return what.rstrip()
    if low is not None and high is not None:
        said = f"Predictions are kept within {low} and {high}"
    else:
        said = f"Predictions are at least {low}" if high is None else f"Predictions are at most {high}"
    return what + f"{said} {unit}".rstrip() + "."
