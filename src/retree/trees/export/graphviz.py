"""Trees in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from retree.trees.export.describe import Names, Words
from retree.trees.export.pictures import (
    box_lines,
    branch_labels,
    drawn_nodes,
    fill_colors,
    picture_words,
)
from retree.trees.tree import Levels, Tree

_HEAD = """\
digraph tree {
    graph [ordering=out];
    node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica"];
    edge [fontname="Helvetica"];"""


def export_graphviz(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names | None = None,
    *,
    max_depth: int | None = None,
    filled: bool = True,
    levels: Levels | None = None,
) -> str:
    r"""Return a tree in the DOT language; ``dot -Tsvg`` makes a picture of it.

    `max_depth`: depth to draw down to; a node cut off there shows its prediction and "…".
    `filled`: whether leaves and nodes cut off have the colour of their majority class, or one that
    is the darker the greater their mean.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    Returns without a line break at the end. Long names, lists of levels and sums are abbreviated.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45Classifier
    >>> iris = load_iris()
    >>> model = C45Classifier(max_depth=1).fit(iris.data, iris.target)
    >>> dot = export_graphviz(model.tree_, iris.feature_names, iris.target_names)
    >>> print(*dot.splitlines()[4:7], sep="\n")
        n0 [label="petal width (cm) ≤ 0.6\n50 / 50 / 50"];
        n0 -> n1 [label="yes"];
        n0 -> n2 [label="no"];
    """
    words = picture_words(tree, feature_names, class_names, levels)
    nodes, ends = drawn_nodes(tree, max_depth)
    colours = fill_colors(tree, ends)
    lines = [_HEAD]
    for node in nodes.tolist():
        attributes = f"label={_quoted(box_lines(words, node, ends[node]))}"
        if filled and ends[node]:
            attributes += f', fillcolor="{_hex(colours[node])}"'
        lines.append(f"    n{node} [{attributes}];")
        if not ends[node]:
            lines += _edges(words, node)
    return "\n".join([*lines, "}"])


def _hex(colour: NDArray[np.float64]) -> str:
    return "#" + bytes(np.rint(colour * 255).astype(np.uint8).tolist()).hex()


def _edges(words: Words, node: int) -> list[str]:
    """Return the lines of the branches of a node."""
    children = words.tree.children_of(node)
    return [
        f"    n{node} -> n{child} [label={_quoted(answer)}];"
        for child, answer in zip(children, branch_labels(words, node), strict=True)
    ]


def _quoted(lines: Sequence[str]) -> str:
    """Return lines as a quoted string, in which backslashes and entities would mean something."""
    escaped = [
        line.replace("\\", r"\\").replace('"', r"\"").replace("&", "&amp;") for line in lines
    ]
    return '"' + r"\n".join(escaped) + '"'
