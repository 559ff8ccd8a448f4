"""CART for numbers (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from functools import partial
from typing import Any

from retree.trees.base import BaseTreeRegressor
from retree.trees.cart.base_cart import OF_NUMBERS, BaseCart, grow_targets
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.pruning.alpha_choice import Grow
from retree.trees.validation import one_of


@declare()
class CartRegressor(BaseCart, BaseTreeRegressor):
    """CART for numbers: binary splits with the lowest squared error.

    Splits, ties and missing values are as in `CartClassifier`; the levels of a categorical feature
    are ordered by their mean target, and the best subset is a cut of this order. Gains are tied if
    they differ by less than 2^-37 of the node's variance.

    Parameters
    ----------
    criterion : {"squared_error"}
        The gain of a split is the decrease of the variance.
    pruning : {"cost_complexity", "reduced_error"} or None
        How the tree is pruned.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth.

    Examples
    --------
    >>> from retree import CartRegressor
    >>> CartRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 1.0, 4.0]).predict([[2.4], [2.6]])
    array([1., 4.])
    """

    criterion: str = parameter(default="squared_error", check=one_of(*OF_NUMBERS))

    def _growing(self, sample: Sample, rng: Any) -> Grow:
        rule = self._rule(len(sample.y))
        return partial(grow_targets, n_levels=self._n_levels, rule=rule)
