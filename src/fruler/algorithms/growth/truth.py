"""How true the rules of one structure are: their consequents fitted without some rows, and measured on these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from fruler._typing import Indices
from fruler.algorithms.growth.growth import Growth, Step
from fruler.algorithms.growth.sums import Sums, degrees_of, outputs_of
from fruler.rules.truth import Truth, measured_truth


def rule_truth(growth: Growth, step: Step, regularization: float, folds: Sequence[Indices]) -> Truth:
    """Return the truth of a structure's rules, in standardised units.

    The structure stays what it is, so that its rules are the ones that are asked for; consequents are fitted without
    the rows that they are measured on.

    Parameters
    ----------
    growth : Growth
        Whose rows and prices are used.
    step : Step
        The rules, and the terms to begin with.
    regularization : float
        With which consequents are fitted.
    folds : sequence of ndarray
        Rows to hold out; together they are all rows, or enough of them.
    """
    structure, kept = step.structure, step.fit.kept
    parts = [growth.rows.take(fold) for fold in folds]
    degrees = [degrees_of(structure, part) for part in parts]
    sums = [Sums.over(part, own) for part, own in zip(parts, degrees, strict=True)]
    total = reduce(Sums.__add__, sums)
    together, alone, strongest = [], [], []
    for part, own, held_out in zip(parts, degrees, sums, strict=True):
        normal = (total - held_out).normal(structure, growth.options.locality)
        fit = growth.final_terms(normal, regularization, len(growth.rows) - len(part), kept)
        outputs = outputs_of(structure, fit.coefficients, part, own)
        together.append(np.square(part.y - outputs.together))
        alone.append(np.square(part.y - outputs.of_strongest(own)))
        strongest.append(own.weights.argmax(axis=0))
    return measured_truth(
        np.concatenate(together),
        np.concatenate(alone),
        np.concatenate([part.weight for part in parts]),
        np.concatenate(strongest),
        structure.n_rules,
        held_out=True,
    )
