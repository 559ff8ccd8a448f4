"""CART for classes and for numbers (Breiman, Friedman, Olshen and Stone 1984)."""

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
    """CART for classes: binary splits, exact over all thresholds and over subsets of levels.

    Of all splits the one is taken that lowers the impurity most. A threshold is the middle between
    two neighbouring values of the node's rows. A categorical feature is split into two subsets of
    its levels: the best of all if only two classes are in the node, or at most `max_exact_levels`
    levels. Otherwise the levels are ordered by their share of a union of classes (of every union of
    up to five classes, of every single one of more), all cuts of these orders are tried, and single
    levels are moved to the other side of the best one as long as that helps. With up to five
    classes the cuts contain the best twoing split.

    Ties have a rule: the lowest feature is taken, then the lowest threshold. Gains are tied if
    they differ by less than 2^-37 (7e-12). The left child has the first of the levels that occur in
    the node; of tied subsets that one is taken which, as a binary number with the first level for
    its lowest digit, is smallest.

    Rows whose tested value is missing (NaN), and levels that do not occur in the node, go with the
    heavier child, the left one in a tie, in training as in prediction. The gain of a split is that
    of the rows with a value, times their share of the node's weight. There are no surrogate splits.

    Parameters
    ----------
    criterion : {"gini", "entropy", "twoing"}
        The gain of a split is the decrease of the Gini index or of the entropy (in bits), or the
        twoing value p_L p_R / 4 (sum over the classes of abs(p(c, L) - p(c, R)))^2.
    max_class_share : float
        A node whose largest class has at least this share of its weight is a leaf; in (0, 1].
    max_exact_levels : int
        Maximum number of levels in a node up to which all subsets are tried if there are more
        than two classes; between 0 and 20, and every level more doubles the work.

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
        """Return the unpruned tree of checked rows: of all, or of those that pruning leaves."""
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
    """CART that knows numbers only: categorical columns are coded, then split at thresholds.

    This is scikit-learn's ``DecisionTreeClassifier`` behind a ``OneHotEncoder`` or an
    ``OrdinalEncoder``, but for the choice among splits of equal gain, which is random there and has
    `CartClassifier`'s rule here. `CartClassifier` itself splits the levels into subsets.

    The encoders know the levels that `fit` knows, of which a pandas category type may declare some
    that do not occur. A level that is missing or unknown has 0 in all columns of a one-hot code,
    and no ordinal code. Rows whose tested value is missing go with the heavier child, the left one
    in a tie, in training as in prediction; scikit-learn took no missing values before 1.3.

    Parameters
    ----------
    coding : {"one_hot", "ordinal"}
        A column of 0 and 1 for each level, or one column with the position of the level. Codes
        of 0 and 1 are kept whole, 8 bytes per row and level: of 60,000 rows and 3,500 levels 1.7
        GB, in the making of which Ctrl-C waits for seconds.
    criterion : {"gini", "entropy"}
        What a split lowers most: the Gini index, or the entropy in bits.

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
        """Return the unpruned tree of checked rows: of all, or of those that pruning leaves."""
        n_levels = np.full(sample.X.shape[1], -1, np.int32)
        return grow_classes(sample, n_levels, len(self.classes_), self._rule())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances as of other trees; a categorical feature has the sum of its coded columns."""
        of_codes, features = super().feature_importances_, [j for j, _ in self._columns()]
        return np.bincount(features, of_codes, self.n_features_in_).astype(np.float64)


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
