"""What every tree classifier can do once it is grown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from retree import engine
from retree.arithmetic import logs
from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.export.methods import TreeExports
from retree.trees.importances import feature_importances
from retree.trees.rows import complete_rows, is_checked, one_row, reject_nonnumeric_columns
from retree.trees.smoothing import Smoothing, check_smoothing
from retree.trees.tree import Tree
from retree.trees.validation import encode_classes

if TYPE_CHECKING:
    from retree.trees.export.describe import Names
    from retree.trees.export.explained import Explanation


class BaseTree(TreeExports, BaseEstimator):
    """Inspection of an estimator that has grown ``tree_``.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    n_features_in_ : int
        Number of features seen in `fit`.
    """

    tree_: Tree
    n_features_in_: int

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Return the node number of the leaf that each row ends in, shape (n_samples,)."""
        rows = self._checked_rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: ArrayLike) -> sparse.csr_matrix:
        """Return the nodes that each row passes, as an indicator matrix.

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
        """Impurity-based importances of the features, of sum 1, shape (n_features_in_,).

        They are those of scikit-learn where the trees are equal. The impurity is the one that grows
        the tree if that is the Gini index, the entropy or the variance. It is the entropy for trees
        that grow by information gain or gain ratio, and the Gini index for all others. See
        `retree.trees.importances.feature_importances` for tests of several features.
        """
        check_is_fitted(self)
        return feature_importances(self.tree_, self._impurity)

    @property
    def _impurity(self) -> str:
        """The impurity that features of a classifier are judged by."""
        return ENTROPY if getattr(self, "criterion", None) == ENTROPY else GINI

    def get_depth(self) -> int:
        """Return the depth of the tree: the number of tests on its longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def explain(
        self,
        row: Any,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
    ) -> Explanation:
        """Return why the tree predicts what it does for one row.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            With the columns seen in `fit`; NaN where missing, if the tree takes missing values.
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.

        Returns
        -------
        Explanation
            The path in words with its support and confidence; all paths, with their weights, if
            the row is divided because a tested value is missing.

        Raises
        ------
        ValueError
            If there is not one row of as many values as there are features.

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
        from retree.trees.export.explanation import explain_row

        names = self._names(feature_names, class_names)
        rows = self._checked_rows(one_row(row, self))
        return explain_row(self.tree_, rows[0], **names, divide_missing=self._divides_missing)

    def _checked_rows(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check rows to predict for."""
        if is_checked(X, self):
            return X
        check_is_fitted(self)
        return complete_rows(self, X, reset=False)


class ProbabilisticClassifier(ClassifierMixin):
    """Logarithms of the probabilities of a classifier."""

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the natural logarithms of `predict_proba`, minus infinity where that is 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return logs(self.predict_proba(X))


class BaseTreeClassifier(ProbabilisticClassifier, BaseTree):
    """Prediction of a classifier that has grown ``tree_``.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_features_in_ : int
        Number of features seen in `fit`.
    """

    classes_: NDArray[Any]
    class_weight: ClassWeight = None
    smoothing: Smoothing = None
    _scales_weights = True  # to a mean of 1 if theirs is less; not where it grows a part of a tree

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of the training rows in the leaf of each row.

        With the parameter `smoothing`, they are drawn towards what is likely without these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        rows = self._checked_rows(X)
        return self.tree_.predicted(rows, divide_missing=self._divides_missing)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of greatest share, the first label where classes tie.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._checked_rows(X)
        return self.classes_[self.tree_.predicted_codes(rows, divide_missing=self._divides_missing)]

    def _checked_training_data(
        self, X: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Check numeric training data, set ``classes_``; return the rows and the class codes."""
        check_smoothing(self.smoothing)
        reject_nonnumeric_columns(X)
        rows, labels = complete_rows(self, X, y)
        self.classes_, codes = encode_classes(labels)
        self._check_learnable(rows, codes)
        return rows, codes

    def _check_learnable(self, rows: NDArray[np.float64], codes: NDArray[np.int32]) -> None:
        """Raise unless the training rows have two classes, and features that vary."""
        if len(self.classes_) < 2:
            label = self.classes_.tolist()[0]
            raise ValueError(f"y has one class only ({label!r}); a classifier needs at least two.")
        if (codes == codes[0]).all():
            raise ValueError("The rows of positive sample weight have one class only.")
        if (rows == rows[0]).all():
            raise ValueError("Every feature is constant, so there is nothing to split on.")

    def _smoothed(self, tree: Tree) -> Tree:
        """Return the tree with the probabilities that `smoothing` asks for."""
        return tree if self.smoothing is None else replace(tree, smoothing=self.smoothing)


class BaseTreeRegressor(RegressorMixin, BaseTree):
    """Prediction of a regressor that has grown ``tree_``.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    n_features_in_ : int
        Number of features seen in `fit`.
    """

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the mean target of the training rows in the leaf of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaves = self.apply(X)
        return self.tree_.value[leaves, 0]
