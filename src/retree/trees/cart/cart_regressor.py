"""CART for numbers (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from numpy.random import RandomState
from numpy.typing import ArrayLike

from retree.trees.base import BaseTreeRegressor
from retree.trees.cart.base_cart import BaseCart
from retree.trees.cart.cart_growing import Criterion, Rule, grow_targets
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import check_choice


class CartRegressor(BaseCart, BaseTreeRegressor):
    """CART for numbers: binary splits of least squared error.

    Splits, ties and missing values are as in `CartClassifier`; the levels of a categorical feature
    are ordered by their mean target, and the best subset is a cut of this order. Gains are tied if
    they differ by less than 2^-37 of the node's variance.

    Parameters
    ----------
    criterion : {"squared_error"}, default="squared_error"
        The gain of a split is the decrease of the variance.
    max_depth : int or None, default=None
        Greatest depth.
    min_samples_split : int or float, default=2
        A node of fewer rows is a leaf; a float in (0, 1) is that part of the training rows.
    min_samples_leaf : int or float, default=1
        Least number of rows of a child, or part of the training rows. A subset of levels may be
        overlooked that leaves enough rows, if it is no cut of the order of the levels.
    min_impurity_decrease : float, default=0.0
        A node is split only if its gain, times its share of the whole weight, is at least this.
    pruning : {"cost_complexity", "reduced_error"} or None, default=None
        How the tree is pruned.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns, as in `CartClassifier`.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside; growing draws nothing.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the whole weight that a child must have, in [0, 0.5].
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves, at least 2. The tree then grows best first, as in scikit-learn:
        the node whose split lowers the impurity of the whole tree most is split next, the first in
        the order of nodes where these tie.
    n_jobs : int or None, default=None
        Threads, as in joblib, that sort and search the columns of large nodes; None is 1. No tree
        depends on it. Each thread takes memory for one more column.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth.

    Examples
    --------
    >>> from retree import CartRegressor
    >>> CartRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 1.0, 4.0]).predict([[2.4], [2.6]])
    array([1., 4.])
    """

    def __init__(
        self,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        pruning: str | None = None,
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.pruning = pruning
        self.pruning_params = pruning_params
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.n_jobs = n_jobs

    def _checked_sample(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        return self._checked_targets(X, y, sample_weight)

    def _tree_of(self, sample: Sample) -> Tree:
        rule = self._rule(len(sample.y))
        grow = partial(grow_targets, n_levels=self._n_levels, rule=rule)
        return self._pruned(grow, sample)

    def _rule(self, n_rows: int = 1) -> Rule:
        check_choice("criterion", self.criterion, ["squared_error"])
        return self._shared_rule(Criterion.VARIANCE, n_rows)
