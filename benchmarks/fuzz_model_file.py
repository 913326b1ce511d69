"""Spoiled model files: each must give a ValueError or a model that works, soon and without much memory.

    python benchmarks/fuzz_model_file.py [N] [--seed SEED]

The files of tests/model_file/golden are spoiled in N ways: bytes are changed, parts cut, doubled or moved; and in the
parsed document values get another type or size, keys vanish, appear or occur twice. What is read must predict, explain
and print. Every hundred thousand files it says how many were models. The seed is printed; with it, and the same N or a
larger one, a failure comes again.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import random
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fruler.estimators.saved_model import model_of, regressor_of
from fruler.model_file.file import model_bytes, parse_model

GOLDEN = Path(__file__).parents[1] / "tests" / "model_file" / "golden"
MAX_SECONDS = 20
MAX_MEGABYTES = 3_000
REPORT_EVERY = 100_000
NUMBERS = (
    *(
        "0",
        "-0",
        "-0.0",
        "1",
        "-1",
        "2",
        "0.5",
        "1e-320",
        "5e-324",
        "1e150",
        "-1e150",
        "1.0000001e150",
        "1e300",
        "-1e308",
    ),
    *("1.7976931348623157e308", "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "9007199254740993", "1" * 25),
    *(
        "1" * 309,
        "1" * 4000,
        "1" * 5000,
        "-" + "9" * 5000,
        "1.0",
        "24.0",
        "0.1e1",
        "01",
        "+1",
        ".5",
        "1.",
        "0x10",
        "1_000",
    ),
)
TEXTS = ("", " ", "low", "area", "x", "y", "\\ud800", "\\udc00x", "\\u0000", "\\u001b[31m", "é", "\\n", "a" * 10_000)
OTHERS = (
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    '{"": 0}',
    "[null]",
    '[""]',
    "[" * 50 + "]" * 50,
    '{"a": [1, {}]}',
)
BRACKETS = b'{}[]",:\\'


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


def spoiled(rng: random.Random, golden: list[bytes]) -> bytes:
    """Return a golden file with something wrong, or not, about it; mostly one of the five smallest, the fastest."""
    raw = rng.choice(sorted(golden, key=len)[:5] if rng.random() < 0.8 else golden)
    if rng.random() < 0.3:
        return spoil_bytes(rng, raw, golden)
    document, places = parsed(raw)
    document = spoil_document(rng, document, places)
    for _ in range(0 if rng.random() < 0.7 else rng.randint(1, 3)):
        document = spoil_document(rng, document, list(_containers(document, ())))
    written = written_as_json(document).encode("utf-8", "surrogatepass")
    return spoil_bytes(rng, written, golden) if rng.random() < 0.03 else written


@cache
def parsed(raw: bytes) -> tuple[Any, list[Place]]:
    """Return a document, and where its objects and lists are."""
    document = json.loads(raw)
    return document, list(_containers(document, ()))


def spoil_bytes(rng: random.Random, raw: bytes, golden: list[bytes]) -> bytes:
    """Change, cut, double or move bytes."""
    changed = bytearray(raw)
    start, length = rng.randrange(len(raw)), rng.choice([1, 2, 5, 50, 1_000])
    match rng.randrange(8):
        case 0:
            for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
                changed[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        case 1:
            for _ in range(rng.choice([1, 1, 3])):
                changed[rng.randrange(len(raw))] = rng.choice(BRACKETS + b"0123456789.-eE \n\x00\xff")
        case 2:
            del changed[start:]
        case 3:
            del changed[start : start + length]
        case 4:
            changed[start:start] = raw[start : start + length]
        case 5:
            other = rng.choice(golden)
            at = rng.randrange(len(other))
            changed[start : start + length] = other[at : at + length]
        case 6:
            changed[start:start] = rng.choice([b"[", b"{", b'"', b"\xef\xbb\xbf", b"[" * 5_000, b'{"a":' * 5_000])
        case _:
            # A digit for a digit: the only change of bytes that often leaves a model.
            digits = [i for i, byte in enumerate(raw) if byte in b"0123456789"]
            for _ in range(rng.choice([1, 2, 10]) if digits else 0):
                changed[rng.choice(digits)] = rng.choice(b"0123456789")
    return bytes(changed)


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


def _containers(value: Any, path: Place) -> Iterator[Place]:
    if isinstance(value, dict | list) and value:
        yield path
        for key, child in value.items() if type(value) is dict else enumerate(value) if type(value) is list else ():
            yield from _containers(child, (*path, key))


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


def use(raw: bytes, *, used: bool = True, thoroughly: bool = True) -> bool:
    """Read a file and use what it gives; return whether it gave a model, and raise whatever it should not."""
    try:
        regressor = regressor_of(parse_model(raw))
    except ValueError as error:
        if type(error) is not ValueError or not str(error):
            raise
        return False
    if not used:
        return True
    rules = regressor.rule_base_
    p = len(rules.variables)
    rows = np.array([np.arange(p) * 1e3, np.full(p, -1e150)])
    with warnings.catch_warnings():
        # Numbers may overflow; that is no failure of the reader.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        assert rules.predict(rows).shape == (2,)
        str(rules)
        if rules.training is not None:
            why = rules.explain(rows)
            str(why)
            if thoroughly:
                why.to_dict(), why.to_frame()
                assert len(regressor.feature_importances_) == len(rules.columns)
    if thoroughly:
        repr(regressor), len(regressor.rules_)
        again = model_bytes(model_of(regressor))
        assert model_bytes(model_of(regressor_of(parse_model(again)))) == again, "it changes when it is written again"
    return True


def golden_files() -> list[bytes]:
    """Return the files to spoil."""
    return [path.read_bytes() for path in sorted(GOLDEN.glob("*-[0-9].json"))]


def _end(*_: object) -> None:
    raise TimeoutError(f"a file took more than {MAX_SECONDS} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", nargs="?", type=int, default=1_000_000, help="how many files (default: a million)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    # A crash of a kernel would end the process without a word.
    faulthandler.enable()
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEGABYTES * 2**20,) * 2)
    except ImportError:
        print("no limit on memory on this system")
    signal.signal(signal.SIGALRM, _end)
    rng, golden, counts = random.Random(arguments.seed), golden_files(), Counter[bool]()
    start, slowest = time.perf_counter(), 0.0
    for number in range(1, arguments.n + 1):
        raw = spoiled(rng, golden)
        signal.alarm(MAX_SECONDS)
        began = time.perf_counter()
        try:
            counts[use(raw, thoroughly=number % 10 == 0)] += 1
        except BaseException:
            Path("failed_model_file.json").write_bytes(raw)
            print(f"file {number} failed; it is in failed_model_file.json")
            raise
        signal.alarm(0)
        slowest = max(slowest, time.perf_counter() - began)
        if number % REPORT_EVERY == 0 or number == arguments.n:
            seconds = time.perf_counter() - start
            print(
                f"{number:,} files: {counts[True]:,} models, {counts[False]:,} refused, {seconds:.0f} s, "
                f"the slowest {slowest:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
