"""CART for classes (Breiman, Friedman, Olshen and Stone 1984)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from retree.trees.base import BaseTreeClassifier
from retree.trees.cart.base_cart import OF_CLASSES, BaseCart, grow_classes
from retree.trees.contract import changed
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.parameters import WithClassWeight, WithSmoothing
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
