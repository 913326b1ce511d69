"""Spoiled model files: each must give a ValueError or a model that works, soon and without much memory.

    python tests/fuzz/fuzz_model_file.py [N] [--first NUMBER]

The files of tests/model_file/golden are spoiled in N ways: bytes are changed, parts cut, doubled or moved; and in the
parsed document values get another type or size, keys vanish, appear or occur twice. What is read must predict, explain
and print, and of every tenth the rest is tried too. A case is made from its number.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fuzzing import Place, containers, main, spoil_bytes, spoil_document, written_as_json

from fruler._model_file.file import model_bytes, parse_model
from fruler.estimators._saved_model import regressor_of
from fruler.rules._refit import Held, Terms

GOLDEN = Path(__file__).parents[1] / "model_file" / "golden"


def spoiled(rng: random.Random, golden: list[bytes]) -> bytes:
    """Return a golden file with something wrong, or not, about it; mostly one of the five smallest, the fastest."""
    raw = rng.choice(sorted(golden, key=len)[:5] if rng.random() < 0.8 else golden)
    if rng.random() < 0.3:
        return spoil_bytes(rng, raw, golden)
    document, places = parsed(raw)
    document = spoil_document(rng, document, places)
    for _ in range(0 if rng.random() < 0.7 else rng.randint(1, 3)):
        document = spoil_document(rng, document, list(containers(document)))
    written = written_as_json(document).encode("utf-8", "surrogatepass")
    return spoil_bytes(rng, written, golden) if rng.random() < 0.03 else written


@cache
def parsed(raw: bytes) -> tuple[Any, list[Place]]:
    """Return a document, and where its objects and lists are."""
    document = json.loads(raw)
    return document, list(containers(document))


def use_sums(regressor: Any) -> None:
    """Fit the outputs to the sums in a file, with what its edits fixed; they may be any numbers."""
    rules, sums = regressor.rule_base_, regressor._sums
    if sums is None:
        return
    held = Held.by([edit for change in regressor.changes_ for edit in change.edits], rules)
    # Hostile sums may have no solution.
    with suppress(ValueError), np.errstate(all="ignore"):
        terms = Terms(rules, held, sums, rules)
        str(terms.rule_base(terms.solved(regressor._objective())))


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
        repr(regressor), len(regressor.rules_), list(map(str, regressor.changes_))
        use_sums(regressor)
        again = model_bytes(regressor._to_model())
        assert model_bytes(regressor_of(parse_model(again))._to_model()) == again, "it changes when it is written again"
    return True


def golden_files() -> list[bytes]:
    """Return the files to spoil."""
    return [path.read_bytes() for path in sorted(GOLDEN.glob("*-[0-9].json"))]


def _used(raw: bytes, number: int) -> str:
    return "models" if use(raw, thoroughly=number % 10 == 0) else "refused"


if __name__ == "__main__":
    golden = golden_files()
    sys.exit(main("model_file", __doc__ or "", lambda rng: spoiled(rng, golden), _used, 1_000_000))
