"""Pages as the site shows them: written for a reader of the files, with examples that are run as doctests."""

import re

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

# Files outside docs/ that pages link to, and the pages that show these files.
SHOWN_BY = {
    "../benchmarks/results/README.md": "results.md",
    "../CHANGELOG.md": "changelog.md",
    "../CONTRIBUTING.md": "contributing.md",
}
# The output of a doctest ends at an empty line, which nobody needs to see.
_LAST_LINE = re.compile(r"^(```python\n(?:(?!```).*\n)*?)\n```$", re.MULTILINE)


def prepare(app: Sphinx, docname: str, source: list[str]) -> None:
    """Change a page before it is parsed."""
    text = _LAST_LINE.sub(r"\1```", source[0])
    for file, page in SHOWN_BY.items():
        text = text.replace(f"]({file}", f"]({page}")
    source[0] = text


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the change of pages."""
    app.connect("source-read", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
