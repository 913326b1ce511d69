"""Spoiled CSV files: each must give a ValueError or a table that is fitted or refused, soon and in little memory.

    python tests/fuzz/fuzz_csv.py [N] [--first NUMBER]

Small tables with numbers, categories, dates, gaps, decimal commas, signs and quotes are spoiled in N ways: cells get
odd values, rows and columns vanish, appear or occur twice, separators are exchanged, bytes are changed, cut, doubled or
moved. What is read is also prepared as `fruler fit` prepares it, and in one of five hundred cases fitted. A case is
made from its number.
"""

from __future__ import annotations

import gzip
import io
import random
import sys
import warnings

from fuzzing import main, spoil_bytes

from fruler import FuzzyRuleRegressor
from fruler._cli.preparation import prepare_table
from fruler.data import read_table

MARKS = b",;\t|\"\n\r. '%$"
CELLS = (
    *("", " ", "NA", "?", "nan", "inf", "-inf", "1e400", "1e150", "-1e151", "0x10", "1_000", "1,5", "1.000", "1,000.5"),
    *(
        "5%",
        "$5.50",
        "12 €",
        "(3)",
        "--1",
        "+1",
        "1e",
        "True",
        "false",
        "2024-02-30",
        "31.12.99",
        "12:30",
        "2024-01-01",
    ),
    *(
        '"',
        '""',
        '"a',
        'a"b',
        "\u200b",
        "\x00",
        "\x1b[2J",
        "é",
        "a" * 5_000,
        "9" * 400,
        "=1+1",
        "@data",
        "\ufeff",
        "\u0661",
    ),
)
SEPARATORS = (",", ";", "\t", "|", " ", ":")


def tables() -> list[list[list[str]]]:
    """Return the tables that are spoiled: a header and rows of texts."""
    draw = random.Random(0)
    plain = [["size", "age", "price"]]
    plain += [[f"{draw.uniform(1, 9):.2f}", str(draw.randrange(90)), f"{draw.gauss(0, 5):.3f}"] for _ in range(30)]
    mixed = [["date", "colour", "share", "amount", "price"]]
    for day in range(1, 29):
        share, amount = f"{draw.randrange(100)}%", f"${draw.randrange(9)},{draw.randrange(100, 999)}.50"
        colour = draw.choice(["red", "green", "", "blue"])
        mixed.append([f"2024-02-{day:02}", colour, share, amount, str(draw.randrange(50))])
    commas = [["größe", "preis"]]
    commas += [[f"{draw.randrange(9)},{draw.randrange(10)}", f"{draw.randrange(99)},25"] for _ in range(25)]
    return [plain, mixed, commas]


TABLES = tables()


def spoiled(rng: random.Random) -> bytes:
    """Return a table as a file, with something wrong, or not, about it."""
    rows = [list(row) for row in rng.choice(TABLES)]
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        _spoil_rows(rng, rows)
    separator = ";" if any("," in value for row in rows for value in row) and rng.random() < 0.7 else ","
    if rng.random() < 0.1:
        separator = rng.choice(SEPARATORS)
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\r"])
    text = end.join(separator.join(_quoted(rng, value, separator) for value in row) for row in rows) + end
    raw = text.encode(rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")
    if rng.random() < 0.4:
        raw = spoil_bytes(rng, raw, [b'a,b\n1,2\n"x",3\n', raw], MARKS)
    if rng.random() < 0.03:
        raw = gzip.compress(raw, 1, mtime=0)
        raw = spoil_bytes(rng, raw, [raw], MARKS) if rng.random() < 0.5 else raw
    return raw


def _quoted(rng: random.Random, value: str, separator: str) -> str:
    needs = separator in value or '"' in value
    return '"' + value.replace('"', '""') + '"' if needs and rng.random() < 0.9 else value


def _spoil_rows(rng: random.Random, rows: list[list[str]]) -> None:
    row = rng.randrange(len(rows)) if rows else 0
    column = rng.randrange(len(rows[0])) if rows and rows[0] else 0
    match rng.randrange(9):
        case 0 | 1 if rows and column < len(rows[row]):
            rows[row][column] = rng.choice(CELLS)
        case 2:
            value = rng.choice(CELLS)
            for other in rows[1:]:
                other[column : column + 1] = [value]
        case 3 if rows:
            del rows[row]
        case 4 if rows:
            rows.insert(row, list(rows[row]))
        case 5 if rows:
            rows[row].append(rng.choice(CELLS))
        case 6 if rows:
            del rows[row][column : column + 1]
        case 7:
            for other in rows:
                other.append(other[column] if column < len(other) else "")
        case _:
            for other in rows:
                del other[column : column + 1]


def use(raw: bytes, *, fitted: bool) -> str:
    """Read a file and prepare what it gives; return how it ended, and raise whatever it should not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = read_table(io.BytesIO(raw), format="csv")
        except ValueError as error:
            _require_sentence(error)
            return "refused"
        frame = table.data
        assert len(frame) > 0
        assert frame.columns.is_unique
        target = str(frame.columns[-1])
        try:
            ready = prepare_table(frame, target)
            if fitted:
                FuzzyRuleRegressor(max_rules=2, max_evaluations=20, random_state=0).fit(ready.inputs, ready.target)
        except ValueError as error:
            _require_sentence(error)
            return "tables that cannot be learned from"
    return "tables"


def _require_sentence(error: ValueError) -> None:
    text = str(error)
    if not text or "\n" in text or len(text) > 1_000:
        raise error


def _used(raw: bytes, number: int) -> str:
    return use(raw, fitted=number % 500 == 0)


if __name__ == "__main__":
    sys.exit(main("csv", __doc__ or "", spoiled, _used, 100_000))
