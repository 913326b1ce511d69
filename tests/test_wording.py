"""`make lint` finds phrases that read as a translation, in pages and in strings, also where a line breaks them."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "release" / "wording.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("wording", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_phrases_are_found_with_their_line(script, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("One row per rule.\n\nThe models that the search came\nby. There is no file.\n")
    assert list(script.faults(page)) == [f"{page}:3: 'came by'; rather: found"]
    module = tmp_path / "module.py"
    module.write_text('came_by = 1\n\n\ndef f():\n    """Return what tells\n    whether it is."""\n')
    assert list(script.faults(module)) == [f"{module}:5: 'tells whether'; rather: returns whether"]


def test_the_project_has_none_of_them(script):
    assert [fault for path in (*script.modules(), *script.pages()) for fault in script.faults(path)] == []
