"""A forest that is grown, selected and thinned by one estimator, as experiments need it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike

from retree.forests.classifiers import BAGS, AdaBoostM1Classifier, BaggingTreesClassifier
from retree.forests.epic import EPICSelector
from retree.forests.fitted import VOTES, ForestClassifier, Vote, given_forest
from retree.forests.grown import FitsGrids, groups, seed_of
from retree.forests.thinning import AccuracyThinner, ForestThinner
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.declaring import declare, parameter
from retree.trees.parameters import WithCategories
from retree.trees.validation import none_or, one_of, whole

_ENSEMBLES = {"bagging": BaggingTreesClassifier, "adaboost": AdaBoostM1Classifier}
_THINNERS = {"ftcg": ForestThinner, "ft_acc": AccuracyThinner}


@declare("thinned_forest", version=4)
class ThinnedForestClassifier(FitsGrids, WithCategories, ForestClassifier):
    """C4.5 trees from bagging or AdaBoost.M1, of which the best are selected and thinned.

    Selection and thinning use the training rows as their pruning set.

    Parameters
    ----------
    ensemble : {"bagging", "adaboost"}
        How the trees are grown: `BaggingTreesClassifier` or `AdaBoostM1Classifier`.
    pruned : bool
        Whether C4.5 prunes the trees, as J48 does by default, or only collapses them, as J48 does
        with -U.
    n_estimators : int
        Number of trees to grow.
    n_selected : int or None
        Number of trees that `EPICSelector` keeps; None keeps all.
    weighted_selection : bool
        Whether the selection weights the votes, see `weighted` of `EPICSelector`.
    thinning : {"ftcg", "ft_acc"} or None
        `ForestThinner` ("ftcg"), `AccuracyThinner` ("ft_acc") or no thinning, in which case the
        next five parameters have no effect.
    passes : int
        Number of passes over all trees; with 0 only the class shares of the nodes change, as
        `shares` says.
    shares : {"training", "own", "decisions"}
        Class shares of the nodes in thinning, see `ForestThinner`.
    variant : {"corrected", "printed", "right_sign"}
        For "ftcg" only, see `ForestThinner`.
    pooling : {"mean", "weighted_mean", "log_odds"}
        How thinning pools the trees' class shares, see `ForestThinner`.
    inclusive : bool
        For "ftcg" only, see `ForestThinner`.
    vote : {"shares", "weighted_shares", "votes"} or None
        How the trees decide, see `ForestClassifier`. With None, a thinned forest decides as its
        thinning assumes, and any other as its ensemble does: by "shares" in bagging, by "votes" in
        AdaBoost.M1.
    weka : {"3.9", "3.6"}
        Weka release whose threshold rule the C4.5 trees use, see `C45Classifier`.
    bags : {"numpy", "weka-3.6", "weka-3.9"}
        Which generator draws the bags, see `BaggingTreesClassifier`; boosting draws none.
    random_state : int, RandomState or None
        Draws the bags; boosting draws nothing.
    n_jobs : int or None
        Number of threads, as in joblib, for growing bagged trees, sending rows down the trees in
        thinning, and predicting; the result does not depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import ThinnedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ThinnedForestClassifier(thinning="ftcg", random_state=0)
    >>> plain, thinned = model.fit_grid(X, y, [{"thinning": None}, {}])
    >>> thinned.get_node_count() < plain.get_node_count()
    True
    """

    ensemble: Literal["bagging", "adaboost"] = parameter(
        default="bagging", check=one_of(*_ENSEMBLES)
    )
    pruned: bool = True
    n_estimators: int = parameter(default=30, check=whole(1))
    n_selected: int | None = parameter(default=None, check=none_or(whole(1)))
    weighted_selection: bool = False
    thinning: Literal["ftcg", "ft_acc"] | None = parameter(
        default=None, check=one_of(*_THINNERS, None)
    )
    passes: int = 2
    shares: str = "training"
    variant: str = "corrected"
    pooling: str = "mean"
    inclusive: bool = False
    vote: Vote | None = parameter(default=None, check=one_of(*VOTES, None))
    weka: Literal["3.9", "3.6"] = "3.9"
    bags: Literal["numpy", "weka-3.6", "weka-3.9"] = parameter(
        default="numpy", check=one_of(*BAGS), neutral=True
    )
    random_state: int | RandomState | None = None

    # What the trees depend on, apart from their number: cells that share it are grown together.
    grown_together: ClassVar = (
        "ensemble", "pruned", "weka", "bags", "categorical_features", "random_state",
    )  # fmt: skip

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`: only in bagging."""
        return self.ensemble == "bagging"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the forest, select its members and thin them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid.
        """
        self.check_parameters()
        self._fit_together([self], X, y)
        return self

    def parts(self) -> dict[str, Any]:
        """Return the estimators that grow, select and thin, as far as the parameters ask for them.

        Raises
        ------
        ValueError, TypeError
            If a parameter is invalid.
        """
        self.check_parameters()
        return {
            "forest": self._forest(),
            "selector": self._selector(),
            "thinner": None if self.thinning is None else self._thinner(),
        }

    def _decision(self) -> str:
        if self.vote is not None:
            return self.vote
        if self.thinning is not None:
            return self._thinner().vote
        return "votes" if self.ensemble == "adaboost" else "shares"

    def check_parameters(self, **others: Any) -> None:
        """Raise unless all parameters are valid, including those of thinning."""
        super().check_parameters(**others)
        if self.thinning is not None:
            self._thinner().check_parameters()

    def _thinner(self) -> ForestThinner | AccuracyThinner:
        thinner = _THINNERS[str(self.thinning)]
        names = thinner().get_params()
        return thinner(**{name: getattr(self, name) for name in names if hasattr(self, name)})

    def _selector(self) -> EPICSelector | None:
        if self.n_selected is None:
            return None
        return EPICSelector(n_members=self.n_selected, weighted=self.weighted_selection)

    def _forest(self) -> BaggingTreesClassifier | AdaBoostM1Classifier:
        grower = _ENSEMBLES[self.ensemble](
            estimator=C45Classifier(pruning="ebp" if self.pruned else None, weka=self.weka),
            n_estimators=self.n_estimators,
            categorical_features=self.categorical_features,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return grower.set_params(bags=self.bags) if self.ensemble == "bagging" else grower

    @staticmethod
    def _fit_together(estimators: Sequence[Any], X: ArrayLike, y: ArrayLike) -> None:
        for group in groups(estimators, _growing):
            largest = max(group, key=lambda e: e.n_estimators)
            given = given_forest(largest.parts()["forest"].fit(X, y))
            rows, codes = given.encode(X, y)
            for part in groups(group, _selecting):
                whole = given.forest
                forest = whole.take(range(min(part[0].n_estimators, len(whole.trees))))
                if (selector := part[0].parts()["selector"]) is not None:
                    forest = selector.selected(forest, rows, codes)
                for alike in groups(part, _thinning):
                    after = {e.passes: forest for e in alike}
                    if (thinner := alike[0].parts()["thinner"]) is not None:
                        after = thinner.thinned_after(set(after), forest, rows, codes)
                    for estimator in alike:
                        given.hand_over(estimator, after[estimator.passes])


def _growing(estimator: ThinnedForestClassifier) -> Hashable:
    """Return all parameters of the trees except their number."""
    columns = repr(estimator.categorical_features)
    trees = estimator.ensemble, bool(estimator.pruned), estimator.weka, estimator.bags, columns
    return *trees, seed_of(estimator) if estimator.ensemble == "bagging" else None


def _selecting(estimator: ThinnedForestClassifier) -> Hashable:
    return estimator.n_estimators, estimator.n_selected, estimator.weighted_selection


def _thinning(estimator: ThinnedForestClassifier) -> Hashable:
    """Return all parameters of thinning except the number of passes."""
    if estimator.thinning is None:
        return None
    parameters = estimator.parts()["thinner"].get_params()
    del parameters["passes"]
    return estimator.thinning, *parameters.values()
