"""Docstrings as Sphinx can take them, before and after numpydoc has been there."""

import importlib
import inspect
import re

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

# Docstrings that estimators inherit refer to pages of scikit-learn's site, which are not here.
_REFERENCE = re.compile(r":ref:`([^`<]*?)\s*<[^`>]*>`")
# A name that ends with an underscore, as in "shape (n_features_in_,)", is a link in reStructuredText.
_LINK_IN_SHAPE = re.compile(r"(shape \([^)]*\w)_(?=[,)])")

# The sections of a method that one which overrides it shares.
_SHARED = re.compile(r"^(Parameters|Returns|Raises)\n-+\n.*?(?=^\S[^\n]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)


def with_overridden(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Add the sections of the method that one without any overrides."""
    if what != "method" or _SHARED.search("\n".join(lines)):
        return
    path, _, method = name.rpartition(".")
    module, _, owner = path.rpartition(".")
    for base in getattr(importlib.import_module(module), owner).__mro__[1:]:
        sections = [match[0] for match in _SHARED.finditer(inspect.getdoc(vars(base).get(method)) or "")]
        if sections:
            lines += ["", *"\n".join(sections).split("\n")]
            return


def readable(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Take out links that lead nowhere; their words stay."""
    text = _REFERENCE.sub(r"\1", "\n".join(lines))
    lines[:] = _LINK_IN_SHAPE.sub(r"\1\\_", text).split("\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the changes of docstrings."""
    # numpydoc has the priority 500.
    app.connect("autodoc-process-docstring", with_overridden, priority=400)
    app.connect("autodoc-process-docstring", readable, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
