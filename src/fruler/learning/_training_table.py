"""The table that every algorithm learns from: its rows, or a sample of them, are in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from fruler._arrays import Floats, Indices
from fruler._table.constraints import domains_with_room
from fruler._table.rows import Counts, Rows, Standardization, measure_scale, part_counts, rows_alike, spread_evenly
from fruler.learning._folds import Folds
from fruler.rules._background import TrainingSummary
from fruler.rules._measurement import MAX_ROWS_EXPLAINED, training_summary
from fruler.rules._output import PLAIN, Output
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth

Result = TypeVar("Result")


class TrainingSample(NamedTuple):
    """Some rows of a table, in their own units."""

    values: Floats
    target: Floats
    weight: Floats | None

    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return the summary of these rows for a rule base."""
        return training_summary(rule_base, self.values, self.target, self.weight, cv_error=cv_error, truth=truth)


@dataclass(frozen=True, eq=False)
class TrainingTable(ABC):
    """A checked table that an algorithm learns from, wherever its rows are.

    Rows of weight zero are left out; the others are numbered from 0.

    Attributes
    ----------
    scale, target_scale : Standardization
        How inputs and output are standardised.
    names : sequence of str
        The names of the inputs.
    domains : ndarray of shape (n_inputs, 2)
        The smallest and the largest value of each input, in its own units; wider where known splits need it.
    known_splits : dict of int to ndarray
        The split points given by the user, by input, in its own units.
    levels : dict of int to ndarray
        The numbers of the categories, in increasing order, by input; only for inputs that stand for categories.
    output : Output
        The link and the bounds. An algorithm learns the linked target, in rows, errors and truths: with the link "log"
        it is the logarithm.
    folds : Folds or None
        The folds of the cross-validation that the user asked for.
    """

    scale: Standardization
    target_scale: Standardization
    names: Sequence[str]
    domains: Floats
    known_splits: dict[int, Floats]
    levels: dict[int, Floats]
    output: Output
    folds: Folds | None

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return len(self.names)

    def level_splits(self, input: int) -> Floats:
        """Return the points half-way between the categories of an input, in its own units."""
        numbers = self.levels[input]
        return np.asarray((numbers[1:] + numbers[:-1]) / 2.0)

    @property
    def error_unit(self) -> float:
        """The factor from the mean loss of standardised outputs to that in units: half a mean squared error, or all."""
        return self.output.loss.unit(self.target_scale)

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows, without those of weight zero."""

    @property
    @abstractmethod
    def digests(self) -> dict[str, str]:
        """Digests of the data, by name."""

    @property
    @abstractmethod
    def sample(self) -> TrainingSample:
        """Rows spread evenly over the table, enough to explain a model."""

    @abstractmethod
    def take(self, indices: Indices) -> Rows:
        """Return some rows, standardised, in the order of `indices`."""

    @abstractmethod
    def rows_alike(self) -> Counts:
        """Return the number of similar rows for each row, see `fruler._table.rows`; the output counts like an input."""

    @abstractmethod
    def given_numbers(self, indices: Indices) -> Indices:
        """Return the positions of rows in the table as given, which includes rows of weight zero."""

    @abstractmethod
    def mean_loss(self, rule_base: RuleBase) -> float:
        """Return the mean loss of a rule base: half the mean squared error, or all of another loss."""

    @abstractmethod
    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return the summary of all rows for a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        cv_error : float
            Half the mean squared error on held-out rows; NaN if it is not known.
        truth : Truth, optional
            How true the rules are one by one on held-out rows; None: it is measured on the rows of this table.
        """


@dataclass(frozen=True, eq=False)
class LocalTable(TrainingTable):
    """A table whose rows are in memory, both standardised and in their own units.

    Attributes
    ----------
    values, target : ndarray
        The inputs and the output that is learned, in their own units.
    observed : ndarray
        The target itself; the output that is learned may be its logarithm.
    weight : ndarray or None
        The weight of each row; one on average.
    rows : Rows
        The standardised rows.
    given : ndarray or None
        The positions of the rows in the table as given; None: no row was left out.
    """

    values: Floats
    target: Floats
    weight: Floats | None
    rows: Rows
    given: Indices | None
    observed: Floats

    @classmethod
    def from_arrays(
        cls,
        values: Floats,
        target: Floats,
        weight: Floats | None,
        names: Sequence[str],
        split_points: Mapping[str | int, Any] | None,
        levels: Mapping[int, Floats] | None = None,
        terms: Floats | None = None,
        weighted_scale: bool = False,
        output: Output = PLAIN,
        observed: Floats | None = None,
        folds: Folds | None = None,
    ) -> Self:
        """Drop rows of weight zero, standardise the others, and check the split points given by the user."""
        given, observed = None, target if observed is None else observed
        if weight is not None:
            given = np.flatnonzero(weight)
            values, target, weight = values[given], target[given], weight[given] / weight.max()
            observed, folds = observed[given], None if folds is None else folds.take(given)
            weight /= weight.mean()
        counted = weight if weighted_scale else None
        output = replace(output, loss=output.loss.settled(target))
        scale, target_scale = measure_scale(values, counted), output.loss.scale(target, counted)
        if terms is not None:
            terms = scale.apply(terms if given is None else terms[given])
        rows = Rows.from_arrays(scale.apply(values), output.loss.standardised(target, target_scale), weight, terms)
        ends = np.column_stack([values.min(axis=0), values.max(axis=0)])
        domains, known_splits = domains_with_room(ends, names, split_points)
        return cls(
            scale,
            target_scale,
            names,
            domains,
            known_splits,
            dict(levels or {}),
            output,
            folds,
            values,
            target,
            weight,
            rows,
            given,
            observed,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def n_all(self) -> int:
        """The number of rows that models are fitted on; those in memory may be a sample of them."""
        return self.n_rows

    @property
    def digests(self) -> dict[str, str]:
        """Digests of the data, by name."""
        folds = {} if self.folds is None else {"cv": digest(self.folds.sides.astype(np.float64))}
        rows = {"X": digest(self.values), "y": digest(self.observed), "sample_weight": digest(self.weight)}
        return rows | folds

    @cached_property
    def sample(self) -> TrainingSample:
        """Rows spread evenly over the table."""
        some = spread_evenly(self.n_rows, MAX_ROWS_EXPLAINED)
        return TrainingSample(
            self.values[some], self.observed[some], None if self.weight is None else self.weight[some]
        )

    def take(self, indices: Indices) -> Rows:
        """Return some rows, standardised."""
        return self.rows.take(indices)

    def total(
        self,
        work: Callable[[Rows], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Apply a function to all rows; `merge` joins the results of two sets of rows, and `name` names the pass."""
        return work(self.rows)

    def coverage(self, rule_base: RuleBase) -> tuple[Floats, int]:
        """Return the support of each rule, and the number of rows in which no rule fires."""
        activations, fired = rule_base.inference.activations(self.values)
        weight = self.rows.weight
        return np.asarray((weight[:, None] * activations).sum(axis=0) / weight.sum()), int((~fired).sum())

    def rows_alike(self) -> Counts:
        """Return the number of similar rows for each row."""
        low, high = (np.append(end(self.values, axis=0), end(self.target)) for end in (np.min, np.max))
        ends = np.column_stack([low, high])
        return rows_alike(self.values, self.target, ends, part_counts(self.values, self.target, ends))

    def given_numbers(self, indices: Indices) -> Indices:
        """Return the positions of rows in the table as given."""
        return indices if self.given is None else self.given[indices]

    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return the summary of all rows for a rule base."""
        return training_summary(rule_base, self.values, self.observed, self.weight, cv_error=cv_error, truth=truth)

    def mean_loss(self, rule_base: RuleBase) -> float:
        """Return the mean loss of a rule base."""
        raw = rule_base.inference.raw_predictions(self.values)
        return self.output.loss.mean_loss(self.output, raw, self.observed, self.weight)


def digest(values: Floats | None) -> str:
    """Return a digest of an array, equal for equal numbers only.

    Examples
    --------
    >>> import numpy as np
    >>> digest(np.array([0.0, 1.0])) == digest(np.array([-0.0, 1.0])) != digest(np.array([1.0, 0.0]))
    True
    """
    if values is None:
        return "none"
    # Adding zero turns a negative zero into a positive one, as the two are equal.
    content = np.ascontiguousarray(values) + 0.0
    return f"{content.shape} {blake2b(content.data, digest_size=16).hexdigest()}"
