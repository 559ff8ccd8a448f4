"""Why a tree predicts what it does for one row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import running_sum
from retree.trees.export.conditions import condition_of
from retree.trees.export.describe import Names, Words, format_number, standard_deviation
from retree.trees.export.explained import DECIMALS, Explanation, Path, Step
from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree, majority_class

_AT_ONCE = 64  # leaves whose shares one call of the engine finds


def explain_row(
    tree: Tree,
    row: NDArray[np.float64],
    feature_names: Names,
    class_names: Names | None = None,
    *,
    levels: Levels | None = None,
    divide_missing: bool = False,
) -> Explanation:
    """Return why `tree` predicts what it does for one row.

    Shapes: `row` (n_features,).
    `row`: numbers, or level codes; NaN where missing.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    `divide_missing`: whether a row whose tested value is missing takes all branches with parts of
    it, or the heaviest one.
    """
    number = partial(format_number, decimals=DECIMALS)
    words = Words(tree, feature_names, class_names, levels, number)
    rows = np.ascontiguousarray(row, np.float64)[None, :]
    shares = leaf_shares(tree, rows, divide_missing)
    paths = [_path(words, rows[0], leaf, share, divide_missing) for leaf, share in shares.items()]
    paths.sort(key=lambda path: -path.share)
    value = tree.predicted(rows, divide_missing=divide_missing)[0]
    if class_names is None:
        return Explanation(float(value[0]), {}, tuple(paths))
    code = int(tree.predicted_codes(rows, divide_missing=divide_missing)[0])
    shares_of = dict(zip(list(class_names), value.tolist(), strict=True))
    return Explanation(list(class_names)[code], shares_of, tuple(paths))


def leaf_shares(tree: Tree, row: NDArray[np.float64], divide_missing: bool) -> dict[int, float]:
    """Return the leaves that a row, shape (1, n_features), ends in, and what part of it."""
    if not (divide_missing and np.isnan(row).any()):
        return {int(tree.apply(row)[0]): 1.0}
    leaves, found = np.flatnonzero(tree.is_leaf), dict[int, float]()
    for first in range(0, len(leaves), _AT_ONCE):
        some = leaves[first : first + _AT_ONCE]
        is_here = np.zeros((tree.node_count, len(some)))
        is_here[some, np.arange(len(some))] = 1.0
        total = np.zeros((1, len(some)))
        given = (row, tree.views, tree.weight, tree.sent, is_here)
        engine.call("add_values", *given, 1.0, True, total)
        found |= {int(leaf): float(s) for leaf, s in zip(some, total[0], strict=True) if s > 0}
    return found


def _path(
    words: Words, row: NDArray[np.float64], leaf: int, share: float, divide_missing: bool
) -> Path:
    """Return the way to a leaf."""
    tree = words.tree
    steps = [_step(words, row, *place, divide_missing) for place in tree.path_to(leaf)]
    weight, distribution, confidence = float(tree.weight[leaf]), {}, None
    if words.class_names is not None:
        counts = tree.counts[leaf].tolist()
        distribution = dict(zip(list(words.class_names), counts, strict=True))
        confidence = float(tree.value[leaf][majority_class(tree.value[leaf])])
    return Path(
        leaf=leaf,
        share=share,
        steps=tuple(steps),
        prediction=words.prediction(leaf),
        rows=weight,
        support=weight / float(tree.weight[0] or 1.0),
        confidence=confidence,
        deviation=standard_deviation(tree, leaf),
        distribution=distribution,
    )


def _step(
    words: Words, row: NDArray[np.float64], node: int, branch: int, divide_missing: bool
) -> Step:
    """Return a branch of `node`."""
    tree, condition = words.tree, condition_of(words.tree, node, branch)
    is_missing, value = _value(words, row, node)
    weight, share = float(tree.weight[node]), 1.0
    if is_missing and divide_missing and weight > 0:
        share = float(tree.sent[tree.children_of(node)[branch]]) / weight
    return Step(condition, condition.describe(words), value, share, is_missing)


def _value(words: Words, row: NDArray[np.float64], node: int) -> tuple[bool, str]:
    """Return whether the value that `node` tests is missing, and the value in words."""
    tree, j = words.tree, int(words.tree.feature[node])
    if j == CENTRES:
        return False, "nearest centre"
    if j == OBLIQUE:
        normal = tree.tests.normals[node]
        used = normal != 0
        gone = [words.feature(int(k)) for k in np.flatnonzero(used & np.isnan(row))]
        if gone:
            return True, _missing(gone)
        return False, f"sum {words.number(running_sum(normal[used] * row[used]))}"
    if np.isnan(row[j]):
        return True, _missing([words.feature(j)])
    is_level = np.isnan(tree.threshold[node])
    value = words.level(j, int(row[j])) if is_level else words.number(float(row[j]))
    return False, f"{words.feature(j)} = {value}"


def _missing(names: Sequence[str]) -> str:
    return f"{', '.join(names)} missing"
