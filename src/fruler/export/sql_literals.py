"""Names, texts and numbers as SQL writes them."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Return a name as an identifier.

    Examples
    --------
    >>> print(quoted('a "big" one'))
    "a ""big"" one"
    """
    return _between('"', name)


def literal(text: str) -> str:
    """Return a text as a string.

    Examples
    --------
    >>> print(literal("it's"))
    'it''s'
    """
    return _between("'", text)


def real(value: float) -> str:
    """Return a literal with an exponent: without one it would be a decimal number to some databases."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _between(sign: str, text: str) -> str:
    if "\0" in text:
        raise ValueError(f"A name with a null character cannot be written in SQL: {text!r}.")
    return sign + text.replace(sign, sign * 2) + sign
