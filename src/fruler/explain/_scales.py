"""How what rules say is told to people: in the target's unit, or in percent where it is a logarithm.

Sentences, explanations, pictures and reports ask the scale of a rule base for their numbers and words; the scales of
all links stand here, and nothing else in this package asks which link it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler._wording import number_to_place, number_within
from fruler.rules._output import LinkName, link_of
from fruler.rules._rule_base import RuleBase

# A change that multiplies by more than this is told as a factor, not in percent.
_LARGEST_PERCENTAGE = 10.0
# Beyond this the exponential would overflow, and nobody reads the difference.
_FARTHEST = 300.0
_TEN = math.log(10.0)


class Amount(NamedTuple):
    """A change as it is told.

    Attributes
    ----------
    number : float
        What is written.
    tolerance : float
        How far that may be off.
    mark : {"", "%", "×"}
        What stands behind it, or before a factor.
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
        """Return it as a writer of numbers within a tolerance writes it, with its mark."""
        return self.marked(writer(self.number, self.tolerance))


class Scale:
    """Numbers and words for what rules say, add and err by, where they say the target.

    Attributes
    ----------
    link : str
        The link whose scale it is.
    base : str
        What the mean of what the rules say is called.
    adds : str
        The word for what an input does to the prediction, in tables.
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
        """Return the target that what is said stands for."""
        return float(link_of(self.link).target(np.array(raw)))

    def tolerance(self, target: float, tolerance: float) -> float:
        """Return how far a written target may be off, where what is said may be off by a tolerance."""
        return tolerance

    def change(self, change: float, tolerance: float) -> Amount:
        """Return a change of what is said as it is told."""
        return Amount(change, tolerance)

    def changes(self, changes: Floats) -> Floats:
        """Return changes as tables have them: what is added, or by what the prediction is multiplied."""
        return changes

    def part(self, change: float, tolerance: float) -> str:
        """Write what an input does to one prediction, to the place to which its other parts are written."""
        text = number_to_place(change, tolerance)
        if text == "0":
            text = number_within(change, tolerance)
        return text if text.startswith("-") else f"+{text}"

    def move(self, move: float, tolerance: float) -> str:
        """Write how much something moves predictions on average, to either side."""
        return self.change(move, tolerance).written(number_within)

    def change_of(self, target: str) -> str:
        """Return the title of an axis of changes."""
        return f"adds to {target}"

    def reading(self, name: str) -> str:
        """Say how changes are to be read; "" where that is clear."""
        return ""

    def table_note(self, name: str) -> str:
        """Say what the coefficients of a table are of; "" where they are of the target."""
        said = self.subject(name)
        return "" if said == name else f"Numbers are of {said}, the natural logarithm of {name}."

    def subject(self, name: str) -> str:
        """Return what rules say, in a formula."""
        return name

    def unit(self, target_unit: str) -> str:
        """Return the unit of changes and errors."""
        return target_unit

    def round_places(self, low: float, high: float, most: int) -> list[float]:
        """Return places between two, on the scale of what is said, at which targets are round numbers.

        There are none where these are just the round numbers between the two.
        """
        return []

    def written(self, target: float, tolerance: float) -> str:
        """Write a target, to the place that a tolerance allows."""
        return number_to_place(target, self.tolerance(target, tolerance))


class LogScale(Scale):
    """Rules say the logarithm of the target, so that what they add multiplies it.

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
        """Return that share of the target."""
        return tolerance * abs(target)

    def change(self, change: float, tolerance: float) -> Amount:
        """Return it in percent; one that multiplies by much as a factor."""
        factor = _factor(change)
        if factor > _LARGEST_PERCENTAGE:
            return Amount(factor, tolerance * factor, "×")
        return Amount(100.0 * math.expm1(max(change, -_FARTHEST)), 100.0 * tolerance * factor, "%")

    def changes(self, changes: Floats) -> Floats:
        """Return the factors."""
        return np.asarray(np.exp(np.clip(changes, -_FARTHEST, _FARTHEST)))

    def part(self, change: float, tolerance: float) -> str:
        """Write the factor."""
        factor = _factor(change)
        return f"×{number_within(factor, tolerance * factor)}"

    def change_of(self, target: str) -> str:
        """Return by how much it changes."""
        return f"changes {target} by"

    def reading(self, name: str) -> str:
        """Say that changes multiply."""
        return (
            f"The rules say the natural logarithm of {name}: what they add multiplies it, and is told in percent or as "
            "a factor."
        )

    def subject(self, name: str) -> str:
        """Return that it is the logarithm."""
        return f"log({name})"

    def unit(self, target_unit: str) -> str:
        """Return none: percents and factors have none."""
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
    """Return a round step of which a range has so many at most, and its multiples inside of the range.

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
    """Return how what the rules say is told."""
    return SCALES[rule_base.output.link]


def bounds_sentence(rule_base: RuleBase) -> str:
    """Say within what bounds predictions lie; "" where there are none.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Output, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    >>> bounds_sentence(RuleBase([x], [[[0, 0]]], [[1.0, -2.0]], target_unit="%", output=Output(bounds=(0, 100))))
    'Predictions are kept within 0 and 100 %.'
    """
    output, unit = rule_base.output, rule_base.target_unit
    low, high = (None if end is None else number_within(end, abs(end) * 1e-6) for end in output.bounds)
    if low is None and high is None:
        return ""
    if low is not None and high is not None:
        said = f"Predictions are kept within {low} and {high}"
    else:
        said = f"Predictions are at least {low}" if high is None else f"Predictions are at most {high}"
    return f"{said} {unit}".rstrip() + "."
