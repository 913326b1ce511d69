"""Spoiled checkpoints of every algorithm: each must give a ValueError or a model, soon and without much memory.

    python tests/fuzz/fuzz_checkpoint.py [N] [--first NUMBER]

Checkpoints that were taken at several moments of small fits, and at their end, are spoiled in N ways: in one of ten
bytes of the file are changed, parts cut, doubled or moved: such a file must be refused as damaged, or come to a model.
In the others the document and the arrays are, and the file is written again, so that nothing but its content is wrong:
such a file may end in any exception, but not in a crash, or in a fit without end. Every tenth fit that resumes goes to
its own end, the others to the next report. A case is made from its number.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fuzzing import containers, main, spoil_bytes, spoil_document, written_as_json

import fruler.learning._checkpoint as checkpoint_module
from fruler.callbacks import Callback, Progress
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import find_estimator
from fruler.learning._checkpoint import FILE

ALGORITHMS = ("growth", "fruler", "l-metsk", "a-metsk", "fs-mogfs")
N_ROWS = 100
# When a fit is ended, in reports; the last is never.
MOMENTS = (2, 4, 9, 14, 10**6)
SMALL: Mapping[str, Any] = {"population_size": 8, "max_evaluations": 60}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "growth": {"max_rules": 3, "early_stopping": 1},
    "fruler": {**SMALL, "solver": "coordinate_descent", "regularization": 0.01},
}
_DAMAGED, _CRAFTED = 0, 1
_VALUES = (0, -1, 1, 2, 3, 7, 255, 2**31 - 1, -(2**31), 2**62, -(2**63))
_REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, 1e-300, 1e99, 1e150, -1e308, np.inf, -np.inf, np.nan)


class StopAt(Callback):
    """Ends a fit at its n-th report."""

    def __init__(self, number: int) -> None:
        self.left = number

    def on_generation(self, progress: Progress) -> bool:
        """Return whether this is the report."""
        self.left -= 1
        return self.left <= 0


def small_table() -> tuple[Any, Any]:
    """Return rows that all algorithms find rules for in a moment."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(N_ROWS, 2))
    # A jump and a bend: split points of every kind, and curves.
    return X, np.where(X[:, 0] > 0.5, 2.0, X[:, 0]) + 3.0 * np.abs(X[:, 1] - 0.5) + rng.normal(0.0, 0.01, N_ROWS)


def make(algorithm: str, folder: Path, reports: int) -> BaseRuleRegressor:
    """Return an estimator that keeps its search in a folder and ends after so many reports."""
    settings = SETTINGS.get(algorithm, SMALL)
    return find_estimator(algorithm)(**settings, random_state=0, checkpoint=folder, callbacks=StopAt(reports))


@cache
def whole_checkpoints() -> tuple[tuple[str, bytes], ...]:
    """Return the algorithm and the file of all checkpoints that are spoiled."""
    found = []
    for algorithm in ALGORITHMS:
        for moment in MOMENTS:
            with tempfile.TemporaryDirectory() as name:
                _fit(make(algorithm, Path(name), moment))
                found.append((algorithm, (Path(name) / FILE).read_bytes()))
    return tuple(found)


@cache
def parsed(raw: bytes) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the document of a checkpoint, where its objects and lists are, and its arrays."""
    with np.load(io.BytesIO(raw)) as stored:
        arrays = dict(stored)
    document = json.loads(arrays.pop("document").tobytes())
    return document, list(containers(document)), arrays


def spoiled(rng: random.Random) -> bytes:
    """Return a checkpoint with something wrong, or not, about it, after its algorithm and what was done to it."""
    algorithm, raw = rng.choice(whole_checkpoints())
    mark = ALGORITHMS.index(algorithm)
    if rng.random() < 0.1:
        return bytes([mark, _DAMAGED]) + spoil_bytes(rng, raw, [other for _, other in whole_checkpoints()])
    document, places, arrays = parsed(raw)
    arrays = dict(arrays)
    state, learned = document["content"]
    if learned is not None and rng.random() < 0.5:
        # As if it had not come to its end: the state is used.
        document = {**document, "content": [state, None]}
        places = list(containers(document))
    for _ in range(1 if rng.random() < 0.7 else rng.randint(2, 4)):
        if arrays and rng.random() < 0.65:
            _spoil_array(rng, arrays)
        else:
            # The identity says of which run it is; all that can go wrong there is soon tried.
            inner = [place for place in places if place[:1] != ("identity",) or rng.random() < 0.2]
            document = spoil_document(rng, document, inner)
            places = list(containers(document))
    text = written_as_json(document).encode("utf-8", "surrogatepass")
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, document=np.frombuffer(text, dtype=np.uint8), **arrays)
    return bytes([mark, _CRAFTED]) + buffer.getvalue()


def _spoil_array(rng: random.Random, arrays: dict[str, Any]) -> None:
    """Change one array: its values, its shape, its type, or its name."""
    name = rng.choice(sorted(arrays))
    array = arrays[name]
    match rng.randrange(11):
        case 0:
            del arrays[name]
        case 1:
            arrays[name] = arrays[rng.choice(sorted(arrays))]
        case 2:
            arrays[name] = array[: rng.randrange(len(array) + 1)] if array.ndim else array
        case 3:
            arrays[name] = np.concatenate([array, array[: rng.randint(1, 3)]]) if array.ndim else array
        case 4:
            kind = rng.choice(["i1", "u8", "f4", "f8", "?", "i8", "c16", "U4"])
            with contextlib.suppress(ValueError), np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arrays[name] = array.astype(kind)
        case 5:
            shapes = [(-1,), (1, -1), (-1, 1), (*array.shape, 1), array.shape[::-1]]
            arrays[name] = array.reshape(rng.choice(shapes))
        case 6 if array.ndim > 1:
            arrays[name] = array[..., : rng.randrange(array.shape[-1] + 1)]
        case 7 if array.size:
            changed = array.copy()
            np.random.default_rng(rng.randrange(2**31)).shuffle(changed.reshape(-1))
            arrays[name] = changed
        case _ if array.size and array.dtype.kind in "if":
            changed = array.copy()
            flat = changed.reshape(-1)
            for _ in range(rng.choice([1, 1, 1, 3, 10])):
                at = rng.randrange(flat.size)
                odd = rng.choice(_VALUES) if array.dtype.kind == "i" else rng.choice(_REALS)
                with np.errstate(all="ignore"):
                    near = flat[at] + rng.choice([-1, 1]) if rng.random() < 0.5 else odd
                    flat[at] = np.array(near).astype(array.dtype)
            arrays[name] = changed


def _fit(model: BaseRuleRegressor) -> BaseRuleRegressor:
    with warnings.catch_warnings():
        # Numbers may be odd; that is no failure of the reader.
        warnings.simplefilter("ignore")
        return model.fit(*small_table())


def use(raw: bytes, *, to_the_end: bool) -> bool:
    """Resume a fit from a file; return whether it came to a model, and raise whatever it should not."""
    algorithm, kind = ALGORITHMS[raw[0]], raw[1]
    checkpoint_module.SECONDS = 1e9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / FILE).write_bytes(raw[2:])
        try:
            model = _fit(make(algorithm, folder, 10**6 if to_the_end else 1))
        except Exception as error:
            if kind == _DAMAGED and not (isinstance(error, ValueError) and "checkpoint" in str(error)):
                raise
            return False
    assert model.n_rules_ > 0
    assert model.predict(small_table()[0]).shape == (N_ROWS,)
    return True


def _used(raw: bytes, number: int) -> str:
    return "models" if use(raw, to_the_end=number % 10 == 0) else "refused"


if __name__ == "__main__":
    sys.exit(main("checkpoint", __doc__ or "", spoiled, _used, 100_000))
