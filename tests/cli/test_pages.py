"""What pages show of the command line is what happens."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# With the number of commands that each shows.
PAGES = [("README.md", 3), ("docs/command_line.md", 5), ("docs/start.md", 4), ("docs/tutorial.md", 2)]


def without_times(text):
    text = re.sub(r"Learned in [\d.]+ s", "Learned in a while", text)
    # The last digits are the machine's.
    return re.sub(r"\d+\.\d{6,}", lambda number: f"{float(number[0]):.6g}", text).strip()


@pytest.mark.parametrize(("name", "n_commands"), PAGES)
def test_a_page_shows_what_the_commands_print(fruler, clock, tmp_path, monkeypatch, name, n_commands):
    page = (ROOT / name).read_text(encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    script = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    if ">>>" not in script:
        subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
    shown = [
        tuple(part.partition("\n")[::2])
        for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)
        for part in block.split("$ ")[1:]
    ]
    assert len(shown) == n_commands
    for command, expected in shown:
        name, *arguments = shlex.split(command)
        if name == "head":
            count, file = arguments
            found = "\n".join(Path(file).read_text().splitlines()[: -int(count)])
        else:
            result = fruler(*arguments)
            found = result.stdout + result.stderr
        assert without_times(found) == without_times(expected), command
