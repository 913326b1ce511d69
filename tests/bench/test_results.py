"""Lines are written whole or not at all."""

import errno
import json
import os

import pytest

from fruler.bench._results import ResultsFolder, latest, read_lines

LINE = {"method": "tree", "settings": "0" * 12, "set": "plain", "fold": 1, "seed": 0, "status": "ok", "error": 0.5}


def line_of(fold):
    return {**LINE, "fold": fold}


def test_lines_come_back(tmp_path):
    with ResultsFolder(tmp_path / "deep" / "out") as results:
        for fold in (1, 2, 1):
            results.append(line_of(fold))
    with ResultsFolder(tmp_path / "deep" / "out") as results:
        assert results.lines == [line_of(1), line_of(2), line_of(1)]
        assert len(latest(results.lines)) == 2
        assert results.note is None


def test_the_last_line_of_a_run_counts(tmp_path):
    with ResultsFolder(tmp_path) as results:
        results.append({**LINE, "status": "failed"})
        results.append(LINE)
        assert [line["status"] for line in latest(results.lines).values()] == ["ok"]


def test_a_line_cut_anywhere_is_cut_off(tmp_path):
    path = tmp_path / "runs.jsonl"
    whole = (json.dumps(line_of(1)) + "\n").encode()
    second = (json.dumps(line_of(2)) + "\n").encode()
    for end in range(1, len(second)):
        path.write_bytes(whole + second[:end])
        with ResultsFolder(tmp_path) as results:
            complete = end == len(second) - 1  # only the line's end is missing
            assert results.lines == ([line_of(1), line_of(2)] if complete else [line_of(1)])
            assert (results.note is None) == complete
            results.append(line_of(3))
        assert read_lines(path)[-1] == line_of(3)


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    text = json.dumps(LINE)
    for damaged in (text[:20], "[1]", '{"method": "tree"}', "", "\x00\x00"):
        content = f"{text}\n{damaged}\n{text}\n".encode()
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"line 2 of .*runs\.jsonl"), ResultsFolder(tmp_path):
            pass
        assert path.read_bytes() == content
    path.write_text(text + "\n")
    with ResultsFolder(tmp_path) as results:  # the refusals gave the lock back
        assert len(results.lines) == 1


@pytest.mark.parametrize("written", [0, 30])
@pytest.mark.parametrize("raises", [True, False])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch, written, raises):
    real_write = os.write

    def full(descriptor, content):
        real_write(descriptor, content[:written])
        if raises:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written

    with ResultsFolder(tmp_path) as results:
        results.append(LINE)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(OSError, match=r"No space left.*the 1 finished runs in it are kept"):
                results.append(line_of(2))
        assert read_lines(results.path) == [LINE]
        results.append(line_of(3))
    assert read_lines(tmp_path / "runs.jsonl") == [LINE, line_of(3)]


def test_no_number_that_json_lacks(tmp_path):
    with ResultsFolder(tmp_path) as results, pytest.raises(ValueError, match="JSON"):
        results.append({**LINE, "error": float("nan")})


def test_one_process_at_a_time(tmp_path):
    with ResultsFolder(tmp_path), pytest.raises(BlockingIOError, match="another process"):
        ResultsFolder(tmp_path)
    with ResultsFolder(tmp_path):
        pass


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError, match="is a file"):
        ResultsFolder(tmp_path / "file")


def test_settings_and_machine_are_recorded(tmp_path):
    entry = {"method": "tree", "settings": {"max_depth": 4}, "fruler": "1", "commit": "abc"}
    with ResultsFolder(tmp_path) as results:
        assert results.describe({"h1": entry}, {"cores": 2}) is None
        assert results.describe({"h2": entry, "h1": entry | {"commit": "def"}}, {"cores": 2}) is None
        assert results.settings() == {
            "h1": entry | {"later": [{"fruler": "1", "commit": "def"}]},
            "h2": entry,
        }
        assert "cores" in (results.describe({}, {"cores": 4}) or "")
    assert json.loads((tmp_path / "machine.json").read_text()) == {"cores": 2}
    (tmp_path / "settings.json").write_text("{")
    with ResultsFolder(tmp_path) as results, pytest.raises(ValueError, match=r"settings\.json.*damaged"):
        results.settings()
