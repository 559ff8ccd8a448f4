"""Base classes of the estimators that grow forests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from retree.forests.fitted import ForestClassifier
from retree.forests.forest import Forest
from retree.forests.members import Members
from retree.trees.base import BaseTree
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.declaring import parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight
from retree.trees.tree import Tree
from retree.trees.validation import whole

_OF_THE_WHOLE = ("n_estimators", "vote", "n_jobs", "random_state")  # no tree depends on these


class FitsGrids:
    """Fits many parameter points at once."""

    def fit_grid(
        self, X: ArrayLike, y: ArrayLike, points: Sequence[Mapping[str, Any]]
    ) -> list[Self]:
        """Fit a clone with each of `points`; trees that several clones share are grown once.

        Points share their trees if they differ only in `n_estimators`, `vote` or `n_jobs`: a
        smaller forest consists of the first trees of a larger one. Points of a
        `ThinnedForestClassifier` may also differ in the parameters of selection and thinning.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Parameter values that replace the estimator's own.

        Returns
        -------
        list of estimators
            Fitted clones in the order of `points`, each equal to fitting that clone alone.
        """
        estimators = [clone(self).set_params(**point) for point in points]
        for each in estimators:
            each.check_parameters()
        self._fit_together(estimators, X, y)
        return estimators

    @staticmethod
    def _fit_together(estimators: Sequence[Any], X: ArrayLike, y: ArrayLike) -> None:
        """Fit checked estimators, doing common work once."""
        raise NotImplementedError


def groups(estimators: Iterable[Any], key: Callable[[Any], Hashable]) -> list[list[Any]]:
    """Return the estimators grouped by `key`, groups in the order of their first members."""
    alike: dict[Hashable, list[Any]] = defaultdict(list)
    for estimator in estimators:
        alike[key(estimator)].append(estimator)
    return list(alike.values())


def seed_of(estimator: Any) -> int:
    """Return the seed or generator of an estimator.

    A generator moves on, and None means a new one each time, so such trees are not shared.
    """
    seed = estimator.random_state
    return int(seed) if isinstance(seed, Integral) else id(estimator)


@parameters
class GrownForest(FitsGrids, WithCategories, WithClassWeight, ForestClassifier):
    """A forest that is grown.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    """

    n_estimators: int = parameter(default=30, check=whole(1))
    random_state: int | RandomState | None = None

    _is_of_weka: ClassVar[Any] = False  # whose mean shares tie to the last bit

    def parts(self) -> dict[str, Any]:
        """Return the estimator that grows the trees."""
        raise NotImplementedError

    @property
    def _knows_first_class(self) -> bool:
        return bool(self.parts()["estimator"].contract.knows_first_class)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever data the members take.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative. Bags draw rows in proportion to their weights, so a row of weight
            2 is not the same as two rows. Boosting starts from the weights and keeps their sum.
            Weights with a mean below 1 are first scaled to mean 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid.
        """
        sample, members = self._prepared(X, y, sample_weight)
        trees, votes = self._grown(sample, members)
        self.forest_ = Forest(tuple(trees), votes, **members.kind)
        return self

    def _prepared(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Sample, Members]:
        """Check parameters and data; return the rows and the grower of the members."""
        self.check_parameters()
        template = clone(self.parts()["estimator"])
        if not (isinstance(template, BaseTree) and template.contract.in_forests):
            raise TypeError(
                "estimator must be a tree classifier that forests can grow: C45Classifier, "
                "CartClassifier, CMDTClassifier, DecisionStumpClassifier, ID3Classifier, "
                "OneRClassifier, REPTreeClassifier or WekaRandomTreeClassifier, not "
                f"{type(template).__name__}."
            )
        if template.fill_missing is not None:
            raise ValueError(
                "Members of a forest do not fill in missing values: do not set fill_missing on "
                "the estimator, but fill them in first, for example with "
                "sklearn.impute.SimpleImputer."
            )
        if template.class_weight is not None:
            raise ValueError("Set class_weight on the forest, not on its estimator.")
        template.check_parameters()
        sample = self.checked_sample(X, y, sample_weight)
        template.adopt(self.classes_, self.categories_, self._n_declared, self._class_order)
        return sample, Members(template, sample, self.random_state)

    # What the trees depend on, apart from their number: cells that share it are grown together.
    grown_together: ClassVar[tuple[str, ...]]

    @staticmethod
    def _fit_together(forests: Sequence[Any], X: ArrayLike, y: ArrayLike) -> None:
        for group in groups(forests, lambda forest: forest._growth()):
            largest = max(group, key=lambda forest: forest.n_estimators).fit(X, y)
            fitted = {k: v for k, v in vars(largest).items() if k not in largest.get_params(False)}
            whole = largest.forest_
            for forest in group:
                forest.__dict__.update(fitted)
                forest.forest_ = whole.take(range(min(forest.n_estimators, len(whole.trees))))

    def _growth(self) -> Hashable:
        """Return all parameters of the trees except their number."""
        params = {n: v for n, v in self.get_params().items() if n not in _OF_THE_WHOLE}
        named = {n: type(v) if isinstance(v, BaseEstimator) else v for n, v in params.items()}
        return seed_of(self), joblib.hash(named)

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        """Return the members, and the weights of their votes."""
        raise NotImplementedError

    def _hold(
        self,
        trees: Sequence[Tree],
        vote_weight: Any = None,
        divide_missing: Any = None,
        *args: Any,
        **of_forest: Any,
    ) -> None:
        how = divide_missing and self.parts()["estimator"].contract.divides_missing
        super()._hold(trees, vote_weight, how, *args, **of_forest)

    def _predicted_codes(self, X: Any) -> NDArray[np.int64]:
        if not self._is_of_weka or self.vote != "shares":
            return super()._predicted_codes(X)
        check_is_fitted(self)
        sums = self.forest_.sums(self.checked_rows(X), n_jobs=self.n_jobs)
        # Weka adds one class after the other; numpy's sum would pair them.
        return (sums / sums.cumsum(axis=1)[:, -1:]).argmax(axis=1)


@parameters
class GrownFromEstimator(GrownForest):
    """A forest that is grown from a given estimator.

    Parameters
    ----------
    estimator : tree classifier or None
        Grows the members: a C45-, Cart-, CMDT-, DecisionStump-, ID3-, OneR-, REPTree- or
        WekaRandomTreeClassifier; None means ``C45Classifier()``.
    """

    estimator: Any = None

    _default_estimator: ClassVar[type[Any]] = C45Classifier

    grown_together: ClassVar[tuple[str, ...]] = (
        "estimator", "bags", "categorical_features", "class_weight", "random_state",
    )  # fmt: skip

    def parts(self) -> dict[str, Any]:
        """Return the estimator that grows the trees."""
        given = self.estimator
        return {"estimator": self._default_estimator() if given is None else given}


@parameters
class BoostedForest(GrownFromEstimator):
    """A forest that is boosted.

    Parameters
    ----------
    n_estimators : int
        Maximum number of trees.
    random_state : int, RandomState or None
        Passed on to members that draw random numbers; boosting itself draws none.
    """

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`: only if the members draw random numbers."""
        return bool(self.parts()["estimator"].depends_on_seed)
