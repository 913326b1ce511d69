"""What databases write differently: quotes, casts, functions of text, remainders."""

from __future__ import annotations

from dataclasses import dataclass, replace

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NUMBER = r"^[[:space:]]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[[:space:]]*$"


@dataclass(frozen=True)
class Dialect:
    """The SQL of one database; the default is what SQLite, DuckDB and PostgreSQL have in common.

    Every template has ``{0}`` for its argument, and ``{1}`` for a second one.

    Attributes
    ----------
    quotes : (str, str)
        What begins and ends a name; inside the name, the end is doubled.
    escapes : bool
        Whether a backslash in a string escapes the next character; if not, a quote is doubled.
    national : str
        What stands before a string.
    text : str
        A column as text.
    date_text : str
        A column of dates as text such as 2024-12-31 18:30:00; empty if it is `text`.
    trimmed : str
        A text without white space around it; ``{1}`` is a string of all white space, ``{2}`` a regular expression of
        white space at the ends. Comparisons of the result distinguish upper and lower case.
    number : str
        A column as a 64-bit number. Where the database can, text that is not a number becomes NULL.
    parsed, whole : str
        A piece of text as a 64-bit number, and as an integer.
    piece : str
        The function for a piece of a text.
    remainder, quotient : str
        The remainder and the integer quotient of two positive integers.
    largest : str
        The largest number that rules take.
    fence : str
        What keeps a database from merging the expressions of two steps, at the end of the first one.
    nests : bool
        Whether a step is a subquery of the next one, rather than a table in the WITH clause.
    """

    quotes: tuple[str, str] = ('"', '"')
    escapes: bool = False
    national: str = ""
    text: str = "CAST({0} AS VARCHAR)"
    date_text: str = ""
    trimmed: str = "TRIM({0}, {1})"
    # SQLite reads text that is not a number as the number that it begins with, or as 0, which the text does not equal.
    # Large integers equal no float in SQLite.
    number: str = (
        "CASE WHEN {0} = CAST({0} AS DOUBLE PRECISION) THEN CAST({0} AS DOUBLE PRECISION)"
        " WHEN {0} = CAST({0} AS BIGINT) THEN CAST({0} AS DOUBLE PRECISION) END"
    )
    parsed: str = "CAST({0} AS DOUBLE PRECISION)"
    whole: str = "CAST({0} AS INTEGER)"
    piece: str = "SUBSTR"
    remainder: str = "{0} % {1}"
    quotient: str = "({0} - {0} % {1}) / {1}"
    largest: str = "1e150"
    fence: str = "LIMIT 9223372036854775807 OFFSET 0"
    nests: bool = False

    def identifier(self, name: str) -> str:
        """Return a name as an identifier.

        Examples
        --------
        >>> print(DIALECTS["ansi"].identifier('a "big" one'), DIALECTS["tsql"].identifier('a "big" one'))
        "a ""big"" one" [a "big" one]
        """
        begin, end = self.quotes
        return begin + _without_null(name).replace(end, end * 2) + end

    def literal(self, text: str) -> str:
        r"""Return a text as a string.

        Examples
        --------
        >>> print(DIALECTS["ansi"].literal("it's"), DIALECTS["mysql"].literal("it's"), DIALECTS["tsql"].literal("it's"))
        'it''s' 'it\'s' N'it''s'
        """
        escapes = _ESCAPES if self.escapes else {"'": "''"}
        return f"{self.national}'{''.join(escapes.get(sign, sign) for sign in _without_null(text))}'"

    def is_usable(self, name: str) -> str:
        """Return the condition that a number is not NULL, NaN or infinite.

        Some databases sort NaN above all numbers, but none sorts it below.
        """
        return f"ABS({name}) <= {self.largest}"

    def stripped(self, text: str, white_space: str) -> str:
        """Return a text without white space around it; blank text is NULL."""
        ends = f"^[{white_space}]+|[{white_space}]+$"
        bare = self.trimmed.format(text, self.literal(white_space), self.literal(ends))
        return f"NULLIF({bare}, {self.literal('')})"


def _without_null(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"SQL text cannot contain a null character; got {text!r}.")
    return text


class _BigQuery(Dialect):
    """Names are escaped like strings there."""

    def identifier(self, name: str) -> str:
        return "`" + _without_null(name).replace("\\", "\\\\").replace("`", "\\`") + "`"


_ANSI = Dialect()
_TRIED = replace(
    _ANSI,
    number="TRY_CAST({0} AS DOUBLE)",
    parsed="TRY_CAST({0} AS DOUBLE)",
    whole="TRY_CAST({0} AS INTEGER)",
    fence="",
)
DIALECTS = {
    "ansi": _ANSI,
    "postgres": replace(_ANSI, number="CAST({0} AS DOUBLE PRECISION)", fence="OFFSET 0"),
    "mysql": Dialect(
        quotes=("`", "`"),
        escapes=True,
        text="CAST({0} AS CHAR CHARACTER SET utf8mb4)",
        trimmed="REGEXP_REPLACE({0}, {2}, '') COLLATE utf8mb4_bin",
        number=f"CASE WHEN {{0}} REGEXP '{_NUMBER}' THEN CAST({{0}} AS DOUBLE) END",
        parsed="CAST({0} AS DOUBLE)",
        whole="CAST({0} AS SIGNED)",
        fence="LIMIT 9223372036854775807",
    ),
    "sqlite": _ANSI,
    "duckdb": _TRIED,
    "bigquery": _BigQuery(
        escapes=True,
        text="CAST({0} AS STRING)",
        number="SAFE_CAST({0} AS FLOAT64)",
        parsed="SAFE_CAST({0} AS FLOAT64)",
        whole="SAFE_CAST({0} AS INT64)",
        remainder="MOD({0}, {1})",
        quotient="DIV({0}, {1})",
        fence="",
    ),
    # Only text can be tried there.
    "snowflake": replace(_TRIED, escapes=True, number="CAST({0} AS DOUBLE)"),
    "spark": replace(
        _TRIED,
        quotes=("`", "`"),
        escapes=True,
        text="CAST({0} AS STRING)",
        trimmed="TRIM(BOTH {1} FROM {0})",
        # It resolves one table of a WITH clause at a time, and gives up after 100.
        nests=True,
    ),
    "tsql": Dialect(
        quotes=("[", "]"),
        national="N",
        text="CONVERT(NVARCHAR(4000), {0}, 121)",
        trimmed="TRIM({1} FROM {0}) COLLATE Latin1_General_100_BIN2",
        # Blank text would be 0.
        number="CASE WHEN CONVERT(NVARCHAR(4000), {0}) <> N'' THEN TRY_CAST({0} AS FLOAT) END",
        parsed="TRY_CAST({0} AS FLOAT)",
        whole="TRY_CAST({0} AS INTEGER)",
        piece="SUBSTRING",
        fence="",
    ),
    "oracle": Dialect(
        text="CAST({0} AS VARCHAR2(4000))",
        date_text="TO_CHAR({0}, 'YYYY-MM-DD HH24:MI:SS')",
        trimmed="LTRIM(RTRIM({0}, {1}), {1})",
        number="CAST({0} AS BINARY_DOUBLE)",
        parsed="CAST({0} AS BINARY_DOUBLE)",
        remainder="MOD({0}, {1})",
        quotient="({0} - MOD({0}, {1})) / {1}",
        # The literal is a decimal number.
        largest="1e125",
        fence="",
    ),
}
