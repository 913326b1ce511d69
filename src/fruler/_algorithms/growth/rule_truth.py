"""Rules that hold one by one: the truth of a model's rules on held-out rows, raised as far as that costs little."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from fruler._algorithms.growth.growth import Growth, Step
from fruler._algorithms.growth.sums import Sums, degrees_of, outputs_of
from fruler.learning._folds import Split
from fruler.rules.truth import Truth, TruthSums

# The wanted truth of the rules of a finished model, slightly above the threshold that counts as true.
_WANTED = 0.92
# The maximum ratio of the error to that of the first attempt.
_MAX_RISE = 1.02
# Every further attempt multiplies the share of the local error by this.
_FACTOR = 2.0
# The tuning steps of every attempt.
_N_STEPS = 6


class Finished(NamedTuple):
    """A finished model.

    Attributes
    ----------
    step : Step
        The model.
    locality : float
        The share of the local error that it is fitted with.
    truth : Truth or None
        The truth of its rules, in standardised units; None if no rows could be held out.
    """

    step: Step
    locality: float
    truth: Truth | None


def made_true(growth: Growth, step: Step, regularization: float, folds: Sequence[Split]) -> Finished:
    """Tune a model once more, and raise the share of the local error until its rules hold one by one.

    A share that the user set stays as it is. The error may rise only a little: rather than more, the rules stay as true
    as they are.

    Parameters
    ----------
    growth : Growth
        The growth of the model.
    step : Step
        The model.
    regularization : float
        The ridge of the consequents.
    folds : sequence of Split
        Rows to hold out.
    """
    locality = growth.locality
    finished = _tuned(growth, step, regularization, folds, locality)
    if finished.truth is None or growth.options.locality is not None:
        return finished
    limit = _MAX_RISE * finished.truth.together
    while finished.truth.ratio < _WANTED and locality < 1.0 and not growth.ended:
        locality = min(_FACTOR * locality, 1.0)
        attempt = _tuned(growth, finished.step, regularization, folds, locality)
        if attempt.truth is None or attempt.truth.together > limit:
            break
        finished = attempt
    return finished


def _tuned(growth: Growth, step: Step, regularization: float, folds: Sequence[Split], locality: float) -> Finished:
    """Tune a model for a share of the local error, and measure its truth."""
    searched, growth.locality = growth.locality, locality
    growth.work_at(step.structure, step.fit.coefficients)
    found = growth.tune(step.structure, step.fit.kept, _N_STEPS)
    tuned = step if found is None else step._replace(structure=found[0], fit=found[1])
    truth = rule_truth(growth, tuned, regularization, folds) if folds and not growth.out_of_time else None
    growth.locality = searched
    return Finished(tuned, locality, truth)


def rule_truth(growth: Growth, step: Step, regularization: float, folds: Sequence[Split]) -> Truth:
    """Return the truth of a structure's rules, in standardised units.

    The structure is kept, so that the truth is that of its own rules; consequents are fitted without the rows that they
    are measured on.

    Parameters
    ----------
    growth : Growth
        The growth whose rows and prices are used.
    step : Step
        The rules, and the terms to begin with.
    regularization : float
        The ridge of the consequents.
    folds : sequence of Split
        Rows to hold out; together they are all rows, or enough of them.
    """
    structure, kept, loss = step.structure, step.fit.kept, growth.loss
    growth.work_at(structure, step.fit.coefficients)
    parts = [growth.rows.take(fold.held_out) for fold in folds]
    observed = [growth.observed.take(fold.held_out) for fold in folds]
    n_rows = sum(len(part) for part in parts)
    degrees = [degrees_of(structure, part) for part in parts]
    sums = [Sums.over(part, own) for part, own in zip(parts, degrees, strict=True)]
    total = reduce(Sums.__add__, sums)
    together, alone, strongest = [], [], []
    for fold, part, seen, own, held_out in zip(folds, parts, observed, degrees, sums, strict=True):
        others, n_others = total - held_out, n_rows - len(part)
        if fold.fitted is not None:
            fitted = growth.rows.take(fold.fitted)
            others, n_others = Sums.over(fitted, degrees_of(structure, fitted)), len(fitted)
        normal = others.normal(structure, growth.locality)
        fit = growth.final_terms(structure, normal, regularization, n_others, kept)
        outputs = outputs_of(structure, fit.coefficients, part, own)
        together.append(loss.value(seen.y, outputs.together))
        alone.append(loss.value(seen.y, outputs.of_strongest(own)))
        strongest.append(own.weights.argmax(axis=0))
    errors, weight = (
        (np.concatenate(together), np.concatenate(alone)),
        np.concatenate([seen.weight for seen in observed]),
    )
    measured = TruthSums.over_rows(*errors, weight, np.concatenate(strongest), structure.n_rules)
    return measured.truth(held_out=True, typical=loss.typical)
