"""OneR of Weka 3.6.8, which cuts features row by row; `retree.OneRClassifier` is the later one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class OneR(ClassifierMixin, BaseEstimator):
    """Holte's OneR as in Weka 3.6.8: one feature, cut into intervals that each predict a class.

    An interval grows row by row until one class has `min_bucket_size` rows and the next row has
    another class; further rows with the last value join it. So the order of rows with equal values
    matters: it is that of Weka's quicksort. Weka 3.6.10 and later releases grow intervals value by
    value instead. Neighbouring intervals that predict the same class are joined. Ties go to the
    first class and to the first feature.

    Parameters
    ----------
    min_bucket_size : int, default=6
        Minimum number of rows of one class in an interval.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_ : int
    cuts_ : ndarray of shape (n_intervals - 1,)
        A row belongs to the interval after the last cut that its value reaches.
    intervals_ : ndarray of shape (n_intervals,)
        Code of the class that each interval predicts.

    References
    ----------
    Holte R.C. (1993). Very simple classification rules perform well on most commonly used
    datasets. Machine Learning 11, 63-90.
    """

    def __init__(self, min_bucket_size: int = 6) -> None:
        self.min_bucket_size = min_bucket_size

    def fit(self, X: ArrayLike, y: ArrayLike) -> OneR:
        """Find the intervals of the best feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Raises
        ------
        ValueError
            If a value is missing or infinite, or there are no rows.
        """
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        most = -1
        for feature, column in enumerate(rows.T):
            order = weka_order(column)
            values, classes = column[order].tolist(), codes[order].tolist()
            correct, ends, predicted = self._intervals(values, classes)
            if correct > most:
                most, self.feature_ = correct, feature
                self.cuts_ = np.array([(values[i - 1] + values[i]) / 2 for i in ends[:-1]])
                self.intervals_ = np.array(predicted, np.intp)
        return self

    def _intervals(
        self, values: list[float], classes: list[int]
    ) -> tuple[int, list[int], list[int]]:
        """Return the number of correct training rows, the intervals' ends, and their classes."""
        n, i, correct = len(values), 0, 0
        ends: list[int] = []
        predicted: list[int] = []
        while i < n:
            counts, best, full = [0] * len(self.classes_), 0, False
            while i < n and not (full and classes[i] != best):
                best = best if full else classes[i]
                counts[classes[i]] += 1
                full = counts[best] >= self.min_bucket_size
                i += 1
            while i < n and values[i - 1] == values[i]:
                counts[classes[i]] += 1
                i += 1
            if counts[best] < max(counts):
                best = counts.index(max(counts))
            if predicted and counts[predicted[-1]] == counts[best]:
                best = predicted.pop()
                ends.pop()
            correct += counts[best]
            predicted.append(best)
            ends.append(i)
        return correct, ends, predicted

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row, shape (n_samples,)."""
        check_is_fitted(self)
        column = validate_data(self, X, dtype=np.float64, reset=False)[:, self.feature_]
        return self.classes_[self.intervals_[np.searchsorted(self.cuts_, column, side="right")]]


def weka_order(column: Floats) -> Codes:
    """Return the rows in the order of Weka's quicksort, which is not stable."""
    values, rows = column.tolist(), list(range(len(column)))
    pending = [(0, len(rows) - 1)]
    while pending:
        low, high = pending.pop()
        if low >= high:
            continue
        left, right, pivot = low, high, values[(low + high) // 2]
        while left < right:
            while values[left] < pivot and left < right:
                left += 1
            while values[right] > pivot and left < right:
                right -= 1
            if left < right:
                values[left], values[right] = values[right], values[left]
                rows[left], rows[right] = rows[right], rows[left]
                left, right = left + 1, right - 1
        if left == right and values[right] > pivot:
            right -= 1
        pending += [(low, right), (right + 1, high)]
    return np.array(rows, np.intp)
