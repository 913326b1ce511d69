"""The commands, and a table with everything that tables have: text, dates, gaps."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.commands import run_process

from fruler._cli import main


@pytest.fixture
def fruler(monkeypatch, capsys):
    """Runs the command in this process, which saves time."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fruler", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        return subprocess.CompletedProcess(arguments, end.value.code or 0, *capsys.readouterr())

    return run


def make_houses(n=200):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "id": [f"H{i:03}" for i in range(n)],
            "size": rng.uniform(30, 200, n).round(1),
            "smoker": rng.choice(["yes", "no"], n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "heated": rng.choice([True, False], n),
            "age": rng.integers(0, 80, n).astype(float),
            "country": "Spain",
        }
    )
    slope = np.where(table["smoker"] == "yes", 0.5, 2.0)
    price = 50 + slope * table["size"] + 30 * (table["colour"] == "red") - 0.5 * table["age"] + 15 * table["heated"]
    table["price"] = (price + rng.normal(0, 1, n)).round(2)
    table.loc[[3, 4], "age"] = np.nan
    table.loc[5, "colour"] = np.nan
    table.loc[6, "price"] = np.nan
    return table


@pytest.fixture(scope="session")
def houses(tmp_path_factory):
    """The path of a table with text and gaps."""
    path = tmp_path_factory.mktemp("houses") / "houses.csv"
    make_houses().to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def fitted(houses):
    """What ``fruler fit`` did with that table; the model is beside it."""
    model = houses.with_name("m.json")
    result = run_process(
        "fit", houses, "--target", "price", "--model", model, "--unit", "size=m²", "--unit", "price=k€"
    )
    assert result.returncode == 0, result.stderr
    return result


@pytest.fixture(scope="session")
def model(houses, fitted):
    """The path of a model of that table."""
    return houses.with_name("m.json")
