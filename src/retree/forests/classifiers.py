"""Estimators that grow forests: bagging and AdaBoost.M1, as Weka's, over any tree of retree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from retree.arithmetic import log, sum_of
from retree.forests.base import ForestClassifier
from retree.forests.forest import Forest, in_threads
from retree.forests.members import Members, prepare
from retree.java_random import JavaRandom
from retree.trees.c45.classifier import C45Classifier
from retree.trees.declaring import declare, parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight
from retree.trees.tree import Tree
from retree.trees.validation import check_threads, one_of, whole

BAGS = ("numpy", "weka-3.6", "weka-3.9")
_ZERO = 1e-6  # errors this close are equal, as in Weka


@parameters
class _GrownForest(WithCategories, WithClassWeight, ForestClassifier):
    """A forest that is grown from a given estimator.

    Parameters
    ----------
    estimator : C45-, Cart-, CMDT- or ID3Classifier, or None
        The members; None is ``C45Classifier()``.
    n_estimators : int
        Number of trees.
    """

    estimator: Any = None
    n_estimators: int = parameter(default=30, check=whole(1))
    random_state: int | RandomState | None = None

    def parts(self) -> dict[str, Any]:
        """Return the estimator that the trees are grown with, C4.5 for None."""
        return {"estimator": C45Classifier() if self.estimator is None else self.estimator}

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What the members take.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Bags draw rows in proportion to it, so a row of weight 2 is not the same as two rows.
            Boosting starts from it; the sum stays the same, but for weights of a mean below 1,
            which are scaled to a mean of 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        sample, members = prepare(self, X, y, sample_weight)
        trees, votes = self._grown(sample, members)
        self.forest_ = Forest(tuple(trees), votes, **members.kind)
        return self

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        """Return the members, and the weights of their votes."""
        raise NotImplementedError


@declare()
class BaggingTreesClassifier(_GrownForest):
    """Bagging of trees as Weka's: bags as large as the data, mean of the trees' class shares.

    With trees that know every class and level it is scikit-learn's ``BaggingClassifier`` but for
    the random numbers. That one turns a table into an array first, which loses the categorical
    columns, so the bags are drawn here; a bag is a weight, how often each row was drawn.

    Parameters
    ----------
    bags : {"numpy", "weka-3.6", "weka-3.9"}
        Which generator draws the bags. Those of Weka are its own, row by row, for a given
        `random_state`, its seed: 3.6 takes all from one generator, 3.9 starts one for each.
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

    bags: str = parameter(default="numpy", check=one_of(*BAGS), neutral=True)
    n_jobs: int | None = parameter(default=None, check=check_threads)

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        counts = islice(self._counts(sample.weight, members.rng), self.n_estimators)
        bags = (members.draw(n.astype(np.float64), n.astype(np.int32)) for n in counts)
        trees = in_threads(members.tree, bags, self.n_jobs)
        return trees, np.ones(len(trees))

    def _counts(self, weight: NDArray[np.float64], rng: RandomState) -> Iterator[NDArray[np.intp]]:
        """Yield how often each row is in one bag after the other."""
        if self.bags != "numpy":
            if not isinstance(self.random_state, Integral):
                raise ValueError(
                    f"bags={self.bags!r} needs Weka's seed: set random_state to an int, 1 being "
                    "Weka's default."
                )
            yield from weka_bags(weight, int(self.random_state), self.bags.removeprefix("weka-"))
        n, share = len(weight), weight / sum_of(weight)
        while True:
            yield np.bincount(rng.choice(n, size=n, p=share), minlength=n)


@declare()
class AdaBoostM1Classifier(_GrownForest):
    """AdaBoost.M1 as Weka's: misclassified rows get more weight, trees vote by log odds.

    A member whose weighted training error is 0 or at least 0.5 ends the boosting and is left out,
    unless it is the first. As in Weka, the error goes by the greatest class share to the last bit,
    but rows get more weight by what the member predicts, to which shares that differ by less than
    1e-6 are tied, and sums are taken row by row: ties are common, since boosting makes the next
    member's error 0.5. scikit-learn's ``AdaBoostClassifier`` is SAMME: it goes on to an error
    of 1 - 1 / n_classes, adds log(n_classes - 1) to the vote and keeps a member without error.

    Parameters
    ----------
    n_estimators : int
        Greatest number of trees.
    vote : {"votes", "shares", "weighted_shares"}
        How the trees decide, see `ForestClassifier`; AdaBoost.M1's are weighted votes.
    random_state : int, RandomState or None
        Handed to members that draw; boosting draws nothing.
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

    vote: str = "votes"

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        weight = sample.weight
        trees: list[Tree] = []
        votes: list[float] = []
        while len(trees) < self.n_estimators:
            tree = members.tree(members.draw(weight))
            error = members.error(tree, weight)
            if error >= 0.5 - _ZERO or error <= _ZERO:
                if not trees:
                    trees, votes = [tree], [1.0]
                break
            trees.append(tree)
            votes.append(log((1 - error) / error))
            weight = members.reweighted(tree, weight, (1 - error) / error)
        return trees, np.array(votes)


def weka_bags(weight: NDArray[np.float64], seed: int, release: str) -> Iterator[NDArray[np.intp]]:
    """Yield how often each row is drawn for one bag after the other.

    Weka draws as many rows as there are, by ``Instances.resampleWithWeights``. Its Bagging of 3.6
    takes all bags from one generator, ``new Random(seed)``; that of 3.9 takes bag i, from 0, from
    ``new Random(seed + i)``.

    Shapes: `weight` (n_samples,).

    References
    ----------
    Weka's ``Bagging`` and ``Instances.resampleWithWeights``, observed in 3.6.14 and 3.9.
    """
    keep, other = _alias_table(weight)
    random, bag = JavaRandom(seed), 0
    while True:
        if release == "3.9":
            random = JavaRandom(seed + bag)
        yield np.bincount(_draw(random, keep, other), minlength=len(weight))
        bag += 1


def _draw(random: JavaRandom, keep: list[float], other: list[int]) -> list[int]:
    rows = []
    for _ in keep:
        place = len(keep) * random.share()
        row = int(place)
        rows.append(row if place < keep[row] else other[row])
    return rows


def _alias_table(weight: NDArray[np.float64]) -> tuple[list[float], list[int]]:
    """Return Walker's table: below which place a row is kept, and which row is drawn otherwise.

    With rows of equal weight rounding may put all of them below 1, which then all give row 0 in
    their last bit, as in Weka.
    """
    n = len(weight)
    total = 0.0
    for each in weight.tolist():
        total += each
    keep = [n * (each / total) for each in weight.tolist()]
    other = [0] * n
    light = [i for i in range(n) if keep[i] < 1.0]
    queue = light + [i for i in reversed(range(n)) if keep[i] >= 1.0]
    heavy = len(light)
    if 0 < heavy < n:
        for k in range(n - 1):
            i, j = queue[k], queue[heavy]
            other[i] = j
            keep[j] += keep[i] - 1.0
            heavy += keep[j] < 1.0
            if heavy >= n:
                break
    return [part + i for i, part in enumerate(keep)], other
