"""A landmarker: a learner that predicts each row from folds that do not contain it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import roc_auc_score

from retree.weka_folds import weka_fold


class Landmarker(ClassifierMixin, BaseEstimator):
    """Weka's cross-validation of a classifier, which predicts all rows over all folds.

    Weka scores a landmarker on all these predictions together, not fold by fold.

    Parameters
    ----------
    estimator : classifier
        The learner.
    folds : int, default=2
    seed : int, default=1
        Seed of Java's random numbers, which shuffle the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels that have rows.
    """

    classes_: NDArray[Any]

    def __init__(self, estimator: Any, folds: int = 2, seed: int = 1) -> None:
        self.estimator = estimator
        self.folds = folds
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def fit(self, X: Any, y: Any) -> Landmarker:
        """Predict each row of X with the model from the folds that do not contain it.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; of a category type, if some classes have no rows.
        """
        declared, rows = pd.Categorical(y), getattr(X, "iloc", X)
        labels = np.asarray(declared)
        self.classes_ = np.unique(labels)
        self._predicted = np.empty_like(labels)
        self._shares = np.zeros((len(labels), len(self.classes_)))
        for fold in range(self.folds):
            train, test = weka_fold(declared.codes, self.folds, fold, self.seed, stratified=True)
            model = clone(self.estimator).fit(rows[train], declared[train])
            places = np.searchsorted(self.classes_, model.classes_)
            self._predicted[test] = model.predict(rows[test])
            self._shares[np.ix_(test, places)] = model.predict_proba(rows[test])
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes of the rows of `fit`, shape (n_samples,)."""
        return self._of_fit(X, self._predicted)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares of the rows of `fit`, shape (n_samples, n_classes)."""
        return self._of_fit(X, self._shares)

    def _of_fit(self, X: Any, found: NDArray[Any]) -> NDArray[Any]:
        if len(X) != len(found):
            raise ValueError("A landmarker predicts the rows that it is fitted to, and no others.")
        return found


def weighted_auc(estimator: Any, X: Any, y: Any) -> float:
    """Return the mean area under the ROC curve, weighting classes by their rows as Weka does.

    With two classes scikit-learn uses the shares of one class only, but the shares of both need not
    add up to exactly 1.
    """
    labels, shares = np.asarray(y), estimator.predict_proba(X)
    classes, counts = np.unique(labels, return_counts=True)
    areas = [roc_auc_score(labels == c, own) for c, own in zip(classes, shares.T, strict=True)]
    return float(np.average(areas, weights=counts))
