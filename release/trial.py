"""Try the sdist and the wheel in a folder as a user would, each in an empty virtual environment.

    python release/trial.py dist [--only wheel]

The wheel is inspected first: it must contain no paths of the build machine and no sources of kernels, and its metadata
must be complete. Then each file is installed, imported, used (`fruler demo`) and removed, and nothing of it may be
left. The wheel is installed without a compiler. If anything is wrong, the script prints a sentence and exits with
code 1.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from email.parser import BytesParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Folders in which packages are built: pip and build use the system's temporary folder, people their home.
BUILD_FOLDERS = (str(ROOT), tempfile.gettempdir(), str(Path.home()))
SOURCES = (".pyx", ".pxd", ".pyc", ".c", ".h", ".build")
WANTED = (
    *("py.typed", "_kernels/nearest.pyi", "data/weather.csv", "_model_file/schema-3.json"),
    *("explain/engine.js", "explain/report/report.html.jinja"),
)
METADATA = (
    *("Name", "Version", "Summary", "License-Expression", "License-File", "Requires-Python", "Keywords", "Project-URL"),
)
IMPORT = """
import fruler, sys
from fruler.data import load_example
weather = load_example("weather")
model = fruler.FuzzyRuleRegressor(random_state=0, max_rules=2).fit(weather.data, weather.target)
assert model.score(weather.data, weather.target) > 0.95
assert [getattr(fruler, name) for name in fruler.__all__]
print("imported", fruler.__version__, "from", sys.prefix)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path, help="folder with one .whl and one .tar.gz")
    parser.add_argument("--only", choices=("wheel", "sdist"), help="install only this one")
    parser.add_argument("--python", default=sys.executable, help="the Python for the environments")
    arguments = parser.parse_args()
    try:
        wheel, sdist = (only_one(arguments.dist, kind) for kind in ("*.whl", "*.tar.gz"))
        inspect_wheel(wheel)
        if arguments.only != "sdist":
            try_in_empty_environment(arguments.python, wheel, compiler=False)
        if arguments.only != "wheel":
            try_in_empty_environment(arguments.python, sdist, compiler=True)
    except ValueError as error:
        sys.exit(str(error))


def only_one(folder: Path, pattern: str) -> Path:
    """Return the one file of a kind."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise ValueError(f"{folder} must have one {pattern}, and has {len(found)}; empty it and run: python -m build")
    return found[0].resolve()


def inspect_wheel(path: Path) -> None:
    """Raise an error if a wheel contains paths of its build, has needless files, or lacks files."""
    with zipfile.ZipFile(path) as wheel:
        contents = {name: wheel.read(name) for name in wheel.namelist()}
    traces = build_paths(contents.items(), BUILD_FOLDERS)
    if traces:
        raise ValueError(f"{path.name} contains paths of its build: {'; '.join(traces)}")
    needless = [name for name in contents if name.endswith(SOURCES)]
    if needless:
        raise ValueError(f"{path.name} has files that only a build needs: {', '.join(needless)}")
    missing = [name for name in WANTED if f"fruler/{name}" not in contents]
    if missing:
        raise ValueError(f"{path.name} lacks {', '.join(missing)}")
    metadata = next(content for name, content in contents.items() if name.endswith(".dist-info/METADATA"))
    lacking = missing_metadata(metadata)
    if lacking:
        raise ValueError(f"the metadata of {path.name} lack {', '.join(lacking)}")
    print(f"{path.name}: {len(contents)} files, {path.stat().st_size / 1e6:.1f} MB, no path of a build in them")


def build_paths(contents: Iterable[tuple[str, bytes]], folders: Iterable[str]) -> list[str]:
    """Return the files that name a folder of a build, with the path that they contain."""
    alternatives = b"|".join(re.escape(os.fsencode(folder)) for folder in folders)
    pattern = re.compile(rb"(?<![\w.])(?:" + alternatives + rb")/[\w./-]+")
    return [f"{name} has {os.fsdecode(found[0])!r}" for name, content in contents if (found := pattern.search(content))]


def missing_metadata(raw: bytes) -> list[str]:
    """Return the fields missing in a METADATA file, including description and classifiers."""
    metadata = BytesParser().parsebytes(raw)
    lacking = [name for name in METADATA if not metadata.get(name)]
    if not str(metadata.get_payload()).strip():
        lacking.append("a description")
    if not any("Programming Language" in entry for entry in metadata.get_all("Classifier", [])):
        lacking.append("classifiers")
    return lacking


def try_in_empty_environment(python: str, package: Path, *, compiler: bool) -> None:
    """Install a package file in a new environment, use it and remove it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run([python, "-m", "venv", folder / "env"])
        binaries = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        # Without a compiler: none on PATH, and none in the variable CC that build tools read.
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
        environment["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}" if compiler else str(binaries)
        environment |= {} if compiler else {"CC": "no-compiler"}
        inside = {"cwd": folder, "env": environment}
        interpreter = binaries / "python"
        options = ["--no-binary", "fruler"] if compiler else ["--only-binary", ":all:"]
        run([interpreter, "-m", "pip", "install", "--quiet", *options, package], **inside)
        run([interpreter, "-m", "pip", "check"], **inside)
        run([interpreter, "-c", IMPORT], **inside)
        said = run([binaries / "fruler", "demo"], **inside)
        if "Rule 1" not in said:
            raise ValueError(f"fruler demo from {package.name} shows no rule:\n{said}")
        run([interpreter, "-m", "pip", "uninstall", "--quiet", "--yes", "fruler"], **inside)
        left = [path for path in (folder / "env").rglob("*fruler*") if path.name != "__pycache__"]
        if left:
            raise ValueError(f"{package.name} leaves files behind when it is removed: {left[0]}")
    print(f"{package.name}: installed, imported, fruler demo, removed")


def run(command: list[object], **options: object) -> str:
    """Run a program and return its output; if it fails, raise an error with the end of its output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-15:]
        raise ValueError(f"{' '.join(str(part) for part in command[:6])} ... failed:\n" + "\n".join(said))
    return done.stdout


if __name__ == "__main__":
    main()
