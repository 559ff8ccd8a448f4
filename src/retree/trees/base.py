"""What every tree classifier can do once it is grown."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_object_dtype
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from retree import engine
from retree.arithmetic import logs
from retree.extras import needs_extra
from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.importances import feature_importances
from retree.trees.interchange.methods import Interchange
from retree.trees.smoothing import Smoothing, check_smoothing
from retree.trees.tables import pandas_frame
from retree.trees.tree import Tree
from retree.trees.validation import encode_classes, refuse_missing_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from retree.trees.export.describe import Names
    from retree.trees.export.explanation import Explanation
    from retree.trees.export.html import HtmlTree

ENCODE = "encode them first, for example with sklearn.preprocessing.OneHotEncoder or OrdinalEncoder"


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
        divides = getattr(self, "_divides_missing", False)
        return explain_row(self.tree_, rows[0], **names, divide_missing=divides)

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

    def export_html(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        open_depth: int = 2,
        title: str = "Decision tree",
    ) -> HtmlTree:
        """Return the tree as an interactive page; see `retree.trees.export.html.export_html`."""
        from retree.trees.export.html import export_html

        names = self._names(feature_names, class_names)
        divides = getattr(self, "_divides_missing", False)
        options: Any = {"open_depth": open_depth, "title": title}
        return export_html(self.tree_, **names, divide_missing=divides, **options)

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
        with needs_extra("drawing a tree"):
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
        try:
            from retree.trees.export.svg import tree_svg
        except ModuleNotFoundError:
            # Without matplotlib a notebook shows what scikit-learn shows.
            return None
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
    _divides_missing = False
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
    # A sum by vector instructions, in half the time of `X.sum()`; it warns of nothing.
    return math.isfinite(np.einsum("ij->", X))


def one_row(row: Any, estimator: Any) -> Any:
    """Return one row as a table, with the names of the columns that `estimator` has seen.

    Parameters
    ----------
    row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
    estimator : estimator
        A fitted one.

    Returns
    -------
    DataFrame or array of shape (1, n_features)

    Raises
    ------
    ValueError
        If there is not one row.
    """
    if isinstance(row, pd.Series):
        row = pd.DataFrame([row.to_numpy()], columns=row.index)
    frame = pandas_frame(row)
    row = row if frame is None else frame
    if not isinstance(row, pd.DataFrame):
        known = vars(estimator).get("feature_names_in_")
        row = np.asarray(row, object if isinstance(row, list | tuple) else None)
        if row.ndim == 0:
            raise ValueError("Give one row as a list, an array, a Series or a DataFrame.")
        row = row[None, :] if row.ndim == 1 else row
        if known is not None and row.ndim == 2 and row.shape[1] == len(known):
            row = pd.DataFrame(row, columns=known)
    if len(row) != 1:
        raise ValueError(f"One row is explained at a time, got {len(row)}; give X[i : i + 1].")
    return row


def complete_rows(estimator: BaseEstimator, X: Any, *y: ArrayLike, reset: bool = True) -> Any:
    """Return `X`, and `y` if it is there, by scikit-learn's checks; refuse missing values.

    Raises
    ------
    ValueError
        If something is wrong with them, or values are missing.
    """
    checked = checked_numbers(estimator, X, *y, reset=reset)
    if np.isnan(checked[0] if y else checked).any():
        fills = "fill_missing" in estimator.get_params(deep=False)
        unless = " unless fill_missing is set" if fills else ""
        raise ValueError(
            f"Input X contains NaN, and {type(estimator).__name__} has no rule for missing values"
            f"{unless}: fill them in, for example with sklearn.impute.SimpleImputer, or take "
            "C45Classifier or CartClassifier."
        )
    return checked


def checked_numbers(estimator: BaseEstimator, X: Any, *y: ArrayLike, reset: bool = True) -> Any:
    """Return `X`, NaN where missing, and `y` if it is there, by scikit-learn's checks."""
    frame = pandas_frame(X)
    rows = X if frame is None else frame
    refuse_missing_labels(y[0] if y else None)
    return validate_data(
        estimator, rows, *y, dtype=np.float64, order="C", reset=reset, ensure_all_finite="allow-nan"
    )


def reject_nonnumeric_columns(X: Any, fix: str = ENCODE) -> None:
    """Raise if `X` is a DataFrame with columns that are not numbers; name them and the `fix`."""
    frame = pandas_frame(X)
    if frame is None:
        return
    columns = enumerate(frame.columns)
    wrong = [str(name) for j, name in columns if not _holds_numbers(frame.iloc[:, j])]
    if wrong:
        raise ValueError(f"Columns {wrong} are not numeric; {fix}.")


def _holds_numbers(column: pd.Series) -> bool:
    """Whether a column is of a numeric type, or of objects that are numbers."""
    if is_object_dtype(column.dtype):
        return bool(pd.to_numeric(column, errors="coerce").notna().eq(column.notna()).all())
    return is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype)
