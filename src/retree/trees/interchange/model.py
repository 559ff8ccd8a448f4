"""What a fitted estimator predicts by, whatever its family: the one source of all exports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from retree.trees.rows import input_names
from retree.trees.tree import Levels, Tree


@dataclass(frozen=True, eq=False)
class Model:
    """Trees, and how their predictions are put together."""

    trees: tuple[Tree, ...]
    # By which the predictions of the trees are weighted; None of a single tree; shape (n_trees,).
    weights: NDArray[np.float64] | None
    votes: bool  # Whether each tree adds 1 for its majority class in place of its class shares
    # Whether a row without a tested value is divided over all branches, or takes the heaviest.
    divide_missing: bool
    # Of each column that the trees test, the input feature and None; or the feature and the level
    # for which the column is 1, 0 for all others and for a missing one.
    columns: list[tuple[int, int | None]]
    feature_names: list[str]
    levels: list[Levels | None]  # Levels of each categorical input feature, None for a numeric one
    # Class labels in the order of the columns of counts; None of a regression; shape (n_classes,).
    classes: NDArray[Any] | None


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
    model = Model(
        *_trees_of(estimator),
        columns=estimator._columns(),
        feature_names=input_names(estimator),
        levels=getattr(estimator, "categories_", None) or [None] * estimator.n_features_in_,
        classes=getattr(estimator, "class_order_", None),
    )
    if getattr(estimator, "single_precision_", False):
        model = replace(model, trees=tuple(map(_for_doubles, model.trees)))
    return model


def _trees_of(estimator: Any) -> tuple[tuple[Tree, ...], NDArray[np.float64] | None, bool, bool]:
    """Return the first fields of a model."""
    if hasattr(estimator, "tree_"):
        return (estimator.tree_,), None, False, estimator._divides_missing
    forest, vote = estimator.forest_, estimator._decision()
    weights = forest.vote_weight
    if vote == "shares" or (vote == "votes" and not weights.any()):
        weights = np.ones(len(forest.trees))
    votes = vote == "votes" and len(forest.trees) > 1
    return forest.trees, weights, votes, forest.divide_missing


def _for_doubles(tree: Tree) -> Tree:
    """Return a tree that does with doubles what `tree` does with them rounded to float32."""
    tested = tree.feature >= 0
    threshold = tree.threshold.copy()
    threshold[tested] = [last_double_below(each) for each in threshold[tested].tolist()]
    return replace(tree, threshold=threshold)


def last_double_below(threshold: float) -> float:
    """Return the largest double that is at most `threshold` once it is rounded to float32."""
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
