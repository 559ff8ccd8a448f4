"""Error-based pruning (Quinlan 1993, chapter 4) of any classification tree."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils import check_scalar

from retree.trees.kernels import c45_prune
from retree.trees.tree import LEAF, Tree, keep_used_centres, keep_used_subsets


def collapse(tree: Tree) -> Tree:
    """Return the tree with a leaf in place of each subtree that errs no less in training.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Tree
    """
    return tree.cut(c45_prune.collapsible(_draft(tree)))


def prune_error_based(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    sample_weight: NDArray[np.float64],
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
) -> Tree:
    """Return the tree pruned by the upper confidence limits of its training errors.

    From the leaves up, a node becomes a leaf, or else gives its place to its largest branch, if
    that is estimated to make no more errors than its subtree (0.1 more are allowed, as in J48).

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
        The training rows, NaN where missing; raising sends them down other branches.
    y : ndarray of shape (n_samples,)
        Class codes.
    sample_weight : ndarray of shape (n_samples,)
    confidence : float, default=0.25
        In (0, 0.5]; a smaller one prunes more.
    subtree_raising : bool, default=True
        Whether a branch may be raised.

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        If `confidence` is not in (0, 0.5].
    """
    check_scalar(confidence, "confidence", Real, min_val=0, max_val=0.5, include_boundaries="right")
    draft = _draft(tree)
    z = ndtri(1 - confidence)
    c45_prune.prune(draft, X, y, sample_weight, float(confidence), z, bool(subtree_raising))
    return _compact(draft, tree.n_features)


def _draft(tree: Tree) -> c45_prune.Draft:
    """Return a copy of `tree` that pruning may change."""
    tests = tree.tests
    return c45_prune.Draft(
        first=tree.children_ptr[:-1].copy(),
        n_children=np.diff(tree.children_ptr).astype(np.int32),
        children=tree.children,
        feature=tree.feature.copy(),
        threshold=tree.threshold.copy(),
        subset=tests.subset.copy(),
        left_levels=tests.left_levels,
        normals=tests.normals.copy(),
        centres=tests.centres._replace(
            weight=tests.centres.weight.copy(),
            gamma=tests.centres.gamma.copy(),
            metric=tests.centres.metric.copy(),
            first=tests.centres.first.copy(),
            n_centres=tests.centres.n_centres.copy(),
        ),
        counts=tree.counts.copy(),
    )


def _compact(draft: c45_prune.Draft, n_features: int) -> Tree:
    """Return the nodes of `draft` that pruning has left, numbered depth first."""
    kept = c45_prune.reachable(draft)
    n_children = draft.n_children[kept]
    new_number = np.empty(len(draft.first), np.int32)
    new_number[kept] = np.arange(len(kept))
    children_ptr = np.append(0, np.cumsum(n_children)).astype(np.int32)
    edges = np.arange(children_ptr[-1]) + np.repeat(
        draft.first[kept] - children_ptr[:-1], n_children
    )
    is_leaf = n_children == 0
    has_normals, has_centres = len(draft.normals) > 0, len(draft.centres.gamma) > 0
    return Tree(
        n_features=n_features,
        children_ptr=children_ptr,
        children=new_number[draft.children[edges]],
        feature=np.where(is_leaf, LEAF, draft.feature[kept]).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, draft.threshold[kept]),
        counts=draft.counts[kept],
        **keep_used_subsets(np.where(is_leaf, -1, draft.subset[kept]), draft.left_levels),
        normals=np.where(is_leaf[:, None], 0.0, draft.normals[kept]) if has_normals else None,
        centres=keep_used_centres(draft.centres, kept, is_leaf) if has_centres else None,
    )
