"""What the benchmark ran on, without names or paths of anyone's."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any


def describe_machine() -> dict[str, Any]:
    """Return processor, memory, system and the versions that a result may depend on."""
    return {
        "blas": _linear_algebra(),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "pandas")},
    }


def source_commit() -> str | None:
    """Return the commit of the working copy of this project that the command is run in, or None outside of one."""
    if not Path("src/fruler/bench").is_dir():
        return None
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit}, with changes" if changed else commit


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _linear_algebra() -> str:
    """Return the libraries of linear algebra, and for which processor each has chosen its kernels."""
    # A library is listed once it is loaded.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    pools = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return ", ".join(
        sorted({f"{info['internal_api']} {info['version']} {info.get('architecture', '')}".strip() for info in pools})
    )


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None
