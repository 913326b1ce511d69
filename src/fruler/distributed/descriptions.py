"""How rules cover and describe the rows of a block: sums that add up over blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.distributed.blocks import Block
from fruler.rules.measurement import histogram, rule_errors
from fruler.rules.places import PlaceSums, no_rows
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import N_BINS
from fruler.rules.truth import TruthSums
from fruler.table.scaling import Scale


class Cover(NamedTuple):
    """Sums over some rows: the weights of rules, the rows that fire none, and the rows' weights."""

    support: Floats
    n_uncovered: int
    weight: float


def cover_block(block: Block, job: tuple[RuleBase, float]) -> Cover:
    """Sum up how rules cover a block."""
    rule_base, mean_weight = job
    support, n_uncovered, total = np.zeros(rule_base.n_rules), 0, 0.0
    for part in block.slices():
        activations, fired = rule_base.activations(part.values)
        weight = part.weights(mean_weight)
        support += weight @ activations
        n_uncovered += int((~fired).sum())
        total += float(weight.sum())
    return Cover(support, n_uncovered, total)


def add_covers(first: Cover, second: Cover) -> Cover:
    """Add up two sets of rows."""
    return Cover(first.support + second.support, first.n_uncovered + second.n_uncovered, first.weight + second.weight)


class Description(NamedTuple):
    """How a block is described: the rules, the ranges of inputs, the scale of the output, the mean weight.

    Whether it is also measured how true the rules are says `with_truth`.
    """

    rule_base: RuleBase
    low: Floats
    high: Floats
    target_scale: Scale
    mean_weight: float
    with_truth: bool


class Described(NamedTuple):
    """Sums over some rows.

    Attributes
    ----------
    sums : ndarray of shape (5,)
        Of predictions, squared errors, outputs and their squares, in standardised units, and of weights.
    histograms : ndarray of shape (n_inputs, N_BINS)
        Of the inputs.
    truth : TruthSums or None
        What the truth of the rules is made of, in standardised units, where it is asked for.
    places : PlaceSums
        Where the rows of each rule lie.
    """

    sums: Floats
    histograms: Floats
    truth: TruthSums | None
    places: PlaceSums


def describe_block(block: Block, job: Description) -> Described:
    """Sum up a block."""
    sums, histograms = np.zeros(5), np.zeros((len(job.low), N_BINS))
    truth = TruthSums(*np.zeros((3, job.rule_base.n_rules))) if job.with_truth else None
    places = no_rows(job.rule_base)
    for part in block.slices():
        weight = part.weights(job.mean_weight)
        y, predicted = (job.target_scale.apply(t) for t in (part.target, job.rule_base.predict(part.values)))
        sums += [weight @ predicted, weight @ np.square(predicted - y), weight @ y, weight @ (y * y), weight.sum()]
        for j in range(len(job.low)):
            histograms[j] += histogram(part.values[:, j], weight, job.low[j], job.high[j])
        places = places.plus(PlaceSums.over_rows(job.rule_base, part.values, weight, job.low, job.high))
        if truth is not None:
            errors = rule_errors(job.rule_base, part.values, part.target)
            together, alone = (np.square(error / job.target_scale.spread) for error in (errors.together, errors.alone))
            truth = truth.plus(TruthSums.over_rows(together, alone, weight, errors.strongest, job.rule_base.n_rules))
    return Described(sums, histograms, truth, places)


def add_descriptions(first: Described, second: Described) -> Described:
    """Add up two sets of rows."""
    both = None if first.truth is None or second.truth is None else first.truth.plus(second.truth)
    places = first.places.plus(second.places)
    return Described(first.sums + second.sums, first.histograms + second.histograms, both, places)
