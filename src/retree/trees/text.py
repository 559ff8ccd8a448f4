"""Trees as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from retree.trees.tree import OBLIQUE, Levels, Tree

Names = Sequence[Any] | NDArray[Any]

_INDENT = "|   "
_LARGE = 1e15  # from here on, the digits in front of the point say more than was measured


def export_text(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names,
    *,
    decimals: int = 4,
    levels: Levels | None = None,
) -> str:
    """Return a tree as indented text, a line a branch.

    Parameters
    ----------
    tree : Tree
    feature_names : sequence of str
        One a feature.
    class_names : sequence
        One a class; the majority class of a leaf is named first, then the training rows of each
        class that reach it.
    decimals : int, default=4
        Decimals of thresholds.
    levels : sequence of (sequence or None), optional
        Names of the levels of each nominal feature; by default their numbers.

    Returns
    -------
    str
        Without a line break at the end.

    Raises
    ------
    ValueError
        If the names are not as many as features and classes, or `decimals` is negative.
    TypeError
        If `decimals` is not an integer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import StructurePurityClassifier
    >>> iris = load_iris()
    >>> model = StructurePurityClassifier("gini", max_depth=2).fit(iris.data, iris.target)
    >>> print(export_text(model.tree_, iris.feature_names, iris.target_names))
    petal length (cm) <= 1.9: setosa (setosa: 50)
    petal length (cm) > 1.9
    |   petal width (cm) <= 1.7: versicolor (versicolor: 49, virginica: 5)
    |   petal width (cm) > 1.7: virginica (versicolor: 1, virginica: 45)
    """
    check_names(tree, feature_names, class_names)
    check_scalar(decimals, "decimals", Integral, min_val=0)
    lines = []
    # Nodes are numbered depth first, which is the order of the lines.
    for node in range(tree.node_count):
        text = _branch(tree, node, feature_names, decimals, levels)
        if tree.is_leaf[node]:
            text += ": " if text else ""
            text += _outcome(tree, node, class_names, decimals)
        if text:
            lines.append(_INDENT * (int(tree.depths[node]) - 1) + text)
    return "\n".join(lines)


def check_names(tree: Tree, feature_names: Names, class_names: Names) -> None:
    """Raise a ValueError unless there is a name for each feature and for each class."""
    n_classes = tree.counts.shape[1]
    for what, names, n in (
        ("feature_names", feature_names, tree.n_features),
        ("class_names", class_names, n_classes),
    ):
        if len(names) != n:
            raise ValueError(f"{what} must hold {n} names, got {len(names)}.")


def format_number(value: float, decimals: int) -> str:
    """Return `value` with at most `decimals` decimals, in powers of ten where these say nothing."""
    fixed = f"{value + 0.0:.{decimals}f}"
    if value != 0 and (float(fixed) == 0 or abs(value) >= _LARGE):
        return f"{value:.{decimals}e}"
    return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed


def describe_tested(
    tree: Tree, node: int, feature_names: Names, number: Callable[[float], str]
) -> str:
    """Return what the test of `node` looks at: an attribute, or a weighted sum of some."""
    if tree.feature[node] != OBLIQUE or tree.normals is None:
        return str(feature_names[tree.feature[node]])
    text = ""
    for j in tree.normals[node].nonzero()[0]:
        weight = float(tree.normals[node, j])
        sign = ("- " if weight < 0 else "+ ") if text else ("-" if weight < 0 else "")
        text += f" {sign}{number(abs(weight))} {feature_names[j]}"
    return text.strip()


def describe_outcome(
    tree: Tree,
    node: int,
    branch: int,
    number: Callable[[float], str],
    levels: Levels | None = None,
) -> str:
    """Return the outcome of the test of `node` that leads to its child number `branch`.

    Parameters
    ----------
    tree : Tree
    node, branch : int
        An inner node and the position of one of its children.
    number : callable
        Turns a threshold into text.
    levels : sequence of (sequence or None), optional
        Names of the levels of each nominal attribute; by default their numbers.

    Returns
    -------
    str
        Sign and value, such as ``<= 1.5``, ``= red`` or ``not in {red, green}``.
    """
    if not np.isnan(tree.threshold[node]):
        return f"{('<=', '>')[branch]} {number(float(tree.threshold[node]))}"
    names = None if levels is None else levels[int(tree.feature[node])]
    if tree.subset is None or tree.left_levels is None or tree.subset[node] < 0:
        return f"= {branch if names is None else names[branch]}"
    left = tree.left_levels[tree.subset[node]].nonzero()[0]
    members = [str(code if names is None else names[code]) for code in left]
    if len(members) == 1:
        return f"{('=', '!=')[branch]} {members[0]}"
    return f"{('in', 'not in')[branch]} {{{', '.join(members)}}}"


def _branch(
    tree: Tree, node: int, feature_names: Sequence[str], decimals: int, levels: Levels | None
) -> str:
    """Return the outcome of the parent's test that leads to `node`; nothing for the root."""
    parent = int(tree.parents[node])
    if parent < 0:
        return ""

    def number(value: float) -> str:
        return format_number(value, decimals)

    branch = int(np.flatnonzero(tree.children_of(parent) == node)[0])
    outcome = describe_outcome(tree, parent, branch, number, levels)
    return f"{describe_tested(tree, parent, feature_names, number)} {outcome}"


def _outcome(tree: Tree, node: int, class_names: Names, decimals: int) -> str:
    """Return the majority class of a leaf and the counts of the classes that it has."""
    counts = tree.counts[node]
    parts = [f"{class_names[c]}: {format_number(counts[c], decimals)}" for c in counts.nonzero()[0]]
    return f"{class_names[counts.argmax()]} ({', '.join(parts)})"
