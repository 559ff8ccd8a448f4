"""What CART's estimators share (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch, check_scalar

from retree.trees.cart.cart_growing import Criterion, Rule
from retree.trees.mixed import MixedInput, Sample
from retree.trees.pruning.cost_complexity import cost_complexity_path
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.pruning.limits import check_limits, limited
from retree.trees.tree import Tree
from retree.trees.validation import check_weight, depth_limit, least_number, thread_count

_IMPURITIES = {"twoing": "gini"}


class BaseCart(MixedInput):
    """What the classifier and the regressor share: parameters of growing, and their checks."""

    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_impurity_decrease: float
    min_weight_fraction_leaf: float
    pruning: str | None
    pruning_params: Mapping[str, Any] | None
    random_state: int | RandomState | None
    max_leaf_nodes: int | None
    n_jobs: int | None
    tree_: Tree

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree, and prune it if `pruning` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels, or the targets of a regression.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._rule()
        sample = self._checked_sample(X, y, sample_weight)
        self.tree_ = self._tree_of(sample)
        return self

    def _rule(self, n_rows: int = 1) -> Rule:
        """Validate the parameters and return the rule of growing on `n_rows` rows."""
        raise NotImplementedError

    def _checked_sample(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Check the data; return the rows that have weight."""
        return self._checked_classes(X, y, sample_weight)

    def _shared_rule(self, criterion: Criterion, n_rows: int = 1) -> Rule:
        """Validate the shared parameters and return the rule of growing on `n_rows` rows."""
        check_limits(self.max_leaf_nodes)
        check_weight("min_weight_fraction_leaf", self.min_weight_fraction_leaf)
        check_scalar(self.min_weight_fraction_leaf, "min_weight_fraction_leaf", Real, min_val=0,
                     max_val=0.5)  # fmt: skip
        return Rule(
            criterion=criterion,
            max_depth=depth_limit(self.max_depth),
            min_samples_split=least_number("min_samples_split", self.min_samples_split, n_rows, 2),
            min_samples_leaf=least_number("min_samples_leaf", self.min_samples_leaf, n_rows, 1),
            min_impurity_decrease=check_weight("min_impurity_decrease", self.min_impurity_decrease),
            min_weight_fraction_leaf=float(self.min_weight_fraction_leaf),
            n_threads=thread_count(self.n_jobs),
        )

    def _pruned(self, grow: Callable[[Sample], Tree], sample: Sample) -> Tree:
        """Return the tree of `sample`, pruned if `pruning` is set."""
        grow = limited(grow, self.criterion, self.max_leaf_nodes)
        return grow_pruned(grow, sample, self.pruning, self.pruning_params, self.random_state)

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
