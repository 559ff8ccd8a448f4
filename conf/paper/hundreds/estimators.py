"""Three small methods of Weka: one test, one feature, and a tree pruned on held-out rows.

They take numbers without missing values, as the paper's files hold them, and give what Weka 3.6.8
gives. Counts of rows are whole, so an entropy is a sum of terms n log n over whole n, added in
Weka's order: which of two equal splits comes first depends on its last bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from retree import REPTreeClassifier

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
LOG_2 = 0.6931471805599453


class NumericClassifier(ClassifierMixin, BaseEstimator, ABC):
    """What the three have in common: classes as codes, and rows of finite numbers."""

    classes_: NDArray[Any]

    def fit(self, X: ArrayLike, y: ArrayLike) -> NumericClassifier:
        """Fit the method to rows of numbers and their classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Raises
        ------
        ValueError
            If a value is missing or infinite, or there are no rows.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._fit(X, codes.astype(np.intp))
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self._predict(X)]

    @abstractmethod
    def _fit(self, X: Floats, codes: Codes) -> None:
        """Fit the method to classes as codes."""

    @abstractmethod
    def _predict(self, X: Floats) -> Codes:
        """Return the code of the class of each row."""


class DecisionStump(NumericClassifier):
    """Weka's DecisionStump: the test of one feature that leaves the least entropy.

    The first feature and the lowest cut win ties. A row goes left if its value is at most the cut;
    of equally frequent classes the first is predicted.

    Attributes
    ----------
    feature_ : int
        The tested feature, -1 if all features are constant.
    cut_ : float
    sides_ : ndarray of shape (2,)
        Code of the class on either side.

    References
    ----------
    Iba W., Langley P. (1992). Induction of one-level decision trees. ICML, 233-240.
    """

    def _fit(self, X: Floats, codes: Codes) -> None:
        self.feature_, self.cut_ = -1, 0.0
        totals = np.bincount(codes, minlength=len(self.classes_))
        self.sides_, least = np.repeat(totals.argmax(), 2), np.inf
        for feature, column in enumerate(X.T):
            cuts, left = splits(column, codes, len(totals))
            if not len(cuts):
                continue
            entropy = entropy_of_rows(left, totals)
            best = int(entropy.argmin())
            if entropy[best] < least:
                least, self.feature_, self.cut_ = entropy[best], feature, cuts[best]
                self.sides_ = np.array([left[best].argmax(), (totals - left[best]).argmax()])

    def _predict(self, X: Floats) -> Codes:
        if self.feature_ < 0:
            return np.repeat(self.sides_[0], len(X))
        return self.sides_[(X[:, self.feature_] > self.cut_).astype(np.intp)]


class OneR(NumericClassifier):
    """Holte's OneR as Weka 3.6.8's: one feature, cut into intervals that each predict a class.

    An interval grows row by row until one class has `min_bucket_size` rows and another class is
    next; rows of the last value join it. So the order of rows with equal values matters: it is that
    of Weka's quicksort. Weka 3.6.10 and later releases go by values instead. A neighbour that
    predicts the same class is joined. The first class and feature win ties.

    Parameters
    ----------
    min_bucket_size : int, default=6
        Rows of one class that an interval needs.

    Attributes
    ----------
    feature_ : int
    cuts_ : ndarray of shape (n_intervals - 1,)
        A row is in the interval after the last cut that its value reaches.
    intervals_ : ndarray of shape (n_intervals,)
        Codes of the predicted classes.

    References
    ----------
    Holte R.C. (1993). Very simple classification rules perform well on most commonly used
    datasets. Machine Learning 11, 63-90.
    """

    def __init__(self, min_bucket_size: int = 6) -> None:
        self.min_bucket_size = min_bucket_size

    def _fit(self, X: Floats, codes: Codes) -> None:
        most = -1
        for feature, column in enumerate(X.T):
            order = weka_order(column)
            values, classes = column[order].tolist(), codes[order].tolist()
            correct, ends, predicted = self._intervals(values, classes)
            if correct > most:
                most, self.feature_ = correct, feature
                self.cuts_ = np.array([(values[i - 1] + values[i]) / 2 for i in ends[:-1]])
                self.intervals_ = np.array(predicted, np.intp)

    def _intervals(
        self, values: list[float], classes: list[int]
    ) -> tuple[int, list[int], list[int]]:
        """Return the right training rows, where each interval ends, and what it predicts."""
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

    def _predict(self, X: Floats) -> Codes:
        return self.intervals_[np.searchsorted(self.cuts_, X[:, self.feature_], side="right")]


class REPTree(NumericClassifier):
    """`REPTreeClassifier` under the names that its parameters have in the keys of stored cells.

    Parameters
    ----------
    n_folds : int, default=3
    min_rows : int, default=2
    seed : int, default=1
    """

    def __init__(self, n_folds: int = 3, min_rows: int = 2, seed: int = 1) -> None:
        self.n_folds = n_folds
        self.min_rows = min_rows
        self.seed = seed

    def _fit(self, X: Floats, codes: Codes) -> None:
        named = {"folds": self.n_folds, "min_cases": self.min_rows, "random_state": self.seed}
        self._model = REPTreeClassifier(**named).fit(X, codes)

    def _predict(self, X: Floats) -> Codes:
        return self._model.predict(X)


def weka_order(column: Floats) -> Codes:
    """Return the rows in the order of Weka's quicksort, which moves rows of equal values about."""
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


def splits(column: Floats, codes: Codes, n_classes: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the cuts of a feature, halfway between neighbours, and the rows of each class below.

    Shapes are (n_cuts,) and (n_cuts, n_classes).
    """
    order = np.argsort(column, kind="stable")
    values = column[order]
    ends = np.flatnonzero(values[:-1] < values[1:])
    one_hot = np.zeros((len(codes), n_classes), np.int64)
    one_hot[np.arange(len(codes)), codes[order]] = 1
    return (values[ends] + values[ends + 1]) / 2, one_hot.cumsum(axis=0)[ends]


def entropy_of_rows(left: NDArray[np.int64], totals: NDArray[np.int64]) -> Floats:
    """Return the entropy in bits that each split leaves, shape (n_cuts,)."""
    total = int(totals.sum())
    terms = n_log_n(total)
    found = np.zeros(len(left))
    for side in (left, totals - left):
        for counts in side.T:
            found += terms[counts]
        found -= terms[side.sum(axis=1)]
    return -found / (total * LOG_2)


def n_log_n(most: int) -> Floats:
    """Return n ln(n) for n from 0 to `most` at least, the same on every machine."""
    if len(_TERMS) <= most:
        _extend_terms(most)
    return _TERMS


_BITS = 128
_TERMS = np.zeros(2)


def _extend_terms(most: int) -> None:
    """Compute logarithms by ln(n) - ln(n - 1) = 2 artanh(1 / (2n - 1)), in whole numbers."""
    global _TERMS
    logarithm, found = 0, [0.0, 0.0]
    for n in range(2, most + 1):
        power, k, square = (2 << _BITS) // (2 * n - 1), 1, (2 * n - 1) ** 2
        while power:
            logarithm += power // k
            power, k = power // square, k + 2
        found.append(n * (logarithm / (1 << _BITS)))
    _TERMS = np.array(found)
