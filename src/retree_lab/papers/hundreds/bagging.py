"""Bagging of J48 with the bags of Weka 3.6.8; later releases draw bags in another way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from retree.java_random import JavaRandom
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.tree import Tree


class BaggingJ48(ClassifierMixin, BaseEstimator):
    """Weka 3.6.8's Bagging with J48 and its defaults: the mean of the trees' class shares decides.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of trees.
    seed : int, default=1
        Seed of Java's random numbers, which draw the bags.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of Tree

    References
    ----------
    Breiman L. (1996). Bagging predictors. Machine Learning 24, 123-140.
    """

    classes_: NDArray[Any]
    trees_: list[Tree]

    def __init__(self, n_estimators: int = 10, seed: int = 1) -> None:
        self.n_estimators = n_estimators
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike) -> BaggingJ48:
        """Grow a tree on each bag.

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
        j48, random = C45Classifier(weka="3.6"), JavaRandom(self.seed)
        sample = j48.checked_sample(X, y)
        self.classes_, rows = j48.classes_, j48.share(sample)
        bags = [bag(len(y), random) for _ in range(self.n_estimators)]
        self.trees_ = [
            j48.tree_of(rows._replace(weight=times.astype(np.float64), times=times))
            for times in bags
        ]
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row, the first one if shares are exactly equal."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        shares = np.zeros((len(X), len(self.classes_)))
        for tree in self.trees_:
            shares += tree.predicted(X, divide_missing=True)
        # Weka adds one share after the other; numpy's sum would pair them.
        totals = shares.cumsum(axis=1)[:, -1:]
        return self.classes_[(shares / totals).argmax(axis=1)]


def bag(n_rows: int, random: JavaRandom) -> NDArray[np.int32]:
    """Draw a bag of `n_rows` rows; return the number of copies of each row, shape (n_rows,).

    Weka 3.6.8 adds up uniform gaps and scales the sums to end at `n_rows`; row i is drawn once for
    each sum above i and up to i + 1. The gaps are not exponentially distributed, so some bags are
    more likely than they should be. Walker's method, used since 3.6.9, draws each row with equal
    probability.
    """
    sums = np.cumsum([random.share() for _ in range(n_rows)])
    sums /= sums[-1] / n_rows
    sums[-1] = n_rows
    rows = np.searchsorted(np.arange(1, n_rows + 1), sums)
    return np.bincount(rows, minlength=n_rows).astype(np.int32)
