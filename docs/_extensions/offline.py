"""The site must work without a network: the build fails if a page would load something from one."""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

# What a browser fetches by itself; links that readers follow are another matter.
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc(?:set)?\s*=\s*["']\s*(?:https?:)?//[^"']*"""
    r"""|<link\b(?![^>]*rel=["'](?:canonical|search|author|index|next|prev)["'])[^>]*\bhref\s*=\s*["'](?:https?:)?//[^"']*"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"')\s]*|url\(\s*["']?(?:https?:)?//[^"')\s]*""",
    re.IGNORECASE,
)


def check(app: Sphinx, exception: Exception | None) -> None:
    """Raise an error if a page or a style sheet loads from a network."""
    if exception is not None or app.builder.format != "html":
        return
    found = [
        f"{file.relative_to(app.outdir)}: {match[0][:120]}"
        for file in sorted(Path(app.outdir).rglob("*"))
        if file.suffix in {".html", ".css"}
        for match in _LOADED.finditer(file.read_text(encoding="utf-8", errors="replace"))
    ]
    if found:
        raise ExtensionError("The site would load from a network:\n" + "\n".join(found))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the check to the end of the build."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
