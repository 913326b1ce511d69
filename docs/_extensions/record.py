"""The tables and pictures of the benchmark's record, which the page of results shows: made before pages are read."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import fruler.bench
from fruler.bench._presentation import write_presentation

RECORD = Path(__file__).parents[2] / "benchmarks" / "results"


def make_tables(app: Sphinx) -> None:
    """Write the tables and pictures if the runs, or the code that presents them, are newer."""
    sources = [RECORD / "runs.jsonl", *Path(fruler.bench.__file__).parent.glob("*.py")]
    page = RECORD / "index.html"
    if not page.exists() or page.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        write_presentation(RECORD)
        page.touch()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the making of tables."""
    app.connect("builder-inited", make_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
