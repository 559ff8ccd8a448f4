"""Three small methods of Weka: one test, one feature, and a tree pruned on held-out rows.

They take numbers without missing values, as the paper's files hold them, and give what Weka 3.6
gives. Counts of rows are whole, so an entropy is a sum of terms n log n over whole n, added in
Weka's order: which of two equal splits comes first depends on its last bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from retree.experiments.planning.weka_folds import weka_fold

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
LOG_2 = 0.6931471805599453
# Differences up to this are none, as in Weka.
SMALL = 1e-6


class NumericClassifier(ClassifierMixin, BaseEstimator):
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

    def _fit(self, X: Floats, codes: Codes) -> None:
        raise NotImplementedError

    def _predict(self, X: Floats) -> Codes:
        raise NotImplementedError


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
    """Holte's OneR as Weka's: one feature, cut into intervals that each predict a class.

    An interval grows by one value after the other until one class has `min_bucket_size` rows and
    another class is the most frequent one at the next value. The first class and feature win ties.

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
            values, place = np.unique(column, return_inverse=True)
            counts = np.zeros((len(values), len(self.classes_)), np.int64)
            np.add.at(counts, (place, codes), 1)
            starts = self._starts(counts)
            within = np.add.reduceat(counts, starts)
            if within.max(axis=1).sum() > most:
                most, self.feature_ = int(within.max(axis=1).sum()), feature
                self.cuts_ = (values[starts[1:] - 1] + values[starts[1:]]) / 2
                self.intervals_ = within.argmax(axis=1)

    def _starts(self, counts: NDArray[np.int64]) -> Codes:
        """Return at which of the sorted values the intervals begin, for the classes of each."""
        starts, within = [0], counts[0].copy()
        for i, here in enumerate(counts[1:], start=1):
            if within.max() < self.min_bucket_size or within.argmax() == here.argmax():
                within += here
            else:
                starts.append(i)
                within = here.copy()
        return np.array(starts, np.intp)

    def _predict(self, X: Floats) -> Codes:
        return self.intervals_[np.searchsorted(self.cuts_, X[:, self.feature_], side="right")]


@dataclass
class Node:
    """A node of `REPTree`: rows of each class, those that grow it and those held out.

    Without `children` it is a leaf.
    """

    counts: NDArray[np.int64]
    held_out: NDArray[np.int64]
    feature: int = -1
    cut: float = 0.0
    children: list[Node] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """How many held-out rows it misclassifies as a leaf."""
        return int(self.held_out.sum() - self.held_out[self.counts.argmax()])


class REPTree(NumericClassifier):
    """Weka's REPTree: information gain, pruned where that does not raise the held-out errors.

    One of `n_folds` stratified folds is held out for pruning; afterwards the leaves count its rows
    too. A row goes left if its value is below the cut. Ties are decided as in `DecisionStump`.

    Parameters
    ----------
    n_folds : int, default=3
    min_rows : int, default=2
        Rows that both sides of a test need.
    seed : int, default=1
        Of Java's random numbers, which shuffle the rows.

    Attributes
    ----------
    root_ : Node

    References
    ----------
    Witten I.H., Frank E., Hall M.A. (2011). Data Mining, 3rd edition, section 11.4.
    """

    def __init__(self, n_folds: int = 3, min_rows: int = 2, seed: int = 1) -> None:
        self.n_folds = n_folds
        self.min_rows = min_rows
        self.seed = seed

    def _fit(self, X: Floats, codes: Codes) -> None:
        grow, held_out = weka_fold(codes, self.n_folds, 0, self.seed, stratified=True)
        self.root_ = self._grown(X, codes, grow, held_out)
        _prune(self.root_)

    def _grown(self, X: Floats, codes: Codes, rows: Codes, held_out: Codes) -> Node:
        k = len(self.classes_)
        counts = np.bincount(codes[rows], minlength=k)
        node = Node(counts, np.bincount(codes[held_out], minlength=k))
        if len(rows) < 2 * self.min_rows or counts.max() == len(rows):
            return node
        feature, cut, gain, smallest = self._best_split(X[rows], codes[rows], counts)
        if gain <= SMALL or smallest < self.min_rows:
            return node
        node.feature, node.cut = feature, cut
        left, held_left = X[rows, feature] < cut, X[held_out, feature] < cut
        sides = [(rows[left], held_out[held_left]), (rows[~left], held_out[~held_left])]
        node.children = [self._grown(X, codes, *side) for side in sides]
        return node

    def _best_split(
        self, X: Floats, codes: Codes, counts: NDArray[np.int64]
    ) -> tuple[int, float, float, int]:
        """Return feature, cut and gain of the best split, and the rows of its smaller side."""
        best: tuple[int, float, float, int] = (-1, 0.0, 0.0, 0)
        prior, highest = entropy_of_totals(counts), -np.inf
        # Classes without rows add nothing to an entropy.
        present, codes = np.unique(codes, return_inverse=True)
        counts = counts[present]
        for feature, column in enumerate(X.T):
            cuts, left = splits(column, codes, len(counts))
            gains = prior - entropy_of_rows(left, counts) if len(cuts) else np.zeros(1)
            at = int(gains.argmax())
            if gains[at] > highest:
                highest = gains[at]
                n_left = int(left[at].sum()) if len(cuts) else 0
                cut = float(cuts[at]) if len(cuts) else 0.0
                best = feature, cut, float(highest), min(n_left, len(codes) - n_left)
        return best

    def _predict(self, X: Floats) -> Codes:
        found = np.empty(len(X), np.intp)
        pending = [(self.root_, np.arange(len(X)))]
        while pending:
            node, rows = pending.pop()
            if node.children:
                left = X[rows, node.feature] < node.cut
                pending += zip(node.children, (rows[left], rows[~left]), strict=True)
            else:
                found[rows] = (node.counts + node.held_out).argmax()
        return found


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


def entropy_of_totals(totals: NDArray[np.int64]) -> float:
    """Return the entropy of the classes in bits."""
    total = int(totals.sum())
    terms, found = n_log_n(total), 0.0
    for count in totals:
        found -= terms[count]
    return float((found + terms[total]) / (total * LOG_2))


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


def _prune(node: Node) -> int:
    """Prune below `node`, bottom-up, and return the held-out errors that are left."""
    if not node.children:
        return node.errors
    below = sum(map(_prune, node.children))
    if below >= node.errors:
        node.children = []
        return node.errors
    return below
