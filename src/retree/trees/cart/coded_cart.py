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
from retree.trees.cart.cart_growing import Criterion, grow_classes
from retree.trees.export.describe import Names
from retree.trees.validation import check_choice

_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY}
ONE_HOT, ORDINAL = "one_hot", "ordinal"


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
    min_samples_split : int, default=2
        A node of fewer rows is a leaf.
    min_samples_leaf : int, default=1
        Least number of rows of a child.
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

    def __init__(
        self,
        coding: str = ONE_HOT,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        pruning: str | None = None,
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
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
        check_choice("coding", self.coding, [ONE_HOT, ORDINAL])
        check_choice("criterion", self.criterion, _CRITERIA)
        rule = self._shared_rule(_CRITERIA[self.criterion])
        sample = self._checked_classes(X, y, sample_weight)
        sample = sample._replace(X=self._coded(sample.X))
        n_levels = np.full(sample.X.shape[1], -1, np.int32)
        grow = partial(grow_classes, n_levels=n_levels, n_classes=len(self.classes_), rule=rule)
        self.tree_ = self._pruned(grow, sample)
        return self

    def feature_names(self) -> list[str]:
        """Return the names of the coded columns; a one-hot one is called ``column = level``."""
        names = []
        for name, levels in zip(super().feature_names(), self.categories_, strict=True):
            if levels is None or self.coding == ORDINAL:
                names.append(name)
            else:
                names += [f"{name} = {level}" for level in levels]
        return names

    def _names(
        self, feature_names: Names | None = None, class_names: Names | None = None
    ) -> dict[str, Any]:
        # All tests are of numbers.
        return super()._names(feature_names, class_names) | {"levels": None}

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, and code their categorical columns."""
        return self._coded(super()._checked_rows(X))

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the columns of numbers that stand for rows with level codes."""
        if self.coding == ORDINAL:
            return rows
        columns = []
        for column, levels in zip(rows.T, self.categories_, strict=True):
            columns += [column] if levels is None else [column == c for c in range(len(levels))]
        return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
