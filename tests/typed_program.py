"""A typed program of a user: a type checker must find nothing in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import retree
from retree import BaggingTreesClassifier, C45Classifier, CartClassifier


def accuracy(X: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return how many rows a pruned tree gets right that has seen them."""
    tree = C45Classifier(pruning="ebp", min_cases=2).fit(X, y)
    text: str = tree.export_text()
    leaves: int = tree.get_n_leaves()
    probabilities: NDArray[np.float64] = tree.predict_proba(X)
    assert text.count("\n") >= leaves
    assert probabilities.shape[0] == len(X)
    return float(np.mean(tree.predict(X) == y))


def forest(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[str]:
    """Return the names of the classes of a small forest."""
    found = BaggingTreesClassifier(
        estimator=CartClassifier(max_depth=2), n_estimators=3, random_state=0
    )
    return [str(name) for name in found.fit(X, y).classes_]


version: str = retree.__version__
