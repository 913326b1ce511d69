"""The results that README and docs quote are those of the lines in benchmarks/results."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from fruler import Reading

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "release"))
    try:
        return import_module("quoted_results")
    finally:
        sys.path.remove(str(ROOT / "release"))


@pytest.fixture(scope="module")
def results(script):
    return script.all_results()


def test_every_quoted_result_is_that_of_the_record(script, results):
    stale = {path.name: script.differences(path.read_text(encoding="utf-8"), results) for path in script.pages()}
    assert stale == {name: [] for name in stale}, "run: python release/quoted_results.py"


def test_the_pages_with_results_mark_them(script):
    marked = {path.relative_to(ROOT).as_posix() for path in script.pages()}
    assert {"README.md", "docs/benchmark.md", "docs/growth.md", "docs/paper.md"} <= marked
    assert {"docs/selectors.md", "docs/systems.md", "benchmarks/results/README.md"} <= marked


@pytest.mark.parametrize("name", ["paper.md", "systems.md", "selectors.md"])
def test_tables_of_the_sets_are_marked(script, name):
    """A table with one row per set can only come from the record."""
    bare = script.SPOT.sub("", (ROOT / "docs" / name).read_text(encoding="utf-8"))
    assert not [line for line in bare.splitlines() if line.startswith(("| ele-1 |", "| wankara |", "| pole |"))]


def test_the_default_reading_of_the_record_is_that_of_the_class(script, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "fidelity")
    runs = import_module("paper_fidelity")
    assert script.READINGS["default"] == runs.DEFAULT
    assert runs.reading_of(runs.DEFAULT) == Reading()
    assert script.CHOICES == runs.CHOICES


def test_a_wrong_number_is_found_and_mended(script):
    page = "An error of <!--=growth.error:.2f-->0.51<!--/--> and <!--=growth.n:word-->six<!--/--> rules."
    results = {"growth.error": 0.5758, "growth.n": 6}
    assert script.differences(page, results) == ["growth.error: '0.51', must be '0.58'"]
    mended = script.rewrite(page, results)
    assert mended == page.replace("0.51", "0.58")
    assert script.differences(mended, results) == []


def test_a_table_is_rewritten_whole(script):
    page = "before\n\n<!--=t-->\n| a |\n|---|\n| 1 |\n<!--/-->\n\nafter"
    assert script.rewrite(page, {"t": "\n| b |\n|---|\n| 2 |\n"}) == page.replace("a |", "b |").replace("1 |", "2 |")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("x <!--=unknown-->1<!--/-->", "there is no result 'unknown'"),
        ("x\n<!--=a-->1<!--/--> y", "begins a line"),
        ("x <!--=a-->1", "has no end"),
        ("x <!--=a b-->1<!--/-->", "other characters"),
    ],
)
def test_damaged_marks(script, page, message):
    with pytest.raises(ValueError, match=message):
        script.rewrite(page, {"a": 1})
