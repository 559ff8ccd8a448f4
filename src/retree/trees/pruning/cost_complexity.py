"""Minimal cost-complexity pruning (Breiman et al. 1984, chapter 3) of any tree.

Its alpha is chosen by stratified cross-validation or on held-out rows.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state, check_scalar

from retree.arithmetic import entropies, row_sums, sum_of
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import TIE, held_out_losses, is_regression, training_errors
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

_CLASS_RISKS = ("errors", "gini", "entropy")
_REGRESSION_RISKS = ("squared_error",)

_ROUNDING = 1e-12  # an alpha that is less than this part below a link's is the link's

# -alpha, rise of the risk and fall of the number of leaves when the link is cut.
_Link = tuple[float, float, int]


@dataclass(frozen=True, eq=False)
class CostComplexityPath:
    """The nested subtrees that minimise R + alpha * (number of leaves), for all alpha from 0 up."""

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
    """Return the subtrees of weakest-link pruning.

    R(t) is the risk of node t as a leaf and R(T_t) that of the subtree below it. In each step the
    nodes t with the lowest g(t) = (R(t) - R(T_t)) / (n_leaves(T_t) - 1) become leaves, all tied
    nodes at once, until the root is a leaf. Leaves that no training row reaches count too. The
    first subtree, with alpha 0, is the tree without splits that do not lower the training risk.

    scikit-learn's path of impurities differs in one respect: it cuts one node per step, so equal
    alphas appear several times, and 0 twice if a node has g = 0.

    `risk`: the risk of a leaf, which its share of the training weight multiplies: "errors", the
    share of rows outside the majority class; an impurity, as in scikit-learn; or "squared_error",
    the variance in a regression tree. None means "errors", or "squared_error" for a regression
    tree.

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
            f"The variance of the target overflows: divide y by 2.0**{tree.target_exponent}."
        )
    links = _link_alphas(tree, risks.tolist())
    node_alphas = _merge_tied(_least_on_path(tree, links), TIE * risks[0]) / total
    alphas = np.unique(node_alphas)
    values = np.column_stack([risks / total, np.ones(tree.node_count)])
    sums = sums_over_leaves(tree, node_alphas, alphas, values)
    return CostComplexityPath(alphas, sums[:, 0], np.rint(sums[:, 1]).astype(np.int64), node_alphas)


def prune_cost_complexity(tree: Tree, alpha: float, risk: str | None = None) -> Tree:
    """Return the smallest subtree that minimises R + alpha * (number of leaves).

    `alpha`: the price of a leaf, on the scale of R, which is a share (or a mean), not a sum.
    """
    alpha = check_weight("alpha", alpha)
    path = cost_complexity_path(tree, risk)
    return tree.cut(path.node_alphas <= alpha * (1 + _ROUNDING))


def checked_risk(risk: str | None, regression: bool) -> str:
    """Return the name of the risk; None means the default for this kind of tree."""
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
    """Return the sums of `values` over the leaves of the subtree at each of `alphas`.

    Shapes: `node_alphas` (node_count,), `alphas` (n_alphas,), `values` (node_count, n_columns),
    result (n_alphas, n_columns).
    `node_alphas`: the ones in the tree's `CostComplexityPath`.
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
    """Return R of each node as a leaf, times the training weight (whole if the weights are)."""
    risk = checked_risk(risk, tree.moments is not None)
    if tree.moments is not None:
        return np.where(tree.weight > 0, tree.weight * tree.variance, 0.0)
    if risk == "errors":
        return training_errors(tree)
    if risk == "gini":
        return tree.weight * (1 - row_sums(np.square(tree.value)))
    return tree.weight * entropies(tree.value)


def _link_alphas(tree: Tree, risks: list[float]) -> list[float]:
    """Return the alpha at which each node becomes a leaf, if no node above it does; 0 for leaves.

    As alpha falls, the subtree below a node starts as its children, all of them leaves, and gains
    the splits below it one by one. It is worth its leaves only below the alpha that is found.
    Splits with greater alphas have no effect and are dropped, so each split is looked at once.
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
    """Return all links merged into the largest heap, which keeps long chains of nodes cheap."""
    largest = max(heaps, key=len)
    for heap in heaps:
        if heap is not largest:
            for link in heap:
                heapq.heappush(largest, link)
    return largest


def _least_on_path(tree: Tree, alphas: list[float]) -> NDArray[np.float64]:
    """Return, for each node, the lowest alpha among it and the nodes above it."""
    parents = tree.parents.tolist()
    for node in range(1, tree.node_count):
        alphas[node] = min(alphas[node], alphas[parents[node]])
    return np.array(alphas)


def _merge_tied(values: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Return `values` with each run of neighbours within `slack` replaced by its minimum."""
    distinct, place = np.unique(values, return_inverse=True)
    is_first = np.diff(distinct, prepend=-np.inf) > slack
    merged: NDArray[np.float64] = distinct[is_first][np.cumsum(is_first) - 1][place]
    return merged


def deal_folds(sample: Sample, n_folds: int, rng: RandomState) -> NDArray[np.int64]:
    """Return the fold of each row: rows are shuffled within classes and dealt out in turn.

    So the sizes of folds, and the numbers of rows of a class in them, differ by at most one. A
    class with fewer rows than folds is missing from some folds.

    Shapes: result (n_samples,).
    `sample`: its classes are the strata; the rows of a regression are a single stratum.
    """
    fold = np.empty(len(sample.y), np.int64)
    fold[_by_stratum(sample, rng)] = np.arange(len(fold)) % n_folds
    return fold


def hold_out(sample: Sample, fraction: float, rng: RandomState) -> NDArray[np.bool_]:
    """Return a mask of about `fraction` of the rows, stratified by class.

    Shapes: result (n_samples,).
    `fraction`: in (0, 1). At least one row is held out and at least one is not.
    """
    n_rows = len(sample.y)
    if n_rows < 2:
        raise ValueError(
            f"n_samples={n_rows} is too few to hold out rows for pruning: pass more rows."
        )
    n_held = min(max(round(fraction * n_rows), 1), n_rows - 1)
    places = (np.arange(n_held) + 0.5) * (n_rows / n_held)
    mask = np.zeros(n_rows, np.bool_)
    mask[_by_stratum(sample, rng)[places.astype(np.int64)]] = True
    return mask


def _by_stratum(sample: Sample, rng: RandomState) -> NDArray[np.int64]:
    """Return the row numbers, sorted by class and shuffled within each class."""
    rows: NDArray[np.int64] = rng.permutation(len(sample.y))
    if is_regression(sample):
        return rows
    return rows[np.argsort(sample.y[rows], kind="stable")]


Grow = Callable[[Sample], Tree]


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """The subtree of a path that was chosen on rows that its tree was not grown on."""

    path: CostComplexityPath  # The subtrees to choose from
    chosen: int  # The position of the chosen one
    # Estimated error rates (mean squared errors of a regression), weighted; shape (n_subtrees,).
    errors: NDArray[np.float64]
    standard_errors: NDArray[np.float64]  # Standard errors of these estimates; shape (n_subtrees,)

    @property
    def alpha(self) -> float:
        """The lowest alpha that gives the chosen subtree."""
        return float(self.path.alphas[self.chosen])


def choose_alpha(
    grow: Grow,
    sample: Sample,
    *,
    tree: Tree | None = None,
    risk: str | None = None,
    standard_errors: float = 0.0,
    folds: int = 10,
    divide_missing: bool = False,
    random_state: int | RandomState | None = None,
) -> AlphaChoice:
    """Choose the alpha of cost-complexity pruning by cross-validation.

    Subtree k of the tree of all rows is judged at sqrt(alpha[k] * alpha[k + 1]), and the last one,
    which is the root, at infinity. For each fold a tree is grown on the other folds, pruned at
    these alphas, and tested on the fold. The choice is the smallest subtree whose error is at most
    `standard_errors` standard errors above the lowest error.

    The standard error is sqrt(p (1 - p) / N) for an error rate p over N rows; in a regression it is
    that of the mean of N squared errors. With weights w, N is sum(w)^2 / sum(w^2).

    `grow`: grows the unpruned tree of a sample; even if the sample lacks a class, the tree must
    have a column of counts for it.
    `risk`: as in `cost_complexity_path`; the folds always count errors (squared errors).
    `folds`: number of folds, at least 2, limited to the number of rows. `deal_folds` stratifies
    them.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth. Section 3.4 and chapter 8.
    """
    check_scalar(folds, "folds", Integral, min_val=2)
    check_weight("standard_errors", standard_errors)
    rng = check_random_state(random_state)
    tree = grow(sample) if tree is None else tree
    path = cost_complexity_path(tree, risk)
    losses = np.zeros((len(path.alphas), 2))
    if len(path.alphas) > 1:
        fold = deal_folds(sample, min(folds, len(sample.y)), rng)
        losses = _cross_validated(path, grow, sample, fold, risk, divide_missing)
    return AlphaChoice(path, *choose_smallest(losses, sample.weight, standard_errors))


def choose_alpha_held_out(
    tree: Tree,
    held_out: Sample,
    *,
    risk: str | None = None,
    standard_errors: float = 0.0,
    divide_missing: bool = False,
) -> AlphaChoice:
    """Choose the alpha of cost-complexity pruning on rows that the tree was not grown on.

    The choice is the smallest subtree of the path whose error is at most `standard_errors` standard
    errors above the lowest error.
    """
    check_weight("standard_errors", standard_errors)
    path = cost_complexity_path(tree, risk)
    node_losses = held_out_losses(tree, held_out, divide_missing)
    losses = sums_over_leaves(tree, path.node_alphas, path.alphas, node_losses)
    return AlphaChoice(path, *choose_smallest(losses, held_out.weight, standard_errors))


def _cross_validated(
    path: CostComplexityPath,
    grow: Grow,
    sample: Sample,
    fold: NDArray[np.int64],
    risk: str | None,
    divide_missing: bool,
) -> NDArray[np.float64]:
    """Return the sums of losses and of squared losses over all folds, for each subtree."""
    judged_at = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf)
    losses = np.zeros((len(judged_at), 2))
    for k in range(fold.max() + 1):
        tree = grow(sample.take(fold != k))
        node_alphas = cost_complexity_path(tree, risk).node_alphas
        node_losses = held_out_losses(tree, sample.take(fold == k), divide_missing)
        losses += sums_over_leaves(tree, node_alphas, judged_at, node_losses)
    return losses


def choose_smallest(
    losses: NDArray[np.float64], weight: NDArray[np.float64], standard_errors: float
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Return the last tree whose mean loss is close enough to the lowest, and all mean losses.

    Shapes: `losses` (n_trees, 2), `weight` (n_samples,), result (n_trees,).
    `losses`: sums of the weighted losses of each tree and of the weighted squared losses, smaller
    trees last.
    """
    whole = sum_of(weight)
    means, squares = losses.T / whole
    n_rows = whole * whole / sum_of(np.square(weight))
    deviations = np.sqrt(np.maximum(squares - np.square(means), 0) / n_rows)
    # Of subtrees with equal errors the smallest is taken.
    best = np.flatnonzero(means <= means.min() + TIE * means.max())[-1]
    limit = means[best] + standard_errors * deviations[best] + TIE * means.max()
    return int(np.flatnonzero(means <= limit)[-1]), means, deviations
