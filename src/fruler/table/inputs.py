"""The inputs that rules are learned over, from the columns of a table: each with its source."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler.table.columns import Kind, column_kind, warn_of_similar
from fruler.table.date_inputs import date_parts
from fruler.table.effects import Effects, level_effects
from fruler.table.parts import Categories, Numbers, Places
from fruler.table.sources import LevelSource, NumberSource, Source
from fruler.table.texts import category_texts, column_texts, level_codes


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a table.

    Attributes
    ----------
    names : list of str
        Their names.
    sources : list of Source
        Where each comes from.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows, NaN where there is a gap.
    held_out : ndarray of shape (n_rows, n_inputs)
        The same, but of a category what it adds by other rows: to fit slopes with.
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
) -> Inputs:
    """Find out what the columns of a table are, and make inputs of them.

    A column of numbers is an input. A column of categories is one too: each category has a number, which is what it
    adds to the target, so that a split point parts the categories with the least from those with the most, and a slope
    gives each an offset. With `one_hot` it is an input of 0 and 1 for each category, or one for two categories. A
    column of dates is the time that has passed, and what else varies of it: the day of the year, the weekday, the hour.

    Parameters
    ----------
    table : DataFrame
        The columns.
    y : ndarray of shape (n_rows,)
        The target.
    weight : ndarray of shape (n_rows,), optional
        How much each row counts.
    declared : collection
        The columns that the user says hold categories, whatever their type.
    one_hot : bool
        Whether each category becomes an input of its own.

    Raises
    ------
    UnusableColumn
        If a column can't be an input.

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
    return Inputs(list(sources), list(sources.values()), np.column_stack(columns), np.column_stack(held_out))


def _parts(table: pd.DataFrame, kinds: Mapping[Any, Kind]) -> dict[str, Numbers | Places | Categories]:
    """Return what the columns give, by the name of the input; of dates several."""
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
            # "weekday" says enough where there is no other.
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
    """Return the categories of a column: as they are declared, else "no" first, numbers by size, and by alphabet.

    One that is the same in every row stays: a part of a table may have lost its rare categories.
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
    """Return what numbers leave of the target."""
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
