"""From the columns of a table to inputs: numbers, the parts of dates, and categories with numbers."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

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
from fruler._table.level_numbers import Numbering, level_numbers
from fruler._table.rows import fences, row_weights
from fruler._table.sources import LevelSource, NumberSource, Source
from fruler._table.texts import category_texts, column_texts, level_codes

# Each line over a cycle has at least this share of the rows.
_MIN_SHARE = 0.05
# The gain in fit that another start than the first needs, in mean squared errors of a row for each doubling of the
# rows: the best of many starts gains this much even without a cycle.
_WORTH = 4.0
# The maximum number of inputs of 0 and 1 for a column of categories.
_MAX_INDICATORS = 100
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
    """Categories, to be numbered.

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

    def indicators(self, name: str) -> dict[str, LevelSource]:
        """Return inputs of 0 and 1: one for two categories, else one for each of the most frequent categories."""
        if len(self.levels) <= 2:
            return {name: self.source([0.0, 1.0][: len(self.levels)])}
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))
        frequent = np.sort(np.argsort(-counts, kind="stable")[:_MAX_INDICATORS])
        return {
            f"{name}={one}": self.source([float(level == one) for level in self.levels])
            for one in (self.levels[k] for k in frequent)
        }


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
    each an offset. If categories change the slope of another input, they get numbers by these slopes, too. With
    `one_hot` a column becomes an input of 0 and 1 for each category, or one for two categories. A column of dates
    becomes the elapsed time and, where they vary, the day of the year, the weekday and the hour.

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
    (['size', 'colour'], [nan, 0.5])
    """
    weight = np.ones(len(y)) if weight is None else row_weights(weight)
    kinds = {name: column_kind(table[name], name in declared) for name in table.columns}
    warn_of_similar(table, [name for name, kind in kinds.items() if kind == "category"])
    parts = _parts(table, kinds)
    numbers = {name: part for name, part in parts.items() if isinstance(part, Numbers)}
    cycles = {name: part for name, part in parts.items() if isinstance(part, Places)}
    left = _beside(numbers, y, weight) if cycles else y
    numbers |= {name: part.counted(left, weight) for name, part in cycles.items()}
    categories = {name: part for name, part in parts.items() if isinstance(part, Categories)}
    numbered = {} if one_hot else _numbered(numbers, categories, y, weight)
    sources: dict[str, Source] = {}
    columns: list[Floats] = []
    held_out: list[Floats] = []
    for name in parts:
        own: dict[str, Source] = {}
        if name in numbers:
            own[name] = numbers[name].source
            columns.append(numbers[name].values)
            held_out.append(numbers[name].values)
        elif one_hot:
            indicators = categories[name].indicators(name)
            own |= indicators
            columns += [np.append(source.values, np.nan)[categories[name].codes] for source in indicators.values()]
            held_out += columns[-len(own) :]
        else:
            for title, one in numbered[name].items():
                own[title] = categories[name].source(one.levels.tolist())
                columns.append(np.append(one.levels, np.nan)[categories[name].codes])
                held_out.append(one.held_out)
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


def _numbered(
    numbers: Mapping[str, Numbers], categories: Mapping[str, Categories], y: Floats, weight: Floats
) -> dict[str, dict[str, Numbering]]:
    """Return the inputs of each column of categories, by name, with the numbers of the categories."""
    if not categories:
        return {}
    X = np.column_stack([part.filled for part in numbers.values()]) if numbers else np.empty((len(y), 0))
    low, high = fences(X)
    codes, sizes = [part.codes for part in categories.values()], [len(part.levels) for part in categories.values()]
    found = level_numbers(codes, sizes, np.clip(X, low, high), y, weight)
    names = [*numbers, *categories]
    return {
        name: {name if not place else f"{name} by {names[one.by or 0]}": one for place, one in enumerate(own)}
        for name, own in zip(categories, found, strict=True)
    }
