"""Comments and strings of C: other people wrote what is in them."""

from __future__ import annotations

from fruler.export.names import one_line


def comment(text: str) -> str:
    """Return a comment that nothing in the text can end; gaps also break up trigraphs and nested comments.

    Examples
    --------
    >>> comment("end */ here")
    '/* end * / here */'
    """
    plain = one_line(text)
    for sign in ("*/", "/*", "??", "//"):
        while sign in plain:
            plain = plain.replace(sign, f"{sign[0]} {sign[1]}")
    return f"/* {plain} */"


def string(text: str) -> str:
    r"""Return a string literal; what is not plain ASCII goes in as octal bytes of UTF-8.

    Examples
    --------
    >>> print(string('5"'))
    "5\042"
    """
    data = text.encode("utf-8", "backslashreplace")
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in data)
    return '"' + "".join(plain) + '"'
