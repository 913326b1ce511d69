"""Tables larger than memory: one pass draws a sample, on which rules are grown; later passes sum up all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype, union_categoricals
from sklearn.base import BaseEstimator

from fruler._arrays import LARGEST_VALUE, Floats, Indices
from fruler._table.columns import UnusableColumn
from fruler._table.gaps import Gaps
from fruler._table.reading import (
    as_frame,
    check_training_table,
    is_numeric,
    number_table,
    refuse_bad_weights,
)
from fruler._table.rows import Rows, Standardization
from fruler._table.sources import NumberSource, Source, UnfitValue
from fruler._table.training import TrainingInputs
from fruler.data._scan import Batch, Result, TableScan, TrainingPart
from fruler.learning._folds import Folds
from fruler.learning._training_table import LocalTable
from fruler.rules._background import TrainingSummary
from fruler.rules._measurement import histogram
from fruler.rules._output import Output
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth

# The maximum number of rows in the sample.
MAX_SAMPLE_ROWS = 250_000
# The sample takes about this many times the memory of its numbers, which may be this share of the memory of a fit.
_COPIES_OF_THE_SAMPLE, _SHARE_OF_SAMPLE = 6, 0.5

# Splits a batch into inputs, target and weights.
Split = Callable[[Batch], TrainingPart]
# Analyses the columns of rows in memory, given as inputs, target and weights.
Learn = Callable[[Any, Floats, Floats | None], TrainingInputs]
# Makes the folds of rows in memory, given as inputs, target and groups.
Fold = Callable[[Any, Floats, Any], Folds | None]
# The smallest and the largest value.
Ends = tuple[float, float]


def sample_size(max_memory: float, n_columns: int) -> int:
    """Return the maximum number of rows of a sample that keeps to a memory in megabytes."""
    fitting = int(_SHARE_OF_SAMPLE * max_memory * 1e6 / (8 * _COPIES_OF_THE_SAMPLE * n_columns))
    return min(MAX_SAMPLE_ROWS, max(fitting, 2))


@lru_cache(maxsize=4)
def sampled_rows(n_rows: int, most: int) -> Indices:
    """Return the numbers of the rows in the sample, in increasing order: all, or one of every few.

    The sample is the same whatever the seed, so that the types of columns do not change from one search to the next,
    and wherever the rows are.
    """
    if n_rows <= most:
        return np.arange(n_rows)
    edges = np.arange(most + 1) * n_rows // most
    return np.asarray(edges[:-1] + (np.random.default_rng(0).random(most) * np.diff(edges)).astype(np.intp))


def sample_frame(scan: TableScan, most: int) -> pd.DataFrame:
    """Return the rows of a sample with all of their columns, from one pass."""
    taken = scan.reduce(partial(_taken, rows=sampled_rows(scan.n_rows, most)), list.__add__, "sample")
    return pd.DataFrame(joined_tables(taken))


def _taken(batch: Batch, rows: Indices) -> list[pd.DataFrame]:
    return [batch.data.to_pandas().iloc[_own(rows, batch.first, batch.data.num_rows)]]


def _own(rows: Indices, first: int, n_rows: int) -> Indices:
    """Return which of increasing row numbers belong to consecutive rows, counted from the first of these."""
    return np.asarray(rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + n_rows)] - first)


@dataclass(frozen=True, eq=False)
class Collected:
    """The results of the first pass over some rows.

    Attributes
    ----------
    n_rows, n_counting : int
        The number of rows, and of rows with a nonzero weight.
    weight : float
        The sum of the weights.
    target : tuple of float
        The smallest and the largest target.
    ends : mapping of str to tuple of float
        The smallest and the largest value of columns of numbers.
    samples : tuple of TrainingPart
        The rows in the sample.
    problems : tuple of str
        Why rows cannot be used for learning.
    """

    n_rows: int
    n_counting: int
    weight: float
    target: Ends
    ends: Mapping[str, Ends]
    samples: tuple[TrainingPart, ...]
    problems: tuple[str, ...]

    def plus(self, other: Collected) -> Collected:
        """Return the results of both sets of rows."""
        ends = {**self.ends, **other.ends}
        for name in self.ends.keys() & other.ends.keys():
            ends[name] = joined_ends(self.ends[name], other.ends[name])
        return Collected(
            self.n_rows + other.n_rows,
            self.n_counting + other.n_counting,
            self.weight + other.weight,
            joined_ends(self.target, other.target),
            ends,
            self.samples + other.samples,
            self.problems + other.problems,
        )


def joined_ends(one: Ends, other: Ends) -> Ends:
    """Return the smaller of two minima, and the larger of two maxima."""
    return min(one[0], other[0]), max(one[1], other[1])


@dataclass(frozen=True)
class Collection:
    """The first pass: how batches are split and checked, and the size of the table and of its sample.

    With `declared`, the user declared columns of numbers to be categories.
    """

    split: Split
    output: Output
    n_rows: int
    most: int
    declared: bool

    def __call__(self, batch: Batch) -> Collected:
        """Check a batch, measure it, and take the rows of the sample."""
        nothing = Collected(0, 0, 0.0, (np.inf, -np.inf), {}, (), ())
        try:
            part = self.split(batch)
            n_rows = len(part.X)
            if n_rows == 0:
                return nothing
            _, target, _ = check_training_table(BaseEstimator(), np.zeros((n_rows, 1)), _flat(part.y), min_rows=1)
            self.output.learned(target)
            weight = None if part.weight is None else np.asarray(part.weight, dtype=np.float64).reshape(-1)
            if weight is not None:
                refuse_bad_weights(weight)
            ends = _ends_of(part.X, self.declared)
        except (TypeError, ValueError) as error:
            return replace(nothing, problems=(f"{batch.place}: {error}",))
        own = _own(sampled_rows(self.n_rows, self.most), batch.first, n_rows)
        X = part.X.iloc[own] if hasattr(part.X, "iloc") else part.X[own]
        return Collected(
            n_rows,
            n_rows if weight is None else int(np.count_nonzero(weight)),
            n_rows if weight is None else float(weight.sum()),
            (float(target.min()), float(target.max())),
            ends,
            (
                TrainingPart(
                    X,
                    target[own],
                    None if weight is None else weight[own],
                    batch.first,
                    batch.place,
                    None if part.groups is None else pd.Series(part.groups).iloc[own],
                ),
            ),
            (),
        )


def _flat(y: Any) -> Any:
    """Return one column as a flat array; other shapes are left to the checks."""
    values = np.asarray(y)
    return values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else y


def _ends_of(X: Any, declared: bool) -> dict[str, Ends]:
    """Return the ends of the columns of numbers.

    Raises
    ------
    ValueError
        If a number is infinite or too large, unless such columns may be categories.
    """
    frame = as_frame(X)
    ends = {}
    for name in frame.columns:
        column = frame[name]
        if not is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype):
            continue
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        low, high = float(values.min()), float(values.max())
        if np.isnan(low):
            values = values[~np.isnan(values)]
            if not len(values):
                continue
            low, high = float(values.min()), float(values.max())
        if max(abs(low), abs(high)) <= LARGEST_VALUE:
            ends[str(name)] = low, high
        elif not declared:
            if is_numeric(X):
                number_table(X, list(frame.columns), allow_nan=True)
            NumberSource(str(name)).numbers(column)
    return ends


class Outcome(NamedTuple):
    """The result of a pass over some rows, and the problems of these rows."""

    result: Any
    problems: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Preparation:
    """How the rows of a batch become standardised numbers.

    Attributes
    ----------
    split : callable
        Splits a batch into inputs, target and weights.
    sources : tuple of Source
        The sources of the inputs.
    gaps : Gaps
        The replacements of missing values.
    scale, target_scale : Standardization
        The scales of the inputs and of the target.
    mean_weight : float
        The weight of a row that counts as one row.
    output : Output
        The link and the bounds.
    """

    split: Split
    sources: tuple[Source, ...]
    gaps: Gaps
    scale: Standardization
    target_scale: Standardization
    mean_weight: float
    output: Output

    def numbers(self, X: Any) -> Floats:
        """Return the inputs of some rows, with gaps filled; column by column in memory, as they come and are used."""
        frame = as_frame(X)
        values = np.empty((len(self.sources), len(frame)))
        for j, source in enumerate(self.sources):
            values[j] = source.numbers(frame[source.column])
        return self.gaps.filled(values.T) if np.isnan(values).any() else values.T

    def rows(self, batch: Batch) -> Rows:
        """Return the rows of a batch with a nonzero weight."""
        part = self.split(batch)
        target = np.asarray(_flat(part.y), dtype=np.float64)
        values, weight = self.numbers(part.X), None
        if part.weight is not None:
            weight = np.asarray(part.weight, dtype=np.float64).reshape(-1) / self.mean_weight
            counted = np.flatnonzero(weight)
            values, target, weight = values[counted], target[counted], weight[counted]
        learned = self.output.loss.standardised(self.output.learned(target), self.target_scale)
        return Rows.from_arrays(self.scale.apply(values), learned, weight)

    def run(self, batch: Batch, work: Callable[[Rows], Result]) -> Outcome:
        """Apply a function to the rows of a batch; nothing is raised, since a cluster would try again in vain."""
        try:
            return Outcome(work(self.rows(batch)), ())
        except (TypeError, ValueError) as error:
            return Outcome(None, (f"{batch.place}: {error}",))


def merge_outcomes(first: Outcome, second: Outcome, merge: Callable[[Result, Result], Result]) -> Outcome:
    """Merge the results of two sets of rows, unless one has problems."""
    problems = first.problems + second.problems
    return Outcome(None if problems else merge(first.result, second.result), problems)


@dataclass(frozen=True, eq=False)
class SampledTable(LocalTable):
    """A table with more rows than its sample; the sample is in memory, and all rows can be passed over.

    Attributes
    ----------
    scan : TableScan
        All rows.
    preparation : Preparation
        How they become numbers.
    collected : Collected
        The results of the first pass.
    low, high : ndarray of shape (n_inputs,)
        The range of each input: of numbers over all rows, of other inputs over the sample.
    """

    scan: TableScan
    preparation: Preparation
    collected: Collected
    low: Floats
    high: Floats

    @classmethod
    def around(
        cls, sample: LocalTable, rows: Indices, made: TrainingInputs, scan: TableScan, split: Split, found: Collected
    ) -> Self:
        """Return the table of a sample, given by the numbers of its rows."""
        weights = [part.weight for part in found.samples if part.weight is not None]
        counted = np.concatenate(weights) if weights and sample.weight is not None else np.empty(0)
        preparation = Preparation(
            split,
            tuple(made.sources),
            made.moments.gaps(np.arange(len(made.names))),
            sample.scale,
            sample.target_scale,
            float(counted[counted > 0.0].mean()) if counted.any() else found.weight / found.n_counting,
            sample.output,
        )
        low, high = sample.values.min(axis=0), sample.values.max(axis=0)
        for j, source in enumerate(made.sources):
            if isinstance(source, NumberSource) and source.column in found.ends:
                low[j], high[j] = joined_ends((low[j], high[j]), found.ends[source.column])
        domains = np.column_stack([np.minimum(sample.domains[:, 0], low), np.maximum(sample.domains[:, 1], high)])
        given = rows if sample.given is None else rows[sample.given]
        own = {one.name: getattr(sample, one.name) for one in fields(sample)} | {"domains": domains, "given": given}
        return cls(**own, scan=scan, preparation=preparation, collected=found, low=low, high=high)

    @property
    def n_all(self) -> int:
        """The number of all rows, without those of weight zero."""
        return self.collected.n_counting

    @property
    def digests(self) -> dict[str, str]:
        """Digests of the data, by name."""
        found = self.collected
        return {**super().digests, "the table": f"{found.n_rows} {found.weight!r} {found.target} {dict(found.ends)}"}

    def total(
        self,
        work: Callable[[Rows], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Apply a function to all rows, batch by batch, and merge the results.

        Raises
        ------
        ValueError
            If a row cannot be used for learning.
        """
        outcome = self.scan.reduce(
            partial(self.preparation.run, work=work), partial(merge_outcomes, merge=merge), name, pool
        )
        raise_first_problem(outcome.problems)
        result: Result = outcome.result
        return result

    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return the summary of the rows: their number and ranges are those of all rows, the rest is of the sample."""
        weight = np.ones(self.n_rows) if self.weight is None else self.weight
        return replace(
            super().summarise(rule_base, cv_error, truth),
            n_rows=self.n_all,
            low=self.low,
            high=self.high,
            histograms=np.array(
                [histogram(self.values[:, j], weight, self.low[j], self.high[j]) for j in range(self.n_inputs)]
            ),
            target_low=self.collected.target[0],
            target_high=self.collected.target[1],
        )


def sample_table(scan: TableScan, split: Split, output: Output, *, declared: bool) -> tuple[Collected, Indices]:
    """Pass over a table once: check it, measure it, and draw a sample; return the results and the rows drawn.

    Raises
    ------
    ValueError
        If rows cannot be used for learning, or there are too few.
    """
    most = sample_size(scan.max_memory, max(len(scan.names), 1))
    pass_ = Collection(split, output, scan.n_rows, most, declared)
    found = scan.reduce(pass_, Collected.plus, "collect")
    raise_first_problem(found.problems)
    if found.n_rows != scan.n_rows:
        raise ValueError(
            f"The table had {scan.n_rows:,} rows when they were counted, and {found.n_rows:,} when they were read; "
            "write it to files that do not change."
        )
    if found.n_counting < 2:
        weighted = found.n_rows > 1
        told = "have a positive sample_weight" if weighted else "are in X"
        raise ValueError(f"Only {found.n_counting} rows {told}; at least 2 are needed.")
    return found, sampled_rows(scan.n_rows, most)


def learn_columns(
    scan: TableScan, found: Collected, rows: Indices, learn: Learn, fold: Fold
) -> tuple[TrainingInputs, Folds | None]:
    """Analyse the columns of the sample, as of a table in memory, and return its folds, too."""
    samples = [sample for sample in found.samples if len(sample.X)]
    X = joined_tables([part.X for part in samples])
    target = np.concatenate([part.y for part in samples])
    weights = [part.weight for part in samples if part.weight is not None]
    groups = [part.groups for part in samples if part.groups is not None]
    # If nearly all of many rows have weight zero, the sample may have no others.
    weight = np.concatenate(weights) if sum(np.count_nonzero(own) for own in weights) > 1 else None
    try:
        return learn(X, target, weight), fold(X, target, pd.concat(groups, ignore_index=True) if groups else None)
    except (UnusableColumn, UnfitValue) as error:
        if error.row is not None:
            prefix, row = scan.place_of(int(rows[error.row]))
            raise ValueError(f"{prefix}{error.at_row(row)}") from error
        if len(rows) == found.n_rows:
            raise
        raise ValueError(f"In a sample of {len(rows):,} rows: {error}") from error


def raise_first_problem(problems: Sequence[str]) -> None:
    """Raise an error with the first of some problems, if there are any, and with the number of others."""
    if problems:
        more = len(problems) - 1
        raise ValueError(problems[0] + (f" (Other parts with problems: {more}.)" if more else ""))


def joined_tables(tables: Sequence[Any]) -> Any:
    """Concatenate tables by rows; a column that is categorical in some of them becomes categorical.

    Examples
    --------
    >>> import pandas as pd
    >>> parts = [pd.DataFrame({"c": pd.Categorical([name])}) for name in ("red", "blue")]
    >>> joined_tables(parts)["c"].cat.categories.tolist()
    ['red', 'blue']
    """
    first = tables[0]
    if not hasattr(first, "columns"):
        return np.concatenate(tables)
    columns = [_joined([table.iloc[:, j] for table in tables]) for j in range(first.shape[1])]
    frame = pd.concat(columns, axis=1)
    frame.columns = first.columns
    return frame


def _joined(parts: list[pd.Series]) -> pd.Series:
    kinds = {part.dtype for part in parts}
    if any(isinstance(kind, pd.CategoricalDtype) for kind in kinds):
        coded = [pd.Categorical(part) for part in parts]
        if len({part.categories.dtype for part in coded}) > 1:
            coded = [pd.Categorical.from_codes(part.codes, part.categories.astype(object)) for part in coded]
        return pd.Series(union_categoricals(coded, ignore_order=True))
    if len(kinds) > 1 and not all(is_numeric_dtype(kind) and not is_bool_dtype(kind) for kind in kinds):
        # Keep each value as it is: a common type would hide a mix of text and numbers.
        parts = [part.astype(object) for part in parts]
    return pd.concat(parts, ignore_index=True)
