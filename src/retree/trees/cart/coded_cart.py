"""CART on numbers that stand for categories: what scikit-learn's trees make of categorical data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from retree.trees.base import BaseTreeClassifier
from retree.trees.cart.base_cart import BaseCart
from retree.trees.cart.cart_growing import Criterion, Rule, grow_classes
from retree.trees.class_weights import ClassWeight
from retree.trees.coding import ONE_HOT, ORDINAL, code_columns, coded_columns, coded_names
from retree.trees.smoothing import Smoothing
from retree.trees.validation import check_choice

_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY}


class CodedCartClassifier(BaseCart, BaseTreeClassifier):
    """CART that knows numbers only: categorical columns are coded, then split at thresholds.

    This is scikit-learn's ``DecisionTreeClassifier`` behind a ``OneHotEncoder`` or an
    ``OrdinalEncoder``, but for the choice among splits of equal gain, which is random there and has
    `CartClassifier`'s rule here. `CartClassifier` itself splits the levels into subsets.

    The encoders know the levels that `fit` knows, of which a pandas category type may declare some
    that do not occur. A level that is missing or unknown has 0 in all columns of a one-hot code,
    and no ordinal code. Rows whose tested value is missing go with the heavier child, the left one
    in a tie, in training as in prediction; scikit-learn took no missing values before 1.3.

    Parameters
    ----------
    coding : {"one_hot", "ordinal"}, default="one_hot"
        A column of 0 and 1 for each level, or one column with the position of the level.
    criterion : {"gini", "entropy"}, default="gini"
        What a split lowers most: the Gini index, or the entropy in bits.
    max_depth : int or None, default=None
        Greatest depth.
    min_samples_split : int or float, default=2
        A node of fewer rows is a leaf; a float in (0, 1) is that part of the training rows.
    min_samples_leaf : int or float, default=1
        Least number of rows of a child, or part of the training rows.
    min_impurity_decrease : float, default=0.0
        A node is split only if its gain, times its share of the whole weight, is at least this.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default=None
        How the tree is pruned.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns, as in `CartClassifier`.
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
        The grown tree, whose features are the coded columns.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    n_features_in_ : int
        Number of features seen in `fit`.

    Examples
    --------
    >>> from retree.trees.cart import CodedCartClassifier
    >>> X, y = [["a"], ["b"], ["c"], ["d"]], [0, 1, 0, 1]
    >>> one_hot = CodedCartClassifier(categorical_features=[0]).fit(X, y)
    >>> one_hot.feature_names()
    ['x[0] = a', 'x[0] = b', 'x[0] = c', 'x[0] = d']
    >>> one_hot.get_n_leaves()
    3
    """

    _tests_levels = False

    def __init__(
        self,
        coding: str = ONE_HOT,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
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
        self.coding = coding
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
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CodedCartClassifier:
        """Code the categorical columns, grow the tree, and prune it if `pruning` is set.

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
        sample = self._checked_sample(X, y, sample_weight)
        rule = self._rule(len(sample.y))
        sample = sample._replace(X=self._coded(sample.X))
        n_levels = np.full(sample.X.shape[1], -1, np.int32)
        grow = partial(grow_classes, n_levels=n_levels, n_classes=len(self.classes_), rule=rule)
        self.tree_ = self._smoothed(self._pruned(grow, sample))
        return self

    def _rule(self, n_rows: int = 1) -> Rule:
        check_choice("coding", self.coding, [ONE_HOT, ORDINAL])
        check_choice("criterion", self.criterion, _CRITERIA)
        return self._shared_rule(_CRITERIA[self.criterion], n_rows)

    def feature_names(self) -> list[str]:
        """Return the names of the coded columns; a one-hot one is called ``column = level``."""
        return coded_names(super().feature_names(), self.categories_, self.coding)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """As of other trees; a categorical feature has those of all its coded columns."""
        of_codes = super().feature_importances_
        if self.coding == ORDINAL:
            return of_codes
        sizes = [1 if levels is None else len(levels) for levels in self.categories_]
        own = np.repeat(np.arange(len(sizes)), sizes)
        found = np.zeros(len(sizes))
        np.add.at(found, own, of_codes)
        return found

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, and code their categorical columns."""
        return self._coded(super()._checked_rows(X))

    def _columns(self) -> list[tuple[int, int | None]]:
        """Return the feature of each coded column, and the level of which it is the column."""
        return coded_columns(self.categories_, self.coding)

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the columns of numbers that stand for rows with level codes."""
        return code_columns(rows, self.categories_, self.coding)
