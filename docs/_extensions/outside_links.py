"""Links from pages to files outside docs/, which work on disk, lead to the pages of the site that show these files."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

PAGES = {
    "../benchmarks/results/README.md": "results.md",
    "../CHANGELOG.md": "changelog.md",
    "../CONTRIBUTING.md": "contributing.md",
}


def to_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Change the links of a page before it is parsed."""
    for file, page in PAGES.items():
        source[0] = source[0].replace(f"]({file}", f"]({page}")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the change of links."""
    app.connect("source-read", to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
