"""CART for classes (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.cart.base_cart import BaseCart
from retree.trees.cart.cart_growing import Criterion, Rule, grow_classes
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import check_choice

_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY, "twoing": Criterion.TWOING}
_MOST_EXACT_LEVELS = 20


class CartClassifier(BaseCart, BaseTreeClassifier):
    """CART for classes: binary splits, exact over all thresholds and over subsets of levels.

    Of all splits the one is taken that lowers the impurity most. A threshold is the middle between
    two neighbouring values of the node's rows. A categorical feature is split into two subsets of
    its levels: the best of all if only two classes are in the node, or at most `max_exact_levels`
    levels. Otherwise the levels are ordered by their share of a union of classes (of every union of
    up to five classes, of every single one of more), all cuts of these orders are tried, and single
    levels are moved to the other side of the best one as long as that helps. With up to five
    classes the cuts contain the best twoing split.

    Ties have a rule: the lowest feature is taken, then the lowest threshold. Gains are tied if
    they differ by less than 2^-37 (7e-12). The left child has the first of the levels that occur in
    the node; of tied subsets that one is taken which, as a binary number with the first level for
    its lowest digit, is smallest.

    Rows whose tested value is missing (NaN), and levels that do not occur in the node, go with the
    heavier child, the left one in a tie, in training as in prediction. The gain of a split is that
    of the rows with a value, times their share of the node's weight. There are no surrogate splits.

    Parameters
    ----------
    criterion : {"gini", "entropy", "twoing"}, default="gini"
        The gain of a split is the decrease of the Gini index or of the entropy (in bits), or the
        twoing value p_L p_R / 4 (sum over the classes of abs(p(c, L) - p(c, R)))^2.
    max_depth : int or None, default=None
        Greatest depth.
    min_samples_split : int, default=2
        A node of fewer rows is a leaf.
    min_samples_leaf : int, default=1
        Least number of rows of a child. Where not all subsets of levels are tried, one that leaves
        enough rows may be overlooked if it is no cut of the order of the levels.
    min_impurity_decrease : float, default=0.0
        A node is split only if its gain, times its share of the whole weight, is at least this.
    max_class_share : float, default=1.0
        A node whose largest class has at least this share of its weight is a leaf; in (0, 1].
    max_exact_levels : int, default=10
        Greatest number of levels in a node up to which all subsets are tried if there are more
        than two classes; between 0 and 20, and every level more doubles the work.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default=None
        How the tree is pruned.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns: those of a pandas category type, none, or a mask, indices or names.
        Levels are those of the pandas type, otherwise those seen in `fit`, sorted.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside; growing draws nothing.
    n_jobs : int or None, default=None
        Threads, as in joblib, that sort and search the columns of large nodes; None is 1. No tree
        depends on it. Each thread takes memory for one more column.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
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
    >>> from sklearn.datasets import load_iris
    >>> from retree import CartClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CartClassifier().fit(X, y).get_n_leaves()
    9
    """

    def __init__(
        self,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        max_class_share: float = 1.0,
        max_exact_levels: int = 10,
        pruning: str | None = None,
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_class_share = max_class_share
        self.max_exact_levels = max_exact_levels
        self.pruning = pruning
        self.pruning_params = pruning_params
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CartClassifier:
        """Grow the tree, and prune it if `pruning` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._rule()
        sample = self._checked_classes(X, y, sample_weight)
        self.tree_ = self._tree_of(sample)
        return self

    def _tree_of(self, sample: Sample) -> Tree:
        n_levels, n_classes = self._n_levels, len(self.classes_)
        grow = partial(grow_classes, n_levels=n_levels, n_classes=n_classes, rule=self._rule())
        return self._pruned(grow, sample)

    def _rule(self) -> Rule:
        """Validate the parameters and return the rule of growing."""
        check_choice("criterion", self.criterion, _CRITERIA)
        check_scalar(self.max_class_share, "max_class_share", Real, min_val=0, max_val=1,
                     include_boundaries="right")  # fmt: skip
        check_scalar(self.max_exact_levels, "max_exact_levels", Integral, min_val=0,
                     max_val=_MOST_EXACT_LEVELS)  # fmt: skip
        return replace(
            self._shared_rule(_CRITERIA[self.criterion]),
            max_class_share=float(self.max_class_share),
            max_exact_levels=int(self.max_exact_levels),
        )
