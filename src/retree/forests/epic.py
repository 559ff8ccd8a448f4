"""Selection of members: EPIC (Lu et al. 2010)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree.arithmetic import sum_of
from retree.forests.fitted import FittedForestClassifier, given_forest
from retree.forests.forest import Forest, count_votes
from retree.trees.declaring import Declared, declare, parameter
from retree.trees.validation import whole


@declare()
class EPICSelector(Declared):
    """EPIC: keep the members of a forest that contribute most to its decisions.

    EPIC stands for ensemble pruning by individual contribution. Let v be the votes of all members
    for each class. A member that votes h for a row of class y contributes ``2 v_max - v_h`` if it
    is right and in the minority, ``v_second`` if it is right and in the majority, and
    ``v_y - v_h - v_max`` if it is wrong. The contributions of a member are summed over the rows
    once, and the members with the highest sums are kept, the first ones where sums tie.

    Parameters
    ----------
    n_members : int
        Number of members to keep; a smaller forest keeps all of its members.
    weighted : bool
        Whether a member's vote counts with its weight in the forest, and its contribution is
        multiplied by that weight. In bagging all weights are equal; for boosting, Guo and Fan
        (2014) selected members this way.

    References
    ----------
    Lu Z., Wu X., Zhu X., Bongard J. (2010). Ensemble pruning via individual contribution ordering.
    KDD 16, 871-880.

    Guo H., Fan M. (2014). Forest thinning via contribution gain. Computer Science 41.
    """

    n_members: int = parameter(default=30, check=whole(1))
    weighted: bool = False

    def select(self, forest: Any, X: ArrayLike, y: ArrayLike) -> FittedForestClassifier:
        """Return a forest of the best members of a fitted forest, highest contribution first.

        Parameters
        ----------
        forest : fitted forest
            A forest of retree, or scikit-learn's ``BaggingClassifier`` (of trees),
            ``RandomForestClassifier`` or ``ExtraTreesClassifier``; it is not changed.
        X : array-like of shape (n_samples, n_features)
            The pruning set: rows by which the members are judged.
        y : array-like of shape (n_samples,)
            Class labels of these rows; the forest must know them.

        Returns
        -------
        FittedForestClassifier
            A forest that decides in the same way as `forest`.

        Raises
        ------
        TypeError
            If `forest` has any other type.
        ValueError
            If a parameter or the data is invalid.
        """
        self.check_parameters()
        given = given_forest(forest)
        rows, codes = given.encode(X, y)
        chosen = self.selected(given.forest, rows, codes)
        return given.classifier(chosen, getattr(forest, "vote", "shares"))

    def selected(self, forest: Forest, X: NDArray[np.float64], y: NDArray[np.intp]) -> Forest:
        """Return the best members of `forest`, judged on encoded rows and class codes."""
        weight = forest.vote_weight if self.weighted else np.ones(len(forest.trees))
        worth = contributions(forest.member_codes(X), y, forest.n_classes, weight)
        return forest.take(np.argsort(-worth, kind="stable")[: self.n_members].tolist())


def contributions(
    codes: NDArray[np.intp], y: NDArray[np.intp], n_classes: int, weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the contribution of each member, shape (n_members,).

    Shapes: `codes` (n_members, n_samples), `y` (n_samples,), `weight` (n_members,).
    `weight`: the weight of each member's vote, which also multiplies its contribution.
    """
    rows = np.arange(len(y))
    votes = count_votes(codes, weight, n_classes)
    ordered = np.sort(votes, axis=1)
    most = ordered[:, -1]
    second = ordered[:, -2] if n_classes > 1 else np.zeros_like(most)
    worth = np.empty(len(codes))
    for i, member in enumerate(codes):
        of_member = votes[rows, member]
        # A vote for a class that ties for the most is one of the majority.
        right = np.where(of_member == most, second, 2 * most - of_member)
        wrong = votes[rows, y] - of_member - most
        worth[i] = sum_of(np.where(member == y, right, wrong))
    return worth * weight
