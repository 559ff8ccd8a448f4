"""Estimators that grow forests: bagging and AdaBoost.M1, as Weka's, over any tree of retree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import log, sum_of
from retree.forests.base import ForestClassifier
from retree.forests.forest import Forest, in_threads
from retree.forests.members import Member, Members, prepare
from retree.forests.weka_bags import weka_bags
from retree.trees.c45.classifier import C45Classifier
from retree.trees.declaring import declare, parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight
from retree.trees.tree import Tree
from retree.trees.validation import check_threads, one_of, whole

BAGS = ("numpy", "weka-3.6", "weka-3.9")
_OF_THE_WHOLE = ("n_estimators", "vote", "n_jobs", "random_state")  # no tree depends on these
_ZERO = 1e-6  # errors this close are equal, as in Weka


@parameters
class _GrownForest(WithCategories, WithClassWeight, ForestClassifier):
    """A forest that is grown from a given estimator.

    Parameters
    ----------
    estimator : C45-, Cart-, CMDT-, DecisionStump-, ID3-, OneR- or REPTreeClassifier, or None
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

    @property
    def _knows_first_class(self) -> bool:  # type: ignore[override]
        return bool(self.parts()["estimator"]._knows_first_class)

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

    # What the trees depend on, apart from their number: see `retree.experiments.running.batches`.
    grown_together: ClassVar = (
        "estimator", "bags", "categorical_features", "class_weight", "random_state",
    )  # fmt: skip

    def fit_grid(
        self, X: ArrayLike, y: ArrayLike, points: Sequence[Mapping[str, Any]]
    ) -> list[Self]:
        """Fit a clone with each of `points`; those that differ in `n_estimators` share the trees.

        The fewer trees are the first of the more. `vote` and `n_jobs` may differ, too.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Values that replace the estimator's own.

        Returns
        -------
        list of estimators
            In the order of `points`; each is what ``fit`` of the clone would give.
        """
        forests = [clone(self).set_params(**point) for point in points]
        alike: dict[Hashable, list[Self]] = defaultdict(list)
        for forest in forests:
            forest._check_parameters()
            alike[forest._growth()].append(forest)
        for group in alike.values():
            largest = max(group, key=lambda forest: forest.n_estimators).fit(X, y)
            found = {k: v for k, v in vars(largest).items() if k not in largest.get_params(False)}
            whole = largest.forest_
            for forest in group:
                forest.__dict__.update(found)
                forest.forest_ = whole.take(range(min(forest.n_estimators, len(whole.trees))))
        return forests

    def _growth(self) -> Hashable:
        """Return what the trees depend on, apart from their number."""
        seed = self.random_state
        # A generator moves on and None is another one each time, so such trees are nobody else's.
        own = seed if isinstance(seed, Integral) else id(self)
        parts = {n: v for n, v in self.get_params().items() if n not in _OF_THE_WHOLE}
        named = {n: type(v) if isinstance(v, BaseEstimator) else v for n, v in parts.items()}
        return own, joblib.hash(named)

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        """Return the members, and the weights of their votes."""
        raise NotImplementedError


@declare("bagging")
class BaggingTreesClassifier(_GrownForest):
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

    bags: str = parameter(default="numpy", check=one_of(*BAGS), neutral=True)
    n_jobs: int | None = parameter(default=None, check=check_threads)

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        bags = islice(self._bags(sample.weight, members), self.n_estimators)
        trees = in_threads(members.tree, bags, self.n_jobs)
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

    def _codes(self, X: Any) -> NDArray[np.int64]:
        if self.bags == "numpy" or self.vote != "shares":
            return super()._codes(X)
        check_is_fitted(self)
        # Shares of Weka's bags tie if they are equal to the last bit, as there.
        sums = self.forest_.sums(self._checked_rows(X), n_jobs=self.n_jobs)
        # Weka adds one class after the other; numpy's sum would pair them.
        return (sums / sums.cumsum(axis=1)[:, -1:]).argmax(axis=1)


@declare("adaboost")
class AdaBoostM1Classifier(_GrownForest):
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
    n_estimators : int
        Maximum number of trees.
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

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`: where members draw."""
        return bool(self.parts()["estimator"].depends_on_seed)

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
