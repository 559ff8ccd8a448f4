"""An extension of Sphinx: equations as MathML, room for long cells of tables, navigation."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from retree.reports.html import LONG


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the renderer ``mathml``, which leaves equations to the browser; Sphinx calls this."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-read", _mark_long_cells)
    # Before and after the theme, which makes the navigation.
    app.connect("html-page-context", _Navigation(), priority=100)
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


class _Navigation:
    """Lets the pages outside of the navigation share one for each folder, since it takes long."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def __call__(
        self, app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any
    ) -> None:
        if "orphan" in (context.get("meta") or ()):
            make, folder = context["toctree"], posixpath.dirname(page)
            context["toctree"] = lambda **options: self._shared(folder, make, options)

    def _shared(self, folder: str, make: Callable[..., str], options: dict[str, Any]) -> str:
        if folder not in self._made:
            self._made[folder] = make(**options)
        return self._made[folder]


def _level_captions(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Give the captions of the navigation the level that a heading must have."""
    tree, role = "furo_navigation_tree", 'role="heading"'
    context[tree] = context[tree].replace(role, f'{role} aria-level="2"')
