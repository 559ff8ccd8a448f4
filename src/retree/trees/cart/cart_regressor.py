"""CART for numbers (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

import sys
from copy import copy
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from retree.trees.base import BaseTreeRegressor
from retree.trees.cart.base_cart import OF_NUMBERS, BaseCart, far_exponent, grow_targets
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.pruning.fitting import check_pruning
from retree.trees.tree import Tree
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

    criterion: Literal["squared_error"] = parameter(
        default="squared_error", check=one_of(*OF_NUMBERS)
    )

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Return the unpruned tree of checked rows: of all, or of those that pruning leaves."""
        return grow_targets(sample, self.n_levels, self._rule())

    def grow_pruned(self, sample: Sample, rng: Any) -> Tree:
        """Grow and prune the tree, in a unit in which squares of squared targets are doubles."""
        exponent = far_exponent(float(np.abs(sample.y).max()))
        if not exponent:
            return super().grow_pruned(sample, rng)
        check_pruning(self.pruning, self.pruning_params, regression=True)
        scaled, params = copy(self), dict(self.pruning_params or {})
        scaled.min_impurity_decrease = _in_squares(self.min_impurity_decrease, -exponent)
        if params.get("alpha") is not None:
            scaled.pruning_params = params | {"alpha": _in_squares(params["alpha"], -exponent)}
        tree = scaled.grow_pruned(sample._replace(y=np.ldexp(sample.y, -exponent)), rng)
        assert tree.moments is not None
        moments = np.ldexp(tree.moments, [exponent, 0])
        return replace(tree, moments=moments, target_exponent=exponent)


def _in_squares(value: float, exponent: int) -> float:
    """Return a number of squared targets in the unit of targets that are 2**exponent as large."""
    with np.errstate(over="ignore"):
        return min(float(np.ldexp(value, 2 * exponent)), sys.float_info.max)
