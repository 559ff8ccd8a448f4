"""Pruning by errors: C4.5's error-based, pessimistic, and reduced-error pruning."""

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
    """Return the weight of the rows in each node that are not of its majority class.

    Shapes: result (node_count,).
    """
    errors: NDArray[np.float64] = tree.weight - tree.counts.max(axis=1)
    return errors


def node_predictions(tree: Tree) -> NDArray[np.float64]:
    """Return the prediction that each node would make as a leaf.

    Returns the class code, the first one where shares tie, as in `predict`; or the mean.
    """
    value = tree.value
    if tree.moments is not None:
        return value[:, 0]
    return majority_class(value).astype(np.float64)


def held_out_losses(
    tree: Tree, sample: Sample, divide_missing: bool = False
) -> NDArray[np.float64]:
    """Return the loss of each node as a leaf, on the rows of `sample` that reach it.

    `divide_missing`: whether a row without the tested value takes all branches with parts of its
    weight, and each part is judged where it ends (C4.5); otherwise it takes the heaviest branch.
    Returns the sums of weighted losses and of weighted squared losses. A loss is an error (0 or 1),
    or the squared error of a regression tree.
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
    """Return the smallest subtree with the lowest error on rows that the tree was not grown on.

    From the leaves up, a node becomes a leaf if as a leaf it makes no more errors on the pruning
    rows than the subtree that is left below it. Predictions of leaves and counts of the returned
    tree come from the training rows alone. A regression uses squared errors.

    Shapes: `X` (n_samples, n_features), `y` (n_samples,), `sample_weight` (n_samples,).
    `X`: the pruning rows: numbers or level codes; NaN where a value is missing.
    `divide_missing`: whether a row without the tested value takes all branches with parts of its
    weight, and each part is judged where it ends (C4.5); otherwise it takes the heaviest branch.

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
    """Return the tree with subtrees replaced by leaves unless they are clearly better.

    Node t becomes a leaf if n'(t) <= n'(T_t) + z * SE. Here n'(t) = e(t) + 1/2 is the number of its
    training errors e(t), corrected for continuity; n'(T_t) is the sum of these over the leaves
    below t; and SE = sqrt(n'(T_t) (n(t) - n'(T_t)) / n(t)) is the standard error, with the training
    weight n(t) of the node, or 0 if n'(T_t) is greater than n(t). Leaves that no training row
    reaches add 1/2, too.

    `order`: "top_down": T_t is the subtree as it was grown (Quinlan). "bottom_up": T_t is the
    subtree that is left after the nodes below t have been pruned.

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
    """Return the standard error of a binomial number of errors, 0 if there are more than rows."""
    return float(np.sqrt(errors * (weight - errors) / weight)) if errors < weight else 0.0


def collapse(tree: Tree) -> Tree:
    """Return the tree with leaves in place of subtrees that make as many training errors."""
    is_cut = np.empty(tree.node_count, np.bool_)
    engine.call("collapsible", tree.views, tree.counts, is_cut)
    return tree.cut(is_cut) if (is_cut & ~tree.is_leaf).any() else tree


def estimated_errors(counts: NDArray[np.float64], confidence: float = 0.25) -> NDArray[np.float64]:
    """Return the errors that C4.5 expects of leaves: upper confidence limits of training errors.

    The limit is that of a binomial share, using the normal approximation with continuity
    correction. It is exact for no error, and interpolated linearly between no error and one.

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

    From the leaves up, a node becomes a leaf, or is replaced by its largest branch, if that has no
    more estimated errors than its subtree (0.1 more are allowed, as in J48).

    Shapes: `X` (n_samples, n_features), `y` (n_samples,), `sample_weight` (n_samples,).
    `X`: the training rows, NaN where a value is missing; raising a branch sends rows down it again.
    `sorted_by`: features by which J48 sorts the rows of a node, one after another, before it
    divides them: the numeric features of a C4.5 tree. Sums over parts of rows that lack a value
    follow that order; without such parts it has no effect.
    `collapses`: whether to `collapse` the tree first, as J48 does.
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
    """Return the tree of the nodes that pruning has kept, numbered depth first.

    Shapes: `kept` (n_kept,), `test` (n_kept,), `counts` (n_kept, n_classes), `row_sums` (n_kept,
    2).
    `test`: for each kept node, the node whose test and children it has: itself unless a branch was
    raised; -1 for a leaf.
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
