"""Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3) of any tree."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
from retree.trees.pruning.by_errors import TIE, training_errors
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

_CLASS_RISKS = ("errors", "gini", "entropy")
_REGRESSION_RISKS = ("squared_error",)

_ROUNDING = 1e-12  # an alpha that is less than this part below a link's is the link's

# -alpha, rise of the risk and fall of the number of leaves when the link is cut.
_Link = tuple[float, float, int]


@dataclass(frozen=True, eq=False)
class CostComplexityPath:
    """The nested subtrees that minimise R + alpha * (number of leaves), from alpha 0 up."""

    # The alpha from which on each subtree is the smallest minimiser, ascending from 0; shape
    # (n_subtrees,).
    alphas: NDArray[np.float64]
    # R of each subtree, a share of the training weight (or a mean over it); shape (n_subtrees,).
    risks: NDArray[np.float64]
    n_leaves: NDArray[np.int64]  # Leaves of each subtree; shape (n_subtrees,)
    # The alpha from which on nothing is below each node, because it or a node above it is a leaf (0
    # for the leaves of the tree): ``tree.cut(path.node_alphas <= alpha)`` is the subtree; shape
    # (node_count,).
    node_alphas: NDArray[np.float64]


def cost_complexity_path(tree: Tree, risk: str | None = None) -> CostComplexityPath:
    """Return the subtrees that weakest-link pruning leaves.

    The links t with the lowest g(t) = (R(t) - R(T_t)) / (n_leaves(T_t) - 1) become leaves, all at
    once where they tie, until the root is one; leaves that no training row reaches count too. The
    first subtree, of alpha 0, lacks every link that is of no use in training.

    scikit-learn's path of impurities differs in one thing: it takes one link a step, so equal
    alphas appear several times, and 0 twice where a link has g = 0.

    `risk`: r of a leaf, by its share of the training weight: the share of rows outside the majority
    class, an impurity as in scikit-learn, or the variance of a regression tree. None is "errors",
    or "squared_error" for a regression tree.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth. Section 3.3.
    """
    total = tree.weight[0]
    risks = _node_risks(tree, risk)
    varies = tree.moments is not None and tree.moments[0, 1] > 0
    if not np.isfinite(risks).all() or (varies and risks[0] == 0):
        raise ValueError(
            f"The variance of the target is no double: divide y by 2.0**{tree.target_exponent}."
        )
    links = _link_alphas(tree, risks.tolist())
    node_alphas = _merge_tied(_least_on_path(tree, links), TIE * risks[0]) / total
    alphas = np.unique(node_alphas)
    values = np.column_stack([risks / total, np.ones(tree.node_count)])
    sums = sums_over_leaves(tree, node_alphas, alphas, values)
    return CostComplexityPath(alphas, sums[:, 0], np.rint(sums[:, 1]).astype(np.int64), node_alphas)


def prune_cost_complexity(tree: Tree, alpha: float, risk: str | None = None) -> Tree:
    """Return the smallest subtree that minimises R + alpha * (number of leaves).

    `alpha`: price of a leaf, on the scale of R, which is a share (or a mean) and not a sum.
    """
    alpha = check_weight("alpha", alpha)
    path = cost_complexity_path(tree, risk)
    return tree.cut(path.node_alphas <= alpha * (1 + _ROUNDING))


def checked_risk(risk: str | None, regression: bool) -> str:
    """Return the name of the risk; None is the default of the kind of tree."""
    valid = _REGRESSION_RISKS if regression else _CLASS_RISKS
    if risk is None:
        return valid[0]
    check_choice(f"risk of a {'regression' if regression else 'classification'} tree", risk, valid)
    return risk


def sums_over_leaves(
    tree: Tree,
    node_alphas: NDArray[np.float64],
    alphas: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sums of `values` over the leaves of the subtrees at `alphas`.

    Shapes: `node_alphas` (node_count,), `alphas` (n_alphas,), `values` (node_count, n_columns),
    result (n_alphas, n_columns).
    `node_alphas`: those of the tree's `CostComplexityPath`.
    """
    # A node is a leaf from its own alpha on until its parent is one.
    first = np.searchsorted(alphas * (1 + _ROUNDING), node_alphas)
    end = np.where(tree.parents < 0, len(alphas), first[tree.parents])
    shows = first < end
    changes = np.zeros((len(alphas) + 1, values.shape[1]))
    np.add.at(changes, first[shows], values[shows])
    np.subtract.at(changes, end[shows], values[shows])
    return changes.cumsum(axis=0)[:-1]


def _node_risks(tree: Tree, risk: str | None) -> NDArray[np.float64]:
    """Return R of each node as a leaf, times the training weight: whole where weights are."""
    risk = checked_risk(risk, tree.moments is not None)
    if tree.moments is not None:
        return np.where(tree.weight > 0, tree.weight * tree.variance, 0.0)
    if risk == "errors":
        return training_errors(tree)
    if risk == "gini":
        return tree.weight * (1 - row_sums(np.square(tree.value)))
    return tree.weight * entropies(tree.value)


def _link_alphas(tree: Tree, risks: list[float]) -> list[float]:
    """Return the alpha at which each node becomes a leaf if no node above it does; 0 for leaves.

    Read from great alphas to small ones, the subtree below a node starts as its children, all
    leaves, and gains the links below it one by one. It is worth its leaves only below the alpha
    that is found; links of greater alphas never show and are forgotten, so each is looked at once.
    """
    alphas = [0.0] * tree.node_count
    links: list[list[_Link]] = [[] for _ in risks]
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        children = tree.children_of(node).tolist()
        risk_below, n_leaves = sum(risks[c] for c in children), len(children)
        heap = _merged([links[c] for c in children])
        while True:
            alpha = (risks[node] - risk_below) / (n_leaves - 1)
            if not heap or alpha >= -heap[0][0]:
                break
            _, rise, fall = heapq.heappop(heap)
            risk_below -= rise
            n_leaves += fall
        alphas[node] = max(alpha, 0.0)
        heapq.heappush(heap, (-alphas[node], risks[node] - risk_below, n_leaves - 1))
        links[node] = heap
    return alphas


def _merged(heaps: list[list[_Link]]) -> list[_Link]:
    """Return all links in the largest of the heaps, which keeps a chain of nodes cheap."""
    largest = max(heaps, key=len)
    for heap in heaps:
        if heap is not largest:
            for link in heap:
                heapq.heappush(largest, link)
    return largest


def _least_on_path(tree: Tree, alphas: list[float]) -> NDArray[np.float64]:
    """Return the lowest alpha of each node and the nodes above it."""
    parents = tree.parents.tolist()
    for node in range(1, tree.node_count):
        alphas[node] = min(alphas[node], alphas[parents[node]])
    return np.array(alphas)


def _merge_tied(values: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Return `values` with the least of those that follow each other within `slack`."""
    distinct, place = np.unique(values, return_inverse=True)
    is_first = np.diff(distinct, prepend=-np.inf) > slack
    merged: NDArray[np.float64] = distinct[is_first][np.cumsum(is_first) - 1][place]
    return merged
