"""What a user may say about how a table is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fruler.data.number_formats import DECIMALS, THOUSANDS

_SEPARATOR_NAMES = {"tab": "\t", "\\t": "\t"}
# Whatever numbers, quotes and lines are made of.
_NO_SEPARATORS = "\"'\n\r.+-_\0"
_OPTIONS_OF_READER = {
    "separated": ("sep", "decimal", "thousands", "na_values"),
    "excel": ("decimal", "thousands", "na_values", "sheet"),
    "json_lines": ("decimal", "thousands", "na_values"),
    "parquet": ("decimal", "thousands", "na_values"),
    "attributes": (),
}


@dataclass(frozen=True)
class ReadOptions:
    r"""How a table is written, None wherever the table itself shall say so.

    Parameters
    ----------
    format : str or None
        The format, in place of the suffix.
    sep : str or None
        What separates values: one character, or ``tab``.
    decimal : {".", ","} or None
        What marks decimals.
    thousands : {",", ".", " ", "'"} or None
        What separates thousands.
    na_values : tuple of str
        What marks a missing value, besides an empty one and the usual marks.
    sheet : str or None
        The name of a sheet, or its number from 1.

    Raises
    ------
    ValueError
        If an option is none of these, or two contradict each other.

    Examples
    --------
    >>> ReadOptions(sep="tab").sep
    '\t'
    """

    format: str | None = None
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    na_values: tuple[str, ...] = ()
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None:
            sep = _SEPARATOR_NAMES.get(self.sep, self.sep)
            if len(sep) != 1 or sep.isalnum() or sep in _NO_SEPARATORS:
                raise ValueError(f"sep (--sep) must be one character such as , ; | or the word tab; got {self.sep!r}")
            object.__setattr__(self, "sep", sep)
        if self.decimal not in (None, *DECIMALS):
            raise ValueError(f"decimal (--decimal) must be a point or a comma; got {self.decimal!r}")
        if self.thousands not in (None, *THOUSANDS):
            raise ValueError(
                f"thousands (--thousands) must be a comma, a point, a space or an apostrophe; got {self.thousands!r}"
            )
        if self.decimal is not None and self.decimal == self.thousands:
            raise ValueError(
                f"decimal (--decimal) and thousands (--thousands) are both {self.decimal!r}; leave one of them out"
            )

    def require_for(self, reader: str, name: str) -> None:
        """Refuse an option that the reader of a file cannot follow."""
        for option in ("sep", "decimal", "thousands", "na_values", "sheet"):
            if getattr(self, option) not in (None, ()) and option not in _OPTIONS_OF_READER[reader]:
                dashed = option.replace("_", "-")
                raise ValueError(f"{name}: a file of this format needs no {option} (--{dashed}); leave it out")


def as_texts(na_values: str | float | Iterable[str | float] | None) -> tuple[str, ...]:
    """Return marks of missing values as texts.

    Examples
    --------
    >>> as_texts(-999), as_texts(["-", "none"]), as_texts(None)
    (('-999',), ('-', 'none'), ())
    """
    if na_values is None:
        return ()
    if isinstance(na_values, (str, int, float)):
        return (str(na_values),)
    return tuple(map(str, na_values))
