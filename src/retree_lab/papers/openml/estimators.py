"""Learners whose predictions are scored as OpenML scores them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree import WekaRandomTreeClassifier
from retree.forests import (
    RandomSubspaceClassifier,
    RealAdaBoostClassifier,
    WekaRandomForestClassifier,
)


class ScoredByConfidences:
    """Predicts like OpenML's evaluation engine, from the confidences in a file.

    Weka wrote the confidences with six decimals. If classes then tie, the first one is predicted.
    """

    def predict(self: Any, X: ArrayLike) -> NDArray[Any]:
        """Return the class with the highest confidence for each row, shape (n_samples,)."""
        order = np.searchsorted(self.classes_, self.class_order_)
        confidences = np.floor(self.predict_proba(X)[:, order] * 1e6 + 0.5)
        return self.class_order_[confidences.argmax(axis=1)]


class RandomTree(ScoredByConfidences, WekaRandomTreeClassifier):
    """Weka's RandomTree."""


class RandomForest(ScoredByConfidences, WekaRandomForestClassifier):
    """Weka's RandomForest."""


class RandomSubspace(ScoredByConfidences, RandomSubspaceClassifier):
    """Weka's RandomSubSpace."""


class RealAdaBoost(ScoredByConfidences, RealAdaBoostClassifier):
    """Weka's RealAdaBoost."""
