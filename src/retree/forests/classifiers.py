"""Bagging and AdaBoost.M1 as in Weka, of any tree of retree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import log, sum_of
from retree.forests.forest import in_threads
from retree.forests.grown import BoostedForest, GrownFromEstimator
from retree.forests.members import Member, Members, tree_of, weka_bags
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import check_threads, one_of

BAGS = ("numpy", "weka-3.6", "weka-3.9")
_ZERO = 1e-6  # errors this close are equal, as in Weka


@declare("bagging")
class BaggingTreesClassifier(GrownFromEstimator):
    """Bagging of trees as in Weka: bags as large as the data, mean of the trees' class shares.

    It does what scikit-learn's ``BaggingClassifier`` does, with other random numbers and with trees
    that know all classes and levels, even those that a bag lacks. ``BaggingClassifier`` turns a
    table into an array first and so loses its categorical columns. A bag is passed on as weights:
    the number of times that each row was drawn.

    Parameters
    ----------
    bags : {"numpy", "weka-3.6", "weka-3.9"}
        Which generator draws the bags. "weka-3.6" and "weka-3.9" draw the same rows as Weka with
        the seed `random_state`: 3.6 draws all bags with one generator, 3.9 starts a new one for
        each bag. Members that are `REPTreeClassifier` also get Weka's seeds and grow on the rows in
        the order in which they were drawn.
    random_state : int, RandomState or None
        Draws the bags. The trees of a smaller forest are the first trees of a larger one. Weka's
        bags need an int.
    n_jobs : int or None
        Number of threads, as in joblib, for growing and predicting; the result does not depend on
        it. Trees that draw random numbers grow one after the other.

    Attributes
    ----------
    forest_ : Forest
        The trees.

    References
    ----------
    Breiman L. (1996). Bagging predictors. Machine Learning 24, 123-140.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import BaggingTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{cross_val_score(BaggingTreesClassifier(random_state=0), X, y).mean():.2f}")
    0.95
    """

    bags: Literal["numpy", "weka-3.6", "weka-3.9"] = parameter(
        default="numpy", check=one_of(*BAGS), neutral=True
    )
    n_jobs: int | None = parameter(default=None, check=check_threads)

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        bags = islice(self._bags(sample.weight, members), self.n_estimators)
        trees = in_threads(tree_of, bags, self.n_jobs)
        return trees, np.ones(len(trees))

    def _bags(self, weight: NDArray[np.float64], members: Members) -> Iterator[Member]:
        """Yield the members one by one, each with its bag."""
        if self.bags != "numpy":
            if not isinstance(self.random_state, Integral):
                raise ValueError(
                    f"bags={self.bags!r} needs Weka's seed: set random_state to an int; Weka's "
                    "default is 1."
                )
            release, seeds = self.bags.removeprefix("weka-"), members.keep_draws
            for drawn, seed in weka_bags(weight, int(self.random_state), release, seeds=seeds):
                yield members.bag(drawn, seed)
        up_to = (weight / sum_of(weight)).cumsum()
        up_to /= up_to[-1]
        while True:
            # The rows of rng.choice(n, size=n, p=share), sorted: that takes a quarter of its time.
            drawn = np.sort(members.rng.random_sample(len(weight)))
            yield members.bag(up_to.searchsorted(drawn, side="right"))

    @property
    def _is_of_weka(self) -> bool:
        return self.bags != "numpy"


@declare("adaboost")
class AdaBoostM1Classifier(BoostedForest):
    """AdaBoost.M1 as in Weka: misclassified rows get more weight, trees vote by log odds.

    A member whose weighted training error is 0 or at least 0.5 ends the boosting and is left out,
    unless it is the first. Ties are common, because the previous member has an error of 0.5 after
    reweighting, so sums and ties follow Weka to the last bit. The error counts the class with the
    highest share, compared exactly. Rows are reweighted by the class that the member votes for, and
    a C4.5 tree treats shares as tied if they differ by less than 1e-6. Votes tie only if they are
    exactly equal. `predict_proba` of a single member gives its class shares. With several members
    it gives their shares of the votes, where Weka gives the exponentials of the votes, scaled to
    sum 1. scikit-learn's ``AdaBoostClassifier`` is another algorithm, SAMME: it boosts up to an
    error of ``1 - 1 / n_classes``, adds ``log(n_classes - 1)`` to the vote and keeps a member
    without errors.

    Parameters
    ----------
    vote : {"votes", "shares", "weighted_shares"}
        How the trees decide, see `ForestClassifier`. AdaBoost.M1 itself uses weighted votes,
        "votes".
    n_jobs : int or None
        Number of threads, as in joblib, for predicting; trees grow one after the other. The result
        does not depend on it.

    Attributes
    ----------
    forest_ : Forest
        The trees. The vote of a tree with weighted training error e has weight
        ``log((1 - e) / e)``.

    References
    ----------
    Freund Y., Schapire R. E. (1996). Experiments with a new boosting algorithm. ICML 13, 148-156.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import AdaBoostM1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{cross_val_score(AdaBoostM1Classifier(n_estimators=5), X, y).mean():.2f}")
    0.93
    """

    vote: Literal["shares", "weighted_shares", "votes"] = "votes"

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        weight = sample.weight
        trees: list[Tree] = []
        votes: list[float] = []
        while len(trees) < self.n_estimators:
            tree = tree_of(members.draw(weight))
            error = members.error(tree, weight)
            if error >= 0.5 - _ZERO or error <= _ZERO:
                if not trees:
                    trees, votes = [tree], [1.0]
                break
            trees.append(tree)
            votes.append(log((1 - error) / error))
            weight = self._reweighted(members, tree, weight, (1 - error) / error)
        return trees, np.array(votes)

    def _reweighted(
        self, members: Members, tree: Tree, weight: NDArray[np.float64], odds: float
    ) -> NDArray[np.float64]:
        """Return the weights that the next member grows with."""
        return members.reweighted(tree, weight, odds)
