"""The lines of a curve that rises, or falls, everywhere: held to that to the last bit."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np

from fruler._typing import Floats
from fruler.rules.partitions import FuzzyPartition


def monotone_lines(partition: FuzzyPartition, lines: Floats, sign: int) -> Floats:
    """Return the lines of a curve that goes in one direction, but for rounding, so that it does without that.

    Where two lines a + b·x and c + d·x fade into each other, around the split point s with the half width h, the slope
    of the curve is linear in x: from b + (gap at s - h) / (2 h) to d + (gap at s + h) / (2 h), the gap being the second
    line less the first. So the curve rises if b and d are not negative, nor 2 h b + gap(s - h), nor 2 h d + gap(s + h).
    These are reckoned in fractions, of the very numbers that are stored; c is raised where it is too low.

    Parameters
    ----------
    partition : FuzzyPartition
        Where one line fades into the next.
    lines : ndarray of shape (n_labels, 2)
        Intercept and slope of each line.
    sign : {1, -1}
        Whether the curve rises or falls.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler import FuzzyPartition
    >>> steps = FuzzyPartition([1.0], domain=(0.0, 2.0), fuzziness=0.0)
    >>> monotone_lines(steps, np.array([[0.5, -1e-17], [0.25, 0.25]]), 1).tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    """
    intercepts = [float(value) for value in sign * lines[:, 0]]
    slopes = [max(float(value), 0.0) for value in sign * lines[:, 1]]
    for k, (split, half) in enumerate(zip(partition.split_points, partition.half_widths.tolist(), strict=True)):
        s, h = Fraction(split), Fraction(half)
        a, b, d = Fraction(intercepts[k]), Fraction(slopes[k]), Fraction(slopes[k + 1])
        needed = a + max(b * (s - 3 * h) - d * (s - h), b * (s + h) - d * (s + 3 * h))
        intercepts[k + 1] = max(intercepts[k + 1], _rounded_up(needed))
    return sign * np.column_stack([intercepts, slopes])


def _rounded_up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else nextafter(near, inf)
