"""CART for classes (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

from numpy.random import RandomState
from sklearn.utils import check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.cart.base_cart import BaseCart
from retree.trees.cart.cart_growing import Criterion, Rule, grow_classes
from retree.trees.class_weights import ClassWeight
from retree.trees.mixed import Sample
from retree.trees.smoothing import Smoothing
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
    min_samples_split : int or float, default=2
        A node of fewer rows is a leaf; a float in (0, 1) is that part of the training rows.
    min_samples_leaf : int or float, default=1
        Least number of rows of a child, or part of the training rows. Where not all subsets of
        levels are tried, one that leaves enough rows may be overlooked if it is no cut of the order
        of the levels.
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
        Categorical columns: those of a category type, strings or booleans in a pandas or polars
        DataFrame, none, or a mask, indices or names. Levels are those that the type lists,
        otherwise those seen in `fit`, sorted.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside; growing draws nothing.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
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
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        max_class_share: float = 1.0,
        max_exact_levels: int = 10,
        pruning: str | None = None,
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
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
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes
        self.n_jobs = n_jobs

    def _tree_of(self, sample: Sample) -> Tree:
        n_levels, n_classes = self._n_levels, len(self.classes_)
        rule = self._rule(len(sample.y))
        grow = partial(grow_classes, n_levels=n_levels, n_classes=n_classes, rule=rule)
        return self._smoothed(self._pruned(grow, sample))

    def _rule(self, n_rows: int = 1) -> Rule:
        """Validate the parameters and return the rule of growing on `n_rows` rows."""
        check_choice("criterion", self.criterion, _CRITERIA)
        check_scalar(self.max_class_share, "max_class_share", Real, min_val=0, max_val=1,
                     include_boundaries="right")  # fmt: skip
        check_scalar(self.max_exact_levels, "max_exact_levels", Integral, min_val=0,
                     max_val=_MOST_EXACT_LEVELS)  # fmt: skip
        return replace(
            self._shared_rule(_CRITERIA[self.criterion], n_rows),
            max_class_share=float(self.max_class_share),
            max_exact_levels=int(self.max_exact_levels),
        )
