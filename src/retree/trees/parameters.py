"""Parameters that several estimators share, each documented and checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from numpy.random import RandomState

from retree.trees.declaring import Declared, parameter, parameters
from retree.trees.row_weights import ClassWeight
from retree.trees.rows import COMMON, MEAN, Filling
from retree.trees.smoothing import Smoothing, check_smoothing
from retree.trees.validation import (
    check_mapping,
    check_threads,
    check_weight,
    none_or,
    one_of,
    whole,
)

Pruning = Literal["cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"]


@parameters
class WithDepth(Declared):
    """A maximum depth.

    Parameters
    ----------
    max_depth : int or None
        Maximum number of tests on a path from the root to a leaf; None means no limit.
    """

    max_depth: int | None = parameter(default=None, check=none_or(whole(1, math.inf)))


@parameters
class WithLeaves(Declared):
    """A maximum number of leaves.

    Parameters
    ----------
    max_leaf_nodes : int or None
        Maximum number of leaves before pruning, at least 2, including leaves that no training row
        reaches; None means no limit. The tree then grows best first: the next node to split is the
        one whose test lowers the impurity of the whole tree most, the first in the order of nodes
        where these tie. A test with too many branches for the limit is skipped. Tests are ranked by
        their gain if the estimator has a criterion of CART, such as twoing, and otherwise by the
        impurity of `feature_importances_`.
    """

    max_leaf_nodes: int | None = parameter(default=None, check=none_or(whole(2)), neutral=True)


@parameters
class WithLimits(WithLeaves):
    """Limits that look at the whole tree.

    Parameters
    ----------
    min_impurity_decrease : float
        A node is split only if its test lowers the impurity of the whole tree (the entropy, in
        bits) by at least this: the decrease in the node, times the node's share of the total
        weight.
    """

    min_impurity_decrease: float = parameter(default=0.0, check=check_weight, neutral=True)


@parameters
class WithPruning(Declared):
    """Pruning of the grown tree.

    Parameters
    ----------
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None
        How the tree is pruned; "ebp" is error-based pruning, "stopping" ends growing early, None
        leaves the tree unpruned.
    pruning_params : dict or None
        Parameters of the pruning and their values, see `retree.trees.pruning.fitting.grow_pruned`;
        None means the defaults.
    random_state : int, RandomState or None
        Draws the rows that pruning holds out; growing draws nothing.
    """

    pruning: Pruning | None = None
    pruning_params: Mapping[str, Any] | None = parameter(default=None, check=none_or(check_mapping))
    random_state: int | RandomState | None = None


@parameters
class WithCategories(Declared):
    """Categorical columns.

    Parameters
    ----------
    categorical_features : "from_dtype", None or array-like
        The categorical columns. "from_dtype" takes the columns of a pandas or polars DataFrame that
        have a category type, strings or booleans; None means that there are none; an array-like is
        a mask, indices or names. Levels are those that the type lists, otherwise the values seen in
        `fit`, sorted.

    Attributes
    ----------
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric column.
    """

    categorical_features: Any = "from_dtype"


@parameters
class WithFilling(Declared):
    """Missing values that are filled in.

    Parameters
    ----------
    fill_missing : {"common", "mean"} or None
        How missing values are filled in, in training and in prediction: "common" takes the most
        common value of the column (the lowest one where weights tie), "mean" its mean, or the most
        common level of a categorical column. With None, C4.5 and ID3 send a row without the tested
        value down every branch, and trees that take only numbers refuse missing values.

    Attributes
    ----------
    fill_values_ : ndarray of shape (n_features,)
        Value that is filled in for each feature, if `fill_missing` is set.
    """

    fill_missing: Filling | None = parameter(
        default=None, check=one_of(COMMON, MEAN, None), neutral=True
    )


@parameters
class WithClassWeight(Declared):
    """Weights of classes.

    Parameters
    ----------
    class_weight : "balanced", dict or None
        Weights of the classes, which multiply the weights of the rows: a dict from labels to
        weights, in which missing classes have weight 1, or "balanced", which is
        ``n_samples / (n_classes * rows of the class)``. The prediction of a leaf with a single
        class does not depend on it.
    """

    class_weight: ClassWeight = parameter(default=None, neutral=True)


@parameters
class WithSmoothing(Declared):
    """Smoothed probabilities.

    Parameters
    ----------
    smoothing : "laplace", float or None
        How class shares become probabilities: unchanged (None), with one extra row of each class
        ("laplace"), or as m-estimates with this m; see `retree.trees.smoothing`.
    """

    smoothing: Smoothing = parameter(default=None, check=check_smoothing, neutral=True)


@parameters
class WithThreads(Declared):
    """Threads.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, as in joblib, for sorting and searching the columns of large nodes; None
        means 1. The tree does not depend on it. Each thread needs memory for one more column.
    """

    n_jobs: int | None = parameter(default=None, check=check_threads, neutral=True)
