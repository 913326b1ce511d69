"""Copy the package to `build/coverage` and compile its kernels there so that coverage.py can trace their lines.

    python release/traced_kernels.py

Run this script and the tests from the top of the repository: traced kernels name their source relative to it. Tracing
makes kernels many times slower, so `make coverage` runs only the tests of the kernels with this copy, and all tests
with the installed package. coverage.py supports lines of Cython, but not branches.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = Path("build") / "coverage"


def main() -> None:
    shutil.copytree(ROOT / "src" / "fruler", ROOT / COPY / "fruler", dirs_exist_ok=True)
    options = [part for option in directives() for part in ("-X", option)]
    for source in sorted((ROOT / COPY / "fruler" / "_kernels").glob("*.pyx")):
        target = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
        original = ROOT / "src" / "fruler" / "_kernels"
        newest = max(path.stat().st_mtime for path in original.glob("*.p[yx][xd]"))
        if target.is_file() and target.stat().st_mtime > newest:
            continue
        print(f"compiling {source.stem}", flush=True)
        name = source.relative_to(ROOT)
        subprocess.run([sys.executable, "-m", "cython", "-3", *options, str(name)], cwd=ROOT, check=True)
        subprocess.run(compiler_call(name.with_suffix(".c"), target.relative_to(ROOT)), cwd=ROOT, check=True)


def directives() -> list[str]:
    """Return the directives of the normal build of the kernels, and the directive that traces lines."""
    build = (ROOT / "src" / "fruler" / "_kernels" / "meson.build").read_text(encoding="utf-8")
    return ["linetrace=True", *re.findall(r"'-X', '(\w+=\w+)'", build)]


def compiler_call(source: Path, target: Path) -> list[str]:
    """Return the command that compiles an extension module, without optimisation for speed."""
    trace = ["-DCYTHON_TRACE=1", "-DCYTHON_TRACE_NOGIL=1"]
    include = ["-I", sysconfig.get_paths()["include"], "-I", str(source.parent)]
    return ["cc", "-shared", "-fPIC", "-O1", "-w", *trace, *include, str(source), "-o", str(target), "-lm"]


if __name__ == "__main__":
    main()
