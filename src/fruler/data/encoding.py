"""How the columns of a table become numbers: kept with a model, so that new rows become the same ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fruler.data.sources import suggest

if TYPE_CHECKING:
    from fruler.model_file.checked import Checked


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers, or one of a few categories.

    Two categories become one input that is 0 or 1, more of them an input each: "colour=red" is 1 for red.
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

    def apply(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of the rows of a table, which may have its columns in another order and others besides.

        A missing value, and a category that is not known, is NaN in each of the column's inputs.

        Raises
        ------
        ValueError
            If a column is not there, or one of numbers holds text.
        """
        inputs: dict[str, Any] = {}
        for column in self.columns:
            if column.name not in table.columns:
                raise ValueError(f"the table has no column {column.name!r}; {suggest(column.name, table.columns)}")
            inputs |= dict(zip(column.input_names, _encoded(column, table[column.name]), strict=True))
        return pd.DataFrame(inputs, index=table.index)

    def to_json(self) -> list[dict[str, Any]]:
        """Return a list that says all of it."""
        return [
            {"name": column.name, "kind": "number"}
            if column.categories is None
            else {"name": column.name, "kind": "category", "categories": list(column.categories)}
            for column in self.columns
        ]

    @classmethod
    def from_json(cls, written: Checked) -> TableEncoding:
        """Return the encoding that a list says, or raise a ValueError."""
        columns = []
        for item in written.items():
            members = item.keys(("name", "kind"), ("categories",))
            is_category = members["kind"].one_of("number", "category") == "category"
            if is_category != ("categories" in members):
                raise ValueError(f"{item.place} must have categories if its kind is category, and only then")
            categories = tuple(members["categories"].texts()) if is_category else None
            columns.append(Column(members["name"].text(), categories))
        if len({column.name for column in columns}) < len(columns):
            raise ValueError(f"{written.place} has a name twice")
        return cls(tuple(columns))


def _encoded(column: Column, values: pd.Series) -> Iterable[Any]:
    if column.categories is None:
        try:
            return [values.to_numpy(dtype=np.float64, na_value=np.nan)]
        except (TypeError, ValueError):
            raise ValueError(f"the column {column.name!r} must hold numbers, as it did in the training data") from None
    codes = pd.Categorical(values.astype(str).where(values.notna()), categories=list(column.categories)).codes
    known = np.where(codes >= 0, 1.0, np.nan)
    if len(column.categories) == 2:
        return [known * codes]
    return [known * (codes == place) for place in range(len(column.categories))]
