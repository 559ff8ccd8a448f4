"""C4.5 (Quinlan 1993) as Weka's J48 grows and prunes it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import norm
from sklearn.utils import check_scalar
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from retree.trees.base import BaseTreeClassifier, reject_nonnumeric_columns
from retree.trees.categories import Levels, encode_levels, find_levels, nominal_mask
from retree.trees.kernels import c45_grow, c45_prune
from retree.trees.kernels.c45_split import C45Rule, make_tests
from retree.trees.kernels.gain import TOLERANCE
from retree.trees.kernels.weighted_columns import WeightedColumns, make_weighted_columns
from retree.trees.tree import LEAF, Tree
from retree.trees.validation import check_weights

_NO_LIMIT = np.iinfo(np.int64).max


class C45Classifier(BaseTreeClassifier):
    """C4.5: gain-ratio splits with a branch a level, and error-based pruning.

    The tree is that of J48, Weka's implementation of C4.5 release 8. A numeric attribute is tested
    against the threshold of greatest information gain, a nominal one with a branch for each of its
    levels; of the tests of at least average gain (to 1e-3) the one of best gain ratio is taken, the
    first attribute where ratios tie. Numbers that differ by less than 1e-6 are tied, and no
    threshold stands between values closer than 1e-5, so scale attributes of a smaller range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, in
    training as in prediction. A level that was unknown in `fit` counts as missing.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of error-based pruning, in (0, 0.5]; a smaller one prunes more.
    min_cases : int, default=2
        At least two branches of a test must have this weight. Both branches of a numeric test must
        have a tenth of the node's known weight per class, but no less than `min_cases` and no more
        than the greater of `min_cases` and 25.
    pruning : {"ebp"} or None, default="ebp"
        Error-based pruning, or none.
    subtree_raising : bool, default=True
        Whether pruning may put the largest branch of a node in its place.
    collapse : bool, default=True
        Whether a subtree that errs no less in training than a leaf becomes one, before pruning.
    mdl_correction : bool, default=True
        Whether log2(number of thresholds) / (weight of the node) is taken from the information gain
        of a numeric test.
    binary_splits : bool, default=False
        Whether a nominal test asks for one level against all others.
    max_depth : int or None, default=None
        Greatest depth.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Nominal columns: those of a pandas category type, none, or a mask, indices or names. Levels
        are those of the pandas type, otherwise those seen in `fit`, sorted.

    Attributes
    ----------
    tree_ : Tree
        The grown tree. A branch that no training row takes is a leaf of weight 0 with the class
        shares of its parent.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each nominal column, None for a numeric one.
    n_features_in_ : int
        Number of attributes seen in `fit`.

    References
    ----------
    Quinlan J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Quinlan J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
    Intelligence Research 4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45Classifier().fit(X, y).get_n_leaves()
    5
    """

    def __init__(
        self,
        confidence: float = 0.25,
        min_cases: int = 2,
        pruning: str | None = "ebp",
        subtree_raising: bool = True,
        collapse: bool = True,
        mdl_correction: bool = True,
        binary_splits: bool = False,
        max_depth: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.confidence = confidence
        self.min_cases = min_cases
        self.pruning = pruning
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.binary_splits = binary_splits
        self.max_depth = max_depth
        self.categorical_features = categorical_features

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> C45Classifier:
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in nominal columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative, on the scale of `min_cases`; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        rule = self._rule()
        rows, codes, weight = self._checked_weighted_data(X, y, sample_weight)
        n_levels = np.array([-1 if c is None else len(c) for c in self.categories_], np.int32)
        columns = make_weighted_columns(rows, codes, weight, n_levels, len(self.classes_))
        draft = _grow(columns, rule)
        if self.collapse:
            c45_prune.collapse(draft)
        if self.pruning is not None:
            z = norm.ppf(1 - self.confidence)
            c45_prune.prune(
                draft, rows, codes, weight, float(self.confidence), z, bool(self.subtree_raising)
            )
        self.tree_ = _compact(draft, rows.shape[1])
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of the training weights in the leaf, or leaves, of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        rows = self._checked_rows(X)
        return self.tree_.class_shares(rows)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of greatest share, the first label where classes tie.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        shares = self.predict_proba(X)
        tied = shares > shares.max(axis=1, keepdims=True) - TOLERANCE
        return self.classes_[tied.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _rule(self) -> C45Rule:
        """Validate the parameters and return those of growing."""
        check_scalar(self.confidence, "confidence", Real, min_val=0, max_val=0.5,
                     include_boundaries="right")  # fmt: skip
        check_scalar(self.min_cases, "min_cases", Integral, min_val=1)
        if self.pruning not in ("ebp", None):
            raise ValueError(f"Invalid pruning {self.pruning!r}. Valid ones are 'ebp', None.")
        if self.max_depth is not None:
            check_scalar(self.max_depth, "max_depth", Integral, min_val=1)
        return C45Rule(
            min_cases=float(self.min_cases),
            mdl_correction=bool(self.mdl_correction),
            binary_splits=bool(self.binary_splits),
            max_depth=_NO_LIMIT if self.max_depth is None else int(self.max_depth),
        )

    def _checked_weighted_data(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Check training data, set ``classes_`` and ``categories_``; return rows with weight."""
        X = _table(X)
        self.categories_: list[Levels] = []
        if _is_encodable(X):
            self.categories_ = find_levels(X, nominal_mask(X, self.categorical_features))
            X = encode_levels(X, self.categories_)
        reject_nonnumeric_columns(X)
        rows, labels = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        check_classification_targets(labels)
        weight = check_weights(sample_weight, len(rows))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        keep = weight > 0
        return rows[keep], codes[keep].astype(np.int32), weight[keep]

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, with level codes in the nominal columns."""
        check_is_fitted(self)
        X = _table(X)
        if _is_encodable(X) and X.shape[1] == self.n_features_in_:
            X = encode_levels(X, self.categories_)
        rows: NDArray[np.float64] = validate_data(
            self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite="allow-nan"
        )
        return rows


def _table(X: Any) -> Any:
    """Return lists as arrays of objects, so that numbers beside strings stay numbers."""
    if isinstance(X, pd.DataFrame) or sparse.issparse(X):
        return X
    return np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)


def _is_encodable(X: Any) -> bool:
    """Whether `X` is a table of columns; if not, scikit-learn's own check says what is wrong."""
    if sparse.issparse(X):
        return False
    return isinstance(X, pd.DataFrame) or (isinstance(X, np.ndarray) and X.ndim == 2)


def _grow(columns: WeightedColumns, rule: C45Rule) -> c45_prune.Draft:
    """Return the unpruned tree."""
    n_samples = len(columns.weight)
    scratch = c45_grow.Scratch(
        tests=make_tests(
            len(columns.numeric) + len(columns.nominal),
            int(columns.n_levels.max(initial=0)),
            columns.n_classes,
        ),
        branch=np.empty(n_samples, np.int32),
        goes_left=np.empty(n_samples, np.uint8),
        new_number=np.empty(n_samples, np.int32),
        buffer=np.empty(n_samples, np.uint64),
    )
    counts = np.bincount(columns.y, columns.weight, columns.n_classes)
    numbers, weights = c45_grow.grow(columns, counts, rule, scratch)
    parent = numbers[:, 0]
    n_children = np.bincount(parent[1:], minlength=len(parent)).astype(np.int32)
    return c45_prune.Draft(
        first=(np.cumsum(n_children) - n_children).astype(np.int32),
        n_children=n_children,
        children=(1 + np.argsort(parent[1:], kind="stable")).astype(np.int32),
        feature=numbers[:, 1].astype(np.int32),
        threshold=weights[:, 0].copy(),
        level=numbers[:, 2].astype(np.int32),
        counts=weights[:, 1:].copy(),
    )


def _compact(draft: c45_prune.Draft, n_features: int) -> Tree:
    """Return the nodes of `draft` that pruning has left, numbered depth first."""
    kept = c45_prune.reachable(draft)
    n_children = draft.n_children[kept]
    new_number = np.empty(len(draft.first), np.int32)
    new_number[kept] = np.arange(len(kept))
    edges = np.concatenate(
        [draft.children[draft.first[i] : draft.first[i] + draft.n_children[i]] for i in kept]
    )
    is_leaf = n_children == 0
    level = np.where(is_leaf, -1, draft.level[kept]).astype(np.int32)
    return Tree(
        n_features=n_features,
        children_ptr=np.concatenate(([0], np.cumsum(n_children))).astype(np.int32),
        children=new_number[edges],
        feature=np.where(is_leaf, LEAF, draft.feature[kept]).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, draft.threshold[kept]),
        counts=draft.counts[kept],
        level=level if (level >= 0).any() else None,
    )
