"""A fit that is ended and repeated with a checkpoint comes to the model of one that was left alone."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.estimators import ALGORITHMS, make_estimator, takes_split_points

import fruler.learning._checkpoint as checkpoint
from fruler import FRULERRegressor
from fruler._algorithms.growth.learner import GROWTH
from fruler._files import lock_folder
from fruler.callbacks import Callback
from fruler.data import make_friedman
from fruler.learning._checkpoint import FILE, Identity

SCRIPT = Path(__file__).parent / "kill_and_resume_fit.py"


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(120, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


@pytest.fixture(params=ALGORITHMS)
def algorithm(request):
    return request.param


@pytest.fixture(autouse=True)
def _write_at_once(monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "MAX_SHARE", 1e9)


@pytest.fixture(scope="module")
def whole(friedman):
    """What `quick` finds of either algorithm when it is left alone."""
    return {algorithm: quick(algorithm).fit(*friedman) for algorithm in ALGORITHMS}


class StopAt(Callback):
    """Ends a fit, or breaks it off, at the n-th thing that it is told; -1 at none."""

    def __init__(self, number=-1, error=None):
        self.number, self.error, self.told = number, error, []

    def on_generation(self, progress):
        self.told.append(progress)
        if len(self.told) != self.number:
            return False
        if self.error is not None:
            raise self.error
        return True


def quick(algorithm, folder=None, **changes):
    settings = {"random_state": 0, "checkpoint": folder}
    if algorithm != "growth":
        settings |= {"max_evaluations": 800}
    return make_estimator(algorithm, **settings | changes)


def assert_same(model, other):
    assert model.rule_base_ == other.rule_base_
    assert model.n_evaluations_ == other.n_evaluations_
    assert model.pareto_.equals(other.pareto_)
    pd.testing.assert_frame_equal(
        model.history_.drop(columns="seconds"), other.history_.drop(columns="seconds"), check_exact=True
    )
    np.testing.assert_array_equal(model.sample_indices_, other.sample_indices_)
    assert all(
        one.rule_base == two.rule_base and one.regularization == two.regularization
        for one, two in zip(model._front, other._front, strict=True)
    )


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed and forked otherwise there")
@pytest.mark.parametrize(
    "options",
    [
        ["--algorithm", "growth", "--rows", "60"],
        ["--algorithm", "fruler", "--evaluations", "1500"],
        ["--algorithm", "l-metsk", "--evaluations", "1500"],
        ["--algorithm", "fs-mogfs", "--evaluations", "800"],
        ["--algorithm", "a-metsk", "--evaluations", "400"],
    ],
)
def test_a_process_killed_at_any_moment_is_resumed_to_the_same_model(options):
    command = [sys.executable, str(SCRIPT), *options, "--kills", "12"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert result.returncode == 0, result.stdout + result.stderr
    told = json.loads(result.stdout.splitlines()[-1])
    assert told["kills"] >= 12
    assert told["resumed"] > told["compared"] // 3


@pytest.mark.slow
@pytest.mark.parametrize("moment", [1, 2, 3, 5, 12, 19])
@pytest.mark.parametrize("error", [None, KeyError("broken off")])
def test_a_fit_that_was_ended_goes_on(friedman, algorithm, whole, tmp_path, moment, error):
    stop = StopAt(moment, error)
    model = quick(algorithm, tmp_path, callbacks=stop)
    if error is None:
        model.fit(*friedman)
        assert model.resumed_ == 0
    else:
        with pytest.raises(KeyError):
            model.fit(*friedman)
    again = quick(algorithm, tmp_path).fit(*friedman)
    assert_same(again, whole[algorithm])
    told = stop.told[moment - 1]
    if told.stage in ("cross-validation", "fit"):
        # The last generation, which the limit of evaluations cut short, is made again; a growth goes back again.
        assert 0 < again.resumed_ < told.n_evaluations
    elif told.stage == "cross-validation":
        # The way back from the largest model is made again.
        assert 0.8 * told.n_evaluations < again.resumed_ < told.n_evaluations
    else:
        assert again.resumed_ == told.n_evaluations
    assert again.n_evaluations_ > again.resumed_


@pytest.mark.parametrize("changes", [{"solver": "sgd"}, {"criterion": "error"}, {"split_points": {0: [0.3, 0.6]}}])
def test_every_kind_of_evolution_resumes(friedman, tmp_path, changes):
    settings = {"solver": "coordinate_descent", "max_evaluations": 300} | changes
    FRULERRegressor(**settings, random_state=3, checkpoint=tmp_path, callbacks=StopAt(4)).fit(*friedman)
    again = FRULERRegressor(**settings, random_state=3, checkpoint=tmp_path).fit(*friedman)
    assert again.resumed_ > 0
    assert_same(again, FRULERRegressor(**settings, random_state=3).fit(*friedman))


def test_weights_and_known_splits_and_threads_go_on(friedman, algorithm, tmp_path):
    X, y = friedman
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    settings = {"split_points": {"x0": [0.5], 2: [0.2, 0.7]}} if takes_split_points(algorithm) else {}
    quick(algorithm, tmp_path, **settings, n_jobs=2, callbacks=StopAt(6)).fit(X, y, sample_weight=weight)
    again = quick(algorithm, tmp_path, **settings).fit(X, y, sample_weight=weight)
    assert again.resumed_ > 0
    assert_same(again, quick(algorithm, **settings).fit(X, y, sample_weight=weight))


def test_a_limit_of_time_is_that_of_one_call(friedman, algorithm, whole, tmp_path, clock):
    X, y = friedman
    alone = whole[algorithm]
    clock.tick = 0.001
    calls, resumed = 0, [0]
    while calls < 200:
        calls += 1
        model = quick(algorithm, tmp_path, time_limit=0.4 + 0.1 * calls).fit(X, y)
        resumed.append(model.resumed_)
        if model.n_evaluations_ == model.resumed_ == alone.n_evaluations_:
            break
    assert calls > 1
    assert resumed == sorted(resumed)
    # λ is searched in a third of the time, and may have had too little.
    if algorithm == "growth":
        assert_same(model, alone)


def test_a_finished_run_gives_its_model_at_once(friedman, algorithm, tmp_path):
    first = quick(algorithm, tmp_path).fit(*friedman)
    recorder = StopAt()
    again = quick(algorithm, tmp_path, callbacks=recorder).fit(*friedman)
    # Nothing was searched for again.
    assert recorder.told == []
    assert_same(again, first)
    assert first.resumed_ == 0
    assert again.resumed_ == again.n_evaluations_ == first.n_evaluations_
    smallest = first.pareto_["rules"].iloc[0]
    assert again.with_rules(smallest).rule_base_ == first.with_rules(smallest).rule_base_


def test_without_a_seed_the_one_that_was_drawn_is_kept(friedman, algorithm, tmp_path):
    quick(algorithm, tmp_path, random_state=None, callbacks=StopAt(4)).fit(*friedman)
    first = quick(algorithm, tmp_path, random_state=None).fit(*friedman)
    assert first.resumed_ > 0
    assert_same(quick(algorithm, tmp_path, random_state=None).fit(*friedman), first)


def test_a_generator_must_give_the_same_numbers(friedman, tmp_path):
    first = quick("fruler", tmp_path, random_state=np.random.RandomState(5)).fit(*friedman)
    assert_same(quick("fruler", tmp_path, random_state=np.random.RandomState(5)).fit(*friedman), first)
    with pytest.raises(ValueError, match=r"random_state was 'a generator' and is now 4"):
        quick("fruler", tmp_path, random_state=4).fit(*friedman)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_rules": 7}, "max_rules was 20 and is now 7. Resume it with warm_start=True, or choose another"),
        ({"fuzziness": 0.5}, "fuzziness was 1.0 and is now 0.5. Use the same data and settings, or choose another"),
        ({"random_state": 1}, "random_state was 0 and is now 1"),
        ({"split_points": {1: [0.5]}}, r"split_points was \{\} and is now \{'x1': \[0.5\]\}"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(friedman, tmp_path, changes, message):
    quick("growth", tmp_path, callbacks=StopAt(2)).fit(*friedman)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ValueError, match=f"belongs to another run: .*{message}"):
        quick("growth", tmp_path, **changes).fit(*friedman)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_checkpoint_of_another_algorithm_is_refused(friedman, tmp_path):
    quick("growth", tmp_path, callbacks=StopAt(2)).fit(*friedman)
    with pytest.raises(ValueError, match="algorithm was 'growth' and is now 'fruler'"):
        quick("fruler", tmp_path).fit(*friedman)


def test_a_checkpoint_of_other_data_is_refused(friedman, tmp_path):
    X, y = friedman
    quick("growth", tmp_path, callbacks=StopAt(2)).fit(X, y)
    for other, name in [
        ((np.where(X[7, 2] == X, 0.1, X), y), "X"),
        ((X, y + np.eye(len(y))[5] * 1e-9), "y"),
        ((X, y, np.ones(len(y))), "sample_weight"),
    ]:
        with pytest.raises(ValueError, match=f"belongs to another run: {name} has changed. Use the same"):
            quick("growth", tmp_path).fit(*other)
    with pytest.raises(ValueError, match=r"names of the inputs was \['x0'.* and is now \['a'"):
        quick("growth", tmp_path).fit(pd.DataFrame(X, columns=list("abcde")), y)


def test_other_held_out_rows_are_named_by_their_parameter(friedman, tmp_path):
    quick("growth", tmp_path, calibration=0.2).fit(*friedman)
    with pytest.raises(ValueError, match=r"another run: calibration was 0.2 and is now 0.3. Use the same"):
        quick("growth", tmp_path, calibration=0.3).fit(*friedman)
    with pytest.raises(ValueError, match=r"another run: calibration was 0.2 and is now None. Use the same"):
        quick("growth", tmp_path).fit(*friedman)


def test_another_output_is_named_with_its_default(friedman, tmp_path):
    X, y = friedman
    quick("growth", tmp_path).fit(X, np.exp(y / 10.0))
    with pytest.raises(ValueError, match="link was 'identity' and is now 'log'"):
        quick("growth", tmp_path, link="log").fit(X, np.exp(y / 10.0))


def test_parts_of_files_that_a_killed_process_left_are_removed(friedman, tmp_path):
    part = tmp_path / f".{FILE}.0123456789ab"
    part.write_bytes(b"a part")
    quick("growth", tmp_path).fit(*friedman)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", FILE]


def test_a_folder_that_another_fit_uses_is_refused(friedman, tmp_path):
    class Inner(Callback):
        def on_generation(self, progress):
            with pytest.raises(ValueError, match="another fit is using checkpoint="):
                quick("growth", tmp_path).fit(*friedman)
            return True

    quick("growth", tmp_path, callbacks=Inner()).fit(*friedman)
    descriptor = lock_folder(tmp_path, "it was not given back")
    with pytest.raises(BlockingIOError, match="taken"):
        lock_folder(tmp_path, "taken")
    checkpoint.os.close(descriptor)
    file = tmp_path / "file"
    file.write_text("no folder")
    with pytest.raises(ValueError, match="is a file; name a folder"):
        quick("growth", file).fit(*friedman)


def test_a_lock_is_given_back_after_a_failure(friedman, tmp_path):
    with pytest.raises(KeyError):
        quick("growth", tmp_path, callbacks=StopAt(2, KeyError("broken off"))).fit(*friedman)
    (tmp_path / FILE).write_bytes(b"")
    for _ in range(2):
        with pytest.raises(ValueError, match="is damaged"):
            quick("growth", tmp_path).fit(*friedman)


def damaged_files(whole):
    yield from (b"", b"{}", whole[:100], whole[: len(whole) // 2], whole[:-1], whole[100:])
    for place in range(60, len(whole), len(whole) // 60):
        yield whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]


def test_a_damaged_file_is_refused(friedman, algorithm, tmp_path):
    quick(algorithm, tmp_path, max_rules=3, callbacks=StopAt(6)).fit(*friedman)
    whole = (tmp_path / FILE).read_bytes()
    alone = quick(algorithm, max_rules=3).fit(*friedman)
    refused = harmless = 0
    for damaged in damaged_files(whole):
        (tmp_path / FILE).write_bytes(damaged)
        try:
            model = quick(algorithm, tmp_path, max_rules=3).fit(*friedman)
        except ValueError as error:
            refused += "is damaged (" in str(error) and str(error).endswith("delete the folder, or choose another.")
        else:
            # Some bytes of an archive say nothing, such as the date of a member.
            assert_same(model, alone)
            harmless += 1
    assert refused > 40
    assert refused + harmless == 6 + len(range(60, len(whole), len(whole) // 60))


def test_nothing_in_a_file_is_executed(friedman, tmp_path):
    quick("growth", tmp_path, callbacks=StopAt(2)).fit(*friedman)
    with np.load(tmp_path / FILE) as stored:
        arrays = dict(stored)
    arrays["ranges"] = np.array([object()], dtype=object)
    np.savez(tmp_path / FILE, **arrays, allow_pickle=True)
    with pytest.raises(ValueError, match=r"is damaged .*allow_pickle"):
        quick("growth", tmp_path).fit(*friedman)


def test_another_format_is_refused(friedman, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_FORMAT", 99)
    quick("growth", tmp_path).fit(*friedman)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="was written by another version of fruler"):
        quick("growth", tmp_path).fit(*friedman)


def test_where_nothing_can_be_written_the_search_goes_on(friedman, algorithm, whole, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "no room")

    monkeypatch.setattr(checkpoint, "write_file", full)
    with pytest.warns(RuntimeWarning, match="the checkpoint was not written: no room"):
        model = quick(algorithm, tmp_path).fit(*friedman)
    assert_same(model, whole[algorithm])


@pytest.fixture
def written(monkeypatch):
    """The documents that were written to checkpoints."""
    found, real = [], checkpoint.write_file

    def write(path, document, arrays):
        found.append(document)
        real(path, document, arrays)

    monkeypatch.setattr(checkpoint, "write_file", write)
    return found


N_STAGES = {"growth": 2, "fruler": 4, "l-metsk": 1, "a-metsk": 2, "fs-mogfs": 2}


def test_it_is_written_at_the_end_of_each_stage(friedman, algorithm, tmp_path, monkeypatch, written, clock):
    monkeypatch.setattr(checkpoint, "SECONDS", 60.0)
    quick(algorithm, tmp_path).fit(*friedman)
    *stages, last = written
    assert len(stages) == N_STAGES[algorithm]
    assert [document["content"][1] for document in stages] == [None] * len(stages)
    assert last["content"][1] is not None
    assert len({json.dumps(document["content"][0]) for document in stages}) == len(stages)


def test_it_is_written_within_the_first_second_and_then_ever_more_rarely(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(checkpoint, "SECONDS", 10.0)
    moments = []
    folder = checkpoint.CheckpointFolder(tmp_path, GROWTH, None, resume=False)
    monkeypatch.setattr(folder, "write", lambda state: (moments.append(state), real(state)))
    real = checkpoint.CheckpointFolder.write.__get__(folder)
    monkeypatch.setattr(checkpoint, "write_file", lambda *_: None)
    monkeypatch.setattr(folder, "identity", Identity({}, {}, (), None))
    monkeypatch.setattr(folder, "algorithm", replace(GROWTH, state=None))
    for tenth in range(600):
        clock.now = 1_000.0 + tenth / 10.0
        folder.offer(tenth / 10.0)
    assert moments[0] < 1.0
    # What a kill takes away is less than what was there, and no more than ten seconds.
    gaps = np.diff(moments)
    assert (gaps <= np.minimum(10.0, np.array(moments[1:]))).all()
    assert gaps[-1] == pytest.approx(10.0)


def test_writings_that_take_long_are_rarer(friedman, tmp_path, monkeypatch, clock):
    def take_long(*_):
        written.append(1)
        clock.now += 0.1

    written = []
    monkeypatch.setattr(checkpoint, "MAX_SHARE", 0.1)
    monkeypatch.setattr(checkpoint, "write_file", take_long)
    quick("fruler", tmp_path / "b").fit(*friedman)
    # At once, and after the stages and the fit.
    assert len(written) == 1 + N_STAGES["fruler"]
    # As time goes on, the next one is due.
    clock.tick = 1.0
    written.clear()
    quick("fruler", tmp_path / "c").fit(*friedman)
    assert len(written) > 2 + N_STAGES["fruler"]
