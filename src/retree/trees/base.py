"""What every tree classifier can do once it is grown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from retree import engine
from retree.trees.interchange.methods import Interchange
from retree.trees.tree import Tree
from retree.trees.validation import encode_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from retree.trees.export.describe import Names


class BaseTree(Interchange, BaseEstimator):
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

    def get_depth(self) -> int:
        """Return the depth of the tree: the number of tests on its longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def export_text(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        style: str = "counts",
        decimals: int | None = None,
    ) -> str:
        """Return the tree as indented text; see `retree.trees.export.text.export_text`."""
        from retree.trees.export.text import export_text

        names = self._names(feature_names, class_names)
        return export_text(self.tree_, **names, style=style, decimals=decimals)

    def export_rules(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        order: str = "leaves",
        decimals: int = 4,
    ) -> str:
        """Return the tree as rules, one per leaf; see `retree.trees.export.rules.export_rules`."""
        from retree.trees.export.rules import export_rules

        names = self._names(feature_names, class_names)
        return export_rules(self.tree_, **names, order=order, decimals=decimals)

    def export_graphviz(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        max_depth: int | None = None,
        filled: bool = True,
    ) -> str:
        """Return the tree as DOT; see `retree.trees.export.graphviz.export_graphviz`."""
        from retree.trees.export.graphviz import export_graphviz

        names = self._names(feature_names, class_names)
        return export_graphviz(self.tree_, **names, max_depth=max_depth, filled=filled)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        max_depth: int | None = None,
    ) -> Axes:
        """Draw the tree; see `retree.trees.export.plot.plot_tree`."""
        from retree.trees.export.plot import plot_tree

        names = self._names(feature_names, class_names)
        return plot_tree(self.tree_, **names, ax=ax, max_depth=max_depth)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what a notebook shows: scikit-learn's diagram, and below it the fitted tree."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._repr_svg_() or ""
        return bundle

    def _repr_html_inner(self) -> str:
        """Return the same for readers that do not ask for a MIME bundle."""
        return super()._repr_html_inner() + (self._repr_svg_() or "")

    def _repr_svg_(self) -> str | None:
        """Return a drawing of the fitted tree, cut at the depth that is still legible."""
        if not hasattr(self, "tree_"):
            return None
        from retree.trees.export.svg import tree_svg

        return tree_svg(self.tree_, **self._names())

    def feature_names(self) -> list[str]:
        """Return the column names seen in `fit`, or ``x[0], x[1], …`` if there were none."""
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x[{j}]" for j in range(self.n_features_in_)]

    def _names(
        self, feature_names: Names | None = None, class_names: Names | None = None
    ) -> dict[str, Any]:
        """Return the names of features, classes and levels: those given, or those seen in `fit`."""
        check_is_fitted(self)
        return {
            "feature_names": self.feature_names() if feature_names is None else feature_names,
            "class_names": getattr(self, "classes_", None) if class_names is None else class_names,
            "levels": getattr(self, "categories_", None),
        }

    def _checked_rows(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check rows to predict for."""
        if is_checked(X, self):
            return X
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)


class BaseTreeClassifier(ClassifierMixin, BaseTree):
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
    _divides_missing = False

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of the training rows in the leaf of each row.

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
        reject_nonnumeric_columns(X)
        rows, labels = validate_data(self, X, y, dtype=np.float64, order="C")
        self.classes_, codes = encode_classes(labels)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only ({self.classes_[0]!r}); a classifier needs at least two."
            )
        if (rows == rows[0]).all():
            raise ValueError("Every feature is constant, so there is nothing to split on.")
        return rows, codes


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


def is_checked(X: Any, estimator: Any) -> TypeGuard[NDArray[np.float64]]:
    """Whether scikit-learn's checks of rows to predict for would return `X` as it is.

    They take ten times as long as to predict one row. Where this cannot tell, they shall.
    """
    known = vars(estimator)
    if type(X) is not np.ndarray or not known.keys() & {"tree_", "forest_"}:
        return False
    fits = X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and len(X) > 0
    if not fits or X.shape[1] != known.get("n_features_in_") or "feature_names_in_" in known:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(X.sum())


def reject_nonnumeric_columns(X: Any) -> None:
    """Raise if `X` is a DataFrame with columns that are not numbers, and name them."""
    if not isinstance(X, pd.DataFrame):
        return
    wrong = [str(name) for j, name in enumerate(X.columns) if not _holds_numbers(X.iloc[:, j])]
    if wrong:
        raise ValueError(
            f"Columns {wrong} are not numeric; encode them first, for example with "
            "sklearn.preprocessing.OneHotEncoder or OrdinalEncoder."
        )


def _holds_numbers(column: pd.Series) -> bool:
    """Whether a column is of a numeric type, or of objects that are numbers."""
    if pd.api.types.is_object_dtype(column.dtype):
        return bool(pd.to_numeric(column, errors="coerce").notna().eq(column.notna()).all())
    return pd.api.types.is_numeric_dtype(column.dtype)
