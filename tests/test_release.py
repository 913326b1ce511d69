"""What a release promises: metadata in step, files that do not tell where they were built, advice that is true."""

import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import distribution
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from zipfile import ZipFile

import pytest

import fruler
from fruler._wording import install_advice

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def load_script(path):
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trial():
    return load_script(ROOT / "release" / "trial.py")


@pytest.fixture(scope="module")
def installed():
    """The installed files that a wheel has brought, by name."""
    files = [file for file in distribution("fruler").files or () if file.parts[0] == "fruler" and file.suffix != ".pyc"]
    if not any(file.suffix in (".so", ".pyd") for file in files):
        pytest.skip("the package is installed in editable form, not from a wheel")
    return {str(file): file.locate().read_bytes() for file in files}


def version_in(name, pattern):
    return re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)[1]


def test_one_version():
    expected = version_in("meson.build", r"^  version: '(.*)'")
    assert fruler.__version__ == expected
    assert version_in("CITATION.cff", r"^version: (.*)$") == expected
    assert version_in("recipe/meta.yaml", r'set version = "(.*)"') == expected


def test_no_installed_file_tells_where_it_was_built(trial, installed):
    assert len(installed) > 200
    assert trial.build_paths(installed.items(), trial.BUILD_FOLDERS) == []
    assert not [name for name in installed if name.endswith(trial.SOURCES)]
    assert not [name for name in trial.WANTED if f"fruler/{name}" not in installed]


def test_a_build_path_is_found(trial, tmp_path):
    spoiled = b"\x00" + str(ROOT / "src/fruler/_kernels/nearest.pyx").encode() + b"\x00"
    assert trial.build_paths([("a.so", spoiled)], trial.BUILD_FOLDERS) == [
        f"a.so has '{ROOT.as_posix()}/src/fruler/_kernels/nearest.pyx'"
    ]
    assert trial.build_paths([("a.so", b"src/fruler/_kernels/nearest.pyx")], trial.BUILD_FOLDERS) == []
    with ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("fruler/_kernels/nearest.so", spoiled)
    with pytest.raises(ValueError, match=r"a\.whl contains paths of its build: fruler/_kernels/nearest\.so has"):
        trial.inspect_wheel(tmp_path / "a.whl")


def test_a_wheel_with_sources_or_gaps_is_refused(trial, tmp_path):
    with ZipFile(tmp_path / "sources.whl", "w") as wheel:
        wheel.writestr("fruler/_kernels/nearest.pyx", "")
    with pytest.raises(ValueError, match=r"has files that only a build needs: fruler/_kernels/nearest\.pyx"):
        trial.inspect_wheel(tmp_path / "sources.whl")
    with ZipFile(tmp_path / "gaps.whl", "w") as wheel:
        wheel.writestr("fruler/py.typed", "")
    with pytest.raises(ValueError, match=r"gaps\.whl lacks _kernels/nearest\.pyi"):
        trial.inspect_wheel(tmp_path / "gaps.whl")
    with pytest.raises(ValueError, match=r"must have one \*\.whl, and has 2"):
        trial.only_one(tmp_path, "*.whl")


def test_metadata_are_whole(trial):
    metadata = distribution("fruler").read_text("METADATA")
    assert trial.missing_metadata(metadata.encode()) == []
    assert "Summary" in trial.missing_metadata(re.sub(r"(?m)^Summary: .*\n", "", metadata).encode())
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("\ntest:")[0]
    asked = {line.strip(" -").replace(" ", "") for line in run.splitlines() if line.strip()}
    assert asked == {"python", *PROJECT["dependencies"]}


def test_the_citation_file():
    citation = pytest.importorskip("yaml").safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["license"] == PROJECT["license"]
    paper = citation["references"][0]
    assert paper["identifiers"][0]["value"] == "arXiv:1507.04997"
    assert [author["family-names"] for author in paper["authors"]] == ["Rodríguez-Fdez", "Mucientes", "Bugarín"]


def test_advice_names_what_an_extra_brings():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    extras = set(re.findall(r"""install_advice\(["'](\w+)["']\)""", sources))
    assert {"dask", "excel", "mlflow", "onnx", "parquet", "plot", "report", "spark", "yaml"} <= extras
    for extra in extras:
        wanted = " ".join(f'"{name}"' for name in PROJECT["optional-dependencies"][extra])
        assert install_advice(extra) == f"run: pip install {wanted} (the extra fruler[{extra}])"
    # The package itself may not be published: no message sends users to it.
    assert not re.search(r"""pip install ["']*fruler""", re.sub(r'""".*?"""', "", sources, flags=re.DOTALL))


def test_estimators_on_a_cluster_say_that_dask_is_missing(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("fruler.distributed")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r'need Dask; run: pip install "dask\[distributed\]>=.* fruler\[dask\]'):
        import_module("fruler.distributed")


def test_mlflow_and_spark_are_asked_for_only_when_they_are_used(monkeypatch):
    import fruler.mlflow
    import fruler.spark

    monkeypatch.setattr(fruler.mlflow, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r'needs MLflow; run: pip install "mlflow>=.* fruler\[mlflow\]'):
        fruler.mlflow.load_model("model")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ImportError, match=r'need pyspark and pyarrow; run: pip install "pyspark>=.* fruler\[spark\]'):
        fruler.spark.predict_udf(None)
