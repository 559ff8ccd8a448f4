"""Pruning by errors: error-based, as C4.5 does it, pessimistic, and on rows held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from retree import engine
from retree.trees.mixed import Sample
from retree.trees.tree import Tree, majority_class
from retree.trees.validation import check_choice, check_confidence, check_weight, check_weights

TIE = 1e-10  # sums that differ by less than this part of the root's are equal but for rounding


def is_regression(sample: Sample) -> bool:
    """Return whether the targets of `sample` are numbers instead of class codes."""
    return bool(np.issubdtype(sample.y.dtype, np.floating))


def training_errors(tree: Tree) -> NDArray[np.float64]:
    """Return the weight of the rows of each node that are not of its majority class.

    Shapes: result (node_count,).
    """
    errors: NDArray[np.float64] = tree.weight - tree.counts.max(axis=1)
    return errors


def node_predictions(tree: Tree) -> NDArray[np.float64]:
    """Return the prediction of each node as a leaf.

    Returns the class code, the first where shares tie, as `predict` has it; or the mean.
    """
    value = tree.value
    if tree.moments is not None:
        return value[:, 0]
    return majority_class(value).astype(np.float64)


def held_out_losses(
    tree: Tree, sample: Sample, divide_missing: bool = False
) -> NDArray[np.float64]:
    """Return what each node would lose as a leaf on the rows of `sample` that pass it.

    `divide_missing`: whether a row without the tested value takes all branches, with parts of its
    weight, and each part is judged where it ends (C4.5); if not, it takes the heaviest branch.
    Returns sums of the weighted losses and of the weighted squares of the losses: errors (0 or 1),
    or squared errors of a regression tree.
    """
    losses = np.empty((tree.node_count, 2))
    engine.call(
        "node_losses",
        np.ascontiguousarray(sample.X),
        sample.y.astype(np.float64),
        sample.weight,
        tree.views,
        tree.weight,
        node_predictions(tree),
        tree.moments is not None,
        divide_missing,
        losses,
    )
    return losses


def prune_reduced_error(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int32] | NDArray[np.float64],
    sample_weight: NDArray[np.float64] | None = None,
    *,
    divide_missing: bool = False,
) -> Tree:
    """Return the smallest subtree of lowest error on rows the tree was not grown on.

    From the leaves up, a node becomes a leaf if it makes no more errors on the pruning rows than
    the subtree that is left below it. What a leaf predicts, and the counts of the returned tree,
    come from the training rows alone. In a regression, squared errors stand for errors.

    Shapes: `X` (n_samples, n_features), `y` (n_samples,), `sample_weight` (n_samples,).
    `X`: the pruning rows: numbers, or level codes; NaN where missing.
    `divide_missing`: whether a row without the tested value takes all branches, with parts of its
    weight, and each part is judged where it ends (C4.5); if not, it takes the heaviest branch.

    References
    ----------
    Quinlan J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies
    27, 221-234.
    """
    check_consistent_length(X, y)
    if len(y) == 0:
        raise ValueError("Reduced-error pruning needs at least one row to prune with.")
    sample = Sample(X, y, check_weights(sample_weight, len(y)))
    as_leaf = held_out_losses(tree, sample, divide_missing)[:, 0]
    below = np.where(tree.is_leaf, as_leaf, 0.0)
    is_cut = np.zeros(tree.node_count, np.bool_)
    for node in range(tree.node_count - 1, -1, -1):
        is_cut[node] = as_leaf[node] <= below[node] + TIE * as_leaf[0]
        if node > 0:
            below[tree.parents[node]] += min(as_leaf[node], below[node])
    return tree.cut(is_cut)


ORDERS = ("top_down", "bottom_up")


def prune_pessimistic(tree: Tree, z: float = 1.0, order: str = "top_down") -> Tree:
    """Return the tree with a leaf in place of each subtree that is not clearly better.

    Node t becomes a leaf if n'(t) <= n'(T_t) + z * SE, where n'(t) = e(t) + 1/2 are its training
    errors e(t) corrected for continuity, n'(T_t) the sum of that over the leaves below it, and
    SE = sqrt(n'(T_t) (n(t) - n'(T_t)) / n(t)) with its training weight n(t); SE = 0 where n'(T_t)
    is more than n(t). A leaf that no training row reaches adds its 1/2 too.

    `order`: whether T_t is the subtree as it was grown, so that nodes below a pruned one do not
    matter (Quinlan), or the subtree that is left when the nodes below t have been pruned.

    References
    ----------
    Quinlan J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies
    27, 221-234.
    """
    z = check_weight("z", z)
    check_choice("order", order, ORDERS)
    if tree.moments is not None:
        raise ValueError("Pessimistic pruning counts errors, so it needs a classification tree.")
    weight, parents, is_leaf = tree.weight, tree.parents, tree.is_leaf
    as_leaf = training_errors(tree) + 0.5
    below = np.where(is_leaf, as_leaf, 0.0)
    is_cut = np.zeros(tree.node_count, np.bool_)
    for node in range(tree.node_count - 1, -1, -1):
        if not is_leaf[node]:
            spread = z * _standard_error(below[node], weight[node])
            is_cut[node] = as_leaf[node] <= below[node] + spread + TIE * weight[0]
            if is_cut[node] and order == "bottom_up":
                below[node] = as_leaf[node]
        if node > 0:
            below[parents[node]] += below[node]
    return tree.cut(is_cut)


def _standard_error(errors: float, weight: float) -> float:
    """Return the standard error of a binomial number of errors, 0 if there are too many."""
    return float(np.sqrt(errors * (weight - errors) / weight)) if errors < weight else 0.0


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
