"""Classifiers made from a fitted forest of retree or scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.forests.forest import Forest
from retree.trees.base import BaseTreeClassifier, ProbabilisticClassifier
from retree.trees.declaring import changed, declare, parameter, parameters
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.export.describe import Names
from retree.trees.export.explained import ForestExplanation, explain_row
from retree.trees.interchange.methods import Interchange
from retree.trees.mixed import MixedInput
from retree.trees.rows import input_names, one_row
from retree.trees.tree import LEAF, Tree, majority_class
from retree.trees.validation import check_choice, check_threads, one_of

Vote = Literal["shares", "weighted_shares", "votes"]
VOTES: tuple[Vote, ...] = get_args(Vote)


@parameters
class ForestClassifier(Interchange, ProbabilisticClassifier, MixedInput):
    """A classifier made of trees, which `fit` grows or which come from a fitted forest.

    Parameters
    ----------
    vote : {"shares", "weighted_shares", "votes"}
        How the trees decide: by the mean of their class shares ("shares"), by that mean weighted
        like their votes ("weighted_shares"), or by their weighted votes ("votes"). Votes tie if
        they are exactly equal, as in Weka; shares tie if they differ by less than 1e-6.
    n_jobs : int or None
        Number of threads, as in joblib, for predicting; the result does not depend on it.

    Attributes
    ----------
    forest_ : Forest
        The trees and the weights of their votes.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_order_ : ndarray of shape (n_classes,)
        Class labels in the order of the columns of the trees' counts; the first of tied classes
        wins. It is the order of the category type of y, like the order in the header of a Weka
        file, or that of ``classes_`` if y has no category type.
    """

    vote: Vote | None = parameter(default="shares", check=one_of(*VOTES))
    n_jobs: int | None = parameter(default=None, check=check_threads, neutral=True)

    declares = changed(weights="scaled")

    def _shares(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class shares as `predict_proba` does, in the order of ``class_order_``."""
        check_is_fitted(self)
        vote = self._decision()
        check_choice("vote", vote, VOTES)
        rows = self.checked_rows(X)
        if vote == "votes":
            votes, total = self.forest_.votes(rows, n_jobs=self.n_jobs)
            shares = votes / total
        else:
            weighted = vote == "weighted_shares"
            shares = self.forest_.shares(rows, weighted=weighted, n_jobs=self.n_jobs)
        # Shares may be above 1 or below 0 by a last bit, which log_loss refuses.
        return np.clip(shares, 0.0, 1.0)

    def _predicted_codes(self, X: Any) -> NDArray[np.int64]:
        """Return the position in ``class_order_`` of each row's predicted class."""
        check_is_fitted(self)
        if self._decision() != "votes":
            return majority_class(self._shares(X))
        votes, _ = self.forest_.votes(self.checked_rows(X), n_jobs=self.n_jobs)
        return votes.argmax(axis=1)

    def explain(self, row: Any, *, class_names: Names | None = None) -> ForestExplanation:
        """Explain the forest's prediction for one row, tree by tree.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            One row with the columns seen in `fit`; NaN where a value is missing.
        class_names : sequence or None, default=None
            Names of the classes; by default the labels seen in `fit`.

        Returns
        -------
        ForestExplanation
            The votes, and the path of the row in each tree.

        Raises
        ------
        ValueError
            If `row` is not exactly one row with one value per feature.
        """
        check_is_fitted(self)
        rows = self.checked_rows(table := one_row(row, self))
        labels = list(self._class_names(class_names))
        names, levels = input_names(self), getattr(self, "categories_", None)
        divides = self.forest_.divide_missing
        trees = tuple(
            explain_row(tree, rows[0], names, labels, levels=levels, divide_missing=divides)
            for tree in self.forest_.trees
        )
        shares = self._shares(table)[0]
        weights = self.forest_.vote_weight / sum_of(self.forest_.vote_weight)
        return ForestExplanation(
            labels[int(self._predicted_codes(table)[0])],
            dict(zip(labels, shares.tolist(), strict=True)),
            trees,
            tuple(weights.tolist()),
        )

    def _decision(self) -> str:
        """Return the way in which the trees decide, one of `VOTES`."""
        return str(self.vote)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Impurity-based importances of the features, shape (n_features_in_,), with sum 1.

        They are the mean over the trees, weighted like their votes unless `vote` is "shares". The
        impurity is the one that the trees grow by, as in `BaseTree.feature_importances_`. For equal
        trees, scikit-learn's random forest has the same importances.
        """
        check_is_fitted(self)
        return self.forest_.feature_importances(weighted=self._decision() != "shares")

    def _held(self) -> tuple[Sequence[Tree], dict[str, Any]]:
        forest = self.forest_
        weights = {"vote_weight": forest.vote_weight.tolist()}
        how = {"divide_missing": bool(forest.divide_missing), "impurity": forest.impurity}
        exact = {"exact_votes": True} if forest.exact_votes else {}
        return forest.trees, weights | how | exact

    def _hold(
        self,
        trees: Sequence[Tree],
        vote_weight: Any = None,
        divide_missing: bool | None = None,
        impurity: str = GINI,
        exact_votes: bool = False,
    ) -> None:
        if vote_weight is None or divide_missing is None:
            raise ValueError(f"{type(self).__name__} needs the weights of its trees' votes")
        check_choice("vote", self._decision(), VOTES)
        how = (divide_missing, impurity, exact_votes)
        self.forest_: Forest = Forest(tuple(trees), vote_weight, *how)

    def get_depth(self) -> int:
        """Return the depth of the deepest tree."""
        check_is_fitted(self)
        return self.forest_.max_depth

    def get_n_leaves(self) -> int:
        """Return the total number of leaves over all trees."""
        check_is_fitted(self)
        return self.forest_.n_leaves

    def get_node_count(self) -> int:
        """Return the total number of nodes over all trees."""
        check_is_fitted(self)
        return self.forest_.node_count


@declare()
class FittedForestClassifier(ForestClassifier):
    """A selected or thinned forest, which `EPICSelector` and the thinners return."""

    single_precision_ = False

    def fit(self, X: Any, y: Any = None) -> FittedForestClassifier:
        """Return the forest unchanged, like scikit-learn's ``FrozenEstimator``."""
        if "forest_" not in vars(self):
            raise NotFittedError(
                "FittedForestClassifier only holds a forest that was selected or thinned: use the "
                "one that EPICSelector or ForestThinner returns, or fit "
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
                "X has missing values, which scikit-learn's trees handle by rules that retree "
                "does not have; fill them in first, for example with sklearn.impute.SimpleImputer."
            )
        # scikit-learn's trees compare in single precision.
        return rows.astype(np.float32).astype(np.float64)


@dataclass(frozen=True)
class GivenForest:
    """The parts of a fitted forest."""

    forest: Forest
    attributes: dict[str, Any]  # Fitted attributes of a classifier that predicts with such a forest

    def classifier(self, forest: Forest, vote: Vote) -> FittedForestClassifier:
        """Return a classifier that predicts with `forest`, for the same classes and features."""
        made = FittedForestClassifier(vote=vote)
        self.hand_over(made, forest)
        return made

    def hand_over(self, classifier: ForestClassifier, forest: Forest) -> None:
        """Make `classifier` predict with `forest`, and forget whatever it was fitted to before."""
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

    `forest`: scikit-learn's forests are converted; the class shares stay the same except for
    rounding.
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
    """Return the nodes in depth-first order, and the position of each one's parent in that order.

    scikit-learn numbers nodes in another order if `max_leaf_nodes` is set.
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
