"""How long a growth will take from here."""

import numpy as np
import pytest

from fruler.algorithms.growth.growth import Fit, Step
from fruler.algorithms.growth.time_left import growth_seconds_left


def path_of(*criteria, pace=2.0):
    """Steps with these criteria, each of which took as long."""
    return [Step(None, Fit(np.zeros(1), 1.0, one), 10 * n, pace * n) for n, one in enumerate(criteria)]


def test_nothing_is_known_before_the_first_step():
    assert growth_seconds_left(path_of(5.0), 3, 5) is None


def test_steps_that_do_not_pay_bring_the_end_nearer():
    # Two seconds for each of three more steps, then three folds of six more.
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 5) == pytest.approx(6.0 + 3 * 8.0)
    assert growth_seconds_left(path_of(5.0, 4.0, 4.5), 3, 5) == pytest.approx(4.0 + 3 * 8.0)
    assert growth_seconds_left(path_of(5.0, 4.0, 4.5, 4.6, 4.7), 3, 5) == pytest.approx(3 * 8.0)


def test_folds_that_there_are_not_take_no_time():
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 0) == pytest.approx(6.0)
    assert growth_seconds_left(path_of(5.0, 4.0), 3, 2) == pytest.approx(6.0 + 2 * 8.0)
