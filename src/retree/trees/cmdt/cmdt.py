"""CMDT (Liu & Song 2020): multiway trees whose nodes send each row to its nearest centre."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.relief import grouped_by_class, measure_columns
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import changed, declare, parameter
from retree.trees.decreases import GINI
from retree.trees.mixed import Sample, repeated_rows
from retree.trees.node_tests import EUCLIDEAN, MANHATTAN, Centres
from retree.trees.parameters import Pruning, WithCategories, WithLeaves, WithPruning, WithSmoothing
from retree.trees.tree import CENTRES, LEAF, Tree
from retree.trees.validation import check_flag, none_or, number, one_of, whole


class CMDTRule(NamedTuple):
    """How nodes are split; see the parameters of `CMDTClassifier`."""

    weights: bool
    modes: bool
    metric: int
    gamma: float  # NaN: chosen by the Gini index
    beta: float
    n_neighbors: int
    n_samples: int
    max_rounds: int
    min_parent: int


def grow_cmdt(
    sample: Sample,
    n_levels: NDArray[np.int32],
    n_classes: int,
    rule: CMDTRule,
    rng: RandomState,
    scaling: str | None = "minmax",
) -> Tree:
    """Grow the unpruned tree of `sample`, ignoring its weights.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 for a numeric column.
    `rng`: draws the rows of Relief-F, if the rule asks for a sample of them.
    """
    nominal = n_levels >= 0
    offset, spread = measure_columns(sample.X, nominal)
    # A sum, and so a standard deviation, hangs on the order of the rows.
    order, _ = grouped_by_class(sample.X.T, sample.y)
    columns, scale = np.empty(sample.X.shape[::-1]), np.empty(len(nominal))
    for j, values in enumerate(columns):
        values[:] = sample.X[:, j]
        values[:] = values[order]
        scale[j] = spread[j] if scaling == "minmax" else 1.0
        if scaling == "standard" and not nominal[j]:
            scale[j] = _deviation(values, spread[j])
        values -= offset[j]
        values /= scale[j]
    y = sample.y[order]
    del order
    start = np.concatenate(([0], np.cumsum(np.where(nominal, n_levels, 1)))).astype(np.int32)
    draws = rule.n_samples < len(y)
    priority = (rng.permutation(len(y)) if draws else np.zeros(len(y))).astype(np.int32)
    grown = engine.call(
        "grow_cmdt", columns, y, n_classes, start, nominal, spread / scale, priority, rule
    )
    return _tree(*grown, start=start, nominal=nominal, offset=offset, scale=scale)


def _deviation(values: NDArray[np.float64], spread: float) -> float:
    """Return the standard deviation of a numeric column without its NaN, 1 if it is constant."""
    present = values[~np.isnan(values)] / spread
    if not len(present) or np.ptp(present) == 0:
        return 1.0
    apart = present - sum_of(present) / len(present)
    return float(np.sqrt(sum_of(np.square(apart)) / len(present)) * spread)


def _tree(
    numbers: NDArray[np.int64],
    gamma: NDArray[np.float64],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    position: NDArray[np.float64],
    **columns: NDArray[Any],
) -> Tree:
    """Return the tree of the engine's records, which are in depth-first order."""
    parent, first, n_centres, metric = numbers.T
    centres = Centres(
        weight=weight,
        gamma=gamma,
        metric=metric.astype(np.int8),
        first=first.astype(np.int32),
        n_centres=n_centres.astype(np.int32),
        position=position,
        **columns,
    )
    return Tree.from_parents(
        parent,
        n_features=weight.shape[1],
        feature=np.where(n_centres > 0, CENTRES, LEAF).astype(np.int32),
        threshold=np.full(len(n_centres), np.nan),
        counts=counts,
        centres=centres if n_centres.any() else None,
    )


_ALL = np.iinfo(np.int64).max


def _check_gamma(name: str, value: Any) -> None:
    """Raise unless `value` is "gini" or a number in [0, 1]."""
    if not isinstance(value, str):
        number(0, 1)(name, value)
    elif value != "gini":
        raise ValueError(f"Invalid {name} {value!r}. Valid ones are 'gini' and a number in [0, 1].")


@declare("cmdt")
class CMDTClassifier(WithPruning, WithCategories, WithSmoothing, WithLeaves, BaseTreeClassifier):
    """CMDT: nodes have one child per cluster of rows; columns are weighted by Relief-F.

    A node is split in these steps (Liu & Song 2020, algorithm 1):

    1. Relief-F computes the weights of the columns from the node's rows. Columns with less than
       `beta` times the highest weight are dropped. If no weight is above 0 (1e-12), the node is a
       leaf.
    2. The first centres are those of the node's classes. Each row joins the nearest centre, that of
       the first class where distances tie. Then centres move to the mean of their rows, and rows to
       the nearest centre, until no row changes its cluster. Clusters without rows are dropped.
    3. Each cluster becomes a child; if there is only one, the node is a leaf.

    The distance is ``gamma * N + (1 - gamma) * C`` (equation 8). N is the weighted Euclidean
    distance in the numeric columns (9), scaled as `scaling` says. C is a weighted sum over the
    categorical columns (14), in which each column adds 1 minus the share of the row's level in the
    cluster (13).

    The paper compares eight splits, numbered ``weights + 2 * clustering + 4 * distributions`` by
    these three parameters; number 7, with all three parts, is CMDT. Without `clustering` the
    distance is the plain sum of the weighted differences of the columns (4), as published. There,
    and in Relief-F, numeric columns are always scaled to range 1.

    A missing value (NaN) adds nothing to any distance; neither does a level that `fit` has not
    seen. A row that has no value in any of the kept columns goes to the largest child. If no row of
    a cluster has a value in a column, its centre takes that coordinate from the centre of the node.
    `retree.relief.ReliefF` has its own rules for missing values.

    Row weights must be whole numbers: Relief-F compares a row with its nearest neighbours, and a
    row of weight w counts as w equal rows, which are each other's neighbours.

    The paper does not give the numbers of neighbours, of drawn rows and of rounds, or the scale in
    equation 9. The defaults are Kononenko's 10 neighbours, all rows of the node, more rounds than
    the centres need to settle, and the range of the training rows, as in equation 4.
    ``max_rounds=0`` gives the paper's clusters of iris without weights (table 1).

    Parameters
    ----------
    weights : bool
        Whether columns are weighted by Relief-F and light ones dropped; otherwise all have weight
        1.
    clustering : bool
        Whether the centres move; otherwise they stay the centres of the classes.
    distributions : bool
        Whether a centre holds the shares of all levels of a categorical column; otherwise it holds
        the most frequent level, the first one where levels tie.
    beta : float
        Fraction of the highest weight that a column needs to be kept, in [0, 1].
    n_neighbors : int
        Number of nearest neighbours in each class with which Relief-F compares a row.
    n_samples : int or None
        Number of rows that Relief-F draws in each node; None means all rows, in a time that grows
        with the square of their number.
    max_rounds : int
        Maximum number of times that the centres of a node are moved.
    gamma : "gini" or float
        Share of the numeric columns in the distance, in [0, 1]. "gini" tries 0.1, 0.2, ..., 0.9 at
        each node and takes the value with the highest decrease of the Gini index, the smallest one
        where values tie. It has no effect if only columns of one kind have a weight; without
        clustering it is 0.5.
    scaling : {"minmax", "standard"} or None
        Scale of a numeric column in N: its range in the training rows ("minmax"), its standard
        deviation in them ("standard"), or unscaled (None).
    min_parent : int
        Minimum number of rows that a node needs to be split, at least 2.
    random_state : int, RandomState or None
        Draws the rows of Relief-F, if `n_samples` is not None, and the rows that pruning holds out.

    Attributes
    ----------
    tree_ : Tree
        The grown tree; ``tree_.centres`` holds the weights, gamma and centres of each node.

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

    weights: bool = parameter(default=True, check=check_flag)
    clustering: bool = parameter(default=True, check=check_flag)
    distributions: bool = parameter(default=True, check=check_flag)
    beta: float = parameter(default=0.2, check=number(0, 1))
    n_neighbors: int = parameter(default=10, check=whole(1))
    n_samples: int | None = parameter(default=None, check=none_or(whole(1)))
    max_rounds: int = parameter(default=100, check=whole(0))
    gamma: str | float = parameter(default="gini", check=_check_gamma)
    scaling: Literal["minmax", "standard"] | None = parameter(
        default="minmax", check=one_of("minmax", "standard", None)
    )
    min_parent: int = parameter(default=5, check=whole(2))
    pruning: Pruning | None = "pessimistic"

    declares = changed(in_forests=True, draws=True)
    impurity = GINI

    def in_rows(self, sample: Sample) -> Sample:
        """Return rows of weight 1, each repeated as often as its weight says."""
        return repeated_rows(sample.with_weight(), self)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        scaling = self.scaling if self.clustering else "minmax"
        return grow_cmdt(sample, self.n_levels, len(self.classes_), self._rule(), rng, scaling)

    def _rule(self) -> CMDTRule:
        """Return the rule that nodes are split by; gamma is NaN if the Gini index chooses it."""
        return CMDTRule(
            weights=bool(self.weights),
            modes=not self.distributions,
            metric=EUCLIDEAN if self.clustering else MANHATTAN,
            gamma=math.nan if isinstance(self.gamma, str) else float(self.gamma),
            beta=float(self.beta),
            n_neighbors=int(self.n_neighbors),
            n_samples=_ALL if self.n_samples is None else int(self.n_samples),
            max_rounds=int(self.max_rounds) if self.clustering else 0,
            min_parent=int(self.min_parent),
        )
