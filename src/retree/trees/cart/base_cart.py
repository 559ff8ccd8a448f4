"""Shared parameters of the CART estimators, and their calls of the engine (``src/engine/cart``).

A node is a leaf if the rule says so. Otherwise the engine looks for the split with the highest
gain: in a numeric column by one pass over the node's rows in sorted order, in a categorical column
among subsets of its levels. It then moves the rows of each child next to each other in every sorted
column, so that no column is sorted twice, and continues with the left child.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Bunch

from retree import engine
from retree.trees.base import BaseTree
from retree.trees.declaring import parameter, parameters
from retree.trees.decreases import ENTROPY, GINI, cart_criteria
from retree.trees.mixed import Sample
from retree.trees.node_tests import LevelSets, keep_used_subsets
from retree.trees.parameters import WithCategories, WithDepth, WithLeaves, WithPruning, WithThreads
from retree.trees.pruning.cost_complexity import cost_complexity_path
from retree.trees.tree import Tree
from retree.trees.validation import (
    NO_LIMIT,
    check_weight,
    depth_limit,
    number,
    rows_or_share,
    thread_count,
)
from retree.trees.weighted_columns import WeightedColumns, make_weighted_columns

_MOST_EXPONENT = 200  # of a number whose fourth power is a double

CRITERIA = cart_criteria() | cart_criteria(of_numbers=True)
OF_CLASSES, OF_NUMBERS = tuple(cart_criteria()), tuple(cart_criteria(of_numbers=True))


@dataclass(frozen=True)
class Rule:
    """When and how a node is split.

    All fields except the first and the last are parameters of `CartClassifier`; the tree does not
    depend on the number of threads.
    """

    criterion: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    min_weight_fraction_leaf: float
    max_class_share: float = 1.0
    max_exact_levels: int = 0
    n_threads: int = 1


@parameters
class BaseCart(WithDepth, WithPruning, WithCategories, WithLeaves, WithThreads, BaseTree):
    """Parameters that the CART classifiers and the regressor share.

    Parameters
    ----------
    min_samples_split : int or float
        Minimum number of rows of a node to be split; a float in (0, 1) is a fraction of the
        training rows.
    min_samples_leaf : int or float
        Minimum number of rows of a child; a float in (0, 1) is a fraction of the training rows.
        Where only cuts of the ordered levels are tried, another subset that leaves enough rows may
        be overlooked.
    min_impurity_decrease : float
        A node is split only if its gain, times the node's share of the total weight, is at least
        this.
    min_weight_fraction_leaf : float
        Minimum share of the total weight that a child must have, in [0, 0.5].
    """

    min_samples_split: float = parameter(default=2, check=rows_or_share(2))
    min_samples_leaf: float = parameter(default=1, check=rows_or_share(1))
    min_impurity_decrease: float = parameter(default=0.0, check=check_weight)
    min_weight_fraction_leaf: float = parameter(default=0.0, check=number(0, 0.5), neutral=True)

    criterion = "gini"

    @property
    def impurity(self) -> str:
        """The criterion, or the Gini index if the criterion is not an impurity."""
        return ENTROPY if self.criterion == ENTROPY else GINI

    def _rule(self) -> Rule:
        """Return the rule that nodes are split by."""
        return Rule(
            criterion=CRITERIA[self.criterion],
            max_depth=depth_limit(self.max_depth),
            min_samples_split=int(min(self.min_samples_split, NO_LIMIT)),
            min_samples_leaf=int(min(self.min_samples_leaf, NO_LIMIT)),
            min_impurity_decrease=float(self.min_impurity_decrease),
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            n_threads=thread_count(self.n_jobs),
        )

    def cost_complexity_pruning_path(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Return the alphas and impurities of minimal cost-complexity pruning.

        The path equals scikit-learn's, except that equal alphas appear once: their links are cut
        together.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas``, in ascending order, and ``impurities``, the summed impurity of the
            leaves of the subtree at each alpha, both of shape (n_subtrees,). The impurity is the
            Gini index (also for twoing, which is not an impurity), the entropy in bits, or the
            variance.
        """
        tree = clone(self).set_params(pruning=None, pruning_params=None).fit(X, y, sample_weight)
        path = cost_complexity_path(tree.tree_, self.impurity if self.contract.classes else None)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)


def grow_classes(sample: Sample, n_levels: NDArray[np.int32], n_classes: int, rule: Rule) -> Tree:
    """Return the unpruned classification tree of `sample`.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 for a numeric column.
    """
    exponent = far_exponent(float(sample.weight.sum()))
    if exponent:
        sample = sample._replace(weight=np.ldexp(sample.weight, -exponent)).with_weight()
    order = _sum_order(sample) if np.ptp(sample.weight) > 0 else None
    columns = make_weighted_columns(sample, n_levels, n_classes, order, rule.n_threads)
    tree, _ = _grow(columns, np.empty(0), rule)
    return replace(tree, counts=np.ldexp(tree.counts, exponent)) if exponent else tree


def far_exponent(value: float) -> int:
    """Return the binary exponent of a number whose fourth power may exceed a double, else 0."""
    exponent = int(np.frexp(value)[1])
    return exponent if abs(exponent) > _MOST_EXPONENT else 0


def grow_targets(sample: Sample, n_levels: NDArray[np.int32], rule: Rule) -> Tree:
    """Return the unpruned regression tree of `sample`.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 for a numeric column.
    """
    # Squares of targets below 1 do not overflow, and scaling by a power of two is exact.
    exponent = int(np.frexp(np.abs(sample.y).max())[1])
    target = np.ldexp(sample.y, -exponent)
    one_class = sample._replace(y=np.zeros(len(target), np.int32))
    columns = make_weighted_columns(one_class, n_levels, 1, _sum_order(sample), rule.n_threads)
    with np.errstate(over="ignore"):  # in the unit of the targets, squares may be infinite
        least = float(np.ldexp(rule.min_impurity_decrease, -2 * exponent))
        tree, sums = _grow(columns, target, replace(rule, min_impurity_decrease=least))
        moments = np.column_stack((sums[:, 1] + sums[:, 3], sums[:, 2]))
        moments = np.ldexp(moments, [exponent, 2 * exponent])
    return replace(tree, moments=moments)


def _sum_order(sample: Sample) -> NDArray[np.intp]:
    """Return a canonical order of the rows, so that rounding does not depend on the given order."""
    return np.lexsort((sample.weight, sample.y))


def _grow(
    columns: WeightedColumns, target: NDArray[np.float64], rule: Rule
) -> tuple[Tree, NDArray[np.float64]]:
    """Return the tree that the engine grows, without its moments, and the sums of its nodes.

    The sums are class weights; for a regression they are weight, mean, variance and the mean
    deviation of the targets from that mean, which is 0 except for rounding.
    """
    parents, feature, subset, threshold, sums, bits = engine.call(
        "cart_grow", *columns.arguments, target, rule
    )
    tree = Tree.from_parents(
        parents,
        n_features=len(columns.n_levels),
        feature=feature,
        threshold=threshold,
        counts=sums[:, : columns.n_classes].copy(),
        **keep_used_subsets(subset, LevelSets(bits, max(0, int(columns.n_levels.max(initial=0))))),
    )
    return tree, sums
