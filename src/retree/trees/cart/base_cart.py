"""What CART's estimators share (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch

from retree.trees.base import BaseTree
from retree.trees.cart.cart_growing import CRITERIA, Rule
from retree.trees.declaring import parameter, parameters
from retree.trees.parameters import (
    WithCategories,
    WithDepth,
    WithLeaves,
    WithPruning,
    WithThreads,
)
from retree.trees.pruning.cost_complexity import cost_complexity_path
from retree.trees.validation import (
    check_weight,
    depth_limit,
    least_number,
    number,
    rows_or_share,
    thread_count,
)

_IMPURITIES = {"twoing": "gini"}


@parameters
class BaseCart(WithDepth, WithPruning, WithCategories, WithLeaves, WithThreads, BaseTree):
    """What the classifiers and the regressor share: parameters of growing.

    Parameters
    ----------
    min_samples_split : int or float
        A node of fewer rows is a leaf; a float in (0, 1) is that part of the training rows.
    min_samples_leaf : int or float
        Least number of rows of a child, or part of the training rows. A subset of levels may be
        overlooked that leaves enough rows, if it is no cut of the order of the levels.
    min_impurity_decrease : float
        A node is split only if its gain, times its share of the whole weight, is at least this.
    min_weight_fraction_leaf : float
        Least share of the whole weight that a child must have, in [0, 0.5].
    """

    min_samples_split: float = parameter(default=2, check=rows_or_share(2))
    min_samples_leaf: float = parameter(default=1, check=rows_or_share(1))
    min_impurity_decrease: float = parameter(default=0.0, check=check_weight)
    min_weight_fraction_leaf: float = parameter(default=0.0, check=number(0, 0.5), neutral=True)

    _limits_decrease = False
    criterion = "gini"

    def _rule(self, n_rows: int) -> Rule:
        """Return the rule of growing on `n_rows` rows."""
        return Rule(
            criterion=CRITERIA[self.criterion],
            max_depth=depth_limit(self.max_depth),
            min_samples_split=least_number("min_samples_split", self.min_samples_split, n_rows, 2),
            min_samples_leaf=least_number("min_samples_leaf", self.min_samples_leaf, n_rows, 1),
            min_impurity_decrease=float(self.min_impurity_decrease),
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            n_threads=thread_count(self.n_jobs),
        )

    def cost_complexity_pruning_path(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Return the alphas and impurities of minimal cost-complexity pruning.

        The path is scikit-learn's, but for equal alphas, which are there once: their links are cut
        together.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            With ``ccp_alphas``, ascending, and ``impurities``, the summed impurity of the leaves of
            the subtree at each alpha, both of shape (n_subtrees,): the Gini index (that of twoing
            too, which is no impurity), the entropy in bits, or the variance.
        """
        tree = clone(self).set_params(pruning=None, pruning_params=None).fit(X, y, sample_weight)
        path = cost_complexity_path(tree.tree_, _IMPURITIES.get(self.criterion, self.criterion))
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)
