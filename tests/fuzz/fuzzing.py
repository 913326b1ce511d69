"""What the fuzz scripts share: spoiled bytes and documents, and cases by number, bounded in time and memory, counted.

A case is made from its number alone. So a range of numbers can be run again, in parts, or where another run ended.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import random
import re
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MAX_SECONDS = 20
MAX_MEGABYTES = 3_000
MAX_FAILURES = 10
REPORT_SECONDS = 60.0
NUMBERS = (
    *("0", "-0", "-0.0", "1", "-1", "2", "0.5", "1e-320", "5e-324", "1e150", "-1e150", "1.0000001e150", "1e300"),
    *("-1e308", "1.7976931348623157e308", "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "9007199254740993"),
    *("1" * 25, "1" * 309, "1" * 4000, "1" * 5000, "-" + "9" * 5000, "1.0", "24.0", "0.1e1", "01", "+1", ".5", "1."),
    *("0x10", "1_000"),
)
TEXTS = ("", " ", "low", "area", "x", "y", "\\ud800", "\\udc00x", "\\u0000", "\\u001b[31m", "é", "\\n", "a" * 10_000)
OTHERS = (
    *("null", "true", "false", "[]", "{}", "[[]]", '{"": 0}', "[null]", '[""]', "[" * 50 + "]" * 50),
    '{"a": [1, {}]}',
)
BRACKETS = b'{}[]",:\\'
DIGITS = b"0123456789"

# Around a piece of JSON that is written as it is, right or wrong.
OPEN, CLOSE = "\ue000", "\ue001"
Place = tuple[str | int, ...]


class Pairs(dict[str, Any]):
    """An object whose keys may occur twice when it is written."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> Any:
        """Return all pairs."""
        return self.pairs


def spoil_bytes(rng: random.Random, raw: bytes, others: list[bytes], marks: bytes = BRACKETS) -> bytes:
    """Change, cut, double or move bytes; `marks` are those that mean something in the format."""
    if not raw:
        return marks
    changed = bytearray(raw)
    start, length = rng.randrange(len(raw)), rng.choice([1, 2, 5, 50, 1_000])
    match rng.randrange(8):
        case 0:
            for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
                changed[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        case 1:
            for _ in range(rng.choice([1, 1, 3])):
                changed[rng.randrange(len(raw))] = rng.choice(marks + DIGITS + b".-eE \n\x00\xff")
        case 2:
            del changed[start:]
        case 3:
            del changed[start : start + length]
        case 4:
            changed[start:start] = raw[start : start + length]
        case 5:
            other = rng.choice(others)
            at = rng.randrange(len(other))
            changed[start : start + length] = other[at : at + length]
        case 6:
            mark = bytes([rng.choice(marks)])
            changed[start:start] = rng.choice([mark, mark, b"\xef\xbb\xbf", mark * 5_000, b'{"a":' * 5_000])
        case _:
            # A digit for a digit: the only change of bytes that often leaves what can be used.
            digits = [i for i, byte in enumerate(raw) if byte in DIGITS]
            for _ in range(rng.choice([1, 2, 10]) if digits else 0):
                changed[rng.choice(digits)] = rng.choice(DIGITS)
    return bytes(changed)


def containers(value: Any, path: Place = ()) -> Iterator[Place]:
    """Return where the objects and lists of a document are, all that are not empty."""
    if isinstance(value, dict | list) and value:
        yield path
        for key, child in value.items() if type(value) is dict else enumerate(value) if type(value) is list else ():
            yield from containers(child, (*path, key))


def spoil_document(rng: random.Random, document: Any, places: list[Place]) -> Any:
    """Change one place of a document; the places deep down, where most values are, are not the only ones."""
    if not places:
        return document
    place = rng.choice(places)
    if rng.random() < 0.5:
        # Of each kind alike: what occurs once is as likely as what occurs in every rule.
        kinds: dict[Place, list[Place]] = {}
        for path in places:
            kinds.setdefault(tuple("*" if isinstance(step, int) else step for step in path), []).append(path)
        place = rng.choice(list(kinds.values()))[0]
    return _replaced(document, place, _spoiled_container(rng, _at(document, place), _at(document, rng.choice(places))))


def _at(document: Any, path: Place) -> Any:
    for step in path:
        document = document[step]
    return document


def _replaced(value: Any, path: Place, new: Any) -> Any:
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = _replaced(value[path[0]], path[1:], new)
    return changed


def _spoiled_container(rng: random.Random, container: Any, other: Any) -> Any:
    is_object = isinstance(container, dict)
    pairs = list(container.items()) if is_object else [("", value) for value in container]
    i = rng.randrange(len(pairs))
    key, value = pairs[i]
    match rng.randrange(12):
        case 0:
            del pairs[i]
        case 1:
            pairs.insert(rng.randint(0, len(pairs)), pairs[i])
        case 2:
            pairs.insert(i, (_text(rng), _value(rng)))
        case 3:
            pairs[i] = (_text(rng) if rng.random() < 0.5 else rng.choice(pairs)[0], value)
        case 4:
            rng.shuffle(pairs)
        case 5:
            pairs *= rng.choice([0, 2, 3, 100]) if len(pairs) < 100 else 2
        case 6:
            pairs[i] = (key, rng.choice(pairs)[1])
        case 7:
            pairs[i] = (key, other)
        case 8:
            pairs[i] = (key, [value] * rng.choice([1, 2, 100]) if rng.random() < 0.5 else {key: value})
        case 9 if isinstance(value, int | float):
            pairs[i] = (key, value * rng.choice([-1, 0, 0.5, 1.0 + 1e-15, 2, 1e10, 1e-10]))
        case _:
            pairs[i] = (key, _value(rng))
    return Pairs(pairs) if is_object else [value for _, value in pairs]


def _as_is(written: str) -> str:
    return OPEN + written + CLOSE


def _text(rng: random.Random) -> str:
    return _as_is(f'"{rng.choice(TEXTS)}"')


def _value(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.6:
        return _as_is(rng.choice(NUMBERS))
    return _text(rng) if kind < 0.8 else _as_is(rng.choice(OTHERS))


def written_as_json(document: Any) -> str:
    """Write a document, and what is wrong about it."""
    written = json.dumps(document, ensure_ascii=False)
    return re.sub(f'"{OPEN}(.*?){CLOSE}"', lambda found: json.loads(f'"{found[1]}"'), written)


def _end(*_: object) -> None:
    raise TimeoutError("a case took too long")


def main(
    subject: str,
    description: str,
    made: Callable[[random.Random], bytes],
    used: Callable[[bytes, int], str],
    n: int,
    *,
    max_megabytes: int = MAX_MEGABYTES,
    max_seconds: int = MAX_SECONDS,
) -> int:
    """Make and use cases by number; count how they end, and keep those that fail.

    Parameters
    ----------
    subject : str
        What a case is, for names of files and messages.
    description : str
        Of the script.
    made : callable
        Makes a case from a generator of its own.
    used : callable
        Uses a case, given its number; returns how it ended, and raises what it should not.
    n : int
        How many cases there are if nothing is said.
    max_megabytes, max_seconds : int
        The most memory of all cases, and the most time of one.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("n", nargs="?", type=int, default=n, help=f"how many cases (default: {n:,})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    arguments = parser.parse_args()
    # A crash of a kernel would end the process without a word.
    faulthandler.enable()
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (max_megabytes * 2**20,) * 2)
    except ImportError:
        print("no limit on memory on this system")
    signal.signal(signal.SIGALRM, _end)
    counts, failed, slowest, start, told = Counter[str](), 0, 0.0, time.process_time(), time.monotonic()
    last = arguments.first + arguments.n - 1
    for number in range(arguments.first, last + 1):
        raw = made(random.Random(number))
        signal.alarm(max_seconds)
        began = time.process_time()
        try:
            counts[used(raw, number)] += 1
        except Exception:  # noqa: BLE001  # whatever it is, it is what is looked for
            signal.alarm(0)
            failed += 1
            path = Path(f"failed_{subject}_{number}")
            kept = f"; it is in {path}" if raw else ""
            if raw:
                path.write_bytes(raw)
            print(f"case {number} failed{kept}\n{traceback.format_exc(limit=-4)[:2_000]}", flush=True)
        signal.alarm(0)
        slowest = max(slowest, time.process_time() - began)
        if number == last or failed >= MAX_FAILURES or time.monotonic() - told > REPORT_SECONDS:
            told, seconds = time.monotonic(), time.process_time() - start
            found = ", ".join(f"{count:,} {how}" for how, count in counts.most_common())
            print(
                f"{subject} {arguments.first} to {number}: {found}; {failed} failed; {seconds:.0f} s of processor "
                f"time, the slowest {slowest:.2f} s",
                flush=True,
            )
        if failed >= MAX_FAILURES:
            break
    return 1 if failed else 0
