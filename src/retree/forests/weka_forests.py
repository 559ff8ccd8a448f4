"""Weka's RandomForest, RandomSubSpace and MultiBoostAB."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from retree.arithmetic import logs, running_sum
from retree.forests.classifiers import AdaBoostM1Classifier
from retree.forests.forest import in_threads
from retree.forests.grown import GrownForest, GrownFromEstimator
from retree.forests.members import Members, weka_bags
from retree.java_random import JavaRandom
from retree.trees.declaring import declare, parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import check_threads, number, whole
from retree.trees.weka.decision_stump import DecisionStumpClassifier
from retree.trees.weka.growing import WithJavaSeed, java_seed
from retree.trees.weka.row_text import WithRowTexts, texts_of
from retree.trees.weka.seeded_trees import (
    REPTreeClassifier,
    WekaRandomTreeClassifier,
    WithDrawnFeatures,
)

_TREES_AT_ONCE = 16  # at most, with a call of the engine, which looks through all rows first


@parameters
class WekaForest(WithJavaSeed, GrownForest):
    """A forest of Weka that is not boosted.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, as in joblib, for growing and predicting; the result does not depend on
        it.

    Attributes
    ----------
    forest_ : Forest
        The trees. A smaller forest consists of the first trees of a larger one.
    """

    n_jobs: int | None = parameter(default=None, check=check_threads)

    _is_of_weka = True


@declare("weka_random_forest", version=2)
class WekaRandomForestClassifier(WithDrawnFeatures, WekaForest):
    """Weka's RandomForest: bags of `WekaRandomTreeClassifier`, mean of the trees' class shares.

    Since Weka 3.7.11 a bag consists of weights: the number of times that each row was drawn. In 3.6
    it consists of the drawn rows in order, and one generator draws all bags. By default Weka grows
    100 trees since 3.7.12, and 10 in earlier releases.

    References
    ----------
    Breiman L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import WekaRandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{cross_val_score(WekaRandomForestClassifier(), X, y).mean():.2f}")
    0.96
    """

    n_estimators: int = 100

    grown_together: ClassVar = (
        "max_features", "max_depth", "min_cases", "weka", "categorical_features", "class_weight",
        "random_state",
    )  # fmt: skip

    def parts(self) -> dict[str, Any]:
        """Return the estimator that grows the trees."""
        names = ("max_features", "max_depth", "min_cases", "weka", "class_names")
        how = {name: getattr(self, name) for name in names}
        return {"estimator": WekaRandomTreeClassifier(**how)}

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        release = "3.6" if self.weka == "3.6" else "3.9"
        bags = weka_bags(sample.weight, java_seed(self.random_state), release, seeds=True)
        bags = islice(bags, self.n_estimators)
        # A bag weighs as much as there are rows.
        tree = members.template.counted(sample._replace(weight=np.ones(len(sample.y))))
        texts, rows = texts_of(sample, tree), tree.share(sample)
        for_each = math.ceil(self.n_estimators / effective_n_jobs(self.n_jobs))
        batches = iter(lambda: list(islice(bags, min(for_each, _TREES_AT_ONCE))), [])
        grown = in_threads(partial(tree.grow_bags, rows, texts), batches, self.n_jobs)
        return list(chain.from_iterable(grown)), np.ones(self.n_estimators)


@declare("random_subspace")
class RandomSubspaceClassifier(WithRowTexts, WekaForest, GrownFromEstimator):
    """Weka's RandomSubSpace: each tree grows on some features; their class shares are averaged.

    Java's generator shuffles the features, and a tree grows on the first ones in the shuffled
    order. The generator is seeded with the text of a row, as in `WekaRandomTreeClassifier`. In 3.9
    the seeds of members come from the text of a row, too.

    Parameters
    ----------
    estimator : tree classifier or None
        Grows the members, see `BaggingTreesClassifier`; None means ``REPTreeClassifier()``.
    subspace : int or float
        Number of features for each tree, or a fraction of all features if below 1.

    References
    ----------
    Ho T. K. (1998). The random subspace method for constructing decision forests. IEEE Transactions
    on Pattern Analysis and Machine Intelligence 20 (8), 832-844.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import RandomSubspaceClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{cross_val_score(RandomSubspaceClassifier(), X, y).mean():.2f}")
    0.97
    """

    n_estimators: int = 10
    subspace: float = parameter(default=0.5, check=number(0, ends="neither"))

    _default_estimator = REPTreeClassifier
    grown_together: ClassVar = (*GrownFromEstimator.grown_together, "subspace", "weka")

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        texts, rows = texts_of(sample, self), np.arange(len(sample.y))
        random = JavaRandom(texts.seed(java_seed(self.random_state), rows))
        order = list(range(sample.X.shape[1]))
        size = self.subspace * (len(order) if self.subspace < 1 else 1)
        size = min(max(math.floor(size + 0.5), 1), len(order))
        chosen = []
        for _ in range(self.n_estimators):
            seed = random.integer() if self.weka == "3.9" or members.keep_draws else 0
            if self.weka == "3.9":
                seed = JavaRandom(texts.seed(seed, rows)).integer()
            random.shuffle(order)
            chosen.append((np.array(order[:size]), seed))

        def tree(part: tuple[NDArray[np.intp], int]) -> Tree:
            features, seed = part
            member = members.seeded(seed) if members.keep_draws else copy(members.template)
            levels = [self.categories_[j] for j in features]
            member.adopt(self.classes_, levels, self._n_declared, self._class_order)
            grown = member.tree_of(sample._replace(X=np.ascontiguousarray(sample.X[:, features])))
            feature = np.where(grown.is_leaf, grown.feature, features[grown.feature])
            return replace(grown, n_features=len(order), feature=feature.astype(np.int32))

        trees = in_threads(tree, chosen, self.n_jobs)
        return trees, np.ones(len(trees))


@declare("multiboost")
class MultiBoostClassifier(WithJavaSeed, AdaBoostM1Classifier):
    """Weka's MultiBoostAB: AdaBoost.M1 that restarts from random weights several times.

    After every ``n_estimators // subcommittees`` members the rows get new weights, drawn from an
    exponential distribution with Java's generator. A smaller forest is therefore not the first part
    of a larger one.

    Parameters
    ----------
    n_estimators : int
        Maximum number of trees, at least `subcommittees`.
    estimator : tree classifier or None
        Grows the members, see `BaggingTreesClassifier`; None means ``DecisionStumpClassifier()``.
    subcommittees : int
        Number of times that boosting starts.

    References
    ----------
    Webb G. I. (2000). MultiBoosting: a technique for combining boosting and wagging. Machine
    Learning 40, 159-196.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import MultiBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{cross_val_score(MultiBoostClassifier(n_estimators=20), X, y).mean():.2f}")
    0.97
    """

    n_estimators: int = 10
    subcommittees: int = parameter(default=3, check=whole(1))

    depends_on_seed = True
    _default_estimator = DecisionStumpClassifier
    grown_together: ClassVar = (
        *AdaBoostM1Classifier.grown_together, "n_estimators", "subcommittees",
    )  # fmt: skip

    def _growth(self) -> Any:
        return self.n_estimators, super()._growth()

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        if self.n_estimators < self.subcommittees:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than "
                f"subcommittees={self.subcommittees}: set more trees, or fewer subcommittees."
            )
        self._random, self._n_grown = JavaRandom(java_seed(self.random_state)), 0
        try:
            return super()._grown(sample, members)
        finally:
            del self._random, self._n_grown

    def _reweighted(
        self, members: Members, tree: Tree, weight: NDArray[np.float64], odds: float
    ) -> NDArray[np.float64]:
        self._n_grown += 1
        if self._n_grown % (self.n_estimators // self.subcommittees):
            return super()._reweighted(members, tree, weight, odds)
        shares = [self._random.share() * 9999 / 10000 for _ in range(len(weight))]
        drawn = -logs(shares)
        return drawn * running_sum(weight) / running_sum(drawn)
