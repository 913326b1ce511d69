"""How the columns of a table become numbers: kept with a model, so that new rows become the same ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler._wording import quote_names, suggest
from fruler.table.texts import column_texts
from fruler.table.validation import LARGEST_VALUE

_VALUES_SHOWN = 3


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers, or one of a few categories.

    Two categories become one input that is 0 or 1, more of them an input each: "colour=red" is 1 for red.

    Examples
    --------
    >>> Column("colour", ("red", "green", "blue")).labels()
    {'colour=red': ('no', 'yes'), 'colour=green': ('no', 'yes'), 'colour=blue': ('no', 'yes')}
    >>> Column("smoker", ("no", "yes")).labels()
    {'smoker': ('no', 'yes')}
    """

    name: str
    categories: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.categories is not None and (
            len(self.categories) < 2 or len(set(self.categories)) < len(self.categories)
        ):
            raise ValueError(f"The categories of the column {self.name!r} must be two or more, each once.")

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs that the column becomes."""
        if self.categories is None or len(self.categories) == 2:
            return (self.name,)
        return tuple(f"{self.name}={category}" for category in self.categories)

    def labels(self) -> dict[str, tuple[str, str]]:
        """Return what 0 and 1 mean, for each input that has only these two values."""
        if self.categories is None:
            return {}
        if len(self.categories) == 2:
            return {self.name: (self.categories[0], self.categories[1])}
        return dict.fromkeys(self.input_names, ("no", "yes"))


@dataclass(frozen=True)
class TableEncoding:
    """The columns of a table in the order in which they become inputs.

    Examples
    --------
    >>> import pandas as pd
    >>> encoding = TableEncoding((Column("size"), Column("sold", ("no", "yes"))))
    >>> encoding.apply(pd.DataFrame({"sold": ["yes", "no"], "size": [1.5, 2.0]}))
       size  sold
    0   1.5   1.0
    1   2.0   0.0
    """

    columns: tuple[Column, ...]

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of all inputs."""
        return tuple(name for column in self.columns for name in column.input_names)

    def labels(self) -> dict[str, tuple[str, str]]:
        """Return what 0 and 1 mean, for each input that stands for a category."""
        return {name: labels for column in self.columns for name, labels in column.labels().items()}

    def alternatives(self) -> list[tuple[str, ...]]:
        """Return the inputs of each column of three categories or more: one of them is 1, the others are 0.

        Examples
        --------
        >>> TableEncoding((Column("size"), Column("colour", ("red", "green", "blue")))).alternatives()
        [('colour=red', 'colour=green', 'colour=blue')]
        """
        return [column.input_names for column in self.columns if len(column.input_names) > 1]

    def apply(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of the rows of a table, which may have its columns in another order and others besides.

        A missing value, a number without bounds, and a category that is not known, is NaN in each of the column's
        inputs.

        Raises
        ------
        ValueError
            If a column is not there, or one of numbers holds text.
        """
        absent = [column.name for column in self.columns if column.name not in table.columns]
        if len(absent) == 1:
            raise ValueError(f"the table has no column {absent[0]!r}; {suggest(absent[0], table.columns)}")
        if absent:
            raise ValueError(
                f"the table lacks the columns {quote_names(absent)}; its columns are {quote_names(table.columns)}"
            )
        inputs: dict[str, Any] = {}
        for column in self.columns:
            inputs |= dict(zip(column.input_names, _encoded(column, table[column.name]), strict=True))
        return pd.DataFrame(inputs, index=table.index)

    def gaps(self, table: pd.DataFrame) -> list[str]:
        """Say, column by column, why rows of a table have no inputs.

        Examples
        --------
        >>> import pandas as pd
        >>> encoding = TableEncoding((Column("size"), Column("sold", ("no", "yes"))))
        >>> encoding.gaps(pd.DataFrame({"sold": ["yes", "perhaps"], "size": [None, 2.0]}))
        ["'size' is missing in 1", "'sold' has an unknown value in 1 ('perhaps')"]
        """
        reasons = []
        for column in self.columns:
            values = table[column.name]
            if column.categories is None:
                missing = np.isnan(column_numbers(column.name, values))
            else:
                texts = column_texts(values, column.categories)
                missing = texts.isna().to_numpy()
                unknown = texts[~missing & ~texts.isin(column.categories).to_numpy()]
            if missing.any():
                reasons.append(f"{column.name!r} is missing in {missing.sum()}")
            if column.categories is not None and len(unknown):
                names = list(dict.fromkeys(unknown))
                more = ", ..." if len(names) > _VALUES_SHOWN else ""
                shown = quote_names(names[:_VALUES_SHOWN]) + more
                reasons.append(f"{column.name!r} has an unknown value in {len(unknown)} ({shown})")
        return reasons


def column_numbers(name: str, values: pd.Series) -> Floats:
    """Return the values of a column of numbers, NaN where there is none that can be calculated with.

    Raises
    ------
    ValueError
        If there is text among them.
    """
    try:
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        read = pd.to_numeric(values.astype(object), errors="coerce")
        odd = read.isna() & values.notna()
        if odd.any():
            row = int(np.argmax(odd))
            raise ValueError(
                f"the column {name!r} must hold numbers, as it did in the training data; row {row + 1} has "
                f"{str(values.iloc[row])!r}"
            ) from None
        numbers = read.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(numbers) <= LARGEST_VALUE, numbers, np.nan)


def _encoded(column: Column, values: pd.Series) -> Iterable[Any]:
    if column.categories is None:
        return [column_numbers(column.name, values)]
    texts = column_texts(values, column.categories)
    codes = pd.Index(column.categories, dtype=object).get_indexer_for(pd.Index(texts, dtype=object))
    known = np.where(codes >= 0, 1.0, np.nan)
    if len(column.categories) == 2:
        return [known * codes]
    return [known * (codes == place) for place in range(len(column.categories))]
