"""Find phrases that read as a translation in docstrings, messages and pages.

    python release/wording.py [PATH ...]

Checks every string of the package (docstrings and messages) and every page, and prints each phrase with advice. `make
lint` runs this script, so a change that adds a phrase to the list must also correct its occurrences.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A regular expression for the phrase, and the advice.
PHRASES = {
    r"(?:a|one) (?:row|line|column|point) an? (?:rule|set|input|row|column|method|system|data)\b": "one row per rule",
    r"an input a (?:line|rule|row)\b": "one input per line",
    r"(?:came|come|comes) by\b(?! \w+ing)": "found",
    r"(?:that|which) (?:is|are) none\b": "name the thing: a column that is not text",
    r"(?<!there\s)\b(?:is|are) no (?:text|numbers?|columns?|folder|file|dates?|list|triangles?)\b": "is not text",
    r"so many at (?:the )?most|at the most\b": "at most 20",
    r"tells? whether\b": "returns whether",
    r"(?:go|goes|gone|went|going) on (?:with|from)\b": "resume",
    r"(?:know|knows|knew) (?:no|nothing)\b": "has no",
    r"or the like\b": "name the things",
    r"see there\b": "name the place",
    r"of which (?:they|it) \w+\b": "two sentences",
    r"which is another\b": "name what changed",
    r"rules? that speaks?\b": "rules that fire",
    r"left out in turn|validation parts?\b": "held-out rows, folds",
    r"(?:cannot|can't|could) say\b": "cannot express",
    r"none of (?:ours|the two)\b": "name the two",
    r"parted\b": "split",
    r"how far off\b": "error",
}
# A phrase may be broken across lines at any space.
PATTERNS = {
    re.compile(rf"\b(?:{phrase})".replace(" ", r"\s+"), re.IGNORECASE): advice for phrase, advice in PHRASES.items()
}


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [*modules(), *pages()]
    found = [place for path in paths for place in faults(path)]
    print("\n".join(found), end="\n" if found else "")
    if found:
        sys.exit(f"{len(found)} phrases to correct")


def modules() -> list[Path]:
    """Return the modules of the package."""
    return sorted((ROOT / "src" / "fruler").rglob("*.py"))


def pages() -> list[Path]:
    """Return the pages of the project."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "benchmarks").rglob("README.md")),
    ]


def faults(path: Path) -> Iterator[str]:
    """Yield one line per phrase in a file: place, phrase, advice."""
    text = path.read_text(encoding="utf-8")
    parts = strings(text) if path.suffix == ".py" else [(1, text)]
    for first, part in parts:
        for pattern, advice in PATTERNS.items():
            for match in pattern.finditer(part):
                line = first + part.count("\n", 0, match.start())
                yield f"{path}:{line}: {' '.join(match[0].split())!r}; rather: {advice}"


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the strings of a program that may be sentences, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


if __name__ == "__main__":
    main()
