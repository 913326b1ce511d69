"""What the documentation shows is what happens."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import fruler

ROOT = Path(__file__).parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fruler.__path__, "fruler.")
    if not module.name.startswith("fruler.kernels.")
]
PUBLIC_CLASSES = [name for name in fruler.__all__ if name[0].isupper()]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_there_are_public_classes():
    assert "FRULERRegressor" in PUBLIC_CLASSES


@pytest.mark.parametrize("name", PUBLIC_CLASSES)
def test_public_classes_have_an_example(name):
    assert ">>>" in getattr(fruler, name).__doc__


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages(page, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "100")
    # Examples write files.
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False)
    assert results.failed == 0


def test_the_readme_has_examples():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).attempted > 5


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script):
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) > 10
