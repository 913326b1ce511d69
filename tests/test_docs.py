"""What the documentation shows is what happens."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fruler

ROOT = Path(__file__).parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fruler.__path__, "fruler.")
    if not module.name.startswith("fruler._kernels.")
]
# A module without examples has nothing that could fail.
WITH_EXAMPLES = [name for name in MODULES if ">>> " in Path(importlib.util.find_spec(name).origin).read_text("utf-8")]
PUBLIC_CLASSES = [name for name in fruler.__all__ if name[0].isupper()]


def test_there_are_examples():
    assert len(WITH_EXAMPLES) > 50


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_there_are_public_classes():
    assert "FRULERRegressor" in PUBLIC_CLASSES


@pytest.mark.parametrize("name", PUBLIC_CLASSES)
def test_public_classes_have_an_example(name):
    assert ">>>" in getattr(fruler, name).__doc__


ESTIMATORS = [name for name in PUBLIC_CLASSES if name.endswith(("Regressor", "Selector", "Discretizer"))]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fitted_attributes_are_described_and_typed(name):
    """An editor that knows the class knows what `fit` sets, and of which type it is."""
    estimator = getattr(fruler, name)
    section = re.search(r"^    Attributes\n    -+\n(.*?)\n\n", estimator.__doc__, re.DOTALL | re.MULTILINE)[1]
    described = {part for line in re.findall(r"^    (\S.*?) : ", section, re.MULTILINE) for part in line.split(", ")}
    typed = {attribute for base in estimator.__mro__ for attribute in vars(base).get("__annotations__", {})}
    typed |= {
        attribute
        for base in estimator.__mro__
        for attribute, value in vars(base).items()
        if isinstance(value, property) and "return" in value.fget.__annotations__
    }
    assert len(described) > 5
    assert described - typed == set()
    own = {attribute for attribute in typed if attribute.endswith("_") and not attribute.startswith("_")}
    assert own - described == set()


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages(page, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "100")
    # Examples write files, and read those that pages offer.
    shutil.copytree(ROOT / "docs" / "data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False)
    assert results.failed == 0


QUOTED = re.compile(r"\*([^*]*[+-]\d[\d.]* per [^*:]+)\*")


@pytest.mark.parametrize("name", ["README.md", "docs/start.md"])
def test_terms_that_the_text_explains_are_those_of_the_printed_rules(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    printed = " ".join(" ".join(re.findall(r"```.*?```", page, re.DOTALL)).split())
    quoted = QUOTED.findall(" ".join(re.sub(r"```.*?```", "", page, flags=re.DOTALL).split()))
    assert quoted
    assert [term for term in quoted if term not in printed] == []


def test_the_readme_has_examples():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).attempted > 5


@pytest.mark.process
@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script):
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) > 10


GALLERY = sorted((ROOT / "docs" / "gallery").rglob("*.py"))


def test_the_gallery_has_enough_examples():
    assert len(GALLERY) >= 12


@pytest.mark.slow
@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_examples_of_the_gallery_draw(script, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    pyplot.close("all")
    runpy.run_path(str(script), run_name="__main__")
    figures = pyplot.get_fignums()
    pyplot.close("all")
    assert figures


def reference():
    """Return the names that docs/reference.md lists."""
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   (fruler\.[\w.]+)$", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    # Second names of what is listed under a shorter one.
    return {*listed, *re.findall(r"`(fruler\.[\w.]+)`", page)}


PUBLIC_MODULES = ["fruler", *(name for name in MODULES if "__all__" in vars(importlib.import_module(name)))]


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_the_reference_has_every_public_name(module):
    names = {f"{module}.{name}" for name in importlib.import_module(module).__all__}
    assert names - reference() == set()


def test_the_reference_has_the_callbacks():
    callbacks = importlib.import_module("fruler.callbacks")
    public = {
        f"fruler.callbacks.{name}"
        for name, value in vars(callbacks).items()
        if name[0].isupper() and getattr(value, "__module__", "") == "fruler.callbacks"
    }
    assert len(public) == 3
    assert public <= reference()


def test_names_in_the_reference_exist_and_are_described():
    for name in sorted(reference() - {"fruler.__version__"}):
        module, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__, name


def test_every_page_is_in_the_site():
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    entries = set()
    for page in (ROOT / "docs").glob("*.md"):
        for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            entries.update(re.findall(r"^(?:.*<)?([\w/]+)>?$", block, re.MULTILINE))
    assert pages - entries == set()
    assert entries - pages == {"examples/index"}
