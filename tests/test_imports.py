"""Which package may import which: the floors of the house, as CONTRIBUTING draws them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import fruler

ROOT = Path(fruler.__file__).parent

# From the ground up. A package may import those below it, and none beside or above it.
FLOORS = (
    ("_arrays", "_kernels"),
    ("_files", "_wording"),
    ("callbacks", "_table"),
    ("rules",),
    ("selectors", "data"),
    ("learning", "explain", "_model_file"),
    ("_algorithms",),
    ("estimators",),
    ("distributed", "export", "spark", "mlflow"),
    ("bench",),
    ("_cli",),
)
FLOOR_OF = {package: height for height, floor in enumerate(FLOORS) for package in floor}
# A rule base prints, explains and exports itself; what does the work is loaded when it is asked for.
DOORS = {("fruler.rules._rule_base", "explain"), ("fruler.rules._rule_base", "export")}


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield path, ".".join(("fruler", *(part for part in parts if part != "__init__")))


def imports_of(path):
    """Return the packages that a module imports, and whether each import waits inside of a function or for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    deferred = {child for function in functions for child in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            deferred |= set(ast.walk(node))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("fruler."):
                yield name.split(".")[1], node in deferred


def test_every_package_has_its_floor():
    found = {path.stem if path.is_file() else path.name for path in ROOT.iterdir()}
    found -= {"__init__", "__pycache__", "py"}
    assert found == set(FLOOR_OF)


def test_modules_import_only_from_below():
    wrong = []
    for path, module in modules():
        own = module.split(".")[1] if module != "fruler" else None
        for package, deferred in imports_of(path) if own else ():
            allowed = package == own or FLOOR_OF[package] < FLOOR_OF[own]
            if not allowed and not (deferred and (module, package) in DOORS):
                wrong.append(f"{module} imports {package}")
    assert wrong == []


def test_only_the_command_line_knows_its_options():
    option = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
    wrong = []
    for path, module in modules():
        if module.split(".")[1:2] in (["_cli"], ["bench"]):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                wrong += [f"{module} names {name}" for name in option.findall(node.value)]
    assert wrong == []


def test_kernels_import_nothing_of_the_package():
    for path in [*ROOT.joinpath("_kernels").glob("*.pyi"), *ROOT.joinpath("_kernels").glob("*.py")]:
        assert not re.search(r"^(from|import) fruler", path.read_text(encoding="utf-8"), re.MULTILINE), path.name


def test_importing_fruler_loads_no_heavy_package():
    code = "import sys, fruler; print(*[name for name in ('numpy', 'pandas', 'sklearn') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
