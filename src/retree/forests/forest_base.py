"""Prediction, explanation and importances of a forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.forests.forest import Forest
from retree.trees.base import ProbabilisticClassifier
from retree.trees.declaring import changed, parameter, parameters
from retree.trees.decreases import GINI
from retree.trees.export.describe import Names
from retree.trees.export.explained import ForestExplanation, explain_row
from retree.trees.interchange.methods import Interchange
from retree.trees.mixed import MixedInput
from retree.trees.rows import input_names, one_row
from retree.trees.tree import Tree, majority_class
from retree.trees.validation import check_choice, check_threads, one_of

Vote = Literal["shares", "weighted_shares", "votes"]
VOTES: tuple[Vote, ...] = get_args(Vote)


@parameters
class ForestClassifier(Interchange, ProbabilisticClassifier, MixedInput):
    """A classifier made of trees; grown by `fit`, or made of a thinned forest.

    Parameters
    ----------
    vote : {"shares", "weighted_shares", "votes"}
        How the trees decide: by the mean of their class shares, by that mean weighted by their
        votes, or by their weighted votes. Votes tie if they are equal to the last bit, as in Weka,
        shares if they are to 1e-6.
    n_jobs : int or None
        Threads, as in joblib, that predict; no result depends on it.

    Attributes
    ----------
    forest_ : Forest
        The trees and the weights of their votes.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_order_ : ndarray of shape (n_classes,)
        Class labels in the order of the columns of the trees' counts: the first one wins ties. If y
        is of a category type, its order, as that of a header in Weka; else that of ``classes_``.
    """

    vote: Vote | None = parameter(default="shares", check=one_of(*VOTES))
    n_jobs: int | None = parameter(default=None, check=check_threads, neutral=True)

    declares = changed(weights="scaled")

    def _shares(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what `predict_proba` does, in the order of ``class_order_``."""
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
        """Return the place of the class of each row in ``class_order_``."""
        check_is_fitted(self)
        if self._decision() != "votes":
            return majority_class(self._shares(X))
        votes, _ = self.forest_.votes(self.checked_rows(X), n_jobs=self.n_jobs)
        return votes.argmax(axis=1)

    def explain(self, row: Any, *, class_names: Names | None = None) -> ForestExplanation:
        """Return why the forest predicts what it does for one row, tree by tree.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            With the columns seen in `fit`; NaN where missing.
        class_names : sequence or None, default=None
            Names of the classes; by default those seen in `fit`.

        Returns
        -------
        ForestExplanation
            The votes, and the path of the row in each tree.

        Raises
        ------
        ValueError
            If there is not one row of as many values as there are features.
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
        """Return how the trees decide, one of `VOTES`."""
        return str(self.vote)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Impurity-based importances of the features, of sum 1, shape (n_features_in_,).

        They are the mean of those of the trees, weighted by their votes unless `vote` is "shares".
        The impurity is the one that grows the trees, as in `BaseTree.feature_importances_`. Those
        of scikit-learn's random forest are equal.
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
        """Return the number of leaves of all trees."""
        check_is_fitted(self)
        return self.forest_.n_leaves

    def get_node_count(self) -> int:
        """Return the number of nodes of all trees."""
        check_is_fitted(self)
        return self.forest_.node_count
