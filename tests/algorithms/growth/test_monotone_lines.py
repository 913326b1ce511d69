"""Lines of curves that rise everywhere, reckoned in fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from fruler import FuzzyPartition
from fruler.algorithms.growth.monotone_lines import monotone_lines
from fruler.rules import Curve


def value(partition, lines, x):
    """What a curve adds at a fraction, without rounding."""
    below = 0
    for k, (split, half) in enumerate(zip(partition.split_points, partition.half_widths.tolist(), strict=True)):
        low, high = Fraction(split) - Fraction(half), Fraction(split) + Fraction(half)
        if x >= high:
            below = k + 1
        elif x > low:
            share = (x - low) / (high - low)
            one, other = (Fraction(a) + Fraction(b) * x for a, b in lines[k : k + 2].tolist())
            return (1 - share) * one + share * other
    a, b = lines[below].tolist()
    return Fraction(a) + Fraction(b) * x


def random_lines(rng, partition, rising):
    """Lines that nearly meet at the split points, with slopes of which some are zero."""
    slopes = rng.uniform(0.0, 1.0, partition.n_labels) * rng.integers(0, 2, partition.n_labels)
    intercepts = [rng.normal()]
    for k, split in enumerate(partition.split_points):
        step = rng.uniform(0.0, 1.0) * rng.integers(0, 2) if rising else rng.normal()
        intercepts.append(intercepts[-1] + (slopes[k] - slopes[k + 1]) * split + step)
    return np.column_stack([intercepts, slopes])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(10))
def test_the_curve_rises_between_any_two_values(seed, sign):
    rng = np.random.default_rng(seed)
    splits = np.sort(rng.uniform(0.1, 0.9, 3))
    partition = FuzzyPartition(splits, (0.0, 1.0), rng.choice([0.0, 0.3, 1.0], 3))
    lines = monotone_lines(partition, sign * random_lines(rng, partition, rising=False), sign)
    edges = [e for s, h in zip(splits, partition.half_widths, strict=True) for e in (s - h, s, s + h)]
    places = np.sort(np.concatenate([edges, np.nextafter(edges, 2.0), rng.uniform(-1.0, 2.0, 300)]))
    adds = [sign * value(partition, lines, Fraction(x)) for x in places.tolist()]
    assert all(one <= other for one, other in pairwise(adds))
    # As it is computed there may be rounding, but nothing else.
    assert np.diff(sign * Curve(0, partition, lines).values(places)).min() > -1e-14


@pytest.mark.parametrize("seed", range(5))
def test_what_rises_is_left_alone_but_for_rounding(seed):
    rng = np.random.default_rng(seed)
    partition = FuzzyPartition([0.3, 0.6], (0.0, 1.0), 0.5)
    lines = random_lines(rng, partition, rising=True)
    # Lines that meet at the split point with a slope that falls by half at most rise throughout the zone.
    lines[:, 1] = 1.0 + 0.2 * lines[:, 1]
    for k, split in enumerate(partition.split_points):
        lines[k + 1, 0] = lines[k, 0] + (lines[k, 1] - lines[k + 1, 1]) * split
    np.testing.assert_array_equal(monotone_lines(partition, lines, 1), lines)
    spoiled = lines.copy()
    spoiled[:, 1] *= -1.0
    assert (monotone_lines(partition, spoiled, 1)[:, 1] == 0.0).all()
