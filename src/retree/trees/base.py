"""Prediction, explanation and importances of a grown tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from retree import engine
from retree.arithmetic import logs
from retree.trees.declaring import ClassifierMixin, RegressorMixin, changed
from retree.trees.decreases import feature_importances
from retree.trees.growing import GrowsTree
from retree.trees.interchange.methods import TreeExports
from retree.trees.rows import one_row
from retree.trees.tree import Tree

if TYPE_CHECKING:
    from retree.trees.export.describe import Names
    from retree.trees.export.explained import Explanation


class BaseTree(TreeExports, GrowsTree):
    """An estimator that grows a tree and keeps it as ``tree_``.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    """

    tree_: Tree

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree, and prune it if `pruning` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; any values in categorical columns, if the family takes them; NaN where a value
            is missing, if the family takes missing values.
        y : array-like of shape (n_samples,)
            Class labels, or the targets of a regression.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; rows of weight 0 are left out. A minimum number of rows is a
            minimum weight, so weights with a mean below 1, such as those that scikit-learn's
            ``AdaBoostClassifier`` passes, are scaled to mean 1. CART and CMDT do not scale weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid.
        """
        self.check_parameters()
        self.tree_ = self.tree_of(self.checked_sample(X, y, sample_weight))
        return self

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Return the number of the leaf (a node) that each row ends in, shape (n_samples,)."""
        rows = self.checked_rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: ArrayLike) -> sparse.csr_matrix:
        """Return the nodes that each row passes through, as an indicator matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        csr_matrix of shape (n_samples, node_count)
        """
        leaves = self.apply(X)
        pointer = np.concatenate(([0], np.cumsum(self.tree_.depths[leaves] + 1, dtype=np.int64)))
        nodes = np.empty(pointer[-1], np.int32)
        engine.call("mark_paths", leaves, self.tree_.parents, pointer, nodes)
        ones = np.ones(len(nodes), dtype=np.int64)
        return sparse.csr_matrix((ones, nodes, pointer), shape=(len(leaves), self.tree_.node_count))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Impurity-based importances of the features, shape (n_features_in_,), with sum 1.

        For equal trees they equal scikit-learn's. The impurity is the one that the tree grows by if
        that is the Gini index, the entropy or the variance. It is the entropy for trees that grow
        by information gain or gain ratio, and the Gini index for all others.
        `retree.trees.decreases.feature_importances` says how tests of several features count.
        """
        check_is_fitted(self)
        return feature_importances(self.tree_, self.impurity)

    def get_depth(self) -> int:
        """Return the depth of the tree: the number of tests on its longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def explain(
        self, row: Any, *, feature_names: Names | None = None, class_names: Names | None = None
    ) -> Explanation:
        """Explain the tree's prediction for one row.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            One row with the columns seen in `fit`; NaN where a value is missing, if the tree takes
            missing values.
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.

        Returns
        -------
        Explanation
            The path in words with its support and confidence. If the row is divided because a
            tested value is missing, all of its paths with their weights.

        Raises
        ------
        ValueError
            If `row` is not exactly one row with one value per feature.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from retree import C45Classifier
        >>> iris = load_iris()
        >>> names = [name.removesuffix(" (cm)") for name in iris.feature_names]
        >>> model = C45Classifier().fit(iris.data, iris.target_names[iris.target])
        >>> print(model.explain(iris.data[119], feature_names=names))
        Prediction: virginica (100 %)
          petal width > 0.6  (petal width = 1.5)
          petal width <= 1.7  (petal width = 1.5)
          petal length > 4.9  (petal length = 5)
          petal width <= 1.5  (petal width = 1.5)
          -> virginica: 3 training rows, 2 % of all; confidence 100 % (virginica: 3)
        """
        from retree.trees.export.explained import explain_row

        names = self._names(feature_names, class_names)
        rows = self.checked_rows(one_row(row, self))
        return explain_row(
            self.tree_, rows[0], **names, divide_missing=self.contract.divides_missing
        )


class ProbabilisticClassifier(ClassifierMixin):
    """Makes predictions from class shares."""

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of each row, from its leaf or from the vote of a forest.

        With the parameter `smoothing`, the shares of leaves with few rows are drawn towards those
        expected without any rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._by_class(self._shares(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return each row's class of highest share, of tied classes the first in ``class_order_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.class_order_[self._predicted_codes(X)]

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the natural logarithms of `predict_proba`; log(0) is minus infinity.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return logs(self.predict_proba(X))


class BaseTreeClassifier(ProbabilisticClassifier, BaseTree):
    """A classifier that predicts with ``tree_``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_order_ : ndarray of shape (n_classes,)
        Class labels in the order of the columns of ``tree_.counts``; the first of tied classes
        wins. It is the order of the category type of y, like the order in the header of a Weka
        file, or that of ``classes_`` if y has no category type.
    """

    def _shares(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares, in the order of ``class_order_``."""
        rows = self.checked_rows(X)
        return self.tree_.predicted(rows, divide_missing=self.contract.divides_missing)

    def _predicted_codes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the position in ``class_order_`` of each row's predicted class."""
        rows = self.checked_rows(X)
        return self.tree_.predicted_codes(rows, divide_missing=self.contract.divides_missing)


class NumericTreeClassifier(BaseTreeClassifier):
    """A classifier of numeric features, without missing values unless `fill_missing` is set."""

    declares = changed(categories=False, missing=False, weights="exact")


class BaseTreeRegressor(RegressorMixin, BaseTree):
    """A regressor that predicts with ``tree_``."""

    declares = changed(classes=False)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean target of the training rows in each row's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaves = self.apply(X)
        return self.tree_.value[leaves, 0]


ONE_HOT, ORDINAL = "one_hot", "ordinal"


class CodedColumns(BaseTree):
    """A tree that tests numbers computed from its categorical columns.

    `coding`: "one_hot" is a column of 0 and 1 for each level, "ordinal" the position of the level;
    None allows no categorical columns.
    """

    coding: str | None = None

    declares = changed(tests_levels=False)

    @property
    def _used_coding(self) -> str | None:
        """The coding in use, None if there are no categorical columns."""
        levels = vars(self).get("categories_", ())
        return None if all(each is None for each in levels) else self.coding

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._used_coding != ONE_HOT:
            return rows
        columns = []
        for column, levels in zip(rows.T, self.categories_, strict=True):
            columns += [column] if levels is None else [column == c for c in range(len(levels))]
        return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)

    def _columns(self) -> list[tuple[int, int | None]]:
        """Return the feature of each coded column, and its level if it is one-hot."""
        if self._used_coding != ONE_HOT:
            return super()._columns()
        return [
            (j, level)
            for j, levels in enumerate(self.categories_)
            for level in ([None] if levels is None else range(len(levels)))
        ]

    def feature_names(self) -> list[str]:
        """Return the names of the coded columns; a one-hot column is called ``column = level``."""
        names, coded_names = super().feature_names(), []
        for j, level in self._columns():
            levels: Any = self.categories_[j] if level is not None else None
            coded_names.append(names[j] if levels is None else f"{names[j]} = {levels[level]}")
        return coded_names
