"""From the columns of a table to inputs: numbers, the parts of dates, and categories encoded by their effects."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._table.columns import MIN_ROWS_A_LEVEL, Kind, column_kind, warn_of_similar
from fruler._table.date_sources import (
    DAY,
    PERIODS,
    WEEKDAYS,
    Cycle,
    CycleSource,
    TrendSource,
    Unit,
    WeekdaySource,
    cycle_places,
    weekday_codes,
)
from fruler._table.dates import DateFormat
from fruler._table.sources import LevelSource, NumberSource, Source
from fruler._table.texts import category_texts, column_texts, level_codes

# Each line over a cycle has at least this share of the rows.
_MIN_SHARE = 0.05
# The gain in fit that another start than the first needs, in mean squared errors of a row for each doubling of the
# rows: the best of many starts gains this much even without a cycle.
_WORTH = 4.0
# Starts are equally good if their errors differ by at most this share of the target's sum of squares.
_ALIKE = 1e-9


def cycle_start(places: Floats, period: float, n_bins: int, y: Floats, weight: Floats) -> float:
    """Return the place from which a cycle is best described by two straight lines, one after the other.

    A step in the target, such as one at the beginning of winter, becomes the start; so does the lowest or the highest
    point of a wave, from which it rises and falls.

    Parameters
    ----------
    places : ndarray of shape (n_rows,)
        The place of each row in the cycle, from 0 to `period`; NaN where unknown.
    period : float
        The length of the cycle.
    n_bins : int
        The number of places where the cycle may start.
    y, weight : ndarray of shape (n_rows,)
        The target and the row weights.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.arange(366.0)
    >>> winter = (days < 51.0) | (days >= 305.0)
    >>> cycle_start(days, 366.0, 366, np.where(winter, 5.0, 1.0), np.ones(366))
    51.0
    """
    there = np.isfinite(places)
    places, y, weight = places[there], y[there], weight[there]
    bins = np.minimum((places * (n_bins / period)).astype(np.intp), n_bins - 1)
    mean = np.average(y, weights=weight)
    sums = [
        np.bincount(bins, weights=term, minlength=n_bins).astype(np.float64) for term in (weight, weight * (y - mean))
    ]
    errors = _errors_by_start(sums[0], sums[1])
    if not np.isfinite(errors).any():
        return 0.0
    total = float(weight @ np.square(y - mean))
    # Both ends of a step fit equally well: the earlier one is taken, whatever rounding prefers.
    best = int(np.argmax(errors <= errors.min() + _ALIKE * total))
    explained = float(np.square(sums[1]) @ (1.0 / np.maximum(sums[0], np.finfo(float).tiny)))
    # The error within the bins is the same for every start.
    noise = (total - explained + errors[best]) / weight.sum()
    gain = errors[0] - errors[best]
    return best * period / n_bins if gain > _WORTH * np.log2(max(len(y), 2)) * noise else 0.0


def _errors_by_start(weight: Floats, sum_y: Floats) -> Floats:
    """Return the smallest squared error of two lines over the means of bins, for every bin as the start."""
    n = len(weight)
    # Two cycles, so that one cycle from any start is in one piece.
    w, wy = np.tile(weight, 2), np.tile(sum_y, 2)
    x = np.arange(2 * n) / n - 1.0
    wyy = np.square(wy) / np.maximum(w, np.finfo(float).tiny)
    before = [np.concatenate([[0.0], np.cumsum(term)]) for term in (w, w * x, wy, w * x * x, wy * x, wyy)]
    start, split = np.arange(n)[:, None], np.arange(1, n)[None, :] + np.arange(n)[:, None]
    left, right = ([sums[end] - sums[begin] for sums in before] for begin, end in ((start, split), (split, start + n)))
    errors = _line_error(*left) + _line_error(*right)
    least = _MIN_SHARE * weight.sum()
    return np.asarray(np.where((left[0] >= least) & (right[0] >= least), errors, np.inf).min(axis=1))


def _line_error(w: Floats, wx: Floats, wy: Floats, wxx: Floats, wxy: Floats, wyy: Floats) -> Floats:
    """Return the squared error of the best line from the sums over its rows."""
    heavy = np.maximum(w, np.finfo(float).tiny)
    spread = np.maximum(wxx - wx * wx / heavy, 0.0)
    both = wxy - wx * wy / heavy
    by_line = np.where(spread > 1e-12 * heavy, np.square(both) / np.maximum(spread, np.finfo(float).tiny), 0.0)
    return np.asarray(np.maximum(wyy - wy * wy / heavy - by_line, 0.0))


Codes = npt.NDArray[np.intp]

# Rounds in which the effects and their variance are estimated in turn.
_N_ROUNDS = 8
# The limits of the ridge on effects, in rows.
_LEAST_RIDGE, _LARGEST_RIDGE = 0.5, 1e4
# The ridge on the slopes of numbers, as a share of the rows: enough for columns that repeat each other.
_SLOPE_RIDGE = 1e-6
# The number of folds, and the standard errors by which effects must show on held-out rows.
_N_FOLDS = 5
_SHOWS = 2.0
# If shrinkage keeps this share of the effects of a column, on average, held-out effects are not needed.
_WELL_KNOWN = 0.9


class Effects(NamedTuple):
    """The effects of the categories of a column on the target.

    Attributes
    ----------
    levels : ndarray of shape (n_levels,)
        The effect of each category, in the target's unit, with a mean of zero over the rows. All are zero if the column
        has no effect.
    held_out : ndarray of shape (n_rows,)
        The effect for each row, estimated from other rows where that matters: slopes that are fitted to these effects
        do not mistake a row's own noise for an effect.
    """

    levels: Floats
    held_out: Floats


def level_effects(codes: Sequence[Codes], sizes: Sequence[int], X: Floats, y: Floats, weight: Floats) -> list[Effects]:
    """Return the effects of the categories of some columns on y, next to linear effects of the numbers in X.

    The effects of a column are random effects around zero; their variance, and so their shrinkage, is estimated from
    the rows. A column whose effects do not show on held-out rows has none.

    Parameters
    ----------
    codes : sequence of ndarray of int, shape (n_rows,)
        For each column the number of each row's category; -1 where it is missing.
    sizes : sequence of int
        The number of categories of each column.
    X : ndarray of shape (n_rows, n_numbers)
        Numbers without gaps.
    y, weight : ndarray of shape (n_rows,)
        The target and the row weights.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], 50)
    >>> y = 3.0 * codes + np.sin(np.arange(100.0))
    >>> [effects] = level_effects([codes], [2], np.empty((100, 0)), y, np.ones(100))
    >>> effects.levels.round(1).tolist()
    [-1.5, 1.5]
    """
    y = y - np.average(y, weights=weight)
    spread = X.std(axis=0)
    Z = np.column_stack([np.ones(len(y)), (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)])
    starts = np.cumsum([Z.shape[1], *sizes])
    blocks = [slice(a, b) for a, b in pairwise(starts)]
    # Neighbouring rows may be alike: folds are drawn at random, always with the same seed.
    folds = np.array_split(np.random.default_rng(0).permutation(len(y)), _N_FOLDS)
    parts = [
        _normal_equations([code[fold] for code in codes], sizes, starts, Z[fold], y[fold], weight[fold])
        for fold in folds
    ]
    gram, moment = (np.sum([part[k] for part in parts], axis=0) for k in range(2))
    beta, ridge = _shrunk(gram, moment, float(weight @ np.square(y)), float(weight.sum()), blocks)
    held_out = [np.zeros(len(y)) for _ in codes]
    left = y - Z @ beta[: Z.shape[1]]
    for fold, (own_gram, own_moment) in zip(folds, parts, strict=True):
        without = np.linalg.solve(gram - own_gram + np.diag(ridge), moment - own_moment)
        for values, code, block in zip(held_out, codes, blocks, strict=True):
            values[fold] = np.append(without[block], 0.0)[code[fold]]
    counts = np.diag(gram)
    effects = []
    for column, block in enumerate(blocks):
        values, own = held_out[column], beta[block]
        others = sum((one for k, one in enumerate(held_out) if k != column), start=np.zeros(len(y)))
        if not _shows(values, left - others, weight):
            effects.append(Effects(np.zeros(len(own)), np.zeros(len(y))))
            continue
        known = counts[block]
        mean = float(known @ own) / max(float(known.sum()), 1e-300)
        if float((known / (known + ridge[block])).mean()) >= _WELL_KNOWN:
            # A row's own share in an effect is next to nothing, and effects that differ by fold would be noise.
            values = np.append(own, 0.0)[codes[column]]
        effects.append(Effects(own - mean, np.where(codes[column] >= 0, values - mean, np.nan)))
    return effects


def _shrunk(gram: Floats, moment: Floats, square: float, total: float, blocks: list[slice]) -> tuple[Floats, Floats]:
    """Return the coefficients and the ridge on each; for effects it follows from their variance and the noise."""
    q = blocks[0].start
    ridge = np.full(len(moment), 1.0)
    ridge[:q] = _SLOPE_RIDGE * total
    beta: Floats = np.zeros(len(moment))
    for _ in range(_N_ROUNDS):
        solved = np.linalg.solve(gram + np.diag(ridge), np.column_stack([moment, np.eye(len(ridge))]))
        beta, inverse = np.asarray(solved[:, 0], dtype=np.float64), solved[:, 1:]
        freedom = max(total - float(np.einsum("ij,ji->", inverse, gram)), 1.0)
        noise = max(float(square - 2.0 * beta @ moment + beta @ gram @ beta) / freedom, 0.0)
        for block in blocks:
            # The mean square of the effects, plus their uncertainty.
            apart = float((np.square(beta[block]) + noise * np.diag(inverse)[block]).mean())
            share = noise / apart if apart > 0.0 else np.inf
            ridge[block] = np.clip(share, _LEAST_RIDGE, _LARGEST_RIDGE)
    return beta, ridge


def _shows(values: Floats, left: Floats, weight: Floats) -> bool:
    """Return whether held-out effects explain more of the residuals than chance would."""
    size = float(weight @ np.square(values))
    if size <= 0.0:
        return False
    slope = float(weight @ (values * left)) / size
    noise = float(weight @ np.square(left - slope * values)) / max(float(weight.sum()), 1.0)
    return bool(slope * np.sqrt(size) > _SHOWS * np.sqrt(noise))


def _normal_equations(
    codes: Sequence[Codes], sizes: Sequence[int], starts: npt.NDArray[np.intp], Z: Floats, y: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Return the Gram matrix of numbers and categories, and their moments, by counting rather than multiplying."""
    order, q = int(starts[-1]), Z.shape[1]
    gram, moment = np.zeros((order, order)), np.zeros(order)
    weighted = Z * weight[:, None]
    gram[:q, :q], moment[:q] = weighted.T @ Z, weighted.T @ y
    for one, (code, size) in enumerate(zip(codes, sizes, strict=True)):
        own = slice(starts[one], starts[one + 1])
        known = code >= 0
        at = code[known]
        gram[own, :q] = np.column_stack(
            [np.bincount(at, weights=column, minlength=size) for column in weighted[known].T]
        )
        gram[:q, own] = gram[own, :q].T
        moment[own] = np.bincount(at, weights=(weight * y)[known], minlength=size)
        for two in range(one + 1):
            both = known & (codes[two] >= 0)
            pairs = code[both] * sizes[two] + codes[two][both]
            counts = np.bincount(pairs, weights=weight[both], minlength=size * sizes[two]).reshape(size, sizes[two])
            other = slice(starts[two], starts[two + 1])
            gram[own, other] = counts
            gram[other, own] = counts.T
    return gram, moment


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, which do not depend on the target.

    Attributes
    ----------
    source : Source
        The source of the input.
    values : ndarray of shape (n_rows,)
        The numbers, NaN where missing.
    """

    source: Source
    values: Floats

    @property
    def filled(self) -> Floats:
        """The numbers, with their mean where one is missing."""
        return np.where(np.isnan(self.values), np.nanmean(self.values), self.values)


@dataclass(frozen=True, eq=False)
class Places:
    """Places in a cycle; the target decides from where they are counted.

    Attributes
    ----------
    source : callable
        Makes the source, given the place to count from.
    values : ndarray of shape (n_rows,)
        From 0 to the length of the cycle, NaN where missing.
    period : float
        The length of the cycle.
    n_bins : int
        The number of places where the cycle may start.
    """

    source: Callable[[float], Source]
    values: Floats
    period: float
    n_bins: int

    def counted(self, y: Floats, weight: Floats) -> Numbers:
        """Return the places, counted from the start at which two lines fit a target best."""
        start = cycle_start(self.values, self.period, self.n_bins, y, weight)
        return Numbers(self.source(start), np.mod(self.values - start, self.period))


@dataclass(frozen=True, eq=False)
class Categories:
    """Categories, to be numbered by their effects on the target.

    Attributes
    ----------
    source : callable
        Makes the source of an input, given the number of each category.
    levels : tuple of str
        The names of the categories.
    codes : ndarray of int, shape (n_rows,)
        The position of each row's category in `levels`, -1 where it is missing.
    """

    source: Callable[[Sequence[float]], LevelSource]
    levels: tuple[str, ...]
    codes: npt.NDArray[np.intp]

    def inputs(self, name: str, effects: Effects | None) -> dict[str, LevelSource]:
        """Return one input of effects if these are given, else inputs of 0 and 1."""
        if effects is not None:
            return {name: self.source(effects.levels.tolist())}
        if len(self.levels) <= 2:
            return {name: self.source([0.0, 1.0][: len(self.levels)])}
        return {f"{name}={one}": self.source([float(level == one) for level in self.levels]) for one in self.levels}


# The days that dates must span for the day of the year, the weekday and the hour: a season that has not come back adds
# nothing to the elapsed time.
_SEASONS, _TWO_WEEKS, _TWO_DAYS = 548.0, 14.0, 2.0
# From this span in days on, time is counted in years.
_TWO_YEARS = 730.0
# The places where a cycle may start: days, and quarters of an hour.
_BINS: dict[Cycle, int] = {"day of year": 366, "hour": 96}


def date_parts(values: pd.Series) -> dict[str, Numbers | Places | Categories]:
    """Return the parts of dates that vary in a column, by name; the elapsed time has the name "".

    Examples
    --------
    >>> import pandas as pd
    >>> list(date_parts(pd.Series(pd.date_range("2020-01-01", periods=800))))
    ['', 'day of year', 'weekday']
    >>> list(date_parts(pd.Series(pd.date_range("2020-01-01", periods=800, freq="h"))))
    ['', 'weekday', 'hour']
    """
    column, dates = str(values.name), DateFormat.of(values)
    seconds = dates.seconds(values)
    known = seconds[np.isfinite(seconds)]
    span = float(np.ptp(known)) / DAY
    trend = _trend(column, dates, float(known.min()), span)
    parts: dict[str, Numbers | Places | Categories] = {"": Numbers(trend, trend.numbers(values))}
    if span >= _SEASONS:
        parts["day of year"] = _places(column, "day of year", dates, seconds)
    codes = weekday_codes(seconds)
    found = np.unique(codes[codes >= 0])
    # For monthly dates, the weekday of the first says nothing about the month.
    monthly = (
        known.astype("datetime64[s]").astype("datetime64[M]").astype("datetime64[s]").astype(float) == known
    ).all()
    if not monthly and span >= _TWO_WEEKS and len(found) > 1 and len(known) >= MIN_ROWS_A_LEVEL * len(found):
        levels = tuple(WEEKDAYS[code] for code in found)
        places = np.append(np.where(np.isin(range(len(WEEKDAYS)), found), np.searchsorted(found, range(7)), -1), -1)
        source = partial(WeekdaySource, column, levels, dates=dates)
        parts["weekday"] = Categories(source, levels, places[codes])
    if span >= _TWO_DAYS and np.ptp(np.mod(known, DAY)) > 0.0:
        parts["hour"] = _places(column, "hour", dates, seconds)
    return parts


def _places(column: str, cycle: Cycle, dates: DateFormat, seconds: Floats) -> Places:
    source = partial(CycleSource, column, cycle, dates=dates)
    return Places(source, cycle_places(seconds, cycle), PERIODS[cycle], _BINS[cycle])


def _trend(column: str, dates: DateFormat, first: float, span: float) -> TrendSource:
    unit: Unit = "years" if span >= _TWO_YEARS else "days" if span >= _TWO_DAYS else "hours"
    start = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=first)
    if unit == "years":
        start = start.replace(month=1, day=1)
    hour = start.hour if unit == "hours" else 0
    return TrendSource(column, start.replace(hour=hour, minute=0, second=0, microsecond=0), unit, dates)


@dataclass(frozen=True, eq=False)
class EncodedInputs:
    """The inputs of a table.

    Attributes
    ----------
    names : list of str
        The names of the inputs.
    sources : list of Source
        The source of each input.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows, NaN where there is a gap.
    held_out : ndarray of shape (n_rows, n_inputs)
        The same for fitting slopes, with the effects of categories estimated from other rows.
    """

    names: list[str]
    sources: list[Source]
    values: Floats
    held_out: Floats


def learn_inputs(
    table: pd.DataFrame,
    y: Floats,
    weight: Floats | None = None,
    *,
    declared: Collection[Any] = (),
    one_hot: bool = False,
) -> EncodedInputs:
    """Find the kinds of the columns of a table, and turn the columns into inputs.

    A column of numbers becomes one input. So does a column of categories: the number of a category is its effect on the
    target, so that a split point separates categories with small effects from those with large ones, and a slope gives
    each an offset. With `one_hot` it becomes an input of 0 and 1 for each category, or one for two categories. A column
    of dates becomes the elapsed time and, where they vary, the day of the year, the weekday and the hour.

    Parameters
    ----------
    table : DataFrame
        The columns.
    y : ndarray of shape (n_rows,)
        The target.
    weight : ndarray of shape (n_rows,), optional
        The row weights.
    declared : collection
        The columns that the user declared as categorical, whatever their type.
    one_hot : bool
        Whether each category becomes an input of its own.

    Raises
    ------
    UnusableColumn
        If a column cannot be an input.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, np.nan, 3.0, 4.0] * 3, "colour": ["red", "red", "blue", "blue"] * 3})
    >>> inputs = learn_inputs(table, np.tile([1.0, 1.0, 5.0, 5.0], 3))
    >>> inputs.names, inputs.values[1].round(1).tolist()
    (['size', 'colour'], [nan, -1.7])
    """
    weight = np.ones(len(y)) if weight is None else weight
    kinds = {name: column_kind(table[name], name in declared) for name in table.columns}
    warn_of_similar(table, [name for name, kind in kinds.items() if kind == "category"])
    parts = _parts(table, kinds)
    numbers = {name: part for name, part in parts.items() if isinstance(part, Numbers)}
    cycles = {name: part for name, part in parts.items() if isinstance(part, Places)}
    left = _beside(numbers, y, weight) if cycles else y
    numbers |= {name: part.counted(left, weight) for name, part in cycles.items()}
    categories = {name: part for name, part in parts.items() if isinstance(part, Categories)}
    effects = {} if one_hot else _effects(numbers, categories, y, weight)
    sources: dict[str, Source] = {}
    columns: list[Floats] = []
    held_out: list[Floats] = []
    for name in parts:
        own: dict[str, Source] = {}
        if name in numbers:
            own[name] = numbers[name].source
            columns.append(numbers[name].values)
            held_out.append(numbers[name].values)
        else:
            coded = categories[name].inputs(name, effects.get(name))
            own |= coded
            columns += [np.append(source.values, np.nan)[categories[name].codes] for source in coded.values()]
            held_out += [effects[name].held_out] if name in effects else columns[-len(coded) :]
        _refuse_repeated(sources, own)
        sources |= own
    return EncodedInputs(list(sources), list(sources.values()), np.column_stack(columns), np.column_stack(held_out))


def _parts(table: pd.DataFrame, kinds: Mapping[Any, Kind]) -> dict[str, Numbers | Places | Categories]:
    """Return the parts of the columns, by the name of the input; a column of dates has several."""
    parts: dict[str, Numbers | Places | Categories] = {}
    n_dates = sum(kind == "date" for kind in kinds.values())
    for column, kind in kinds.items():
        name, values = str(column), table[column]
        if kind == "number":
            source = NumberSource(name)
            own: dict[str, Numbers | Places | Categories] = {name: Numbers(source, source.numbers(values))}
        elif kind == "category":
            levels = _levels(values)
            codes = level_codes(column_texts(values, levels), levels)
            own = {name: Categories(partial(LevelSource, name, levels), levels, codes)}
        else:
            # "weekday" is clear if there is only one column of dates.
            own = {
                name if not part else part if n_dates == 1 and part not in table.columns else f"{part} of {name}": found
                for part, found in date_parts(values).items()
            }
        _refuse_repeated(parts, own)
        parts |= own
    return parts


def _refuse_repeated(names: Mapping[str, object], own: Mapping[str, object]) -> None:
    repeated = next((name for name in own if name in names), None)
    if repeated is not None:
        raise ValueError(f"Two columns become the input {repeated!r}; rename one of them.")


def _levels(values: pd.Series) -> tuple[str, ...]:
    """Return the categories of a column as they are declared, else "no" first, numbers by size, and text by alphabet.

    A column with a single category is kept: a part of a table may have lost its rare categories.
    """
    present = set(category_texts(values).dropna().unique())
    if isinstance(values.dtype, pd.CategoricalDtype):
        declared = column_texts(pd.Series(values.cat.categories), present)
        return tuple(dict.fromkeys(text for text in declared if text in present))
    return tuple(sorted(present, key=_order))


def _order(text: str) -> tuple[bool, float, str]:
    number = pd.to_numeric(text, errors="coerce")
    return text.lower() not in ("no", "n", "false"), np.inf if np.isnan(number) else float(number), text


def _beside(numbers: Mapping[str, Numbers], y: Floats, weight: Floats) -> Floats:
    """Return the residuals of a linear regression of the target on numbers."""
    root = np.sqrt(weight)
    design = np.column_stack([np.ones(len(y)), *(part.filled for part in numbers.values())])
    design /= np.maximum(np.abs(design).max(axis=0), np.finfo(float).tiny)
    slopes, *_ = np.linalg.lstsq(design * root[:, None], y * root, rcond=1e-10)
    return np.asarray(y - design @ slopes)


def _effects(
    numbers: Mapping[str, Numbers], categories: Mapping[str, Categories], y: Floats, weight: Floats
) -> dict[str, Effects]:
    if not categories:
        return {}
    X = np.column_stack([part.filled for part in numbers.values()]) if numbers else np.empty((len(y), 0))
    codes, sizes = [part.codes for part in categories.values()], [len(part.levels) for part in categories.values()]
    found = level_effects(codes, sizes, X, y, weight)
    return dict(zip(categories, found, strict=True))
