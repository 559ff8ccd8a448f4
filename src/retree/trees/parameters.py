"""Parameters that many estimators have, each described and checked once."""

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
        Maximum depth.
    """

    max_depth: int | None = parameter(default=None, check=none_or(whole(1, math.inf)))


@parameters
class WithLeaves(Declared):
    """A maximum number of leaves.

    Parameters
    ----------
    max_leaf_nodes : int or None
        Maximum number of leaves before pruning, at least 2, those that no training row reaches
        included. The tree then grows best first: the node whose test lowers the impurity of the
        whole tree most is split next, the first in the order of nodes where these tie. A test with
        more branches than there is room for is passed over. With a criterion of CART, such as
        twoing, what a test lowers is its gain, otherwise the impurity of `feature_importances_`.
    """

    max_leaf_nodes: int | None = parameter(default=None, check=none_or(whole(2)), neutral=True)


@parameters
class WithLimits(WithLeaves):
    """Limits that look at the whole tree.

    Parameters
    ----------
    min_impurity_decrease : float
        A node is split only if its test lowers the impurity of the whole tree, an entropy in bits,
        by at least this: the decrease in the node times its share of the whole weight.
    """

    min_impurity_decrease: float = parameter(default=0.0, check=check_weight, neutral=True)


@parameters
class WithPruning(Declared):
    """Pruning of the grown tree.

    Parameters
    ----------
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None
        How the tree is pruned.
    pruning_params : dict or None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    random_state : int, RandomState or None
        Draws the rows that pruning keeps aside; growing draws nothing.
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
        Categorical columns: those of a category type, strings or booleans in a pandas or polars
        DataFrame, none, or a mask, indices or names. Levels are those that the type lists,
        otherwise those seen in `fit`, sorted.

    Attributes
    ----------
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    """

    categorical_features: Any = "from_dtype"


@parameters
class WithFilling(Declared):
    """Missing values that are filled in.

    Parameters
    ----------
    fill_missing : {"common", "mean"} or None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean, of a categorical column the most common level.
        With None, C4.5 and ID3 send a row down every branch of a test whose value it lacks, and
        trees of numbers alone refuse it.

    Attributes
    ----------
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
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
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
        No weight changes what a leaf of one class predicts.
    """

    class_weight: ClassWeight = parameter(default=None, neutral=True)


@parameters
class WithSmoothing(Declared):
    """Smoothed probabilities.

    Parameters
    ----------
    smoothing : "laplace", float or None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    """

    smoothing: Smoothing = parameter(default=None, check=check_smoothing, neutral=True)


@parameters
class WithThreads(Declared):
    """Threads.

    Parameters
    ----------
    n_jobs : int or None
        Threads, as in joblib, that sort and search the columns of large nodes; None is 1. No tree
        depends on it. Each thread takes memory for one more column.
    """

    n_jobs: int | None = parameter(default=None, check=check_threads, neutral=True)
