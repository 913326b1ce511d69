"""Docstrings as Sphinx can take them, after numpydoc has been there."""

import re

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

# Docstrings that estimators inherit refer to pages of scikit-learn's site, which are not here.
_REFERENCE = re.compile(r":ref:`([^`<]*?)\s*<[^`>]*>`")
# A name that ends with an underscore, as in "shape (n_features_in_,)", is a link in reStructuredText.
_LINK_IN_SHAPE = re.compile(r"(shape \([^)]*\w)_(?=[,)])")


def readable(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Take out links that lead nowhere; their words stay."""
    text = _REFERENCE.sub(r"\1", "\n".join(lines))
    lines[:] = _LINK_IN_SHAPE.sub(r"\1\\_", text).split("\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the change of docstrings."""
    app.connect("autodoc-process-docstring", readable, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
