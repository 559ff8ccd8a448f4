"""Estimators that grow forests: bagging and AdaBoost.M1, as Weka's, over any tree of retree."""

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
    """Bagging of trees as Weka's: bags as large as the data, mean of the trees' class shares.

    With trees that know every class and level it is scikit-learn's ``BaggingClassifier`` but for
    the random numbers. That one turns a table into an array first, which loses the categorical
    columns, so the bags are drawn here; a bag is a weight, how often each row was drawn.

    Parameters
    ----------
    bags : {"numpy", "weka-3.6", "weka-3.9"}
        Which generator draws the bags. Those of Weka are its own, row by row, for a given
        `random_state`, its seed: 3.6 takes all from one generator, 3.9 starts one for each. The
        seeds of `REPTreeClassifier`, which grows on the rows as they were drawn, are Weka's, too.
    random_state : int, RandomState or None
        Draws the bags; those of fewer trees are the first of more. Weka's bags need an int.
    n_jobs : int or None
        Threads, as in joblib, that grow trees (one after the other if they draw) and predict; no
        result depends on it.

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
    >>> from retree.forests import BaggingTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BaggingTreesClassifier(random_state=0).fit(X, y).score(X, y) > 0.97
    True
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
        """Yield one member after the other with its bag."""
        if self.bags != "numpy":
            if not isinstance(self.random_state, Integral):
                raise ValueError(
                    f"bags={self.bags!r} needs Weka's seed: set random_state to an int, 1 being "
                    "Weka's default."
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
    """AdaBoost.M1 as Weka's: misclassified rows get more weight, trees vote by log odds.

    A member whose weighted training error is 0 or at least 0.5 ends the boosting and is left out,
    unless it is the first. As in Weka, the error goes by the highest class share to the last bit,
    but rows get more weight by what the member votes for, where a tree of C4.5 ties shares that
    differ by less than 1e-6. Sums are taken row by row: ties are common, since boosting makes the
    next member's error 0.5. Votes tie if they are equal to the last bit, as in Weka, and a single
    member gives its class shares. `predict_proba` of more members has the shares of the votes,
    where Weka's has their exponentials, scaled to sum 1. scikit-learn's ``AdaBoostClassifier`` is
    SAMME: it goes on to an error of 1 - 1 / n_classes, adds log(n_classes - 1) to the vote and
    keeps a member without error.

    Parameters
    ----------
    vote : {"votes", "shares", "weighted_shares"}
        How the trees decide, see `ForestClassifier`; AdaBoost.M1's are weighted votes.
    n_jobs : int or None
        Threads, as in joblib, that predict; trees grow one by one. No result depends on it.

    Attributes
    ----------
    forest_ : Forest
        The trees, weighted by log((1 - e) / e), e being their weighted training error.

    References
    ----------
    Freund Y., Schapire R. E. (1996). Experiments with a new boosting algorithm. ICML 13, 148-156.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.forests import AdaBoostM1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostM1Classifier(n_estimators=5).fit(X, y).score(X, y)
    1.0
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
