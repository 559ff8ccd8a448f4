"""The trees that a fitted estimator predicts with, whatever its family, for all exports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import running_sum
from retree.trees.rows import input_names
from retree.trees.tree import LEAF, OBLIQUE, Levels, Tree, majority_class

TIE = 1e-6  # shares that differ by less are equal


@dataclass(frozen=True, eq=False)
class Model:
    """Trees, and how their predictions are combined."""

    trees: tuple[Tree, ...]
    # By which the predictions of the trees are weighted; None of a single tree; shape (n_trees,).
    weights: NDArray[np.float64] | None
    votes: bool  # Whether each tree adds 1 for its majority class in place of its class shares
    # Whether a tree votes for its highest share to the last bit, and not up to `TIE`.
    exact_votes: bool
    tie: float  # Sums that differ by less are equal; 0: to the last bit
    # Whether a row without a tested value is divided over all branches, or takes the heaviest.
    divide_missing: bool
    # Of each column that the trees test, the input feature and None; or the feature and the level
    # for which the column is 1, 0 for all others and for a missing one.
    columns: list[tuple[int, int | None]]
    # Coefficients of the weighted sums of columns that oblique tests compare. They are further
    # columns of the trees, which have no oblique tests then; shape (n_sums, n_columns).
    sums: NDArray[np.float64]
    feature_names: list[str]
    levels: list[Levels | None]  # Levels of each categorical input feature, None for a numeric one
    # Class labels in the order of the columns of counts; None of a regression; shape (n_classes,).
    classes: NDArray[Any] | None

    def values(self, tree: Tree) -> NDArray[np.float64]:
        """Return the unweighted contribution of each node of a tree, shape (n_nodes, n_classes)."""
        if not self.votes:
            return tree.value
        codes = tree.value.argmax(axis=1) if self.exact_votes else majority_class(tree.value)
        return np.eye(tree.value.shape[1])[codes]


def model_of(estimator: Any) -> Model:
    """Return the trees that a fitted estimator predicts with.

    Trees that compare in single precision get thresholds that have the same effect in double
    precision.

    Raises
    ------
    ValueError
        If no other program can make such predictions.
    """
    check_is_fitted(estimator)
    if getattr(estimator, "fill_missing", None) is not None:
        raise ValueError(
            "Exported models do not fill in missing values: do not set fill_missing, but fill "
            "them in first, for example with sklearn.impute.SimpleImputer."
        )
    decided = _decided(estimator)
    trees: tuple[Tree, ...] = decided.pop("trees")
    if any(tree.centres is not None for tree in trees):
        raise ValueError(
            "This tree tests for the nearest of several centres, which no other program does: "
            "save it with to_json."
        )
    if getattr(estimator, "single_precision_", False):
        trees = tuple(map(_for_doubles, trees))
    columns = estimator._columns()
    trees, sums = _sums_as_columns(trees, len(columns))
    return Model(
        trees,
        **decided,
        columns=columns,
        sums=sums,
        feature_names=input_names(estimator),
        levels=getattr(estimator, "categories_", None) or [None] * estimator.n_features_in_,
        classes=getattr(estimator, "class_order_", None),
    )


def _decided(estimator: Any) -> dict[str, Any]:
    """Return the fields of a model: its trees, and how they decide."""
    if hasattr(estimator, "tree_"):
        decided = {
            "trees": (estimator.tree_,),
            "divide_missing": estimator.contract.divides_missing,
        }
        return decided | {"weights": None, "votes": False, "exact_votes": False, "tie": TIE}
    if estimator.vote == "log_odds":
        raise ValueError(
            f"No other program adds up log odds of trees as {type(estimator).__name__} does: save "
            "the model with to_json, and read it with retree.from_json."
        )
    forest, vote = estimator.forest_, estimator._decision()
    weights, is_one = forest.vote_weight, len(forest.trees) == 1
    if vote == "shares" or (vote == "votes" and (is_one or not weights.any())):
        weights = np.ones(len(forest.trees))
    return {
        "trees": forest.trees,
        "weights": weights,
        "votes": vote == "votes" and not is_one,
        "exact_votes": forest.exact_votes,
        "tie": 0.0 if vote == "votes" else TIE,
        "divide_missing": forest.divide_missing,
    }


def _sums_as_columns(
    trees: tuple[Tree, ...], n_columns: int
) -> tuple[tuple[Tree, ...], NDArray[np.float64]]:
    """Return trees whose oblique tests are thresholds on additional columns, and these columns."""
    sums = [np.empty((0, n_columns))]
    n_all = n_columns + sum(int((tree.feature == OBLIQUE).sum()) for tree in trees)
    made, first = [], n_columns
    for tree in trees:
        is_sum = tree.feature == OBLIQUE
        feature = np.where(is_sum, first + np.cumsum(is_sum) - 1, tree.feature).astype(np.int32)
        first += int(is_sum.sum())
        sums.append(tree.tests.normals[is_sum] if is_sum.any() else sums[0])
        made.append(replace(tree, n_features=n_all, feature=feature, normals=None))
    return tuple(made), np.concatenate(sums)


def _for_doubles(tree: Tree) -> Tree:
    """Return a tree that sends doubles where `tree` sends them after rounding to float32."""
    tested = tree.feature >= 0
    threshold = tree.threshold.copy()
    threshold[tested] = [last_double_below(each) for each in threshold[tested].tolist()]
    return replace(tree, threshold=threshold)


def last_double_below(threshold: float) -> float:
    """Return the largest double that, rounded to float32, is at most `threshold`."""
    with np.errstate(over="ignore"):
        below = np.float32(threshold)
        if float(below) > threshold:
            below = np.nextafter(below, np.float32(-np.inf))
        above = np.nextafter(below, np.float32(np.inf))
        # Beyond the largest float32 the next power of two takes the place of the next number.
        step = 2.0**104 if np.isinf(above) else float(above) - float(below)
        middle = float(below) + step / 2
        is_below = float(np.float32(middle)) <= threshold
    return middle if is_below else float(np.nextafter(middle, -np.inf))


_MOST_NODES = 100_000

# The last level of a run of levels, the child that it goes to, and its share of that child's rows.
Runs = list[tuple[int, int, float]]


@dataclass
class BinaryTree:
    """Nodes depth first; the left branch is taken if the column is at most the threshold."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    # Whether a row without a value goes left: to where the heaviest branch is.
    missing_left: list[bool] = field(default_factory=list)
    # Node of the tree that a node stands for, of which there may be several copies; -1 of a test
    # between the branches of one.
    source: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)  # Training rows, or their weights

    def add(self, weight: float = 0.0) -> int:
        """Add a leaf and return its number."""
        if len(self.left) == _MOST_NODES:
            raise ValueError(
                f"The tree would need more than {_MOST_NODES:,} nodes, since each run of "
                "neighbouring levels gets its own copy of the subtree below a test for a subset "
                "of levels. Fit with max_depth, prune the tree, or fit CodedCartClassifier, which "
                "tests numbers."
            )
        new = (-1, -1, -1, np.nan, False, -1, weight)
        for values, value in zip(vars(self).values(), new, strict=True):
            values.append(value)
        return len(self.left) - 1


def binary_tree(model: Model, number: int) -> BinaryTree:
    """Return a tree of a model in which tests of levels are thresholds between level numbers.

    A test of levels becomes tests between neighbouring levels. If it tests for a subset, each run
    of levels gets its own copy of the subtree below.
    """
    tree = model.trees[number]
    of_features = [0 if levels is None else len(levels) for levels in model.levels]
    n_levels = [of_features[j] if level is None else 0 for j, level in model.columns]
    made = BinaryTree()
    # A node to fill, the runs of levels that go there, the test above them, and the part of the
    # rows of each child that go there.
    pending: list[tuple[int, Runs, int, float]] = [(made.add(), [(0, 0, 1.0)], 0, 1.0)]
    while pending:
        place, runs, parent, part = pending.pop()
        if len(runs) == 1:
            _, node, share = runs[0]
            parent, part = node, part * share
            made.source[place], made.weight[place] = node, part * float(tree.weight[node])
            runs = _runs(tree, node, n_levels)
            if not runs:
                continue
            if len(runs) == 1:
                pending.append((place, runs, parent, part))
                continue
        pending += _split(made, place, runs, tree, parent, part)
    return made


def _split(
    made: BinaryTree, place: int, runs: Runs, tree: Tree, parent: int, part: float
) -> list[tuple[int, Runs, int, float]]:
    """Make `place` a test, between two runs, of the column that `parent` tests."""
    sides, at_most = (runs[: len(runs) // 2], runs[len(runs) // 2 :]), float(tree.threshold[parent])
    made.column[place] = int(tree.feature[parent])
    made.threshold[place] = sides[0][-1][0] + 0.5 if np.isnan(at_most) else at_most
    heaviest = _heaviest(tree, parent)
    made.missing_left[place] = any(child == heaviest for _, child, _ in sides[0])
    numbers = []
    for side in sides:
        weights = [share * float(tree.weight[child]) for _, child, share in side]
        weight = part * running_sum(weights)
        numbers.append(made.add(weight))
    made.left[place], made.right[place] = numbers
    return [(n, side, parent, part) for n, side in zip(numbers, sides, strict=True)]


def _runs(tree: Tree, node: int, n_levels: Sequence[int]) -> Runs:
    """Return the runs of neighbouring levels that take the same branch; none at a leaf."""
    if tree.feature[node] == LEAF:
        return []
    column, subset = int(tree.feature[node]), int(tree.tests.subset[node])
    if tree.missing_branch is not None and tree.missing_branch[node]:
        raise ValueError(
            "Programs that read this format have no third branch for missing values: use to_json."
        )
    children = tree.children_of(node).tolist()
    if subset < 0:
        return [(k, child, 1.0) for k, child in enumerate(children)]
    left = set(tree.tests.left_levels.levels(subset))
    sides = [children[level not in left] for level in range(n_levels[column])]
    ends = [k for k in range(len(sides)) if sides[k + 1 : k + 2] != [sides[k]]]
    copies = [sides[k] for k in ends]
    runs = [(k, sides[k], 1.0 / copies.count(sides[k])) for k in ends]
    heaviest = _heaviest(tree, node)
    # Of a branch that no level takes, missing values may still take it.
    return runs if heaviest in copies else [(-1, heaviest, 1.0), *runs]


def _heaviest(tree: Tree, node: int) -> int:
    """Return the heaviest child, where missing values go."""
    children = tree.children_of(node)
    return int(children[tree.weight[children].argmax()])
