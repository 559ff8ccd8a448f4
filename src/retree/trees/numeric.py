"""Training data of trees of numbers that take weights, and fill in missing values if asked to."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.class_weights import weigh_classes
from retree.trees.filling import fill_values, filled
from retree.trees.mixed import Sample
from retree.trees.rows import checked_numbers, complete_rows, is_checked, reject_nonnumeric_columns
from retree.trees.smoothing import check_smoothing
from retree.trees.tree import Tree
from retree.trees.validation import check_weights, encode_classes

_MOST_WEIGHT = 2.0**50


class NumericTreeClassifier(BaseTreeClassifier):
    """A classifier of numbers whose rows have weights.

    Attributes
    ----------
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    """

    fill_missing: str | None = None
    fill_values_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: missing values are taken if they are filled in."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.fill_missing is not None
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN where missing, if `fill_missing` is set.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How many rows each row counts for, 0 or more. Weights of a mean below 1 are scaled to a
            mean of 1. Rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self.tree_ = self._tree(self._checked_sample(X, y, sample_weight))
        return self

    def _tree(self, sample: Sample) -> Tree:
        """Return the tree of training data."""
        raise NotImplementedError

    def _checked_sample(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Check training data, set ``classes_``; return the rows that have weight.

        Weights of a mean below 1 are scaled to mean 1, and all of them are exact.
        """
        check_smoothing(self.smoothing)
        reject_nonnumeric_columns(X)
        check = complete_rows if self.fill_missing is None else checked_numbers
        rows, labels = check(self, X, y)
        self.classes_, codes = encode_classes(labels)
        weight = check_weights(sample_weight, len(rows))
        weight = weigh_classes(weight, self.class_weight, self.classes_, codes)
        sample = Sample(rows, codes, weight).with_weight()
        sample = sample.with_mean_weight() if self._scales_weights else sample
        sample = sample._replace(weight=exact_weights(sample.weight)).with_weight()
        self.__dict__.pop("fill_values_", None)
        if self.fill_missing is not None:
            sample = self._filled(sample)
        self._check_learnable(sample.X, sample.y)
        return sample

    def _filled(self, sample: Sample) -> Sample:
        """Set ``fill_values_`` and return the sample without missing values."""
        numeric = np.zeros(sample.X.shape[1], np.bool_)
        self.fill_values_ = fill_values(sample.X, sample.weight, numeric, str(self.fill_missing))
        empty = np.flatnonzero(np.isnan(self.fill_values_))
        if len(empty):
            names = [self.feature_names()[j] for j in empty]
            raise ValueError(f"Columns {names} have no value to fill in: leave them out.")
        return sample._replace(X=filled(sample.X, self.fill_values_))

    def _checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, and fill in what is missing."""
        if self.fill_missing is None or is_checked(X, self):
            return super()._checked_rows(X)
        check_is_fitted(self)
        return filled(checked_numbers(self, X, reset=False), self.fill_values_)


def exact_weights(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights rounded to multiples of a power of 2, so that all their sums are exact.

    What remains of a class is then 0 where it has no rows, and no sum depends on the order of the
    rows. Whole weights stay as they are, others change by less than 2^-51 of the sum.

    Shapes: `weight` (n_samples,), result (n_samples,).
    `weight`: not negative, with a sum of at least 1e-100, as the weights of a checked sample have.
    """
    total = sum_of(weight)
    if total > _MOST_WEIGHT:
        raise ValueError(
            f"The sample weights sum to {total:g} rows, more than 2^50: divide them by a constant."
        )
    unit = math.ldexp(1.0, math.frexp(total)[1] - 52)
    return np.rint(weight / unit) * unit
