"""The scripts of `benchmarks/`, as modules."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "benchmarks"


@cache
def script(name: str) -> ModuleType:
    """Return a script as a module; what it shares with others stands beside it."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
