"""ID3 (Quinlan 1986): information gain, one branch per level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import RandomState
from numpy.typing import ArrayLike

from retree.arithmetic import sum_of
from retree.trees.c45.growing import C45Rule, grow_c45
from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import FractionalTreeClassifier, Grower, Sample
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.pruning.limits import check_limits, limited
from retree.trees.smoothing import Smoothing
from retree.trees.tree import Tree
from retree.trees.validation import depth_limit, least_number, thread_count
from retree.trees.weighted_columns import WeightedColumns, presorted_grower


class ID3Classifier(FractionalTreeClassifier):
    """ID3: the test of greatest information gain, until a node is pure or no test gains.

    A categorical feature is tested with a branch for each of its levels, so it is of no more use
    below. Quinlan's ID3 knows categorical features only; here a numeric one is tested against its
    threshold of greatest gain, without the corrections of C4.5, and may be tested again. The first
    feature is taken where gains tie; gains that differ by less than 1e-6 bits are tied, and no
    threshold stands between values closer than 1e-5, so scale features of a smaller range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, as
    in C4.5. A level that was unknown in `fit` counts as missing.

    Parameters
    ----------
    min_cases : int or float, default=1
        At least two branches of a test must have this weight, or, of a float in (0, 1), this part
        of the whole weight, rounded up.
    max_depth : int or None, default=None
        Greatest depth.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default=None
        How the tree is pruned; ID3 itself does not prune.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns: those of a category type, strings or booleans in a pandas or polars
        DataFrame, none, or a mask, indices or names. Levels are those that the type lists,
        otherwise those seen in `fit`, sorted.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside.
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
    Quinlan J. R. (1986). Induction of decision trees. Machine Learning 1, 81-106.

    Examples
    --------
    >>> import pandas as pd
    >>> from retree import ID3Classifier
    >>> outlook = ["sunny", "sunny", "overcast", "rain", "rain", "overcast"]
    >>> X = pd.DataFrame({"outlook": pd.Categorical(outlook)})
    >>> ID3Classifier().fit(X, ["no", "no", "yes", "yes", "no", "yes"]).get_n_leaves()
    3
    """

    _impurity = ENTROPY

    def __init__(
        self,
        min_cases: float = 1,
        max_depth: int | None = None,
        pruning: str | None = None,
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
        fill_missing: str | None = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.min_cases = min_cases
        self.max_depth = max_depth
        self.pruning = pruning
        self.pruning_params = pruning_params
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.fill_missing = fill_missing
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> ID3Classifier:
        """Grow the tree, and prune it if `pruning` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative, on the scale of `min_cases`; those of a mean below 1 are scaled
            to a mean of 1. Rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._rule()
        sample = self._filled_classes(X, y, sample_weight)
        sample = sample.with_mean_weight() if self._scales_weights else sample
        self.tree_ = self._tree_of(sample)
        return self

    def _grower(self, sample: Sample) -> Grower:
        n_classes = len(self.classes_)
        return presorted_grower(type(self)._tree_of, sample, self._n_levels, n_classes)

    def _tree_of(self, sample: Sample, columns: WeightedColumns | None = None) -> Tree:
        rule = self._rule(sum_of(sample.weight))

        def grow_whole(part: Sample) -> Tree:
            own = columns if part is sample else None
            return grow_c45(part, self._n_levels, len(self.classes_), rule, own)

        grow = limited(grow_whole, ENTROPY, self.max_leaf_nodes, self.min_impurity_decrease)
        pruning = self.pruning, self.pruning_params, self.random_state
        return self._smoothed(grow_pruned(grow, sample, *pruning, divide_missing=True))

    def _rule(self, weight: float = 1.0) -> C45Rule:
        """Validate the parameters and return those of growing on rows of this `weight`."""
        check_limits(self.max_leaf_nodes, self.min_impurity_decrease)
        return C45Rule(
            min_cases=float(least_number("min_cases", self.min_cases, weight, 1)),
            by_gain=True,
            max_depth=depth_limit(self.max_depth),
            n_threads=thread_count(self.n_jobs),
        )
