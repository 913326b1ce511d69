"""Spoiled KEEL and ARFF files: each must give a ValueError or a data set, soon and without much memory.

    python tests/fuzz/fuzz_keel.py [N] [--first NUMBER]

Small files with real, integer and nominal attributes, missing values, quotes and comments are spoiled in N ways: lines
vanish, occur twice or move, words and values are exchanged for odd ones, bytes are changed, cut, doubled or moved. A
case is made from its number.
"""

from __future__ import annotations

import io
import random
import sys
import warnings

from fuzzing import main, spoil_bytes

from fruler.data import read_table

MARKS = b"@{}[],'\"%?\n\r\\ "
WORDS = (
    *(
        "",
        "?",
        "<null>",
        "nan",
        "inf",
        "1e400",
        "-1e308",
        "1e-400",
        "0x1",
        "1_0",
        "True",
        "'",
        '"',
        "'a b'",
        "\\'",
        "{",
    ),
    *("}", "[", "]", "[1, 0]", "[0, 1e400]", "{a, a}", "{}", "real", "integer", "numeric", "string", "date", "nominal"),
    *("@data", "@attribute", "@outputs", "@inputs", "@relation", "%", "\x00", "é", "a" * 5_000, "9" * 400, "1,2", "\t"),
)
FILES = (
    "@relation small\n@attribute size real [0.0, 9.0]\n@attribute rooms integer [1, 5]\n"
    "@attribute colour {red, green, 'dark blue'}\n@attribute price real [-10, 10]\n@inputs size, rooms, colour\n"
    "@outputs price\n@data\n"
    + "".join(f"{k / 3:.3f}, {1 + k % 5}, {('red', 'green', repr('dark blue'))[k % 3]}, {k - 9}\n" for k in range(18)),
    "% a comment\n@RELATION 'two words'\n@ATTRIBUTE a NUMERIC\n@ATTRIBUTE 'b c' {yes,no}\n@ATTRIBUTE y REAL\n\n@DATA\n"
    "1,yes,2\n?,no,3.5\n-1e3,?,4\n% between\n2,'yes',5\n",
    "@relation wide\n"
    + "".join(f"@attribute x{j} real [0, 1]\n" for j in range(12))
    + "@attribute y real\n@data\n"
    + "".join(", ".join(f"0.{(j * 7 + k) % 10}" for j in range(13)) + "\n" for k in range(10)),
)


def spoiled(rng: random.Random) -> bytes:
    """Return a file with something wrong, or not, about it."""
    lines = rng.choice(FILES).split("\n")
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        _spoil_lines(rng, lines)
    raw = (
        rng.choice(["\n", "\n", "\r\n"])
        .join(lines)
        .encode(rng.choice(["utf-8", "utf-8", "utf-16", "latin-1"]), "replace")
    )
    return spoil_bytes(rng, raw, [other.encode() for other in FILES], MARKS) if rng.random() < 0.5 else raw


def _spoil_lines(rng: random.Random, lines: list[str]) -> None:
    if not lines:
        return
    at = rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] += rng.choice([",", " "]) + rng.choice(WORDS)
        case _:
            joint = "," if "," in lines[at] else " "
            words = lines[at].split(joint)
            words[rng.randrange(len(words))] = rng.choice(WORDS)
            lines[at] = joint.join(words)


def use(raw: bytes, *, kind: str) -> str:
    """Read a file; return how it ended, and raise whatever it should not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = read_table(io.BytesIO(raw), format=kind)
        except ValueError as error:
            text = str(error)
            if not text or "\n" in text or len(text) > 1_000:
                raise
            return "refused"
    assert len(table.data) > 0
    assert table.data.columns.is_unique
    assert table.target is None or table.target.notna().all()
    return "tables"


def _used(raw: bytes, number: int) -> str:
    return use(raw, kind="arff" if number % 3 == 0 else "keel")


if __name__ == "__main__":
    sys.exit(main("keel", __doc__ or "", spoiled, _used, 100_000))
