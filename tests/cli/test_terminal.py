"""Nothing that a table, a model or a name holds moves, colours or reorders what a terminal shows."""

import json
import os
import shlex
import subprocess
import sys
import unicodedata

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line, command

pytestmark = pytest.mark.process

EVIL = "\x1b[31mred\x9b2J\u202e\x07"
N = 30


def assert_clean(text):
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n"], ascii(text)


def table_with(column):
    x = np.arange(N)
    return pd.DataFrame({"x": x, "k": np.resize(column, N), "y": 3 * x + np.resize([0, 5], N)})


@pytest.fixture
def fit(fruler, tmp_path):
    def run(table, *options, target="y"):
        table.to_csv(tmp_path / "t.csv", index=False)
        return fruler("fit", tmp_path / "t.csv", "--target", target, "--no-test", *options)

    return run


@pytest.mark.parametrize("text", [EVIL, "two\nlines", "a\u2028b"])
def test_categories_with_control_characters_are_left_out_and_shown_escaped(fit, text):
    result = fit(table_with([text, "blue"]))
    assert result.returncode == 0, result.stderr
    assert_clean(result.stdout)
    assert f"  left out  k: text with unprintable characters ({text!r} in row 1)\n" in result.stdout
    assert "predicting y from 1 input: x\n" in result.stdout


def test_constants_and_odd_values_are_shown_escaped(fit):
    result = fit(table_with([EVIL]))
    assert_clean(result.stdout)
    assert r"  left out  k: always \x1b[31mred\x9b2J\u202e\x07" in result.stdout
    assert r"  left out  k: always two\nlines" in fit(table_with(["two\nlines"])).stdout
    result = fit(table_with([1, 2, 3, EVIL]))
    assert_clean(result.stdout)
    assert r"text among numbers ('\x1b[31mred\x9b2J\u202e\x07' in row 4)" in result.stdout


@pytest.mark.parametrize("target", ["k", f"k{EVIL}"])
def test_messages_are_clean(fit, target):
    result = fit(table_with([EVIL, "blue"]), target=target)
    assert_one_line(result, r"\x1b[31mred\x9b2J\u202e\x07")
    assert_clean(result.stderr)


def test_column_names_with_control_characters_are_refused_by_every_command(fruler, fit, model, tmp_path):
    table = table_with([1, 2]).rename(columns={"k": f"k{EVIL}"})
    for result in (fit(table), fruler("predict", model, tmp_path / "t.csv")):
        assert_one_line(
            result, r"line 1: the column name 'k\x1b[31mred\x9b2J\u202e\x07' holds an unprintable character"
        )
        assert_clean(result.stderr)
    (tmp_path / "t.dat").write_text(f"@relation r\n@attribute 'a{EVIL}' real\n@attribute y real\n@data\n1, 2\n")
    assert_one_line(fruler("fit", tmp_path / "t.dat"), "line 2: the column name 'a\\x1b[31mred")
    pytest.importorskip("pyarrow")
    table.to_parquet(tmp_path / "t.parquet")
    assert_one_line(fruler("fit", tmp_path / "t.parquet", "--target", "y"), "the column name 'k\\x1b[31mred")


def test_names_of_files_and_options_are_shown_escaped(fruler, tmp_path):
    for result in (
        fruler("fit", tmp_path / f"{EVIL}.csv", "--target", "y"),
        fruler("fit", f"--{EVIL}"),
        fruler(EVIL),
    ):
        assert_one_line(result, r"\x1b[31mred")
        assert_clean(result.stderr)


def test_a_model_from_elsewhere_prints_clean_names(fruler, fit, tmp_path):
    fit(table_with(["red", "blue"]), "--model", tmp_path / "m.json")
    document = (tmp_path / "m.json").read_text()
    (tmp_path / "evil.json").write_text(document.replace('"y"', json.dumps(EVIL)))
    assert_one_line(fruler("rules", tmp_path / "evil.json"), "control characters", r"\x1b[31mred")
    # What is no control character can be in a model file, and still turn a line around.
    (tmp_path / "evil.json").write_text(document.replace('"y"', json.dumps("\u202eecirp")))
    for result in (
        fruler("rules", tmp_path / "evil.json"),
        fruler("explain", tmp_path / "evil.json", tmp_path / "t.csv"),
        fruler("rules", tmp_path / "evil.json", "--json"),
        fruler("predict", tmp_path / "evil.json", tmp_path / "t.csv", "--json"),
    ):
        assert result.returncode == 0, result.stderr
        assert_clean(result.stdout)
        assert r"\u202eecirp" in result.stdout
    assert json.loads(result.stdout)["target"] == "\u202eecirp"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other terminals")
def test_predictions_with_columns_are_exact_in_a_pipe_and_clean_on_a_terminal(fruler, fit, tmp_path):
    import pty

    fit(table_with([1, 2]), "--model", tmp_path / "m.json")
    table_with([1, 2]).assign(note=EVIL).to_csv(tmp_path / "new.csv", index=False)
    arguments = command("predict", tmp_path / "m.json", tmp_path / "new.csv", "--keep")
    piped = subprocess.run(arguments, capture_output=True, check=True, timeout=300).stdout.decode()
    assert EVIL in piped
    ours, theirs = pty.openpty()
    with subprocess.Popen(arguments, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    assert process.returncode == 0
    text = shown.decode().replace("\r\n", "\n")
    assert_clean(text)
    assert r"\x1b[31mred\x9b2J\u202e\x07" in text
    assert len(text.splitlines()) == N + 1


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        # Linux says so when the other side is closed.
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the stream")
def test_a_closed_stream_is_written_to_in_vain(fit, tmp_path):
    fit(table_with([1, 2]), "--model", tmp_path / "m.json")
    shown = " ".join(map(shlex.quote, command("rules", tmp_path / "m.json")))
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        result = subprocess.run(
            f"{shown} {closed}", shell=True, capture_output=True, text=True, check=False, timeout=300
        )
        assert result.returncode == 0
        assert "Traceback" not in result.stderr
        assert ("If" in result.stdout or "rule" in result.stdout) == (not closed.startswith(">"))
