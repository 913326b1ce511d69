"""Check the docstrings of all public names with numpydoc; part of `make lint`.

    python release/docstring_validation.py [NAME ...]

The public names are those in docs/reference.md, and the methods and properties of their classes that are defined in
this package. With arguments, only names that begin with one of them are checked. The installed package is checked,
since estimators share parts of their docstrings, which are inserted on import. `pyproject.toml` lists the checks under
`[tool.numpydoc_validation]`. This script adds one: the section Raises must name every exception that a function raises.

Methods and properties are shown on the page of their class, so some checks do not apply:

- They need no See Also, since that of the class is on the same page.
- A method needs no example if the examples of the class call it; a property never needs one.
- A method that overrides one of another public class of this package needs no sections, since the site shows those of
  the other class.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import ERROR_MSGS, validate

ROOT = Path(__file__).resolve().parents[1]
OF_ITS_CLASS = {"SA01"}
OF_A_PROPERTY = {"EX01"}
OF_AN_EXAMPLE = {"EX01"}
OF_THE_OVERRIDDEN = {"PR01", "RT01", "YD01", "EX01"}


@dataclass(frozen=True)
class Documented:
    """A public name, its function or class, and the class that it is a member of."""

    name: str
    value: Any
    owner: type | None = None

    @property
    def member(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


def main(prefixes: list[str]) -> int:
    """Print every fault and return the exit code."""
    everything = public_names()
    functions = {one.value for one in everything}
    chosen = [one for one in everything if not prefixes or one.name.startswith(tuple(prefixes))]
    checks = chosen_checks()
    found = [(one.name, text) for one in chosen for text in faults(one, checks - waived(one, functions))]
    for name, text in found:
        print(f"{name}: {text}")
    print(f"{len(chosen)} docstrings, {len(found)} faults")
    return int(bool(found))


def chosen_checks() -> set[str]:
    """Return the codes of the checks; "all" with other codes means all except these, as in numpydoc."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        chosen = set(tomllib.load(file)["tool"]["numpydoc_validation"]["checks"])
    return set(ERROR_MSGS) - chosen if "all" in chosen else chosen


def waived(one: Documented, functions: set[Any]) -> set[str]:
    """Return the codes of the checks that do not apply to a member of a class."""
    if one.owner is None:
        return set()
    codes = set(OF_ITS_CLASS)
    if not callable(getattr(one.owner, one.member)):
        codes |= OF_A_PROPERTY
    if re.search(rf"\b{one.member}\(", "".join(NumpyDocString(inspect.getdoc(one.owner) or "")["Examples"])):
        codes |= OF_AN_EXAMPLE
    others = [function_of(vars(base)[one.member]) for base in one.owner.__mro__ if one.member in vars(base)]
    if functions.intersection(others) - {one.value}:
        codes |= OF_THE_OVERRIDDEN
    return codes


def faults(one: Documented, checks: set[str]) -> Iterator[str]:
    """Yield the faults of a docstring."""
    yield from (f"{code} {text}" for code, text in validate(one.name)["errors"] if code in checks)
    if inspect.isfunction(one.value):
        told = {kind for _, kind, _ in NumpyDocString(inspect.getdoc(one.value) or "")["Raises"]}
        yield from (f"{name} is not under Raises" for name in sorted(raised_by(one.value) - told))


def raised_by(function: Callable[..., Any]) -> set[str]:
    """Return the names of the exceptions that the body of a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)]
    names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    # Names in lower case are functions that return an exception.
    return {name for name in names if name[0].isupper()}


def public_names() -> list[Documented]:
    """Return the names in the reference, and the methods and properties of its classes, each once."""
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    found: dict[Any, Documented] = {}
    for listed in re.findall(r"^   (fruler\.[\w.]+)$", page, re.MULTILINE):
        module, _, attribute = listed.rpartition(".")
        value = getattr(importlib.import_module(module), attribute)
        if inspect.isclass(value) or inspect.isroutine(value):
            found[value] = Documented(listed, value)
        if inspect.isclass(value):
            for name, function in own_members(value):
                found.setdefault(function, Documented(f"{listed}.{name}", function, value))
    return list(found.values())


def own_members(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions of the methods and properties of a class that are defined in this package."""
    for name in dir(owner):
        function = function_of(inspect.getattr_static(owner, name))
        if not name.startswith("_") and function is not None and function.__module__.startswith("fruler."):
            yield name, function


def function_of(member: Any) -> Callable[..., Any] | None:
    """Return the function of a method or a property, or None."""
    behind = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    function = inspect.unwrap(behind) if callable(behind) else None
    return function if inspect.isfunction(function) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
