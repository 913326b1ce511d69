"""The line that tells how far the learning is."""

import io
from dataclasses import dataclass

import pytest
from rich.console import Console

from fruler import FRULERRegressor
from fruler.cli import progress as module
from fruler.cli.progress import ProgressLine, describe


@dataclass(frozen=True)
class Progress:
    stage: str = "growth"
    generation: int = 3
    n_evaluations: int = 12_345
    n_rules: int = 1
    error: float = 2.0
    seconds: float = 130.0
    seconds_left: float | None = None


def test_the_error_is_the_root_of_the_mean_square():
    assert describe(Progress()) == "growth 3, 12,345 candidates, error 2, 1 rule, 2 min"
    assert describe(Progress(n_rules=2, seconds_left=7.0)).endswith("2 rules, 2 min, about 7 s left")
    assert "error" not in describe(Progress(error=float("inf")))


def lines_of(terminal, times, interval, monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_ON_A_TERMINAL" if terminal else "_SECONDS_IN_A_LOG", interval)
    file = io.StringIO()
    with ProgressLine("learning [1]", Console(file=file, force_terminal=terminal, width=200)) as line:
        line.on_start(None)
        for _ in range(times):
            assert not line.on_generation(Progress())
        line.on_end(None)
    return file.getvalue()


def test_plain_lines_in_a_log_now_and_then(monkeypatch):
    assert lines_of(False, 3, 0.0, monkeypatch) == 3 * f"learning [1]: {describe(Progress())}\n"
    assert lines_of(False, 3, 5.0, monkeypatch) == ""


def test_one_line_that_changes_on_a_terminal(monkeypatch):
    shown = lines_of(True, 3, 0.0, monkeypatch)
    assert "learning [1]" in shown
    assert shown.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # the cursor is back, the line is gone


def test_a_search_tells_its_progress(monkeypatch, capsys):
    if "callbacks" not in FRULERRegressor().get_params():
        pytest.skip("the regressor has no callbacks")
    monkeypatch.setattr(module, "_SECONDS_IN_A_LOG", 0.0)
    X = [[float(i)] for i in range(50)]
    with ProgressLine("learning") as line:
        FRULERRegressor(callbacks=[line], random_state=0).fit(X, [x[0] ** 2 for x in X])
    said = capsys.readouterr().err
    assert "learning: " in said
    assert " candidates, " in said
