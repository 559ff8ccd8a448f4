"""Pictures of trees: what all kinds share, and Graphviz's DOT language."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from functools import partial
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from retree.trees.export.describe import (
    Names,
    Words,
    format_number,
    format_rows,
    standard_deviation,
)
from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree, majority_class

_DECIMALS = 3
_LONGEST = 28  # characters of a name or a list
_LINE = 32  # characters of a line
_MOST_COUNTS = 4  # classes up to which a box lists all counts
_NO_BREAK = "\N{NO-BREAK SPACE}"
# Matplotlib's default colours: those of the classes.
_COLOURS = [
    tuple(byte / 255 for byte in bytes.fromhex(code))
    for code in (
        *("1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd"),
        *("8c564b", "e377c2", "7f7f7f", "bcbd22", "17becf"),
    )
]
_TINT = 0.25  # share of the class colour in the ground of a leaf
_TINTS_OF_MEANS = 0.05, 0.6  # share of the colour in the fill_colors of the least and greatest mean


def picture_words(
    tree: Tree, feature_names: Names, class_names: Names | None, levels: Levels | None
) -> Words:
    """Return words for the tree that are short enough for a picture."""
    number = partial(format_number, decimals=_DECIMALS)
    return Words(tree, feature_names, class_names, levels, number, at_most="≤", longest=_LONGEST)


def drawn_nodes(
    tree: Tree, max_depth: int | None = None
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the nodes to draw down to `max_depth`, and a mask of those drawn as ends.

    Shapes: result (n_drawn,), result (node_count,).
    """
    if max_depth is not None:
        check_scalar(max_depth, "max_depth", Integral, min_val=0)
    is_drawn = tree.depths <= (tree.max_depth if max_depth is None else max_depth)
    return np.flatnonzero(is_drawn), is_drawn & (tree.is_leaf | (tree.depths == max_depth))


def box_lines(words: Words, node: int, is_end: bool) -> list[str]:
    """Return the lines of a box: the test or the prediction, then the counts of rows.

    The box of the root says how many rows were held out for pruning; no box counts them.
    """
    tree = words.tree
    cut = "" if tree.is_leaf[node] else " …"
    text = words.prediction(node) + cut if is_end else _test(words, node)
    note = [words.held_out()] if node == 0 and tree.held_out else []
    return [*_wrap(text), _rows(words, node), *note]


def branch_labels(words: Words, node: int) -> list[list[str]]:
    """Return the outcomes of the test in the box of `node`, a list of lines per branch."""
    if words.is_binary(node):
        return [["yes"], ["no"]]
    if words.tree.feature[node] == CENTRES:
        return [_wrap(text) for text in centre_labels(words, node)]
    n_branches = len(words.tree.children_of(node))
    return [_wrap(words.outcome(node, branch)) for branch in range(n_branches)]


def fill_colors(tree: Tree, ends: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the colour (red, green, blue) of each box, shape (node_count, 3).

    Ends have a tint of their majority class's colour; in a regression tree the tint is darker the
    greater the mean. Tests are white.
    """
    if tree.moments is None:
        colours = np.array([_COLOURS[c % len(_COLOURS)] for c in majority_class(tree.value)])
        tint = np.full(tree.node_count, _TINT)
    else:
        colours = np.broadcast_to(_COLOURS[0], (tree.node_count, 3))
        means = tree.value[:, 0]
        low, high = means[ends].min(), means[ends].max()
        tint = np.interp(means, [low, high], _TINTS_OF_MEANS)
    tint = np.where(ends, tint, 0.0)[:, None]
    return tint * colours + 1.0 - tint


def _test(words: Words, node: int) -> str:
    """Return the test whose outcomes label the branches of `node`."""
    tested = words.tested(node)
    if words.tree.feature[node] == OBLIQUE:
        # Lines break between the terms of a sum, not within them.
        tested = re.sub(r" (?![+-] )", _NO_BREAK, tested)
    if not words.is_binary(node):
        return tested
    return f"{tested} {words.outcome(node, 0).replace(' ', _NO_BREAK, 1)}"


def _wrap(text: str) -> list[str]:
    text = re.sub(r"… (\d+) more", _NO_BREAK.join(("…", r"\1", "more")), text)
    lines = textwrap.wrap(text, _LINE, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines] or [""]


def _rows(words: Words, node: int) -> str:
    """Return the line on the training rows in `node`."""
    tree, weight = words.tree, float(words.tree.weight[node])
    deviation = standard_deviation(tree, node)
    if deviation is not None:
        return f"{words.rows(weight)}, sd {words.number(deviation)}"
    if weight <= 0:
        return words.rows(weight)
    counts = tree.counts[node]
    if len(counts) <= _MOST_COUNTS:
        return " / ".join(format_rows(n) for n in counts)
    most = counts[majority_class(tree.value[node])]
    return f"{format_rows(most)} of {format_rows(weight)}"


_FEWEST = 2  # features in a label, if so many differ between the centres


def centre_labels(words: Words, node: int) -> list[str]:
    """Return a label per branch that tells its centre from the other centres of `node`.

    A label lists the features in which the centres differ most: for a numeric feature its mean, for
    a categorical feature its most frequent level with its share. It lists two features, or as many
    as it takes to make all labels different. Centres that are equal in all features are numbered.
    """
    centres = words.tree.tests.centres
    first, n_centres = int(centres.first[node]), int(centres.n_centres[node])
    positions = centres.position[first : first + n_centres]
    order = _most_different(words, node, positions)
    for n_features in range(min(_FEWEST, len(order)), len(order) + 1):
        labels = [_label(words, order[:n_features], position) for position in positions]
        if len(set(labels)) == n_centres:
            return labels
    return [f"centre {k}" for k in range(1, n_centres + 1)]


def _most_different(words: Words, node: int, positions: NDArray[np.float64]) -> list[int]:
    """Return the features with a weight, those whose values differ most first."""
    centres = words.tree.tests.centres
    spread = np.ptp(positions, axis=0)
    apart = np.add.reduceat(spread, centres.start[:-1])
    apart = apart * centres.weight[node]
    order: list[int] = np.argsort(-apart, kind="stable").tolist()
    return [j for j in order if centres.weight[node][j] != 0]


def _label(words: Words, features: list[int], position: NDArray[np.float64]) -> str:
    """Return the values of some features at a centre."""
    centres = words.tree.tests.centres
    coordinates = []
    for j in features:
        here = position[centres.start[j] : centres.start[j + 1]]
        if centres.nominal[j]:
            code = int(here.argmax())
            share = "" if here[code] == 1 else f" {here[code]:.0%}"
            coordinates.append(f"{words.feature(j)} {words.level(j, code)}{share}")
        else:
            value = float(centres.offset[j] + centres.scale[j] * here[0])
            coordinates.append(f"{words.feature(j)} {words.number(value)}")
    return ", ".join(coordinates)


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
    r"""Return a tree in the DOT language, which ``dot -Tsvg`` turns into a picture.

    `max_depth`: maximum depth to draw; a node cut off there shows its prediction and "…".
    `filled`: whether leaves and nodes cut off are coloured: by their majority class, or darker the
    greater their mean.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    Returns text without a line break at the end. Long names, lists of levels and sums are
    abbreviated.

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
    """Return the DOT lines of the branches of a node."""
    children = words.tree.children_of(node)
    return [
        f"    n{node} -> n{child} [label={_quoted(answer)}];"
        for child, answer in zip(children, branch_labels(words, node), strict=True)
    ]


def _quoted(lines: Sequence[str]) -> str:
    """Return lines as a quoted DOT string, with backslashes and entities escaped."""
    escaped = [
        line.replace("\\", r"\\").replace('"', r"\"").replace("&", "&amp;") for line in lines
    ]
    return '"' + r"\n".join(escaped) + '"'
