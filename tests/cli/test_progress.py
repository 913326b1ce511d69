"""The line that tells how far the learning is."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from fruler import FuzzyRuleRegressor
from fruler._cli import progress as module
from fruler._cli.progress import ProgressLine
from fruler._wording import brief_progress, progress_line
from fruler.callbacks import Progress

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
    assert lines_of(False, 3, 0.0, monkeypatch) == 3 * "learning [1]: RMSE 3, 1 rule, 2 min\n"
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
    # The first model of a growth can't say how much is left; the others do.
    first, *others = [line for line in said.splitlines() if "RMSE" in line]
    assert re.fullmatch(r"learning: RMSE [\d.]+, 1 rule, \d+ s", first)
    shares = [int(re.fullmatch(r"learning: (\d+)%, RMSE \S+, \d+ rules?, \d+ s left", line)[1]) for line in others]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 99


class Terminal:
    """A terminal of some width that remembers what it showed."""

    is_terminal = True

    def __init__(self, width):
        self.width, self.shown = width, []

    def status(self, text):
        return self

    def start(self):
        pass

    def stop(self):
        pass

    def update(self, text):
        self.shown.append(text)


def shown_by(terminal, title, *steps, monkeypatch):
    monkeypatch.setattr(module, "_SECONDS_ON_A_TERMINAL", 0.0)
    with ProgressLine(title, terminal) as line:
        for step in steps:
            line.on_generation(step)
    return terminal.shown


@pytest.mark.parametrize("title", ["measuring the error (1 of 2)", "learning the rules (2 of 2)"])
@pytest.mark.parametrize("error", [0.5e-7, 0.5 * 1234567.8**2, 0.5e-40, 0.5e40])
def test_the_line_fits_eighty_columns(title, error, monkeypatch):
    long = Progress("cross-validation", 1234, 10**9, 100, error, 5_999.0, 5_999.0)
    [line] = shown_by(Terminal(80), title, long, monkeypatch=monkeypatch)
    # A spinner and a blank stand before it.
    assert len(line) <= 77
    assert line.startswith(f"{title}: 50%, RMSE ")
    assert line.endswith(", 100 rules, 100 min left")
    [line] = shown_by(Terminal(40), title, long, monkeypatch=monkeypatch)
    assert len(line) == 37
    assert line.endswith("…")


def test_percent_does_not_go_back_and_the_end_is_not_foretold(monkeypatch):
    times = [(1.0, 3.0), (2.0, 8.0), (9.0, 1.0), (10.0, 0.0), (11.0, None)]
    steps = [replace(GROWTH, seconds=seconds, seconds_left=left) for seconds, left in times]
    shown = shown_by(Terminal(80), "learning", *steps, monkeypatch=monkeypatch)
    assert [line.split()[1] for line in shown] == ["25%,", "25%,", "90%,", "99%,", "RMSE"]
    assert shown[1] == "learning: 25%, RMSE 3, 1 rule, 8 s left"
    assert brief_progress(Progress("selection", 0, 0, 0, float("nan"), 3.0)) == "3 s"
