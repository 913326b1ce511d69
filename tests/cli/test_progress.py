"""The line that tells how far the learning is."""

import io
from dataclasses import replace

from rich.console import Console

from fruler import FuzzyRuleRegressor
from fruler._wording import progress_line
from fruler.callbacks import Progress
from fruler.cli import progress as module
from fruler.cli.progress import ProgressLine

GROWTH = Progress("growth", 3, 12_345, 1, error=4.5, seconds=130.0)


def test_the_error_is_the_root_of_the_mean_square():
    assert progress_line(GROWTH) == "growth 3: 12,345 evaluations, 1 rule, RMSE 3, 2 min"
    assert progress_line(replace(GROWTH, n_rules=2, seconds_left=7.0)).endswith(
        "2 rules, RMSE 3, 2 min, about 7 s left"
    )
    assert progress_line(Progress("selection", 0, 0, 0, float("nan"), 3.0)) == "selection: 3 s"


def lines_of(terminal, times, interval, monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_ON_A_TERMINAL" if terminal else "_SECONDS_IN_A_LOG", interval)
    file = io.StringIO()
    with ProgressLine("learning [1]", Console(file=file, force_terminal=terminal, width=200)) as line:
        line.on_start(None)
        for _ in range(times):
            assert not line.on_generation(GROWTH)
        line.on_end(None)
    return file.getvalue()


def test_plain_lines_in_a_log_now_and_then(monkeypatch):
    assert lines_of(False, 3, 0.0, monkeypatch) == 3 * f"learning [1]: {progress_line(GROWTH)}\n"
    assert lines_of(False, 3, 5.0, monkeypatch) == ""


def test_one_line_that_changes_on_a_terminal(monkeypatch):
    shown = lines_of(True, 3, 0.0, monkeypatch)
    assert "learning [1]" in shown
    assert shown.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # the cursor is back, the line is gone


def test_a_search_tells_its_progress(monkeypatch, capsys):
    monkeypatch.setattr(module, "_SECONDS_IN_A_LOG", 0.0)
    X = [[float(i)] for i in range(50)]
    with ProgressLine("learning") as line:
        FuzzyRuleRegressor(callbacks=[line], random_state=0).fit(X, [x[0] ** 2 for x in X])
    said = capsys.readouterr().err
    assert "learning: " in said
    assert " evaluations, " in said
