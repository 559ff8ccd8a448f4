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
    """Weka's RealAdaBoost: members add up the log odds of their class shares.

    Boosting starts from the log odds of the two classes. All shares count one extra row of each
    class (Laplace's rule). Boosting ends when a member raises the loss.

    Parameters
    ----------
    estimator : tree classifier or None
        Grows the members, see `BaggingTreesClassifier`; None means ``DecisionStumpClassifier()``.
    shrinkage : float
        Factor by which the log odds of each member are multiplied.
    java : {"9", "6"}
        Java version that Weka runs on, which decides how exponentials are rounded. "9" gives the
        nearest double, which Java 9 and later do with few exceptions. "6" is fdlibm, which Java 6
        uses, and Java 7 up to its update 3. A difference in the last bit can change later rounds.
    vote : {"log_odds"}
        How the trees decide.

    Attributes
    ----------
    forest_ : Forest
        The trees. A smaller forest consists of the first trees of a larger one.
    prior_ : float
        Share of the first class, from which boosting starts.
    total_ : float
        Total weight of the training rows.

    References
    ----------
    Friedman J., Hastie T., Tibshirani R. (2000). Additive logistic regression: a statistical view
    of boosting. Annals of Statistics 28, 337-407.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from retree import RealAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> print(f"{cross_val_score(RealAdaBoostClassifier(), X, y).mean():.2f}")
    0.94
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
