"""An extension of Sphinx: equations as MathML, and room for long cells of tables."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from retree.site.html import LONG


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the renderer ``mathml``, which leaves equations to the browser; Sphinx calls this."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-read", _mark_long_cells)
    # After the theme, which makes the navigation.
    app.connect("html-page-context", _level_captions, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    equation = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="rt-equation" tabindex="0">{equation}</div>')
    raise nodes.SkipNode


def _mark_long_cells(app: Sphinx, document: nodes.document) -> None:
    for entry in document.findall(nodes.entry):
        length = len(entry.astext())
        if length > LONG:
            entry["classes"] = ["rt-long", *(["rt-longer"] if length > 5 * LONG else [])]


def _level_captions(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Give the captions of the navigation the level that a heading must have."""
    tree, role = "furo_navigation_tree", 'role="heading"'
    context[tree] = context[tree].replace(role, f'{role} aria-level="2"')
