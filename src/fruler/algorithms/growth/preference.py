"""Which division is made where the rows can't tell which is best: one that other rows would probably ask for, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.table.rows import Rows

# Divisions are equally good if their criteria differ by no more than so many standard errors of the difference, by no
# more than a difference that would be decisive if errors were normal, and by no more than this share of what the best
# of them gains.
_STANDARD_ERRORS, _DECISIVE, _SHARE_OF_GAIN = 1.0, 10.0, 0.5
# Correlations that agree in so many digits are equal.
_DIGITS = 2


class Contender(NamedTuple):
    """A division that has been tuned.

    Attributes
    ----------
    input : int
        The input that it divides.
    criterion : float
        What is to be low.
    squares : ndarray of shape (n_rows,)
        The squared errors of the rows.
    """

    input: int
    criterion: float
    squares: Floats


class Preference:
    """Chooses among divisions.

    Of two inputs that know nearly the same of the target, chance decides which has the lower criterion: other rows of
    the same kind would say the other one, and whoever reads the rules would learn something else. So of those that are
    equally good an input wins that is divided already, and then the one whose correlation with the target is largest,
    which changes least from one sample to the next.

    Parameters
    ----------
    rows : Rows
        Standardised data.

    Examples
    --------
    The second input goes with the target more closely than the first, and is hardly worse:

    >>> import numpy as np
    >>> from fruler.table.rows import Rows
    >>> X = np.array([[0.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 1.0]])
    >>> preference = Preference(Rows.from_arrays(X, y=np.array([-1.5, -0.5, 0.5, 1.5])))
    >>> first = Contender(0, -3.0, np.array([0.1, 0.3, 0.1, 0.3]))
    >>> second = Contender(1, -2.9, np.array([0.3, 0.1, 0.3, 0.2]))
    >>> preference.choose([first, second], divided=[], before=0.0)
    1

    But an input that is divided already comes before all others:

    >>> preference.choose([first, second], divided=[0], before=0.0)
    0
    """

    def __init__(self, rows: Rows) -> None:
        self.weight = rows.weight / rows.total_weight
        self.correlations = np.round(_correlations(rows.rows[:, 1:], rows.y, self.weight), _DIGITS)

    def choose(
        self, contenders: Sequence[Contender], divided: Sequence[int] | npt.NDArray[np.integer], before: float
    ) -> int:
        """Return the number of the division to make.

        Parameters
        ----------
        contenders : sequence of Contender
            The divisions, at least one.
        divided : sequence of int
            The inputs in use.
        before : float
            The criterion without any of the divisions.
        """
        best = min(contenders, key=lambda one: one.criterion)
        most = min(_DECISIVE, _SHARE_OF_GAIN * max(before - best.criterion, 0.0))
        used = set(np.asarray(divided, dtype=np.intp).tolist())
        equal = [
            number
            for number, one in enumerate(contenders)
            if one.criterion - best.criterion <= min(_STANDARD_ERRORS * self._noise(one, best), most)
        ]
        return min(
            equal,
            key=lambda number: (
                contenders[number].input not in used,
                -self.correlations[contenders[number].input],
                contenders[number].criterion,
            ),
        )

    def _noise(self, one: Contender, best: Contender) -> float:
        """Return the standard error of the difference of two criteria, each rows·log(error) and prices."""
        errors = float(self.weight @ one.squares), float(self.weight @ best.squares)
        if min(errors) == 0.0:
            return 0.0
        # By how much each row moves the two logarithms apart.
        apart = one.squares / errors[0] - best.squares / errors[1]
        return float(np.sqrt(len(apart) * (self.weight @ np.square(apart))))


def _correlations(terms: Floats, y: Floats, weight: Floats) -> Floats:
    """Return how closely what slopes are fitted to, shape (n_rows, n_inputs), goes with the target: from 0 to 1."""
    inputs, target = terms - weight @ terms, y - weight @ y
    squares = (weight @ np.square(inputs)) * (weight @ np.square(target))
    products = np.abs((weight * target) @ inputs)
    return np.asarray(np.divide(products, np.sqrt(squares), out=np.zeros(len(products)), where=squares > 0.0))
