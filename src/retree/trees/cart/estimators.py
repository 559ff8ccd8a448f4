"""CART for classification and regression (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

import sys
from copy import copy
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retree.trees.base import ONE_HOT, ORDINAL, BaseTreeClassifier, BaseTreeRegressor, CodedColumns
from retree.trees.cart.base_cart import (
    OF_CLASSES,
    OF_NUMBERS,
    BaseCart,
    far_exponent,
    grow_classes,
    grow_targets,
)
from retree.trees.declaring import changed, declare, parameter
from retree.trees.mixed import Sample
from retree.trees.parameters import WithClassWeight, WithSmoothing
from retree.trees.pruning.fitting import check_pruning
from retree.trees.tree import Tree
from retree.trees.validation import number, one_of, whole

_MOST_EXACT_LEVELS = 20


@declare("cart", version=2)
class CartClassifier(WithClassWeight, WithSmoothing, BaseCart, BaseTreeClassifier):
    """CART for classification: binary splits at thresholds or into subsets of levels.

    Each node takes the split that lowers the impurity most. Thresholds are the middles between
    neighbouring values of the node's rows; all of them are tried. A categorical feature is split
    into two subsets of its levels. If the node has only two classes, or at most `max_exact_levels`
    levels, the best of all subsets is found. Otherwise the levels are ordered by their share of
    some classes, all cuts of that order are tried, and single levels are moved to the other side of
    the best cut as long as that helps. With up to five classes, every set of classes gives an
    order; with more, every single class does. With up to five classes, one of the cuts is the best
    twoing split.

    Gains are tied if they differ by less than 2^-37 (7e-12). Of tied splits the one with the lowest
    feature is taken, then the lowest threshold. The left child has the first of the levels that
    occur in the node. Read a subset as a binary number whose lowest digit is the first level: of
    tied subsets the smallest number is taken.

    Rows whose tested value is missing (NaN), and levels that do not occur in the node, go to the
    heavier child, the left one in a tie, both in training and in prediction. The gain of a split is
    the gain over the rows with a value, times their share of the node's weight. There are no
    surrogate splits.

    Parameters
    ----------
    criterion : {"gini", "entropy", "twoing"}
        How a split is scored: by the decrease of the Gini index or of the entropy (in bits), or by
        the twoing value ``p_L p_R / 4 * (sum over classes c of abs(p(c, L) - p(c, R)))^2``, where
        p_L and p_R are the shares of the rows that go left and right.
    max_class_share : float
        A node is a leaf if its largest class has at least this share of its weight; in (0, 1].
    max_exact_levels : int
        With more than two classes, all subsets are tried in nodes with at most this many levels;
        between 0 and 20. Each additional level doubles the work.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import CartClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CartClassifier().fit(X, y).get_n_leaves()
    9
    """

    criterion: Literal["gini", "entropy", "twoing"] = parameter(
        default="gini", check=one_of(*OF_CLASSES)
    )
    max_class_share: float = parameter(default=1.0, check=number(0, 1, "right"))
    max_exact_levels: int = parameter(default=10, check=whole(0, _MOST_EXACT_LEVELS))

    declares = changed(in_forests=True)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        rule = replace(
            self._rule(),
            max_class_share=float(self.max_class_share),
            max_exact_levels=int(self.max_exact_levels),
        )
        return grow_classes(sample, self.n_levels, len(self.classes_), rule)


@declare("cart_coded")
class CodedCartClassifier(
    WithClassWeight, WithSmoothing, CodedColumns, BaseCart, BaseTreeClassifier
):
    """CART on coded categories: categorical columns become numbers, which are split at thresholds.

    This is scikit-learn's ``DecisionTreeClassifier`` behind a ``OneHotEncoder`` or an
    ``OrdinalEncoder``, except for ties: there the choice among splits of equal gain is random, here
    it follows the rule of `CartClassifier`. `CartClassifier` itself splits levels into subsets.

    The encoders know the levels that `fit` has seen, and those that a pandas category type
    declares. A missing or unknown level has 0 in all columns of a one-hot code, and no ordinal
    code. Rows whose tested value is missing go to the heavier child, the left one in a tie, both in
    training and in prediction. scikit-learn before 1.3 took no missing values.

    Parameters
    ----------
    coding : {"one_hot", "ordinal"}
        "one_hot" makes a column of 0 and 1 for each level, "ordinal" one column with the position
        of the level. One-hot codes take 8 bytes per row and level: 1.7 GB for 60,000 rows and 3,500
        levels. While they are made, Ctrl-C may take seconds.
    criterion : {"gini", "entropy"}
        The impurity that splits lower: the Gini index, or the entropy in bits.

    Attributes
    ----------
    tree_ : Tree
        The grown tree, whose features are the coded columns.

    Examples
    --------
    >>> from retree.trees.cart import CodedCartClassifier
    >>> X, y = [["a"], ["b"], ["c"], ["d"]], [0, 1, 0, 1]
    >>> one_hot = CodedCartClassifier(categorical_features=[0]).fit(X, y)
    >>> one_hot.feature_names()
    ['x[0] = a', 'x[0] = b', 'x[0] = c', 'x[0] = d']
    >>> one_hot.get_n_leaves()
    3
    """

    coding: Literal["one_hot", "ordinal"] = parameter(
        default=ONE_HOT, check=one_of(ONE_HOT, ORDINAL)
    )
    criterion: Literal["gini", "entropy"] = parameter(
        default="gini", check=one_of("gini", "entropy")
    )

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        n_levels = np.full(sample.X.shape[1], -1, np.int32)
        return grow_classes(sample, n_levels, len(self.classes_), self._rule())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances as in other trees; those of coded columns are summed for each feature."""
        of_codes, features = super().feature_importances_, [j for j, _ in self._columns()]
        return np.bincount(features, of_codes, self.n_features_in_).astype(np.float64)


@declare()
class CartRegressor(BaseCart, BaseTreeRegressor):
    """CART for regression: binary splits with the lowest squared error.

    Splits, ties and missing values are as in `CartClassifier`. The levels of a categorical feature
    are ordered by their mean target; the best subset is a cut of this order. Gains are tied if they
    differ by less than 2^-37 of the node's variance.

    Parameters
    ----------
    criterion : {"squared_error"}
        How a split is scored: by the decrease of the variance.
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
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        return grow_targets(sample, self.n_levels, self._rule())

    def grow_pruned(self, sample: Sample, rng: Any) -> Tree:
        """Grow and prune the tree, in a unit in which fourth powers of targets fit a double."""
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
    """Convert a number in squared units of the target to a unit that is 2**exponent as large."""
    with np.errstate(over="ignore"):
        return min(float(np.ldexp(value, 2 * exponent)), sys.float_info.max)
