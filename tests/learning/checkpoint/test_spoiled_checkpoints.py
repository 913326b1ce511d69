"""Spoiled checkpoints are refused, or resumed to a model; benchmarks/fuzz_checkpoint.py tries a hundred thousand."""

import io
import json
import random
from collections import Counter

import numpy as np
import pytest
from helpers.scripts import script

from fruler.learning.checkpoint.folder import FILE

N_FILES = 400


@pytest.fixture(scope="module")
def fuzz():
    return script("fuzz_checkpoint")


@pytest.fixture(scope="module")
def whole(fuzz):
    """What a checkpoint of each algorithm holds at its third moment, as if the fit had not come to its end."""
    found = {}
    for number, (algorithm, raw) in enumerate(fuzz.whole_checkpoints()):
        if number % len(fuzz.MOMENTS) == 2:
            document, _, arrays = fuzz.parsed(raw)
            found[algorithm] = {**document, "learned": None}, arrays
    return found


def test_spoiled_checkpoints_are_refused_or_resumed(fuzz):
    ended = Counter(fuzz.use(fuzz.spoiled(random.Random(k)), to_the_end=k % 20 == 0) for k in range(N_FILES))
    assert ended[True] > N_FILES / 20
    assert ended[False] > N_FILES / 2


def resumed(fuzz, folder, algorithm, document, arrays):
    text = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, document=text, **arrays)
    (folder / FILE).write_bytes(buffer.getvalue())
    return fuzz._fit(fuzz.make(algorithm, folder, 10**6))


def changed(array, place, value):
    copy = array.copy()
    copy[place] = value
    return copy


# What used to be read: numbers that lead kernels out of their arrays, endless loops, and errors of other kinds.
CRAFTED = [
    ("growth", "bounds", lambda a: np.where(a >= 0, 2**30, a)),
    ("growth", "bounds", lambda a: a - 7),
    ("growth", "splits_inputs", lambda a: a + 5),
    ("growth", "bends_inputs", lambda a: a - 1),
    ("growth", "openers", lambda a: np.where(a >= 0, 99, a)),
    ("growth", "blocks", lambda a: 1.0 - a),
    ("growth", "coefficients", lambda a: a * np.inf),
    ("growth", "coefficients", lambda a: a + 1e200),
    ("growth", "splits_places", lambda a: a + 1e9),
    ("growth", "splits_reaches", lambda a: a * 0.0),
    ("growth", "errors", lambda a: a * 0.0 - 1.0),
    ("growth", "errors", lambda a: a[:, :1]),
    ("growth", "counts", lambda a: a.T.copy()),
    ("growth", "figures", lambda a: changed(a, (0, 2), 0.5)),
    ("fruler", "granularities", lambda a: a + 2**20),
    ("fruler", "granularities", lambda a: a * 0),
    ("fruler", "genes", lambda a: a + 7.0),
    ("fruler", "selected", lambda a: changed(a, -1, 10**6)),
    ("fruler", "selected", lambda a: a[:0]),
    ("fruler", "selected", lambda a: changed(a, -1, np.iinfo(a.dtype).min)),
    ("fruler", "found", lambda a: a * 0.0),
    ("fruler", "found", lambda a: a + 1e6),
    ("fruler", "evaluations", lambda a: changed(a, (0, 2), -1.0)),
    ("fruler", "seen", lambda a: a[:, :1]),
    ("fruler", "seen", lambda a: a[:0]),
    ("fruler", "history", lambda a: a[:0]),
    ("l-metsk", "grid granularities", lambda a: a + 2**20),
    ("l-metsk", "grid displacements", lambda a: a + 3.0),
    ("l-metsk", "grid worths", lambda a: a * 1e300 * 1e300),
    ("a-metsk", "grid fitness", lambda a: a[:1]),
    ("fs-mogfs", "grid history", lambda a: a[:0]),
]


@pytest.mark.parametrize(("algorithm", "name", "change"), CRAFTED)
def test_crafted_arrays_are_damage(fuzz, whole, tmp_path, algorithm, name, change):
    document, arrays = whole[algorithm]
    assert arrays[name].size, "the checkpoint holds nothing of it"
    with np.errstate(all="ignore"):
        crafted = {**arrays, name: change(arrays[name])}
    with pytest.raises(ValueError, match="is damaged"):
        resumed(fuzz, tmp_path, algorithm, document, crafted)


def test_what_is_not_crafted_is_resumed(fuzz, whole, tmp_path):
    for algorithm, (document, arrays) in whole.items():
        folder = tmp_path / algorithm
        folder.mkdir()
        assert resumed(fuzz, folder, algorithm, document, arrays).resumed_ > 0


@pytest.mark.parametrize(
    ("algorithm", "place", "value"),
    [
        ("growth", ("folds", 0, "options", "max_rules"), "many"),
        ("growth", ("folds", 0, "number"), 17),
        ("growth", ("folds", 0, "weight"), 0.0),
        ("growth", ("folds", 0, "max_size"), 10**9),
        ("growth", ("paths", 0), 10**12),
        ("growth", ("max_rules",), -3),
        ("fruler", ("snapshot", "stride"), 10**12),
        ("fruler", ("snapshot", "n_population"), 0),
        ("fruler", ("snapshot", "threshold"), float("nan")),
        ("fruler", ("snapshot", "rng", "state", "state"), -1),
        ("fruler", ("fit", "max_rounds"), 10**15),
        ("fruler", ("fit", "solver"), "magic"),
        ("fruler", ("nested", 0, 0), 10**9),
        ("l-metsk", ("n_archive",), 10**9),
        ("a-metsk", ("base",), "zz"),
        ("fs-mogfs", ("grid", "fall"), 1e300),
    ],
)
def test_crafted_documents_are_damage(fuzz, whole, tmp_path, algorithm, place, value):
    document, arrays = whole[algorithm]
    document = json.loads(json.dumps(document))
    inner = document["state"]
    for step in place[:-1]:
        inner = inner[step]
    assert place[-1] in inner if isinstance(inner, dict) else place[-1] < len(inner)
    inner[place[-1]] = value
    with pytest.raises(ValueError, match="is damaged"):
        resumed(fuzz, tmp_path, algorithm, document, arrays)


def test_a_packed_or_enormous_member_is_damage(fuzz, whole, tmp_path):
    document, arrays = whole["growth"]
    text = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    # A few bytes that would unpack to half a gigabyte.
    np.savez_compressed(buffer, document=text, **arrays, bomb=np.zeros(2**20))
    (tmp_path / FILE).write_bytes(buffer.getvalue())
    with pytest.raises(ValueError, match=r"is damaged .* is packed"):
        fuzz._fit(fuzz.make("growth", tmp_path, 1))
    buffer = io.BytesIO()
    np.savez(buffer, document=text, **arrays)
    raw = buffer.getvalue().replace(b"'shape': (", b"'shape': (9" + b"9" * 12 + b",", 1)
    (tmp_path / FILE).write_bytes(raw)
    with pytest.raises(ValueError, match="is damaged"):
        fuzz._fit(fuzz.make("growth", tmp_path, 1))


def standing_still(part):
    """Return a document whose generator of random numbers always gives the same one."""
    if not isinstance(part, dict):
        return part
    return {
        name: {"state": 0, "inc": 0} if name == "state" and "inc" in value else standing_still(value)
        for name, value in part.items()
        if name != "state" or isinstance(value, dict)
    }


@pytest.mark.parametrize("algorithm", ["fruler", "l-metsk", "fs-mogfs", "a-metsk"])
def test_a_generator_that_stands_still_is_refused(fuzz, whole, tmp_path, algorithm):
    document, arrays = whole[algorithm]
    spoiled = standing_still(document)
    assert spoiled != document
    with pytest.raises(ValueError, match="checkpoint"):
        resumed(fuzz, tmp_path, algorithm, spoiled, arrays)
