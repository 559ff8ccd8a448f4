"""Weka's DecisionStump: a tree of one test."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from retree import engine
from retree.trees.declaring import changed, declare
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import Sample
from retree.trees.node_tests import LevelSets
from retree.trees.parameters import WithCategories, WithClassWeight, WithSmoothing
from retree.trees.tree import LEAF, NO_ROWS, Tree
from retree.trees.weka.growing import ExactShares


@declare("decision_stump")
class DecisionStumpClassifier(WithCategories, WithClassWeight, WithSmoothing, ExactShares):
    """Weka's DecisionStump: a single test, the one that leaves the lowest entropy.

    A numeric feature is tested against the middle between two neighbouring values, a categorical
    feature for one of its levels against all others. Of tied tests the first feature wins, then the
    lowest threshold or the first level. Entropies are compared exactly and summed in Weka's order,
    because boosting produces tests that are equally good. The stump equals those of Weka 3.6.14 and
    3.9.7. As there, the middle between values above 0.9e308 is infinite, so such values cannot be
    separated. Weka 3.6.8 adds weights that are not whole in another order.

    If training rows lack the tested value, they get their own branch. Otherwise, a row without the
    value gets the class shares of all rows. As in Weka, a branch without rows predicts the same as
    for a row without the value.

    Attributes
    ----------
    tree_ : Tree
        The test and its two or three leaves; a single leaf if all features are constant.

    References
    ----------
    Iba W., Langley P. (1992). Induction of one-level decision trees. ICML, 233-240.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import DecisionStumpClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(DecisionStumpClassifier().fit(X, y).export_text())
    x[2] <= 2.45: 0 (0: 50)
    x[2] > 2.45: 1 (1: 50, 2: 50)
    """

    declares = changed(divides_missing=True, in_forests=True, weights="scaled")
    impurity = ENTROPY
    # Whether counts are as Weka leaves them: of a sum that should be 0, a last bit may be left.
    keeps_rests = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the stump of checked rows."""
        least = -np.inf if self.keeps_rests else 0.0
        return grow_stump(sample, self.n_levels, len(self.classes_), sample.shared, least)

    def share(self, sample: Sample) -> Sample:
        """Return the sample with the orders in which Weka sorts its rows."""
        return sample._replace(shared=row_orders(sample.X, self.n_levels))


def row_orders(X: NDArray[np.float64], n_levels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the rows in their order, and in the order that Weka sorts them in by each feature.

    Shapes: `X` (n_samples, n_features), `n_levels` (n_features,), result (n_numeric + 1,
    n_samples).
    """
    orders = np.empty((int((n_levels < 0).sum()) + 1, len(X)), np.int32)
    engine.call("stump_orders", X, n_levels, orders)
    return orders


def grow_stump(
    sample: Sample,
    n_levels: NDArray[np.int32],
    n_classes: int,
    orders: NDArray[np.int32] | None = None,
    least: float = 0.0,
) -> Tree:
    """Grow the stump of `sample`, with counts raised to at least `least`.

    `orders`: the sample's `row_orders`, if they are known.
    """
    if orders is None:
        orders = row_orders(sample.X, n_levels)
    given = sample.X, sample.y, sample.weight, n_levels, orders, n_classes
    numbers, threshold, counts = engine.call("grow_stump", *given)
    feature, level, lacks_values, is_test = numbers.tolist()
    n_features = len(n_levels)
    if not (is_test or lacks_values):
        return Tree.leaf(n_features, counts[0])
    if lacks_values:
        sides = counts[1:3]
        sides = np.where(sides.any(axis=1, keepdims=True), sides, counts[3] * NO_ROWS)
        counts = np.vstack([counts[:1], sides, counts[3:]])
    n_nodes = 4 if lacks_values else 3
    at_root = np.arange(n_nodes) == 0
    is_level = n_levels[feature] >= 0
    return Tree.from_parents(
        np.where(at_root, -1, 0),
        n_features=n_features,
        feature=np.where(at_root, feature, LEAF).astype(np.int32),
        threshold=np.where(at_root & (not is_level), threshold[0], np.nan),
        counts=np.maximum(counts[:n_nodes], least),
        subset=np.where(at_root, 0, -1).astype(np.int32) if is_level else None,
        left_levels=LevelSets.of_single(np.array([level]), int(n_levels[feature]))
        if is_level
        else None,
        missing_branch=at_root if lacks_values else None,
    )
