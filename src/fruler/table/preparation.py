"""Which columns and rows of a table can be learned from, how columns become inputs, and why others are left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._wording import comma_advice, counted, is_printable, printable, quote_names, suggest
from fruler.table.encoding import TRUTH_VALUES, Column, TableEncoding, column_texts
from fruler.table.validation import LARGEST_VALUE

MAX_CATEGORIES = 12
_MAX_MISSING = 0.5
# A column that is mostly numbers was meant to be one of numbers.
_MOSTLY = 0.5
_DATE = re.compile(
    r"(\d{4}-\d{1,2}(-\d{1,2})?|\d{1,4}[./]\d{1,2}[./]\d{2,4})([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)


_ODD_REMEDY = "correct it, leave it empty, or say with --na-values that it marks a missing value"


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table that can be learned from.

    Attributes
    ----------
    encoding : TableEncoding
        How columns become inputs.
    inputs : DataFrame of float64
        The inputs of the rows that are left.
    target : Series of float64
        Their target.
    n_rows : int
        How many rows the table has.
    left_out : dict of str to str
        The columns that are no inputs, and why.
    missing : dict of str to int
        In how many of the rows that are left out each column has no value.
    hints : tuple of str
        What the reader of the result may want to know.
    """

    encoding: TableEncoding
    inputs: pd.DataFrame
    target: pd.Series
    n_rows: int
    left_out: dict[str, str]
    missing: dict[str, int]
    hints: tuple[str, ...] = ()

    @property
    def n_rows_left_out(self) -> int:
        """How many rows are not learned from."""
        return self.n_rows - len(self.inputs)

    def notes(self) -> list[str]:
        """Say in a line each what became of columns and rows that were not plain numbers."""
        lines = []
        for column in self.encoding.columns:
            if column.categories is not None and len(column.categories) == 2:
                lines.append(f"encoded   {column.name}: 0 for {column.categories[0]}, 1 for {column.categories[1]}")
            elif column.categories is not None:
                lines.append(f"encoded   {column.name}: an input for each of {', '.join(column.categories)}")
        lines += [f"left out  {name}: {reason}" for name, reason in self.left_out.items()]
        if self.n_rows_left_out:
            by_column = ", ".join(f"{count} in {name}" for name, count in self.missing.items())
            rows = counted(self.n_rows_left_out, "row")
            lines.append(f"left out  {rows} with a missing value: {by_column}")
        return lines + [f"hint      {hint}" for hint in self.hints]


def prepare_table(table: pd.DataFrame, target: str, *, drop: Collection[str] = ()) -> PreparedTable:
    r"""Make a table ready to be learned from.

    Text with two categories becomes 0 and 1, with up to twelve an input for each; other text, dates, columns that
    never change and columns that are more than half empty are left out, and then the rows in which a value is missing.

    Parameters
    ----------
    table : DataFrame
        Columns of any kind, the target among them.
    target : str
        The column to predict, which must hold numbers.
    drop : collection of str
        Columns that shall not be inputs.

    Returns
    -------
    PreparedTable
        Inputs, target, and what was done.

    Raises
    ------
    ValueError
        If there is no such target, or nothing to learn from.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, 2.0, None, 4.0], "sold": list("yynn"), "id": list("abcd")})
    >>> ready = prepare_table(table.assign(y=[1, 2, 3, 4]), "y")
    >>> ready.inputs.columns.tolist(), len(ready.inputs)
    (['size', 'sold'], 3)
    >>> print("\n".join(ready.notes()))
    encoded   sold: 0 for n, 1 for y
    left out  id: text, different in every row
    left out  1 row with a missing value: 1 in size
    """
    for name in (target, *drop):
        if name not in table.columns:
            raise ValueError(f"there is no column {name!r}; {suggest(name, table.columns)}")
    if target in drop:
        raise ValueError(f"{target!r} is the target and cannot be left out; choose another target")
    answers = target_numbers(table, target)
    known = np.isfinite(answers)
    if not known.any():
        raise ValueError(f"the target {target!r} is missing in every row; fill it in or choose another target")
    if known.sum() < 2:
        few = "there is one row" if len(table) == 1 else f"only one of {len(table)} rows has a value of {target!r}"
        raise ValueError(f"{few}, and rules need at least two; add rows")
    left_out = dict.fromkeys(drop, "as asked")
    names = [name for name in table.columns if name != target and name not in left_out]
    if not names:
        raise ValueError(f"there is no input column besides the target {target!r}; add at least one")
    encoding, complete = _learn_encoding(table[names], known, left_out)
    rows = known & complete.to_numpy().all(axis=1)
    gaps = {name: ~complete[name].to_numpy() for name in complete.columns} | {target: ~known}
    missing = {name: int(gap.sum()) for name, gap in gaps.items() if gap.any()}
    _require_rows(rows, missing)
    if np.ptp(answers[rows]) == 0.0:
        raise ValueError(
            f"the target {target!r} is {answers[rows][0]:g} in every row; there is nothing to learn: choose another"
        )
    return PreparedTable(
        encoding,
        encoding.apply(table.loc[rows]).reset_index(drop=True),
        pd.Series(answers[rows], name=target),
        len(table),
        {name: left_out[name] for name in table.columns if name in left_out},
        dict(sorted(missing.items(), key=lambda item: -item[1])),
        tuple(_hints(table, encoding)),
    )


def _learn_encoding(
    table: pd.DataFrame, known: npt.NDArray[np.bool_], left_out: dict[str, str]
) -> tuple[TableEncoding, pd.DataFrame]:
    """Decide on each column; return the encoding and where the table has values.

    What a column is depends on the rows that are left, and these on the columns: both are settled in turn, and since
    columns are only ever left out, that ends.
    """
    complete = pd.DataFrame({name: _has_value(table[name]) for name in table.columns}, index=table.index)
    names = list(table.columns)
    for name in names:
        share = 1.0 - complete.loc[known, name].mean()
        if share > _MAX_MISSING:
            left_out[name] = "empty" if share == 1.0 else f"{share:.0%} of its values are missing"
    rows = known
    while True:
        names = [name for name in names if name not in left_out]
        decisions = {name: _decide(table.loc[rows, name]) for name in names}
        reasons = {name: decision for name, decision in decisions.items() if isinstance(decision, str)}
        left_out |= reasons
        if len(reasons) == len(names):
            listed = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
            raise ValueError(f"no column can be an input ({listed}); add one of numbers or of a few categories")
        columns = [decision for decision in decisions.values() if isinstance(decision, Column)]
        complete = complete[[column.name for column in columns]]
        now = known & complete.to_numpy().all(axis=1)
        if not now.any() or (not reasons and (now == rows).all()):
            break
        rows = now
    encoding = TableEncoding(tuple(columns))
    repeated = [name for name in encoding.input_names if encoding.input_names.count(name) > 1]
    if repeated:
        raise ValueError(f"two columns become the input {repeated[0]!r}; rename one of them")
    return encoding, complete


def _decide(values: pd.Series) -> Column | str:
    """Say how a column becomes inputs, or why it does not."""
    name, dtype = str(values.name), values.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return _dates()
    if pd.api.types.is_bool_dtype(dtype):
        return Column(name, TRUTH_VALUES) if values.nunique() == 2 else _constant(values)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        least, greatest = values.min(), values.max()
        return Column(name) if least < greatest else _constant(values)
    texts = column_texts(values).dropna()
    distinct = texts.unique()
    if len(distinct) < 2:
        return _constant(texts)
    if texts.map(lambda text: _DATE.fullmatch(text) is not None).all():
        return _dates()
    if set(distinct) == set(TRUTH_VALUES):
        return Column(name, TRUTH_VALUES)
    if not isinstance(dtype, pd.CategoricalDtype):
        numbers = pd.to_numeric(texts, errors="coerce")
        if numbers.notna().all():
            return Column(name)
        with_commas = texts[texts.map(lambda text: comma_advice(text) is not None)]
        if len(with_commas) > _MOSTLY * len(texts):
            # "1,000" may be a thousand, beside "2,5" it is not.
            text = min(with_commas, key=lambda text: len(str(comma_advice(text))))
            return f"numbers with a comma ({text!r}); {comma_advice(text)}"
        if numbers.notna().mean() > _MOSTLY:
            odd = texts[numbers.isna()]
            return f"text among numbers ({odd.iloc[0]!r} in row {int(odd.index[0]) + 1}); {_ODD_REMEDY}"
    if len(distinct) == len(texts) > 2:
        return "text, different in every row"
    unprintable = texts[~texts.map(is_printable).to_numpy(dtype=bool)]
    if len(unprintable):
        # Categories become names of inputs and labels, which are shown everywhere.
        return f"text with unprintable characters ({unprintable.iloc[0]!r} in row {int(unprintable.index[0]) + 1})"
    if len(distinct) > MAX_CATEGORIES:
        return f"text with {len(distinct)} different values, more than {MAX_CATEGORIES}"
    return Column(name, _ordered(values, distinct))


def _ordered(values: pd.Series, distinct: Iterable[str]) -> tuple[str, ...]:
    """Order categories as the file declares them, else with a "no" first, so that 1 means yes, and by alphabet."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        declared = column_texts(pd.Series(values.cat.categories))
        return tuple(text for text in declared if text in set(distinct))
    return tuple(sorted(distinct, key=lambda text: (text.lower() not in ("no", "n", "false"), text)))


def _dates() -> str:
    return "dates or times; add columns of numbers made of them, such as the month or the days since a start"


def _constant(values: pd.Series) -> str:
    present = values.dropna()
    if not len(present):
        return "empty"
    value = present.iloc[0]
    return f"always {f'{value:g}' if isinstance(value, float) else printable(str(value))}"


def _has_value(values: pd.Series) -> npt.NDArray[np.bool_]:
    if pd.api.types.is_float_dtype(values.dtype):
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(values.to_numpy(dtype=np.float64, na_value=np.nan)) <= LARGEST_VALUE)
    if pd.api.types.is_numeric_dtype(values.dtype):
        return values.notna().to_numpy(dtype=bool)
    return column_texts(values).notna().to_numpy(dtype=bool)


def target_numbers(table: pd.DataFrame, target: str) -> npt.NDArray[np.float64]:
    """Return the target, NaN where it is missing; text is no target, nor is one odd value among numbers."""
    values = table[target]
    dtype = values.dtype
    plain = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    if not plain:
        dated = pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype)
        texts = column_texts(values)
        numbers = pd.to_numeric(texts, errors="coerce")
        odd = texts[texts.notna() & numbers.isna()]
        if dated or len(odd):
            row, value = int(odd.index[0]), str(odd.iloc[0])
            advice = comma_advice(value)
            if advice is not None:
                remedy = advice
            elif numbers.notna().mean() > _MOSTLY:
                remedy = _ODD_REMEDY
            else:
                remedy = _other_targets(table, target)
            raise ValueError(f"the target {target!r} must hold numbers, but row {row + 1} has {value!r}; {remedy}")
        values = numbers
    answers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        unbounded = np.abs(answers) > LARGEST_VALUE
    if unbounded.any():
        row = int(np.argmax(unbounded))
        raise ValueError(f"the target {target!r} is {answers[row]:g} in row {row + 1}; correct it or remove the row")
    return answers


def _other_targets(table: pd.DataFrame, target: str) -> str:
    others = [
        name
        for name in table.columns
        if name != target
        and pd.api.types.is_numeric_dtype(table[name].dtype)
        and not pd.api.types.is_bool_dtype(table[name].dtype)
    ]
    return f"columns of numbers are {quote_names(others)}" if others else "no column holds numbers alone"


def _require_rows(rows: npt.NDArray[np.bool_], missing: dict[str, int]) -> None:
    if not rows.any():
        worst = sorted(missing.items(), key=lambda item: -item[1])[:3]
        listed = ", ".join(f"{count} of {len(rows)} values of {name!r}" for name, count in worst)
        raise ValueError(f"every row lacks some value ({listed} are missing); fill them in or leave columns out")
    if rows.sum() < 2:
        raise ValueError(f"only one of {len(rows)} rows has all values; fill them in or leave columns out")


def _hints(table: pd.DataFrame, encoding: TableEncoding) -> Iterable[str]:
    for column in encoding.columns:
        values = table[column.name]
        if (
            column.categories is None
            and len(table) > MAX_CATEGORIES
            and pd.api.types.is_integer_dtype(values.dtype)
            and (values.diff().iloc[1:] == 1).all()
        ):
            option = f"--drop {shlex.quote(column.name)}"
            yield f"{column.name} only counts the rows; if it is no measurement, leave it out: {option}"
