"""Damaged checkpoints are refused, and crafted ones end no process; the fuzzer tries a hundred thousand."""

import io
import json
import random
from collections import Counter
from dataclasses import replace

import fuzz_checkpoint
import numpy as np
import pytest

from fruler.estimators.registry import find_estimator
from fruler.learning._checkpoint import FILE
from fruler.learning._codec import pack, unpack
from fruler.learning.learned import Learned

N_FILES = 200


@pytest.fixture(scope="module")
def fuzz():
    return fuzz_checkpoint


@pytest.fixture(scope="module")
def whole(fuzz):
    """The document and the state of a checkpoint of each algorithm at its end."""
    found = {}
    for number, (algorithm, raw) in enumerate(fuzz.whole_checkpoints()):
        if number % len(fuzz.MOMENTS) == len(fuzz.MOMENTS) - 1:
            document, _, arrays = fuzz.parsed(raw)
            state, _ = unpack(content_of(algorithm), document["content"], arrays)
            found[algorithm] = document, state
    return found


def content_of(algorithm):
    return tuple[find_estimator(algorithm).algorithm.state | None, Learned | None]


def resumed(fuzz, whole, folder, algorithm, state):
    """Fit from a checkpoint that holds a state."""
    content, arrays = pack(content_of(algorithm), (state, None))
    document = {**whole[algorithm][0], "content": content}
    np.savez(folder / FILE, document=np.frombuffer(json.dumps(document).encode(), dtype=np.uint8), **arrays)
    return fuzz._fit(fuzz.make(algorithm, folder, 10**6))


@pytest.mark.fuzz
def test_spoiled_checkpoints_are_refused_or_resumed(fuzz):
    ended = Counter(fuzz.use(fuzz.spoiled(random.Random(k)), to_the_end=k % 20 == 0) for k in range(N_FILES))
    assert ended[True] > N_FILES / 20
    assert ended[False] > N_FILES / 4


def test_what_is_not_crafted_is_resumed(fuzz, whole, tmp_path):
    for algorithm, (_, state) in whole.items():
        folder = tmp_path / algorithm
        folder.mkdir()
        assert resumed(fuzz, whole, folder, algorithm, state).resumed_ > 0


def with_structure(state, **changes):
    step = state.path[-1]
    return replace(state, path=(*state.path[:-1], step._replace(structure=replace(step.structure, **changes))))


def with_chromosome(snapshot, people, **changes):
    first, *others = getattr(snapshot, people)
    changed = first._replace(chromosome=replace(first.chromosome, **changes))
    return replace(snapshot, **{people: [changed, *others]})


def first_chromosome(snapshot):
    return snapshot.archive[0].chromosome


# Numbers that would lead kernels out of their arrays, and searches without end.
CRAFTED = [
    ("growth", lambda s: with_structure(s, bounds=s.path[-1].structure.bounds + np.intc(2**20))),
    ("growth", lambda s: with_structure(s, openers=s.path[-1].structure.openers - np.intc(7))),
    ("growth", lambda s: with_structure(s, blocks=np.ones((1, 1)))),
    ("fruler", lambda s: replace(s, selected=s.selected + 10**6)),
    ("fruler", lambda s: replace(s, nested=s.nested[:1])),
    ("fruler", lambda s: replace(s, fit=replace(s.fit, max_rounds=10**15))),
    (
        "fruler",
        lambda s: replace(
            s, snapshot=with_chromosome(s.snapshot, "population", granularities=np.full(2, 2**20, dtype=np.intc))
        ),
    ),
    ("l-metsk", lambda s: with_chromosome(s, "archive", granularities=first_chromosome(s).granularities * 100)),
    ("l-metsk", lambda s: replace(s, threshold=np.inf)),
    ("a-metsk", lambda s: replace(s, tuning=with_chromosome(s.tuning, "archive", genes=np.zeros(1)))),
]


@pytest.mark.parametrize(("algorithm", "change"), CRAFTED)
def test_crafted_states_are_damage(fuzz, whole, tmp_path, algorithm, change):
    with pytest.raises(ValueError, match="is damaged"):
        resumed(fuzz, whole, tmp_path, algorithm, change(whole[algorithm][1]))


def test_a_packed_or_enormous_member_is_damage(fuzz, tmp_path):
    algorithm, raw = fuzz.whole_checkpoints()[2]
    document, _, arrays = fuzz.parsed(raw)
    text = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    # A few bytes that would unpack to many megabytes.
    np.savez_compressed(tmp_path / FILE, document=text, **arrays, bomb=np.zeros(2**20))
    with pytest.raises(ValueError, match=r"is damaged .* is compressed"):
        fuzz._fit(fuzz.make(algorithm, tmp_path, 1))
    buffer = io.BytesIO()
    np.savez(buffer, document=text, **arrays)
    enormous = buffer.getvalue().replace(b"'shape': (", b"'shape': (9" + b"9" * 12 + b",", 1)
    (tmp_path / FILE).write_bytes(enormous)
    with pytest.raises(ValueError, match="is damaged"):
        fuzz._fit(fuzz.make(algorithm, tmp_path, 1))
