"""Training data of trees that take categorical columns, missing values and sample weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from retree.trees.base import BaseTreeClassifier
from retree.trees.categories import Levels, encode_levels, find_levels, nominal_mask
from retree.trees.class_weights import ClassWeight, weigh_classes
from retree.trees.filling import fill_values, filled
from retree.trees.rows import is_checked, reject_nonnumeric_columns
from retree.trees.smoothing import Smoothing, check_smoothing
from retree.trees.tables import as_table
from retree.trees.tree import Tree
from retree.trees.validation import (
    check_weights,
    count_declared,
    encode_classes,
    refuse_missing_labels,
)


class Sample(NamedTuple):
    """Training rows as the growing and pruning functions take them."""

    # Numbers, or level codes in categorical columns; NaN where missing; shape (n_samples,
    # n_features).
    X: NDArray[np.float64]
    # Class codes (int32), or the targets of a regression (float64); shape (n_samples,).
    y: NDArray[Any]
    weight: NDArray[np.float64]  # Positive; shape (n_samples,)
    # How often a row counts where C4.5 asks for a number of rows, whatever its weight: in a bag,
    # how often it was drawn. None: once; shape (n_samples,).
    times: NDArray[np.int32] | None = None

    def take(self, rows: NDArray[Any]) -> Sample:
        """Return the sample of some `rows`, a mask or row numbers."""
        times = None if self.times is None else self.times[rows]
        return Sample(self.X[rows], self.y[rows], self.weight[rows], times)

    def with_weight(self) -> Sample:
        """Return the sample of the rows of positive weight; itself if these are all."""
        kept = self.weight > 0
        return self if kept.all() else self.take(kept)

    def with_mean_weight(self) -> Sample:
        """Return the sample with weights of mean 1 if theirs is less; itself if it is not."""
        mean = self.weight.mean()
        return self if mean >= 1 else self._replace(weight=self.weight / mean)


# From a copy of an estimator, weights of rows, some 0, and their counts to a tree.
Grower = Callable[[Any, NDArray[np.float64], NDArray[np.int32] | None], Tree]


class MixedInput(BaseEstimator):
    """Checks of data whose columns are categorical or numeric and may have missing values.

    Attributes
    ----------
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    """

    categorical_features: Any = None
    class_weight: ClassWeight = None
    smoothing: Smoothing = None
    categories_: list[Levels]
    _n_declared: int  # classes
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = self.categorical_features is not None
        return tags

    def _tree_of(self, sample: Sample) -> Tree:
        """Return the tree of checked rows, which forests call for each of their members.

        ``categories_`` is set, and ``classes_`` of a classifier.
        """
        raise NotImplementedError

    def _grower(self, sample: Sample) -> Grower:
        """Return what grows copies of this estimator on the rows of `sample`."""
        return lambda member, weight, times: member._tree_of(
            sample._replace(weight=weight, times=times).with_weight()
        )

    @property
    def _n_levels(self) -> NDArray[np.int32]:
        """Number of levels of each categorical column, -1 of a numeric one."""
        return np.array([-1 if c is None else len(c) for c in self.categories_], np.int32)

    def _checked_classes(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Check the data of a classifier, set ``classes_``; return the rows that have weight."""
        check_smoothing(self.smoothing)
        rows, labels, weight, _ = self._checked_table(X, y, sample_weight)
        self.classes_, codes = encode_classes(labels)
        weight = weigh_classes(weight, self.class_weight, self.classes_, codes)
        self._n_declared = max(len(self.classes_), count_declared(y))
        return Sample(rows, codes, weight).with_weight()

    def _checked_targets(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Check the data of a regressor; return the rows that have weight."""
        rows, targets, weight, _ = self._checked_table(X, y, sample_weight, y_numeric=True)
        return Sample(rows, targets.astype(np.float64), weight).with_weight()

    def _checked_table(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, **checks: Any
    ) -> Sample:
        """Check training data, set ``categories_``."""
        X = as_table(X)
        self.categories_ = []
        if _is_encodable(X):
            self.categories_ = find_levels(X, nominal_mask(X, self.categorical_features))
            X = encode_levels(X, self.categories_)
        refuse_missing_labels(y)
        reject_nonnumeric_columns(X, "name them in categorical_features, or make them numbers")
        rows, targets = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan", **checks
        )
        return Sample(rows, targets, check_weights(sample_weight, len(rows)))

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, with level codes in the categorical columns."""
        if is_checked(X, self) and all(levels is None for levels in self.categories_):
            return X
        check_is_fitted(self)
        X = as_table(X)
        if _is_encodable(X) and X.shape[1] == self.n_features_in_:
            X = encode_levels(X, self.categories_)
        rows: NDArray[np.float64] = validate_data(
            self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite="allow-nan"
        )
        return rows


class FractionalTreeClassifier(MixedInput, BaseTreeClassifier):
    """A classifier whose rows go down every branch of a test of which they lack the value.

    A branch gets a part of such a row's weight in proportion to its own, in training as in
    prediction. With `fill_missing` there are no such rows.
    """

    _divides_missing = True

    fill_missing: str | None
    fill_values_: NDArray[np.float64]

    def _filled_classes(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Check the data as `_checked_classes` does, and fill in what is missing."""
        sample = self._checked_classes(X, y, sample_weight)
        if self.fill_missing is None:
            self.__dict__.pop("fill_values_", None)
            return sample
        is_nominal = self._n_levels >= 0
        self.fill_values_ = fill_values(sample.X, sample.weight, is_nominal, self.fill_missing)
        return sample._replace(X=filled(sample.X, self.fill_values_))

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, and fill in what is missing."""
        rows = super()._checked_rows(X)
        return rows if self.fill_missing is None else filled(rows, self.fill_values_)


def _is_encodable(X: Any) -> bool:
    """Whether `X` is a table of columns; if not, scikit-learn's own check says what is wrong."""
    if sparse.issparse(X):
        return False
    return isinstance(X, pd.DataFrame) or (isinstance(X, np.ndarray) and X.ndim == 2)
