"""Error-based pruning (Quinlan 1993, chapter 4) of any classification tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.tree import Tree
from retree.trees.validation import check_confidence


def collapse(tree: Tree) -> Tree:
    """Return the tree with a leaf in place of each subtree with as many errors in training."""
    is_cut = np.empty(tree.node_count, np.bool_)
    engine.call("collapsible", tree.views, tree.counts, is_cut)
    return tree.cut(is_cut) if (is_cut & ~tree.is_leaf).any() else tree


def estimated_errors(counts: NDArray[np.float64], confidence: float = 0.25) -> NDArray[np.float64]:
    """Return the errors that C4.5 expects of leaves: the upper confidence limit of those they make.

    The limit is that of a binomial share, by the normal approximation with continuity correction;
    exact for no error, and linear between none and one.

    Shapes: `counts` (n_leaves, n_classes), result (n_leaves,).
    """
    errors = np.empty(len(counts))
    engine.call("estimated_errors", counts, confidence, errors)
    return errors


def prune_error_based(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    sample_weight: NDArray[np.float64],
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
    sorted_by: NDArray[np.int32] | None = None,
    collapses: bool = False,
) -> Tree:
    """Return the tree pruned by the upper confidence limits of its training errors.

    From the leaves up, a node becomes a leaf, or else gives its place to its largest branch, if
    that is estimated to make no more errors than its subtree (0.1 more are allowed, as in J48).

    Shapes: `X` (n_samples, n_features), `y` (n_samples,), `sample_weight` (n_samples,).
    `X`: the training rows, NaN where missing; raising sends them down other branches.
    `sorted_by`: features that J48 sorts the rows of a node by before it divides them, in their
    order: the numeric ones of a tree of C4.5. Sums over parts of rows without a value follow that
    order; without such parts it does not matter.
    `collapses`: whether to `collapse` the tree before, as J48 does.
    """
    check_confidence("confidence", confidence)
    left = engine.call(
        "prune_error_based",
        np.ascontiguousarray(X),
        y,
        sample_weight,
        tree.views,
        np.ascontiguousarray(tree.counts),
        np.empty((0, 2)) if tree.row_sums is None else tree.row_sums,
        np.empty(0, np.int32) if sorted_by is None or tree.row_sums is None else sorted_by,
        confidence,
        subtree_raising,
        collapses,
    )
    return _compact(tree, *left)


def _compact(
    tree: Tree,
    kept: NDArray[np.int32],
    test: NDArray[np.int32],
    counts: NDArray[np.float64],
    row_sums: NDArray[np.float64],
) -> Tree:
    """Return the nodes that pruning has left of `tree`, numbered depth first.

    Shapes: `kept` (n_kept,), `test` (n_kept,), `counts` (n_kept, n_classes), `row_sums` (n_kept,
    2).
    `test`: the node whose test and children each has, itself unless a branch was raised; -1 of a
    leaf.
    `row_sums`: the field of that name, if `tree` has it.
    """
    is_leaf = test < 0
    # Of the node whose children it has now, which may have been below the one that it was.
    new_number = np.full(tree.node_count, -1, np.int32)
    new_number[test[~is_leaf]] = np.flatnonzero(~is_leaf)
    parents = np.where(kept > 0, new_number[tree.parents[kept]], -1)
    return Tree.from_parents(
        parents,
        **tree.tests_of(np.where(is_leaf, kept, test), is_leaf),
        counts=counts,
        row_sums=None if tree.row_sums is None else row_sums,
    )
