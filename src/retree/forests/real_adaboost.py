"""Weka's RealAdaBoost, for two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import exps, fdlibm_exps, logs, running_sum
from retree.forests.grown import BoostedForest
from retree.forests.members import Members, tree_of
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.validation import number, one_of
from retree.trees.weka.decision_stump import DecisionStumpClassifier


@declare("real_adaboost", version=2)
class RealAdaBoostClassifier(BoostedForest):
    """Weka's RealAdaBoost: the log odds of each member's class shares are summed up.

    It starts from the shares of the two classes, with one more row of each. A member's shares are
    those of the rows and one more of each class. Boosting ends when a member raises the loss.

    Parameters
    ----------
    estimator : tree classifier or None
        The members, see `BaggingTreesClassifier`; None is ``DecisionStumpClassifier()``.
    shrinkage : float
        What the log odds of each member are multiplied by.
    java : {"9", "6"}
        Whose exponentials Weka has: the nearest doubles, but for few of Java 9 and later, or those
        of fdlibm, as in Java 6 and 7 until its update 3. Rounds may go apart by a last bit.
    vote : {"log_odds"}
        How the trees decide.

    Attributes
    ----------
    forest_ : Forest
        The trees; those of fewer are the first of more.
    prior_ : float
        Share of the first class that boosting starts from.
    total_ : float
        Weight of the training rows.

    References
    ----------
    Friedman J., Hastie T., Tibshirani R. (2000). Additive logistic regression: a statistical view
    of boosting. Annals of Statistics 28, 337-407.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from retree.forests import RealAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RealAdaBoostClassifier().fit(X, y).score(X, y) > 0.95
    True
    """

    n_estimators: int = 10
    shrinkage: float = parameter(default=1.0, check=number(0, 1, "right"))
    java: Literal["9", "6"] = parameter(default="9", check=one_of("9", "6"), neutral=True)
    vote: Literal["log_odds"] = parameter(  # type: ignore[assignment]
        default="log_odds", check=one_of("log_odds")
    )

    _default_estimator = DecisionStumpClassifier
    grown_together: ClassVar = (*BoostedForest.grown_together, "shrinkage", "java")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _grown(self, sample: Sample, members: Members) -> tuple[list[Tree], NDArray[np.float64]]:
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. y has {len(self.classes_)} classes."
            )
        members.template.keeps_rests = True  # the log odds have their last bits from them
        self.total_ = running_sum(sample.weight)
        counts = [1.0 + running_sum(sample.weight[sample.y == c]) for c in (0, 1)]
        self.prior_ = counts[0] / (counts[0] + counts[1])
        sign = np.where(sample.y == 1, 1.0, -1.0)
        weight = self._raised(sample.weight, sign, self._half_odds(np.array([self.prior_])))
        trees: list[Tree] = []
        least = running_sum(logs(weight))
        while len(trees) < self.n_estimators:
            tree = tree_of(members.draw(weight * self.total_ / running_sum(weight)))
            odds = self._odds_of(tree, sample.X, members.divide_missing)
            weight = self._raised(weight, sign, self.shrinkage * odds)
            loss = running_sum(logs(weight))
            if loss > least:
                break
            trees.append(tree)
            least = loss
        return trees, np.ones(len(trees))

    def _raised(
        self, weight: NDArray[np.float64], sign: NDArray[np.float64], odds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return weight * self._exps(sign * odds)

    def _exps(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return fdlibm_exps(values) if self.java == "6" else exps(values)

    def _half_odds(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half of the log odds of the first class."""
        return 0.5 * (logs(share) - logs(1 - share))

    def _odds_of(
        self, tree: Tree, X: NDArray[np.float64], divide_missing: bool
    ) -> NDArray[np.float64]:
        shares = tree.predicted(X, divide_missing=divide_missing)[:, 0]
        return self._half_odds((self.total_ * shares + 1) / (self.total_ + 2))

    def _shares(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = self.checked_rows(X)
        sums = np.repeat(self._half_odds(np.array([self.prior_])), len(rows))
        for tree in self.forest_.trees:
            sums += self.shrinkage * self._odds_of(tree, rows, self.forest_.divide_missing)
        both = np.stack((sums, -sums), axis=1)
        odds = self._exps(both - both.max(axis=1, keepdims=True))[:, : len(self.classes_)]
        return odds / odds.sum(axis=1, keepdims=True)

    def _predicted_codes(self, X: Any) -> NDArray[np.int64]:
        return self._shares(X).argmax(axis=1)

    def _held(self) -> tuple[Sequence[Tree], dict[str, Any]]:
        trees, of_forest = super()._held()
        return trees, of_forest | {"odds": [self.prior_, self.total_]}

    def _hold(self, trees: Sequence[Tree], *args: Any, odds: Any = None, **of_forest: Any) -> None:
        super()._hold(trees, *args, **of_forest)
        if odds is None or len(odds) != 2:
            raise ValueError("RealAdaBoostClassifier needs the share of its first class, and rows")
        self.prior_, self.total_ = odds

    def _decision(self) -> str:
        return "shares"  # each tree counts as much as any other in the importances
