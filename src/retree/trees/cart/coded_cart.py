"""CART on numbers that stand for categories: what scikit-learn's trees make of categorical data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retree.trees.base import BaseTreeClassifier
from retree.trees.cart.base_cart import BaseCart, grow_classes
from retree.trees.coding import ONE_HOT, ORDINAL, CodedColumns
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.parameters import WithClassWeight, WithSmoothing
from retree.trees.tree import Tree
from retree.trees.validation import one_of


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
