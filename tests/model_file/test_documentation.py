"""docs/model_file.md shows files as they are."""

import doctest
import re
from pathlib import Path

from fruler.rules._json.checked import MAX_BYTES, MAX_VALUES
from fruler.rules._json.document import MAX_CELLS

PAGE = Path(__file__).parents[2] / "docs" / "model_file.md"


def test_the_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0


def test_every_line_of_the_excerpt_is_in_a_real_file(golden):
    excerpt = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    real = [line.rstrip(",") for line in golden("hand").decode().splitlines()]
    lines = [line.rstrip(",") for line in excerpt.splitlines()]
    assert len(lines) > 20
    places = []
    for line in lines:
        start = line.removesuffix("...").rstrip(", ")
        found = [
            i for i, other in enumerate(real) if other == line or (line.endswith("...") and other.startswith(start))
        ]
        assert found, line
        places.append(next((i for i in found if not places or i > places[-1]), -1))
    assert places == sorted(places), "the lines stand in the order of the file"


def test_the_truth_and_the_curve_that_are_shown_are_in_real_files(golden):
    _, truth, curve = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert truth.rstrip("\n") in golden("truth").decode().splitlines()
    assert curve.rstrip("\n") in golden("curves").decode().splitlines()


def test_the_limits_are_those_of_the_code():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{MAX_BYTES // 10**6} million bytes, {MAX_VALUES // 10**6} million values, " in text
    assert f"{MAX_CELLS // 10**6} million rules times inputs" in text


def test_the_types_for_skops_are_those_of_the_test():
    from .test_other_formats import SKOPS_TYPES

    assert set(re.findall(r'^      "(fruler\..*)",$', PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == SKOPS_TYPES
