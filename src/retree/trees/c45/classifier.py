"""C4.5 (Quinlan 1993) as Weka's J48 grows and prunes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from retree.arithmetic import sum_of
from retree.trees.c45.growing import C45Rule, grow_c45
from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import FractionalTreeClassifier, Grower, Sample
from retree.trees.pruning.error_based import collapse
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.pruning.limits import check_limits, limited
from retree.trees.smoothing import Smoothing
from retree.trees.tree import Tree
from retree.trees.validation import (
    check_choice,
    check_confidence,
    depth_limit,
    least_number,
    thread_count,
)
from retree.trees.weighted_columns import WeightedColumns, presorted_grower

# How far above the middle of a gap a threshold may be, by release of Weka.
_SLACK = {"3.9": 0.0, "3.6": 1e-6}


class C45Classifier(FractionalTreeClassifier):
    """C4.5: gain-ratio splits with one branch per level, and error-based pruning.

    The tree is that of J48, Weka's implementation of C4.5 release 8. A numeric feature is tested
    against the threshold of greatest information gain, a categorical one with a branch for each of
    its levels; of the tests of at least average gain (to 1e-3) the one of best gain ratio is taken,
    the first feature where ratios tie. Numbers that differ by less than 1e-6 are tied, and no
    threshold stands between values closer than 1e-5, so scale features of a smaller range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, in
    training as in prediction. A level that was unknown in `fit` counts as missing. The weights of
    such parts are summed in J48's order, so that ties which the last bit decides fall as there: it
    sorts the rows of a node in place, by one numeric feature after the other.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of error-based pruning, from 2^-53 to 0.5; a smaller one prunes more.
    min_cases : int or float, default=2
        At least two branches of a test must have this weight, or, of a float in (0, 1), this part
        of the whole weight, rounded up. Both branches of a numeric test must
        have a tenth of the node's known weight per class, but no less than `min_cases` and no more
        than the greater of `min_cases` and 25; and twice as many rows of the node, whatever their
        weights, must have a value.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default="ebp"
        How the tree is pruned: C4.5's is error-based pruning.
    subtree_raising : bool, default=True
        Whether pruning may put the largest branch of a node in its place.
    collapse : bool, default=True
        Whether a subtree with as many errors in training as a leaf becomes one. Other prunings than
        the error-based start from the tree before that, as in J48.
    mdl_correction : bool, default=True
        Whether log2(number of thresholds) / (weight of the node) is taken from the information gain
        of a numeric test.
    binary_splits : bool, default=False
        Whether a categorical test asks for one level against all others.
    weka : {"3.9", "3.6"}, default="3.9"
        Of which release J48's thresholds are. A threshold is the largest value of the training data
        that is at most the middle between its neighbours in the node; in 3.6, which compares
        numbers to 1e-6, at most the middle plus 1e-6. That matters where values are evenly spaced,
        so that the middle is a value but for rounding.
    max_depth : int or None, default=None
        Greatest depth.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns: those of a category type, strings or booleans in a pandas or polars
        DataFrame, none, or a mask, indices or names. Levels are those that the type lists,
        otherwise those seen in `fit`, sorted.
    pruning_params : dict or None, default=None
        Parameters of the other prunings, see `retree.trees.pruning.fitting.grow_pruned`.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside; error-based pruning keeps none.
    fill_missing : {"common", "mean"} or None, default=None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean, of a categorical column the most common level.
        None sends a row down every branch.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves before pruning, at least 2, those that no training row reaches
        included. The tree then grows best first: the node whose test lowers the entropy of the
        whole tree most is split next. A test with more branches than there is room for is passed
        over.
    min_impurity_decrease : float, default=0.0
        A node is split only if its test lowers the entropy of the whole tree, in bits, by at least
        this: the decrease in the node times its share of the whole weight.
    n_jobs : int or None, default=None
        Threads, as in joblib, that sort and search the columns of large nodes; None is 1. No tree
        depends on it. Each thread takes memory for one more column.

    Attributes
    ----------
    tree_ : Tree
        The grown tree. A branch that no training row takes is a leaf of weight 0 with the class
        shares of its parent.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Quinlan J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Quinlan J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
    Intelligence Research 4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45Classifier().fit(X, y).get_n_leaves()
    5
    """

    _impurity = ENTROPY

    def __init__(
        self,
        confidence: float = 0.25,
        min_cases: float = 2,
        pruning: str | None = "ebp",
        subtree_raising: bool = True,
        collapse: bool = True,
        mdl_correction: bool = True,
        binary_splits: bool = False,
        weka: str = "3.9",
        max_depth: int | None = None,
        categorical_features: Any = "from_dtype",
        pruning_params: Mapping[str, Any] | None = None,
        random_state: int | RandomState | None = None,
        fill_missing: str | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.confidence = confidence
        self.min_cases = min_cases
        self.pruning = pruning
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.binary_splits = binary_splits
        self.weka = weka
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.pruning_params = pruning_params
        self.random_state = random_state
        self.fill_missing = fill_missing
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> C45Classifier:
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels. Of a pandas category type, classes that no row has count as classes in the
            smallest side of a numeric test, as those of an ARFF header do in J48.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative, on the scale of `min_cases`; rows of weight 0 are left out.
            Weights of a mean below 1, such as those of scikit-learn's ``AdaBoostClassifier``, are
            scaled to a mean of 1, the weights that Weka's boosting starts from.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._rule()
        sample = self._filled_classes(X, y, sample_weight).with_mean_weight()
        self.tree_ = self._tree_of(sample)
        return self

    def _grower(self, sample: Sample) -> Grower:
        n_classes = len(self.classes_)
        return presorted_grower(type(self)._tree_of, sample, self._n_levels, n_classes)

    def _tree_of(self, sample: Sample, columns: WeightedColumns | None = None) -> Tree:
        rule = replace(self._rule(sum_of(sample.weight)), n_declared=self._n_declared)
        collapses = self.collapses

        def grow_whole(part: Sample) -> Tree:
            own = columns if part is sample else None
            return grow_c45(part, self._n_levels, len(self.classes_), rule, own)

        limits = self.max_leaf_nodes, self.min_impurity_decrease
        grow_to_limits = limited(grow_whole, ENTROPY, *limits)

        def grow(part: Sample) -> Tree:
            tree = grow_to_limits(part)
            return collapse(tree) if collapses else tree

        pruning = self.pruning, self.all_pruning_params(), self.random_state
        numeric = np.flatnonzero(self._n_levels < 0).astype(np.int32)
        tree = grow_pruned(grow, sample, *pruning, divide_missing=True, sorted_by=numeric)
        return self._smoothed(tree)

    def grow_part(self, sample: Sample, n_classes: int, max_depth: int | None = None) -> Tree:
        """Return the unpruned tree of rows that are part of the training data of a larger tree.

        Limits that look at the whole of that tree are left to the caller.

        Parameters
        ----------
        sample : Sample
            Numeric columns only.
        n_classes : int
            Classes of the larger tree; a node has a count of each.
        max_depth : int or None, default=None
            Greatest depth, in place of the parameter of that name unless it is None.

        Returns
        -------
        Tree
        """
        rule = self._rule(sum_of(sample.weight))
        if max_depth is not None:
            rule = replace(rule, max_depth=max_depth)
        return grow_c45(sample, np.full(sample.X.shape[1], -1, np.int32), n_classes, rule)

    @property
    def collapses(self) -> bool:
        """Whether the grown tree is collapsed before it is pruned."""
        return self.collapse and self.pruning in ("ebp", None)

    def all_pruning_params(self) -> dict[str, Any]:
        """Return the parameters of the pruning; those of error-based pruning have names here."""
        params = dict(self.pruning_params or {})
        if self.pruning == "ebp":
            own = {"confidence": self.confidence, "subtree_raising": bool(self.subtree_raising)}
            if twice := sorted(set(params) & set(own)):
                raise ValueError(f"Set {', '.join(twice)} itself, not in pruning_params.")
            params |= own
        return params

    def _rule(self, weight: float = 1.0) -> C45Rule:
        """Validate the parameters and return those of growing on rows of this `weight`."""
        check_limits(self.max_leaf_nodes, self.min_impurity_decrease)
        check_confidence("confidence", self.confidence)
        check_choice("weka", self.weka, _SLACK)
        return C45Rule(
            min_cases=float(least_number("min_cases", self.min_cases, weight, 1)),
            mdl_correction=bool(self.mdl_correction),
            binary_splits=bool(self.binary_splits),
            max_depth=depth_limit(self.max_depth),
            slack=_SLACK[self.weka],
            n_threads=thread_count(self.n_jobs),
        )
