"""What every classifier made of trees can do once it has a forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from retree.forests.forest import Forest
from retree.trees.interchange.methods import Interchange
from retree.trees.mixed import MixedInput
from retree.trees.tree import Tree, majority_class
from retree.trees.validation import check_choice

VOTES = ("shares", "weighted_shares", "votes")


class ForestClassifier(Interchange, ClassifierMixin, MixedInput):
    """A classifier made of trees; grown by `fit`, or made of a thinned forest.

    Parameters
    ----------
    vote : {"shares", "weighted_shares", "votes"}, default="shares"
        How the trees decide: by the mean of their class shares, by that mean weighted by their
        votes, or by their weighted votes.

    Attributes
    ----------
    forest_ : Forest
        The trees and the weights of their votes.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    n_features_in_ : int
        Number of features seen in `fit`.
    """

    vote: str | None
    n_jobs: int | None = None
    forest_: Forest
    classes_: NDArray[Any]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares, or the shares of the votes, of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        vote = self._decision()
        check_choice("vote", vote, VOTES)
        rows = self._checked_rows(X)
        if vote == "votes":
            shares = self.forest_.votes(rows, n_jobs=self.n_jobs)
        else:
            weighted = vote == "weighted_shares"
            shares = self.forest_.shares(rows, weighted=weighted, n_jobs=self.n_jobs)
        # The weights of unanimous votes may sum to 1 and a last bit, which log_loss refuses.
        return np.minimum(shares, 1.0)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of greatest share, the first label where classes tie.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = majority_class(self.predict_proba(X))
        return self.classes_[codes]

    def _decision(self) -> str:
        """Return how the trees decide, one of `VOTES`."""
        return str(self.vote)

    def _held(self) -> tuple[Sequence[Tree], dict[str, Any]]:
        forest = self.forest_
        weights = {"vote_weight": forest.vote_weight.tolist()}
        return forest.trees, weights | {"divide_missing": bool(forest.divide_missing)}

    def _hold(
        self, trees: Sequence[Tree], vote_weight: Any = None, divide_missing: bool | None = None
    ) -> None:
        if vote_weight is None or divide_missing is None:
            raise ValueError(f"{type(self).__name__} needs the weights of its trees' votes")
        check_choice("vote", self._decision(), VOTES)
        check_choice("vote", self._decision(), VOTES)
        self.forest_ = Forest(tuple(trees), vote_weight, divide_missing)

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
