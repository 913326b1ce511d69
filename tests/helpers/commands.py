"""The command line as users run it: in a process of its own."""

import subprocess
import sys


def command(*arguments):
    return [sys.executable, "-m", "fruler._cli", *map(str, arguments)]


def run_process(*arguments, **more):
    options = {"capture_output": True, "encoding": "utf-8", "timeout": 300, "check": False} | more
    return subprocess.run(command(*arguments), **options)


def assert_one_line(result, *parts):
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("fruler: "), result.stderr
    for part in parts:
        assert part in result.stderr
