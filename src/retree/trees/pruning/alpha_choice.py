"""The alpha of cost-complexity pruning by stratified folds, or by rows held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state, check_scalar

from retree.arithmetic import sum_of
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import TIE, held_out_losses, is_regression
from retree.trees.pruning.cost_complexity import (
    CostComplexityPath,
    cost_complexity_path,
    sums_over_leaves,
)
from retree.trees.tree import Tree
from retree.trees.validation import check_weight


def deal_folds(sample: Sample, n_folds: int, rng: RandomState) -> NDArray[np.int64]:
    """Return the fold of each row: the shuffled rows, class by class, are dealt out in turn.

    So folds, and the rows of a class in them, differ in number by one at most; a class of fewer
    rows than folds is in some folds only.

    Shapes: result (n_samples,).
    `sample`: a class in `y` is a stratum; the rows of a regression are one stratum.
    """
    fold = np.empty(len(sample.y), np.int64)
    fold[_by_stratum(sample, rng)] = np.arange(len(fold)) % n_folds
    return fold


def hold_out(sample: Sample, fraction: float, rng: RandomState) -> NDArray[np.bool_]:
    """Return a mask of about `fraction` of the rows, taken evenly from the classes.

    Shapes: result (n_samples,).
    `fraction`: in (0, 1). At least one row is held out and at least one is not.
    """
    n_rows = len(sample.y)
    if n_rows < 2:
        raise ValueError(f"Rows cannot be held out for pruning of n_samples={n_rows}; give more.")
    n_held = min(max(round(fraction * n_rows), 1), n_rows - 1)
    places = (np.arange(n_held) + 0.5) * (n_rows / n_held)
    mask = np.zeros(n_rows, np.bool_)
    mask[_by_stratum(sample, rng)[places.astype(np.int64)]] = True
    return mask


def _by_stratum(sample: Sample, rng: RandomState) -> NDArray[np.int64]:
    """Return the row numbers, shuffled within each class and sorted by class."""
    rows: NDArray[np.int64] = rng.permutation(len(sample.y))
    if is_regression(sample):
        return rows
    return rows[np.argsort(sample.y[rows], kind="stable")]


Grow = Callable[[Sample], Tree]


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """The subtree of a path with the lowest error on rows that its tree was not grown on."""

    path: CostComplexityPath  # The subtrees to choose from
    chosen: int  # The position of the chosen one
    # Estimated error rates (mean squared errors of a regression), weighted; shape (n_subtrees,).
    errors: NDArray[np.float64]
    standard_errors: NDArray[np.float64]  # Standard errors of these estimates; shape (n_subtrees,)

    @property
    def alpha(self) -> float:
        """The lowest alpha of the chosen subtree."""
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

    Subtree k of the tree of all rows is judged at sqrt(alpha[k] * alpha[k + 1]), the last one,
    which is the root, at infinity: for each fold a tree is grown on the other folds, pruned at
    these alphas, and tried on the fold. The choice is the smallest subtree whose error is no more
    than `standard_errors` standard errors above the lowest.

    The standard error is sqrt(p (1 - p) / N) for an error rate p, and that of the mean of N squared
    errors in a regression. With weights, N is sum(w)^2 / sum(w^2).

    `grow`: grows the unpruned tree of a sample; of some rows too it must have a column of counts
    for every class.
    `risk`: as in `cost_complexity_path`; the folds count errors (squared errors) whatever it is.
    `folds`: number of folds, at least 2; no more than rows. They are stratified by `deal_folds`.

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
    """Choose the alpha of lowest error on rows that the tree was not grown on.

    The choice is the smallest subtree of the path whose error is no more than `standard_errors`
    standard errors above the lowest.
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
    """Return the last tree whose mean loss is near the least, with all means.

    Shapes: `losses` (n_trees, 2), `weight` (n_samples,), result (n_trees,).
    `losses`: sums of the weighted losses of each tree and of their weighted squares, smaller trees
    last.
    """
    whole = sum_of(weight)
    means, squares = losses.T / whole
    n_rows = whole * whole / sum_of(np.square(weight))
    deviations = np.sqrt(np.maximum(squares - np.square(means), 0) / n_rows)
    # Of subtrees with equal errors the smallest is taken.
    best = np.flatnonzero(means <= means.min() + TIE * means.max())[-1]
    limit = means[best] + standard_errors * deviations[best] + TIE * means.max()
    return int(np.flatnonzero(means <= limit)[-1]), means, deviations
