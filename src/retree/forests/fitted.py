"""Fitted forests of any make, as a `Forest` and the way to encode rows for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_is_fitted

from retree.forests.forest import Forest
from retree.forests.forest_base import ForestClassifier, Vote
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import declare
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.tree import LEAF, Tree


@declare()
class FittedForestClassifier(ForestClassifier):
    """A forest that was selected or thinned: it votes like the forest it comes from."""

    single_precision_ = False

    def fit(self, X: Any, y: Any = None) -> FittedForestClassifier:
        """Return the forest as it is, like scikit-learn's ``FrozenEstimator``."""
        if "forest_" not in vars(self):
            raise NotFittedError(
                "FittedForestClassifier holds a forest that was selected or thinned and grows none:"
                " take the one that EPICSelector or ForestThinner returns, or fit "
                "BaggingTreesClassifier."
            )
        return self

    def checked_rows(self, X: Any) -> NDArray[np.float64]:
        """Check rows to predict for, in the precision that the trees compare in."""
        rows = super().checked_rows(X)
        if not self.single_precision_:
            return rows
        if np.isnan(rows).any():
            raise ValueError(
                "X has missing values, which scikit-learn's trees send by rules that are not taken "
                "over; fill them in first, for example with sklearn.impute.SimpleImputer."
            )
        # scikit-learn's trees compare in single precision.
        return rows.astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class GivenForest:
    """A fitted forest taken apart."""

    forest: Forest
    attributes: dict[str, Any]  # Fitted attributes of a classifier that predicts with such a forest

    def classifier(self, forest: Forest, vote: Vote) -> FittedForestClassifier:
        """Return a classifier of `forest`, which knows the same classes and features."""
        made = FittedForestClassifier(vote=vote)
        self.hand_over(made, forest)
        return made

    def hand_over(self, classifier: ForestClassifier, forest: Forest) -> None:
        """Make `classifier` a fitted one of `forest`, which knows the same and nothing else."""
        classifier.__dict__.pop("feature_names_in_", None)
        for name, value in {**self.attributes, "forest_": forest}.items():
            setattr(classifier, name, value)

    def encode(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return rows and class codes."""
        made = self.classifier(self.forest, "shares")
        rows = made.checked_rows(X)
        labels = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"))
        classes = self.attributes["classes_"]
        if labels.shape != (len(rows),):
            raise ValueError(f"y must hold {len(rows)} labels, one per row, got {len(labels)}.")
        if unknown := sorted(set(labels.tolist()) - set(classes.tolist())):
            raise ValueError(f"y holds classes that the forest does not know: {unknown}.")
        return rows, made.ordered(np.searchsorted(classes, labels))


def given_forest(forest: Any) -> GivenForest:
    """Take a fitted forest apart.

    `forest`: scikit-learn's forests are converted; theirs and the result's class shares are equal
    but for rounding.
    """
    if isinstance(forest, ForestClassifier):
        check_is_fitted(forest)
        names = ("classes_", "_class_order", "categories_", "n_features_in_", "feature_names_in_")
        kept = {n: getattr(forest, n) for n in (*names, "single_precision_") if hasattr(forest, n)}
        return GivenForest(forest.forest_, kept)
    # Imported here, since few need it and it holds 13 MB.
    from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier

    if not isinstance(forest, BaggingClassifier | ExtraTreesClassifier | RandomForestClassifier):
        raise TypeError(
            "Expected a fitted forest of retree, or scikit-learn's BaggingClassifier, "
            f"RandomForestClassifier or ExtraTreesClassifier, not {type(forest).__name__}."
        )
    check_is_fitted(forest)
    if getattr(forest, "n_outputs_", 1) > 1:
        raise ValueError("The forest predicts several outputs; fit one forest for each.")
    n_features, classes = forest.n_features_in_, forest.classes_
    columns = getattr(forest, "estimators_features_", None)
    if columns is None:
        columns = [np.arange(n_features)] * len(forest.estimators_)
    members = zip(forest.estimators_, columns, strict=True)
    trees = tuple(
        _converted(member, features, n_features, len(classes)) for member, features in members
    )
    kept = {"classes_": classes, "n_features_in_": n_features, "single_precision_": True}
    kept["categories_"] = [None] * n_features
    if hasattr(forest, "feature_names_in_"):
        kept["feature_names_in_"] = forest.feature_names_in_
    impurity = GINI if forest.estimators_[0].criterion == GINI else ENTROPY
    return GivenForest(Forest(trees, np.ones(len(trees)), impurity=impurity), kept)


def _converted(member: Any, columns: NDArray[np.intp], n_features: int, n_classes: int) -> Tree:
    """Return scikit-learn's tree `member`, grown on some `columns`, as a `Tree`."""
    if isinstance(member, BaseTreeClassifier) or not hasattr(member, "tree_"):
        raise TypeError(
            f"The members must be scikit-learn's decision trees, not {type(member).__name__}; "
            "for retree's trees use retree.forests.BaggingTreesClassifier."
        )
    theirs = member.tree_
    order, parents = _depth_first(theirs.children_left.tolist(), theirs.children_right.tolist())
    is_leaf = theirs.children_left[order] < 0
    counts = np.zeros((theirs.node_count, n_classes))
    # Members of either ensemble are fitted to class codes, of which a bag may lack some.
    codes = np.asarray(member.classes_).astype(np.intp)
    weight = theirs.weighted_n_node_samples[order]
    counts[:, codes] = theirs.value[order, 0, :] * weight[:, None]
    feature = columns[np.where(is_leaf, 0, theirs.feature[order])]
    return Tree.from_parents(
        parents,
        n_features=n_features,
        feature=np.where(is_leaf, LEAF, feature).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, theirs.threshold[order]),
        counts=counts,
    )


def _depth_first(left: list[int], right: list[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the nodes depth first, and each one's parent as a place in that order.

    scikit-learn numbers them otherwise with `max_leaf_nodes`.
    """
    order: list[int] = []
    parents: list[int] = []
    waiting = [(0, -1)]
    while waiting:
        node, parent = waiting.pop()
        if left[node] >= 0:
            waiting += [(right[node], len(order)), (left[node], len(order))]
        order.append(node)
        parents.append(parent)
    return np.array(order), np.array(parents)
