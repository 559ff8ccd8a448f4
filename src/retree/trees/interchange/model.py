"""What a fitted estimator predicts by, whatever its family: the one source of all exports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.trees.rows import input_names
from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree


@dataclass(frozen=True, eq=False)
class Model:
    """Trees, what their nodes predict, and how the predictions are put together."""

    trees: tuple[Tree, ...]
    # What each node predicts: class shares, or a mean; shape (node_count, n_values).
    values: tuple[NDArray[np.float64], ...]
    # By which the predictions of the trees are multiplied before they are added; shape (n_trees,).
    weights: NDArray[np.float64]
    # By which the sum is divided; None of a single tree, which is taken as it is.
    total: float | None
    votes: bool  # Whether each tree adds 1 for its majority class in place of its class shares
    # Whether a row without a tested value is divided over all branches, or takes the heaviest.
    divide_missing: bool
    # Of each column that the trees test, the input feature and None; or the feature and the level
    # for which the column is 1, 0 for all others and for a missing one.
    columns: list[tuple[int, int | None]]
    feature_names: list[str]
    levels: list[Levels | None]  # Levels of each categorical input feature, None for a numeric one
    classes: NDArray[Any] | None  # Class labels; None of a regression; shape (n_classes,)


def model_of(estimator: Any) -> Model:
    """Return what a fitted estimator predicts by.

    Trees that compare in single precision get the thresholds that do the same in double precision.
    """
    check_is_fitted(estimator)
    if getattr(estimator, "fill_missing", None) is not None:
        raise ValueError(
            "What is exported fills in nothing: leave fill_missing out, and fill in before, for "
            "example with sklearn.impute.SimpleImputer."
        )
    n_features = estimator.n_features_in_
    model = Model(
        **_trees_of(estimator),
        columns=estimator._columns(),
        feature_names=input_names(estimator),
        levels=getattr(estimator, "categories_", None) or [None] * n_features,
        classes=getattr(estimator, "classes_", None),
    )
    if getattr(estimator, "single_precision_", False):
        model = replace(model, trees=tuple(map(_for_doubles, model.trees)))
    return model


def _trees_of(estimator: Any) -> dict[str, Any]:
    """Return the fields of a model that its trees make."""
    if hasattr(estimator, "tree_"):
        tree = estimator.tree_
        one = {"weights": np.ones(1), "total": None, "votes": False}
        one["divide_missing"] = estimator._divides_missing
        return {"trees": (tree,), "values": (tree.value,), **one}
    forest, vote = estimator.forest_, estimator._decision()
    weights = np.ones(len(forest.trees)) if vote == "shares" else forest.vote_weight
    if vote == "votes" and not weights.any():
        weights = np.ones(len(forest.trees))
    return {
        "trees": forest.trees,
        "values": tuple(tree.value for tree in forest.trees),
        "weights": weights,
        "total": sum_of(weights),
        "votes": vote == "votes",
        "divide_missing": forest.divide_missing,
    }


def _for_doubles(tree: Tree) -> Tree:
    """Return a tree that does with doubles what `tree` does with them rounded to float32."""
    tested = tree.feature >= 0
    threshold = tree.threshold.copy()
    threshold[tested] = [last_double_below(each) for each in threshold[tested].tolist()]
    return replace(tree, threshold=threshold)


def last_double_below(threshold: float) -> float:
    """Return the greatest double that is at most `threshold` once it is rounded to float32."""
    with np.errstate(over="ignore"):
        below = np.float32(threshold)
        if float(below) > threshold:
            below = np.nextafter(below, np.float32(-np.inf))
        above = np.nextafter(below, np.float32(np.inf))
        # Beyond the greatest float32 the next power of two takes the place of the next number.
        step = 2.0**104 if np.isinf(above) else float(above) - float(below)
        middle = float(below) + step / 2
        is_below = float(np.float32(middle)) <= threshold
    return middle if is_below else float(np.nextafter(middle, -np.inf))


class Threshold(NamedTuple):
    """The first branch if the column is at most the threshold."""

    column: int
    at_most: float


class Subset(NamedTuple):
    """The first branch if the level of the column is one of these."""

    column: int
    levels: tuple[int, ...]


class EachLevel(NamedTuple):
    """A branch for each level of the column."""

    column: int


class Oblique(NamedTuple):
    """The first branch if a weighted sum of columns, added in this order, is at most this."""

    terms: tuple[tuple[int, float], ...]
    at_most: float


class CentreColumn(NamedTuple):
    """A column in the distance from centres; a categorical one has a slot for each level."""

    column: int
    weight: float
    is_categorical: bool
    slot: int
    offset: float
    scale: float


class Nearest(NamedTuple):
    """The branch of the nearest centre; `gamma` is the part of the numeric columns."""

    metric: int
    gamma: float
    columns: tuple[CentreColumn, ...]
    centres: tuple[tuple[float, ...], ...]


Test = Threshold | Subset | EachLevel | Oblique | Nearest


class Node(NamedTuple):
    """A node of a tree."""

    value: tuple[float, ...]  # What it predicts if it is a leaf
    test: Test | None
    children: tuple[int, ...]
    # The part of a row that goes to each child if the tested value is missing; None for no part.
    parts: tuple[float | None, ...]


def nodes_of(model: Model) -> list[list[Node]]:
    """Return the nodes of each tree of a model."""
    pairs = zip(model.trees, model.values, strict=True)
    return [_nodes(tree, value, model.divide_missing) for tree, value in pairs]


def _nodes(tree: Tree, value: NDArray[np.float64], divide_missing: bool) -> list[Node]:
    found = []
    for i in range(tree.node_count):
        children = tree.children_of(i)
        test = None if tree.is_leaf[i] else tested_at(tree, i)
        parts = _parts(tree, i, children, divide_missing) if len(children) else ()
        found.append(Node(tuple(value[i].tolist()), test, tuple(children.tolist()), parts))
    return found


def _parts(
    tree: Tree, node: int, children: NDArray[np.int32], divide_missing: bool
) -> tuple[float | None, ...]:
    """Return where a row goes of which `node` tests a missing value."""
    weight = tree.weight[children]
    if divide_missing and tree.weight[node] > 0:
        parts = (tree.sent[children] / tree.weight[node]).tolist()
        return tuple(p if w > 0 else None for p, w in zip(parts, weight, strict=True))
    # All that is below a node without weight predicts the same.
    whole = 0 if divide_missing else int(weight.argmax())
    return tuple(1.0 if c == whole else None for c in range(len(children)))


def tested_at(tree: Tree, node: int) -> Test:
    """Return the test of a node that is no leaf."""
    tests, j = tree.tests, int(tree.feature[node])
    threshold = float(tests.threshold[node])
    if j == CENTRES:
        return _nearest(tree, node)
    if j == OBLIQUE:
        normal = tests.normals[node]
        return Oblique(tuple((int(k), float(normal[k])) for k in normal.nonzero()[0]), threshold)
    if not math.isnan(threshold):
        return Threshold(j, threshold)
    subset = int(tests.subset[node])
    return Subset(j, tuple(tests.left_levels.levels(subset))) if subset >= 0 else EachLevel(j)


def _nearest(tree: Tree, node: int) -> Nearest:
    centres: Any = tree.centres
    first, n = int(centres.first[node]), int(centres.n_centres[node])
    columns = tuple(
        CentreColumn(
            j,
            float(centres.weight[node, j]),
            bool(centres.nominal[j]),
            int(centres.start[j]),
            float(centres.offset[j]),
            float(centres.scale[j]),
        )
        for j in centres.weight[node].nonzero()[0].tolist()
    )
    positions = tuple(map(tuple, centres.position[first : first + n].tolist()))
    return Nearest(int(centres.metric[node]), float(centres.gamma[node]), columns, positions)
