"""Formulas as MathML, which browsers draw by themselves: no script to load, with or without a network."""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

_LOGGER = logging.getLogger(__name__)


def inline_math(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def block_math(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    translator.body.append(f'<div class="math-block">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        _LOGGER.warning("the formula %r cannot be written: %s", node.astext(), error, location=node)
        return ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
