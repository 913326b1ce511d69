"""What the command line says about itself, and how fast."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from helpers.commands import run_process

from fruler import __version__

COMMANDS = ["demo", "fit", "predict", "explain", "edit", "refit", "rules", "report", "export", "bench"]


def test_help_and_version_load_nothing_heavy():
    assert run_process("--version").stdout == f"fruler {__version__}\n"
    code = "import sys, fruler._cli; print(*{'sklearn', 'pandas', 'scipy', 'rich', 'numpy'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands_in_full(fruler, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "80")
    result = fruler(*arguments)
    assert result.returncode == 0
    listed = result.stdout.partition("Commands:")[2].partition("Begin with")[0]
    assert [line.split()[0] for line in listed.splitlines() if line.strip()] == COMMANDS
    assert "..." not in listed


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_fits_eighty_columns_and_has_an_example(fruler, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    text = fruler(name, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert f"  fruler {name}" in text.partition("Example:")[2]


def test_demo_shows_rules_errors_and_an_explanation(fruler):
    result = fruler("demo")
    assert result.returncode == 0, result.stderr
    assert "max_temperature_before, min_temperature_before and day_of_year matter most" in result.stdout
    assert re.search(r"^max_temperature_before +under [\d.]+ °C +over [\d.]+ °C$", result.stdout, re.MULTILINE)
    assert re.search(r"half\s+of\s+the\s+predictions\s+miss\s+by\s+less\s+than\s+[\d.]+\s°C", result.stdout)
    assert "linear regression" in result.stdout
    assert "  by rule " in result.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_and_options(tmp_path):
    # Bash calls the function with the name of the command, which must be found on the path.
    (tmp_path / "fruler").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fruler._cli "$@"\n')
    (tmp_path / "fruler").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    script = """
    fruler --install-completion bash >/dev/null && source ~/.bashrc
    words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fruler_completion fruler; echo "${COMPREPLY[@]}"; }
    words fruler ex
    words fruler fit --ti
    """
    result = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout.splitlines() == ["explain export", "--time --time-limit"], result.stderr
