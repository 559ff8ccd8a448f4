"""CMDT (Liu & Song 2020): multiway nodes that send a row to the nearest of weighted centres."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state, check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.centres import EUCLIDEAN, MANHATTAN
from retree.trees.cmdt.growing import CMDTRule, grow_cmdt
from retree.trees.decreases import GINI
from retree.trees.mixed import MixedInput, Sample
from retree.trees.pruning.fitting import grow_pruned
from retree.trees.pruning.limits import check_limits, limited
from retree.trees.repeated_rows import repeated_rows
from retree.trees.smoothing import Smoothing
from retree.trees.tree import Tree

_ALL = np.iinfo(np.int64).max


class CMDTClassifier(MixedInput, BaseTreeClassifier):
    """CMDT: nodes with a child for each cluster, columns weighted by Relief-F.

    A node is split in these steps (Liu & Song 2020, algorithm 1):

    1. Relief-F weighs the columns by the node's rows. Those lighter than `beta` times the heaviest
       are dropped. If no weight is above 0 (1e-12), the node is a leaf.
    2. The centres of the node's classes are the first centres; each row joins the nearest one, the
       class of the first label where distances tie. Centres are moved to the middle of their rows,
       and rows to the nearest centre, until no row changes its cluster; clusters without rows are
       dropped.
    3. Each cluster is a child; if there is one only, the node is a leaf.

    The distance is ``gamma * N + (1 - gamma) * C`` (equation 8), where N is the weighted Euclidean
    distance in the numeric columns (9), on the scale that `scaling` says, and C the weighted sum
    over the categorical ones (14) of 1 minus the value's share in the cluster (13).

    Of the eight splits that the paper compares, number ``weights + 2 * clustering + 4 *
    distributions`` has these three parts; number 7, with all of them, is CMDT. Without `clustering`
    the distance is the plain sum of the weighted differences (4) of the columns, as printed, in
    which numeric columns always have range 1; so they have in Relief-F.

    A missing value (NaN) adds nothing to any distance, and so does a level that was unknown in
    `fit`. A row without a value in any column that is not dropped goes to the largest child. A
    cluster without a value in a column has there the centre of the node. `retree.relief.ReliefF`
    has its own rules.

    The paper leaves the numbers of neighbours, of drawn rows and of rounds open, and the scale of
    equation 9; the defaults are Kononenko's 10, all of the node, more rounds than the centres need
    to come to rest, and the range of the training rows, as in equation 4. Its
    clusters of iris without weights (table 1) are those of ``max_rounds=0``.

    Parameters
    ----------
    weights : bool, default=True
        Whether columns are weighted by Relief-F and light ones dropped; else all weigh 1.
    clustering : bool, default=True
        Whether the centres move; else they remain those of the classes.
    distributions : bool, default=True
        Whether a centre has the shares of all levels in a categorical column; else it has the mode,
        the first level where there are several.
    beta : float, default=0.2
        Part of the greatest weight that a column needs, in [0, 1].
    n_neighbors : int, default=10
        Neighbours in each class that Relief-F compares a row with.
    n_samples : int or None, default=None
        Rows of a node that Relief-F draws; None is all, in a time that grows as their square.
    max_rounds : int, default=100
        Times that the centres of a node are moved at most.
    gamma : "gini" or float, default="gini"
        Part of the numeric columns in the distance, in [0, 1]. "gini" tries 0.1, 0.2, ..., 0.9 at
        each node for the greatest decrease of the Gini index, the smallest where these tie. Where
        only columns of one kind have a weight it does not matter; without clustering it is 0.5.
    scaling : {"minmax", "standard"} or None, default="minmax"
        The unit of a numeric column in N: its range in the training rows, its standard deviation in
        them, or that of the data.
    min_parent : int, default=5
        Rows that a node needs to be split, at least 2.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default="pessimistic"
        How the tree is pruned.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Categorical columns: those of a category type, strings or booleans in a pandas or polars
        DataFrame, none, or a mask, indices or names. Levels are those that the type lists,
        otherwise those seen in `fit`, sorted.
    random_state : int, RandomState or None, default=None
        Draws the rows of Relief-F, if `n_samples` is not None, and those that pruning keeps aside.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves before pruning, at least 2. The tree then grows best first: the
        node whose test lowers the Gini index of the whole tree most is split next. A test with more
        children than there is room for is passed over.

    Attributes
    ----------
    tree_ : Tree
        The grown tree; ``tree_.centres`` has weights, gamma and centres of each node.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Liu Z. and Song X. (2020). An applicable multivariate decision tree algorithm for categorical
    attribute data. Journal of Northeastern University (Natural Science) 41, 1521-1527.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.cmdt import CMDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CMDTClassifier().fit(X, y).get_n_leaves()
    3
    """

    def __init__(
        self,
        weights: bool = True,
        clustering: bool = True,
        distributions: bool = True,
        beta: float = 0.2,
        n_neighbors: int = 10,
        n_samples: int | None = None,
        max_rounds: int = 100,
        gamma: str | float = "gini",
        scaling: str | None = "minmax",
        min_parent: int = 5,
        pruning: str | None = "pessimistic",
        pruning_params: Mapping[str, Any] | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = None,
        smoothing: Smoothing = None,
        max_leaf_nodes: int | None = None,
    ) -> None:
        self.weights = weights
        self.clustering = clustering
        self.distributions = distributions
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.max_rounds = max_rounds
        self.gamma = gamma
        self.scaling = scaling
        self.min_parent = min_parent
        self.pruning = pruning
        self.pruning_params = pruning_params
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CMDTClassifier:
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts: whole numbers, 0 or more. Relief-F compares a row with its
            nearest others, and a row of weight w has w - 1 others like itself: below 1 that is no
            number of rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self._rule()
        sample = self._checked_classes(X, y, sample_weight)
        self.tree_ = self._tree_of(sample)
        return self

    def _tree_of(self, sample: Sample) -> Tree:
        sample = repeated_rows(sample, self)
        rule, rng = self._rule(), check_random_state(self.random_state)
        scaling = self.scaling if self.clustering else "minmax"

        def grow(part: Sample) -> Tree:
            return grow_cmdt(part, self._n_levels, len(self.classes_), rule, rng, scaling)

        limit = limited(grow, GINI, self.max_leaf_nodes)
        return self._smoothed(grow_pruned(limit, sample, self.pruning, self.pruning_params, rng))

    def _rule(self) -> CMDTRule:
        """Validate the parameters and return those of growing."""
        for name in ("weights", "clustering", "distributions"):
            check_scalar(getattr(self, name), name, (bool, np.bool_))
        if self.scaling not in ("minmax", "standard", None):
            raise ValueError(
                f"Invalid scaling {self.scaling!r}. Valid are 'minmax', 'standard' and None."
            )
        check_scalar(self.beta, "beta", Real, min_val=0, max_val=1)
        for name, least in (("n_neighbors", 1), ("max_rounds", 0), ("min_parent", 2)):
            check_scalar(getattr(self, name), name, Integral, min_val=least)
        check_limits(self.max_leaf_nodes)
        if self.n_samples is not None:
            check_scalar(self.n_samples, "n_samples", Integral, min_val=1)
        return CMDTRule(
            weights=bool(self.weights),
            modes=not self.distributions,
            metric=EUCLIDEAN if self.clustering else MANHATTAN,
            gamma=self._checked_gamma(),
            beta=float(self.beta),
            n_neighbors=int(self.n_neighbors),
            n_samples=_ALL if self.n_samples is None else int(self.n_samples),
            max_rounds=int(self.max_rounds) if self.clustering else 0,
            min_parent=int(self.min_parent),
        )

    def _checked_gamma(self) -> float:
        """Return gamma, NaN if the Gini index chooses it."""
        if isinstance(self.gamma, str):
            if self.gamma != "gini":
                raise ValueError(f"Invalid gamma {self.gamma!r}. Valid are 'gini' and a number.")
            return math.nan
        return float(check_scalar(self.gamma, "gamma", Real, min_val=0, max_val=1))
