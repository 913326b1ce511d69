"""The columns and rows of a table to learn from, and the reasons why others are left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import LARGEST_VALUE
from fruler._table import columns
from fruler._table.date_sources import date_text
from fruler._table.dates import DateFormat
from fruler._table.encoding import date_parts
from fruler._table.sources import NumberSource
from fruler._table.texts import category_texts, column_texts
from fruler._wording import counted, number_advice, printable, quote_names, quoted, shortened, suggest
from fruler.data._file_content import target_values

# The minimum number of values of a column.
_MIN_PRESENT = 12
# A target with more numbers than this was meant to be numeric.
_MOSTLY = 0.5
# At most this number of characters of a value is shown.
_MAX_SHOWN = 100
_ODD_REMEDY = "correct it, leave it empty, or declare it as missing with --na-values"
# Remedies that are others on the command line.
_REMEDIES = {columns.ODD_REMEDY: _ODD_REMEDY, columns.TIME_REMEDY: "convert it to a column of numbers, such as hours"}
# A column that counts more rows than this gets a hint.
_MIN_COUNTED = 12
# Predictions of a target without negative values are likely to be negative if its mean is less than this many standard
# deviations; it spans a wide range if its largest value is more than this multiple of its smallest.
_LIKELY_NEGATIVE, _WIDE = 1.25, 50.0
_CATEGORIES_SHOWN = 8
# Names of identifiers. Whole numbers that differ in every row are like one, too, if there are more than this number of
# rows and they span less than this multiple of it, or if they all have as many digits, at least this number.
_ID = re.compile(r"\b(p|u|gu)?ids?\b|\b(subject|patient|person|participant|customer|client|user|household|animal)s?\b")
_MIN_DENSE, _DENSE, _LONG = 50, 2, 6
# A column names groups of rows if it has this number of values, this number of rows for each, hardly any with one row,
# and this number of other columns are constant within each group, but change between this share of groups.
_MIN_GROUPS, _FEW_EACH, _MAX_SINGLE, _MIN_CONSTANT, _CHANGES = 5, (2.0, 100.0), 0.1, 2, 0.3
# A message explains for at most this number of columns why they cannot be inputs.
_MAX_TOLD = 5


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table to learn from.

    Attributes
    ----------
    inputs : DataFrame
        The input columns of the rows with a target: numbers as float64, other columns unchanged.
    target : Series of float64
        The target of these rows.
    kinds : dict of str to str
        The kind of each column: number, category or date.
    n_rows : int
        The number of rows of the table.
    left_out : dict of str to str
        The columns that are left out, and the reason.
    missing : dict of str to int
        The number of missing values of each input that has any.
    kept : ndarray of int
        The positions of the rows in the table.
    hints : tuple of str
        Hints for the user.
    """

    inputs: pd.DataFrame
    target: pd.Series
    kinds: dict[str, columns.Kind]
    n_rows: int
    left_out: dict[str, str]
    missing: dict[str, int]
    kept: npt.NDArray[np.intp]
    hints: tuple[str, ...] = ()

    @property
    def categories(self) -> list[str]:
        """The columns of categories."""
        return [name for name, kind in self.kinds.items() if kind == "category"]

    @property
    def n_rows_left_out(self) -> int:
        """The number of rows that are left out."""
        return self.n_rows - len(self.inputs)

    def notes(self) -> list[str]:
        """Return one line per column that is not plain numbers, per column left out, and for rows with gaps."""
        lines = [f"category  {name}: {_categories(self.inputs[name])}" for name in self.categories]
        dates = [name for name, kind in self.kinds.items() if kind == "date"]
        lines += [f"date      {name}: {_dates(self.inputs[name])}" for name in dates]
        lines += [f"left out  {name}: {reason}" for name, reason in self.left_out.items()]
        if self.n_rows_left_out:
            lines.append(f"left out  {counted(self.n_rows_left_out, 'row')} without a value of {self.target.name}")
        if self.missing:
            by_column = ", ".join(f"{count:,} of {name}" for name, count in self.missing.items())
            lines.append(f"missing   {by_column}; each is estimated from the rest of its row")
        return lines + [f"hint      {hint}" for hint in self.hints]


def _categories(values: pd.Series) -> str:
    names = category_texts(values).value_counts().index.tolist()
    more = f" and {len(names) - _CATEGORIES_SHOWN} more" if len(names) > _CATEGORIES_SHOWN else ""
    return ", ".join(names[:_CATEGORIES_SHOWN]) + more


def _dates(values: pd.Series) -> str:
    names = ["time", *(name for name in date_parts(values) if name)]
    seconds = DateFormat.of(values).seconds(values)
    first, last = (date_text(float(end)) for end in (np.nanmin(seconds), np.nanmax(seconds)))
    return f"{first} to {last}, by {', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]}"


def prepare_table(
    table: pd.DataFrame,
    target: str,
    *,
    drop: Collection[str] = (),
    categories: Collection[str] = (),
    group: str | None = None,
) -> PreparedTable:
    r"""Prepare a table for learning.

    Columns of text that differs in nearly every row, columns that never change, columns with hardly any value, and
    rows without a target are left out.

    Parameters
    ----------
    table : DataFrame
        Columns of any kind, including the target.
    target : str
        The column to predict, which must be numeric.
    drop : collection of str
        Columns to leave out.
    categories : collection of str
        Columns of numbers that are codes of categories.
    group : str, optional
        The column that names the groups of rows, which is no input.

    Returns
    -------
    PreparedTable
        Inputs, target, and notes on what was done.

    Raises
    ------
    ValueError
        If a column does not exist, the target is not usable, or there is nothing to learn from.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, 2.0, None, 4.0], "sold": list("yynn"), "id": list("abcd")})
    >>> ready = prepare_table(table.assign(y=[1, 2, 3, 4]), "y")
    >>> print("\n".join(ready.notes()))
    category  sold: y, n
    left out  id: 4 categories in 4 rows, too few rows to learn from each
    missing   1 of size; each is estimated from the rest of its row
    """
    for name in (target, *drop, *categories, *([] if group is None else [group])):
        if name not in table.columns:
            raise ValueError(f"there is no column {quoted(name)}; {suggest(name, table.columns)}")
    if target == group:
        raise ValueError(f"{quoted(target)} is the target and cannot name the groups; choose another column")
    if target in drop:
        raise ValueError(f"{quoted(target)} is the target and cannot be left out; choose another target")
    if target in categories:
        raise ValueError(
            f"{quoted(target)} is the target, which must be numbers, not categories; choose another target"
        )
    for name in categories:
        if name in drop:
            raise ValueError(f"{quoted(name)} cannot be both a category and left out; choose one")
    answers = target_numbers(table, target)
    known = np.isfinite(answers)
    if not known.any():
        raise ValueError(f"the target {quoted(target)} is missing in every row; fill it in or choose another target")
    if known.sum() < 2:
        few = (
            "there is one row" if len(table) == 1 else f"only one of {len(table)} rows has a value of {quoted(target)}"
        )
        raise ValueError(f"{few}, and rules need at least two; add rows")
    if np.ptp(answers[known]) == 0.0:
        raise ValueError(
            f"the target {quoted(target)} is {answers[known][0]:g} in every row, so there is nothing to learn; choose "
            "another target"
        )
    left_out = dict.fromkeys(drop, "as asked") | ({} if group is None else {group: "names the groups of rows"})
    names = [name for name in table.columns if name != target and name not in left_out]
    if not names:
        raise ValueError(f"there is no input column besides the target {quoted(target)}; add at least one")
    rows = table.loc[known, names].reset_index(drop=True)
    numbers = np.flatnonzero(known) + 1
    kinds: dict[str, columns.Kind] = {}
    for name in names:
        try:
            kinds[name] = _kind(rows[name], name in categories)
        except columns.UnusableColumn as error:
            if name in categories:
                reason = _reason(error, numbers)
                raise ValueError(f"{quoted(name)} cannot be a category: {reason}; correct it, or --drop it") from None
            left_out[name] = _reason(error, numbers)
    if not kinds:
        told = [f"{shortened(name)}: {reason}" for name, reason in list(left_out.items())[:_MAX_TOLD]]
        more = [f"and {len(left_out) - _MAX_TOLD:,} more"] if len(left_out) > _MAX_TOLD else []
        listed = "; ".join(told + more)
        raise ValueError(f"no column can be an input ({listed}); add a column of numbers or of a few categories")
    inputs = pd.DataFrame(
        {name: bounded_numbers(rows[name]) if kind == "number" else rows[name] for name, kind in kinds.items()}
    )
    gaps = {name: int(column_texts(inputs[name]).isna().sum()) for name in kinds}
    return PreparedTable(
        inputs,
        pd.Series(answers[known], name=target),
        kinds,
        len(table),
        {name: left_out[name] for name in table.columns if name in left_out},
        dict(sorted(((name, count) for name, count in gaps.items() if count), key=lambda item: -item[1])),
        np.flatnonzero(known),
        (
            *_hints(table.loc[known], kinds),
            *(_group_hints(inputs[[name for name, kind in kinds.items() if kind != "date"]]) if group is None else ()),
            *_target_hints(target, answers[known]),
        ),
    )


def _kind(values: pd.Series, declared: bool) -> columns.Kind:
    """Return the kind of a column.

    Raises
    ------
    UnusableColumn
        If it cannot be an input.
    """
    name = str(values.name)
    texts = column_texts(values)
    _require_present(name, int(texts.notna().sum()), len(texts))
    if len(texts.dropna().unique()) == 1:
        raise columns.UnusableColumn(name, f"always {printable(texts.dropna().iloc[0])[:_MAX_SHOWN]}", remedy="")
    kind = columns.column_kind(values, declared)
    if declared:
        # Each category needs enough rows, also in a part of the table.
        columns.column_kind(values.astype("category"))
    if kind == "number":
        _require_present(name, int(np.isfinite(bounded_numbers(values)).sum()), len(values))
    return kind


def _require_present(name: str, n_present: int, n_rows: int) -> None:
    """Refuse a column of which nearly all values are missing."""
    if n_present < min(_MIN_PRESENT, _MOSTLY * n_rows):
        reason = f"only {counted(n_present, 'value')} in {counted(n_rows, 'row')}" if n_present else "empty"
        raise columns.UnusableColumn(name, reason, remedy="")


def _reason(error: columns.UnusableColumn, numbers: npt.NDArray[np.intp]) -> str:
    """Return why a column cannot be an input: a text to put after its name, with the row (from 1) and a remedy."""
    reason = error.reason.removeprefix("has ").removeprefix("holds ")
    if error.row is not None:
        reason += f" ({quoted(str(error.value))} in row {numbers[error.row]})"
    # The column is left out already, so a remedy that only says so is not repeated.
    if isinstance(error, columns.CorrectableColumn):
        reason += f"; {_REMEDIES.get(error.remedy, error.remedy)}"
    return reason


def bounded_numbers(values: pd.Series) -> npt.NDArray[np.float64]:
    """Return a column of numbers with infinite values as missing: in files they mark what could not be measured.

    Examples
    --------
    >>> import pandas as pd
    >>> bounded_numbers(pd.Series([1.5, float("inf"), None])).tolist()
    [1.5, nan, nan]
    """
    if pd.api.types.is_float_dtype(values.dtype):
        values = values.where(values.abs() <= LARGEST_VALUE)
    return NumberSource(str(values.name)).numbers(values)


def target_numbers(table: pd.DataFrame, target: str) -> npt.NDArray[np.float64]:
    """Return the target, with NaN for missing values.

    Raises
    ------
    ValueError
        If a value is text, or infinite.
    """
    answers, odd = target_values(table[target])
    if odd is not None:
        value = str(table[target].iloc[odd])
        remedy = number_advice(value)
        if remedy is None:
            mostly = np.isfinite(answers).mean() > _MOSTLY
            remedy = _ODD_REMEDY if mostly else _other_targets(table, target)
        raise ValueError(
            f"the target {quoted(target)} must be numbers, but row {odd + 1} has {quoted(value)}; {remedy}"
        )
    with np.errstate(invalid="ignore"):
        unbounded = np.abs(answers) > LARGEST_VALUE
    if unbounded.any():
        row = int(np.argmax(unbounded))
        raise ValueError(
            f"the target {quoted(target)} is {answers[row]:g} in row {row + 1}; correct it or remove the row"
        )
    return answers


def _other_targets(table: pd.DataFrame, target: str) -> str:
    others = [
        name
        for name in table.columns
        if name != target
        and pd.api.types.is_numeric_dtype(table[name].dtype)
        and not pd.api.types.is_bool_dtype(table[name].dtype)
    ]
    return f"the columns of numbers are {quote_names(others)}" if others else "no column has only numbers"


def _target_hints(name: str, answers: npt.NDArray[np.float64]) -> Iterable[str]:
    """Yield a hint if the target is never negative, but predictions are likely to be."""
    low, high = float(answers.min()), float(answers.max())
    if low >= 0.0 and answers.mean() < _LIKELY_NEGATIVE * answers.std():
        also = ", or --link log if effects rather multiply" if low > 0.0 and high > _WIDE * low else ""
        if (answers == np.rint(answers)).all():
            also += ", or --loss poisson if it is a count"
        yield f"{name} is never negative; --bounds 0, keeps predictions so{also}"


def _hints(table: pd.DataFrame, kinds: dict[str, columns.Kind]) -> Iterable[str]:
    for name, kind in kinds.items():
        values = table[name]
        if kind == "category":
            for texts in columns.similar_categories(values):
                alike = "write them the same way if they mean the same"
                yield f"{name} has {quote_names(texts)}, which differ only by case or spaces; {alike}"
        if kind == "number" and len(table) > _MIN_COUNTED and pd.api.types.is_integer_dtype(values.dtype):
            if (values.diff().iloc[1:] == 1).all():
                told = "only counts the rows"
            elif _identifies(values):
                told = "is another number in every row, like an identifier"
            else:
                continue
            yield f"{name} {told}; if it is not a measurement, leave it out: --drop {shlex.quote(name)}"


def _identifies(values: pd.Series) -> bool:
    """Return whether whole numbers are all different, and dense, long or named like identifiers."""
    low, high = int(values.min()), int(values.max())
    if low < 0 or not values.is_unique:
        return False
    dense = len(values) > _MIN_DENSE and high - low < _DENSE * len(values)
    long = len(str(low)) == len(str(high)) >= _LONG and not (values % 100 == 0).mean() > 1 / _LONG
    return dense or long or _ID.search(_words(str(values.name))) is not None


def _words(name: str) -> str:
    """Return a name in lower case, its words separated: of "PatientID" and "patient.id" the same."""
    return re.sub(r"[^a-z0-9]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def _group_hints(inputs: pd.DataFrame) -> Iterable[str]:
    """Yield a hint if a column seems to name groups of rows: a few rows each, in which other columns are constant."""
    for name in inputs.columns:
        codes, values = pd.factorize(inputs[name])
        sizes = np.bincount(codes[codes >= 0], minlength=1)
        each = len(inputs) / max(len(values), 1)
        if len(values) < _MIN_GROUPS or not _FEW_EACH[0] <= each <= _FEW_EACH[1] or (sizes < 2).mean() > _MAX_SINGLE:
            continue
        order = np.argsort(codes, kind="stable")
        same = codes[order][1:] == codes[order][:-1]
        others = (pd.factorize(inputs[other])[0][order] for other in inputs.columns if other != name)
        n_constant = sum(
            not (changes := own[1:] != own[:-1])[same].any() and changes[~same].mean() > _CHANGES for own in others
        )
        if n_constant >= _MIN_CONSTANT or _ID.search(_words(name)):
            yield (
                f"{name} has about {each:.0f} rows for each of {len(values):,} values; to predict new ones, say "
                f"--group {shlex.quote(name)}, which holds out all rows of one together"
            )
            return
