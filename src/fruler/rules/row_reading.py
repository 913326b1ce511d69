"""From the rows of a table to the numbers that rules take: gaps filled in, and clipped."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.arrays import frozen
from fruler.rules.summary import TrainingSummary
from fruler.rules.variables import Variable
from fruler.table.gaps import Gaps
from fruler.table.reading import input_table
from fruler.table.validation import require_finite

Extrapolation = Literal["linear", "clip"]
EXTRAPOLATIONS: tuple[Extrapolation, ...] = get_args(Extrapolation)


class RowReadingMixin:
    """How a rule base reads rows."""

    variables: tuple[Variable, ...]
    gaps: Gaps | None
    training: TrainingSummary | None
    extrapolation: Extrapolation
    if TYPE_CHECKING:

        @cached_property
        def uses(self) -> npt.NDArray[np.bool_]:
            """Which inputs the rules use."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table that the inputs come from, each once."""
        return tuple(dict.fromkeys(variable.column for variable in self.variables))

    def inputs_of(self, X: Any) -> Floats:
        """Return the inputs of rows as rules take them, shape (n_samples, n_inputs): gaps filled in, and clipped.

        Parameters
        ----------
        X : array-like or data frame
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs.

        Raises
        ------
        ValueError
            If a value is missing and the rules do not know what to take for it.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.inputs_of([[0.5]]).tolist()
        [[0.5]]
        """
        return self.clipped(self.filled(self.numbers_of(X)))

    def numbers_of(self, X: Any) -> Floats:
        """Return the inputs of rows as numbers, NaN where there is a gap.

        A column that no rule uses changes no prediction: it may be absent from a frame, and hold anything.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.numbers_of([[0.5], [None]]).tolist()
        [[0.5], [nan]]
        """
        used = {one.column for one, uses in zip(self.variables, self.uses, strict=True) if uses}
        return input_table(X, self.variables, set(self.columns) - used)

    def filled(self, values: Floats) -> Floats:
        """Return inputs with their gaps filled in; an input that no rule uses takes its typical value.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The inputs, NaN where there is a gap.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs without gaps.

        Raises
        ------
        ValueError
            If a value is missing and the rules do not know what to take for it.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 0.0]])
        >>> rules.filled(np.array([[np.nan]])).tolist()
        [[0.0]]
        """
        missing = np.isnan(values)
        if not missing.any():
            return values
        filled = values if self.gaps is None else self.gaps.filled(values)
        used = np.flatnonzero(self.uses)
        require_finite(filled[:, used], [self.variables[j].name for j in used])
        typical = np.zeros(len(self.variables)) if self.training is None else self.training.typical
        return np.where(np.isnan(filled), typical, filled)

    @cached_property
    def limits(self) -> Floats:
        """The smallest and the largest value of each input in the training data, shape (2, n_inputs).

        They are infinite if they are not known, and for the day of the year and the hour, which start again.
        """
        limits = np.repeat([[-np.inf], [np.inf]], len(self.variables), axis=1)
        if self.training is not None:
            for j, variable in enumerate(self.variables):
                low, high = self.training.low[j], self.training.high[j]
                if variable.source is None or not variable.source.goes_around(low, high):
                    limits[:, j] = low, high
        return frozen(limits, np.float64)

    def clipped(self, values: Floats) -> Floats:
        """Return inputs as rules take them: with ``extrapolation="clip"`` inside the range of the training data.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_inputs)
            The inputs.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs, clipped or as they are.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.clipped(np.array([[5.0]])).tolist()
        [[5.0]]
        """
        if self.extrapolation == "linear":
            return values
        return np.clip(values, *self.clips)

    @cached_property
    def clips(self) -> Floats:
        """The ends of what values of each input are clipped to, shape (2, n_inputs); infinite where they are not."""
        clipped = [self.extrapolation == "clip" and variable.partition.ordered for variable in self.variables]
        return frozen(np.where(clipped, self.limits, [[-np.inf], [np.inf]]), np.float64)
