"""Predictions of rules for rows of numbers, and the contribution of each input.

Nothing is checked here: `RuleBase` checks tables beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler.rules._antecedents import Antecedents, TNorm
from fruler.rules._consequents import Consequents
from fruler.rules._curves import Curve, sum_of_curves
from fruler.rules._output import Output

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase


@dataclass(frozen=True, eq=False)
class Inference:
    """Predictions for rows of finite numbers, shape (n_samples, n_inputs).

    Parameters
    ----------
    antecedents, consequents, t_norm, curves, output
        As in `RuleBase`.
    clips : ndarray of shape (2, n_inputs) or None
        The ends that inputs are clipped to; None: inputs are not clipped.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> rules.inference.predict(np.array([[0.5]])).tolist()
    [2.0]
    """

    antecedents: Antecedents
    consequents: Consequents
    t_norm: TNorm
    curves: tuple[Curve, ...]
    output: Output
    clips: Floats | None

    def clipped(self, values: Floats) -> Floats:
        """Return rows as the rules use them: clipped if need be, and contiguous for the kernels."""
        return np.ascontiguousarray(values if self.clips is None else np.clip(values, *self.clips))

    def predict(self, values: Floats) -> Floats:
        """Return the predictions, shape (n_samples,)."""
        return self.output.of(self.raw_predictions(values))

    def raw_predictions(self, values: Floats) -> Floats:
        """Return the predictions before link and bounds, shape (n_samples,)."""
        values = self.clipped(values)
        predictions = self.consequents.predict(self.antecedents, values, self.t_norm)
        return predictions + sum_of_curves(self.curves, values) if self.curves else predictions

    def rule_outputs(self, values: Floats) -> Floats:
        """Return the output of each rule by itself, shape (n_samples, n_rules)."""
        return self.output.of(self.raw_rule_outputs(values))

    def raw_rule_outputs(self, values: Floats) -> Floats:
        """Return the output of each rule by itself before link and bounds, shape (n_samples, n_rules)."""
        values = self.clipped(values)
        outputs = self.consequents.rule_outputs(self.antecedents, values, self.t_norm)
        return outputs + sum_of_curves(self.curves, values)[:, None]

    def activations(self, values: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return each rule's weight in each prediction, shape (n_samples, n_rules), and whether any rule fires."""
        return self.antecedents.activations(self.clipped(values), self.t_norm)


# With more inputs than this in the antecedents, only some rotations of their order are used.
_MAX_TURNS = 8


def parts_from(rule_base: RuleBase, values: Floats, typical: Floats) -> Floats:
    """Split the difference between the predictions of rows and of the typical row among the inputs.

    Inputs are switched one after the other from their typical value to the row's value, and the change of the
    prediction is the part of the input that was switched. The order matters if inputs interact, so the parts are means
    over many orders, each taken forwards and backwards: exact Shapley values if at most two inputs interact, and an
    approximation otherwise. Inputs in no antecedent come first on the way forwards and last on the way back.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    typical : ndarray of shape (n_inputs,)
        The row to start from.

    Returns
    -------
    ndarray of shape (n_samples, n_inputs)
        The parts; those of a row sum to its raw prediction less that of the typical row.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> a, b = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in "ab")
    >>> line = RuleBase([a, b], [[[0, 0], [0, 0]]], [[1.0, 2.0, -3.0]])
    >>> parts_from(line, np.array([[4.0, 1.0]]), np.array([3.0, 3.0])).tolist()
    [[2.0, 6.0]]
    """
    looked_at = rule_base.antecedent_inputs
    others = np.setdiff1d(np.arange(len(typical)), looked_at)
    slopes = rule_base.slopes
    typical_row = np.ascontiguousarray(typical[None])
    parts = np.zeros(values.shape)
    half_way = (rule_base.inference.activations(values)[0] + rule_base.inference.activations(typical_row)[0]) / 2.0
    parts[:, others] = (values[:, others] - typical[others]) * (half_way @ slopes[:, others])
    # The terms of inputs that are not switched: of the row on the way forwards, of the typical row on the way back.
    rests = [table[:, others] @ slopes[:, others].T for table in (values, typical_row)]
    antecedents, t_norm = rule_base.antecedents, rule_base.t_norm

    def outputs(mixed: Floats, rest: Floats) -> Floats:
        constants = rule_base.consequents.constants(antecedents, mixed, t_norm)
        said = mixed[:, looked_at] @ slopes[:, looked_at].T + (rest + constants)
        return np.asarray((rule_base.inference.activations(mixed)[0] * said).sum(axis=1))

    turns = turns_of(looked_at)
    share = 0.5 / max(len(turns), 1)
    for turn in turns:
        for order, rest in zip((turn, turn[::-1]), rests, strict=True):
            mixed = np.repeat(typical_row, len(values), axis=0)
            before = outputs(mixed, rest)
            for j in order:
                mixed[:, j] = values[:, j]
                after = outputs(mixed, rest)
                parts[:, j] += share * (after - before)
                before = after
    for curve in rule_base.curves:
        parts[:, curve.input] += curve.values(values[:, curve.input]) - curve.values(typical[[curve.input]])
    return parts


def turns_of(inputs: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
    """Return the orders in which inputs are switched: at most eight rotations, each with a different first input.

    Examples
    --------
    >>> import numpy as np
    >>> [turn.tolist() for turn in turns_of(np.array([2, 5, 7]))]
    [[2, 5, 7], [5, 7, 2], [7, 2, 5]]
    """
    n = len(inputs)
    n_turns = min(n, _MAX_TURNS)
    return [np.roll(inputs, -(k * n // n_turns)) for k in range(n_turns)]
