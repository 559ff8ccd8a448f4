"""Trees as SVG, which a notebook shows."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from retree.trees.export.pictures import drawn_nodes, picture_words
from retree.trees.export.plot import Picture
from retree.trees.tree import Levels, Tree

_MOST_ENDS = 20  # boxes side by side that are still legible in a notebook
_STYLE = 'role="img" aria-label="Decision tree" style="max-width: 100%; height: auto"'


def tree_svg(
    tree: Tree, feature_names: Any, class_names: Any = None, levels: Levels | None = None
) -> str:
    """Return a drawing of a tree, down to the depth at which some 20 boxes stand side by side.

    Returns an ``<svg>`` element with the same text for the same tree. Nodes cut off show "…".
    """
    words = picture_words(tree, feature_names, class_names, levels)
    picture = Picture.of(words, _legible_depth(tree))
    figure, buffer = Figure(figsize=picture.figsize), io.StringIO()
    picture.draw(figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    with rc_context({"svg.hashsalt": "retree", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :].replace("<svg", f"<svg {_STYLE}", 1)


def _legible_depth(tree: Tree) -> int:
    """Return the greatest depth at which there are not too many boxes side by side, at least 1."""
    for depth in range(2, tree.max_depth + 1):
        if np.count_nonzero(drawn_nodes(tree, depth)[1]) > _MOST_ENDS:
            return depth - 1
    return max(tree.max_depth, 1)
